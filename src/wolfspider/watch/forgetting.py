"""Pages that somebody asks to be forgotten, taken out of what a watch told of them: its book, its file and its feed.

A report stays as a number, an address and the word "forgotten": what follows it in the file keeps its place, and nobody
is told of the page again. What still waited for the webhook is not sent any more. This is done before the pages go out
of the run itself (app/forgetting.py), so whatever kills it, the same command finds the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from wolfspider.app.forgetting import forget as forget_in_run
from wolfspider.app.run_folder import settings_of
from wolfspider.export.harmless_text import json_line
from wolfspider.files.disk import open_to_read, whole_file
from wolfspider.store.damage import writing
from wolfspider.store.repair.taking_out import Forgotten
from wolfspider.store.run_clock import clock_of
from wolfspider.watch.book import ALERT, is_watched, opened, without_texts
from wolfspider.watch.outputs import FEED, TAIL, title_of, write_feed

_LONGEST_LINE = 1 << 24  # bytes; what is longer is no report


def forget(folder: Path, what: str, remark: Callable[[str], None]) -> Forgotten:
    """Take an address, or all pages of a host, out of a run, watched or not. A run that a crawl owns is refused."""
    return forget_in_run(folder, what, remark, take_out)


def take_out(run: Path, unwanted: Callable[[str], bool]) -> int:
    """How many reports are forgotten now. Nobody watches meanwhile."""
    if not is_watched(run):
        return 0
    with opened(run) as book, writing(book.path):
        gone = book.forget(unwanted) | _out_of_tail(run / TAIL, unwanted)
        if os.path.lexists(run / FEED):
            write_feed(run, book, title_of(settings_of(run), run), clock_of(run, idle=True).now())
    return len(gone)


def _out_of_tail(path: Path, unwanted: Callable[[str], bool]) -> set[str]:
    """The names of reports that were taken out of it."""
    if not os.path.lexists(path):
        return set()
    gone: set[str] = set()
    with os.fdopen(open_to_read(path), "rb") as old, whole_file(path, os.fstat(old.fileno()).st_mode & 0o777) as new:
        for line, report in _lines(old):
            if report.get("kind") != ALERT and "forgotten" not in report and unwanted(str(report.get("url", ""))):
                gone.add(str(report.get("id")))
                line = json_line(without_texts(report)).encode("utf-8", "replace") + b"\n"
            new.write(line)
    return gone


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Whole lines, and what they say; one that a crash has cut is left out, and the watch writes it anew."""
    while line := file.readline(_LONGEST_LINE):
        if not line.endswith(b"\n"):
            continue
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        yield line, said if isinstance(said, dict) else {}
