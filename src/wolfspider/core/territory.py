"""The part of the web that one of several crawls has to itself: sites are dealt out among them by a number each.

A site is a registered domain, so that a host, and all hosts that belong to it, have exactly one crawl that asks them.
The crawls need not hear of each other for that: who owns a site follows from its name and from how many there are.
"""

from __future__ import annotations

from typing import NamedTuple, Self

from wolfspider.core.errors import Problem
from wolfspider.core.text import key_of

MOST = 1000  # crawls that share one web


def owner_of(site: str, count: int) -> int:
    """Which of so many crawls owns a site."""
    return key_of(site) % count


class SiteShare(NamedTuple):
    """The sites of crawl `number`, from 0, of so many `crawls`."""

    number: int
    crawls: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Of 2/4, the second of four; None of nothing."""
        if not text.strip():
            return None
        number, slash, count = (part.strip() for part in text.partition("/"))
        whole = all(part.isdecimal() and len(part) <= len(str(MOST)) for part in (number, count))
        if not slash or not whole or not 1 <= int(number) <= int(count) <= MOST:
            raise Problem(f"--territory is K/N, the share of one of N crawls, such as 2/4, not {text[:80]!r}.")
        return cls(int(number) - 1, int(count))

    def __str__(self) -> str:
        return f"{self.number + 1}/{self.crawls}"

    def owns(self, site: str) -> bool:
        return owner_of(site, self.crawls) == self.number
