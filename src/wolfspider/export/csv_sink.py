"""Pages as a table: CSV by RFC 4180, without their text, and safe for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, BinaryIO

from wolfspider.core.text import harmless_cell
from wolfspider.export.exported_page import COLUMNS, ExportedPage
from wolfspider.export.harmless_text import seen
from wolfspider.export.sink import About


class CommaSeparated:
    def begin(self, about: About, out: BinaryIO) -> None:
        self._raw, self._out = about.raw, out
        self._write(COLUMNS)

    def page(self, page: ExportedPage) -> None:
        self._write([_cell(page.fields[name], self._raw) for name in COLUMNS])

    def end(self) -> None:
        pass

    def _write(self, cells: list[str] | tuple[str, ...]) -> None:
        line = io.StringIO()
        csv.writer(line).writerow(cells)
        self._out.write(line.getvalue().encode("utf-8", "replace"))


def _cell(value: Any, raw: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = " ".join(value) if isinstance(value, list) else value
    if not isinstance(text, str):
        text = json.dumps(value, ensure_ascii=False)
    return text if raw else harmless_cell(seen(text))
