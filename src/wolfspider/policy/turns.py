"""Helpers for strategies of several agents: Turns for walkers with one visit each, Group for links that belong
together."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link, Visit
from wolfspider.policy.room import Room


@helper
class Turns(StoredFields):
    """Fair turns for walkers: each has at most one visit in flight; one that is refused waits for its host and keeps
    its pick.

    for name, pick in turns.ready(room):     # pick is None at first
        link = pick or choose(name)
        while not room.allows(link.url): ... # a person excluded it: set it aside, and choose again
        if room.take(link): visits.append(self.visit(link, agent=name))
        else: turns.park(name, link)
    """

    def __init__(self) -> None:
        self.queue: deque[str] = deque()
        self.parked: dict[str, deque[tuple[str, Link]]] = {}
        self.gone: set[str] = set()
        self.unheard: list[str] = []  # hosts that were ready when the slots ran out before all had tried

    def __len__(self) -> int:
        return len(self.queue) + sum(len(waiting) for waiting in self.parked.values())

    def add(self, name: str) -> None:
        self.queue.append(name)

    def park(self, name: str, pick: Link) -> None:
        self.parked.setdefault(pick.host, deque()).append((name, pick))

    def remove(self, name: str) -> None:
        """This walker is gone; it is skipped when its turn comes."""
        self.gone.add(name)

    def ready(self, room: Room) -> Iterator[tuple[str, Link | None]]:
        """The walkers that may try now: those whose host is ready again, with their picks, then all in the queue."""
        self.unheard += room.newly_ready
        for host in tuple(self.unheard):
            self.unheard.remove(host)
            waiting = self.parked.pop(host, deque())
            try:
                while waiting and room.free > 0 and host not in self.parked:
                    name, pick = waiting.popleft()
                    if not self._is_gone(name):
                        yield name, pick
            finally:  # also when the caller stops early
                self._keep(host, waiting)
        for _ in range(len(self.queue)):
            if room.free <= 0:
                return
            name = self.queue.popleft()
            if not self._is_gone(name):
                yield name, None

    def _keep(self, host: str, waiting: deque[tuple[str, Link]]) -> None:
        if host in self.parked:  # refused again: it keeps its place at the head
            waiting.extendleft(reversed(self.parked[host]))
        elif waiting:
            self.unheard.append(host)
        if waiting:
            self.parked[host] = waiting

    def _is_gone(self, name: str) -> bool:
        if name not in self.gone:
            return False
        self.gone.discard(name)
        return True

    def wake(self) -> float | None:
        return math.inf if len(self) else None


@helper
class Group(StoredFields):
    """Links that belong together: what is left to start, what is in flight, and when the last one has landed. Links
    that are out of scope keep their places and are not waited for."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self.left: deque[Link] = deque(links)
        self.out: set[int] = set()
        self.aside = 0  # links of `left` that were out of scope when `give` last met them

    def __len__(self) -> int:
        return len(self.left) - self.aside + len(self.out)

    def give(self, room: Room, visit: Callable[[Link], Visit], fresh: bool = False) -> list[Visit]:
        """Start all that may start now, in order. A host that refuses one link is not asked for the next."""
        visits: list[Visit] = []
        kept: list[Link] = []
        refused: set[str] = set()
        self.aside = 0
        while self.left and room.free > 0:
            link = self.left.popleft()
            allowed = room.allows(link.url)
            if allowed and link.host not in refused and room.take(link, fresh):
                visits.append(visit(link))
                self.out.add(visits[-1].id)
                continue
            kept.append(link)
            if allowed:
                refused.add(link.host)
            else:
                self.aside += 1
        self.left.extendleft(reversed(kept))
        return visits

    def clear(self) -> None:
        """Start nothing more; only visits in flight are still waited for."""
        self.left.clear()
        self.aside = 0

    def landed(self, visit: int) -> bool:
        """Note a landing; True when it was the last of the group."""
        self.out.discard(visit)
        return not len(self)

    def wake(self) -> float | None:
        return math.inf if len(self.left) > self.aside else None
