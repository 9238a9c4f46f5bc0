"""A page on its way into a sink: its fields, and its text and record, read from the archive when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page
from wolfspider.export.export_tally import Exported
from wolfspider.store.archive_reader import RecordPlace, name_of, record_at
from wolfspider.store.folder import Places
from wolfspider.store.requisites import RequisiteRecord, Requisites
from wolfspider.store.view import RunView, StoredPage, utc
from wolfspider.web.page import charset
from wolfspider.web.page.html import MOST_BYTES
from wolfspider.web.page.main_text import main_text
from wolfspider.web.page.plaintext import readable
from wolfspider.web.page.usage_signals import usage_signals

SCHEMA = 3  # version of the fields; docs/export.md says what each version added
FIELDS = (
    *("url", "final_url", "title", "description", "text", "language", "published", "modified", "fetched", "status"),
    *("type", "charset", "size", "digest", "near", "score", "relevant", "evidence", "label", "source", "anchor"),
    *("depth", "strategy", "topic", "warc_file", "warc_offset", "warc_length", "robots"),
    *("canonical", "why", "parent", "agent", "near_duplicate_of", "tdm", "schema"),  # since 2
    "truncated",  # since 3
)
COLUMNS = tuple(name for name in FIELDS if name != "text")  # what is known without a look at the text
_DIGEST = re.compile(rb"^WARC-Payload-Digest: *(\S+)", re.MULTILINE | re.IGNORECASE)
_MOST_WORDS = 8  # of a page that are told in `why`


class FoundBy(NamedTuple):
    """How a page was found."""

    source: str  # the page that linked to it; "" for a starting point
    anchor: str
    agent: str
    depth: int | None  # links from a starting point, on the way it was found; None if unknown


class OfRun(NamedTuple):
    """What all pages of an export have in common."""

    view: RunView
    strategy: str
    topic: str
    main_text: bool  # is `text` the main text?
    exported: Exported
    island: str = ""  # its folder in that of a fleet, with a stroke behind it; "" of a run


class ArchivedRecord(NamedTuple):
    """A record as it lies in the archive."""

    member: bytes  # a whole gzip member
    digest: str  # of its body, as the record says it


@dataclass
class ExportedPage:
    row: StoredPage
    way: FoundBy
    near_duplicate_of: str | None  # an earlier page of the same export with nearly the same words
    run: OfRun

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The fields of docs/export.md as plain data, without the text."""
        row, place, way = self.row, self.row.place, self.way
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
            "source": way.source,
            "anchor": way.anchor,
            "depth": way.depth,
            "strategy": self.run.strategy,
            "topic": self.run.topic,
            "warc_file": self.run.island + name_of(place.file) if place else None,
            "warc_offset": place.offset if place else None,
            "warc_length": place.length if place else None,
            "robots": list(row.robots),
            "canonical": row.canonical or None,
            "why": why(row.relevant, row.evidence),
            "parent": way.source or None,
            "agent": way.agent,
            "near_duplicate_of": self.near_duplicate_of,
            "tdm": usage_signals(row.headers, self.html or ""),
            "schema": SCHEMA,
            "truncated": row.truncated,
        }

    @cached_property
    def body(self) -> bytes | None:
        """What was downloaded; None if it was never archived, or its record is damaged, which is counted."""
        if self.row.place is None:
            return None
        try:
            return self.run.view.body(self.row)
        except BadInput:
            self.run.exported.damaged += 1
            return None

    @cached_property
    def html(self) -> str | None:
        """The markup of the page; None if it has none."""
        kind = self.row.headers.get("content-type", "")
        if self.body is None or charset.kind_of(kind, self.body) != "html":
            return None
        return charset.decoded(kind, self.body[:MOST_BYTES])[0]

    @cached_property
    def text(self) -> str | None:
        """Its visible text, or its main text if that was asked for; None if there is no body to read it from."""
        return self.main_text if self.run.main_text else self.whole_text

    @cached_property
    def whole_text(self) -> str | None:
        return None if self.body is None else readable(self.body, self.row.headers.get("content-type", ""))

    @cached_property
    def main_text(self) -> str | None:
        """Its text without menus and the like; a Problem where the extra is missing that finds it."""
        return self.whole_text if self.html is None else main_text(self.html, self.row.final_url)

    @property
    def clean_text(self) -> str | None:
        """Its main text where the extra is installed that finds it, its visible text otherwise."""
        try:
            return self.main_text
        except Problem:
            return self.whole_text

    def parsed(self) -> Page | None:
        """The page parsed again, with its links; None if that is not possible."""
        return self.run.view.parsed(self.row)

    def requisites(self) -> Iterator[RequisiteRecord]:
        """Images, styles and scripts that it needs, as far as the run has them."""
        with Requisites.of(self.run.view.folder) as kept:
            if kept is not None:
                yield from kept.of_page(self.row.final_url)

    def record(self) -> ArchivedRecord | None:
        """The answer as it lies in the archive. None if there is none: then the page is counted as left out."""
        exported, place = self.run.exported, self.row.place
        if place is None:
            exported.unarchived += 1
            exported.pages -= 1
            return None
        try:
            return _archived(Places.of(self.run.view.folder).archive, place)
        except BadInput:
            exported.damaged += 1
            exported.pages -= 1
            return None


def _archived(archive: Path, place: RecordPlace) -> ArchivedRecord:
    data, record = record_at(archive, place)
    digest = _DIGEST.search(record.partition(b"\r\n\r\n")[0])
    return ArchivedRecord(data, digest[1].decode("ascii", "replace") if digest else "")


def why(relevant: bool, evidence: Mapping[str, Any]) -> str:
    """Why a page counts as relevant, or does not, in words."""
    label = evidence.get("label")
    if label is not None:
        who = "The teacher" if evidence.get("by_teacher") else "A person"
        return f"{who} says that it is {'relevant' if label else 'not relevant'}."
    judged = f"Judged {'relevant' if relevant else 'not relevant'}"
    told = "; ".join(_told(evidence))
    return f"{judged}: {told}." if told else f"{judged}."


def _told(evidence: Mapping[str, Any]) -> Iterator[str]:
    """The evidence of a judge, which may be of any kind: a person's own judge gives what it likes."""
    if isinstance(evidence.get("probability"), float):
        yield f"probability {evidence['probability']:.2f}"
    for name, introduction in (("words", "words of the topic"), ("telling", "other telling words")):
        found = evidence.get(name)
        if isinstance(found, list) and found:
            yield f"{introduction}: {', '.join(map(str, found[:_MOST_WORDS]))}"
