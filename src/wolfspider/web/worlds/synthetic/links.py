"""Who links to whom, page by page.

An ordinary page has navigation (its parent, the home page, its children), content links whose number follows a power
law, and for every fifth content link a copy: a link that the target itself carries, which closes triangles. Half of
the content links stay on the host; the others go to popular hosts of the same topic and community, now and then to a
sibling topic, and rarely anywhere. Popularity is Zipf's law over hosts and over the pages of a host, in closed form.

Directory pages list home and section pages of one topic, all communities; portal pages list directories and popular
home pages; a page of a mirror carries the links of its original, turned to the mirror where they stayed at home.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from enum import IntEnum

from wolfspider.web.worlds.synthetic.counter import TO_UNIT, TO_UNIT_32, edge, key_for, mix, popular, unit
from wolfspider.web.worlds.synthetic.sites import BRANCHING, COMMUNITIES, Kind, Sites

INTERNAL = 0.5
# Cumulative shares of where an external link goes: same topic, sibling topic, a popular host, else any host.
SAME, SIBLING, POPULAR = 0.78, 0.90, 0.98
SAME_COMMUNITY = 0.97
COPIED = 0.20
SLOTS = 2 + BRANCHING  # parent, home, children
SLOT_BITS = 10
SLOTS_PER_HASH = 6
# Out of 1024: parent 0.6, home 0.25, each child 0.6.
SLOT_SHARES = (614, 256, *([614] * BRANCHING))
_MOST_CONTENT, _SHORTEST_LIST = 400, 30
# A page has more than m content links where u >= COUNT_STEPS[m - 1]: P(k) ~ k^-1.9.
COUNT_STEPS = [(1 - m**-0.9) / (1 - (_MOST_CONTENT + 1) ** -0.9) for m in range(2, _MOST_CONTENT + 1)]


class LinkPlace(IntEnum):
    """Where on the page a link stands."""

    NAV = 0
    OWN = 1  # content, same host
    TOPIC = 2  # content, by topic
    WIDE = 3  # to anywhere
    COPY = 4  # what the target links to


class Links:
    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        seed = sites.params.seed
        self.nav_key, self.count_key, self.link_key = (key_for(seed, name) for name in ("nav", "count", "link"))
        self.times = sites.params.links
        self.own_community = round((1.0 if sites.params.hard else SAME_COMMUNITY) * 2**32)
        self.depth_edge, self.hosts_edge = edge(sites.depth), edge(sites.hosts)

    def of(self, page: int) -> list[tuple[int, int]]:
        """(target, place) of every link, in the order of the page, each target once."""
        host = self.sites.host(page)
        kind = self.sites.page_kind(page, host)
        drawn = self._mirrored(page, host) if kind == Kind.MIRROR else self._drawn(page, host, kind)
        places: dict[int, int] = {}
        for target, place in drawn:
            places.setdefault(target, place)
        places.pop(page, None)
        return list(places.items())

    def _drawn(self, page: int, host: int, kind: Kind) -> Iterator[tuple[int, int]]:
        for target in self.nav(page, host):
            yield target, LinkPlace.NAV
        if kind == Kind.DIRECTORY:
            yield from ((target, LinkPlace.TOPIC) for target in self._listed(page, host))
        elif kind == Kind.PORTAL:
            yield from ((target, LinkPlace.WIDE) for target in self._gathered(page))
        else:
            yield from self._content_links(page, host)

    def _content_links(self, page: int, host: int) -> Iterator[tuple[int, int]]:
        topic = self.sites.topic(page, host)
        root = mix(self.link_key + page)
        for number in range(self.count(page)):
            target, place = self.content(root, number, host, topic)
            yield target, place
            bits = mix(root + 4 * number + 3)
            if (bits >> 32) * TO_UNIT_32 < COPIED:
                copied = self._copy(target, bits & 0xFFFFFFFF)
                if copied is not None:
                    yield copied, LinkPlace.COPY

    def count(self, page: int) -> int:
        """How many content links an ordinary page draws."""
        return self.times * (1 + bisect_right(COUNT_STEPS, unit(mix(self.count_key + page))))

    def nav(self, page: int, host: int) -> Iterator[int]:
        """Parent, home and children, each with its chance."""
        start = self.sites.starts[host]
        place, size = page - start, self.sites.size(host)
        first = mix(self.nav_key + page)
        if place:
            if first & 1023 < SLOT_SHARES[0]:
                yield start + (place - 1) // BRANCHING
            if first >> SLOT_BITS & 1023 < SLOT_SHARES[1]:
                yield start
        child = place * BRANCHING + 1
        if child >= size:
            return
        second = mix(first)
        for slot in range(2, SLOTS):
            bits = first >> SLOT_BITS * slot if slot < SLOTS_PER_HASH else second >> SLOT_BITS * (slot - SLOTS_PER_HASH)
            if bits & 1023 < SLOT_SHARES[slot] and child < size:
                yield start + child
            child += 1

    def content(self, root: int, number: int, host: int, topic: int) -> tuple[int, int]:
        """The content link of this number on a page whose links hang on `root`."""
        u = (mix(root + 4 * number) >> 11) * TO_UNIT
        ranks = mix(root + 4 * number + 1)
        if u < INTERNAL:
            return self.popular_page(host, ranks), LinkPlace.OWN
        u = (u - INTERNAL) * 2.0
        choice = mix(root + 4 * number + 2)
        if u < SIBLING:
            if u >= SAME:  # another topic of the family, or the topic itself where a family has but one
                per = self.sites.per_family
                topic += (topic % per + 1 + ((choice >> 16 & 0xFFFF) * (per - 1) >> 16)) % per - topic % per
            own = choice >> 32 < self.own_community
            community = self.sites.community(host) if own else (choice & 0xFFFF) * COMMUNITIES >> 16
            rank = min(int(popular((ranks >> 32) * TO_UNIT_32, self.depth_edge)), self.sites.depth) - 1
            return self.popular_page(self.sites.host_in(topic, community, rank), ranks), LinkPlace.TOPIC
        if u < POPULAR:
            other = min(int(popular((ranks >> 32) * TO_UNIT_32, self.hosts_edge)), self.sites.hosts) - 1
        else:
            other = choice % self.sites.hosts
        return self.popular_page(other, ranks), LinkPlace.WIDE

    def popular_page(self, host: int, ranks: int) -> int:
        size = self.sites.size(host)
        return self.sites.starts[host] + min(int(popular((ranks & 0xFFFFFFFF) * TO_UNIT_32, edge(size))), size) - 1

    def _copy(self, target: int, bits: int) -> int | None:
        """One of the target's own links, copies excepted; none where the target is no ordinary page."""
        host = self.sites.host(target)
        if self.sites.page_kind(target, host) != Kind.ORDINARY:
            return None
        nav = list(self.nav(target, host))
        number = bits * (len(nav) + self.count(target)) >> 32
        if number < len(nav):
            return nav[number]
        root = mix(self.link_key + target)
        return self.content(root, number - len(nav), host, self.sites.topic(target, host))[0]

    def _listed(self, page: int, host: int) -> Iterator[int]:
        root = mix(self.link_key + page)
        topic = self.sites.topic(page, host)
        most, least = (_MOST_CONTENT + 1) ** -0.9, _SHORTEST_LIST**-0.9  # the law of content links, begun at 30
        for number in range(int((least + unit(mix(self.count_key + page)) * (most - least)) ** (-1 / 0.9))):
            bits = mix(root + number)
            chosen = (bits >> 40) % (self.sites.depth * COMMUNITIES)
            listed = self.sites.host_in(topic, chosen % COMMUNITIES, chosen // COMMUNITIES)
            yield self.sites.starts[listed] + (bits & 0xFFFFFF) % min(1 + BRANCHING, self.sites.size(listed))

    def _gathered(self, page: int) -> Iterator[int]:
        sites = self.sites
        root = mix(self.link_key + page)
        for number in range(int(30 + 90 * unit(mix(self.count_key + page)))):
            bits = mix(root + number)
            if bits & 0xFF < 102:  # two in five
                host = sites.directories[(bits >> 8 & 0xFFFFFF) % len(sites.directories)]
                yield sites.starts[host] + (bits >> 32) % min(sites.topics, sites.size(host))
            else:
                rank = min(int(popular((bits >> 32) * TO_UNIT_32, self.depth_edge)), sites.depth) - 1
                yield sites.starts[
                    sites.host_in((bits >> 8 & 0xFFF) % sites.topics, (bits >> 20 & 0xFFF) % COMMUNITIES, rank)
                ]

    def _mirrored(self, page: int, host: int) -> Iterator[tuple[int, int]]:
        other_page, other = self.sites.original(page, host)
        start, size = self.sites.starts[other], self.sites.size(host)
        shift = self.sites.starts[host] - start
        for target, place in self.of(other_page):
            yield target + shift if start <= target < start + size else target, place
