"""How many at a time: gates by name, lanes for all requests, and a cap on the hosts of one domain."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


class Gates:
    """At most so many requests at a time for each name, in the order they came. An idle name takes no memory."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._gates: dict[str, Lanes] = {}
        self._users: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        """Is a request inside or waiting?"""
        return name in self._gates

    def free(self, name: str) -> bool:
        """Could a request enter at once?"""
        gate = self._gates.get(name)
        return gate is None or gate.free_now

    def limit(self, most: int) -> None:
        """So many from now on. Where more are inside, none enters until they have left."""
        if bool(most) != bool(self._most):
            raise ValueError("gates are open to any number from the beginning, or never")
        self._most = most
        for gate in self._gates.values():
            gate.limit(most)

    @asynccontextmanager
    async def place(self, name: str) -> AsyncIterator[None]:
        await self.enter(name)
        try:
            yield
        finally:
            self.leave(name)

    async def enter(self, name: str) -> None:
        if not self._most or not name:
            return
        try:
            await self._gate(name).__aenter__()
        except BaseException:
            self._forget(name)
            raise

    def take(self, name: str) -> None:
        """Enter at once: `free` said that a request could."""
        if self._most and name:
            taken = self._gate(name).take()
            assert taken, name

    def _gate(self, name: str) -> Lanes:
        """For one more who wants to enter."""
        if (gate := self._gates.get(name)) is None:
            gate = self._gates[name] = Lanes(self._most)
        self._users[name] = self._users.get(name, 0) + 1
        return gate

    def leave(self, name: str) -> None:
        if self._most and name:
            self._gates[name].free()
            self._forget(name)

    def _forget(self, name: str) -> None:
        self._users[name] -= 1
        if not self._users[name]:
            del self._users[name], self._gates[name]


class Lanes:
    """At most `count` requests at a time, to all hosts together; `count` may change."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._used = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def lane(self, url: str, trip: object = None) -> AbstractAsyncContextManager[None]:
        """One of them, for a request to this address."""
        return self

    @property
    def free_now(self) -> bool:
        return self._used < self.count

    def limit(self, count: int) -> None:
        self.count = count
        self._wake()

    def take(self) -> bool:
        """Take a lane if one is free."""
        free = self.free_now
        self._used += free
        return free

    async def __aenter__(self) -> None:
        if not self.take():
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.free()  # it was ours for a moment
                raise

    async def __aexit__(self, *_: object) -> None:
        self.free()

    def free(self) -> None:
        self._used -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._used < self.count:
            turn = self._waiting.popleft()
            if not turn.done():
                self._used += 1
                turn.set_result(None)


class HostCap:
    """How many hosts of one registered domain are asked. A wildcard in a domain's names makes hosts without end, each
    with its own turn, and politeness would not hold a crawl back from any of them."""

    def __init__(self, most: int = 1000) -> None:
        self.most = most
        self._known: set[int] = set()
        self._early: list[str] = []  # hosts met while there are so few that no domain can have too many
        self._hosts: Counter[str] = Counter()  # how many of a domain

    def knows(self, host: str) -> bool:
        """Has this host been allowed before?"""
        return xxhash.xxh3_64_intdigest(host.encode()) in self._known

    def allows(self, host: str) -> bool:
        """May this host be asked? If so it counts from now on."""
        key = xxhash.xxh3_64_intdigest(host.encode())
        if key in self._known:
            return True
        if len(self._known) < self.most:
            self._early.append(host)
        else:
            self._hosts.update(map(self.domain, self._early))
            self._early.clear()
            domain = self.domain(host)
            if self._hosts[domain] >= self.most:
                return False
            self._hosts[domain] += 1
        self._known.add(key)
        return True

    def domain(self, host: str) -> str:
        """The registered domain of a host; of an address, itself."""
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name.endswith("]") or name[-1:].isdigit():  # an address: no top-level domain ends in a digit
            return name
        return self._suffixes.privatesuffix(name.removesuffix(".")) or name

    @cached_property
    def _suffixes(self) -> PublicSuffixList:
        """Read when the first host is asked: it takes a tenth of a second, which no start of a program should."""
        from publicsuffixlist import PublicSuffixList

        return PublicSuffixList()
