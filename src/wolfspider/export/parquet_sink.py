"""Pages as a folder of Parquet files with a dataset card, which the library `datasets` loads as it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.export.exported_page import SCHEMA, ExportedPage
from wolfspider.export.harmless_text import json_line
from wolfspider.export.markdown_sink import harmless_markdown
from wolfspider.export.optional_library import needed
from wolfspider.export.page_table import RowBatch, schema
from wolfspider.export.sink import About
from wolfspider.store.view import utc

ROWS_OF_A_FILE = 100_000
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


class ParquetFolder:
    folder = True

    def begin(self, about: About, out: Path) -> None:
        with needed("pyarrow", "The format parquet", "parquet"):
            from pyarrow.parquet import ParquetWriter
        self._writer = ParquetWriter
        self._about, self._out, self._batch = about, out, RowBatch()
        self._file: Any = None
        self._files = self._rows = self._pages = 0
        self._languages: Counter[str] = Counter()
        (out / "data").mkdir()

    def page(self, page: ExportedPage) -> None:
        self._pages += 1
        if (language := page.row.language).isascii() and language.isalpha():
            self._languages[language] += 1
        if self._batch.add(page):
            self._write()

    def end(self) -> None:
        if self._batch or self._file is None:
            self._write()
        self._file.close()
        (self._out / "README.md").write_text(self._card(), encoding="utf-8")

    def _write(self) -> None:
        """A group of rows."""
        if self._file is not None and self._rows >= ROWS_OF_A_FILE:
            self._file.close()
            self._file = None
        if self._file is None:
            path = self._out / "data" / f"train-{self._files:05d}.parquet"
            self._file = self._writer(path, schema(), compression="zstd")
            self._files, self._rows = self._files + 1, 0
        self._rows += len(self._batch)
        self._file.write_batch(self._batch.taken())

    def _card(self) -> str:
        about = self._about
        size = next((name for most, name in _SIZES if self._pages < most), "1M<n<10M")
        head = {
            "pretty_name": about.topic[:100],
            "language": [language for language, _ in self._languages.most_common(20)],
            "size_categories": [size],
            "configs": [{"config_name": "default", "data_files": [{"split": "train", "path": "data/*.parquet"}]}],
        }
        front = "".join(f"{name}: {json_line(value)}\n" for name, value in head.items())
        topic = harmless_markdown(" ".join(about.topic.split()))
        return (
            f"---\n{front}---\n\n# {topic}\n\n"
            f"{self._pages:,} web pages, found by a focused crawl for “{topic}” and exported by wolfspider "
            f"{__version__} as of {utc(about.at)}.\n\n"
            f"Each row is a page with the fields of wolfspider's exports, version {SCHEMA}: its address (`final_url`), "
            "`title`, `text`, `language`, `score`, `relevant`, when it was `fetched`, and where the answer lies in the "
            "archive of the crawl (`warc_file`, `warc_offset`, `warc_length`). Pages that ask not to be indexed are "
            "not in it.\n\n"
            "The texts belong to their authors. What a page says about mining and training is in `robots` (`noai`) and "
            "`tdm`: filter by them before you train anything.\n"
        )
