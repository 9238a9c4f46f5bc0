"""What sitemaps, feeds and searches bring: links to start from, the requests they cost, and what went wrong.

A source that does not answer is reported by a remark; the crawl begins with what the others brought.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from wolfspider.core.failures import MEANINGS
from wolfspider.core.model import Failure, Fetch, Link
from wolfspider.web.page.bounded_text import folded
from wolfspider.web.page.page_reading import ANCHOR
from wolfspider.web.worlds.world import Request, Web

Allows = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Gathered:
    links: list[Link] = field(default_factory=list)
    requests: int = 0  # sent on the way: overhead, no downloads
    problems: list[tuple[str, str]] = field(default_factory=list)  # (address, a sentence)


class Gathering:
    """Asks for addresses one after another and keeps up to `most` links, each once."""

    def __init__(self, web: Web, most: int) -> None:
        self.web = web
        self.most = most
        self.requests = 0
        self.problems: list[tuple[str, str]] = []
        self._links: dict[str, Link] = {}

    @property
    def full(self) -> bool:
        return len(self._links) >= self.most

    async def fetch(self, url: str) -> Fetch:
        fetch = await self.web.fetch(Request(url))
        self.requests += was_asked(fetch)
        return fetch

    async def ask(self, url: str) -> Fetch | None:
        """The answer, or None and a remark."""
        fetch = await self.fetch(url)
        if trouble := trouble_with(fetch):
            self.remark(url, trouble)
        return None if trouble else fetch

    def add(self, url: str, anchor: str, rel: str) -> None:
        if not self.full and url not in self._links:
            self._links[url] = Link(url, harmless(anchor), rank=len(self._links), rel=rel)

    def remark(self, url: str, sentence: str) -> None:
        """Servers and engines have a say in these sentences, and terminals show them: only what can be seen stays."""
        self.problems.append((url, "".join(filter(str.isprintable, sentence))))

    def gathered(self) -> Gathered:
        return Gathered(list(self._links.values()), self.requests, self.problems)


def was_asked(fetch: Fetch) -> bool:
    """Did a request go out?"""
    return fetch.failure is None or fetch.failure.asked


def trouble_with(fetch: Fetch) -> str:
    """Why there is nothing to read in an answer, as a sentence; "" if there is."""
    if fetch.failure is not None:
        return said(fetch.failure)
    if not 200 <= fetch.status < 300:
        return f"It answered with status {fetch.status}."
    return "" if fetch.body else "It answered with nothing."


def said(failure: Failure) -> str:
    if failure.kind == "status":
        return f"It answered with status {failure.detail}."
    reason = MEANINGS.get(failure.kind, failure.kind)
    detail = harmless(failure.detail)
    if failure.kind == "blocked" and detail:  # it says itself what allows it
        return f"It could not be read: {detail}."
    return f"It could not be read: {reason} ({detail})." if detail else f"It could not be read: {reason}."


def harmless(text: str) -> str:
    """An anchor as links have it: one line, not too long, and without halves of characters, which nobody can store."""
    return folded(text, ANCHOR).encode("utf-8", "replace").decode()
