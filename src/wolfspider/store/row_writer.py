"""The rows of a run, written one by one. Every page passes here: a statement each, and nothing computed twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.events import Event
from wolfspider.core.model import Failure, Fetch, Page, Verdict, Visit, host_of, word_count
from wolfspider.core.text import clipped
from wolfspider.store.archive import ArchiveEnd
from wolfspider.store.archive_reader import RecordPlace
from wolfspider.store.database import Turn
from wolfspider.store.row_codec import json_of, kept_headers, packed_page, signed

PDF = "application/pdf"
_NO_PLACE = (None, None, None)


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608


_LOG = _insert("log", 6)
_VISIT = _insert("visits", 9)
_PAGE = _insert("pages", 31)
_LANDING = _insert("landings", 14)
_EVENT = _insert("events", 6)
_HELD = _insert("held", 8).replace("INSERT", "INSERT OR REPLACE")


class RowWriter:
    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._evidence: tuple[Mapping[str, Any] | None, str] = (None, "{}")  # the last one, and its JSON

    def entry(self, seq: int, kind: str, at: float | None, data: bytes, end: ArchiveEnd | None) -> None:
        self._turn.write(_LOG, (seq, kind, at, data, *(end or (None, None))))

    def visit(self, seq: int, visit: Visit, how: str) -> None:
        link = visit.link
        note = json_of(visit.note) if visit.note else "{}"
        went = (visit.id, seq, link.url, visit.agent, visit.source, how, int(visit.fresh), clipped(link.anchor), note)
        self._turn.write(_VISIT, went)

    def page(self, seq: int, visit: int, page: Page, fetch: Fetch | None, place: RecordPlace | None) -> None:
        """The parsed page is kept where the archive might not give it again: without a place there, of a PDF, which
        is read for a limited time, and of a body that was cut or damaged."""
        if fetch is None:
            fetch = Fetch(page.url, page.final_url, page.status, at=page.at)
        self._turn.write(
            _PAGE,
            (
                *(seq, visit, page.url, page.final_url, host_of(page.final_url)),
                *(json.dumps(fetch.hops) if fetch.hops else "[]", page.at, fetch.seconds, page.status),
                *(json.dumps(kept_headers(fetch.headers)), page.type, page.charset),
                *(clipped(page.title), clipped(page.description), page.language, page.published, page.modified),
                *(page.size, page.digest, signed(page.near), word_count(page), len(page.links), int(page.truncated)),
                *(" ".join(page.robots), page.canonical, *(place or _NO_PLACE), fetch.length, int(fetch.cut)),
                packed_page(page) if place is None or page.type == PDF or fetch.cut else None,
            ),
        )

    def landing(self, seq: int, n: int, event: events.Landed, page: int | None) -> None:
        outcome = event.outcome
        visit, result = outcome.visit, outcome.result
        told = (page, None, None) if isinstance(result, Page) else (None, result.kind, clipped(result.detail))
        self._turn.write(
            _LANDING,
            (
                *(seq, n, visit.id, visit.link.url, *told, *self._verdict(outcome.verdict)),
                *(event.how, outcome.downloads, outcome.seconds, event.at),
            ),
        )

    def held(self, seq: int, url: str, page: int | None, failure: Failure | None, verdict: Verdict | None) -> None:
        told = (failure.kind, clipped(failure.detail)) if failure is not None else (None, None)
        self._turn.write(_HELD, (url, seq, page, *told, *self._verdict(verdict)))

    def event(self, seq: int, n: int, event: Event, command: int | None = None) -> None:
        self._turn.write(_EVENT, (seq, n, type(event).__name__, event.at, event_json(event), command))

    def refusal(self, seq: int, n: int, at: float, command: int, problem: str) -> None:
        """The answer to what was no command at all; no event of the crawl."""
        self._turn.write(_EVENT, (seq, n, "Refused", at, json_of({"problem": problem}), command))

    def _verdict(self, verdict: Verdict | None) -> tuple[float | None, int | None, str | None]:
        if verdict is None:
            return None, None, None
        if self._evidence[0] is not verdict.evidence:
            self._evidence = (verdict.evidence, json_of(verdict.evidence))
        return float(verdict.score), int(verdict.relevant), self._evidence[1]


def event_json(event: Event) -> str:
    if isinstance(event, events.Credited):  # the most frequent one
        credit = event.credit
        told = {"visit": credit.visit, "agent": credit.agent, "value": credit.value, "reason": credit.reason}
        return json_of({**told, "due": credit.at})
    if isinstance(event, events.Postponed):
        return json_of({"visit": event.visit.id, "url": event.visit.link.url, **event.failure._asdict()})
    told = codec.plain(event)
    del told["at"]
    if isinstance(event, events.Obeyed):
        told["command"] = {"kind": type(event.command).__name__, **told["command"]}
    if isinstance(event, events.Began):
        told["seeds"] = [link.url for link in event.seeds[:100]]
    return json_of(told)
