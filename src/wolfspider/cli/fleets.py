"""A fleet of islands on the command line: its progress in a line, signals, and how it ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from wolfspider.app.settings import Settings, choose
from wolfspider.app.strange_runs import resumed_with
from wolfspider.cli.common import say
from wolfspider.cli.crawling import CODES
from wolfspider.core.errors import Nothing, Problem
from wolfspider.store.fleet_folder import about_fleet
from wolfspider.terminal import fleet_standing
from wolfspider.terminal import progress as terminal
from wolfspider.terminal.crawl_screen import A_MINUTE
from wolfspider.terminal.standing import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from wolfspider.islands.fleet import FleetHead
    from wolfspider.islands.keeper import IslandReport

_DRAINING = "Waiting for visits in flight; Ctrl-C again ends at once. Either way the fleet can be resumed."


def crawl(
    settings: Settings,
    folder: Path,
    count: int,
    as_json: bool,
    quiet: bool,
    per_machine: int | None = None,
    given: Collection[str] = (),
    again: bool = False,
) -> int:
    """Begin or resume a fleet, and run it to its end. `given` and `again`: as for a `Hunt`."""
    from wolfspider.islands.fleet import opened_fleet

    if as_json:
        raise Problem("--json tells the events of one crawl: with --islands, read the runs of the islands.")
    console = terminal.console_for(stderr=True, quiet=quiet)
    of_fleet = (folder, settings, count, settings.cluster)
    opened = opened_fleet(*of_fleet, per_machine=per_machine, given=given, again=again, remark=partial(say, console))
    with _told_if_early(console), opened as head, _signals(head), terminal.screen(console) as show:
        head.tell = Telling(console, head, show).tell
        reason = head.run()
    for sentence in fleet_standing.ending(folder):
        say(console, sentence)
    for number, report in enumerate(head.reports):
        if report.trouble:
            say(console, f"Island {number + 1}: {report.trouble}")
    code = CODES[reason]
    return Nothing.code if code == 0 and not any(report.pages for report in head.reports) else code


@dataclass
class Telling:
    """What a person hears of a fleet that goes on: on a terminal a line that moves, elsewhere one a minute; and at once
    who died, and that Ctrl-C was heard."""

    console: Console
    head: FleetHead
    show: Callable[[Text], None] | None
    _islands: Sequence[IslandReport] = ()
    _said_at: float = field(default_factory=time.monotonic)
    _heard: bool = False

    def tell(self, reports: Sequence[IslandReport]) -> None:
        for number, (before, now) in enumerate(zip(self._islands or reports, reports, strict=True)):
            if now.deaths > before.deaths:
                what = "started again" if now.wants else "given up"
                say(self.console, f"Island {number + 1} died and is {what}. {now.trouble}".strip())
        self._islands = list(reports)
        if self.head.end and not self._heard:
            self._heard = True
            say(self.console, _DRAINING)
        now_stands = line(reports, self.head.ledger.budget)
        if self.show is not None:
            self.show(terminal.one_line(now_stands))
        elif time.monotonic() >= self._said_at + A_MINUTE:
            self._said_at = time.monotonic()
            say(self.console, now_stands)


@contextmanager
def _told_if_early(console: Console) -> Iterator[None]:
    """Until the fleet listens to signals, one ends the command at once: joining a cluster takes a while."""
    try:
        yield
    except KeyboardInterrupt:
        say(console, "Ended by you before the islands were at work; the same command goes on.")
        raise


def line(reports: Sequence[IslandReport], budget: int) -> str:
    at_work, spent = sum(report.running for report in reports), sum(report.spent for report in reports)
    pages = counted(sum(report.pages for report in reports), "page")
    found = f"{sum(report.relevant for report in reports):,} relevant of {pages}"
    return f"{at_work} of {counted(len(reports), 'island')} at work; {terminal.of_budget(spent, budget)}; {found}."


def resume(folder: Path, flags: dict[str, object], as_json: bool, quiet: bool, per_machine: int | None = None) -> int:
    about = about_fleet(folder)
    settings = choose(resumed_with(Settings.from_json(about["settings"]), flags), environment=False).settings
    return crawl(settings, folder, about["islands"], as_json, quiet, per_machine, tuple(flags))


@contextmanager
def _signals(head: FleetHead) -> Iterator[None]:
    """The first one lets visits in flight land, the second one ends at once."""

    def handle(number: int, frame: FrameType | None) -> None:
        head.end = "stop" if head.end else "drain"

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
