"""What a PDF says: its title, the text of its pages, its links.

pypdf reads it, an extra that is imported when the first PDF comes. It is told bounds for what streams may grow to; here
are bounds for pages, characters, links and time. Time is only checked between two pages, so files of strangers are
read in a process that can be ended (parser_processes.py).

A PDF has no anchors, only areas that lead somewhere. So its links have no text, and stand at the beginning of their
page, which is also their block.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from wolfspider.core.model import Failure
from wolfspider.web.page.bounded_text import MOST_TEXT, folded
from wolfspider.web.page.page_reading import MOST_LINKS, TITLE

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MOST_PAGES = 500
SECONDS = 4.0
EXTRA = "application/pdf; to read it, install the extra: wolfspider[pdf]"
_MOST_ANNOTATIONS = 1_000  # of a page


class PdfDocument(NamedTuple):
    title: str
    pages: list[str]  # their texts
    links: list[tuple[int, str]]  # number of the page and address, as it stands there
    created: float | None
    language: str
    truncated: bool


def read(body: bytes, seconds: float = SECONDS) -> PdfDocument | Failure:
    """Never raises, whatever the bytes are: strange files make pypdf raise nearly anything."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # a broken file is a failure, not lines on the terminal
    try:
        from pypdf import PdfReader
    except ImportError:
        return Failure("type", EXTRA)
    try:
        reader = PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            return Failure("type", "application/pdf, encrypted")
        return _document(reader, time.monotonic() + seconds)
    except Exception as error:
        return Failure("encoding", f"broken PDF: {type(error).__name__}")


def _document(reader: PdfReader, deadline: float) -> PdfDocument:
    pages: list[str] = []
    links: list[tuple[int, str]] = []
    room = MOST_TEXT
    truncated = len(reader.pages) > MOST_PAGES
    for number, page in zip(range(MOST_PAGES), reader.pages, strict=False):
        if room <= 0 or time.monotonic() > deadline:
            truncated = True
            break
        pages.append(page.extract_text()[:room])
        room -= len(pages[-1])
        links += [(number, address) for address in _addresses(page)]
    about = reader.metadata
    title = folded(str(about.title or ""), TITLE) if about else ""
    created = about.creation_date if about else None
    language = str(reader.root_object.get("/Lang") or "")[:100]
    return PdfDocument(title, pages, links[:MOST_LINKS], created.timestamp() if created else None, language, truncated)


def _addresses(page: PageObject) -> Iterator[str]:
    """Where the areas of a page lead to, outside of the file."""
    for annotation in (page.annotations or [])[:_MOST_ANNOTATIONS]:
        if (action := annotation.get_object().get("/A")) is not None:
            address = action.get_object().get("/URI")
            if isinstance(address, str | bytes):
                yield address if isinstance(address, str) else address.decode("utf-8", "replace")
