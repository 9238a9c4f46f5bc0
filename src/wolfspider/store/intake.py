"""What comes back for visits, on its way into the archive and the table of pages, and from there into the journal."""

from __future__ import annotations

from typing import Any

from wolfspider.core.model import Capture, Failure, Fetch, PackedCapture, Page, Route, is_web_address
from wolfspider.policy.room import Broken
from wolfspider.store.archive import Archive, ArchiveEnd
from wolfspider.store.archive_reader import RecordPlace
from wolfspider.store.damage import reading
from wolfspider.store.database import Turn
from wolfspider.store.page_reader import PageReader
from wolfspider.store.row_codec import packed_fetch, packed_page, unpacked_page
from wolfspider.store.row_writer import RowWriter

_LIKE = "INSERT INTO likes (data, file, offset, length, end_file, end_offset) VALUES (?, ?, ?, ?, ?, ?)"


class Intake:
    """Answers are archived when they land. In the journal, a result is the number of a page, a failure, or the page of
    a Source, which is never held."""

    def __init__(self, turn: Turn, archive: Archive, pages: PageReader, rows: RowWriter) -> None:
        self._turn, self._archive, self._pages, self._rows = turn, archive, pages, rows
        self._awaited: dict[int, Fetch] = {}  # answers that are about to land, by visit

    def expect(self, visit: int, fetch: Fetch) -> None:
        self._awaited[visit] = fetch

    def land(self, seq: int, visit: int, result: Page | Failure) -> tuple[Any, ArchiveEnd | None]:
        """What stands for the result, and where the archive ends if it grew."""
        self._turn.begin()
        fetch = self._awaited.pop(visit, None)
        url, how = (fetch.url, Route.OUT) if fetch is not None else self._route_of(visit)
        before = self._archive.end()
        if isinstance(result, Failure):
            self._append(fetch, None)
            stands_for: Any = [result.kind, result.detail]
        elif not is_web_address(url):
            stands_for = packed_page(result)
        else:
            stands_for = self._page(seq, visit, url, how, fetch, result)
        end = self._archive.end()
        return stands_for, end if end != before else None

    def result(self, stands_for: Any) -> Page | Failure:
        """What `land` was given."""
        if isinstance(stands_for, int):
            return self._pages.page(stands_for)
        with reading(self._turn.folder, "a result in its journal"):
            return unpacked_page(stands_for) if isinstance(stands_for, bytes) else Failure(*stands_for)

    def like(self, fetch: Fetch) -> None:
        """A page that describes the topic."""
        self._turn.begin()
        place = self._append(fetch, None)
        self._turn.write(_LIKE, (packed_fetch(fetch), *(place or (None, None, None)), *self._archive.end()))

    def _page(self, seq: int, visit: int, url: str, how: str, fetch: Fetch | None, page: Page) -> int:
        """The number of a page: of one that is held, or of the one that comes now."""
        unchanged = fetch is not None and fetch.status == 304
        held = self._pages.number_of(url, page) if unchanged or how == Route.HELD else None
        place = self._append(fetch, page if unchanged else None)
        if held is not None:
            return held
        readable = fetch is not None and fetch.page is None and not unchanged
        self._rows.page(seq, visit, page, fetch, place if readable else None)
        if readable:
            self._pages.keep_parsed(seq, page)
        self._pages.remember(seq, page)
        return seq

    def _route_of(self, visit: int) -> tuple[str, str]:
        row = self._turn.one("SELECT url, how FROM visits WHERE id = ?", visit)
        if row is None:
            raise Broken(f"visit {visit} landed and was never sent on its way")
        return row[0], row[1]

    def _append(self, fetch: Fetch | None, held: Page | None) -> RecordPlace | None:
        """Put every answer on the way into the archive; where the last one lies."""
        place = None
        for capture in captures_of(fetch) if fetch is not None else ():
            if isinstance(capture, PackedCapture):
                place = self._archive.add(capture.record, capture.at, capture.request)
            elif held is not None and capture.status == 304:
                place = self._archive.revisit(capture, held.final_url, held.at)
            else:
                place = self._archive.append(capture)
        return place


def captures_of(fetch: Fetch) -> tuple[Capture, ...]:
    """What is archived of an answer. A web that keeps only bodies has them archived as if they had come that way."""
    if fetch.captures or not fetch.body:
        return fetch.captures
    headers = tuple((name, value) for name, value in fetch.headers.items() if name != "content-encoding")
    return (Capture(fetch.final_url, fetch.at, fetch.status, headers, fetch.body, cut="length" if fetch.cut else ""),)
