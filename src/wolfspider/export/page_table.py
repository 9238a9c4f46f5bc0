"""Pages as the rows of an Arrow table: the type of each field, and batches of rows that take little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from wolfspider.export.exported_page import FIELDS, ExportedPage
from wolfspider.export.harmless_text import json_line
from wolfspider.export.optional_library import needed

TIMES = ("published", "modified", "fetched")
AS_JSON = ("evidence", "tdm")  # objects whose content depends on judge and page
_INTEGERS = ("status", "size", "depth", "warc_offset", "warc_length", "schema")
_FLAGS = ("relevant", "label", "truncated")
_MOST_ROWS = 1_000
_MOST_TEXT = 32 << 20  # characters


def arrow() -> Any:
    with needed("pyarrow", "A table of pages", "parquet"):
        import pyarrow
    return pyarrow


def schema() -> Any:
    """The Arrow schema of FIELDS."""
    kinds = arrow()
    of = {
        **dict.fromkeys(TIMES, kinds.timestamp("s", tz="UTC")),
        **dict.fromkeys(_INTEGERS, kinds.int64()),
        **dict.fromkeys(_FLAGS, kinds.bool_()),
        "score": kinds.float64(),
        "robots": kinds.list_(kinds.string()),
    }
    return kinds.schema([(name, of.get(name, kinds.string())) for name in FIELDS])


def row_of(page: ExportedPage) -> dict[str, Any]:
    told = {**page.fields, "text": page.text}
    for name in TIMES:
        told[name] = None if told[name] is None else datetime.fromisoformat(told[name])
    for name in AS_JSON:
        told[name] = json_line(told[name])
    return {name: _whole(value) for name, value in told.items()}


def _whole(value: Any) -> Any:
    """Half of a surrogate pair has no place in UTF-8."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


class RowBatch:
    """Rows that wait to become a batch, or a group of rows in a file."""

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._text = 0

    def add(self, page: ExportedPage) -> bool:
        """Is it full?"""
        row = row_of(page)
        self._rows.append(row)
        self._text += len(row["text"] or "")
        return len(self._rows) >= _MOST_ROWS or self._text >= _MOST_TEXT

    def __len__(self) -> int:
        return len(self._rows)

    def taken(self) -> Any:
        """All of them as a RecordBatch; none are left."""
        rows, self._rows, self._text = self._rows, [], 0
        return arrow().RecordBatch.from_pylist(rows, schema=schema())


def batches(pages: Iterable[ExportedPage]) -> Iterator[Any]:
    batch = RowBatch()
    for page in pages:
        if batch.add(page):
            yield batch.taken()
    if batch:
        yield batch.taken()
