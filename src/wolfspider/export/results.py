"""The pages of a run for Python: one by one, as a table of pandas, polars or pyarrow, or in a notebook."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from wolfspider.core.plain_text import plainly
from wolfspider.export.exported_page import FIELDS
from wolfspider.export.optional_library import needed
from wolfspider.export.page_table import arrow, batches, schema
from wolfspider.export.selecting import Selected, selected
from wolfspider.export.selection import Filters
from wolfspider.store.fleet_folder import runs_in
from wolfspider.store.view import RunView

_SHOWN = 20  # pages in a notebook
_LONGEST_TITLE = 120  # characters there


def results(
    run: str | Path,
    *,
    relevant: bool = False,
    since: float | None = None,
    languages: tuple[str, ...] = (),
    best: int | None = None,
    dedup: bool = False,
    main_text: bool = False,
    rejudge: bool = False,
) -> Results:
    """The pages of a run, as an export has them: chosen by the same filters, with the same fields."""
    return Results(Path(run), Filters(relevant, since, tuple(languages), best, dedup), main_text, rejudge)


class Results:
    """Read anew each time it is asked, at one moment of the run, which may go on."""

    def __init__(self, run: Path, filters: Filters, main_text: bool, rejudge: bool = False) -> None:
        self._run, self._filters, self._main_text, self._rejudge = run, filters, main_text, rejudge
        for each in runs_in(run):
            RunView(each)  # is it one?

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each page as a dict with the fields of docs/export.md."""
        with self._pages() as pages:
            for page in pages:
                told = {**page.fields, "text": page.text}
                yield {name: told[name] for name in FIELDS}

    def arrow(self) -> Any:
        """A pyarrow.Table. Needs pyarrow, which the extra `parquet` brings."""
        with self._pages() as pages:
            return arrow().Table.from_batches(batches(pages), schema=schema())

    def pandas(self) -> Any:
        """A pandas.DataFrame. Needs pandas and pyarrow."""
        with needed("pandas", "This table"):
            return self.arrow().to_pandas()

    def polars(self) -> Any:
        """A polars.DataFrame. Needs polars and pyarrow."""
        with needed("polars", "This table"):
            return importlib.import_module("polars").from_arrow(self.arrow())

    def _repr_html_(self) -> str:
        """The first pages, for a notebook: text alone, whatever they hold."""
        with self._pages() as pages:
            shown = list(islice(iter(pages), _SHOWN + 1))
            topic = pages.topic
        rows = "".join(
            f"<tr><td>{page.row.score:.2f}</td><td>{'yes' if page.row.relevant else 'no'}</td>"
            f"<td>{escape(plainly(page.row.title, _LONGEST_TITLE))}</td>"
            f"<td>{escape(plainly(page.row.final_url, 2 * _LONGEST_TITLE))}</td></tr>"
            for page in shown[:_SHOWN]
        )
        more = "<p>and more</p>" if len(shown) > _SHOWN else ""
        head = "<tr><th>score</th><th>relevant</th><th>title</th><th>address</th></tr>"
        caption = f"<caption>Pages for: {escape(plainly(topic, _LONGEST_TITLE))}</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{rows}</tbody></table>{more}"

    def _pages(self) -> AbstractContextManager[Selected]:
        return selected(self._run, self._filters, self._main_text, self._rejudge)
