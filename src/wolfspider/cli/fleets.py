"""A fleet of islands on the command line: its progress in a line, signals, and how it ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
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

if TYPE_CHECKING:
    from wolfspider.islands.fleet import FleetHead
    from wolfspider.islands.keeper import IslandReport

_LINE = 5.0  # seconds between two lines of progress


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
    told = time.monotonic()
    islands: Sequence[IslandReport] = ()

    def tell(reports: Sequence[IslandReport]) -> None:
        nonlocal told, islands
        for number, (before, now) in enumerate(zip(islands or reports, reports, strict=True)):
            if now.deaths > before.deaths:
                what = "started again" if now.wants else "given up"
                say(console, f"Island {number + 1} died and is {what}. {now.trouble}".strip())
        islands = list(reports)
        if time.monotonic() - told >= _LINE:
            told = time.monotonic()
            say(console, line(reports, head.ledger.budget))

    of_fleet = (folder, settings, count, settings.cluster, tell, per_machine)
    opened = opened_fleet(*of_fleet, given=given, again=again, remark=partial(say, console))
    with opened as head, _signals(head):
        reason = head.run()
    for sentence in fleet_standing.ending(folder):
        say(console, sentence)
    for number, report in enumerate(head.reports):
        if report.trouble:
            say(console, f"Island {number + 1}: {report.trouble}")
    code = CODES[reason]
    return Nothing.code if code == 0 and not any(report.pages for report in head.reports) else code


def line(reports: Sequence[IslandReport], budget: int) -> str:
    at_work, spent = sum(report.running for report in reports), sum(report.spent for report in reports)
    found = (
        f"{sum(report.relevant for report in reports):,} relevant of {sum(report.pages for report in reports):,} pages"
    )
    return f"{at_work} of {len(reports)} islands at work; {spent:,} of {budget:,} downloads; {found}."


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
