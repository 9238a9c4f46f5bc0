"""Progress of a long command on the terminal: a spinner, or a bar with messages above it.

Both are written to stderr. If stderr is not a terminal, the messages are written as plain lines, and instead of a bar
now and then a line with its count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from wolfspider.core.limits import ENDLESS
from wolfspider.core.model import host_of
from wolfspider.core.plain_text import plainly

Row = tuple[float, str, str]  # score, title and address of a page
_WIDE = 10_000  # columns of what is no terminal
_HEARTBEAT = 60.0  # seconds between lines that stand for a bar


def console_for(stderr: bool = False, quiet: bool = False) -> Console:
    """A terminal folds lines at its edge; for a program that reads nothing is folded or cut."""
    console = Console(stderr=stderr, highlight=False, quiet=quiet)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, quiet=quiet, width=_WIDE)


@contextmanager
def busy(console: Console, says: str) -> Iterator[None]:
    """Show a spinner while work runs whose progress cannot be counted."""
    if not console.is_terminal or console.quiet:
        yield
        return
    with console.status(says):
        yield


@contextmanager
def screen(console: Console) -> Iterator[Callable[[RenderableType], None] | None]:
    """Gives what shows a picture instead of the one before; the last one vanishes. None where nothing can move."""
    if not console.is_terminal or console.quiet:
        yield None
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda picture: live.update(picture, refresh=True)


def framed(*parts: RenderableType) -> RenderableType:
    """Parts of a picture, one below the other, with an empty line around them."""
    return Padding(Group(*parts), (1, 1))


def rates(relevant: str, rate: str, lately: float | None, more: str) -> str:
    """How good a crawl is, in as many words as fit beside a name on 80 columns; docs/cli.md says what they mean."""
    last = "" if lately is None else f" (lately {percent(lately)})"
    return f"{relevant}, harvest rate {rate}{last}, {more}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def one_line(text: str, style: str = "") -> Text:
    """Cut at the edge. The text says so and not its column: rich gives columns that may fold less room, not others."""
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def of_budget(done: int, budget: int) -> str:
    """How much of a budget of downloads is spent. If it is more than there is, the budget was lowered meanwhile."""
    if budget >= ENDLESS:
        return f"{done:,} download{'s' * (done != 1)}"
    if done > budget:
        return f"{done:,} download{'s' * (done != 1)} (the page limit was lowered to {budget:,})"
    return f"{done:,} of {budget:,} download{'s' * (budget != 1)}"


def progress(done: int, budget: int, columns: int, *more: str) -> Table:
    """How much of a budget of downloads is spent, in one line."""
    shown = [part for part in (of_budget(done, budget), *more) if part]
    line = Table.grid(*(Column(no_wrap=True) for _ in ("", *shown)), padding=(0, 2))
    line.add_row(ProgressBar(budget, done, width=columns), *shown)
    return line


def finds(rows: Iterable[Row]) -> Table:
    """Pages with their scores. Titles come from pages: they are shown as text, whatever they hold."""
    table = Table.grid(Column(justify="right", style="green", no_wrap=True), padding=(0, 2))
    for score, title, url in rows:
        table.add_row(f"{score:.2f}", one_line(plainly(title) or "(no title)"), one_line(plainly(host_of(url)), "dim"))
    return table


class Bar:
    """A bar with a count and the time it may still take; `told` writes above it."""

    def __init__(self, console: Console, label: str) -> None:
        self._console, self._label = console, label
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task: TaskID | None = None
        self._beat = (time.monotonic(), 0)  # when a line was last due, and how much was done by then

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, done: int, total: int) -> None:
        if self._task is None:
            self._task = self._progress.add_task(self._label, total=total)
        self._progress.update(self._task, completed=done, total=total)
        now, (before, had) = time.monotonic(), self._beat
        if not self._console.is_terminal and now >= before + _HEARTBEAT and done > had:
            self._beat = (now, done)
            minutes = (now - before) / 60 * (total - done) / (done - had)
            self.told(f"{self._label}: {done:,} of {total:,}, about {minutes:,.0f} min left")

    def told(self, sentence: str) -> None:
        self._console.print(Text(plainly(sentence)))

    def done(self, cells: int, total: int, means: Mapping[str, float]) -> None:
        self(cells, total)
        best = sorted(means, key=means.__getitem__, reverse=True)[:3]
        if self._task is not None and best:
            leading = ", ".join(f"{name} {means[name]:.3f}" for name in best)
            self._progress.update(self._task, description=f"{self._label}, leading: {leading}")
