"""A crawl on the command line: signals, the screen or the stream of events, how it ended, and the dry run.

Ctrl-C once waits for visits in flight, twice ends at once; either way the run can be resumed. A strategy or a judge of
the person's own that never comes to an end keeps the first one from being heard; then the second one interrupts it.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TextIO

from wolfspider.app.event_json import told
from wolfspider.app.hunt import Hunt, Result
from wolfspider.app.plugins import interrupted
from wolfspider.app.preflight import check_record
from wolfspider.app.settings import Chosen, Settings
from wolfspider.app.teacher import check_settings
from wolfspider.cli.common import own_output, print_json, say
from wolfspider.core.errors import Nothing
from wolfspider.core.events import Began, EndReason, Event, Landed, Obeyed, Postponed
from wolfspider.core.failures import MEANINGS, in_words
from wolfspider.core.model import Failure, Page, Route, hidden, host_of
from wolfspider.core.plain_text import plainly
from wolfspider.store.folder import is_run
from wolfspider.store.view import RunView
from wolfspider.terminal import progress as terminal
from wolfspider.terminal.crawl_screen import CrawlTally, following
from wolfspider.terminal.outlook_words import prospects
from wolfspider.terminal.spider_results import Outputs, show
from wolfspider.terminal.standing import RunEnd, counted
from wolfspider.terminal.steering_words import told_of

NOTHING = Nothing.code  # exit code: not one page
CODES = {  # docs/cli.md has the table
    EndReason.BUDGET: 0,
    EndReason.BYTES: 0,
    EndReason.TIME: 0,
    EndReason.CAPPED: 0,
    EndReason.ENOUGH: 0,
    EndReason.DONE: 0,
    EndReason.FINISHED: 0,
    EndReason.WAITING: 5,
    EndReason.EXCLUDED: 5,
    EndReason.REFUSED: 5,
    EndReason.CIRCLING: 6,
    EndReason.STUCK: 6,
    EndReason.DISK: 7,
    EndReason.INTERRUPTED: 130,
    EndReason.STOPPED: 131,
}
TRIED = 12  # downloads of a dry run
_SHOWN = 5  # starting points that a dry run names
_TICK = 0.2  # seconds between two updates of the screen, and between two flushes of the output


def folder_for(settings: Settings) -> Path:
    """The folder of a run that nobody named one for; the same command finds it again."""
    liked = settings.like[0].partition("://")[2] or settings.like[0] if settings.like else ""
    words = unicodedata.normalize("NFC", (settings.topic or settings.description or liked).lower())
    kept = "".join(sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in words)  # of any script
    return Path("runs") / ("-".join(kept.split())[:60] or "run")


def crawl(
    settings: Settings, folder: Path, as_json: bool, quiet: bool, given: Collection[str] = (), again: bool = False
) -> int:
    """`given` and `again`: as for a `Hunt`."""
    console = terminal.console_for(stderr=True, quiet=quiet)
    keywords = [word.strip() for word in settings.topic.split(",") if word.strip()]
    tally, outputs = CrawlTally(settings.pages, keywords), Outputs()
    if is_run(folder):
        before = RunView(folder)
        tally.take_stock(before.summary(), before.hosts())
        outputs.recall(before)

    def tell(event: Event) -> None:
        tally.hear(event)
        outputs.hear(event)
        if as_json:
            output.write(json.dumps(told(event), ensure_ascii=True) + "\n")
        elif isinstance(event, Obeyed):
            say(console, told_of(event))
        if isinstance(event, Postponed) and (trouble := tally.trouble(event)):
            say(console, trouble)

    with own_output() as output:
        remark = partial(say, console)
        hunt = Hunt(settings, folder, tell=tell, remark=remark, given=given, again=again)
        hunt.prepare()
        with following(console, tally, outputs, moves=not (as_json and output.isatty())) as look:
            reason = asyncio.run(guided(hunt, lambda sentence: say(console, sentence), look, output))
        view = RunView(folder)
        outputs.conclude(view)
    if outputs.newest is not None and not as_json:
        show(terminal.console_for(), outputs.newest)
    sys.stdout.flush()
    summary = view.summary()
    tally.take_stock(summary, view.hosts())
    end = RunEnd.of(view, reason, outputs)
    advice = tally.advice(over=summary.ended is not None)
    told_of_run = (
        end.why(),
        tally.summary(view.further(summary)),
        *prospects(view.gauge(), reason),
        advice,
        *end.next_steps(),
    )
    for line in filter(None, told_of_run):
        say(console, line)
    return exit_code(reason, tally)


def exit_code(reason: EndReason, tally: CrawlTally) -> int:
    code = CODES[reason]
    return NOTHING if code == 0 and not tally.pages_in else code


class Guided(Protocol):
    """What signals may end: a crawl, or a watch."""

    async def run(self) -> Result: ...

    def drain(self) -> None: ...

    def stop(self) -> None: ...


async def guided(hunt: Guided, say: Callable[[str], None], look: Callable[[], None], output: TextIO) -> EndReason:
    """Run the hunt and return why it ended; signals end it, the first one gently."""
    signals = sent = 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        """Called at once, wherever the program is, while the loop calls `handle` when it comes round."""
        nonlocal sent
        sent += 1
        if sent > 1 and not signals and interrupted(frame):
            raise KeyboardInterrupt

    def handle() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            say("Waiting for visits in flight; Ctrl-C again ends at once. Either way the run can be resumed.")
            hunt.drain()
        else:
            hunt.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # systems without signals of this kind
            loop.add_signal_handler(number, handle)
            signal.signal(number, interrupt)
    ticking = asyncio.create_task(_tick(look, output))
    hunting = asyncio.create_task(hunt.run())
    try:
        await asyncio.wait((ticking, hunting), return_when=asyncio.FIRST_COMPLETED)
        if ticking.done():  # nobody reads what we print
            hunt.stop()
            await asyncio.gather(hunting, return_exceptions=True)
            ticking.result()
        return (await hunting).reason
    finally:
        ticking.cancel()
        if hunting.done() and not hunting.cancelled():
            hunting.exception()  # an interruption has ended this task as well, and is told further out


async def _tick(look: Callable[[], None], output: TextIO) -> None:
    """The screen is updated even while nothing lands, and lines of events are not held back in a buffer."""
    while True:
        look()
        output.flush()
        await asyncio.sleep(_TICK)


# `wolfspider crawl --dry-run`: what a crawl would do, tried on a few pages in a folder that is thrown away


class DryRun:
    """What a dry run has seen."""

    def __init__(self, chosen: Chosen, fleet: Mapping[str, int]) -> None:
        self.chosen, self.fleet = chosen, fleet
        self.tally = CrawlTally(TRIED)
        self.starts: list[str] = []
        self.tried: list[dict[str, Any]] = []
        self.remarks: list[str] = []

    def hear(self, event: Event) -> None:
        self.tally.hear(event)
        if isinstance(event, Began):
            self.starts = [link.url for link in event.seeds]
        elif isinstance(event, Landed) and event.how == Route.OUT:
            self.tried.append(_tried(event))

    def report(self, hunt: Hunt) -> dict[str, Any]:
        settings, origin = self.chosen.settings, self.chosen.origin
        values = settings.to_json().items()
        hosts = {host_of(one["url"]): one["url"] for one in reversed(self.tried)}
        size = self.tally.bytes / self.tally.pages_in * settings.pages if self.tally.pages_in else None
        told = {name: {"value": value, "origin": origin.get(name, "default")} for name, value in values}
        told |= {name: {"value": value, "origin": "command line"} for name, value in self.fleet.items()}
        return {
            "settings": told,
            "remarks": self.remarks,
            "starts": self.starts,
            "leaps": hunt.leaping.told if hunt.leaping is not None else None,
            "tried": self.tried,
            "robots": {host: hunt.what_robots_say(url) for host, url in hosts.items()},
            "bytes": None if size is None else round(size),
        }


def _tried(event: Landed) -> dict[str, Any]:
    outcome = event.outcome
    visited: dict[str, Any] = {"url": outcome.visit.link.url}
    if not isinstance(outcome.result, Page):
        kind, detail = outcome.result
        return visited | {"failure": kind, "detail": detail, "meaning": MEANINGS.get(kind, ""), "kept": False}
    page, verdict = outcome.result, outcome.verdict
    relevant = bool(verdict and verdict.relevant)
    return visited | {
        "final_url": page.final_url,
        "title": page.title,
        "links": len(page.links),
        "score": verdict.score if verdict else None,
        "relevant": relevant,
        "kept": relevant and not hidden(page.robots),
    }


def dry_run(chosen: Chosen, as_json: bool, quiet: bool, islands: int = 0, per_machine: int | None = None) -> int:
    """Of a fleet one crawl tries the pages, after all is refused that the fleet would refuse."""
    check_settings(chosen.settings)
    check_record(chosen.settings, None)
    few = min(TRIED, chosen.settings.pages)
    settings = replace(chosen.settings, pages=few, disk_floor=0, tries=1, record="", requisites=0, teacher="")
    fleet = {"islands": islands, "per_machine": per_machine or 0} if islands else {}
    if fleet:
        from wolfspider.islands.fleet import check_fleet

        check_fleet(chosen.settings, islands)
        settings = replace(settings, cluster="")
    errors = terminal.console_for(stderr=True, quiet=quiet)
    trial = DryRun(chosen, fleet)
    with own_output() as output:
        hunt = Hunt(settings, None, tell=trial.hear, remark=trial.remarks.append)
        hunt.prepare()
        with terminal.busy(errors, "Trying a few pages ..."):
            reason = asyncio.run(guided(hunt, lambda sentence: say(errors, sentence), lambda: None, output))
        report = trial.report(hunt)
    if as_json:
        print_json(report)
    else:
        print(*lines(report, trial), sep="\n")
    return exit_code(reason, trial.tally)


def lines(report: dict[str, Any], trial: DryRun) -> Iterator[str]:
    yield "Settings, and where each comes from:"
    for name, setting in report["settings"].items():
        yield f"  {name} = {plainly(str(setting['value']))}  ({plainly(setting['origin'])})"
    yield from (plainly(remark, 1000) for remark in report["remarks"])
    starts = report["starts"]
    yield f"{len(starts):,} starting point{'s' * (len(starts) != 1)}{':' if starts else '.'}"
    yield from (f"  {plainly(url, 1000)}" for url in starts[:_SHOWN])
    if report["leaps"]:
        yield plainly(report["leaps"], 1000)
    yield f"Tried {counted(len(report['tried']), 'page')}:"
    yield from (f"  {_line(one)}" for one in report["tried"])
    yield "What robots.txt says of them:"
    yield from (f"  {plainly(host)}: {plainly(said)}" for host, said in report["robots"].items())
    yield plainly(trial.tally.summary(), 1000)
    if report["bytes"] is not None:
        pages = trial.chosen.settings.pages
        yield f"All {pages:,} downloads would bring about {report['bytes'] / 1e6:,.1f} MB of pages, before compression."
    yield "Nothing was kept."


def _line(one: dict[str, Any]) -> str:
    if "failure" in one:
        return f"-     {plainly(in_words(Failure(one['failure'], one['detail'])))}  {plainly(one['url'], 1000)}"
    fate = "kept" if one["kept"] else "read"
    score = "-   " if one["score"] is None else f"{one['score']:.2f}"
    return f"{score}  {fate}  {plainly(one['title']) or '(no title)'}  {plainly(one['final_url'], 1000)}"
