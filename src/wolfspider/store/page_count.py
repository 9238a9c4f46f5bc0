"""What counts as a page of a run: one rule for screens, summaries and exports.

One final address is one page, however often it was visited and however many redirects lead to it. Its newest copy
counts, with the newest verdict on it; a person's label replaces the judge's verdict. An address that now redirects
elsewhere is no page any more; one that merely failed when it was visited again still is. Answers of Sources, and pages
that only describe the topic (`--like`), are no pages of the run. Near-duplicates at different addresses are different
pages.

A page that asks not to be indexed (noindex) is never exported, so it is counted apart: `pages` and `relevant` are the
numbers that an export gives.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from wolfspider.core.model import Page, Verdict

# Each page `p` of a run once, with the newest row of `held` on it as `h`.
NEWEST = (
    "pages p JOIN held h ON h.url = p.final_url AND h.page = p.seq AND h.relevant IS NOT NULL AND h.seq ="
    " (SELECT MAX(k.seq) FROM held k WHERE k.url = p.final_url AND k.page IS NOT NULL)"
)
HIDDEN = "(' ' || p.robots || ' ' LIKE '% noindex %')"
_COUNT = (
    f"SELECT COUNT(*) - IFNULL(SUM({HIDDEN}), 0), IFNULL(SUM(h.relevant AND NOT {HIDDEN}), 0),"  # noqa: S608
    f" IFNULL(SUM({HIDDEN}), 0), IFNULL(SUM(h.relevant AND {HIDDEN}), 0),"
    f" IFNULL(SUM(p.truncated AND NOT {HIDDEN}), 0) FROM {NEWEST}"
)


class PageCount(NamedTuple):
    """How many pages a run has."""

    pages: int = 0  # those that an export gives
    relevant: int = 0  # of these
    hidden: int = 0  # pages that ask not to be indexed
    hidden_relevant: int = 0  # of these
    truncated: int = 0  # of `pages`: those of which only the beginning was read

    @property
    def all(self) -> int:
        return self.pages + self.hidden

    def after(self, before: PageCount, now: PageCount) -> PageCount:
        """This total, when a part of it that counted as `before` counts as `now`."""
        return PageCount(*(total - old + new for total, old, new in zip(self, before, now, strict=True)))


def count_of_new(page: Page, verdict: Verdict | None) -> PageCount:
    """What a page adds whose addresses were never held before."""
    if verdict is None:
        return PageCount()
    hidden = "noindex" in page.robots
    relevant, cut = verdict.relevant, page.truncated
    return PageCount(not hidden, relevant and not hidden, hidden, relevant and hidden, cut and not hidden)


def count(connection: sqlite3.Connection, urls: Collection[str] | None = None) -> PageCount:
    """Count all pages of a run, or those at some final addresses."""
    if urls is None:
        return PageCount(*connection.execute(_COUNT).fetchone())
    places = ", ".join("?" * len(urls))
    return PageCount(*connection.execute(f"{_COUNT} WHERE h.url IN ({places})", tuple(urls)).fetchone())
