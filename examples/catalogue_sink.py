"""A catalogue in Dublin Core, as an export format of your own: a record for each page, with where its copy lies.

    wolfspider export run --relevant --format examples/catalogue_sink.py --out catalogue.xml

Libraries and archives read Dublin Core; other schemes (MODS, MARCXML) are a matter of other names.
"""

from __future__ import annotations

from typing import Any, BinaryIO
from xml.sax.saxutils import escape

HEAD = b"""<?xml version="1.0" encoding="utf-8"?>
<records xmlns:dc="http://purl.org/dc/elements/1.1/">
"""
TERMS = {  # of Dublin Core, by the fields of an export
    "identifier": "final_url",
    "title": "title",
    "description": "description",
    "language": "language",
    "date": "published",
    "format": "type",
    "source": "source",  # the page that led to it
}


class Catalogue:
    """Pages come one at a time and are written at once, so a catalogue of any size takes no memory."""

    def begin(self, about: Any, out: BinaryIO) -> None:
        self.out, self.topic = out, about.topic
        out.write(HEAD)

    def page(self, page: Any) -> None:
        lines = [(name, page.fields[field]) for name, field in TERMS.items()]
        lines += [("subject", self.topic), ("provenance", f"fetched {page.fields['fetched']}")]
        if page.fields["warc_file"]:
            lines.append(("relation", f"{page.fields['warc_file']} at byte {page.fields['warc_offset']}"))
        inner = "".join(f"  <dc:{name}>{_text(value)}</dc:{name}>\n" for name, value in lines if value)
        self.out.write(f"<record>\n{inner}</record>\n".encode())

    def end(self) -> None:
        self.out.write(b"</records>\n")


def _text(value: object) -> str:
    """Characters that XML has no place for are left out."""
    return escape("".join(letter for letter in str(value) if letter.isprintable() or letter == " "))
