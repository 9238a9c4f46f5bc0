"""Who may be asked when: politeness to hosts and addresses.

A host has one request at a time. When its answer has ended it is left alone for a while: at least the delay a person
chose, at least what its robots.txt asks for, at least FLOOR seconds if it is at a public address, and longer if it was
slow to answer. A host in trouble (429, 503, no connection, no answer) is left alone for a minute, then two, then four,
up to a day; if it said how long, for that long. It starts from one minute again when it has answered well after half an
hour without trouble. Many hosts may live at one address, so an address has its limit too.

Every request is a turn:

    async with polite.turn(host, address, waits) as refused:
        if refused is None:
            ...  # ask, then tell polite.answered or polite.failed

Times are those of the clock that was handed in: seconds since 1970 that never jump. What is said of a host counts for
its name and port, under http and https alike.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from wolfspider.core.model import Failure
from wolfspider.web.http.gates import Gates
from wolfspider.web.page import dates

DAY = 86_400.0
FLOOR = 0.25  # seconds between two requests to a host at a public address, however short the delay
TROUBLED_STATUSES = frozenset([429, 503])
TROUBLED_KINDS = frozenset(["dns", "connect", "tls", "timeout", "slow"])
_JITTER = 1.5  # a back-off is up to this many times longer, so that hosts do not come back all at once
_FEW = 1000  # hosts that are kept without looking which may be dropped

HostRow = tuple[float, int, float]  # ready at, troubles in a row, time of the last one


@dataclass(frozen=True, slots=True)
class Manners:
    delay: float = 1.0  # seconds from the end of an answer to the next request to its host, at least
    factor: float = 2.0  # and at least so many times as long as the last answer took; 0 = however long it took
    longest: float = 60.0  # seconds; neither slow answers nor a Crawl-delay make the gap longer than this
    per_address: int = 8  # requests at a time to one IP address; 0 = any number, as where one server stands for all
    backoff: float = 60.0  # seconds that a host in trouble is left alone, doubled for each further trouble, up to a day
    longest_backoff: float = DAY  # seconds; unless the host itself asks for more
    forgiven: float = 1800.0  # seconds without trouble after which a good answer makes up for all of it
    patience: float = 120.0  # seconds that a visit which has started may wait for a turn
    speed: float = 1.0  # seconds of the clock, in which all of these are, that pass in one of ours


@dataclass(slots=True)
class _Host:
    """What is remembered of a host."""

    ended: float = -math.inf  # when its last answer had ended
    until: float = -math.inf  # it is left alone until then, whatever else
    asks: float = 0.0  # seconds that its robots.txt wants between two requests
    floor: float = 0.0  # seconds between two requests, whatever anybody wants
    seconds: float = 0.0  # what its last answer took
    troubles: int = 0
    troubled: float = -math.inf  # when trouble was last met


_fields = attrgetter(*(field.name for field in fields(_Host)))  # as they are: `astuple` copies each, and takes long


class Polite:
    def __init__(self, manners: Manners, clock: Callable[[], float], rng: random.Random) -> None:
        self.manners, self.clock, self._rng = manners, clock, rng
        self._hosts: dict[str, _Host] = {}
        self._changed: set[str] = set()
        self._crowd = _FEW  # so many hosts are a reason to look for some to drop
        self._at_host = Gates(1)
        self._at_address = Gates(manners.per_address)

    def turn(
        self,
        host: str,
        address: str = "",
        waits: Callable[[bool], None] = lambda waiting: None,
        public: bool = False,
    ) -> _HostTurn:
        """Wait for a turn, and have it for as long as the block lasts. What the block gets is None, or the Failure that
        says why it must not ask. `waits` is told True if there is waiting, and False when it is over. `public`: is the
        address one that anybody may reach?"""
        if public:
            self._of(host).floor = FLOOR
        return _HostTurn(self, host, address, waits)

    def _at_once(self, host: str, address: str) -> bool:
        return self.ready_at(host) <= self.clock() and self._at_host.free(host) and self._at_address.free(address)

    def _too_long(self, host: str, last: float) -> Failure | None:
        if (ready := self.ready_at(host)) <= last:
            return None
        return Failure("waiting", f"{host} is left alone for {ready - self.clock():.0f} s more")

    def answered(self, host: str, status: int, headers: Mapping[str, str], seconds: float) -> None:
        """An answer has ended, good or bad. Names of headers are in lower case."""
        now, known = self._ended(host, seconds)
        if status in TROUBLED_STATUSES:
            self.trouble(host, retry_after(headers, now))
        elif now - known.troubled >= self.manners.forgiven:
            known.troubles = 0

    def failed(self, host: str, failure: Failure, seconds: float) -> None:
        """A request has ended without an answer that could be used."""
        self._ended(host, seconds)
        if failure.kind in TROUBLED_KINDS:
            self.trouble(host)

    def _ended(self, host: str, seconds: float) -> tuple[float, _Host]:
        known = self._of(host)
        known.ended, known.seconds = self.clock(), seconds
        self._changed.add(host)
        return known.ended, known

    def trouble(self, host: str, wanted: float | None = None) -> None:
        """Leave a host alone, for as long as it wants if it said so; from the second trouble on for our own back-off at
        least. While a host is left alone, more trouble is the same trouble."""
        now, known = self.clock(), self._of(host)
        if now < known.until:
            return
        own = self.manners.backoff * 2 ** min(known.troubles, 30) * self._rng.uniform(1, _JITTER)
        own = min(own, self.manners.longest_backoff)
        rest = own if wanted is None else wanted if not known.troubles else max(wanted, own)
        known.troubles, known.troubled, known.ended = known.troubles + 1, now, now
        known.until = now + min(max(rest, self.manners.delay), DAY)
        self._changed.add(host)

    def asked(self, host: str, later: float = 0.0) -> None:
        """A request may be out that nobody here knows the end of, as after a crash: its host rests from now on, or from
        a moment `later` (seconds of ours), until which it may be out."""
        known = self._of(host)
        known.ended = max(known.ended, self.clock() + later * self.manners.speed)
        self._changed.add(host)

    def asks(self, host: str, crawl_delay: float) -> None:
        """What the robots.txt of a host wants between two requests."""
        if host in self._hosts or crawl_delay > 0:
            self._of(host).asks = min(crawl_delay, self.manners.longest) if crawl_delay > 0 else 0.0

    def set_delay(self, delay: float) -> None:
        """A person moved the delay. What a host asks for, and back-offs, stand as they are."""
        self.manners = replace(self.manners, delay=delay)

    def set_per_address(self, most: int) -> None:
        """The requests at a time to one address are shared with others, and these became more or less."""
        self._at_address.limit(most)

    def pause(self, host: str) -> float:
        """Seconds that a host is left alone from the end of its last answer."""
        known = self._hosts.get(host)
        if known is None or known.ended == -math.inf:
            return self.manners.delay
        return max(known.until - known.ended, self._gap(known))

    def ready_at(self, host: str) -> float:
        """When a host may be asked, as far as its own rest goes; -inf if it never was."""
        known = self._hosts.get(host)
        return -math.inf if known is None else self._ready(known)

    def _ready(self, known: _Host) -> float:
        return max(known.until, known.ended + self._gap(known))

    def _gap(self, known: _Host) -> float:
        slow = min(self.manners.factor * known.seconds, self.manners.longest)
        return max(self.manners.delay, known.floor, known.asks, slow)

    def in_trouble(self, host: str) -> bool:
        """Is a host left alone beyond the usual rest between two requests?"""
        known = self._hosts.get(host)
        return known is not None and known.until > self.clock()

    def resting(self) -> list[str]:
        """Hosts that may not be asked at this moment."""
        now = self.clock()
        return [host for host, known in self._hosts.items() if self._ready(known) > now]

    def state(self) -> dict[str, HostRow]:
        """A row for each host that something changed of since the last call: what must outlive a crash."""
        rows = {
            host: (self._ready(known), known.troubles, max(known.troubled, 0.0))
            for host in self._changed
            if (known := self._hosts.get(host))
        }
        self._changed.clear()
        return rows

    def restore(self, rows: Mapping[str, HostRow], now: float) -> None:
        """Times of a clock that was ahead of ours keep nobody from a host for longer than a day."""
        for host, (ready, troubles, troubled) in rows.items():
            if ready > now or troubles:
                known = self._of(host)
                known.until, known.troubles, known.troubled = min(ready, now + DAY), troubles, min(troubled, now)

    # Politeness in several processes: each host is asked by one, and another remembers what that one learned.

    def rows(self, of: Callable[[str], bool]) -> list[tuple[Any, ...]]:
        """All that is remembered of some hosts."""
        return [(host, *_fields(known)) for host, known in self._hosts.items() if of(host)]

    def news(self) -> list[tuple[Any, ...]]:
        """The same of hosts that something changed of since the last call."""
        changed, self._changed = self._changed, set()
        return [(host, *_fields(known)) for host in changed if (known := self._hosts.get(host))]

    def learn(self, rows: Iterable[Sequence[Any]]) -> None:
        """What `rows` or `news` gave elsewhere. The end of an answer is never put back."""
        for host, ended, *others in rows:
            before = self._of(host).ended
            self._hosts[host] = _Host(max(before, ended), *others)
            self._changed.add(host)

    def _of(self, host: str) -> _Host:
        if (known := self._hosts.get(host)) is None:
            if len(self._hosts) >= self._crowd:
                now = self.clock()
                self._hosts = {name: told for name, told in self._hosts.items() if not self._quiet(name, told, now)}
                self._changed &= self._hosts.keys()
                self._crowd = max(_FEW, 2 * len(self._hosts))
            known = self._hosts[host] = _Host()
        return known

    def _quiet(self, host: str, known: _Host, now: float) -> bool:
        """Is a host as good as one that was never asked?"""
        grudge = known.troubles and now - known.troubled < DAY
        return not grudge and self._ready(known) <= now and self._at_host.free(host)


class _HostTurn:
    """One turn at a host and its address. Every request takes one, and mostly there is nothing to wait for."""

    __slots__ = ("_address", "_began", "_held", "_host", "_polite", "_waits")

    def __init__(self, polite: Polite, host: str, address: str, waits: Callable[[bool], None]) -> None:
        self._polite, self._host, self._address, self._waits = polite, host, address, waits
        self._held: list[tuple[Gates, str]] = []  # the places that are ours
        self._began: float | None = None

    async def __aenter__(self) -> Failure | None:
        polite, host = self._polite, self._host
        if refused := polite._too_long(host, polite.clock() + polite.manners.patience):
            return refused
        if polite._at_once(host, self._address):
            for gates, name in (polite._at_host, host), (polite._at_address, self._address):
                gates.take(name)
                self._held.append((gates, name))
        else:
            try:
                refused = await self._wait()
            except BaseException:
                self._leave()
                raise
        if refused is None:
            # Were this the end of us, what is stored would have the host left alone from here on.
            polite.asked(host)
            self._began = polite.clock()
        return refused

    async def __aexit__(self, *_: object) -> None:
        # Nobody told how it went, as when the visit was cancelled: it ended now.
        if self._began is not None and self._polite._of(self._host).ended <= self._began:
            self._polite.asked(self._host)
        self._leave()

    def _leave(self) -> None:
        while self._held:
            gates, name = self._held.pop()
            gates.leave(name)

    async def _wait(self) -> Failure | None:
        patience = self._polite.manners.patience
        self._waits(True)
        try:
            async with asyncio.timeout(patience / self._polite.manners.speed):
                refused = await self._at_host()
            if refused is None:
                # Every request inside ends by its deadline, so this wait ends too, however many are waiting.
                await self._enter(self._polite._at_address, self._address)
            return refused
        except TimeoutError:
            return Failure("waiting", f"no turn at {self._host} within {patience:g} s")
        finally:
            self._waits(False)

    async def _at_host(self) -> Failure | None:
        polite, host = self._polite, self._host
        last = polite.clock() + polite.manners.patience
        await self._enter(polite._at_host, host)
        while (rest := polite.ready_at(host) - polite.clock()) > 0:
            if refused := polite._too_long(host, last):
                return refused
            await asyncio.sleep(rest / polite.manners.speed)
        return None

    async def _enter(self, gates: Gates, name: str) -> None:
        await gates.enter(name)
        self._held.append((gates, name))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds, at most a day, that a host wants to be left alone; None if it does not say or it is not to be believed.
    A date is counted from the server's own date where there is one: its clock need not be ours."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), DAY)
    if (date := dates.seconds(text)) is None:
        return None
    told = dates.seconds(headers.get("date", ""))
    wanted = date - (now if told is None else told)
    return min(wanted, DAY) if wanted >= 0 else None
