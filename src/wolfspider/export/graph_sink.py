"""Pages and the links between them as GraphML, for tools that draw and measure networks.

Only links between exported pages are in it, each once. Which these are is known when all pages came, so links wait in a
database without a name, which SQLite keeps in a temporary file: a number of 64 bits stands for the address at the other
end.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import BinaryIO

from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.harmless_text import xml_text
from wolfspider.export.sink import About

_KEYS = {"url": "string", "title": "string", "host": "string", "language": "string", "score": "double"}
_MORE = {"relevant": "boolean", "depth": "int", "fetched": "string"}
_TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;
CREATE TABLE nodes (address INTEGER PRIMARY KEY, node INTEGER NOT NULL);
CREATE TABLE links (node INTEGER NOT NULL, address INTEGER NOT NULL);
BEGIN;
"""
_EDGES = (
    "SELECT DISTINCT links.node, nodes.node FROM links JOIN nodes ON nodes.address = links.address"
    " WHERE links.node <> nodes.node"
)


class GraphMl:
    def begin(self, about: About, out: BinaryIO) -> None:
        self._out, self._number = out, 0
        self._waiting = sqlite3.connect("", isolation_level=None)
        self._waiting.executescript(_TABLES)
        self._write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
        for name, kind in {**_KEYS, **_MORE}.items():
            self._write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>')
        self._write('<graph edgedefault="directed">')

    def page(self, page: ExportedPage) -> None:
        row, told = page.row, page.fields
        self._number += 1
        values = {**told, "url": row.final_url, "host": row.host, "relevant": str(row.relevant).lower()}
        data = "".join(
            f'<data key="{name}">{xml_text(str(values[name]))}</data>'
            for name in (*_KEYS, *_MORE)
            if values[name] is not None
        )
        self._write(f'<node id="n{self._number}">{data}</node>')
        names = {(_number_of(url), self._number) for url in (row.final_url, row.url, *row.hops)}
        self._waiting.executemany("INSERT OR IGNORE INTO nodes VALUES (?, ?)", names)
        parsed = page.parsed()
        links = {(self._number, _number_of(link.url)) for link in (parsed.links if parsed is not None else ())}
        self._waiting.executemany("INSERT INTO links VALUES (?, ?)", links)

    def end(self) -> None:
        for source, target in self._waiting.execute(_EDGES):
            self._write(f'<edge source="n{source}" target="n{target}"/>')
        self._write("</graph>\n</graphml>")
        self._waiting.close()

    def _write(self, line: str) -> None:
        self._out.write(f"{line}\n".encode("utf-8", "replace"))


def _number_of(url: str) -> int:
    digest = hashlib.blake2b(url.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
