"""The queue of links not yet followed: scored, aware of hosts, and lean.

A link in the frontier is a row of three numbers (score, host, place on the Shelf) and a slot in a table of 64-bit
address hashes; its text and evidence lie on the Shelf, which is a list in simulation and a file of the run on the live
web. Every host has a queue of its own, and a heap of the hosts' best links finds the best one among the hosts that may
be visited now: a refusal costs one step however many links that host has. A host's queue keeps only its best links in
a real heap; the others lie unordered in an array until the heap runs empty, so that most links cost four bytes there
and are never sorted.

Order is total: higher score first, then earlier discovery. An address found again keeps the better of its scores (or
their sum).
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from wolfspider.codec import helper
from wolfspider.model import Link
from wolfspider.scope import Rule
from wolfspider.text import key_of

TAKEN = 0xFFFFFFFF  # in the table: handed out, never to come back
DROPPED = 0xFFFFFFFE  # in the table: thrown away, welcome again
NOWHERE = (math.inf, 0)


class Record(NamedTuple):
    link: Link
    source: str  # the page that showed it
    extra: Any  # what the strategy wants to remember with it; plain data


class Item(NamedTuple):
    """A link handed out by the frontier."""

    link: Link
    source: str
    extra: Any
    score: float


class Room(Protocol):
    """What the frontier needs to know of strategy.Room."""

    free: int
    newly_ready: Sequence[str]

    def take(self, link: Link, fresh: bool = False) -> bool: ...


class Shelf:
    """Where links lie with their texts. It only grows; going back to a snapshot cuts it to the length noted there."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def put(self, record: Record) -> int:
        self._records.append(record)
        return len(self._records) - 1

    def get(self, place: int) -> Record:
        return self._records[place]

    def cut(self, length: int) -> None:
        del self._records[length:]

    def __len__(self) -> int:
        return len(self._records)


class Known:
    """From 64-bit hash to number, in two arrays with open addressing: 18 to 36 bytes an address, where a dict takes
    100.
    """

    def __init__(self) -> None:
        self.keys = array("Q", bytes(8 * 1024))
        self.values = array("I", bytes(4 * 1024))
        self.used = 0

    def slot(self, key: int) -> int:
        """Where the key is, or would be; an empty slot has key 0."""
        keys = self.keys
        mask = len(keys) - 1
        at = key & mask
        while (kept := keys[at]) and kept != key:
            at = (at + 1) & mask
        return at

    def get(self, key: int) -> int | None:
        at = self.slot(key)
        return self.values[at] if self.keys[at] else None

    def put(self, key: int, value: int) -> None:
        at = self.slot(key)
        if not self.keys[at]:
            if 3 * self.used >= 2 * len(self.keys):
                keys, values = self.entries()
                self.fill(keys, values, 2 * len(self.keys))
                at = self.slot(key)
            self.used += 1
            self.keys[at] = key
        self.values[at] = value

    def entries(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        keys = np.array(self.keys, dtype=np.uint64)
        there = keys != 0
        return keys[there], np.array(self.values, dtype=np.uint32)[there]

    def fill(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any], size: int = 1024) -> None:
        """Start anew with these. All at once, because a million single insertions take a second."""
        while 3 * len(keys) >= 2 * size:
            size *= 2
        table, held = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
        at = (keys & np.uint64(size - 1)).astype(np.int64)
        left = np.arange(len(keys))
        while len(left):
            free = left[table[at[left]] == 0]
            _, first = np.unique(at[free], return_index=True)  # of those that want one slot, the first gets it
            placed = free[first]
            table[at[placed]], held[at[placed]] = keys[placed], values[placed]
            left = np.setdiff1d(left, placed, assume_unique=True)
            at[left] = (at[left] + 1) & (size - 1)
        self.keys, self.values, self.used = array("Q", table.tobytes()), array("I", held.tobytes()), len(keys)


class Queue:
    """One host's links: a small heap of the best (`hot`), the rest in no order (`cold`), none of it better than
    `limit`.
    """

    __slots__ = ("best", "cold", "hot", "limit")

    def __init__(self, cold: Iterable[int] = ()) -> None:
        self.cold = array("I", cold)
        self.hot: list[tuple[float, int]] = []
        self.limit: tuple[float, int] = (-math.inf, -1) if self.cold else NOWHERE
        self.best: tuple[float, int] | None = None

    def add(self, key: tuple[float, int]) -> None:
        if key >= self.limit:
            self.cold.append(key[1])
            return
        heapq.heappush(self.hot, key)
        if len(self.hot) > 8 + len(self.cold) // 4:
            self.hot.sort()
            half = len(self.hot) // 2
            self.cold.extend(number for _, number in self.hot[half:])
            del self.hot[half:]
            self.limit = self.hot[-1]

    def find(self, scores: array[float]) -> tuple[float, int] | None:
        """The best link still waiting. A number whose score has changed since, or is nan (gone), is passed over."""
        while True:
            hot = self.hot
            while hot:
                key = hot[0]
                if scores[key[1]] == -key[0]:
                    self.best = key
                    return key
                heapq.heappop(hot)
            if not self.cold:
                self.limit, self.best = NOWHERE, None
                return None
            self._warm(scores)

    def _warm(self, scores: array[float]) -> None:
        """Move the best eighth of the cold into the heap."""
        if len(self.cold) < 64:
            keys = sorted({(-scores[number], number) for number in self.cold if not math.isnan(scores[number])})
            count = max(4, len(keys) // 8)
            self.hot, cold = keys[:count], [number for _, number in keys[count:]]
        else:
            self.hot, cold = _best_of(np.unique(np.array(self.cold)), scores)
        self.cold = array("I", cold)
        self.limit = self.hot[-1] if self.hot else NOWHERE


def _best_of(numbers: np.ndarray[Any, Any], scores: array[float]) -> tuple[list[tuple[float, int]], Any]:
    keys = -np.frombuffer(scores)[numbers]
    numbers, keys = numbers[~np.isnan(keys)], keys[~np.isnan(keys)]
    order = np.lexsort((numbers, keys)) if len(keys) < 1024 else _partly_sorted(numbers, keys, len(keys) // 8)
    count = max(4, len(keys) // 8)
    hot = list(zip(keys[order[:count]].tolist(), numbers[order[:count]].tolist(), strict=True))
    return hot, numbers[order[count:]].tolist() if len(keys) < 1024 else numbers[order[count:]]


def _partly_sorted(numbers: np.ndarray[Any, Any], keys: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    """An order whose first `count` are the best, ties by number: partition by key, then settle the ties at the
    border.
    """
    border = np.partition(keys, count - 1)[count - 1]
    better = np.flatnonzero(keys < border)
    tied = np.flatnonzero(keys == border)
    tied = tied[np.argsort(numbers[tied], kind="stable")]
    head = np.concatenate((better, tied[: count - len(better)]))
    head = head[np.lexsort((numbers[head], keys[head]))]
    return np.concatenate((head, tied[count - len(better) :], np.flatnonzero(keys > border)))


@helper
class Frontier:
    """`push` links, `pop` the best one that the room lets through."""

    def __init__(self, shelf: Shelf, cap: int = 1_000_000, merge: str = "max") -> None:
        self.shelf, self.cap, self.merge = shelf, cap, merge
        self.scores, self.hosts, self.places = array("d"), array("I"), array("Q")
        self.known = Known()
        self.names: dict[str, int] = {}  # host -> number
        self.queues: list[Queue] = []
        self.heads: list[tuple[float, int, int]] = []  # best of each host, and stale ones passed over when met
        self.closed: set[int] = set()  # hosts that refused
        self.waiting = 0
        self._reopened: Sequence[str] = ()

    def __len__(self) -> int:
        return self.waiting

    def push(self, link: Link, score: float, source: str = "", extra: Any = None) -> None:
        self.extend((Record(link, source, extra),), (score,))

    def extend(self, records: Iterable[Record], scores: Iterable[float]) -> None:
        known, put, adds = self.known, self.shelf.put, self.merge == "sum"
        for record, score in zip(records, scores, strict=True):
            url = record.link.url
            key = key_of(url)
            number = known.get(key)
            if number == TAKEN:
                continue
            if number is None or number == DROPPED:
                if self.waiting >= self.cap:
                    self._evict()
                number = len(self.scores)
                known.put(key, number)
                self.scores.append(score)
                self.hosts.append(self._host(record.link.host))
                self.places.append(put(record))
                self.waiting += 1
            elif adds:
                score += self.scores[number]
                self.scores[number] = score
            elif score > self.scores[number]:
                self.scores[number] = score
                self.places[number] = put(record)
            else:
                continue
            self._enqueue(number, score)

    def pop(self, room: Room) -> Item | None:
        """The best link among the hosts that may be visited now; None when there is none, or no room."""
        if room.newly_ready is not self._reopened:
            self._reopen(room.newly_ready)
        while self.heads and room.free > 0:
            minus, number, host = self.heads[0]
            if host in self.closed or self.queues[host].best != (minus, number):
                heapq.heappop(self.heads)
                continue
            record = self.shelf.get(self.places[number])
            heapq.heappop(self.heads)
            if room.take(record.link):
                self._remove(number, record.link.url, TAKEN)
                return Item(*record, -minus)
            self.closed.add(host)
        return None

    def take(self, url: str) -> bool:
        """Hand out one address whatever its rank; False if it is not waiting. The room is the caller's business."""
        number = self.known.get(key_of(url))
        if number is None or number >= DROPPED:
            return False
        self._remove(number, url, TAKEN)
        return True

    def wake(self) -> float | None:
        return math.inf if self.waiting else None

    def score(self, url: str) -> float | None:
        number = self.known.get(key_of(url))
        return None if number is None or number >= DROPPED else self.scores[number]

    def find(self, url: str) -> Item | None:
        """The waiting link with this address, left where it is."""
        number = self.known.get(key_of(url))
        if number is None or number >= DROPPED:
            return None
        return Item(*self.shelf.get(self.places[number]), self.scores[number])

    def seen(self, url: str) -> bool:
        return self.known.get(key_of(url)) not in (None, DROPPED)

    def items(self) -> Iterator[Item]:
        """All that wait, in order of discovery."""
        for number, score in enumerate(self.scores):
            if score == score:
                yield Item(*self.shelf.get(self.places[number]), score)

    def rescore(self, score_of: Callable[[Item], float]) -> None:
        """Give every waiting link a new score."""
        for number, score in enumerate(self.scores):
            if score == score:
                self.scores[number] = score_of(Item(*self.shelf.get(self.places[number]), score))
        self._rebuild()

    def forget(self, rule: Rule) -> int:
        """Drop what a rule matches; returns how many."""
        gone = [item.link.url for item in self.items() if rule.matches(item.link.url)]
        for url in gone:
            number = self.known.get(key_of(url))
            assert number is not None
            self._remove(number, url, DROPPED)
        return len(gone)

    def _host(self, name: str) -> int:
        host = self.names.get(name)
        if host is None:
            host = self.names[name] = len(self.queues)
            self.queues.append(Queue())
        return host

    def _enqueue(self, number: int, score: float) -> None:
        host = self.hosts[number]
        queue, key = self.queues[host], (-score, number)
        queue.add(key)
        if queue.best is None or key < queue.best:
            queue.best = key
            if host not in self.closed:
                heapq.heappush(self.heads, (*key, host))
                if len(self.heads) > 1024 + 2 * len(self.queues):
                    self._gather_heads()

    def _remove(self, number: int, url: str, why: int) -> None:
        self.scores[number] = math.nan
        self.known.put(key_of(url), why)
        self.waiting -= 1
        self._advance(self.hosts[number])

    def _advance(self, host: int) -> None:
        key = self.queues[host].find(self.scores)
        if key is not None and host not in self.closed:
            heapq.heappush(self.heads, (*key, host))

    def _reopen(self, hosts: Sequence[str]) -> None:
        self._reopened = hosts
        for name in hosts:
            host = self.names.get(name)
            if host in self.closed:
                self.closed.discard(host)
                self._advance(host)

    def _gather_heads(self) -> None:
        self.heads = [
            (*queue.best, host) for host, queue in enumerate(self.queues) if queue.best and host not in self.closed
        ]
        heapq.heapify(self.heads)

    def _rebuild(self) -> None:
        scores, hosts = np.array(self.scores), np.array(self.hosts)
        live = np.flatnonzero(~np.isnan(scores))
        live = live[np.argsort(hosts[live], kind="stable")]
        self.queues = [Queue() for _ in self.names]
        for part in np.split(live, np.flatnonzero(np.diff(hosts[live])) + 1) if len(live) else ():
            self.queues[int(hosts[part[0]])] = Queue(part.tolist())
        for queue in self.queues:
            queue.find(self.scores)
        self._gather_heads()

    def _evict(self) -> None:
        """Throw the lowest tenth away, but keep the best link of each host; then number what is left anew."""
        scores, hosts = np.array(self.scores), np.array(self.hosts)
        live = np.flatnonzero(~np.isnan(scores))
        order = live[np.lexsort((live, -scores[live]))]
        _, firsts = np.unique(hosts[order], return_index=True)
        lead = np.zeros(len(order), bool)
        lead[firsts] = True
        lead[: max(1, self.cap * 9 // 10)] = True
        kept = np.sort(order[lead][: max(1, self.cap - 1)])
        self._renumber(kept)

    def _renumber(self, kept: np.ndarray[Any, Any]) -> None:
        new = np.full(len(self.scores), DROPPED, np.uint32)
        new[kept] = np.arange(len(kept), dtype=np.uint32)
        keys, values = self.known.entries()
        there = values < DROPPED
        values[there] = new[values[there]]
        stays = values != DROPPED
        self.known.fill(keys[stays], values[stays])
        for name in ("scores", "hosts", "places"):
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, np.array(column)[kept].tobytes()))
        self.waiting = len(kept)
        self._rebuild()

    def state(self) -> dict[str, Any]:
        keys, values = self.known.entries()
        order = np.argsort(keys)  # where a key lies in the table depends on how it grew
        return {
            "cap": self.cap,
            "merge": self.merge,
            "scores": array("d", self.scores),
            "hosts": array("I", self.hosts),
            "places": array("Q", self.places),
            "keys": keys[order],
            "values": values[order],
            "names": list(self.names),
            "closed": sorted(self.closed),
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Frontier:
        """As it was; whoever restores it hands in the shelf."""
        made = cls(Shelf(), state["cap"], state["merge"])
        made.scores, made.hosts, made.places = state["scores"], state["hosts"], state["places"]
        made.known.fill(state["keys"], state["values"])
        made.names = {name: number for number, name in enumerate(state["names"])}
        made.closed = set(state["closed"])
        made.waiting = sum(1 for score in made.scores if score == score)
        made._rebuild()
        return made
