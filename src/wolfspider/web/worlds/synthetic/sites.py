"""Where pages live and what they are about: hosts, topics, kinds and fates, each a pure function of seed and number.

A page is a number. Hosts own runs of numbers whose lengths follow a power law: host h begins at floor(N *
(h/H)^0.45), the one table that is kept (eight bytes a host). Within its host a page has a place j: 0 is the home
page, its children are 9j+1 .. 9j+9, and so on down the tree. A host has a topic and one of six communities, arranged
so that the hosts of a topic and community can be enumerated without looking: h = (q * 6 + community) * T + slot of
the topic, large hosts first.

Which hosts are directories, portals, mirrors and traps is read from a permutation, so that they can be enumerated
too. The largest host of each topic is always an ordinary one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from wolfspider.web.worlds.synthetic.counter import Shuffle, Words64, key_for, mix, mix_many, unit, unit_many
from wolfspider.web.worlds.synthetic.web_params import WebParams

COMMUNITIES = 6
FAMILIES = 8  # super-topics
BRANCHING = 9
_PAGES_PER_HOST = 40
_KAPPA = 0.45
_OWN_TOPIC, _OWN_FAMILY = 0.75, 0.90  # cumulative: the host's topic, its family, else any
_GONE, _SOFT, _OTHER_TYPE = 0.021, 0.030, 0.070  # cumulative: 404, 404 that says 200, no HTML

Ids = NDArray[np.int64]


class Kind(IntEnum):
    """What a host is; for a page, what its links are like."""

    ORDINARY = 0
    DIRECTORY = 1
    PORTAL = 2
    MIRROR = 3
    TRAP = 4


class Fate(IntEnum):
    """What a request for a page brings."""

    PAGE = 0
    GONE = 1
    SOFT = 2
    DOCUMENT = 3


_SHARES = ((Kind.DIRECTORY, 0.01), (Kind.PORTAL, 0.01), (Kind.MIRROR, 0.03), (Kind.TRAP, 0.02))


class Sites:
    def __init__(self, params: WebParams) -> None:
        self.params, self.pages, self.topics = params, params.pages, params.topics
        self.per_family = params.topics // FAMILIES
        block = params.topics * COMMUNITIES
        self.depth = max(1, round(params.pages / _PAGES_PER_HOST / block))  # hosts of each topic and community
        self.hosts = self.depth * block
        self.starts = array("q", (int(self.pages * (h / self.hosts) ** _KAPPA) for h in range(self.hosts + 1)))
        slots = Shuffle(self.topics, key_for(params.seed, "slots"))
        self.topic_at = [slots.forward(slot) for slot in range(self.topics)]
        self.slot_of = [slots.back(topic) for topic in range(self.topics)]
        self.topic_key, self.fate_key, self._mirror_key = (
            key_for(params.seed, name) for name in ("topic", "fate", "mirror")
        )
        order = Shuffle(self.hosts - self.topics, key_for(params.seed, "kinds"))
        shares = [(kind, share) for kind, share in _SHARES if params.mischief or kind not in (Kind.MIRROR, Kind.TRAP)]
        kinds = [kind for kind, share in shares for _ in range(max(1, round(share * self.hosts)))]
        self.special = {self.topics + order.forward(number): kind for number, kind in enumerate(kinds)}
        self.directories = [host for host, kind in self.special.items() if kind == Kind.DIRECTORY]
        self.portals = [host for host, kind in self.special.items() if kind == Kind.PORTAL]

    def host(self, page: int) -> int:
        return bisect_right(self.starts, page) - 1

    def size(self, host: int) -> int:
        return self.starts[host + 1] - self.starts[host]

    def host_topic(self, host: int) -> int:
        return self.topic_at[host % self.topics]

    def host_kind(self, host: int) -> Kind:
        return self.special.get(host, Kind.ORDINARY)

    def community(self, host: int) -> int:
        return host // self.topics % COMMUNITIES

    def host_in(self, topic: int, community: int, rank: int) -> int:
        return (rank * COMMUNITIES + community) * self.topics + self.slot_of[topic]

    def topic(self, page: int, host: int) -> int:
        """What a page is about: mostly what its host is about."""
        if self.special.get(host) == Kind.MIRROR:
            return self.topic(*self.original(page, host))
        if self.page_kind(page, host) == Kind.DIRECTORY:
            return self.topic_at[(host + page - self.starts[host]) % self.topics]
        bits = mix(self.topic_key + page)
        u, small = unit(bits), bits & 0x7FF
        topic = self.topic_at[host % self.topics]
        if u < _OWN_TOPIC:
            return topic
        if u < _OWN_FAMILY:
            return topic - topic % self.per_family + (small * self.per_family >> 11)
        return small * self.topics >> 11

    def page_kind(self, page: int, host: int) -> Kind:
        """Directories list a topic on each of their first pages; portals are portals on home and section pages."""
        kind = self.special.get(host, Kind.ORDINARY)
        if kind == Kind.DIRECTORY:
            return kind if page - self.starts[host] < self.topics else Kind.ORDINARY
        if kind == Kind.PORTAL:
            return kind if page - self.starts[host] <= BRANCHING else Kind.ORDINARY
        return kind if kind == Kind.MIRROR else Kind.ORDINARY

    def mirrored(self, host: int) -> int:
        """The ordinary host, at least as large, that a mirror shows."""
        low, size = host // 2, self.size(host)
        for turn in range(64):
            other = low + mix(mix(self._mirror_key + host) + turn) % (host - low)
            if other not in self.special and self.size(other) >= size:
                return other
        return host % self.topics

    def original(self, page: int, host: int) -> tuple[int, int]:
        """The page (and its host) that a page of a mirror repeats."""
        other = self.mirrored(host)
        return self.starts[other] + page - self.starts[host], other

    def fate(self, page: int, host: int) -> Fate:
        place = page - self.starts[host]
        if not self.params.mischief or place == 0:
            return Fate.PAGE
        u = unit(mix(self.fate_key + page))
        if u >= _OTHER_TYPE:
            return Fate.PAGE
        if u < _SOFT:
            return Fate.GONE if u < _GONE else Fate.SOFT
        leaf = place * BRANCHING + 1 >= self.size(host) and place > BRANCHING
        return Fate.DOCUMENT if leaf else Fate.PAGE

    def section(self, place: int) -> int:
        """The section, 1..9, that a place below the home page belongs to."""
        while place > BRANCHING:
            place = (place - 1) // BRANCHING
        return place


class Census:
    """The same facts for many pages at once, over arrays. Agrees with Sites page by page."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.starts = np.frombuffer(sites.starts, dtype=np.int64)
        self.topic_at = np.array(sites.topic_at, dtype=np.int64)
        self.slot_of = np.array(sites.slot_of, dtype=np.int64)
        self.sizes = np.diff(self.starts)
        self.kinds = np.zeros(sites.hosts, dtype=np.int8)
        self.kinds[list(sites.special)] = list(sites.special.values())

    def host(self, pages: Ids) -> Ids:
        return np.searchsorted(self.starts, pages, side="right") - 1

    def topic(self, pages: Ids, hosts: Ids) -> Ids:
        others = np.arange(self.sites.hosts)  # what a mirror shows is about what its original is about
        for host, kind in self.sites.special.items():
            if kind == Kind.MIRROR:
                others[host] = self.sites.mirrored(host)
        pages, hosts = self.starts[others[hosts]] + pages - self.starts[hosts], others[hosts]
        bits = keyed(self.sites.topic_key, pages)
        u = unit_many(bits)
        small = (bits & np.uint64(0x7FF)).astype(np.int64)
        own = self.topic_at[hosts % self.sites.topics]
        family = own - own % self.sites.per_family + (small * self.sites.per_family >> 11)
        drawn = np.where(u < _OWN_TOPIC, own, np.where(u < _OWN_FAMILY, family, small * self.sites.topics >> 11))
        listed = self.page_kind(pages, hosts) == Kind.DIRECTORY
        return np.where(listed, self.topic_at[(hosts + pages - self.starts[hosts]) % self.sites.topics], drawn)

    def page_kind(self, pages: Ids, hosts: Ids) -> NDArray[np.int8]:
        kinds, places = self.kinds[hosts], pages - self.starts[hosts]
        kinds[(kinds == Kind.DIRECTORY) & (places >= self.sites.topics)] = Kind.ORDINARY
        kinds[(kinds == Kind.PORTAL) & (places > BRANCHING)] = Kind.ORDINARY
        kinds[kinds == Kind.TRAP] = Kind.ORDINARY
        return kinds

    def fate(self, pages: Ids, hosts: Ids) -> NDArray[np.int8]:
        fates = np.zeros(pages.size, dtype=np.int8)
        if not self.sites.params.mischief:
            return fates
        places = pages - self.starts[hosts]
        u = unit_many(keyed(self.sites.fate_key, pages))
        leaf = (places * BRANCHING + 1 >= self.sizes[hosts]) & (places > BRANCHING)
        fates[leaf & (u < _OTHER_TYPE)] = Fate.DOCUMENT
        fates[u < _SOFT] = Fate.SOFT
        fates[u < _GONE] = Fate.GONE
        fates[places == 0] = Fate.PAGE
        return fates

    def relevant(self, pages: Ids) -> tuple[Ids, Ids]:
        """Those of the pages that can be relevant to a topic, and their topics: inner pages of ordinary hosts that are
        really there. Home pages, directories and portals are not; of a page and its mirrors, the page."""
        hosts = self.host(pages)
        good = (self.page_kind(pages, hosts) == Kind.ORDINARY) & (self.fate(pages, hosts) == Fate.PAGE)
        good &= pages > self.starts[hosts]
        pages, hosts = pages[good], hosts[good]
        return pages, self.topic(pages, hosts)


def keyed(key: int, numbers: Ids) -> Words64:
    return mix_many(np.uint64(key) + numbers.astype(np.uint64))
