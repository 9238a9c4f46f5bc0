"""What a report says of a run, read at one moment: the pages that an export would have, and what became of visits.

The curve ends at the numbers of `wolfspider status` and of an export: every page counts once, with the last verdict on
it, at the download that brought its newest copy.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app.present_settings import PresentSettings
from wolfspider.app.settings import worded
from wolfspider.app.steering import as_typed
from wolfspider.core import events
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, hidden, host_of
from wolfspider.export.exported_page import why
from wolfspider.report.unfollowed import Unfollowed, unfollowed
from wolfspider.store.damage import reading
from wolfspider.store.folder import Places
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import FAILED, RunView, Summary, pages_of
from wolfspider.terminal.outlook_words import prospects

MOST_HOSTS, MOST_PAGES, MOST_COMMANDS, MOST_REASONS = 50, 30, 200, 40
ARRIVALS = f"SELECT p.seq, h.relevant FROM {NEWEST} WHERE NOT {HIDDEN} ORDER BY p.seq"  # noqa: S608
_SPENT = "SELECT seq, SUM(cost) FROM landings WHERE cost > 0 GROUP BY seq ORDER BY seq"
_OF_HOSTS = (
    f"SELECT p.host, COUNT(*), SUM(h.relevant), SUM(p.size) FROM {NEWEST}"  # noqa: S608
    f" WHERE NOT {HIDDEN} GROUP BY p.host"
)
_OBEYED = (
    "SELECT e.seq, e.at, e.data, e.command, c.who FROM events e LEFT JOIN commands c ON c.id = e.command"
    " WHERE e.kind = 'Obeyed' ORDER BY e.seq DESC, e.n DESC LIMIT ?"
)
_FAILED = f"SELECT url, failure, detail FROM {FAILED}"  # noqa: S608


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


class Commanded(NamedTuple):
    """What a person, or a teacher, said to the run, in the words of `wolfspider steer`."""

    at: float
    downloads: int  # spent by then
    typed: str
    before: str
    problem: str
    by_teacher: bool
    command: events.Command
    old: Any = None
    number: int | None = None  # by which its sender knows it; None if it was said when the run was resumed
    who: str = ""


class RunFacts(NamedTuple):
    settings: PresentSettings
    summary: Summary
    curve: PagesCurve
    best: list[BestPage]
    hosts: list[OfHost]  # those with most relevant pages first
    other_hosts: OfHost | None  # all that are not named, as one
    reasons: list[Reason]
    commands: list[Commanded]
    prospects: list[str]  # what there is to say of relevant pages to come
    unfollowed: list[Unfollowed]  # links that rules of the crawl's own hold back


def facts_of(folder: Path) -> RunFacts:
    view = RunView(folder)
    with view.moment() as connection, reading(Places.of(folder).database, "what a report tells"):
        hosts, reasons = hosts_and_reasons(connection)
        curve, best, commands = _curve(connection), _best(connection), commands_of(connection)
        held_back = unfollowed(connection)
    shown, others = hosts[:MOST_HOSTS], hosts[MOST_HOSTS:]
    rest = OfHost(f"{len(others):,} other hosts")
    for host in others:
        rest.add(host)
    summary, gauge = view.summary(), view.gauge()
    hosts_told = (shown, rest if others else None)
    to_come = prospects(gauge, summary.ended, summary.forgotten_at)
    return RunFacts(PresentSettings.of(view), summary, curve, best, *hosts_told, reasons, commands, to_come, held_back)


def _curve(connection: sqlite3.Connection) -> PagesCurve:
    spent = iter(connection.execute(_SPENT).fetchall())
    curve, downloads, pages, relevant = PagesCurve([0], [0], [0]), 0, 0, 0
    coming: Sequence[int] | None = next(spent, None)
    for number, good in connection.execute(ARRIVALS):
        while coming is not None and coming[0] <= number:
            downloads, coming = downloads + coming[1], next(spent, None)
        pages, relevant = pages + 1, relevant + good
        for part, value in zip(curve, (downloads, pages, relevant), strict=True):
            part.append(value)
    downloads += sum(cost for _, cost in ([coming] if coming else []) + list(spent))
    for part, value in zip(curve, (downloads, pages, relevant), strict=True):
        part.append(value)
    return curve


def commands_of(connection: sqlite3.Connection, most: int = MOST_COMMANDS) -> list[Commanded]:
    """The newest of them, oldest first."""
    spent = connection.execute(_SPENT).fetchall()
    steps, sums = [step for step, _ in spent], list(accumulate(cost for _, cost in spent))
    told = []
    for step, *row in connection.execute(_OBEYED, (most,)):
        passed = bisect_right(steps, step)
        told.append(commanded(sums[passed - 1] if passed else 0, *row))
    return [each for each in reversed(told) if each is not None]


def commanded(downloads: int, at: Any, data: Any, number: Any, who: Any) -> Commanded | None:
    """A row of events that tells how a command was obeyed; None of a damaged one."""
    with suppress(ValueError, TypeError, AttributeError, KeyError, RecursionError):
        said = json.loads(data)
        command, old, problem = _command(said["command"]), said.get("old"), str(said.get("problem") or "")
        before = worded(command.name, old) if isinstance(command, events.SetLimit) and old is not None else old
        by_teacher = isinstance(command, events.Label) and command.by_teacher
        known = number if isinstance(number, int) else None
        answer = (_in_a_line(before), problem, by_teacher, command, old, known, str(who or ""))
        return Commanded(float(at), downloads, as_typed(command), *answer)
    return None


def _command(told: Mapping[str, Any]) -> events.Command:
    rest = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    kind = getattr(events, str(rest.pop("kind", "")), None)
    if not (isinstance(kind, type) and issubclass(kind, events.Command)):
        raise ValueError("no command")
    return kind(**rest)


def _in_a_line(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _best(connection: sqlite3.Connection) -> list[BestPage]:
    best: list[BestPage] = []
    for row in pages_of(connection, relevant=True, unreadable=lambda number, error: None, best=True):
        if not hidden(row.robots):
            best.append(BestPage(row.score, row.title, row.final_url, why(row.relevant, row.evidence)))
        if len(best) == MOST_PAGES:
            break
    return best


def hosts_and_reasons(connection: sqlite3.Connection) -> tuple[list[OfHost], list[Reason]]:
    hosts: dict[str, OfHost] = {}
    for name, pages, relevant, size in connection.execute(_OF_HOSTS):
        hosts[name] = OfHost(name, pages, relevant, size or 0)
    reasons: defaultdict[tuple[str, str], int] = defaultdict(int)
    for url, kind, detail in connection.execute(_FAILED):
        failure = Failure(str(kind), str(detail or ""))
        words, name = in_words(failure), host_of(url)
        reasons[failure.kind, words] += 1
        hosts.setdefault(name, OfHost(name)).failures[words] += 1
    return ranked(hosts.values(), reasons)


def ranked(hosts: Iterable[OfHost], reasons: Mapping[tuple[str, str], int]) -> tuple[list[OfHost], list[Reason]]:
    """The best first, and the commonest."""
    found = sorted(hosts, key=lambda host: (-host.relevant, -host.pages, host.name))
    told = [Reason(kind, words, visits) for (kind, words), visits in reasons.items()]
    told.sort(key=lambda reason: (-reason.visits, reason.words))
    if rest := sum(reason.visits for reason in told[MOST_REASONS:]):
        told[MOST_REASONS:] = [Reason("", f"{len(told) - MOST_REASONS:,} other reasons", rest)]
    return found, told
