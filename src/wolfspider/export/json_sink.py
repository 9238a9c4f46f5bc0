"""Pages as JSON lines: an object for each, with all fields in their order."""

from __future__ import annotations

from typing import BinaryIO

from wolfspider.export.exported_page import FIELDS, ExportedPage
from wolfspider.export.harmless_text import json_line
from wolfspider.export.sink import About


class JsonLines:
    def begin(self, about: About, out: BinaryIO) -> None:
        self._out = out

    def page(self, page: ExportedPage) -> None:
        told = {**page.fields, "text": page.text}
        self._out.write(json_line({name: told[name] for name in FIELDS}).encode("utf-8", "replace") + b"\n")

    def end(self) -> None:
        pass
