"""What the robots.txt of a host allows: RFC 9309, for simulated webs (Robots) and for the live one (LiveRobots).

    2xx                         the rules in it count, for a day
    3xx                         followed, up to five times, to other hosts too; further on it is as if it were not there
    4xx but 429                 there are no rules: everything is allowed, for a day
    429, 5xx, odd statuses      nothing is allowed until it can be read; the host is left alone meanwhile, a minute at
    and no answer at all        first, then longer and longer (polite.py), and then its robots.txt is asked for again

Rules that were read before, or that there were none, count on while the file can't be read, for up to 30 days. The
standard would have nothing allowed then, and lets crawlers use their copy: what a host said last month is closer to
what it wants than a guess, and a host in trouble is left alone anyway.

The file is a stranger's. It is cut before it is read, what can't be read in it is passed over, and only what is meant
for us is kept: the groups that name us, else those for everybody. That makes what follows small whatever was sent, and
leaves no doubt who is meant: "wolf" is not us, and "Wolfspider/1.0" is.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from protego import Protego

from wolfspider.core.model import Failure, Fetch, host_of
from wolfspider.web.http.gates import Gates
from wolfspider.web.page.urls import canonical

if TYPE_CHECKING:
    from wolfspider.web.http.client import Answer

AGENT = "wolfspider"
LARGEST = 500 << 10  # bytes of a robots.txt that are read
KEPT = 86_400.0  # seconds that rules may be relied on
KEPT_IN_TROUBLE = 30 * KEPT  # and while the host can't say whether they still hold
ASKED_AGAIN = 60.0  # seconds until a file that could not be read is asked for again where there is a copy; then doubled
LONGEST_DELAY = 60.0  # seconds; a host that asks for more is asked this rarely
MOST_HOPS = 5
MOST_SITEMAPS = 100
REDIRECTS = frozenset([301, 302, 303, 307, 308])

_MOST_BYTES = 64 << 20  # of copies kept in memory; the one not used for longest is dropped and asked for again
_COPY_BYTES = 500  # what a copy takes besides its text
_MOST_PARSED = 2_000_000  # characters of copies that are held ready for use, each counted as a hundred more
_LONG = 20_000  # characters that take too long to parse between two requests

_BREAK = re.compile(r"[\r\n]+")
_OTHER_BREAK = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # ends no line by the standard; protego thinks so
_AGENT_LINE = re.compile(r"user[-\s]*agent(?:\s*:\s*|\s+|$)(\*(?=\s|$)|[a-z0-9_-]*)", re.IGNORECASE)
_RULE_LINE = re.compile(r"allow|dis|dia|crawl|request|visit", re.IGNORECASE)  # mistyped as they often are
_SITEMAP_LINE = re.compile(r"site-?maps?\s*:\s*(\S+)", re.IGNORECASE)

_FORBIDS_ALL = "User-agent: *\nDisallow: /\n"


def ours(body: bytes, agent: str = AGENT, cut: bool = False) -> str:
    """What of a robots.txt is meant for us, as a robots.txt for everybody."""
    if cut or len(body) > LARGEST:
        body = body[:LARGEST]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]  # half a rule may forbid what the whole one allows
    groups: dict[str, list[str]] = {}
    sitemaps: dict[str, None] = {}
    for names, line in _grouped(body.decode("utf-8", "replace").lstrip("\ufeff")):
        if found := _SITEMAP_LINE.match(line):
            sitemaps[found[1]] = None
        for name in names & {agent, "*"}:
            groups.setdefault(name, []).append(line)
    lines = [*groups.get(agent, groups.get("*", [])), *(f"Sitemap: {url}" for url in list(sitemaps)[:MOST_SITEMAPS])]
    return "\n".join(["User-agent: *", *(line for line in lines if line), ""])


def _grouped(text: str) -> Iterator[tuple[set[str], str]]:
    """Each line that says something, with the names it is meant for. A group that is opened gives an empty line, or an
    invitation to us alone, without rules, would go unheard."""
    names: set[str] = set()
    naming = False
    for line in _BREAK.split(text):
        line = _OTHER_BREAK.sub(lambda found: quote(found[0]), line).partition("#")[0].strip()
        if found := _AGENT_LINE.match(line):
            if not naming:
                names = set()
            names.add(found[1].lower())  # in place: a file may have tens of thousands of names
            naming = True
            yield names, ""
        elif _RULE_LINE.match(line):
            naming = False
            yield names, line
        elif _SITEMAP_LINE.match(line):
            yield set(), line


class Rules:
    """What a host allows us."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parsed = Protego.parse(text)

    def allows(self, url: str) -> bool:
        return self._parsed.can_fetch(url, AGENT)

    @property
    def delay(self) -> float:
        """Seconds that the host wants between two requests."""
        return min(self._parsed.crawl_delay(AGENT) or 0.0, LONGEST_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self._parsed.sitemaps)

    def deciding(self, url: str) -> str:
        """The line that allows or forbids an address: the longest that speaks of it; "" if none does."""
        wanted = "allow" if self.allows(url) else ("dis", "dia")
        lines = (line for line in self.text.splitlines() if line.lower().startswith(wanted) and _speaks_of(line, url))
        return max(lines, key=len, default="")


def _speaks_of(line: str, url: str) -> bool:
    pattern = re.split(r"[:\s]", line, maxsplit=1)[-1]
    return not Protego.parse(f"User-agent: *\nDisallow: {pattern}").can_fetch(url, AGENT)


Look = Callable[[str, float], Fetch]


class Robots:
    """The rules of a simulated web, read once a day as live crawlers may do."""

    def __init__(self, look: Look, agent: str = AGENT) -> None:
        self._look, self._agent = look, agent
        self._rules: dict[str, tuple[float, Rules]] = {}

    def allowed(self, url: str, now: float) -> bool:
        return self._of(host_of(url), now).allows(url)

    def delay(self, host: str, now: float) -> float:
        """Seconds that the host wants between two visits."""
        return self._of(host, now).delay

    def _of(self, host: str, now: float) -> Rules:
        read, rules = self._rules.get(host, (now, None))
        if rules is None or not 0 <= now - read < KEPT:
            fetch = self._look(f"http://{host}/robots.txt", now)
            text = _said(fetch.status, fetch.body, self._agent)
            rules = Rules(_FORBIDS_ALL if text is None else text)
            self._rules[host] = (now, rules)
        return rules


def _said(status: int, body: bytes, agent: str, cut: bool = False) -> str | None:
    """What an answer means for us; None if it means that the file can't be read at present."""
    if 200 <= status < 300:
        return ours(body, agent, cut)
    return "" if 300 <= status < 500 and status != 429 else None


Ask = Callable[[str], Awaitable["Answer | Failure"]]
RobotsRow = tuple[str, int, float]  # what is meant for us, status it came with, when


@dataclass(slots=True)
class _Copy:
    text: str
    status: int
    read: float
    again: float  # when the file is to be asked for again
    failures: int = 0  # in a row, since it was read


class LiveRobots:
    """The rules of the origins (scheme, host, port) of the live web. Every visit asks for the rules
    of its origin and hands in how to send a request; rules that are known and young enough need none."""

    def __init__(self, clock: Callable[[], float], agent: str = AGENT) -> None:
        self._clock, self._agent = clock, agent
        self._copies: OrderedDict[str, _Copy] = OrderedDict()
        self._parsed: OrderedDict[str, Rules] = OrderedDict()
        self._bytes = self._characters = 0
        self._changed: set[str] = set()
        self._asking = Gates(1)
        self._met: dict[str, Failure] = {}  # why the last request failed; only while others wait for its answer

    def known(self, url: str) -> Rules | None:
        """The rules for an address, if nobody needs to be asked for them."""
        origin = origin_of(url)
        copy, now = self._copies.get(origin), self._clock()
        if copy is None or now >= copy.again or now - copy.read >= KEPT_IN_TROUBLE:
            return None
        return self._ready(origin, copy)

    async def rules(self, url: str, ask: Ask) -> Rules | Failure:
        """The rules for an address, or why they can't be told: then it must not be asked for. However many want to know
        at once, one asks and the others wait for it."""
        origin = origin_of(url)
        try:
            async with self._asking.place(origin):
                return self.known(url) or self._met.get(origin) or await self._learn(origin, ask)
        finally:
            if origin not in self._asking:
                self._met.pop(origin, None)

    async def _learn(self, origin: str, ask: Ask) -> Rules | Failure:
        if isinstance(answer := await _followed(f"{origin}/robots.txt", ask), Failure):
            return self._unreadable(origin, answer)
        status, body, cut = answer
        text = _said(status, body, self._agent, cut)
        if text is None:
            return self._unreadable(origin, Failure("waiting", f"{status}, asked for again later"))
        rules = Rules(text) if len(text) < _LONG else await asyncio.to_thread(Rules, text)
        copy = _Copy(text, status, self._clock(), self._clock() + KEPT)
        self._keep(origin, copy)
        self._changed.add(origin)
        return self._ready(origin, copy, rules)

    def _unreadable(self, origin: str, failure: Failure) -> Rules | Failure:
        copy, now = self._copies.get(origin), self._clock()
        if copy is not None and now - copy.read < KEPT_IN_TROUBLE:
            copy.again = now + min(ASKED_AGAIN * 2 ** min(copy.failures, 20), KEPT)
            copy.failures += 1
            return self._ready(origin, copy)
        # Not a failure of the page, which nobody has asked for: that it must wait costs no download.
        self._met[origin] = Failure("waiting", f"robots.txt of {host_of(origin)}: {failure.detail or failure.kind}")
        return self._met[origin]

    def _keep(self, origin: str, copy: _Copy) -> None:
        self._drop(origin)
        self._copies[origin] = copy
        self._bytes += len(copy.text) + _COPY_BYTES
        while self._bytes > _MOST_BYTES and len(self._copies) > 1:
            self._drop(next(iter(self._copies)))

    def _drop(self, origin: str) -> None:
        self._put_away(origin)
        if copy := self._copies.pop(origin, None):
            self._bytes -= len(copy.text) + _COPY_BYTES

    def _put_away(self, origin: str) -> None:
        if rules := self._parsed.pop(origin, None):
            self._characters -= len(rules.text) + 100

    def _ready(self, origin: str, copy: _Copy, parsed: Rules | None = None) -> Rules:
        rules = parsed or self._parsed.get(origin) or Rules(copy.text)
        self._put_away(origin)
        self._parsed[origin] = rules
        self._characters += len(rules.text) + 100
        self._copies.move_to_end(origin)
        while self._characters > _MOST_PARSED and len(self._parsed) > 1:
            self._put_away(next(iter(self._parsed)))
        return rules

    def explain(self, url: str) -> str:
        """What the robots.txt of its host says of an address, for people."""
        origin = origin_of(url)
        copy = self._copies.get(origin)
        if copy is None:
            return "its robots.txt has not been read"
        if not copy.text:
            return f"allowed: there is no robots.txt ({copy.status})"
        rules = self._ready(origin, copy)
        return f"{'allowed' if rules.allows(url) else 'forbidden'}: {rules.deciding(url) or 'no rule speaks of it'}"

    def state(self) -> dict[str, RobotsRow]:
        """A row for each origin whose rules were read since the last call."""
        copies = {origin: copy for origin in self._changed if (copy := self._copies.get(origin))}
        self._changed.clear()
        return {origin: (copy.text, copy.status, copy.read) for origin, copy in copies.items()}

    def restore(self, rows: Mapping[str, RobotsRow], now: float) -> None:
        """A time that is still to come is that of a clock that was wrong: then the rules are asked for again."""
        for origin, (text, status, read) in rows.items():
            read = read if read <= now else now - KEPT
            self._keep(origin, _Copy(text, status, read, read + KEPT))


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
