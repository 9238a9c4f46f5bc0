"""The replay of a run, compared with its log: the same entries and events must come as the first time."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from wolfspider.core import events
from wolfspider.core.events import Event
from wolfspider.core.model import Page, Verdict
from wolfspider.policy.room import Broken
from wolfspider.store.database import Turn
from wolfspider.store.row_codec import unpacked_entry

_OUTSIDE = ("Ended", "Refused")  # events that are no part of the crawl, and do not come again
_BEYOND = "seq = ? AND n >= ?"


class ReplayCheck:
    """Raises Broken with the first difference: then the code or the parameters are not those of the first time."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def entry(self, seq: int, kind: str, parts: list[Any]) -> None:
        was, data = self._turn.one("SELECT kind, data FROM log WHERE seq = ?", seq) or ("nothing", b"")
        if was != kind:
            _differs(seq, f"it was {was!r}, and is {kind!r} now")
        told = unpacked_entry(kind, data)[1:] if kind in ("propose", "grant", "land") else ()
        if kind == "propose" and tuple(told[4]) != tuple(parts[4]):
            _differs(seq, f"visits {_few(told[4])} were proposed, and {_few(parts[4])} now")
        if kind in ("grant", "land") and told[0] != parts[0]:
            _differs(seq, f"it was about visit {told[0]}, and is about {parts[0]} now")
        if kind == "grant" and told[1] != parts[1]:
            _differs(seq, f"another try of visit {told[0]} was granted then or now, but not both times")

    def went(self, seq: int, event: events.Went) -> None:
        row = self._turn.one("SELECT seq, url, how FROM visits WHERE id = ?", event.visit.id)
        now = (seq, event.visit.link.url, event.how)
        if row != now:
            _differs(seq, f"visit {event.visit.id} was {row}, and is {now} now")

    def event(self, seq: int, n: int, event: Event) -> int | None:
        """Which event of the entry this one was; None if the log knows of no more."""
        while True:
            row = self._turn.one("SELECT kind, data FROM events WHERE seq = ? AND n = ?", seq, n)
            if row is None or row[0] not in _OUTSIDE:
                break
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
    raise Broken(f"the replay of the run differs from its log at entry {seq}: {what}")
