"""The journal of a run, from which it is resumed: what comes is written to it or, in a replay, compared with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from wolfspider.core import events
from wolfspider.core.events import Event
from wolfspider.core.model import Page, Verdict
from wolfspider.engine.entries import WORDS, BeginEntry, CommandEntry, Entry, GrantEntry, LandEntry, ProposeEntry
from wolfspider.policy.room import Broken
from wolfspider.store.damage import damaged, reading
from wolfspider.store.database import Turn
from wolfspider.store.intake import Intake
from wolfspider.store.row_codec import packed_entry, unpacked_entry
from wolfspider.store.row_writer import RowWriter

_BATCH = 500  # entries that are read at a time
_OUTSIDE = ("Ended", "Refused")  # events that are no part of the crawl, and do not come again
_BEYOND = "seq = ? AND n >= ?"


@dataclass(slots=True)
class Position:
    """Where a run stands: at an entry of the journal, after some of what came with it."""

    seq: int = 0
    n: int = 0  # how many events of the entry came
    kind: type[Entry] | None = None  # of the entry; None at a snapshot, where all that came with it is there
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

    def entries(self, seq: int, n: int) -> Iterator[Entry]:
        """Those behind a snapshot, to be replayed from there."""
        self.at = Position(seq, n)
        return self._entries(seq)

    def _entries(self, seq: int) -> Iterator[Entry]:
        sql = "SELECT seq, kind, data FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
        before = seq
        while rows := self._turn.connection.execute(sql, (seq, self.last, _BATCH)).fetchall():
            for seq, kind, data in rows:
                if seq != before + 1:
                    raise damaged(self._turn.folder, f"entry {before + 1} of its journal is missing")
                before = seq
                with reading(self._turn.folder, f"entry {seq} of its journal"):
                    entry = unpacked_entry(kind, data)
                if isinstance(entry, LandEntry):
                    entry = entry._replace(result=self._intake.result(entry.result))
                yield entry

    def write(self, entry: Entry) -> None:
        if self.behind:
            if self._check.left(self.at.seq, self.at.n):
                raise Broken(f"the replay of entry {self.at.seq} of the journal gave fewer events than the crawl did")
            self.at = Position(self.at.seq + 1, kind=type(entry))
            self._check.entry(self.at.seq, entry)
            return
        self._end_replay()
        self.at = Position(self.at.seq + 1, kind=type(entry))
        end = None
        if isinstance(entry, LandEntry):
            stands_for, end = self._intake.land(self.at.seq, entry.visit, entry.result)
            self.at.page = stands_for if isinstance(stands_for, int) else None
            entry = entry._replace(result=stands_for)
        at = None if isinstance(entry, GrantEntry) else entry.now
        self._rows.entry(self.at.seq, WORDS[type(entry)], at, packed_entry(entry), end)

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

    def refuse(self, command: int, at: float, why: str) -> None:
        """Answer what does not reach the crawl."""
        self._end_replay()
        self._rows.refusal(self.at.seq, self.at.n, at, command, why)
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
                f"the replay of entry {self.at.seq} of the journal gave an event that the crawl did not: {event!r:.200}"
            )
        return n is not None

    def _end_replay(self) -> None:
        """What follows is new. Credits may have been paid for a turn that was lost: they will be paid again."""
        self._turn.begin()
        if not self.replaying:
            return
        if self.behind:
            raise Broken(f"the journal has {self.last} entries, and only the first {self.at.seq} were replayed")
        sql = "DELETE FROM events WHERE seq = ? AND n >= ? AND kind NOT IN ('Ended', 'Refused')"
        self._turn.write(sql, (self.at.seq, self.at.n))
        self.at.n = self._check.next_free(self.at.seq)
        self.replaying = False


# The replay, compared with the journal


class ReplayCheck:
    """Raises Broken with the first difference: then the code or the parameters are not those of the first time."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def entry(self, seq: int, entry: Entry) -> None:
        was, data = self._turn.one("SELECT kind, data FROM log WHERE seq = ?", seq) or ("nothing", b"")
        if was != (kind := WORDS[type(entry)]):
            _differs(seq, f"it was {was!r}, and is {kind!r} now")
        if isinstance(entry, BeginEntry | CommandEntry):
            return
        told: Any = unpacked_entry(was, data)
        if isinstance(entry, ProposeEntry):
            if told.visits != entry.visits:
                _differs(seq, f"visits {_few(told.visits)} were proposed, and {_few(entry.visits)} now")
        elif told.visit != entry.visit:
            _differs(seq, f"it was about visit {told.visit}, and is about {entry.visit} now")
        elif isinstance(entry, GrantEntry) and told.granted != entry.granted:
            _differs(seq, f"another try of visit {told.visit} was granted then or now, but not both times")

    def went(self, seq: int, event: events.Went) -> None:
        row = self._turn.one("SELECT seq, url, how FROM visits WHERE id = ?", event.visit.id)
        now = (seq, event.visit.link.url, event.how.value)
        if row != now:
            _differs(seq, f"visit {event.visit.id} was {row}, and is {now} now")

    def event(self, seq: int, n: int, event: Event) -> int | None:
        """Which event of the entry this one was; None if the journal knows of no more."""
        sql = "SELECT kind, data FROM events WHERE seq = ? AND n = ?"
        while (row := self._turn.one(sql, seq, n)) is not None and row[0] in _OUTSIDE:
            n += 1
        if isinstance(event, events.Landed):
            return n if self._landing(seq, n, event, row) else None
        if row is None:
            if self._turn.one("SELECT visit FROM landings WHERE seq = ? AND n = ?", seq, n):
                _differs(seq, f"a landing came, and {type(event).__name__} now")
            return None
        self._compare(seq, event, *row)
        return n

    def _landing(self, seq: int, n: int, event: events.Landed, other: Any) -> bool:
        if other is not None:
            _differs(seq, f"{other[0]} came, and a landing now")
        row = self._turn.one("SELECT visit, failure, score FROM landings WHERE seq = ? AND n = ?", seq, n)
        if row is None:
            return False
        outcome = event.outcome
        failure = None if isinstance(outcome.result, Page) else outcome.result.kind
        now = (outcome.visit.id, failure, _score(outcome.verdict))
        if row != now:
            _differs(seq, f"visit, failure and score were {row}, and are {now} now")
        return True

    def _compare(self, seq: int, event: Event, was: str, data: str) -> None:
        kind = type(event).__name__
        if was != kind:
            _differs(seq, f"{was} came, and {kind} now")
        told = json.loads(data)
        if isinstance(event, events.Credited):
            then, now = (told.get("visit"), told.get("value")), (event.credit.visit, event.credit.value)
            if then != now and "too_long" not in told:
                _differs(seq, f"visit and value of a credit were {then}, and are {now} now")
        if isinstance(event, events.Noted) and told.get("kind", event.kind) != event.kind:
            _differs(seq, f"the strategy noted {told['kind']!r}, and {event.kind!r} now")

    def kept(self, seq: int, url: str, verdict: Verdict | None) -> None:
        row = self._turn.one("SELECT score FROM held WHERE url = ? AND seq = ?", url, seq)
        if row is None:
            _differs(seq, f"{url} was not kept, and is now")
        if row[0] != _score(verdict):
            _differs(seq, f"the score of {url} was {row[0]}, and is {_score(verdict)} now")

    def left(self, seq: int, n: int) -> int:
        """How many events of an entry have not come again."""
        landings = self._turn.one(f"SELECT COUNT(*) FROM landings WHERE {_BEYOND}", seq, n)  # noqa: S608
        others = self._turn.one(
            f"SELECT COUNT(*) FROM events WHERE {_BEYOND} AND kind NOT IN (?, ?)",  # noqa: S608
            *(seq, n, *_OUTSIDE),
        )
        return int(landings[0] + others[0])

    def next_free(self, seq: int) -> int:
        """The number of the next event of an entry."""
        sql = "SELECT MAX(n) FROM (SELECT n FROM landings WHERE seq = ?1 UNION ALL SELECT n FROM events WHERE seq = ?1)"
        (last,) = self._turn.one(sql, seq)
        return 0 if last is None else last + 1


def _score(verdict: Verdict | None) -> float | None:
    return None if verdict is None else float(verdict.score)


def _few(ids: Any) -> str:
    return f"{list(ids[:5])}{' and more' if len(ids) > 5 else ''}"


def _differs(seq: int, what: str) -> NoReturn:
    raise Broken(f"the replay of the run differs from its journal at entry {seq}: {what}")
