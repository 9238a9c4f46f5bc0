"""The pages of a run that may be exported, each once, with the page that linked to it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from wolfspider.core.model import hidden
from wolfspider.store.view import RunView, StoredPage, pages_of

_DEEPEST = 1_000  # links from a starting point
_REMEMBERED = 100_000  # pages whose depth is known
_FOUND_ON = "SELECT source, anchor FROM visits WHERE id = ?"
_FIRST_SOURCE = (
    "SELECT v.source FROM held h JOIN pages p ON p.seq = h.page JOIN visits v ON v.id = p.visit"
    " WHERE h.url = ? ORDER BY h.seq LIMIT 1"
)
_TOPIC = "SELECT data FROM events WHERE kind = 'Obeyed' AND data LIKE '%\"SetTopic\"%' ORDER BY seq DESC, n DESC"


@dataclass
class Exported:
    """The result of an export."""

    pages: int = 0
    withheld: int = 0  # pages that ask not to be indexed
    damaged: int = 0  # pages whose record in the archive can't be read: without text, or left out of a WARC

    def told(self) -> str:
        parts = [f"{self.pages:,} page{'s' * (self.pages != 1)}."]
        if self.withheld:
            parts.append(f"{self.withheld:,} more left out, because they ask not to be indexed (noindex).")
        if self.damaged:
            parts.append(f"The archive is damaged at {self.damaged:,} of them.")
        return " ".join(parts)


class Selected(NamedTuple):
    row: StoredPage
    source: str  # the page that linked to it; "" for a starting point
    anchor: str
    depth: int | None  # links from a starting point, on the way it was found; None if unknown


@dataclass
class Selection:
    """Iterated over once."""

    view: RunView
    connection: sqlite3.Connection  # one moment of the run
    relevant: bool
    exported: Exported = field(default_factory=Exported)
    _depths: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settings = self.view.about["settings"]
        (self.at,) = self.connection.execute("SELECT IFNULL(MAX(at), 0.0) FROM log").fetchone()  # the moment
        self.strategy: str = settings["strategy"]
        self.topic: str = self._steered_topic() or settings["topic"] or settings["description"]

    def __iter__(self) -> Iterator[Selected]:
        for row in pages_of(self.connection, self.relevant):
            if hidden(row.robots):
                self.exported.withheld += 1
                continue
            source, anchor = self.connection.execute(_FOUND_ON, (row.visit,)).fetchone() or ("", "")
            self.exported.pages += 1
            yield Selected(row, source, anchor, self._depth(source))

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
