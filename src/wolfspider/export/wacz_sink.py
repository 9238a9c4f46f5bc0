"""Pages as a WACZ: a zip with their WARC, its index and a list of pages, for tools that replay archives.

WACZ 1.1.1: https://specs.webrecorder.net/wacz/1.1.1/. The WARC is stored as it is, so that a reader can fetch single
records of it; its index lies beside it, and digests of all files are in datapackage.json.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any, BinaryIO, cast

from wolfspider import __version__
from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.harmless_text import json_line
from wolfspider.export.sink import About
from wolfspider.export.warc_sink import CopiedRecords
from wolfspider.store.view import utc

_WARC = "data.warc.gz"
_LONGEST_TEXT = 20_000  # characters of a page in the list of pages, for searching
_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}
_MADE = (1980, 1, 1, 0, 0, 0)  # the time of every file: the same export gives the same bytes


class Wacz:
    binary = True

    def begin(self, about: About, out: BinaryIO) -> None:
        self._about, self._open, self._main = about, ExitStack(), ""
        folder = None if about.out is None else about.out.absolute().parent
        self._zip = self._open.enter_context(zipfile.ZipFile(out, "w", zipfile.ZIP_STORED))
        self._resources: list[dict[str, Any]] = []
        self._pages: IO[bytes] = self._open.enter_context(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115
        self._pages.write(json_line(_HEAD).encode() + b"\n")
        self._archive = self._open.enter_context(ExitStack())
        file = self._archive.enter_context(self._file(f"archive/{_WARC}"))
        self._records = CopiedRecords(about, cast(BinaryIO, file), _WARC, folder, self._open)

    def page(self, page: ExportedPage) -> None:
        if not self._records.add(page):
            return
        row = page.row
        self._main = self._main or row.final_url
        told = {"id": row.digest + format(row.number, "x"), "url": row.final_url, "ts": utc(row.at), "title": row.title}
        text = (page.clean_text or "")[:_LONGEST_TEXT]
        self._pages.write(json_line({**told, "text": text}).encode("utf-8", "replace") + b"\n")

    def end(self) -> None:
        self._archive.close()
        with self._open:
            with self._file("indexes/index.cdx") as index:
                for line in self._records.lines.merged():
                    index.write(line)
            self._pages.seek(0)
            with self._file("pages/pages.jsonl", packed=True) as pages:
                shutil.copyfileobj(self._pages, pages)
            package = json.dumps(self._package(), indent=2).encode()
            digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(package).hexdigest()}"}
            for name, data in (("datapackage.json", package), ("datapackage-digest.json", json.dumps(digest).encode())):
                self._zip.writestr(_info(name, packed=True), data)

    def _package(self) -> dict[str, Any]:
        about = self._about
        main = {"mainPageUrl": self._main} if self._main else {}
        return {
            "profile": "data-package",
            "title": f"Pages of a crawl for: {about.topic}",
            "created": utc(about.at),
            "software": f"wolfspider {__version__}",
            "wacz_version": "1.1.1",
            **main,
            "resources": self._resources,
        }

    @contextmanager
    def _file(self, path: str, packed: bool = False) -> Iterator[_Hashed]:
        with self._zip.open(_info(path, packed), "w", force_zip64=True) as file:
            hashed = _Hashed(file)
            yield hashed
        name = path.rpartition("/")[2]
        digest = f"sha256:{hashed.digest.hexdigest()}"
        self._resources.append({"name": name, "path": path, "hash": digest, "bytes": hashed.bytes})


class _Hashed:
    """A file that is written, with its digest and its length."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.digest, self.bytes = file, hashlib.sha256(), 0

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        self.bytes += len(data)
        return self._file.write(data)


def _info(path: str, packed: bool = False) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, _MADE)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    info.external_attr = 0o644 << 16
    return info
