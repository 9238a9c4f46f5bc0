"""The robots.txt of the hosts of the live web: when it is asked for, what each answer means, and the copies kept.

    2xx                         the rules in it count, for a day
    3xx                         followed, up to five times, to other hosts too; further on it is as if it were not there
    4xx but 429                 there are no rules: everything is allowed, for a day
    429, 5xx, odd statuses      nothing is allowed until it can be read; the host is left alone meanwhile, a minute at
    and no answer at all        first, then longer and longer (polite.py), and then its robots.txt is asked for again

Rules that were read before, or that there were none, count on while the file can't be read, for up to 30 days. The
standard would have nothing allowed then, and lets crawlers use their copy: what a host said last month is closer to
what it wants than a guess, and a host in trouble is left alone anyway.

Copies are kept packed. Of those used last the rules are held ready. Both are bounded in bytes over all hosts. A long
copy is read in a thread, so that nobody else waits for it.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wolfspider.core.model import Failure, host_of
from wolfspider.web.http.connections import OURS
from wolfspider.web.http.gates import Gates
from wolfspider.web.http.robots import AGENT, KEPT, Rules, ours, said
from wolfspider.web.page.urls import canonical

if TYPE_CHECKING:
    from wolfspider.web.http.client import Answer

KEPT_IN_TROUBLE = 30 * KEPT  # seconds that rules may be relied on while the host can't say whether they still hold
ASKED_AGAIN = 60.0  # seconds until a file that could not be read is asked for again where there is a copy; then doubled
MOST_HOPS = 5
REDIRECTS = frozenset([301, 302, 303, 307, 308])

_MOST_COPIES = 32 << 20  # bytes of packed copies; the one not used for longest is dropped and asked for again
_MOST_READY = 32 << 20  # bytes of rules that are held ready for use
_COPY_BYTES = 500  # what a copy takes besides its packed text
_LINE_BYTES, _CHARACTER_BYTES = 400, 12  # what rules take that are ready, at most, for each of its text
_LONG = 5000  # characters that take too long to read between two requests

Ask = Callable[[str], Awaitable["Answer | Failure"]]
RobotsRow = tuple[str, int, float]  # what is meant for us, status it came with, when


@dataclass(slots=True)
class _Copy:
    packed: bytes
    long: bool  # does it take a while to read it?
    status: int
    read: float
    again: float  # when the file is to be asked for again
    failures: int = 0  # in a row, since it was read

    @classmethod
    def of(cls, text: str, status: int, read: float) -> _Copy:
        return cls(zlib.compress(text.encode(), 1), len(text) > _LONG, status, read, read + KEPT)

    @property
    def text(self) -> str:
        return zlib.decompress(self.packed).decode()

    @property
    def size(self) -> int:
        return len(self.packed) + _COPY_BYTES

    def rules(self) -> Rules:
        return Rules(self.text)


class _Shelf:
    """Copies, and the rules of some of them ready for use; both bounded in bytes."""

    def __init__(self) -> None:
        self.copies: OrderedDict[str, _Copy] = OrderedDict()
        self.ready: OrderedDict[str, Rules] = OrderedDict()
        self._bytes = self._ready_bytes = 0

    def keep(self, origin: str, copy: _Copy) -> None:
        self._drop(origin)
        self.copies[origin] = copy
        self._bytes += copy.size
        while self._bytes > _MOST_COPIES and len(self.copies) > 1:
            self._drop(next(iter(self.copies)))

    def use(self, origin: str, rules: Rules) -> Rules:
        """These rules of a copy are used now, and perhaps again soon."""
        if origin in self.copies:  # it may have been dropped while it was read
            self._put_away(origin)
            self.ready[origin] = rules
            self._ready_bytes += _size(rules)
            self.copies.move_to_end(origin)
            while self._ready_bytes > _MOST_READY and len(self.ready) > 1:
                self._put_away(next(iter(self.ready)))
        return rules

    def _drop(self, origin: str) -> None:
        self._put_away(origin)
        if copy := self.copies.pop(origin, None):
            self._bytes -= copy.size

    def _put_away(self, origin: str) -> None:
        if rules := self.ready.pop(origin, None):
            self._ready_bytes -= _size(rules)


def _size(rules: Rules) -> int:
    return _LINE_BYTES * rules.text.count("\n") + _CHARACTER_BYTES * len(rules.text) + _COPY_BYTES


class LiveRobots:
    """The rules of the origins (scheme, host, port) of the live web. Every visit asks for the rules
    of its origin and hands in how to send a request; rules that are known and young enough need none."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shelf = _Shelf()
        self._changed: set[str] = set()
        self._asking = Gates(1)
        self._met: dict[str, Failure] = {}  # why the last request failed; only while others wait for its answer

    def known(self, url: str) -> Rules | None:
        """The rules for an address, if nobody needs to be asked for them and they are at hand at once."""
        origin = origin_of(url)
        if (copy := self._valid(origin)) is None:
            return None
        if (rules := self._shelf.ready.get(origin)) is None and copy.long:
            return None
        return self._shelf.use(origin, rules or copy.rules())

    async def rules(self, url: str, ask: Ask) -> Rules | Failure:
        """The rules for an address, or why they can't be told: then it must not be asked for. However many want to know
        at once, one asks and the others wait for it."""
        origin = origin_of(url)
        try:
            async with self._asking.place(origin):
                if copy := self._valid(origin):
                    return self.known(url) or await self._read(origin, copy)
                return self._met.get(origin) or await self._learn(origin, ask)
        finally:
            if origin not in self._asking:
                self._met.pop(origin, None)

    def _valid(self, origin: str) -> _Copy | None:
        """The copy that counts, if nobody needs to be asked."""
        copy, now = self._shelf.copies.get(origin), self._clock()
        return copy if copy is not None and now < copy.again and now - copy.read < KEPT_IN_TROUBLE else None

    async def _read(self, origin: str, copy: _Copy) -> Rules:
        return self._shelf.use(origin, await asyncio.to_thread(copy.rules) if copy.long else copy.rules())

    async def _learn(self, origin: str, ask: Ask) -> Rules | Failure:
        if isinstance(answer := await _followed(f"{origin}/robots.txt", ask), Failure):
            return await self._unreadable(origin, answer)
        status, body, cut = answer
        told = (status, body, AGENT, cut)
        text = await asyncio.to_thread(said, *told) if len(body) > _LONG else said(*told)
        if text is None:
            return await self._unreadable(origin, Failure("waiting", f"{status}, asked for again later"))
        copy = _Copy.of(text, status, self._clock())
        self._shelf.keep(origin, copy)
        self._changed.add(origin)
        return await self._read(origin, copy)

    async def _unreadable(self, origin: str, failure: Failure) -> Rules | Failure:
        copy, now = self._shelf.copies.get(origin), self._clock()
        if copy is not None and now - copy.read < KEPT_IN_TROUBLE:
            copy.again = now + min(ASKED_AGAIN * 2 ** min(copy.failures, 20), KEPT)
            copy.failures += 1
            return await self._read(origin, copy)
        # Not a failure of the page, which nobody has asked for: that it must wait costs no download.
        told = Failure("waiting", f"robots.txt of {host_of(origin)}: {failure.detail or failure.kind}")
        self._met[origin] = failure if failure in OURS else told
        return self._met[origin]

    def explain(self, url: str) -> str:
        """What the robots.txt of its host says of an address, for people."""
        copy = self._shelf.copies.get(origin_of(url))
        if copy is None:
            return "its robots.txt has not been read"
        if not copy.text:
            return f"allowed: there is no robots.txt ({copy.status})"
        rules = copy.rules()
        return f"{'allowed' if rules.allows(url) else 'forbidden'}: {rules.deciding(url) or 'no rule speaks of it'}"

    def state(self) -> dict[str, RobotsRow]:
        """A row for each origin whose rules were read since the last call."""
        copies = {origin: copy for origin in self._changed if (copy := self._shelf.copies.get(origin))}
        self._changed.clear()
        return {origin: (copy.text, copy.status, copy.read) for origin, copy in copies.items()}

    def row(self, url: str) -> RobotsRow | None:
        """The copy of the rules for an address, if there is one."""
        copy = self._shelf.copies.get(origin_of(url))
        return None if copy is None else (copy.text, copy.status, copy.read)

    def learn(self, rows: Mapping[str, RobotsRow]) -> None:
        """Rules that another process has read just now."""
        self.restore(rows, self._clock())
        self._changed |= rows.keys()

    def restore(self, rows: Mapping[str, RobotsRow], now: float) -> None:
        """A time that is still to come is that of a clock that was wrong: then the rules are asked for again."""
        for origin, (text, status, read) in rows.items():
            text = ours(text.encode()) if len(text) > _LONG else text  # older versions kept any number of rules
            self._shelf.keep(origin, _Copy.of(text, status, read if read <= now else now - KEPT))


async def shortened(answer: Answer) -> Answer:
    """An answer that is long, with nothing but what is meant for us."""
    if len(answer.body) <= _LONG:
        return answer
    text = await asyncio.to_thread(ours, answer.body, AGENT, answer.cut)
    return replace(answer, body=text.encode(), capture=replace(answer.capture, body=b""), cut=False)


def origin_of(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


async def _followed(url: str, ask: Ask) -> tuple[int, bytes, bool] | Failure:
    """Status and body behind all redirects, and whether the body is cut. Redirects that lead nowhere have no body."""
    passed: list[str] = []
    while True:
        if isinstance(answer := await ask(url), Failure):
            return answer
        if answer.status not in REDIRECTS:
            return answer.status, answer.body, answer.cut
        passed.append(url)
        target = canonical(answer.headers.get("location", url), url)
        if target is None or target in passed or len(passed) > MOST_HOPS:
            return answer.status, b"", False
        url = target
