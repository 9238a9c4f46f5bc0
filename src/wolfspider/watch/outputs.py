"""What people read of a watch: a file that grows by a line of JSON for each report, and a feed for readers of news.

    RUN/news.jsonl    every report, in its order (`tail -f` shows them as they come)
    RUN/news.atom     the newest, replaced as a whole: a reader sees the old feed or the new one

Both follow from the book. A line that was cut by a crash is written again, and none is missing or there twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.app.settings import Settings
from wolfspider.export.harmless_text import json_line, xml_text
from wolfspider.files.disk import extend, open_to_write, whole_file
from wolfspider.store.view import utc
from wolfspider.watch.book import Book, Report

TAIL, FEED = "news.jsonl", "news.atom"
ENTRIES = 100  # of the feed
AT_ONCE = 500  # reports that are read at a time
_LONGEST_LINE = 1 << 20  # bytes from the end in which the last line is looked for


class Tail:
    def __init__(self, run: Path, book: Book) -> None:
        self._path, self._book = run / TAIL, book
        self._handle = open_to_write(self._path)
        self._size, self._last = self._whole()

    def close(self) -> None:
        os.close(self._handle)

    def follow(self) -> list[Report]:
        """Write all reports that are not in the file yet, and give them back."""
        written: list[Report] = []
        while reports := self._book.reports(self._last, AT_ONCE):
            data = "".join(f"{json_line(report.told())}\n" for report in reports).encode("utf-8", "replace")
            extend(self._path, self._handle, data, self._size)
            self._size, self._last = self._size + len(data), reports[-1].number
            written += reports
        return written

    def _whole(self) -> tuple[int, int]:
        """How long the file is without a line that was cut, and the number of its last report."""
        size = os.fstat(self._handle).st_size
        begin = max(0, size - _LONGEST_LINE)
        end = os.pread(self._handle, size - begin, begin)
        whole = end.rfind(b"\n") + 1
        os.ftruncate(self._handle, size := begin + whole)
        last = end[:whole].rstrip(b"\n").rpartition(b"\n")[2]
        try:
            return size, int(json.loads(last)["number"]) if last else 0
        except (ValueError, KeyError, TypeError):
            return size, self._book.newest(1)[0].number if self._book.newest(1) else 0


def title_of(settings: Settings, run: Path) -> str:
    return settings.topic or settings.description or ", ".join(settings.urls) or run.name


def write_feed(run: Path, book: Book, title: str, now: float) -> None:
    """The feed as it is now."""
    with whole_file(run / FEED, 0o644) as file:
        for line in _feed(run, book.newest(ENTRIES), title, now):
            file.write(f"{line}\n".encode("utf-8", "replace"))


def _feed(run: Path, reports: list[Report], title: str, now: float) -> Iterator[str]:
    name = blake2b(f"{title}\n{run.absolute()}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    yield f"<id>urn:x-wolfspider:{name}</id><title>{xml_text(title)}</title>"
    yield f"<updated>{utc(reports[0].at if reports else now)}</updated>"
    yield "<author><name>wolfspider</name></author>"
    yield f'<generator version="{__version__}">wolfspider</generator>'
    for report in reports:
        yield from _entry(report)
    yield "</feed>"


def _entry(report: Report) -> Iterator[str]:
    data, url = report.data, xml_text(report.url)
    mark = {"new": "", "changed": "Changed: ", "alert": "Alarm: "}[report.kind]
    published = f"<published>{data['published']}</published>" if data.get("published") else ""
    yield f"<entry><id>urn:x-wolfspider:{report.id}</id>"
    yield f"<title>{xml_text(mark + (data.get('title') or report.url))}</title>"
    yield f'<link href="{url}"/><category term="{report.kind}"/>'
    yield f"<updated>{utc(report.at)}</updated>{published}"
    yield f"<summary>{xml_text(summary(data))}</summary></entry>"


def summary(data: Any) -> str:
    """A few lines on a report."""
    if "added" in data:
        return "\n".join([*(f"+ {line}" for line in data["added"]), *(f"- {line}" for line in data["removed"])])[:4000]
    return str(data.get("sentence") or data.get("description") or data.get("title") or "")[:4000]
