"""What a run holds, read from its rows and its archive: pages exactly as they were, as of any point of the log."""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from dataclasses import replace
from typing import NamedTuple

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Capture, Failure, Fetch, Page, Verdict
from wolfspider.policy.room import Broken
from wolfspider.store.archive import Archive
from wolfspider.store.archive_reader import Place
from wolfspider.store.row_codec import unpacked_fetch, unpacked_page
from wolfspider.web.http.inflate import inflated
from wolfspider.web.page.html import parse

AT_HAND = 128  # parsed pages kept in memory
LARGEST = 1 << 26  # bytes that a body may inflate to between two encodings; in the end it is as long as it was

_FETCH = "url, final_url, status, headers, seconds, at, hops, cut, file, offset, length, body, packed"


class Holding(NamedTuple):
    """What is known of an address: a row of `held`."""

    page: int | None  # the landing that brought it
    failure: Failure | None
    verdict: Verdict | None


class PageReader:
    def __init__(self, connection: sqlite3.Connection, archive: Archive) -> None:
        self._connection, self._archive = connection, archive
        self._at_hand: OrderedDict[int, Page] = OrderedDict()

    def holds(self, url: str, upto: int) -> bool:
        sql = "SELECT 1 FROM held WHERE url = ? AND seq <= ? LIMIT 1"
        return self._connection.execute(sql, (url, upto)).fetchone() is not None

    def held(self, url: str, upto: int) -> Holding | None:
        sql = (
            "SELECT page, failure, detail, score, relevant, evidence FROM held WHERE url = ? AND seq <= ?"
            " ORDER BY seq DESC LIMIT 1"
        )
        row = self._connection.execute(sql, (url, upto)).fetchone()
        if row is None:
            return None
        page, failure, detail, score, relevant, evidence = row
        verdict = Verdict(score, bool(relevant), json.loads(evidence)) if score is not None else None
        return Holding(page, Failure(failure, detail) if failure is not None else None, verdict)

    def version(self, url: str, page: Page) -> int | None:
        """Which of the pages held under an address this one is. It may have been recalled before the newest came."""
        sql = (
            "SELECT pages.seq FROM held JOIN pages ON pages.seq = held.page"
            " WHERE held.url = ? AND pages.digest = ? AND pages.at IS ? ORDER BY held.seq DESC LIMIT 1"
        )
        row = self._connection.execute(sql, (url, page.digest, page.at)).fetchone()
        return None if row is None else int(row[0])

    def newest(self, host: str, count: int, upto: int) -> list[str]:
        """Final addresses of the pages of a host that are held, newest last, each once."""
        sql = (
            "SELECT final_url FROM pages WHERE host = ? AND seq <= ? AND EXISTS (SELECT 1 FROM held"
            " WHERE held.url = pages.final_url AND held.page = pages.seq AND held.seq <= ?) ORDER BY seq DESC"
        )
        found: dict[str, None] = {}
        for (url,) in self._connection.execute(sql, (host, upto, upto)):
            found[url] = None
            if len(found) >= count:
                break
        return list(found)[::-1]

    def page(self, seq: int) -> Page:
        """As it was parsed when it landed."""
        page = self._at_hand.get(seq)
        if page is None:
            page = self._parsed(seq)
        self.remember(seq, page)
        return page

    def remember(self, seq: int, page: Page) -> None:
        self._at_hand[seq] = page
        self._at_hand.move_to_end(seq)
        if len(self._at_hand) > AT_HAND:
            self._at_hand.popitem(last=False)

    def _parsed(self, seq: int) -> Page:
        row = self._connection.execute(f"SELECT {_FETCH} FROM pages WHERE seq = ?", (seq,)).fetchone()  # noqa: S608
        if row is None:
            raise BadInput(f"The run is damaged: there is no page {seq}.")
        *known, packed = row
        if packed is not None:
            return unpacked_page(packed)
        result = parse(self._fetch(*known))
        if isinstance(result, Failure):
            raise Broken(f"{known[0]} was a page when it came and is none when read again ({result.kind})")
        return result

    def _fetch(
        self,
        url: str,
        final_url: str,
        status: int,
        headers: str,
        seconds: float,
        at: float,
        hops: str,
        cut: int,
        file: int,
        offset: int,
        length: int,
        size: int,
    ) -> Fetch:
        body = body_of(self._archive.read(Place(file, offset, length)), size)
        passed = tuple(json.loads(hops))
        return Fetch(url, final_url, status, json.loads(headers), body, None, seconds, at, passed, cut=bool(cut))

    def address(self, seq: int) -> str:
        """Where a page was in the end."""
        row = self._connection.execute("SELECT final_url FROM pages WHERE seq = ?", (seq,)).fetchone()
        return str(row[0]) if row else ""

    def headers(self, seq: int) -> dict[str, str]:
        row = self._connection.execute("SELECT headers FROM pages WHERE seq = ?", (seq,)).fetchone()
        kept: dict[str, str] = json.loads(row[0]) if row else {}
        return kept

    def liked(self) -> list[Fetch]:
        rows = self._connection.execute("SELECT data, file, offset, length FROM likes ORDER BY n").fetchall()
        return [self._liked(*row) for row in rows]

    def _liked(self, data: bytes, file: int | None, offset: int, length: int) -> Fetch:
        fetch, size = unpacked_fetch(data)
        if file is None or fetch.page is not None:
            return fetch
        return replace(fetch, body=body_of(self._archive.read(Place(file, offset, length)), size))


def body_of(capture: Capture, size: int) -> bytes:
    """The decoded body, as long as it was when it came."""
    encoding = ",".join(value for name, value in capture.headers if name.lower() == "content-encoding")
    found = inflated(capture.body, encoding, size, max(size, LARGEST))
    body = found[0] if not isinstance(found, Failure) else b""
    if len(body) != size:
        raise BadInput(f"The archived body of {capture.url} has {len(body):,} bytes; it had {size:,} when it came.")
    return body
