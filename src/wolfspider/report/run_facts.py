"""What a report says of a run, read at one moment: the pages that an export would have, and what became of visits.

The curve ends at the numbers of `wolfspider status` and of an export: every page counts once, with the last verdict on
it, at the download that brought its newest copy.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, hidden, host_of
from wolfspider.export.exported_page import why
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import RunView, Summary, pages_of

MOST_HOSTS, MOST_PAGES, MOST_COMMANDS, MOST_REASONS = 50, 30, 200, 40
_ARRIVALS = f"SELECT p.seq, h.relevant FROM {NEWEST} WHERE NOT {HIDDEN} ORDER BY p.seq"  # noqa: S608
_SPENT = "SELECT seq, SUM(cost) FROM landings WHERE cost > 0 GROUP BY seq ORDER BY seq"
_OF_HOSTS = (
    f"SELECT p.host, COUNT(*), SUM(h.relevant), SUM(p.size) FROM {NEWEST}"  # noqa: S608
    f" WHERE NOT {HIDDEN} GROUP BY p.host"
)
_FAILED = "SELECT url, failure, detail FROM landings WHERE failure IS NOT NULL AND how = 'out'"


class PagesCurve(NamedTuple):
    """Pages against downloads."""

    downloads: list[int]
    pages: list[int]
    relevant: list[int]


class BestPage(NamedTuple):
    score: float
    title: str
    url: str
    why: str


class Reason(NamedTuple):
    """Why visits failed."""

    kind: str
    words: str
    visits: int


@dataclass
class OfHost:
    name: str
    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, other: OfHost) -> None:
        self.pages += other.pages
        self.relevant += other.relevant
        self.bytes += other.bytes
        self.failures.update(other.failures)


class RunFacts(NamedTuple):
    settings: Mapping[str, Any]
    summary: Summary
    curve: PagesCurve
    best: list[BestPage]
    hosts: list[OfHost]  # those with most relevant pages first
    other_hosts: OfHost | None  # all that are not named, as one
    reasons: list[Reason]
    commands: list[tuple[float, Mapping[str, Any]]]


def facts_of(folder: Path) -> RunFacts:
    view = RunView(folder)
    with view.moment() as connection:
        hosts, reasons = _hosts_and_reasons(connection)
        curve, best = _curve(connection), _best(connection)
    shown, others = hosts[:MOST_HOSTS], hosts[MOST_HOSTS:]
    rest = OfHost(f"{len(others):,} other hosts")
    for host in others:
        rest.add(host)
    rows = (reasons, [(at, data) for at, _, data in view.events("Obeyed")][-MOST_COMMANDS:])
    return RunFacts(view.about.get("settings", {}), view.summary(), curve, best, shown, rest if others else None, *rows)


def _curve(connection: sqlite3.Connection) -> PagesCurve:
    spent = iter(connection.execute(_SPENT).fetchall())
    curve, downloads, pages, relevant = PagesCurve([0], [0], [0]), 0, 0, 0
    coming: Sequence[int] | None = next(spent, None)
    for number, good in connection.execute(_ARRIVALS):
        while coming is not None and coming[0] <= number:
            downloads, coming = downloads + coming[1], next(spent, None)
        pages, relevant = pages + 1, relevant + good
        for part, value in zip(curve, (downloads, pages, relevant), strict=True):
            part.append(value)
    downloads += sum(cost for _, cost in ([coming] if coming else []) + list(spent))
    for part, value in zip(curve, (downloads, pages, relevant), strict=True):
        part.append(value)
    return curve


def _best(connection: sqlite3.Connection) -> list[BestPage]:
    best: list[BestPage] = []
    for row in pages_of(connection, relevant=True, unreadable=lambda number, error: None, best=True):
        if not hidden(row.robots):
            best.append(BestPage(row.score, row.title, row.final_url, why(row.relevant, row.evidence)))
        if len(best) == MOST_PAGES:
            break
    return best


def _hosts_and_reasons(connection: sqlite3.Connection) -> tuple[list[OfHost], list[Reason]]:
    hosts: dict[str, OfHost] = {}
    for name, pages, relevant, size in connection.execute(_OF_HOSTS):
        hosts[name] = OfHost(name, pages, relevant, size or 0)
    reasons: defaultdict[tuple[str, str], int] = defaultdict(int)
    for url, kind, detail in connection.execute(_FAILED):
        failure = Failure(str(kind), str(detail or ""))
        words, name = in_words(failure), host_of(url)
        reasons[failure.kind, words] += 1
        hosts.setdefault(name, OfHost(name)).failures[words] += 1
    ranked = sorted(hosts.values(), key=lambda host: (-host.relevant, -host.pages, host.name))
    told = [Reason(kind, words, visits) for (kind, words), visits in reasons.items()]
    told.sort(key=lambda reason: (-reason.visits, reason.words))
    if rest := sum(reason.visits for reason in told[MOST_REASONS:]):
        told[MOST_REASONS:] = [Reason("", f"{len(told) - MOST_REASONS:,} other reasons", rest)]
    return ranked, told
