"""The demo on a terminal: a screen that moves while it hunts, and what it prints in the end.

The screen goes to stderr. Where that is no terminal there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

from wolfspider.bench.run.demo import Demo, DemoCrawl, Line, next_steps, verdict
from wolfspider.core.plain_text import plainly
from wolfspider.files.program_name import program
from wolfspider.terminal import progress as terminal
from wolfspider.terminal.progress import percent

SHOWN = 5  # finds
BAR = 32  # columns
_PAUSE = 0.1  # seconds between two pictures


@contextmanager
def following(console: Console, demo: Demo) -> Iterator[Callable[[DemoCrawl], None]]:
    """Gives what wants to be called after every download."""
    with terminal.screen(console) as show:
        yield Screen(demo, show) if show else lambda hunt: None


class Screen:
    """Progress, rates and the best finds so far, redrawn a few times a second."""

    def __init__(self, demo: Demo, show: Callable[[RenderableType], None]) -> None:
        self._demo, self._show = demo, show
        self._hunts: dict[str, DemoCrawl] = {}
        self._drawn = 0.0

    def __call__(self, hunt: DemoCrawl) -> None:
        now = time.monotonic()
        if now - self._drawn >= _PAUSE or hunt.strategy not in self._hunts:
            self._hunts[hunt.strategy] = hunt
            bars = Table.grid(padding=(0, 2))
            for each in self._hunts.values():
                bars.add_row(Text(each.strategy, "bold"), terminal.progress(each.downloads, each.pages, BAR))
                bars.add_row("", Text(rates(each)))
            self._show(terminal.framed(headline(self._demo), Text(), bars, Text(), finds(self._demo.hunt)))
            self._drawn = now


def headline(demo: Demo) -> Text:
    wanted = plainly(", ".join(demo.task.topic.keywords))
    return Text.assemble(
        "Hunting for ", (wanted, "bold"), f" on a built-in web of {demo.size:,} pages about many things."
    )


def rates(hunt: DemoCrawl) -> str:
    relevant, waiting = f"{len(hunt.found):,} relevant", f"{hunt.waiting:,} waiting"
    return terminal.rates(relevant, percent(hunt.rate), hunt.recent, waiting)


def finds(hunt: DemoCrawl) -> Table:
    """The best pages so far."""
    return terminal.finds((find.score, find.title, find.url) for find in hunt.best.finds[:SHOWN])


# What it prints in the end


def summary(console: Console, found: Demo, lines: Sequence[Line]) -> None:
    """What was found, and how that compares; without lines the hunt was interrupted."""
    hunt = found.hunt
    console.print(headline(found))
    console.print(f"{hunt.strategy}, {hunt.downloads:,} downloads: {rates(hunt)}.")
    console.print(f"Its judge, which is told nothing but the topic's words, calls {hunt.sure:,} pages relevant.\n")
    if hunt.best.finds:
        console.print("[bold]Best finds[/bold]")
        console.print(finds(hunt))
        console.print()
    if lines:
        _compared(console, lines)
        console.print("\n[bold]What to try next[/bold]")
        table = Table.grid(Column(no_wrap=True), padding=(0, 2))
        for command, says in next_steps(found.plan, program()):
            table.add_row(Text(command, "cyan"), Text(says))
        console.print(table)


def _compared(console: Console, lines: Sequence[Line]) -> None:
    pages, possible = max(line.downloads for line in lines), lines[0].possible
    console.print(
        f"[bold]The same {pages:,} downloads[/bold], of which no crawler can make more than {possible:,} finds"
    )
    table = Table.grid(Column(no_wrap=True), padding=(0, 2))
    for line in lines:
        table.add_row(
            Text(line.strategy, "bold"),
            f"{line.found:,} found",
            f"harvest rate {percent(line.rate)}",
            f"{percent(line.share)} of what is possible",
        )
    console.print(table)
    console.print(verdict(list(lines)))
