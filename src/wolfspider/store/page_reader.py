"""Pages read back from the rows and the archive of a run, exactly as they were when they landed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.policy.room import Broken
from wolfspider.store.archive_reader import RecordPlace, read
from wolfspider.store.damage import UNREADABLE, damaged, reading
from wolfspider.store.parsed_pages import ParsedPages
from wolfspider.store.row_codec import unpacked_fetch, unpacked_page
from wolfspider.web.http.inflate import inflated
from wolfspider.web.page.html import digest_of
from wolfspider.web.page.main_text import read_page
from wolfspider.web.page.pages_at_hand import PagesAtHand

BYTES_AT_HAND = 32 << 20  # of parsed pages kept in memory, unless somebody says how many
LARGEST = 1 << 26  # bytes that a body may inflate to between two encodings; in the end it is as long as it was

_FETCH = "url, final_url, status, headers, seconds, at, hops, cut, file, offset, length, body, packed, digest"
_NUMBER = (
    "SELECT pages.seq FROM held JOIN pages ON pages.seq = held.page"
    " WHERE held.url = ? AND pages.digest = ? AND pages.at IS ? ORDER BY held.seq DESC LIMIT 1"
)


def judges_main_text(about: Mapping[str, Any]) -> bool:
    """Does the judge of this run read the main text of pages alone?"""
    return bool(about.get("settings", {}).get("judge_text") == "main")


class PageReader:
    """The owner's; a page has the number of the landing that brought it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        archive: Path,
        parsed: ParsedPages,
        at_hand: int = BYTES_AT_HAND,
        main: bool = False,
    ) -> None:
        """`main`: pages have their main text, as they had when they came."""
        self._connection, self._archive, self._before, self._main = connection, archive, parsed, main
        self._at_hand: PagesAtHand[int, Page] = PagesAtHand(at_hand)

    def number_of(self, url: str, page: Page) -> int | None:
        """Which of the pages held under an address this one is. It may have been recalled before the newest came."""
        row = self._connection.execute(_NUMBER, (url, page.digest, page.at)).fetchone()
        return None if row is None else int(row[0])

    def page(self, number: int) -> Page:
        if (page := self._at_hand.get(number)) is None:
            page = self._parsed(number)
            self.remember(number, page)
        return page

    def keep_parsed(self, number: int, page: Page) -> None:
        """A new page, for a resume after a crash."""
        self._before.keep(number, page)

    def remember(self, number: int, page: Page) -> None:
        self._at_hand.keep(number, page)

    def _parsed(self, number: int) -> Page:
        row = self._connection.execute(f"SELECT {_FETCH} FROM pages WHERE seq = ?", (number,)).fetchone()  # noqa: S608
        if row is None:
            raise damaged(self._archive.parent, f"there is no page {number}")
        url, final_url, status, headers, seconds, at, hops, cut, *place, size, packed, digest = row
        with reading(self._archive.parent, f"page {number}"):
            if packed is not None:
                return unpacked_page(packed)
            if (before := self._before.get(number)) is not None and before.digest == digest:
                return before
            passed = tuple(json.loads(hops))
            answer = Fetch(url, final_url, status, json.loads(headers), b"", None, seconds, at, passed, cut=bool(cut))
            page = archived_page(self._archive, RecordPlace(*map(int, place)), size, answer, self._main)
        if isinstance(page, Failure):
            raise Broken(f"{url} was a page when it came and is none when read again ({page.kind})")
        if page.digest != digest:
            raise damaged(self._archive.parent, f"the record of {url} in its archive is another one")
        return page


def liked(connection: sqlite3.Connection, archive: Path) -> list[Fetch]:
    """The pages that describe the topic, in the order they were kept."""
    fetches = []
    for data, *place in connection.execute("SELECT data, file, offset, length FROM likes ORDER BY n").fetchall():
        fetch, size = unpacked_fetch(data)
        archived = place[0] is not None and fetch.page is None
        fetches.append(replace(fetch, body=body_at(archive, RecordPlace(*place), size)) if archived else fetch)
    return fetches


def archived_page(archive: Path, place: RecordPlace, size: int, answer: Fetch, main: bool = False) -> Page | Failure:
    """The page in an archived answer, which comes here without its body. BadInput if the record is damaged."""
    return read_page(replace(answer, body=body_at(archive, place, size)), main=main)


def body_at(archive: Path, place: RecordPlace, size: int) -> bytes:
    """The decoded body of an archived answer, as long as it was when it came."""
    capture = read(archive, place)
    encoding = ",".join(value for name, value in capture.headers if name.lower() == "content-encoding")
    decoded = inflated(capture.body, encoding, size, max(size, LARGEST))
    body = b"" if isinstance(decoded, Failure) else decoded[0]
    if len(body) != size:
        what = f"the archived body of {capture.url} has {len(body):,} bytes; it had {size:,} when it came"
        raise damaged(archive.parent, what)
    return body


def has_body(archive: Path, place: RecordPlace, size: int, digest: str) -> bool:
    """Is the body of a page still the one that came?"""
    try:
        return digest_of(body_at(archive, place, size)) == digest
    except (BadInput, *UNREADABLE):
        return False
