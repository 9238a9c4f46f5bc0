"""The newshound: polling by the index of ephemeral items, on lists that it finds by itself. Our own; its page is
docs/strategies/newshound.md.

The index says what a look at a list is worth now (learn/poll_rates.py). A site has many lists, and most of them show
what another has shown already, so that reading them all costs the first day. The newshound learns from the shape of
addresses which links lead to lists, and what lists of a shape bring that no other has shown. A link to a list is not
read like an item: it waits as a source, with what is usual for its shape, until a look at it is worth more than a look
at the others. What it knows of shapes is learned from its own pages for as long as it runs: a shape that has lists and
documents is told apart by finer shapes, and the last pages of a shape count most, since sites are redesigned.
"""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

from wolfspider.core.model import Link
from wolfspider.core.topic import Topic
from wolfspider.learn import poll_rates
from wolfspider.learn.tallies import Tallies, slot_of
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.polling import Floats, Polling, PollingParams
from wolfspider.policy.strategy import register

TRUST = 1.0  # pages; with fewer of a shape, a link is read to see what it is
MEMORY = 30.0  # pages of a shape that are remembered; earlier ones count less and less
MOST_SHAPES = 10_000
_DIGITS = re.compile(r"\d+")


def shape_of(url: str) -> str:
    """What the addresses of alike pages have in common: host, depth, and how the last part is written."""
    host, _, rest = url.partition("://")[2].partition("/")
    path, asked, _ = rest.partition("?")
    folders, _, name = path.rpartition("/")
    depth = folders.count("/") + 1 if folders else 0
    ending = name.rpartition(".")[2] if "." in name else "word" if name else "folder"
    digits = "dated" if _DIGITS.search(folders) else ""
    numbered = "numbered" if _DIGITS.search(name) else ""
    return f"{host} {depth} {ending[:8]} {digits} {numbered} {asked}"


def finer_shape_of(url: str) -> str:
    """The same, with the first folder and how many words the last part has."""
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    folders, _, name = path.rpartition("/")
    words = min(name.count("-") + name.count("_"), 4)
    return f"{shape_of(url)} {folders.partition('/')[0][:64]} {words}"


@register
class Newshound(Polling):
    name = "newshound"
    use = "For watching sites for what is new, from their home pages alone. Not for webs that stay as they are."
    paper = "Our own. The index: Avrachenkov and Borkar 2018, Whittle index policy for crawling ephemeral content"
    Params = PollingParams
    variants = ({}, {"per_hour": 3600.0, "links": 3, "second_looks": 2})
    params: PollingParams

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        super().__init__(topic, params, rng, shelf)
        self.shapes: dict[str, int] = {}
        self.lists = Tallies()  # by shape and by finer shape: which pages were lists

    def scores(self, now: float) -> Floats:
        return poll_rates.index(self.sources.rates(), self.sources.waited(now), self.params.fades)

    def group(self, url: str) -> int:
        if len(self.shapes) >= MOST_SHAPES:
            return self.shapes.get(shape_of(url), 0)
        return self.shapes.setdefault(shape_of(url), len(self.shapes))

    def items(self, links: list[Link]) -> list[Link]:
        if not links or not self.params.links:
            return links
        shapes = np.array([slot_of(shape_of(link.url)) for link in links])
        finer = np.array([slot_of(finer_shape_of(link.url)) for link in links])
        alike = self.lists.means(shapes, 0.0, TRUST)
        apart = self.lists.means(finer, alike, TRUST)
        likely = np.where(self.lists.mixed(shapes), apart, alike) > 0.5
        for link, is_list in zip(links, likely.tolist(), strict=True):
            if is_list:
                self.watch(link.url)
        return [link for link, is_list in zip(links, likely.tolist(), strict=True) if not is_list]

    def read_one(self, url: str, is_list: bool) -> None:
        for shape in (shape_of(url), finer_shape_of(url)):
            self.lists.add(slot_of(shape), float(is_list), MEMORY)
