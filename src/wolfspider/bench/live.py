"""What moves on a terminal while something runs: the screen of the demo, and the bar of a long command.

All of it goes to stderr. Without a terminal the demo tells a line now and then, and bars are not drawn at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from wolfspider.bench.demo import WINDOW, Demo, Hunt
from wolfspider.bench.plain import plainly
from wolfspider.model import host_of

SHOWN = 5  # finds
_PAUSE = 0.1  # seconds between two pictures
_WIDE = 10_000  # columns of what is no terminal
_LINES = 8  # that tell of a crawl where there is no terminal


def console_for(stderr: bool = False, quiet: bool = False) -> Console:
    """A terminal folds lines at its edge; for a program that reads nothing is folded or cut."""
    console = Console(stderr=stderr, highlight=False, quiet=quiet)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, quiet=quiet, width=_WIDE)


@contextmanager
def busy(console: Console, says: str) -> Iterator[None]:
    """A sign of life, for seconds of which nothing can be counted."""
    if not console.is_terminal or console.quiet:
        yield
        return
    with console.status(says):
        yield


@contextmanager
def following(console: Console, demo: Demo) -> Iterator[Callable[[Hunt], None]]:
    """Gives what wants to be called after every download."""
    if not console.is_terminal or console.quiet:
        yield Lines(console)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Screen(demo, live)


class Lines:
    """Progress where lines are all there is."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, hunt: Hunt) -> None:
        if hunt.downloads % max(hunt.pages // _LINES, 1) == 0:
            self._console.print(f"{hunt.strategy}: {hunt.downloads:,} downloads, {rates(hunt)}")


class Screen:
    """Progress, rates and the best finds so far, redrawn a few times a second."""

    def __init__(self, demo: Demo, live: Live) -> None:
        self._demo, self._live = demo, live
        self._hunts: dict[str, Hunt] = {}
        self._drawn = 0.0

    def __call__(self, hunt: Hunt) -> None:
        now = time.monotonic()
        if now - self._drawn >= _PAUSE or hunt.strategy not in self._hunts:
            self._hunts[hunt.strategy] = hunt
            self._live.update(self._picture(), refresh=True)
            self._drawn = now

    def _picture(self) -> RenderableType:
        parts = (headline(self._demo), Text(), self._bars(), Text(), finds(self._demo.hunt))
        return Padding(Group(*parts), (1, 2))

    def _bars(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for hunt in self._hunts.values():
            table.add_row(Text(hunt.strategy, "bold"), _bar(hunt))
            table.add_row("", Text(rates(hunt)))
        return table


def _bar(hunt: Hunt) -> Table:
    line = Table.grid(padding=(0, 2))
    line.add_row(ProgressBar(hunt.pages, hunt.downloads, width=32), f"{hunt.downloads:,} of {hunt.pages:,} downloads")
    return line


def headline(demo: Demo) -> Text:
    wanted = plainly(", ".join(demo.task.topic.keywords))
    size = f"{demo.size:,} pages in a made-up language"
    return Text.assemble("Hunting for ", (wanted, "bold"), f" on a computed web of {size}.")


def rates(hunt: Hunt) -> str:
    return (
        f"{len(hunt.found):,} relevant, harvest rate {percent(hunt.rate)} (last {WINDOW}: {percent(hunt.recent)}),"
        f" {hunt.waiting:,} links waiting"
    )


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def finds(hunt: Hunt) -> Table:
    """The best pages so far. Titles come from pages: they are shown as text, whatever they hold."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="green", no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(no_wrap=True, overflow="ellipsis", style="dim")
    for find in hunt.best.finds[:SHOWN]:
        host = plainly(host_of(find.url))
        table.add_row(f"{find.score:.2f}", Text(plainly(find.title) or "(no title)"), Text(host))
    return table


class Bar:
    """A bar with a count and the time it may still take; `told` writes above it."""

    def __init__(self, console: Console, label: str) -> None:
        self._console, self._label = console, label
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, done: int, total: int) -> None:
        if self._task is None:
            self._task = self._progress.add_task(self._label, total=total)
        self._progress.update(self._task, completed=done, total=total)

    def told(self, sentence: str) -> None:
        self._console.print(Text(plainly(sentence)))

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        self(cells, total)
        best = sorted(means, key=means.__getitem__, reverse=True)[:3]
        if self._task is not None and best:
            leading = ", ".join(f"{name} {means[name]:.3f}" for name in best)
            self._progress.update(self._task, description=f"{self._label}, leading: {leading}")
