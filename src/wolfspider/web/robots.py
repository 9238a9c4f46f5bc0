"""Robots rules of a simulated web: what each host's robots.txt allows at a time.

A robots.txt that is not there allows everything. Rules of a host are read once a day, as live crawlers may do. The
file is a stranger's: it is cut before it is read, and what cannot be read in it is passed over.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable

from protego import Protego

from wolfspider.model import Fetch, host_of

AGENT = "wolfspider"
LARGEST = 500 << 10  # bytes of a robots.txt that are read
KEPT = 86_400.0  # seconds that rules may be relied on
LONGEST_DELAY = 60.0  # seconds; a host that asks for more is asked this rarely

Look = Callable[[str, float], Fetch]


class Robots:
    def __init__(self, look: Look, agent: str = AGENT) -> None:
        self._look, self._agent = look, agent
        self._rules: dict[str, tuple[float, Protego]] = {}

    def allowed(self, url: str, now: float) -> bool:
        return self._of(host_of(url), now).can_fetch(url, self._agent)

    def delay(self, host: str, now: float) -> float:
        """Seconds that the host wants between two visits."""
        return min(self._of(host, now).crawl_delay(self._agent) or 0.0, LONGEST_DELAY)

    def _of(self, host: str, now: float) -> Protego:
        read, rules = self._rules.get(host, (now, None))
        if rules is None or not 0 <= now - read < KEPT:
            rules = Protego.parse(_text(self._look(f"http://{host}/robots.txt", now)))
            self._rules[host] = (now, rules)
        return rules


def _text(fetch: Fetch) -> str:
    """What the file says. A server in trouble forbids everything, as RFC 9309 has it."""
    if not fetch.status or fetch.status >= 500:
        return "User-agent: *\nDisallow: /"
    if fetch.status >= 300:
        return ""
    return fetch.body[:LARGEST].removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
