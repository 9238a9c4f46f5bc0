"""Pages of a run for other tools: JSON lines, CSV or WARC. docs/export.md has the fields.

An export is a pure function of one moment of the run, which may go on meanwhile. Each page is there once, by its final
address, in its newest version and with the last verdict on it, a person's before the judge's. Pages that ask not to be
indexed are never exported. Pages are written one at a time, so that memory does not grow with the run; a file appears
only when it is complete.
"""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.files.disk import whole_file
from wolfspider.store import cdxj
from wolfspider.store.archive_reader import name_of
from wolfspider.store.export.selection import Exported, Selected, Selection
from wolfspider.store.export.warc_copy import copied, index_beside
from wolfspider.store.view import RunView
from wolfspider.web.page.plaintext import readable

FORMATS = ("jsonl", "csv", "warc")
FIELDS = (
    *("url", "final_url", "title", "description", "text", "language", "published", "modified", "fetched", "status"),
    *("type", "charset", "size", "digest", "near", "score", "relevant", "evidence", "label", "source", "anchor"),
    *("depth", "strategy", "topic", "warc_file", "warc_offset", "warc_length", "robots"),
)
COLUMNS = tuple(name for name in FIELDS if name != "text")  # of a CSV
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # starts of cells that a spreadsheet calculates or breaks
# Controls of terminals, marks that turn the direction of text, and characters that some readers take for ends of lines.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_UNSEEN = (*_CONTROLS, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_ESCAPED = {code: f"\\u{code:04x}" for code in _UNSEEN}
_BLANKED = {code: " " for code in _UNSEEN if chr(code) not in "\t\r\n"}


def export(
    folder: Path, form: str, out: Path | None, *, stdout: BinaryIO, relevant: bool = False, raw: bool = False
) -> Exported:
    """Write the pages of a run to a file, or to stdout."""
    if form not in FORMATS:
        raise Problem(f"There is no format {form!r}.{closest(form, FORMATS)}")
    view = RunView(folder)
    with view.moment() as connection:
        pages = Selection(view, connection, relevant)
        if out is None or str(out) == "-":
            _write(form, pages, stdout, raw)
            stdout.flush()
        else:
            try:
                with whole_file(out, 0o666) as file:
                    _write(form, pages, file, raw, out)
            except OSError as error:
                raise BadInput(f"{out} cannot be written: {error.strerror}.") from error
    return pages.exported


def _write(form: str, pages: Selection, file: BinaryIO, raw: bool, out: Path | None = None) -> None:
    if form == "jsonl":
        write_jsonl(pages, file)
    elif form == "csv":
        write_csv(pages, file, raw)
    else:
        rows = copied(pages, file, out.name if out is not None else "")
        if out is None:
            for _ in rows:
                pass
        else:
            cdxj.write(index_beside(out), rows)


def write_jsonl(pages: Selection, file: BinaryIO) -> None:
    for selected in pages:
        told = {**record(selected, pages), "text": _text(selected, pages)}
        line = json.dumps({name: told[name] for name in FIELDS}, ensure_ascii=False)
        file.write(line.translate(_ESCAPED).encode("utf-8", "replace") + b"\n")


def write_csv(pages: Selection, file: BinaryIO, raw: bool) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    try:
        table = csv.writer(text)
        table.writerow(COLUMNS)
        for selected in pages:
            told = record(selected, pages)
            table.writerow(_cell(told[name], raw) for name in COLUMNS)
    finally:
        text.detach()


def record(selected: Selected, pages: Selection) -> dict[str, Any]:
    """A page as plain data, without its text."""
    row, place = selected.row, selected.row.place
    return {
        "url": row.url,
        "final_url": row.final_url,
        "title": row.title,
        "description": row.description,
        "language": row.language,
        "published": moment(row.published),
        "modified": moment(row.modified),
        "fetched": moment(row.at),
        "status": row.status,
        "type": row.type,
        "charset": row.charset,
        "size": row.size,
        "digest": row.digest,
        "near": f"{row.near:016x}",  # 64 bits, more than a JSON number holds in many readers
        "score": row.score,
        "relevant": row.relevant,
        "evidence": row.evidence,
        "label": row.evidence.get("label"),
        "source": selected.source,
        "anchor": selected.anchor,
        "depth": selected.depth,
        "strategy": pages.strategy,
        "topic": pages.topic,
        "warc_file": name_of(place.file) if place else None,
        "warc_offset": place.offset if place else None,
        "warc_length": place.length if place else None,
        "robots": list(row.robots),
    }


def moment(at: float | None) -> str | None:
    """ISO 8601, UTC."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _text(selected: Selected, pages: Selection) -> str | None:
    """The text of a page, read from the archive; None if it was never archived."""
    row = selected.row
    if row.place is None:
        return None
    try:
        return readable(pages.view.body(row), row.headers.get("content-type", ""))
    except BadInput:
        pages.exported.damaged += 1
        return None


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
    if raw:
        return text
    text = text.translate(_BLANKED)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text
