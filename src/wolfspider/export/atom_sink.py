"""Pages as a feed (Atom, RFC 4287), for readers of news: an entry for each, with its title, dates and description."""

from __future__ import annotations

import hashlib
import json
from typing import BinaryIO

from wolfspider import __version__
from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.harmless_text import xml_text
from wolfspider.export.sink import About
from wolfspider.store.view import utc


class AtomFeed:
    def begin(self, about: About, out: BinaryIO) -> None:
        self._out = out
        whole = json.dumps(about.settings, sort_keys=True).encode()
        name = hashlib.blake2b(whole, digest_size=16).hexdigest()
        self._write(
            '<?xml version="1.0" encoding="utf-8"?>',
            '<feed xmlns="http://www.w3.org/2005/Atom">',
            f"<id>urn:x-wolfspider:{name}</id>",
            f"<title>{xml_text(about.topic)}</title>",
            f"<updated>{utc(about.at)}</updated>",
            "<author><name>wolfspider</name></author>",
            f'<generator version="{__version__}">wolfspider</generator>',
        )

    def page(self, page: ExportedPage) -> None:
        told, url = page.fields, xml_text(page.row.final_url)
        published = f"<published>{told['published']}</published>" if told["published"] else ""
        self._write(
            f"<entry><id>{url}</id>",
            f"<title>{xml_text(told['title'] or told['final_url'])}</title>",
            f'<link href="{url}"/>',
            f"<updated>{told['fetched']}</updated>{published}",
            f"<summary>{xml_text(told['description'] or told['why'])}</summary>",
            "</entry>",
        )

    def end(self) -> None:
        self._write("</feed>")

    def _write(self, *lines: str) -> None:
        self._out.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
