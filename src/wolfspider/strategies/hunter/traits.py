"""The traits of a link: what each is called and weighs before anything is learned, and how all are worked out from the
tables of link_traits.py."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.learn.columns import Columns, Rows
from wolfspider.learn.hashed_counts import shrunk
from wolfspider.learn.logistic import log_odds
from wolfspider.learn.word_odds import WordOdds

Floats = NDArray[np.float64]
Figures = dict[str, NDArray[Any]]


class Trait(NamedTuple):
    """A feature of a link, what it weighs before anything is learned, and how it is called in sentences."""

    name: str
    prior: float
    words: str


TRAITS = (
    Trait("bias", -3.0, "links in general"),
    Trait("words", 0.5, "the words of its anchor and address led to good pages"),
    Trait("best words", 0.3, "one of its anchors has words that led to good pages"),
    Trait("parent", 1.5, "the best page that links to it is good"),
    Trait("parents", 1.0, "the pages that link to it are good"),
    Trait("many parents", 0.3, "many good pages link to it"),
    Trait("in-links", 0.0, "many pages link to it"),
    Trait("anchor", 4.0, "its anchor has words of the topic"),
    Trait("context", 3.0, "the words around it are of the topic"),
    Trait("address", 3.0, "its address has words of the topic"),
    Trait("host", 0.5, "pages of its host were good"),
    Trait("new host", 1.0, "its host is little known"),
    Trait("folder", 0.3, "pages of its folder were good"),
    Trait("shape", 0.3, "pages with addresses of this shape were good"),
    Trait("siblings", 0.5, "links beside it on its pages led to good pages"),
    Trait("best siblings", 0.3, "on one of its pages links beside it led to good pages"),
    Trait("page", 0.3, "links of its pages led to good pages"),
    Trait("place", 0.3, "links in the same place of the host's pages led to good pages"),
    Trait("best place", 0.1, "one of the places it was found in led to good pages"),
    Trait("near", 0.3, "a good page is near"),
    Trait("depth", -4.0, "it is far from the starting points"),
    Trait("coverage", 0.3, "a page that links to it has the topic's words"),
    Trait("mean coverage", 0.3, "the pages that link to it have the topic's words"),
    Trait("anchor company", 0.5, "words of its anchor stand on good pages"),
    Trait("best company", 0.3, "words of one of its anchors stand on good pages"),
    Trait("context company", 0.5, "words around it stand on good pages"),
    Trait("address company", 0.3, "words of its address stand on good pages"),
    Trait("dead", -0.5, "addresses of this shape are dead"),
    Trait("another host", 0.0, "it leads to another host"),
    Trait("menu", 0.0, "many pages of a host have it, as a menu does"),
    Trait("anchor on a good page", 0.0, "a good page says words of the topic of it"),
    Trait("siblings on good pages", 0.0, "its pages are good, and links beside it led to good pages"),
    Trait("nearest text", 0.0, "some text of it has words of the topic"),
)
COUNT = len(TRAITS)
PRIOR = np.array([trait.prior for trait in TRAITS])
PARTS = {  # groups of traits that can be hidden, to see what they are worth
    "words": ("words", "best words", "anchor company", "best company", "context company", "address company"),
    "tallies": (
        *("host", "new host", "folder", "shape", "siblings", "best siblings", "page", "place", "best place"),
        *("dead", "menu", "siblings on good pages"),
    ),
}

_READ = (
    *("parents", "best_parent", "pages", "look", "best_look", "anchor", "context", "address", "said", "away"),
    *("depth", "near", "host", "folder", "shape", "from_host", "edges", "words"),
)
# Of an address and of a link to it. The first three are compared with what is usual, then two with the host and one
# with the page; of the last only visits count.
_KINDS = ("host", "page", "place", "folder", "shape", "sibling", "from_host")


def slowly_figured(
    rows: Rows, links: Columns, edges: Columns, counts: NDArray[np.float32], usual: float, words: WordOdds
) -> Floats:
    """What trait_figures.pyx does where it was compiled, to the last bit: a row for each trait, a column for each link.
    All that is alike is worked out at once: for the few links of one page numpy's calls are what takes time."""
    table = {name: links[name].take(rows, axis=0) for name in _READ}
    slots = table["edges"].T
    there = slots > 0
    stands = slots[there]
    paid, visits, failures = _paid(table, stands, edges, counts, usual)
    said = _said(table["words"], stands, edges, words)
    mean, best = _over(there, [paid["sibling"], paid["place"], *said[2:4], paid["page"], said[4]])
    pages = np.maximum(1.0, table["pages"].astype(np.float64))
    parents = table["parents"] / pages
    anchor, context = np.minimum(table["anchor"], 0.6), np.minimum(table["context"], 0.4)
    address = np.minimum(table["address"], 0.6)
    found = {
        "bias": 1.0,
        "words": mean[2] + said[0],
        "best words": best[2] + said[0],
        "parent": table["best_parent"],
        "parents": parents,
        "many parents": np.log1p(table["parents"]) / 2,
        "in-links": np.log(pages) / 3,
        "anchor": anchor,
        "context": context,
        "address": address,
        "host": paid["host"],
        "new host": 1 / np.sqrt(1 + visits["host"]),
        "folder": paid["folder"],
        "shape": paid["shape"],
        "siblings": mean[0],
        "best siblings": best[0],
        "page": mean[4],
        "place": mean[1],
        "best place": best[1],
        "near": table["near"],
        "depth": table["depth"] / 10,
        "coverage": table["best_look"],
        "mean coverage": table["look"] / pages,
        "anchor company": mean[3],
        "best company": best[3],
        "context company": mean[5],
        "address company": said[1],
        "dead": log_odds(_within(0.01, (failures["shape"] + 0.4) / (visits["shape"] + 2), 0.99)) / 2,
        "another host": table["away"] / pages,
        "menu": np.minimum(1.0, pages / np.maximum(1.0, visits["from_host"])),
        "anchor on a good page": np.minimum(table["said"], 0.6),
        "siblings on good pages": mean[0] * parents,
        "nearest text": np.maximum(np.maximum(anchor, address), context),
    }
    traits = np.empty((COUNT, len(rows)))
    for figures, trait in zip(traits, TRAITS, strict=True):
        figures[:] = found[trait.name]
    return traits


def _paid(
    table: Figures, stands: Rows, edges: Columns, counts: NDArray[np.float32], usual: float
) -> tuple[Figures, Figures, Figures]:
    """What links of the same kinds have paid, in log-odds against what is usual; the visits and the failures."""
    known = {kind: edges[kind].take(stands) for kind in ("page", "place", "sibling")}
    places = [(known | table)[kind] for kind in _KINDS]
    ends = list(accumulate(map(len, places)))
    part = {kind: slice(end - len(own), end) for kind, own, end in zip(_KINDS, places, ends, strict=True)}
    visits, reward, failures = counts.take(np.concatenate(places), axis=0).astype(np.float64).T
    first, second = slice(0, ends[2]), slice(ends[2], ends[5])
    means = shrunk(visits[first], reward[first], usual)
    expected = np.concatenate((means[part["host"]], means[part["host"]], means[part["page"]]))
    means = np.concatenate((means, shrunk(visits[second], reward[second], expected)))
    odds = (log_odds(_within(0.003, means, 0.997)) - float(log_odds(np.array(usual)))) / 2
    paid, tried, failed = ({kind: column[part[kind]] for kind in _KINDS} for column in (odds, visits, failures))
    return paid, tried, failed


def _said(own: NDArray[np.int32], stands: Rows, edges: Columns, words: WordOdds) -> list[Floats]:
    """What the words of addresses say, by links and by pages; then those of anchors, likewise; then those around
    the links."""
    anchors, contexts = (edges[name].take(stands, axis=0) for name in ("anchor", "context"))
    links, pages = words.links, words.pages
    led = [_within(-4, _sum(links, ids), 4) / 2 for ids in (own, anchors)]
    company = [_within(-3, _root_mean(pages, ids), 3) / 2 for ids in (own, anchors, contexts)]
    return [led[0], company[0], led[1], company[1], company[2]]


def _over(there: NDArray[np.bool_], values: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The means over the links to an address, and the best of them, of several figures of all these links."""
    figures = np.zeros((len(values), *there.shape))
    figures[:, there] = values
    best = np.where(there, figures, -9.0).max(axis=1)
    return figures.sum(axis=1) / np.maximum(1, there.sum(axis=0)), np.where(best > -9.0, best, 0.0)


def _within(low: float, values: Floats, high: float) -> Floats:
    """What np.clip does, quicker for few values."""
    found: Floats = np.minimum(np.maximum(values, low), high)
    return found


def _sum(odds: Floats, ids: NDArray[np.int32]) -> Floats:
    found: Floats = np.add.reduce(odds.take(ids.T), axis=0)
    return found


def _root_mean(odds: Floats, ids: NDArray[np.int32]) -> Floats:
    """The sum over words, of which more count for less."""
    found: Floats = _sum(odds, ids) / np.sqrt(np.maximum(1, np.add.reduce(ids.T > 0, axis=0, dtype=np.int64)))
    return found


try:
    from wolfspider.strategies.hunter.trait_figures import figures_of as figures_of
except ImportError:
    figures_of = slowly_figured
