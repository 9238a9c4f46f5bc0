"""What takes the pages of an export: the contract of all sinks, built in or a person's own.

    class Titles:
        def begin(self, about, out):  # `out`: a binary file to write to
            self.out = out

        def page(self, page):
            self.out.write(page.fields["title"].encode() + b"\\n")

        def end(self):
            pass

An object of the class takes one export. Pages come one at a time and are not kept, so that memory does not grow with
the run. The file is there under its name once `end` has returned; if anything fails before that, it never is. A sink
with `folder = True` gets the path of an empty folder instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wolfspider.export.exported_page import ExportedPage


@dataclass(frozen=True)
class About:
    """What an export is of."""

    topic: str  # of the run
    strategy: str
    at: float  # the moment of the run that it shows: seconds since 1970, UTC
    settings: dict[str, Any]  # how the run was begun
    out: Path | None  # the name that the file or folder will have; None for stdout
    raw: bool = False  # a table for programs alone: nothing in it is made safe for spreadsheets
    main_text: bool = False  # was the text of pages asked for without menus and the like?


class Sink(Protocol):
    def begin(self, about: About, out: Any) -> None:
        """Called once, before all pages. `out`: an open binary file, or the path of a folder."""

    def page(self, page: ExportedPage) -> None:
        """Called for each page."""

    def end(self) -> None:
        """Called once, after all pages. What is written later is lost."""
