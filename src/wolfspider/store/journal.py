"""The log of a run, from which it is resumed: what comes is written to it or, in a replay, compared with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wolfspider.core import events
from wolfspider.core.events import Event
from wolfspider.policy.room import Broken
from wolfspider.store.database import Turn
from wolfspider.store.intake import Intake
from wolfspider.store.replay_check import ReplayCheck
from wolfspider.store.row_codec import packed_entry, unpacked_entry
from wolfspider.store.row_writer import RowWriter

_WHEN = {"begin": 1, "propose": 0, "land": 2, "command": 1}  # where an entry says its time
_BATCH = 500  # entries that are read at a time


@dataclass(slots=True)
class Position:
    """Where a run stands: at an entry of the log, after some of what came with it."""

    seq: int = 0
    n: int = 0  # how many events of the entry came
    kind: str = ""  # of the entry; "" at a snapshot, where all that came with it is there
    page: int | None = None  # the number of the page that landed with it
    kept: set[str] = field(default_factory=set)  # addresses kept with it


class Journal:
    """While `replaying`, the same entries and events must come as the first time. The first one beyond them is new."""

    def __init__(self, turn: Turn, intake: Intake, rows: RowWriter, check: ReplayCheck) -> None:
        self._turn, self._intake, self._rows, self._check = turn, intake, rows, check
        self.last: int = turn.one("SELECT IFNULL(MAX(seq), 0) FROM log")[0]
        self.replaying = self.last > 0
        self.at = Position()
        self.command: int | None = None  # the number of the one that comes next

    @property
    def behind(self) -> bool:
        """Are there entries that have not been replayed yet?"""
        return self.replaying and self.at.seq < self.last

    def entries(self, seq: int, n: int) -> Iterator[tuple[Any, ...]]:
        """Those behind a snapshot, to be replayed from there."""
        self.at = Position(seq, n)
        return self._entries(seq)

    def _entries(self, seq: int) -> Iterator[tuple[Any, ...]]:
        sql = "SELECT seq, kind, data FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
        while rows := self._turn.connection.execute(sql, (seq, self.last, _BATCH)).fetchall():
            for seq, kind, data in rows:  # noqa: B007
                entry = unpacked_entry(kind, data)
                if kind == "land":
                    _, visit, stands_for, now, seconds = entry
                    entry = (kind, visit, self._intake.result(stands_for), now, seconds)
                yield entry

    def write(self, entry: tuple[Any, ...]) -> None:
        kind, *parts = entry
        if self.behind:
            if self._check.left(self.at.seq, self.at.n):
                raise Broken(f"in the replay less came of entry {self.at.seq} of the log than the first time")
            self.at = Position(self.at.seq + 1, kind=kind)
            self._check.entry(self.at.seq, kind, parts)
            return
        self._end_replay()
        self.at = Position(self.at.seq + 1, kind=kind)
        end = None
        if kind == "land":
            parts[1], end = self._intake.land(self.at.seq, *parts[:2])
            self.at.page = parts[1] if isinstance(parts[1], int) else None
        at = parts[_WHEN[kind]] if kind in _WHEN else None
        self._rows.entry(self.at.seq, kind, at, packed_entry(kind, parts), end)

    def hear(self, event: Event) -> None:
        if self.replaying and self._heard_before(event):
            return
        self._end_replay()
        if isinstance(event, events.Went):
            self._rows.visit(self.at.seq, event.visit, event.how)
            return
        if isinstance(event, events.Landed):
            self._rows.landing(self.at.seq, self.at.n, event, self.at.page)
        elif isinstance(event, events.Obeyed):
            self._rows.event(self.at.seq, self.at.n, event, self.command)
            self.command = None
        else:
            self._rows.event(self.at.seq, self.at.n, event)
        self.at.n += 1

    def refuse(self, command: int, at: float) -> None:
        """Answer what is no command at all."""
        self._end_replay()
        self._rows.refusal(self.at.seq, self.at.n, at, command, "This is no command that is known here.")
        self.at.n += 1

    def _heard_before(self, event: Event) -> bool:
        if isinstance(event, events.Ended):
            return False
        if isinstance(event, events.Went):
            self._check.went(self.at.seq, event)
            return True
        n = self._check.event(self.at.seq, self.at.n, event)
        if n is not None:
            self.at.n = n + 1
        elif self.behind:
            raise Broken(
                f"in the replay more came of entry {self.at.seq} of the log than the first time: {event!r:.200}"
            )
        return n is not None

    def _end_replay(self) -> None:
        """What follows is new. Credits may have been paid for a turn that was lost: they will be paid again."""
        self._turn.begin()
        if not self.replaying:
            return
        if self.behind:
            raise Broken(f"the log goes on to entry {self.last} and was replayed up to {self.at.seq} only")
        sql = "DELETE FROM events WHERE seq = ? AND n >= ? AND kind NOT IN ('Ended', 'Refused')"
        self._turn.write(sql, (self.at.seq, self.at.n))
        self.at.n = self._check.next_free(self.at.seq)
        self.replaying = False
