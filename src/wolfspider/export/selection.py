"""The pages of one moment of a run that an export has, one at a time.

Each page is there once, by its final address, in its newest version and with the last verdict on it, a person's before
the judge's. Pages that ask not to be indexed never are.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from wolfspider.core.model import hidden
from wolfspider.export.export_tally import Exported
from wolfspider.export.exported_page import ExportedPage, FoundBy, OfRun
from wolfspider.export.near_duplicates import NearDuplicates
from wolfspider.store.damage import reading
from wolfspider.store.folder import Places
from wolfspider.store.sound_rows import check_values
from wolfspider.store.view import RunView, StoredPage, missing_pages, page_numbered, pages_of

_DEEPEST = 1_000  # links from a starting point
_REMEMBERED = 20_000  # pages whose depth is known
_FOUND_ON = "SELECT source, anchor, agent FROM visits WHERE id = ?"
_FIRST_SOURCE = (
    "SELECT v.source FROM held h JOIN pages p ON p.seq = h.page JOIN visits v ON v.id = p.visit"
    " WHERE h.url = ? ORDER BY h.seq LIMIT 1"
)
_TOPIC = "SELECT data FROM events WHERE kind = 'Obeyed' AND data LIKE '%\"SetTopic\"%' ORDER BY seq DESC, n DESC"


@dataclass(frozen=True)
class Filters:
    """Which pages of a run are wanted."""

    relevant: bool = False  # only these
    since: float | None = None  # only those that were downloaded at that time or later
    languages: tuple[str, ...] = ()  # only pages in these; () for all
    best: int | None = None  # only so many, those with the highest scores, the best first
    dedup: bool = False  # of nearly equal pages only the first

    def wants(self, row: StoredPage) -> bool:
        return not self.languages or row.language in self.languages


EVERYTHING = Filters()
Rejudge = Callable[[StoredPage], StoredPage]


@dataclass
class Selection:
    """Iterated over once."""

    view: RunView
    connection: sqlite3.Connection  # one moment of the run
    filters: Filters = EVERYTHING
    main_text: bool = False
    rejudge: Rejudge | None = None  # gives a page its verdict by the judge as it is now
    earlier: NearDuplicates | None = None  # pages of other islands of the same export
    island: str = ""  # as pages have it
    exported: Exported = field(init=False)
    _depths: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.exported = Exported(self.view.folder)
        database = Places.of(self.view.folder).database
        with reading(database, "when it was written last"):
            (self.at,) = self.connection.execute("SELECT IFNULL(MAX(at), 0.0) FROM log").fetchone()  # the moment
            check_values("log", ("at",), (self.at,))
        with reading(database, "the topic that was set"):
            steered = self._steered_topic()
        with reading(Places.of(self.view.folder).description, "what is wanted"):
            self.settings: dict[str, Any] = self.view.about["settings"]
            self.strategy: str = self.settings["strategy"]
            self.topic: str = steered or self.settings["topic"] or self.settings["description"]

    def __iter__(self) -> Iterator[ExportedPage]:
        self.exported.lost += missing_pages(self.connection)
        return islice(self._pages(), self.filters.best)

    def _pages(self) -> Iterator[ExportedPage]:
        common = (self.view, self.strategy, self.topic, self.main_text, self.exported, self.island)
        run, wanted = OfRun(*common), self.filters
        rows = self._rows() if self.rejudge is None else self._rejudged(self.rejudge)
        with nullcontext(self.earlier) if self.earlier is not None else closing(NearDuplicates()) as earlier:
            for row in filter(wanted.wants, rows):
                if hidden(row.robots):
                    self.exported.withheld += 1
                    continue
                first = earlier.first_like(row.final_url, row.digest, row.near, row.words)
                if first is not None and wanted.dedup:
                    self.exported.duplicates += 1
                    continue
                self.exported.pages += 1
                yield ExportedPage(row, self._way(row), first, run)

    def _rows(self) -> Iterator[StoredPage]:
        relevant, since, best = self.filters.relevant, self.filters.since, self.filters.best
        return pages_of(self.connection, relevant, since, self._left_out, best=best is not None)

    def _rejudged(self, rejudge: Rejudge) -> Iterator[StoredPage]:
        """Every page is judged anew before it is chosen. For the best ones all verdicts are kept, but not the pages."""
        wanted = self.filters
        judged = map(rejudge, pages_of(self.connection, False, wanted.since, self._left_out))
        rows = (row for row in judged if row.relevant or not wanted.relevant)
        if wanted.best is None:
            return rows
        verdicts = {row.number: (row.score, row.relevant, row.evidence) for row in rows}
        order = sorted(verdicts, key=lambda number: (-verdicts[number][0], number))
        found = ((page_numbered(self.connection, number), verdicts[number]) for number in order)
        return (
            replace(row, score=score, relevant=relevant, evidence=evidence)
            for row, (score, relevant, evidence) in found
            if row is not None
        )

    def _way(self, row: StoredPage) -> FoundBy:
        found = self.connection.execute(_FOUND_ON, (row.visit,)).fetchone() or ("", "", "")
        with reading(Places.of(self.view.folder).database, "how a page was found"):
            check_values("visits", ("source", "anchor", "agent"), found)
        source, anchor, agent = found
        return FoundBy(source, anchor, agent, self._depth(source))

    def _left_out(self, number: object, error: Exception) -> None:
        self.exported.lost += 1

    def _steered_topic(self) -> str:
        """The topic that a person set last, if any."""
        for (data,) in self.connection.execute(_TOPIC):
            obeyed = json.loads(data)
            if not obeyed.get("problem"):
                return ", ".join(obeyed["command"]["keywords"])
        return ""

    def _depth(self, source: str) -> int | None:
        """One more than that of the page that linked to it, and so on back to a starting point."""
        passed: list[str] = []
        while source and source not in self._depths and source not in passed and len(passed) < _DEEPEST:
            passed.append(source)
            row = self.connection.execute(_FIRST_SOURCE, (source,)).fetchone()
            if row is None:
                break
            source = row[0]
        depth = -1 if not source else self._depths.get(source)
        for url in reversed(passed):
            depth = None if depth is None else depth + 1
            if len(self._depths) >= _REMEMBERED:
                self._depths.clear()
            self._depths[url] = depth
        return None if depth is None else depth + 1
