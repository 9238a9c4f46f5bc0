"""Pages of a run for other tools: JSON lines, CSV or WARC. docs/export.md has the fields.

An export is a pure function of one moment of the run, which may go on meanwhile. Each page is there once, by its final
address, in its newest version and with the last verdict on it, a person's before the judge's. Pages that ask not to be
indexed are never exported. Pages are written one at a time, so that memory does not grow with the run; a file appears
only when it is complete.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from wolfspider import __version__
from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.model import hidden
from wolfspider.core.text import harmless_cell
from wolfspider.files.disk import remove_leftovers, whole_file
from wolfspider.store import cdxj
from wolfspider.store.archive_reader import RecordPlace, name_of, record_at
from wolfspider.store.damage import PAGES_LOST, reading, remedy
from wolfspider.store.folder import Places
from wolfspider.store.view import RunView, StoredPage, missing_pages, pages_of, utc
from wolfspider.web.page.plaintext import readable
from wolfspider.web.warc import writer

FORMATS = ("jsonl", "csv", "warc")
_UNFINISHED = ".wolfspider-export"  # ending of a file that is being written
FIELDS = (
    *("url", "final_url", "title", "description", "text", "language", "published", "modified", "fetched", "status"),
    *("type", "charset", "size", "digest", "near", "score", "relevant", "evidence", "label", "source", "anchor"),
    *("depth", "strategy", "topic", "warc_file", "warc_offset", "warc_length", "robots"),
)
COLUMNS = tuple(name for name in FIELDS if name != "text")  # of a CSV
# Controls of terminals, marks that turn the direction of text, and characters that some readers take for ends of lines.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_UNSEEN = (*_CONTROLS, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_ESCAPED = {code: f"\\u{code:04x}" for code in _UNSEEN}
_BLANKED = {code: " " for code in _UNSEEN if chr(code) not in "\t\r\n"}
_DEEPEST = 1_000  # links from a starting point
_REMEMBERED = 100_000  # pages whose depth is known
_FOUND_ON = "SELECT source, anchor FROM visits WHERE id = ?"
_FIRST_SOURCE = (
    "SELECT v.source FROM held h JOIN pages p ON p.seq = h.page JOIN visits v ON v.id = p.visit"
    " WHERE h.url = ? ORDER BY h.seq LIMIT 1"
)
_TOPIC = "SELECT data FROM events WHERE kind = 'Obeyed' AND data LIKE '%\"SetTopic\"%' ORDER BY seq DESC, n DESC"
_DIGEST = re.compile(rb"^WARC-Payload-Digest: *(\S+)", re.MULTILINE | re.IGNORECASE)


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
                remove_leftovers(out.absolute().parent, _UNFINISHED)
                with whole_file(out, 0o666, ending=_UNFINISHED) as file:
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
            cdxj.write(index_beside(out), rows, ending=_UNFINISHED)


# Which pages


@dataclass
class Exported:
    """The result of an export."""

    folder: Path
    pages: int = 0
    withheld: int = 0  # pages that ask not to be indexed
    damaged: int = 0  # pages whose record in the archive can't be read: without text, or left out of a WARC
    lost: int = 0  # pages whose rows can't be read, or are not there: left out
    unarchived: int = 0  # pages that never had a record, left out of a WARC

    @property
    def code(self) -> int:
        """The exit code of the command line."""
        return PAGES_LOST if self.damaged or self.lost else 0

    def told(self) -> str:
        parts = [f"{self.pages:,} page{'s' * (self.pages != 1)}."]
        if self.withheld:
            parts.append(f"{self.withheld:,} more left out, because they ask not to be indexed (noindex).")
        if self.unarchived:
            parts.append(f"{self.unarchived:,} more left out, because they were never archived.")
        if self.damaged:
            parts.append(f"The archive is damaged at {self.damaged:,} of them, which have no text, or are left out.")
        if self.lost:
            parts.append(f"{self.lost:,} more left out, because the database is damaged there.")
        if self.code:
            parts.append(remedy(self.folder))
        return " ".join(parts)


class Selected(NamedTuple):
    row: StoredPage
    source: str  # the page that linked to it; "" for a starting point
    anchor: str
    depth: int | None  # links from a starting point, on the way it was found; None if unknown


@dataclass
class Selection:
    """Iterated over once."""

    view: RunView
    connection: sqlite3.Connection  # one moment of the run
    relevant: bool
    exported: Exported = field(init=False)
    _depths: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.exported = Exported(self.view.folder)
        (self.at,) = self.connection.execute("SELECT IFNULL(MAX(at), 0.0) FROM log").fetchone()  # the moment
        with reading(Places.of(self.view.folder).description, "what is wanted"):
            settings = self.view.about["settings"]
            self.strategy: str = settings["strategy"]
            self.topic: str = self._steered_topic() or settings["topic"] or settings["description"]

    def __iter__(self) -> Iterator[Selected]:
        self.exported.lost += missing_pages(self.connection)
        for row in pages_of(self.connection, self.relevant, None, self._left_out):
            if hidden(row.robots):
                self.exported.withheld += 1
                continue
            source, anchor = self.connection.execute(_FOUND_ON, (row.visit,)).fetchone() or ("", "")
            self.exported.pages += 1
            yield Selected(row, source, anchor, self._depth(source))

    def _left_out(self, number: object, error: Exception) -> None:
        self.exported.lost += 1

    def _steered_topic(self) -> str:
        """The topic that a person set last, if any."""
        for (data,) in self.connection.execute(_TOPIC):
            obeyed = json.loads(data)
            if not obeyed.get("problem"):
                return ", ".join(obeyed["command"]["keywords"])
        return ""

    def _depth(self, source: str) -> int | None:
        """One more than that of the page that linked to it, and so on back to a starting point."""
        passed: list[str] = []
        while source and source not in self._depths and source not in passed and len(passed) < _DEEPEST:
            passed.append(source)
            row = self.connection.execute(_FIRST_SOURCE, (source,)).fetchone()
            if row is None:
                break
            source = row[0]
        depth = -1 if not source else self._depths.get(source)
        for url in reversed(passed):
            depth = None if depth is None else depth + 1
            if len(self._depths) >= _REMEMBERED:
                self._depths.clear()
            self._depths[url] = depth
        return None if depth is None else depth + 1


# As JSON lines or CSV


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
        "published": utc(row.published),
        "modified": utc(row.modified),
        "fetched": utc(row.at),
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
    return text if raw else harmless_cell(text.translate(_BLANKED))


# As a WARC of their own: the records byte for byte, and a metadata record with the verdict on each


def index_beside(out: Path) -> Path:
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".warc") + ".cdxj")


def copied(pages: Selection, file: BinaryIO, name: str) -> Iterator[cdxj.IndexLine]:
    """Write the pages; yields the lines of an index of the new file."""
    archive = Places.of(pages.view.folder).archive
    place = file.write(_info(pages, name))
    for selected in pages:
        row = selected.row
        if row.place is None:
            pages.exported.unarchived += 1
            pages.exported.pages -= 1
            continue
        try:
            member, digest = _member(archive, row.place)
        except BadInput:
            pages.exported.damaged += 1
            pages.exported.pages -= 1
            continue
        file.write(member)
        yield cdxj.IndexLine(row.final_url, row.at, row.type, row.status, digest, len(member), place, name)
        place += len(member) + file.write(writer.metadata(row.final_url, row.at, _opinion(selected, pages)))


def _info(pages: Selection, name: str) -> bytes:
    settings: dict[str, Any] = pages.view.about["settings"]
    whole = json.dumps(settings, sort_keys=True).encode()
    fields = {
        "software": f"wolfspider/{__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey",
        "description": f"Pages of a crawl for: {pages.topic}",
        "settings-digest": f"blake2b:{hashlib.blake2b(whole, digest_size=16).hexdigest()}",
    }
    if settings["contact"]:
        fields["operator"] = settings["contact"]
    return writer.info(pages.at, fields, name=name)


def _opinion(selected: Selected, pages: Selection) -> dict[str, str]:
    """Why the page is here."""
    row = selected.row
    label = row.evidence.get("label")
    told = {
        "score": f"{row.score:.6g}",
        "relevant": str(row.relevant).lower(),
        "why": json.dumps(row.evidence),
        "strategy": pages.strategy,
        "topic": pages.topic,
        "via": selected.source,
        "anchor": selected.anchor,
        "label": "" if label is None else "up" if label else "down",
    }
    return {name: value for name, value in told.items() if value}


def _member(archive: Path, place: RecordPlace) -> tuple[bytes, str]:
    """A whole record as it lies in the archive, and the digest of its body."""
    data, record = record_at(archive, place)
    digest = _DIGEST.search(record.partition(b"\r\n\r\n")[0])
    return data, digest[1].decode("ascii", "replace") if digest else ""
