"""Pages of a run for other tools. docs/export.md has the formats and the fields.

An export is a pure function of one moment of the run, which may go on meanwhile. Pages are handed to a sink one at a
time, so that memory does not grow with the run; a file or a folder appears only when it is complete.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from wolfspider.core.errors import BadInput, Problem
from wolfspider.export.export_tally import Exported
from wolfspider.export.selecting import Selected, selected
from wolfspider.export.selection import EVERYTHING, Filters
from wolfspider.export.sink import About, Sink
from wolfspider.export.sinks import sink_named, vars_of
from wolfspider.files.disk import UNFINISHED_EXPORT, remove_leftovers, whole_file, whole_folder
from wolfspider.store.folder import refuse_inside


def export(
    folder: Path,
    form: str,
    out: Path | None,
    filters: Filters = EVERYTHING,
    *,
    stdout: BinaryIO,
    raw: bool = False,
    main_text: bool = False,
    rejudge: bool = False,
    on_screen: bool = False,
) -> Exported:
    """Write the pages of a run to a file or a folder, or to stdout. `rejudge`: with the verdicts that the judge would
    give now; `on_screen`: stdout is a terminal."""
    make = sink_named(form)
    target = None if out is None or str(out) == "-" else out
    into_folder = isinstance(make, type) and bool(vars_of(make).get("folder"))
    if into_folder and target is None:
        raise Problem(f"The format {form} is a folder: say which by --out FOLDER.")
    if target is None and on_screen and isinstance(make, type) and vars_of(make).get("binary"):
        raise Problem(f"The format {form} is no text for a screen: name a file by --out FILE.")
    if target is not None:
        refuse_inside(folder, target)
    with selected(folder, filters, main_text, rejudge) as pages:
        about = About(pages.topic, pages.strategy, pages.at, pages.settings, target, raw, main_text)
        if target is None:
            _fill(make, pages, about, stdout)
            stdout.flush()
        else:
            _write(make, pages, about, target, into_folder)
    return pages.exported


def _write(make: Callable[[], Sink], pages: Selected, about: About, target: Path, into_folder: bool) -> None:
    try:
        remove_leftovers(target.absolute().parent, UNFINISHED_EXPORT)
        if into_folder:
            with whole_folder(target, ending=UNFINISHED_EXPORT) as folder:
                _fill(make, pages, about, folder)
        else:
            with whole_file(target, 0o666, ending=UNFINISHED_EXPORT) as file:
                _fill(make, pages, about, file)
    except OSError as error:
        raise BadInput(f"{target} cannot be written: {error.strerror}.") from error


def _fill(make: Callable[[], Sink], pages: Selected, about: About, out: BinaryIO | Path) -> None:
    sink = make()
    sink.begin(about, out)
    for page in pages:
        sink.page(page)
    sink.end()
