"""What a terminal shows of a watch: a line for everything new, and below them how the watch stands.

Where there is no terminal, a line a minute says that the watch is alive.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from wolfspider.core.events import Event, Gauge, Landed
from wolfspider.core.model import Route
from wolfspider.core.plain_text import plainly
from wolfspider.files.program_name import shell_command
from wolfspider.store.view import utc
from wolfspider.terminal import progress as terminal
from wolfspider.terminal.standing import counted
from wolfspider.watch.book import Report

A_MINUTE = 60.0  # seconds between two signs of life, where nothing moves
HOUR = 3600.0


class WatchTally:
    """What a watch has brought since it was started."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.kinds: Counter[str] = Counter()
        self.late: list[float] = []
        self.looks: deque[float] = deque()  # when pages were asked for, in the last hour
        self.gauge: Gauge | None = None
        self.now = 0.0

    def hear(self, event: Event) -> None:
        self.now = max(self.now, event.at)
        if isinstance(event, Gauge):
            self.gauge = event
        elif isinstance(event, Landed) and event.how == Route.OUT:
            self.looks.append(event.at)
        while self.looks and self.looks[0] < self.now - HOUR:
            self.looks.popleft()

    def told(self, report: Report) -> None:
        self.kinds[report.kind] += 1
        data = report.data
        if data.get("late") is not None and not (data.get("to_the_day") or data.get("from_before")):
            self.late = [*self.late[-999:], report.data["late"]]

    def line(self, report: Report) -> str:
        """What is new, from which forager, and how late we were."""
        data, at = report.data, (utc(report.at) or "")[11:16]
        if report.kind == "alert":
            return f"{at} ALARM  {data['sentence']}"
        who = f" by {data['agent']}" if data.get("agent") else ""
        what = "new    " if report.kind == "new" else "changed"
        late = data.get("late")
        when = "" if late is None else f", {span(late)} late" if not data.get("to_the_day") else ", dated to the day"
        return f"{at} {what} {plainly(data.get('title') or '(no title)', 100)}{when}{who}  {report.url}"

    def standing(self) -> str:
        parts = [f"{self.kinds['new']:,} new, {self.kinds['changed']:,} changed since the start"]
        parts.append(f"{counted(len(self.looks), 'download')} in the last hour")
        if self.late:
            parts.append(f"{span(sorted(self.late)[len(self.late) // 2])} late by the median")
        if self.gauge is not None and self.gauge.next_at is not None and self.gauge.next_at > self.now + 60:
            parts.append(f"resting until {(utc(self.gauge.next_at) or '')[11:16]} UTC")
        return f"{(utc(self.now) or '')[11:19]} UTC watching: " + "; ".join(parts)

    def summary(self) -> Iterator[str]:
        yield f"Stopped. {self.standing().partition('watching: ')[2]}."
        yield f"Go on by: {shell_command('watch', '--out', self.run)}"


def span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / HOUR:.1f} h"


@contextmanager
def following(console: Console, tally: WatchTally) -> Iterator[Callable[[], None]]:
    """What is called again and again while the watch runs."""
    if console.is_terminal and not console.quiet:
        with console.status("Watching ...") as status:
            yield lambda: status.update(terminal.one_line(plainly(tally.standing())))
        return
    said = time.monotonic()

    def sign() -> None:
        nonlocal said
        if time.monotonic() - said >= A_MINUTE:
            said = time.monotonic()
            console.print(terminal.one_line(plainly(tally.standing())), soft_wrap=True)

    yield sign
