"""The lean parts of a frontier: a table of known addresses, the queue of one host, and the best links of all hosts."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

NOWHERE = (math.inf, 0)
_PART = 16  # one link in so many of a host is in its heap, where it takes 120 bytes; elsewhere it takes 4
_AT_ONCE = 1 << 20  # rows or slots that are worked on at once, so that what that needs for a moment stays small
_ENTERED = 1 << 16  # addresses that are entered in a table at once: each needs a hundred bytes for a moment


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
        keys = self.keys  # `slot` written out, because this is where a crawl spends its time
        mask = len(keys) - 1
        at = key & mask
        while kept := keys[at]:
            if kept == key:
                return self.values[at]
            at = (at + 1) & mask
        return None

    def put(self, key: int, value: int) -> None:
        at = self.slot(key)
        if not self.keys[at]:
            if 3 * self.used >= 2 * len(self.keys):
                self.fill(*self.entries())
                at = self.slot(key)
            self.used += 1
            self.keys[at] = key
        self.values[at] = value

    def entries(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        keys = np.frombuffer(self.keys, np.uint64)
        there = keys != 0
        return keys[there], np.frombuffer(self.values, np.uint32)[there]

    def pieces(self) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """All entries, some at a time."""
        for span in spans(len(self.keys)):
            keys = np.frombuffer(self.keys, np.uint64)[span]
            there = keys != 0
            yield keys[there], np.frombuffer(self.values, np.uint32)[span][there]

    def fill(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
        """Start anew with these."""
        self.clear(len(keys))
        self.enter(keys, values)

    def clear(self, room: int) -> None:
        """Start anew, with room for so many."""
        size = 1024
        while 3 * room >= 2 * size:
            size *= 2
        self.keys = self.values = array("I")  # let go of the old ones first
        self.keys, self.values, self.used = array("Q", [0]) * size, array("I", [0]) * size, 0

    def enter(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
        """New ones that there is room for. Many at once, because a million single insertions take a second."""
        table, held = np.frombuffer(self.keys, np.uint64), np.frombuffer(self.values, np.uint32)
        for span in spans(len(keys), _ENTERED):
            _enter(table, held, keys[span], values[span])
        self.used += len(keys)


def _enter(
    table: np.ndarray[Any, Any], held: np.ndarray[Any, Any], keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]
) -> None:
    at = (keys & np.uint64(len(table) - 1)).astype(np.int64)
    left = np.arange(len(keys))
    while len(left):
        free = left[table[at[left]] == 0]
        _, first = np.unique(at[free], return_index=True)  # of those that want one slot, the first gets it
        placed = free[first]
        table[at[placed]], held[at[placed]] = keys[placed], values[placed]
        left = np.setdiff1d(left, placed, assume_unique=True)
        at[left] = (at[left] + 1) & (len(table) - 1)


Head = tuple[float, int, int]  # minus score, number, host


class Queue:
    """One host's links: a small heap of the best (`hot`), the rest in no order (`cold`), none of it better than
    `limit`.
    """

    __slots__ = ("best", "cold", "hot", "limit")

    def __init__(self) -> None:
        self.cold = array("I")
        self.hot: list[tuple[float, int]] = []
        self.limit: tuple[float, int] = NOWHERE
        self.best: tuple[float, int] | None = None

    def begin(self, cold: np.ndarray[Any, Any]) -> None:
        """With these, and more of them in later calls; then `find`."""
        self.cold = self.cold + column(cold)  # `+=` would take more room than they need
        self.limit = (-math.inf, -1)

    def add(self, key: tuple[float, int]) -> None:
        if key >= self.limit:
            self.cold.append(key[1])
            return
        heapq.heappush(self.hot, key)
        if len(self.hot) > 8 + len(self.cold) // _PART:
            self.hot.sort()
            half = len(self.hot) // 2
            self.cold.extend(number for _, number in self.hot[half:])
            del self.hot[half:]
            self.limit = self.hot[-1]

    def find(self, scores: array[float]) -> tuple[float, int] | None:
        """The best link still waiting. A number whose score has changed since, or is nan (gone), is skipped."""
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
        """Move the best of the cold into the heap."""
        if len(self.cold) < 64:
            keys = sorted({(-scores[number], number) for number in self.cold if not math.isnan(scores[number])})
            count = max(4, len(keys) // _PART)
            self.hot, self.cold = keys[:count], array("I", [number for _, number in keys[count:]])
        else:
            self.hot, cold = _best_of(np.unique(np.array(self.cold)), scores)
            self.cold = column(cold)
        self.limit = self.hot[-1] if self.hot else NOWHERE


class Heads(list[Head]):
    """A heap of the best links of hosts. An entry may be stale, or there twice; the owner knows which are valid."""

    def __init__(self, heads: Iterable[Head] = ()) -> None:
        super().__init__(heads)
        heapq.heapify(self)

    def first(self, most: int, before: tuple[float, int], valid: Callable[[Head], bool]) -> list[Head]:
        """The best valid ones, each once, that are better than `before`. Those that are not valid are dropped."""
        found: list[Head] = []
        while self and len(found) < most and self[0][:2] < before:
            head = heapq.heappop(self)
            if head not in found[-1:] and valid(head):
                found.append(head)
        for head in found:
            heapq.heappush(self, head)
        return found


def spans(length: int, most: int | None = None) -> Iterator[slice]:
    """The pieces of something long, one after another, for work that needs room of its own."""
    step = most or _AT_ONCE
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))


def close_up(numbers: np.ndarray[Any, Any], stays: np.ndarray[Any, Any]) -> int:
    """Move those that stay to the front, in their order; how many they are."""
    end = 0
    for span in spans(len(numbers)):
        kept = numbers[span][stays[span]]
        numbers[end : end + len(kept)] = kept
        end += len(kept)
    return end


def column(numbers: np.ndarray[Any, Any]) -> array[int]:
    return array("I", numbers.astype(np.uint32, copy=False).tobytes())


def _best_of(
    numbers: np.ndarray[Any, Any], scores: array[float]
) -> tuple[list[tuple[float, int]], np.ndarray[Any, Any]]:
    keys = -np.frombuffer(scores)[numbers]
    numbers, keys = numbers[~np.isnan(keys)], keys[~np.isnan(keys)]
    order = np.lexsort((numbers, keys)) if len(keys) < 1024 else _partly_sorted(numbers, keys, len(keys) // _PART)
    count = max(4, len(keys) // _PART)
    hot = list(zip(keys[order[:count]].tolist(), numbers[order[:count]].tolist(), strict=True))
    return hot, numbers[order[count:]]


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


def highest(scores: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    """True for so many of the highest scores, the earliest of equal ones; nan counts as no score."""
    waiting = scores[~np.isnan(scores)]
    if len(waiting) <= count:
        return np.asarray(~np.isnan(scores))
    if not count:
        return np.zeros(len(scores), bool)
    waiting.partition(len(waiting) - count)  # in place: it is a copy already
    border = waiting[len(waiting) - count]
    found = np.asarray(scores > border)
    found[np.flatnonzero(scores == border)[: count - np.count_nonzero(found)]] = True
    return found
