"""What a robots.txt allows: RFC 9309. For the live web see live_robots.py, which asks for the files.

The file is a stranger's. It is cut before it is read, what can't be read in it is passed over, and only what is meant
for us is kept: the groups that name us, else those for everybody. That makes what follows small whatever was sent, and
leaves no doubt who is meant: "wolf" is not us, and "Wolfspider/1.0" is.

A file may have more rules for us than it is worth to look through for each address (MOST_RULES; files that people write
have some hundreds). To pass over the rest would be to ask for what is forbidden: the standard has 500 KiB read. So what
can't be judged is forbidden: no Allow counts any more, and of each further Disallow all that begins like it, up to the
end of the first part of its path, is forbidden, or everything if there are too many of these, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

from protego import Protego

from wolfspider.core.model import Fetch, host_of

AGENT = "wolfspider"
LARGEST = 500 << 10  # bytes of a robots.txt that are read
KEPT = 86_400.0  # seconds that rules may be relied on
LONGEST_DELAY = 60.0  # seconds; a host that asks for more is asked this rarely
MOST_RULES = 5000  # that are kept as they are
MOST_PREFIXES = 1000  # that stand for further ones
MOST_SITEMAPS = 100
_MOST_OTHERS = 100  # lines of other kinds, such as Crawl-delay

_BREAK = re.compile(r"[\r\n]+")
_OTHER_BREAK = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # ends no line by the standard; protego thinks so
_AGENT_LINE = re.compile(r"user[-\s]*agent(?:\s*:\s*|\s+|$)(\*(?=\s|$)|[a-z0-9_-]*)", re.IGNORECASE)
_PATH_LINE = re.compile(r"allow|dis|dia", re.IGNORECASE)
_VALUE = re.compile(r"[^:\s]+\s*:?\s*(.*)")
_FIRST_PART = re.compile(r"/[A-Za-z0-9._~-]*/?")
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
    lines = [line for line in groups.get(agent, groups.get("*", [])) if line]
    named = (f"Sitemap: {url}" for url in list(sitemaps)[:MOST_SITEMAPS])
    return "\n".join(["User-agent: *", *_few(lines), *named, ""])


def _few(lines: list[str]) -> list[str]:
    """All lines, if they are not too many; else fewer, which forbid at least as much."""
    if len(lines) <= MOST_RULES:
        return lines
    rules = dict.fromkeys(line for line in lines if _PATH_LINE.match(line))
    others = [line for line in lines if not _PATH_LINE.match(line)][-_MOST_OTHERS:]
    if len(rules) <= MOST_RULES:
        return [*others, *rules]
    forbidding = [line for line in rules if line[:1] in "dD"]
    prefixes = set(map(_beginning, forbidding[MOST_RULES:]))
    if len(prefixes) > MOST_PREFIXES or "/" in prefixes:
        return [*others, "Disallow: /"]
    return [*others, *forbidding[:MOST_RULES], *(f"Disallow: {prefix}" for prefix in sorted(prefixes) if prefix)]


def _beginning(line: str) -> str:
    """Of all paths that a line forbids; "" if it forbids none."""
    found = _VALUE.match(line)
    value = found[1] if found else ""
    part = _FIRST_PART.match(value)
    return part[0] if part else "/" if value else ""


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

    def __del__(self) -> None:
        """Protego's objects hold each other, and a crawl seldom looks for garbage: megabytes of a host would stay."""
        vars(self._parsed).clear()

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
    return not Rules(f"User-agent: *\nDisallow: {pattern}").allows(url)


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
            text = said(fetch.status, fetch.body, self._agent)
            rules = Rules(_FORBIDS_ALL if text is None else text)
            self._rules[host] = (now, rules)
        return rules


def said(status: int, body: bytes, agent: str, cut: bool = False) -> str | None:
    """What an answer means for us; None if it means that the file can't be read at present."""
    if 200 <= status < 300:
        return ours(body, agent, cut)
    return "" if 300 <= status < 500 and status != 429 else None
