"""`wolfspider crawl --dry-run`: what a crawl would do, tried on a few pages in a folder that is thrown away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wolfspider.app import starting_points
from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Chosen
from wolfspider.cli.common import print_json, say
from wolfspider.cli.crawling import exit_code, guided
from wolfspider.core.events import Began, Event, Landed
from wolfspider.core.failures import MEANINGS, in_words
from wolfspider.core.model import Failure, Page, Route, hidden, host_of
from wolfspider.terminal import progress as terminal
from wolfspider.terminal.crawl_screen import Tally
from wolfspider.terminal.safe_text import plainly

TRIED = 12  # downloads
_SHOWN = 5  # starting points


class Trial:
    """What is seen of a crawl that is only tried."""

    def __init__(self, chosen: Chosen) -> None:
        self.chosen = chosen
        self.tally = Tally(TRIED)
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
        settings = self.chosen.settings
        origin = self.chosen.origin
        told = settings.to_json()
        hosts = {host_of(one["url"]): one["url"] for one in reversed(self.tried)}
        size = self.tally.bytes / self.tally.pages_in * settings.pages if self.tally.pages_in else None
        return {
            "settings": {name: {"value": value, "origin": origin.get(name, "default")} for name, value in told.items()},
            "remarks": self.remarks,
            "starts": self.starts,
            "leaps": hunt.leaping.told if hunt.leaping is not None else None,
            "tried": self.tried,
            "robots": {host: hunt.what_robots_say(url) for host, url in hosts.items()},
            "bytes": None if size is None else round(size),
        }


def _tried(event: Landed) -> dict[str, Any]:
    outcome = event.outcome
    told: dict[str, Any] = {"url": outcome.visit.link.url}
    if not isinstance(outcome.result, Page):
        kind, detail = outcome.result
        return told | {"failure": kind, "detail": detail, "meaning": MEANINGS.get(kind, ""), "kept": False}
    page, verdict = outcome.result, outcome.verdict
    relevant = bool(verdict and verdict.relevant)
    judged = {"score": verdict.score if verdict else None, "relevant": relevant}
    found = {"final_url": page.final_url, "title": page.title, "links": len(page.links)}
    return told | found | judged | {"kept": relevant and not hidden(page.robots)}


def dry_run(chosen: Chosen, as_json: bool, quiet: bool) -> int:
    settings = replace(chosen.settings, pages=min(TRIED, chosen.settings.pages), disk_floor=0, tries=1, record="")
    errors = terminal.console_for(stderr=True, quiet=quiet)
    trial = Trial(chosen)
    hunt = Hunt(settings, None, tell=trial.hear, remark=trial.remarks.append)
    asyncio.run(starting_points.check_server(settings))
    hunt.open_leaps()  # here Ctrl-C works as everywhere
    with terminal.busy(errors, "Trying a few pages ..."):
        reason = asyncio.run(guided(hunt, lambda sentence: say(errors, sentence), lambda: None))
    report = trial.report(hunt)
    if as_json:
        print_json(report)
    else:
        for line in lines(report, trial):
            print(line)
    return exit_code(reason, trial.tally)


def lines(report: dict[str, Any], trial: Trial) -> Iterator[str]:
    yield "Settings, and where each comes from:"
    for name, setting in report["settings"].items():
        yield f"  {name} = {plainly(str(setting['value']))}  ({plainly(setting['origin'])})"
    yield from (plainly(remark, 1000) for remark in report["remarks"])
    starts = report["starts"]
    yield f"{len(starts):,} starting point{'s' * (len(starts) != 1)}{':' if starts else '.'}"
    yield from (f"  {plainly(url, 1000)}" for url in starts[:_SHOWN])
    if report["leaps"]:
        yield plainly(report["leaps"], 1000)
    yield f"Tried {len(report['tried'])} pages:"
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
