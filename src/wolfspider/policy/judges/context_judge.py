"""The default judge: what a page says, how much of it is links, and what kind of pages link to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from wolfspider.core.model import Page, Verdict, host_of, word_count
from wolfspider.core.topic import Topic
from wolfspider.learn.calibration import Calibration
from wolfspider.learn.classifier import Evidence
from wolfspider.learn.companions import Companions
from wolfspider.learn.each_once import each_once
from wolfspider.learn.in_links import InLinks, Keys, address_keys
from wolfspider.learn.lexicon import Ids
from wolfspider.policy.judges.keyword_judges import Coverage, OfOneTopic
from wolfspider.policy.judges.telling_words import telling_words, words_read


class PageLinks(NamedTuple):
    share: float  # of the words of the page that stand in its own links
    keys: Keys  # of the addresses it links to, each once


class Read(NamedTuple):
    """A page, by what is known so far."""

    raw: float
    coverage: float
    found: list[str]  # words of the topic
    names: list[str]  # words
    ids: Ids
    company: Evidence
    host: str
    key: np.uint64
    links: PageLinks
    before: float | None  # what it was worth when it was read before
    into: float


class InContext(OfOneTopic):
    """own = max(0, coverage + 0.25 evidence) (1 - 0.75 links)
    raw = own + min(own, 0.8 into)

    coverage    of the topic's words (keyword_judges.py)
    evidence    of words that keep company with them (learn/companions.py). A page, once scored, counts as wanted by
                coverage^3 (1 - links)^2: only pages that are clearly on topic, and no listings, teach; what was
                learned does not teach itself, so it cannot drift. Liked pages and labels teach, too
    links       the share of the page's words that stand in its own links: a listing names the topic without being
                about it. Links that many pages of the host have are a menu, and count neither as links nor as words
    into        the mean coverage (1 - links) of the pages that link here (learn/in_links.py). It can at most double
                what the page says itself

    The score has odds of (raw / 0.24)^2.5, so that 0.5 is the border. The probability has odds of (raw / 0.32)^2.5:
    most pages at the border are not relevant, and it is still best to take them. A person's labels correct the
    probability (learn/calibration.py).
    """

    EVIDENCE, LISTING, LINKED = 0.25, 0.75, 0.8
    BORDER, EVEN, POWER = 0.24, 0.32, 2.5
    MOST_LINKS = 500  # of a page that are read
    MENU, FEWEST = 0.15, 3  # a link is part of a menu if this share of the host's pages have it, and so many
    UP, DOWN = 0.1, 5.0  # what a label weighs
    EDITION = 2

    def __init__(self, topic: Topic) -> None:
        given = Topic(topic.keywords, topic.description)
        self._coverage = Coverage(given if given.keywords or given.description else topic)
        self._companions = Companions(liked_suffices=self.EDITION > 1)
        self._in_links = InLinks()
        self._calibration = Calibration()
        self.learn_examples(topic)

    def score(self, page: Page) -> Verdict:
        read = self._read(page, self._coverage.measure(page))
        value = read.coverage * (1 - read.links.share)
        teaches = read.coverage**3 * (1 - read.links.share) ** 2
        if read.before is None:
            self._companions.add(read.ids, teaches, 1 - teaches)
        if self.EDITION > 1:
            self._in_links.read(read.key, read.links.keys, read.host, value)
        else:
            self._in_links.add(read.links.keys, read.host, value)
        score = _share(read.raw, self.BORDER, self.POWER)
        parts = {
            "raw": round(read.raw, 6),
            "probability": round(self._probability(read.raw), 6),
            "coverage": round(read.coverage, 6),
            "company": round(read.company.mean, 6),
            "links": round(read.links.share, 6),
            "into": round(read.into, 6),
            "words": read.found,
        }
        if score >= 0.5 and (telling := telling_words(read.names, read.company.words)):
            parts["telling"] = telling
        return Verdict(score, score >= 0.5, parts)

    def _read(self, page: Page, covered: tuple[float, list[str]]) -> Read:
        """What the page is worth by what is known so far."""
        coverage, found = covered
        names, times = words_read(page)
        ids = self._companions.numbers(names)
        topical = self._coverage.places(names) if found else ()
        company = self._companions.evidence(ids, times, topical)
        host = host_of(page.final_url)
        here = address_keys(dict.fromkeys((page.url, page.final_url)))
        links = self._links(page, host, here)
        own = max(0.0, coverage + self.EVIDENCE * company.mean) * (1 - self.LISTING * links.share)
        before = self._in_links.worth(here[0])
        into = self._in_links.value(here, host, before)
        raw = own + min(own, self.LINKED * into)
        return Read(raw, coverage, found, names, ids, company, host, here[0], links, before, into)

    def _probability(self, raw: float) -> float:
        return self._calibration.probability(self._odds(raw)) if raw > 0 else 0.0

    def _odds(self, raw: float) -> float:
        return self.POWER * math.log(max(raw, 1e-9) / self.EVEN)

    def _links(self, page: Page, host: str, here: Keys) -> PageLinks:
        links = page.links[: self.MOST_LINKS]
        keys = address_keys(link.url for link in links)
        if not links:
            return PageLinks(0.0, keys)
        sizes = [link.anchor.count(" ") + 1 if link.anchor else 0 for link in links]
        menu = self._in_links.counts(keys) >= max(self.FEWEST, self.MENU * self._in_links.pages_of(host))
        in_menu = sum(compress(sizes, menu.tolist()))
        own = sum(sizes) - in_menu
        return PageLinks(min(1.0, own / max(1, word_count(page) - in_menu)), each_once(keys[keys != here[-1]]))

    def learn(self, page: Page, label: bool) -> None:
        self._calibration.learn(self._odds(self._read(page, self._coverage.glimpse(page)).raw), label)
        super().learn(page, label)

    def _teach(self, page: Page, label: bool) -> None:
        ids = self._companions.numbers(words_read(page).words)
        if label:
            self._companions.add(ids, liked=self.UP)
        else:
            self._companions.add(ids, other=self.DOWN)

    def state(self) -> dict[str, Any]:
        return {
            "coverage": self._coverage.state(),
            "companions": self._companions.state(),
            "in_links": self._in_links.state(),
            "calibration": self._calibration.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self._coverage.restore(state["coverage"])
        self._companions.restore(state["companions"])
        self._in_links.restore(state["in_links"])
        if "calibration" in state:  # earlier versions had none
            self._calibration.restore(state["calibration"])


class InFirstContext(InContext):
    """As the judge was at first, for runs that began with it: a page that is read again counts again, and a word that
    is on a liked page alone says nothing."""

    EDITION = 1


def _share(value: float, even: float, power: float) -> float:
    """A value from 0 on as a number below 1, with 0.5 at `even`."""
    ratio: float = (value / even) ** power
    return ratio / (1 + ratio)
