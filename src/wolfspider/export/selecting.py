"""What an export is made from: the pages of a run, or those of all islands of a fleet as if they were of one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

from wolfspider.export.export_tally import Exported
from wolfspider.export.exported_page import ExportedPage
from wolfspider.export.near_duplicates import NearDuplicates
from wolfspider.export.rejudging import judged_anew
from wolfspider.export.selection import Filters, Selection
from wolfspider.store.fleet_folder import about_fleet, is_fleet, runs_in
from wolfspider.store.view import RunView


class Selected(Protocol):
    """Pages to be iterated over once, and what they have in common."""

    exported: Exported

    @property
    def topic(self) -> str: ...
    @property
    def strategy(self) -> str: ...
    @property
    def at(self) -> float: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    def __iter__(self) -> Iterator[ExportedPage]: ...


@dataclass
class OfFleet:
    """The pages of all islands, one island after the other, or the best of all."""

    parts: list[Selection]
    settings: dict[str, Any]
    exported: Exported
    best: int | None

    @property
    def topic(self) -> str:
        return self.parts[0].topic

    @property
    def strategy(self) -> str:
        return self.parts[0].strategy

    @property
    def at(self) -> float:
        return max(float(part.at) for part in self.parts)

    def __iter__(self) -> Iterator[ExportedPage]:
        if self.best is None:
            yield from chain.from_iterable(self.parts)
            return
        ahead = self.exported.pages
        for page in islice(heapq.merge(*self.parts, key=lambda page: -page.row.score), self.best):
            ahead += 1
            yield page
        self.exported.pages = min(self.exported.pages, ahead)  # one of each island may have been looked at in vain


@contextmanager
def selected(folder: Path, filters: Filters, main_text: bool = False, rejudge: bool = False) -> Iterator[Selected]:
    with ExitStack() as stack:

        def part(run: Path, earlier: NearDuplicates | None = None, island: str = "") -> Selection:
            view = RunView(run)
            moment, anew = stack.enter_context(view.moment()), stack.enter_context(judged_anew(view, rejudge))
            return Selection(view, moment, filters, main_text, anew, earlier, island)

        if not is_fleet(folder):
            yield part(folder)
            return
        earlier = stack.enter_context(closing(NearDuplicates()))
        parts = [part(run, earlier, f"{run.relative_to(folder)}/") for run in runs_in(folder)]
        exported = Exported(folder)
        for each in parts:
            each.exported = exported
        yield OfFleet(parts, about_fleet(folder)["settings"], exported, filters.best)
