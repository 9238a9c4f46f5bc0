"""A fair sample of all addresses that a crawl has met: who links to them, and what became of those that were visited.

An address is in the sample if the last bits of its hash are 0: by nothing that has to do with what is there. The hash
has a salt, so that nobody can make addresses that are all in the sample. When the sample is full one more bit is looked
at, and half of it goes. So it stays small however many links a crawl meets, and
what is counted in it, times `scale`, is what would be counted among all addresses.

Of each address it knows how many pages link to it, how many of these were relevant, and how the pages of its host went.
By these, links are of a few kinds; of each kind it counts how many of those that were visited lately were relevant. So
it can say how many relevant pages the links that wait may hide. That is too much if the crawler chooses well within a
kind, as the best ones have been visited then.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

MOST = 1 << 14  # addresses in the sample
HOSTS = 1 << 14  # places for hosts; two may share one
FADES = 0.993  # of what is known of a kind stays with each visit
HEAVIEST = 1e100  # of a visit: later ones weigh more, instead of fading all that is known each time
KINDS = 4 * 4
TRUST = 1.0  # visits that a kind is thought to have had before, as good as any
_FACTOR, _ALL = 0x9E3779B97F4A7C15, (1 << 64) - 1
WAITS, MET, GOOD = range(3)  # what an address is: waiting, visited, visited and relevant

T = TypeVar("T")


class InLinkCounts(NamedTuple):
    """Relevant pages by how many pages link to them."""

    by_one: float
    by_two: float


class LinkSample:
    """`salt`: 0 for none, as in runs of earlier versions."""

    def __init__(self, most: int = MOST, salt: int = 0) -> None:
        self.most, self.salt = most, salt
        self.bits = 0  # that must be 0
        self._mask = 0
        self._rows: dict[int, int] = {}
        self._parents, self._good_parents = array("i"), array("i")
        self._hosts, self._is = array("i"), array("B")
        self._host_visits, self._host_good = array("i", bytes(4 * HOSTS)), array("i", bytes(4 * HOSTS))
        self._weight = 1.0  # of the next visit
        self._kind_visits, self._kind_good = [0.0] * KINDS, [0.0] * KINDS
        self._visits = self._good = 0.0  # of all kinds

    @property
    def scale(self) -> int:
        """How many addresses one of the sample stands for."""
        return 1 << self.bits

    def landed(self, addresses: Iterable[int], host: int, relevant: bool) -> None:
        """One visit is back. `addresses`: what was asked for, and where it was found."""
        self._weigh(relevant)
        rows = [self._row(key, host) for key in self._salted(dict.fromkeys(addresses)) if not key & self._mask]
        if rows:
            kind = self._kind(rows[0])
            self._kind_visits[kind] += self._weight
            self._kind_good[kind] += self._weight * relevant
            for row in rows:
                self._is[row] = MET
            self._is[rows[-1]] = GOOD if relevant else MET
        self._host_visits[host % HOSTS] += 1
        self._host_good[host % HOSTS] += relevant

    def _salted(self, keys: Iterable[int]) -> list[int]:
        """The last bits of each depend on all bits of the address."""
        salt = self.salt
        if not salt:
            return list(keys)
        return [(mixed := (key ^ salt) * _FACTOR & _ALL) ^ mixed >> 32 for key in keys]

    def _weigh(self, relevant: bool) -> None:
        self._weight /= FADES
        self._visits += self._weight
        self._good += self._weight * relevant
        if self._weight > HEAVIEST:
            self._kind_visits = [visits / self._weight for visits in self._kind_visits]
            self._kind_good = [good / self._weight for good in self._kind_good]
            self._visits, self._good, self._weight = self._visits / self._weight, self._good / self._weight, 1.0

    def shown(self, links: Iterable[tuple[int, T]], host_of: Callable[[T], int], relevant: bool) -> None:
        """A page, which is relevant or not, shows links, each address once, with what `host_of` tells its host by."""
        mask, known, parents, good = self._mask, self._rows, self._parents, self._good_parents
        links = list(links)
        hosts = []  # of addresses that were not met before
        for key, (_, what) in zip(self._salted([address for address, _ in links]), links, strict=True):
            if key & mask:
                continue
            row = known.get(key)
            if row is None:
                known[key] = len(known)
                hosts.append(host_of(what) % HOSTS)
                continue
            parents[row] += 1
            if relevant:
                good[row] += 1
        if hosts:
            parents.extend([1] * len(hosts))
            good.extend([int(relevant)] * len(hosts))
            self._hosts.extend(hosts)
            self._is.extend([WAITS] * len(hosts))
        if len(known) > self.most:
            self._halve()

    def _row(self, key: int, host: int) -> int:
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = len(self._rows)
            self._parents.append(0)
            self._good_parents.append(0)
            self._hosts.append(host % HOSTS)
            self._is.append(WAITS)
        return row

    def _halve(self) -> None:
        while len(self._rows) > self.most:
            self.bits += 1
            self._mask = (1 << self.bits) - 1
            kept = {key: row for key, row in self._rows.items() if not key & self._mask}
            for column in (self._parents, self._good_parents, self._hosts, self._is):
                column[:] = array(column.typecode, [column[row] for row in kept.values()])
            self._rows = {key: row for row, key in enumerate(kept)}

    def _kind(self, row: int) -> int:
        """By its parents, and by its host."""
        host = self._hosts[row]
        return 4 * _by_parents(self._parents[row], self._good_parents[row]) + _by_host(
            self._host_visits[host], self._host_good[host]
        )

    def _kinds(self) -> NDArray[np.int64]:
        """The kinds of all that wait."""
        rows = np.flatnonzero(np.frombuffer(self._is, np.uint8) == WAITS)
        parents, good = (np.frombuffer(column, np.int32)[rows] for column in (self._parents, self._good_parents))
        by_parents = np.where(good > 0, np.where(2 * good >= parents, np.where(good > 1, 3, 2), 1), 0)
        hosts = np.frombuffer(self._hosts, np.int32)[rows]
        visits, hits = (np.frombuffer(column, np.int32)[hosts] for column in (self._host_visits, self._host_good))
        by_host = np.where(visits < 3, 0, np.where(10 * hits < visits, 1, np.where(2 * hits < visits, 2, 3)))
        kinds: NDArray[np.int64] = 4 * by_parents + by_host
        return kinds

    def waiting(self) -> int:
        """How many addresses wait."""
        return self.scale * self._is.count(WAITS)

    def promise(self) -> float:
        """How many relevant pages the links that wait may hide."""
        usual = self._good / max(self._weight, self._visits)
        trust = TRUST * self._weight
        likely = [
            (good + trust * usual) / (visits + trust)
            for visits, good in zip(self._kind_visits, self._kind_good, strict=True)
        ]
        return self.scale * float(np.bincount(self._kinds(), minlength=KINDS) @ np.array(likely))

    def in_links(self) -> InLinkCounts:
        counts = np.frombuffer(self._parents, np.int32)[np.frombuffer(self._is, np.uint8) == GOOD]
        return InLinkCounts(*(self.scale * float(np.count_nonzero(counts == number)) for number in (1, 2)))

    def state(self) -> dict[str, Any]:
        return {
            "bits": self.bits,
            "salt": str(self.salt),
            "keys": array("Q", self._rows),
            "columns": [self._parents, self._good_parents, self._hosts, self._is],
            "hosts": self._host_state(),
            "kinds": [self._kind_visits, self._kind_good],
            "seen": [self._weight, self._visits, self._good],
        }

    def _host_state(self) -> list[array[int]]:
        visited = array("i", (place for place, visits in enumerate(self._host_visits) if visits))
        return [visited, *(array("i", map(kept.__getitem__, visited)) for kept in (self._host_visits, self._host_good))]

    def restore(self, state: Mapping[str, Any]) -> None:
        self.bits, self.salt = int(state["bits"]), int(state.get("salt", 0))
        self._mask = (1 << self.bits) - 1
        self._rows = {key: row for row, key in enumerate(state["keys"])}
        self._parents, self._good_parents, self._hosts, self._is = (part[:] for part in state["columns"])
        self._host_visits, self._host_good = array("i", bytes(4 * HOSTS)), array("i", bytes(4 * HOSTS))
        for place, visits, good in zip(*state["hosts"], strict=True):
            self._host_visits[place], self._host_good[place] = visits, good
        self._kind_visits, self._kind_good = (list(part) for part in state["kinds"])
        self._weight, self._visits, self._good = state["seen"]


def _by_parents(parents: int, good: int) -> int:
    """None of the pages that link there is relevant, less than half of them, one that is at least half, several."""
    if not good:
        return 0
    return 1 if 2 * good < parents else 2 if good == 1 else 3


def _by_host(visits: int, good: int) -> int:
    """The host is new, its pages are hardly ever relevant, less than half of them, at least half."""
    if visits < 3:
        return 0
    return 1 if 10 * good < visits else 2 if 2 * good < visits else 3
