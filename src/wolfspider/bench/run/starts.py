"""Two kinds of page to start from, for any web and topic, as Akbari Torkestani's experiments have them.

    directory   a page that lists pages of the topic and is not about it: of a synthetic web the first seed of its task,
                of a recorded one the off-topic page with the most links to relevant pages
    results     a page of ten search results for the keywords, on a host of its own beside the web

The results are what BM25 ranks highest: of a recorded web among all pages, of a synthetic one among 2,000 drawn at
random, since it is too large to be looked through. Both are functions of web and topic alone.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.cell import inside
from wolfspider.core.errors import Problem
from wolfspider.core.model import Fetch, Page
from wolfspider.core.text import counts, words
from wolfspider.core.topic import Task
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import Looks, World

DIRECTORY, RESULTS = "directory", "results"
STARTS = (DIRECTORY, RESULTS)
ADDRESS = "http://search.invalid/results"  # no web has a host of this name
DRAWN = 2_000  # pages of a synthetic web that results are taken from
LISTED = 10  # results
SNIPPET = 20  # words of each
SECONDS = 0.3  # until it is here
SPELL, MOST_SPELLS = 600.0, 100  # how long a synthetic web fails at a time, and how often a start is asked for
REMEMBERED = 200_000  # addresses that are in the web or not
SATURATION, LENGTH = 1.2, 0.75  # k1 and b of BM25


class CrawlStart(NamedTuple):
    """Where a crawl starts, the web as it sees it, and which addresses belong to that."""

    url: str
    looks: Looks
    within: Callable[[str], bool]


def start_of(kind: str, world: World, task: Task, looks: Looks) -> CrawlStart:
    """`looks` answers for the world; the keywords are those of the task. The page itself never fails: an experiment
    that cannot begin would tell of nothing but that."""
    within = _within(world)
    if kind == DIRECTORY:
        answer = _there(world, directory(world, task))
        return CrawlStart(answer.url, Beside(looks, answer), within)
    if kind != RESULTS:
        raise Problem(f"There is no kind of start {kind!r}: it is one of {', '.join(STARTS)}.")
    answer = page_of(task.topic.keywords, results(world, task.topic.keywords))
    return CrawlStart(answer.url, Beside(looks, answer), lambda url: url == ADDRESS or within(url))


@lru_cache(maxsize=2)
def _within(world: World) -> Callable[[str], bool]:
    """The scope of a bench, remembered: crawls of one web ask for the same addresses again and again."""
    return lru_cache(maxsize=REMEMBERED)(inside(world))


def _there(world: World, url: str) -> Fetch:
    """The answer at the first moment at which there is one."""
    for spell in range(MOST_SPELLS):
        fetch = world.look(url, world.start + spell * SPELL)
        if isinstance(parse(fetch), Page):
            return fetch
    raise Problem(f"There is no page to start from at {url} in {world.name}.")


class Beside:
    """A web with one page that is always there as it is, on a host of the web or on one of its own."""

    def __init__(self, looks: Looks, answer: Fetch) -> None:
        self._looks, self._answer = looks, answer

    def look(self, url: str, now: float) -> Fetch:
        return replace(self._answer, at=now) if url == self._answer.url else self._looks.look(url, now)


# A directory


@lru_cache(maxsize=64)
def directory(world: World, task: Task) -> str:
    return world.directory(task) or _most_linking(world, task)


def _most_linking(world: World, task: Task) -> str:
    """The off-topic page with the most links to relevant ones; of several the first by its address."""
    graph = world.graph(world.start)
    wanted = frozenset(map(key, task.relevant))
    relevant = np.array([key(url) in wanted for url in graph.urls])
    leads = np.bincount(graph.sources(), weights=relevant[graph.targets], minlength=graph.n)
    leads[relevant] = -1
    best = np.flatnonzero(leads == leads.max())
    return min(graph.urls[node] for node in best.tolist())


# Search results


class SearchHit(NamedTuple):
    url: str
    title: str
    text: str


def page_of(keywords: Sequence[str], shown: Sequence[SearchHit]) -> Fetch:
    query = html.escape(" ".join(keywords))
    entries = (
        f'<li><a href="{html.escape(hit.url)}">{html.escape(hit.title)}</a> <p>{html.escape(hit.text)}</p></li>'
        for hit in shown
    )
    body = f"<html><title>{query}</title><h1>{query}</h1><ol>{''.join(entries)}</ol></html>".encode()
    return Fetch(ADDRESS, ADDRESS, 200, {"content-type": "text/html; charset=utf-8"}, body, seconds=SECONDS)


@lru_cache(maxsize=64)
def results(world: World, keywords: tuple[str, ...]) -> tuple[SearchHit, ...]:
    """The pages that BM25 ranks highest for the words of the keywords, each content once."""
    sample = survey(world)
    terms = list(dict.fromkeys(word for keyword in keywords for word in words(keyword)))
    scores = bm25([seen.counts for seen in sample], [seen.length for seen in sample], terms)
    order = sorted(range(len(sample)), key=lambda place: (-scores[place], sample[place].url))
    found: dict[str, str] = {}
    for place in order:
        found.setdefault(sample[place].digest, sample[place].url)
        if len(found) == LISTED:
            break
    return tuple(_shown(world, url) for url in found.values())


def _shown(world: World, url: str) -> SearchHit:
    page = parse(world.look(url, world.start))
    assert isinstance(page, Page)  # it was one when it was ranked
    return SearchHit(page.final_url, page.title, " ".join(page.words[:SNIPPET]))


def bm25(bags: Sequence[Mapping[str, int]], lengths: Sequence[int], terms: Sequence[str]) -> list[float]:
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = [0.0] * len(bags)
    for term in terms:
        having = [place for place, bag in enumerate(bags) if bag.get(term)]
        rarity = math.log(1 + (len(bags) - len(having) + 0.5) / (len(having) + 0.5))
        for place in having:
            count = bags[place][term]
            norm = SATURATION * (1 - LENGTH + LENGTH * lengths[place] / mean)
            scores[place] += rarity * count * (SATURATION + 1) / (count + norm)
    return scores


class RankedPage(NamedTuple):
    """A page as the ranking knows it: of its words those that some topic asks for."""

    url: str
    digest: str
    length: int
    counts: Mapping[str, int]


@lru_cache(maxsize=2)
def survey(world: World) -> tuple[RankedPage, ...]:
    """The pages that results are taken from, in the order of their addresses."""
    asked = {word for task in world.tasks().values() for text in task.topic.keywords for word in words(text)}
    found: dict[str, RankedPage] = {}
    for url in world.sample(DRAWN):
        page = parse(world.look(url, world.start))
        if isinstance(page, Page) and page.final_url not in found:
            bag = Counter({word: count for word, count in counts(page).items() if word in asked})
            found[page.final_url] = RankedPage(page.final_url, page.digest, len(page.words), bag)
    return tuple(found[url] for url in sorted(found))
