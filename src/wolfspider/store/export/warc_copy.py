"""Pages of a run as a WARC of their own: the records byte for byte, and a metadata record with the verdict on each."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from wolfspider import __version__
from wolfspider.core.errors import BadInput
from wolfspider.store import cdxj
from wolfspider.store.archive_reader import Place, record_at
from wolfspider.store.export.selection import Selected, Selection
from wolfspider.store.folder import Places
from wolfspider.web.warc import writer

_DIGEST = re.compile(rb"^WARC-Payload-Digest: *(\S+)", re.MULTILINE | re.IGNORECASE)


def index_beside(out: Path) -> Path:
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".warc") + ".cdxj")


def copied(pages: Selection, file: BinaryIO, name: str) -> Iterator[cdxj.IndexLine]:
    """Write the pages; yields the lines of an index of the new file."""
    archive = Places.of(pages.view.folder).archive
    place = file.write(_info(pages, name))
    for selected in pages:
        row = selected.row
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


def _member(archive: Path, place: Place | None) -> tuple[bytes, str]:
    """A whole record as it lies in the archive, and the digest of its body."""
    if place is None:
        raise BadInput("This page was never archived.")
    data, record = record_at(archive, place)
    digest = _DIGEST.search(record.partition(b"\r\n\r\n")[0])
    return data, digest[1].decode("ascii", "replace") if digest else ""
