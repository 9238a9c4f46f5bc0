"""Pages as a folder of Markdown files: the main text of each, below a front matter in YAML.

File names are made of a number and of the letters and digits of the title, nothing else, so no title and no address
leads anywhere. What a page says cannot become a link, an image or markup of the file.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.harmless_text import json_line, seen
from wolfspider.export.sink import About

_IN_A_FOLDER = 1_000  # files
_LONGEST_NAME = 60  # characters, the number apart
_IN_FRONT = (
    *("title", "final_url", "canonical", "language", "published", "fetched", "score", "relevant", "why", "parent"),
    *("topic", "robots", "tdm", "near_duplicate_of", "digest", "warc_file", "warc_offset", "warc_length", "schema"),
    "truncated",
)
_ACTIVE = re.compile(r"(?<=!)(?=\[)|(?<=\])(?=[(\[:])|(?=[<`])")  # where a link, an image, markup or code would begin


class MarkdownFolder:
    folder = True

    def begin(self, about: About, out: Path) -> None:
        self._out, self._number = out, 0

    def page(self, page: ExportedPage) -> None:
        folder = self._out / f"{self._number // _IN_A_FOLDER:04d}"
        self._number += 1
        folder.mkdir(exist_ok=True)
        path = folder / f"{self._number:07d}{slug(page.row.title)}.md"
        path.write_bytes(markdown(page).encode("utf-8", "replace"))

    def end(self) -> None:
        pass


def slug(title: str) -> str:
    """Of a title, what may stand in the name of a file: lower-case ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", title[:1_000]).encode("ascii", "ignore").decode()
    words = re.sub("[^a-z0-9]+", "-", plain.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    return f"-{words}" if words else ""


def markdown(page: ExportedPage) -> str:
    front = "".join(f"{name}: {json_line(page.fields[name])}\n" for name in _IN_FRONT)  # JSON is YAML, too
    return f"---\n{front}---\n\n{harmless_markdown(page.clean_text or '')}\n"


def harmless_markdown(text: str) -> str:
    """Text that shows as it is, and loads nothing from elsewhere, wherever it is displayed."""
    return _ACTIVE.sub(r"\\", seen(text))
