"""The links of a whole web at once: what `links.py` says page by page, over arrays, block by block.

Pages of directories, portals and mirrors are few; they are computed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.web.worlds.synthetic import links as rules
from wolfspider.web.worlds.synthetic.counter import TO_UNIT_32, Floats, Words64, edge, mix_many, popular, unit_many
from wolfspider.web.worlds.synthetic.links import Links
from wolfspider.web.worlds.synthetic.sites import BRANCHING, COMMUNITIES, Census, Ids, Kind, keyed

_BLOCK = 50_000
_LOW32 = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Links of page x: targets[starts[x]:starts[x + 1]], in the order of the page."""

    starts: Ids
    targets: NDArray[np.int32]

    def sources(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.starts.size - 1, dtype=np.int32), np.diff(self.starts))


class _Drawn(NamedTuple):
    """Links as drawn: from, to, and a number that orders the links of a page."""

    sources: Ids
    targets: Ids
    order: Ids


class Bulk:
    def __init__(self, links: Links) -> None:
        self.links, self.sites = links, links.sites
        self.census = Census(self.sites)
        self.edges = np.array([edge(size) for size in self.census.sizes.tolist()])

    def skeleton(self) -> Skeleton:
        counts = np.zeros(self.sites.pages, dtype=np.int64)
        parts = []
        for first in range(0, self.sites.pages, _BLOCK):
            last = min(first + _BLOCK, self.sites.pages)
            drawn = _distinct(self._block(first, last), self.sites.pages)
            counts[first:last] = np.bincount(drawn.sources - first, minlength=last - first)
            parts.append(drawn.targets.astype(np.int32))
        return Skeleton(np.concatenate([[0], np.cumsum(counts)]), np.concatenate(parts))

    def _block(self, first: int, last: int) -> _Drawn:
        pages = np.arange(first, last)
        kinds = self.census.page_kind(pages, self.census.host(pages))
        ordinary, special = pages[kinds == Kind.ORDINARY], pages[kinds != Kind.ORDINARY]
        listed = [(page, to, n) for page in special.tolist() for n, (to, _) in enumerate(self.links.of(page))]
        parts = [*self._ordinary(ordinary), _Drawn(*np.array(listed, dtype=np.int64).reshape(-1, 3).T)]
        return _Drawn(*map(np.concatenate, zip(*parts, strict=True)))

    def _ordinary(self, pages: Ids) -> Iterator[_Drawn]:
        hosts = self.census.host(pages)
        chosen, targets = self.nav(pages, hosts)
        rows, slots = np.nonzero(chosen)
        yield _Drawn(pages[rows], targets[rows, slots], slots)
        counts = self.count(pages)
        rows = np.repeat(np.arange(pages.size), counts)
        numbers = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
        topics = self.census.topic(pages, hosts)
        roots = keyed(self.links.link_key, pages)[rows]
        content = self.content(roots, numbers, hosts[rows], topics[rows])
        yield _Drawn(pages[rows], content, rules.SLOTS + 2 * numbers)
        bits = mix_many(roots + (4 * numbers + 3).astype(np.uint64))
        copied = np.flatnonzero((bits >> np.uint64(32)).astype(np.float64) * TO_UNIT_32 < rules.COPIED)
        kept, copies = self._copies(content[copied], bits[copied] & _LOW32)
        copied = copied[kept]
        yield _Drawn(pages[rows[copied]], copies, rules.SLOTS + 2 * numbers[copied] + 1)

    def count(self, pages: Ids) -> Ids:
        drawn = np.searchsorted(rules.COUNT_STEPS, unit_many(keyed(self.links.count_key, pages)), side="right")
        return self.links.times * (1 + drawn)

    def nav(self, pages: Ids, hosts: Ids) -> tuple[NDArray[np.bool_], Ids]:
        """For every page and slot: is the link there, and where would it go."""
        starts, sizes = self.census.starts[hosts], self.census.sizes[hosts]
        places = pages - starts
        first = keyed(self.links.nav_key, pages)
        second = mix_many(first)
        chosen = np.zeros((pages.size, rules.SLOTS), dtype=bool)
        targets = np.zeros((pages.size, rules.SLOTS), dtype=np.int64)
        for slot, share in enumerate(rules.SLOT_SHARES):
            word, turn = (first, slot) if slot < rules.SLOTS_PER_HASH else (second, slot - rules.SLOTS_PER_HASH)
            lucky = (word >> np.uint64(rules.SLOT_BITS * turn) & np.uint64(1023)) < np.uint64(share)
            if slot < 2:
                chosen[:, slot] = lucky & (places > 0)
                targets[:, slot] = starts + ((places - 1) // BRANCHING if slot == 0 else 0)
            else:
                child = places * BRANCHING + slot - 1
                chosen[:, slot] = lucky & (child < sizes)
                targets[:, slot] = starts + child
        return chosen, targets

    def content(self, roots: Words64, numbers: Ids, hosts: Ids, topics: Ids) -> Ids:
        counters = roots + (4 * numbers).astype(np.uint64)
        luck, ranks, choice = (mix_many(counters + np.uint64(draw)) for draw in range(3))
        u = (unit_many(luck) - rules.INTERNAL) * 2.0  # below 0: a link that stays on the host
        high = (ranks >> np.uint64(32)).astype(np.float64) * TO_UNIT_32
        target_hosts = np.where(
            u < rules.SIBLING,
            self._topical_host(u, high, choice, hosts, topics),
            np.where(
                u < rules.POPULAR,
                _rank(high, self.links.hosts_edge, self.sites.hosts),
                (choice % np.uint64(self.sites.hosts)).astype(np.int64),
            ),
        )
        target_hosts = np.where(u < 0, hosts, target_hosts)
        low = (ranks & _LOW32).astype(np.float64) * TO_UNIT_32
        places = _rank(low, self.edges[target_hosts], self.census.sizes[target_hosts])
        return self.census.starts[target_hosts] + places

    def _topical_host(self, u: Floats, high: Floats, choice: Words64, hosts: Ids, topics: Ids) -> Ids:
        per = self.sites.per_family
        bits = (choice >> np.uint64(16) & np.uint64(0xFFFF)).astype(np.int64)
        first = topics - topics % per
        sibling = first + (topics - first + 1 + (bits * (per - 1) >> 16)) % per
        topics = np.where(u < rules.SAME, topics, sibling)
        own = choice >> np.uint64(32) < np.uint64(self.links.own_community)
        any_community = (choice & np.uint64(0xFFFF)).astype(np.int64) * COMMUNITIES >> 16
        communities = np.where(own, hosts // self.sites.topics % COMMUNITIES, any_community)
        rank = _rank(high, self.links.depth_edge, self.sites.depth)
        hosts_in: Ids = (rank * COMMUNITIES + communities) * self.sites.topics + self.census.slot_of[topics]
        return hosts_in

    def _copies(self, targets: Ids, bits: Words64) -> tuple[NDArray[np.int64], Ids]:
        """Which of the targets are ordinary pages, and the link that is copied from each of those."""
        hosts = self.census.host(targets)
        kept = np.flatnonzero(self.census.page_kind(targets, hosts) == Kind.ORDINARY)
        targets, hosts, bits = targets[kept], hosts[kept], bits[kept]
        chosen, nav = self.nav(targets, hosts)
        navs = chosen.sum(axis=1)
        numbers = (bits * (navs + self.count(targets)).astype(np.uint64) >> np.uint64(32)).astype(np.int64)
        topics = self.census.topic(targets, hosts)
        roots = keyed(self.links.link_key, targets)
        copies = self.content(roots, np.maximum(numbers - navs, 0), hosts, topics)
        by_nav = np.flatnonzero(numbers < navs)
        slots = np.argmax(np.cumsum(chosen[by_nav], axis=1) > numbers[by_nav, None], axis=1)
        copies[by_nav] = nav[by_nav, slots]
        return kept, copies


def _rank(u: Floats, edges: Floats | float, pools: Ids | int) -> Ids:
    edges = np.broadcast_to(np.asarray(edges, dtype=np.float64), u.shape)
    return np.minimum(popular(u, edges).astype(np.int64), pools) - 1


def _distinct(drawn: _Drawn, pages: int) -> _Drawn:
    """In the order of the pages; of links to one target the first; none to itself."""
    order = np.lexsort((drawn.order, drawn.sources))
    sources, targets = drawn.sources[order], drawn.targets[order]
    _, firsts = np.unique(sources * pages + targets, return_index=True)
    firsts.sort()
    firsts = firsts[sources[firsts] != targets[firsts]]
    return _Drawn(sources[firsts], targets[firsts], firsts)
