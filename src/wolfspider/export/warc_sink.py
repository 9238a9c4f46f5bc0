"""Pages as a WARC of their own: the records byte for byte, and a metadata record with the verdict on each."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from wolfspider import __version__
from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.sink import About
from wolfspider.files.disk import UNFINISHED_EXPORT
from wolfspider.store import cdxj
from wolfspider.store.requisites import RequisiteRecord
from wolfspider.web.warc import writer


def index_beside(out: Path) -> Path:
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".warc") + ".cdxj")


class WarcCopy:
    """Writes an index beside a file, too."""

    binary = True

    def begin(self, about: About, out: BinaryIO) -> None:
        self._open = ExitStack()
        self._beside = None if about.out is None else about.out
        folder = None if about.out is None else about.out.absolute().parent
        self._records = CopiedRecords(about, out, "" if about.out is None else about.out.name, folder, self._open)

    def page(self, page: ExportedPage) -> None:
        self._records.add(page)

    def end(self) -> None:
        with self._open:
            if self._beside is not None:
                lines = self._records.lines.merged()
                cdxj.write_lines(index_beside(self._beside), lines, UNFINISHED_EXPORT, 0o666)


class CopiedRecords:
    """A WARC that is being written to a file, and the lines of its index, sorted in files in `folder`."""

    def __init__(self, about: About, file: BinaryIO, name: str, folder: Path | None, open_files: ExitStack) -> None:
        self._about, self._file, self._name = about, file, name
        self.lines = cdxj.SortedLines(folder, open_files)
        self._place = file.write(_info(about, name))
        self._requisites: set[bytes] = set()  # digests of those that are in it

    def add(self, page: ExportedPage) -> bool:
        """Is the page in it?"""
        if (found := page.record()) is None:
            return False
        row, member = page.row, found.member
        self._file.write(member)
        line = cdxj.IndexLine(
            *(row.final_url, row.at, row.type, row.status, found.digest, len(member), self._place, self._name)
        )
        self.lines.add(cdxj.line(line))
        opinion = writer.metadata(row.final_url, row.at, _opinion(page))
        self._place += len(member) + self._file.write(opinion)
        for needed in page.requisites():
            self._add_requisite(needed)
        return True

    def _add_requisite(self, needed: RequisiteRecord) -> None:
        """What several pages need is in it once."""
        if (named := hashlib.blake2b(needed.record, digest_size=16).digest()) in self._requisites:
            return
        self._requisites.add(named)
        self._file.write(needed.record)
        place = (needed.digest, len(needed.record), self._place, self._name)
        self.lines.add(cdxj.line(cdxj.IndexLine(needed.url, needed.at, needed.type, needed.status, *place)))
        self._place += len(needed.record)


def _info(about: About, name: str) -> bytes:
    whole = json.dumps(about.settings, sort_keys=True).encode()
    fields = {
        "software": f"wolfspider/{__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey",
        "description": f"Pages of a crawl for: {about.topic}",
        "settings-digest": f"blake2b:{hashlib.blake2b(whole, digest_size=16).hexdigest()}",
    }
    if about.settings["contact"]:
        fields["operator"] = about.settings["contact"]
    return writer.info(about.at, fields, name=name)


def _opinion(page: ExportedPage) -> dict[str, str]:
    """Why the page is here."""
    row = page.row
    label = row.evidence.get("label")
    told = {
        "score": f"{row.score:.6g}",
        "relevant": str(row.relevant).lower(),
        "why": json.dumps(row.evidence),
        "strategy": page.run.strategy,
        "topic": page.run.topic,
        "via": page.way.source,
        "anchor": page.way.anchor,
        "label": "" if label is None else "up" if label else "down",
    }
    return {name: value for name, value in told.items() if value}
