"""Pages as an index of the search engine Tantivy, and the search in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.errors import BadInput, Problem
from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.optional_library import needed
from wolfspider.export.sink import About
from wolfspider.files.program_name import shell_command

ABOUT = "wolfspider.json"  # marks the folder of such an index
_HEAP = 50_000_000  # bytes that Tantivy may take before it writes to the disk
_STORED = ("final_url", "title", "language", "fetched")
_SEARCHED = ("title", "text", "description")
_LONGEST_QUERY = 1_000  # characters
_SNIPPET = 200  # characters


class IndexedPage(NamedTuple):
    rank: float  # how well it fits the question
    final_url: str
    title: str
    language: str
    fetched: str
    score: float  # of the judge
    relevant: bool
    snippet: str


class TantivyIndex:
    folder = True

    def begin(self, about: About, out: Path) -> None:
        self._index = _tantivy().Index(_schema(), path=str(out))
        self._writer, self._document = self._index.writer(_HEAP, 1), _tantivy().Document
        (out / ABOUT).write_text(json.dumps({"format": 1, "topic": about.topic}), encoding="utf-8")

    def page(self, page: ExportedPage) -> None:
        told = page.fields
        texts = {name: told[name] or "" for name in (*_STORED, "description")}
        texts |= {"text": page.clean_text or "", "host": page.row.host}
        document = self._document(**{name: [_whole(value)] for name, value in texts.items()})
        document.add_float("score", page.row.score)
        document.add_boolean("relevant", page.row.relevant)
        self._writer.add_document(document)

    def end(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()


def search(folder: Path, question: str, limit: int = 10) -> list[IndexedPage]:
    """The pages that fit a question best, in the language of Tantivy: words, "a phrase", title:word, +must, -not."""
    if not (folder / ABOUT).is_file():
        raise BadInput(
            f"{folder} is neither a run nor an index to search in, such as this makes: "
            f"{shell_command('export', 'RUN', '--format', 'tantivy', '--out', 'FOLDER')}"
        )
    index = _tantivy().Index.open(str(folder))
    try:
        query = index.parse_query(question[:_LONGEST_QUERY], list(_SEARCHED))
    except ValueError as error:
        raise Problem(
            f"{question!r:.200} cannot be searched for: {error}. Put what is no word between quotes."
        ) from error
    searcher = index.searcher()
    snippets = _tantivy().SnippetGenerator.create(searcher, query, index.schema, "text")
    snippets.set_max_num_chars(_SNIPPET)
    found = []
    for rank, address in searcher.search(query, limit).hits:
        document = searcher.doc(address)
        of = {name: document.get_first(name) for name in (*_STORED, "score", "relevant")}
        snippet = snippets.snippet_from_doc(document).fragment()
        found.append(IndexedPage(float(rank), **of, snippet=" ".join(snippet.split())))
    return found


def _schema() -> Any:
    fields = _tantivy().SchemaBuilder()
    for name in ("title", "description", "text"):
        fields.add_text_field(name, stored=True, tokenizer_name="default")
    for name in ("final_url", "host", "language", "fetched"):
        fields.add_text_field(name, stored=True, tokenizer_name="raw")
    fields.add_float_field("score", stored=True, indexed=True, fast=True)
    fields.add_boolean_field("relevant", stored=True, indexed=True)
    return fields.build()


def _tantivy() -> Any:
    with needed("tantivy", "The format tantivy", "search"):
        import tantivy
    return tantivy


def _whole(value: str) -> str:
    """Half of a surrogate pair has no place in UTF-8."""
    return value.encode("utf-8", "replace").decode()
