"""What links to a page: how many of the pages read so far, and how good they were.

Each address that a page links to has a slot in a table of fixed size, found by its hash; an address that comes later
takes the slot of an earlier one. So memory is bounded, and the addresses linked to last are known best, which are those
that a crawl visits next. Of each host there is the number of pages read and the sum of their values; when there are too
many hosts, those met first are forgotten.

A page that is read again does not count twice: what it was worth the first time does not speak for it, and only
addresses that were unknown are added to those that it links to. A second table, like the first, says which pages were
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.keys import keys_of

SLOTS = 1 << 18  # addresses: 5 MB in memory, and 20 bytes for each that is known in a snapshot
READ = 1 << 16  # pages: 1 MB in memory, and 16 bytes for each in a snapshot
MOST_HOSTS = 50_000
HOST_TRUST = 5.0  # pages that a host is thought to have had before, each as good as any page

Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def address_keys(urls: Iterable[str]) -> Keys:
    """Numbers for addresses; http and https are one."""
    return np.array(keys_of(url.partition("://")[2] for url in urls), np.uint64)


class InLinks:
    def __init__(self, slots: int = SLOTS, most_hosts: int = MOST_HOSTS, read: int = READ) -> None:
        """`slots` and `read`: powers of two."""
        self._mask, self._read_mask = np.uint64(slots - 1), read - 1
        self._most_hosts = most_hosts
        self._keys: Keys = np.zeros(slots, np.uint64)
        self._counts: Ints = np.zeros(slots, np.int32)
        self._sums: Floats = np.zeros(slots)
        self._hosts: dict[str, tuple[int, float]] = {}
        self.pages, self.sum = 0, 0.0
        self._read: Keys = np.zeros(read, np.uint64)
        self._values: Floats = np.zeros(read)  # of the pages that were read

    def worth(self, page: np.uint64) -> float | None:
        """What this page was worth when it was read; None if it was not, or long ago."""
        slot = self._read_slot(page)
        return self._values.item(slot) if self._read.item(slot) == int(page) else None

    def _read_slot(self, page: np.uint64) -> int:
        return int(page) & self._read_mask

    def pages_of(self, host: str) -> int:
        return self._hosts.get(host, (0, 0.0))[0]

    def counts(self, keys: Keys) -> Ints:
        """How many pages link to each of these addresses."""
        slots = self._slots(keys)
        found: Ints = self._counts.take(slots) * (self._keys.take(slots) == keys)
        return found

    def _slots(self, keys: Keys) -> NDArray[np.int64]:
        """As the numbers that NumPy takes for places; others it turns into these each time."""
        return (keys & self._mask).view(np.int64)

    def value(self, keys: Keys, host: str, before: float | None = None) -> float:
        """The mean value of the pages that link to one of these addresses, all of the same page, as if one more page
        did that is like the others of its host. `before`: what the page itself was worth, if it was read before."""
        slots = zip(self._slots(keys).tolist(), keys.tolist(), strict=True)  # few: of an address and where it led to
        known = [slot for slot, key in slots if self._keys.item(slot) == key]
        pages, total = self._hosts.get(host, (0, 0.0))
        all_pages, sum_of_all = self.pages, self.sum
        if before is not None and pages:
            pages, total, all_pages, sum_of_all = pages - 1, total - before, all_pages - 1, sum_of_all - before
        usual = sum_of_all / all_pages if all_pages else 0.0
        neighbour = (total + HOST_TRUST * usual) / (pages + HOST_TRUST)
        return (sum(map(self._sums.item, known)) + neighbour) / (sum(map(self._counts.item, known)) + 1)

    def add(self, keys: Keys, host: str, value: float) -> None:
        """One more page of this host and value, which links to these addresses, each named once."""
        self._link(keys, value)
        self._count(host, 1, value)

    def read(self, page: np.uint64, keys: Keys, host: str, value: float) -> None:
        """The same for a page that may have been read before."""
        before = self.worth(page)
        if before is None:
            self.add(keys, host, value)
        else:
            self._link(keys[self.counts(keys) == 0], value)
            self._count(host, 0, value - before)
        slot = self._read_slot(page)
        self._read[slot], self._values[slot] = page, value

    def _link(self, keys: Keys, value: float) -> None:
        slots = self._slots(keys)
        new = slots[self._keys.take(slots) != keys]
        self._counts[new], self._sums[new] = 0, 0.0
        self._keys[slots] = keys
        self._counts[slots] += 1
        self._sums[slots] += value

    def _count(self, host: str, more: int, value: float) -> None:
        pages, total = self._hosts.pop(host, (0, 0.0))
        if len(self._hosts) >= self._most_hosts:
            for forgotten in list(islice(self._hosts, self._most_hosts // 4)):
                del self._hosts[forgotten]
        self._hosts[host] = (pages + more, total + value)  # those met last come last
        self.pages += more
        self.sum += value

    def state(self) -> dict[str, Any]:
        known, read = np.flatnonzero(self._counts), np.flatnonzero(self._read)
        return {
            "keys": self._keys[known],
            "counts": self._counts[known],
            "sums": self._sums[known],
            "hosts": list(self._hosts),
            "host_pages": np.array([pages for pages, _ in self._hosts.values()], np.int64),
            "host_sums": np.array([total for _, total in self._hosts.values()], np.float64),
            "pages": self.pages,
            "sum": self.sum,
            "read": self._read[read],
            "values": self._values[read],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        keys = np.asarray(state["keys"], np.uint64)
        slots = self._slots(keys)
        for table in (self._keys, self._counts, self._sums):
            table[:] = 0
        self._keys[slots], self._counts[slots], self._sums[slots] = keys, state["counts"], state["sums"]
        figures = zip(map(int, state["host_pages"]), map(float, state["host_sums"]), strict=True)
        self._hosts = dict(zip(state["hosts"], figures, strict=True))
        self.pages, self.sum = int(state["pages"]), float(state["sum"])
        read = np.asarray(state.get("read", ()), np.uint64)  # earlier versions did not know which pages were read
        places = read & np.uint64(len(self._read) - 1)
        self._read[:] = 0
        self._read[places], self._values[places] = read, state.get("values", ())
