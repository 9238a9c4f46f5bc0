"""The queue of links not yet followed: scored, aware of hosts, and lean.

A link in the frontier is a row of three numbers (score, host, place on the Shelf) and a slot in a table of 64-bit
address hashes; its text and evidence lie on the Shelf, which is a list in simulation and a file of the run on the live
web. Every host has a queue of its own, and a heap of the hosts' best links finds the best one among the hosts that may
be visited now: a refusal costs one step however many links that host has. A host's queue keeps only its best links in
a real heap; the others lie unordered in an array until the heap runs empty, so that most links cost four bytes there
and are never sorted.

Order is total: higher score first, then earlier discovery. An address found again keeps the better of its scores (or
their sum). A strategy that learns gives links new scores, up or down: one by `set`, all at once by `rescore`, or many
by their numbers in a column (`assign`). The number of a link stays the same until it is handed out or thrown away.

A link that is out of scope when its turn comes is set aside with its score; `bring_back` puts all of them back in their
places. The cap counts them too, and they are the first to be thrown away when it is reached.
"""

from __future__ import annotations

import heapq
import math
import random
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wolfspider.core.codec import helper
from wolfspider.core.keys import keys_of
from wolfspider.core.model import Link
from wolfspider.core.text import key_of
from wolfspider.policy.host_queues import Head, Heads, Known, Queue, close_up, column, highest, spans
from wolfspider.policy.link_shelf import Item as Item
from wolfspider.policy.link_shelf import Record, Shelf
from wolfspider.policy.room import RoomToTake
from wolfspider.policy.set_aside import SetAside

MOVED = 1_024  # links that may be moved one by one, beyond as many as wait, before the queues are made anew
LOOKED_AT = 256  # hosts with a better link that a link may give way to
GUESSES = 32  # rows that are tried for a link that waits, before all are looked at
SIFTED = 2_000  # links that one `pop` sets aside, at most: each costs a look at the shelf, and others wait meanwhile
TAKEN = 0xFFFFFFFF  # in the table: handed out, never to come back
DROPPED = 0xFFFFFFFE  # in tables of earlier versions: thrown away, and as good as unknown

Numbers = NDArray[np.int64]
Keys = NDArray[np.uint64]


@helper
class Frontier:
    """`push` links, `pop` the best one that the room lets through."""

    def __init__(self, shelf: Shelf, cap: int = 1_000_000, merge: str = "max") -> None:
        self.shelf, self.cap, self.merge = shelf, cap, merge
        self.scores, self.hosts, self.places = array("d"), array("I"), array("Q")
        self.numbers = array("I")  # what each row is called outside, in rising order
        self.entered = 0  # links so far: the number of the next one
        self.known = Known()  # address -> row
        self.names: dict[str, int] = {}  # host -> number
        self._named: list[str] = []  # number -> host
        self.queues: list[Queue] = []
        self.heads = Heads()  # the best of each host; stale entries are skipped
        self.closed: set[int] = set()  # hosts that refused
        self._shut = Heads()  # of those
        self.waiting = 0
        self._moved = 0  # links that were given another score since the queues were made
        self._set_aside = SetAside()  # links out of scope; their score above is nan
        self.sifting = False  # did the last `pop` end before it met a link in scope?
        self._reopened: Sequence[str] = ()

    def __len__(self) -> int:
        return self.waiting

    @property
    def aside(self) -> int:
        """How many links are set aside because they are out of scope."""
        return len(self._set_aside)

    def push(self, link: Link, score: float, source: str = "", extra: Any = None) -> int:
        return self.extend((link,), (score,), source, extra)[0]

    def extend(self, links: Iterable[Link], scores: Iterable[float], source: str = "", extra: Any = None) -> list[int]:
        """The links of one page, each with its score. Returns their numbers; -1 for one that was handed out before."""
        links = tuple(links)
        known, adds = self.known, self.merge == "sum"
        found: list[int] = []
        for link, key, score in zip(links, keys_of(link.url for link in links), scores, strict=True):
            number = known.get(key)
            if number == TAKEN:
                found.append(-1)
                continue
            if number is None:
                number = self._enter(key, link, score, self.shelf.put(Record(link, source, extra)))
                found.append(self.numbers[number])
                self._enqueue(number, score)
                continue
            found.append(self.numbers[number])
            if self.scores[number] != self.scores[number]:  # the scores are merged when it comes back
                self._set_aside.add(number, score)
                continue
            if adds:
                score += self.scores[number]
                self.scores[number] = score
            elif score > self.scores[number]:
                self.scores[number] = score
                self.places[number] = self.shelf.put(Record(link, source, extra))
            else:
                continue
            self._enqueue(number, score)
        return found

    def _enter(self, key: int, link: Link, score: float, place: int) -> int:
        if self.waiting + self.aside >= self.cap:
            self._evict()
        number = len(self.scores)
        self.known.put(key, number)
        self.scores.append(score)
        self.hosts.append(self._host(link.host))
        self.places.append(place)
        self.numbers.append(self.entered)
        self.entered += 1
        self.waiting += 1
        return number

    def pop(self, room: RoomToTake) -> Item | None:
        """The best link among the hosts that may be visited now; None when there is none, or no room, or so many links
        were out of scope that the rest must wait for the next turn (`sifting`)."""
        self.hear(room)
        most = self.aside + SIFTED
        self.sifting = False
        while self.heads and room.free > 0:
            if self.aside >= most:
                self.sifting = True
                return None
            minus, number, host = self.heads[0]
            if host in self.closed or not self._is_best(self.heads[0]):
                heapq.heappop(self.heads)
                continue
            record = self.shelf.get(self.places[number])
            if not room.allows(record.link.url):
                heapq.heappop(self.heads)
                self._set_aside.add(number, -minus)
                self._remove(number)
                continue
            better = self._better(minus, number) if room.thrifty and self.closed else ()
            if better and room.gives_way(record.link, better):
                return None
            heapq.heappop(self.heads)
            if room.take(record.link):
                item = Item(*record, self.scores[number], self.numbers[number])
                self.known.put(key_of(record.link.url), TAKEN)
                self._remove(number)
                return item
            self.closed.add(host)
            self._offer(host, (minus, number))
        return None

    def hear(self, room: RoomToTake) -> None:
        """Hosts that are ready again may be visited. A turn says it once: a strategy that takes nothing now must hear
        it all the same."""
        if room.newly_ready is not self._reopened:
            self._reopened = room.newly_ready
            for host in self.closed.intersection(map(self.names.get, room.newly_ready)):
                self.closed.discard(host)
                self._advance(host)

    def _better(self, minus: float, number: int) -> list[str]:
        """Hosts that refused, and have a better link than this one, the best first, as many as are looked at."""
        found = self._shut.first(LOOKED_AT, (minus, number), self._is_shut)
        return [self._named[host] for *_, host in found]

    def _is_shut(self, head: Head) -> bool:
        return head[2] in self.closed and self._is_best(head)

    def _is_best(self, head: Head) -> bool:
        return self.queues[head[2]].best == head[:2]

    def take(self, url: str) -> bool:
        """Hand out one address whatever its rank; False if it is not waiting. The caller takes the room."""
        number = self.known.get(key_of(url))
        if number is None or self.score(url) is None:
            return False
        self.known.put(key_of(url), TAKEN)
        self._remove(number)
        return True

    def wake(self) -> float | None:
        if self.sifting:
            return -math.inf  # at once
        return math.inf if self.waiting else None

    def score(self, url: str) -> float | None:
        """What a waiting link is worth; None if it is not waiting."""
        number = self.known.get(key_of(url))
        if number is None or number == TAKEN or self.scores[number] != self.scores[number]:
            return None
        return self.scores[number]

    def best_of(self, host: str) -> float | None:
        """What the best waiting link of a host is worth; None if none waits."""
        number = self.names.get(host)
        best = self.queues[number].best if number is not None else None
        return None if best is None else -best[0]

    def find(self, url: str) -> Item | None:
        """The link with this address that waits or is set aside, left where it is."""
        number = self.known.get(key_of(url))
        if number is None or number == TAKEN:
            return None
        score = self.scores[number]
        if score != score:
            score = self._set_aside.score(number)
        return self._item(number, score)

    def _item(self, number: int, score: float) -> Item:
        return Item(*self.shelf.get(self.places[number]), score, self.numbers[number])

    def seen(self, url: str) -> bool:
        return self.known.get(key_of(url)) is not None

    def drawn(self, rng: random.Random) -> Item | None:
        """One of all that wait, each as likely as the others, left where it is; None if none waits."""
        if not self.waiting:
            return None
        for _ in range(GUESSES):
            row = rng.randrange(len(self.scores))
            if self.scores[row] == self.scores[row]:
                return self._item(row, self.scores[row])
        live = self._live()  # few rows wait
        row = int(live[rng.randrange(len(live))])
        return self._item(row, self.scores[row])

    def items(self) -> Iterator[Item]:
        """All that wait, in order of discovery."""
        for number, score in enumerate(self.scores):
            if score == score:
                yield self._item(number, score)

    def kept(self) -> Numbers:
        """The numbers of all links that wait or are set aside, in order of discovery."""
        rows = np.concatenate((self._live(), np.unique(np.array(self._set_aside.rows, np.uint32))))
        return np.sort(np.frombuffer(self.numbers, np.uint32)[rows]).astype(np.int64)

    def _live(self) -> np.ndarray[Any, Any]:
        return np.flatnonzero(~np.isnan(np.frombuffer(self.scores))).astype(np.uint32)

    def set(self, url: str, score: float) -> bool:
        """Give one link a new score, which may be lower; False if it neither waits nor is set aside."""
        row = self.known.get(key_of(url))
        if row is None or row == TAKEN:
            return False
        self.assign((self.numbers[row],), (score,))
        return True

    def assign(self, numbers: ArrayLike, scores: ArrayLike) -> None:
        """Give links new scores by their numbers, each named once; numbers of links that are gone are passed over."""
        names, new = np.asarray(numbers, np.int64), np.asarray(scores, np.float64)
        known, old = np.frombuffer(self.numbers, np.uint32), np.frombuffer(self.scores)
        rows = np.searchsorted(known, names.astype(np.uint32))  # of one type, or numpy turns all that are known
        there = np.flatnonzero(rows < len(known))
        there = there[known[rows[there]] == names[there]]
        rows, new = rows[there], new[there]
        if self.aside:
            self._set_aside.assign(rows, new)
        moved = (old[rows] != new) & ~np.isnan(old[rows])
        rows, new = rows[moved], new[moved]
        old[rows] = new
        self._moved += len(rows)
        if 8 * len(rows) > self.waiting or self._moved > self.waiting + MOVED:
            self._rebuild()
            return
        for row, score in zip(rows.tolist(), new.tolist(), strict=True):
            self._enqueue(row, score)

    def rescore(self, score_of: Callable[[Item], float]) -> None:
        """Give every link that waits or is set aside a new score."""
        for number, score in enumerate(self.scores):
            if score == score:
                self.scores[number] = score_of(self._item(number, score))
        self._set_aside.rescore(lambda number, score: score_of(self._item(number, score)))
        self._rebuild()

    def bring_back(self) -> None:
        """What was set aside waits again, with its score and in its place."""
        if not self.aside:
            return
        for number, score in self._set_aside:
            old = self.scores[number]
            if old != old:
                self.waiting += 1
                self.scores[number] = score
            else:  # found again meanwhile
                self.scores[number] = old + score if self.merge == "sum" else max(old, score)
        self._set_aside = SetAside()
        self._rebuild()

    def _host(self, name: str) -> int:
        host = self.names.get(name)
        if host is None:
            host = self.names[name] = len(self.queues)
            self.queues.append(Queue())
            self._named.append(name)
        return host

    def _enqueue(self, number: int, score: float) -> None:
        host = self.hosts[number]
        queue, key = self.queues[host], (-score, number)
        queue.add(key)
        if queue.best is None or key < queue.best:
            queue.best = key
            self._offer(host, key)
        elif queue.best[1] == number:  # its score fell
            self._advance(host)

    def _remove(self, number: int) -> None:
        self.scores[number] = math.nan
        self.waiting -= 1
        self._advance(self.hosts[number])

    def _advance(self, host: int) -> None:
        key = self.queues[host].find(self.scores)
        if key is not None:
            self._offer(host, key)

    def _offer(self, host: int, key: tuple[float, int]) -> None:
        """The best link of this host."""
        heads = self._shut if host in self.closed else self.heads
        heapq.heappush(heads, (*key, host))
        if len(heads) > 1024 + 2 * len(self.queues):
            self._gather_heads()

    def _gather_heads(self) -> None:
        heads = [(*queue.best, host) for host, queue in enumerate(self.queues) if queue.best]
        self._shut = Heads(head for head in heads if head[2] in self.closed)
        self.heads = Heads(head for head in heads if head[2] not in self.closed)

    def _rebuild(self) -> None:
        self.queues = [Queue() for _ in self.names]  # the old ones go before the new ones grow
        hosts, scores = np.frombuffer(self.hosts, np.uint32), np.frombuffer(self.scores)
        for span in spans(len(scores)):
            live = (span.start + np.flatnonzero(~np.isnan(scores[span]))).astype(np.uint32)
            live = live[np.argsort(hosts[live], kind="stable")]  # those of a host together
            for part in np.split(live, np.flatnonzero(np.diff(hosts[live])) + 1) if len(live) else ():
                self.queues[self.hosts[part[0]]].begin(part)
        for queue in self.queues:
            queue.find(self.scores)
        self._gather_heads()
        self._moved = 0

    def _evict(self) -> None:
        """Throw a tenth away, and number what is left anew."""
        stays = self._staying()
        keys, taken = _by_row(self.known.pieces(), len(stays))
        self._know(keys[: close_up(keys, stays)], taken)
        for rows in (self.scores, self.hosts, self.places, self.numbers):
            del rows[close_up(np.frombuffer(rows, rows.typecode), stays) :]
        aside = np.frombuffer(self._set_aside.rows, np.uint32)
        self._set_aside.rows = column(np.cumsum(stays, dtype=np.uint32)[aside] - 1)
        self.waiting = int(np.count_nonzero(~np.isnan(np.frombuffer(self.scores))))
        self._rebuild()

    def _staying(self) -> NDArray[np.bool_]:
        """Which rows a cut leaves: what is set aside goes first, then what waits, of either the lowest scores, but
        never the best waiting link of a host."""
        scores, most = np.frombuffer(self.scores), max(1, self.cap * 9 // 10)
        keeps = highest(scores, most)
        keeps[[queue.best[1] for queue in self.queues if queue.best]] = True
        self._set_aside.cut(max(0, most - self.waiting))
        keeps[np.frombuffer(self._set_aside.rows, np.uint32)] = True
        if np.count_nonzero(keeps) >= self.cap:  # more hosts than places
            kept = np.flatnonzero(keeps)
            keeps[:] = False
            keeps[kept[np.lexsort((kept, -scores[kept]))[: max(1, self.cap - 1)]]] = True
        return keeps

    def _know(self, keys: Keys, taken: Keys) -> None:
        """Fill the table anew, with what `_by_row` says of one."""
        self.known.clear(int(np.count_nonzero(keys)) + len(taken))
        for span in spans(len(keys)):
            there = span.start + np.flatnonzero(keys[span])
            self.known.enter(keys[there], there)
        self.known.enter(taken, np.full(len(taken), TAKEN, np.uint32))

    def state(self) -> dict[str, Any]:
        """For `codec`, which copies each part and lets it go: first what is made for it, then the frontier's own."""
        keys, taken = _by_row(self.known.pieces(), len(self.scores))
        return {
            "addresses": keys,
            "taken": taken,
            "cap": self.cap,
            "merge": self.merge,
            "scores": self.scores,
            "hosts": self.hosts,
            "places": self.places,
            "numbers": self.numbers,
            "entered": self.entered,
            "names": list(self.names),
            "closed": sorted(self.closed),
            "excluded": self._set_aside.rows,
            "excluded_scores": self._set_aside.scores,
            "sifting": self.sifting,
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Frontier:
        """As it was, with the columns of the state as its own; the strategy that restores it hands in the shelf."""
        made = cls(Shelf(), state["cap"], state["merge"])
        made.scores, made.hosts, made.places = state["scores"], state["hosts"], state["places"]
        made.numbers = state["numbers"] if "numbers" in state else array("I", range(len(made.scores)))
        made.entered = state.get("entered", len(made.scores))  # earlier versions knew neither
        if "addresses" in state:  # large, and then of no more use
            made._know(state.pop("addresses"), state.pop("taken"))
        else:  # earlier versions
            made._know(*_by_row([(state.pop("keys"), state.pop("values"))], len(made.scores)))
        made.names = {name: number for number, name in enumerate(state["names"])}
        made._named = list(made.names)
        made.closed = set(state["closed"])
        if "excluded" in state:  # earlier versions threw away links that were out of scope
            made._set_aside = SetAside(state["excluded"], state["excluded_scores"])
            made.sifting = state["sifting"]
        made.waiting = int(np.count_nonzero(~np.isnan(np.frombuffer(made.scores))))
        made._rebuild()
        return made


def _by_row(known: Iterable[tuple[Keys, NDArray[np.uint32]]], rows: int) -> tuple[Keys, Keys]:
    """The entries of a table, however it grew: the key of the address of each row, 0 for one that was handed out, and
    the keys of all that were handed out."""
    keys, taken = np.zeros(rows, np.uint64), [np.empty(0, np.uint64)]
    for some, values in known:
        there = values < DROPPED
        keys[values[there]] = some[there]
        taken.append(some[values == TAKEN])
    return keys, np.sort(np.concatenate(taken))
