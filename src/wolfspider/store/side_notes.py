"""What a run knows beside its journal: when hosts may be asked again, their robots rules, and figures that add up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from wolfspider.store.database import Turn

_ADD = "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"


class SideNotes:
    """In memory."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}  # JSON by host
        self.figures: Counter[str] = Counter()

    def keep_hosts(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.rows.update((row["host"], json.dumps(dict(row))) for row in rows)

    def hosts(self, earlier: Mapping[str, str] | None = None) -> list[Mapping[str, Any]]:
        """The newest row of each host, by name; `earlier` has older ones."""
        return [json.loads(text) for _, text in sorted({**(earlier or {}), **self.rows}.items())]


class StoredNotes:
    """In the tables of a run; those of the turn in memory until it ends."""

    def __init__(self, turn: Turn) -> None:
        self._turn, self.new = turn, SideNotes()

    def hosts(self) -> list[Mapping[str, Any]]:
        return self.new.hosts(dict(self._turn.connection.execute("SELECT host, data FROM hosts")))

    def counts(self) -> Mapping[str, int]:
        stored = dict(self._turn.connection.execute("SELECT name, value FROM counters").fetchall())
        return {name: stored.get(name, 0) + self.new.figures[name] for name in sorted({*stored, *self.new.figures})}

    def flush(self) -> None:
        """Part of the turn."""
        for row in self.new.rows.items():
            self._turn.write("INSERT OR REPLACE INTO hosts VALUES (?, ?)", row)
        for figure in self.new.figures.items():
            self._turn.write(_ADD, figure)
        self.new = SideNotes()
