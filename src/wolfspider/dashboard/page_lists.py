"""The pages of a run and the visits that failed, newest first: the list behind every number."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any

from wolfspider.core.errors import Problem
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, host_of
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.shapes import PageLine, Pages, PagesQuery
from wolfspider.export.exported_page import why
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import FAILED, RunView

SHOWN = 50  # pages in an answer
LONGEST = 2000  # characters of an address
_END = 1 << 62  # behind every number
_NEWEST_STEP = "SELECT IFNULL(MAX(seq), 0) FROM log"
_PAGES = (
    "SELECT p.seq, p.final_url, p.title, p.at, p.host, h.score, h.relevant, h.evidence, v.agent"  # noqa: S608
    f" FROM {NEWEST} LEFT JOIN visits v ON v.id = p.visit WHERE NOT {HIDDEN} AND p.seq > ? AND p.seq <= ?"
    " AND (p.seq, 0) < (?, ?)"
)
_FAILURES = (
    "SELECT l.seq, l.n, l.url, l.at, l.failure, l.detail, v.agent"  # noqa: S608
    f" FROM (SELECT * FROM {FAILED}) l LEFT JOIN visits v ON v.id = l.visit"
    " WHERE l.seq > ? AND (l.seq, l.n) < (?, ?) ORDER BY l.seq DESC, l.n DESC"
)

Numbered = tuple[int, int, PageLine]  # two numbers by which they are in order


def pages(run: Path, asked: PagesQuery) -> Pages:
    kind, limit = asked.get("kind", "all"), asked.get("limit", SHOWN)
    host, reason = asked.get("host"), asked.get("reason")
    before = _before(asked.get("before", ""))
    with RunView(run).moment() as connection:
        lists: list[Iterator[Numbered]] = []
        if kind != "failed" and not reason:
            lists.append(_pages(connection, -_END, before, {"accepted": True, "rejected": False}.get(kind), host))
        if kind in ("failed", "all"):
            lists.append(_failures(connection, -_END, before, host, reason))
        found = _merged(lists, limit + 1)
    shown = found[:limit]
    more = len(found) > limit
    return {
        "pages": [line for _, _, line in shown],
        "more": more,
        "next": f"{shown[-1][0]}-{shown[-1][1]}" if more else None,
    }


def newest_after(run: Path, number: int | None, limit: int) -> tuple[int, list[PageLine]]:
    """What came after this number, oldest first, and the number to ask by the next time; nothing at the first time, nor
    of a run that was cut back meanwhile. Only what is new is read."""
    with RunView(run).moment() as connection:
        (last,) = connection.execute(_NEWEST_STEP).fetchone()
        if number is None or last <= number:
            return last, []
        end = (_END, 0)
        lists = [_pages(connection, number, end, None, None), _failures(connection, number, end, None, None)]
        return last, [line for _, _, line in reversed(_merged(lists, limit))]


def _merged(lists: Sequence[Iterator[Numbered]], most: int) -> list[Numbered]:
    return list(islice(merge(*lists, key=lambda each: (-each[0], -each[1])), most))


def _before(text: str) -> tuple[int, int]:
    number, _, n = (text or str(_END)).partition("-")
    if not number.isdecimal() or len(number) > 19 or (n and (not n.isdecimal() or len(n) > 9)):
        raise Problem("before is what an earlier answer called next.")
    return int(number), int(n or 0)


def _pages(
    connection: sqlite3.Connection, after: int, before: tuple[int, int], relevant: bool | None, host: str | None
) -> Iterator[Numbered]:
    wanted = [("h.relevant = ?", relevant), ("p.host = ?", host)]
    given = [(clause, value) for clause, value in wanted if value is not None]
    sql = f"{_PAGES}{''.join(f' AND {clause}' for clause, _ in given)} ORDER BY p.seq DESC"
    values = (after, before[0], *before, *(value for _, value in given))
    for number, url, title, at, of_host, score, good, evidence, agent in connection.execute(sql, values):
        yield number, 0, _page(number, url, title, at, of_host, score, good, evidence, agent)


def _page(
    number: int, url: Any, title: Any, at: Any, host: Any, score: Any, relevant: Any, evidence: Any, agent: Any
) -> PageLine:
    told = _evidence(evidence)
    label = told.get("label")
    return {
        "number": number,
        "url": plainly(str(url), LONGEST),
        "title": plainly(str(title or "")),
        "score": score if isinstance(score, float | int) else None,
        "relevant": bool(relevant),
        "at": at if isinstance(at, float | int) else None,
        "host": plainly(str(host)),
        "reasons": [plainly(why(bool(relevant), told), 1000)],
        "label": label if isinstance(label, bool) else None,
        "by_teacher": bool(told.get("by_teacher")),
        "agent": plainly(str(agent or "")),
        "failure": None,
    }


def _evidence(text: Any) -> dict[str, Any]:
    """Of a damaged row there is none."""
    try:
        told = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _failures(
    connection: sqlite3.Connection, after: int, before: tuple[int, int], host: str | None, reason: str | None
) -> Iterator[Numbered]:
    for number, n, url, at, kind, detail, agent in connection.execute(_FAILURES, (after, *before)):
        failure = Failure(str(kind), str(detail or ""))
        words, of_host = in_words(failure), host_of(str(url))
        if (host and of_host != host) or (reason and reason not in (plainly(words), failure.kind)):
            continue
        yield (
            number,
            n,
            {
                "number": number,
                "url": plainly(str(url), LONGEST),
                "title": "",
                "score": None,
                "relevant": None,
                "at": at if isinstance(at, float | int) else None,
                "host": plainly(of_host),
                "reasons": [plainly(words if failure.detail in words else f"{words} ({failure.detail})", 1000)],
                "label": None,
                "by_teacher": False,
                "agent": plainly(str(agent or "")),
                "failure": failure.kind,
            },
        )
