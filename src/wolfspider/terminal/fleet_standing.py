"""How a fleet of islands stands, in words and as data: the sum of its islands, and each of them."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wolfspider.app.settings import Settings
from wolfspider.core.events import EndReason
from wolfspider.core.plain_text import plainly
from wolfspider.files.lock import is_owned
from wolfspider.files.program_name import shell_command
from wolfspider.store.fleet_folder import about_fleet, begun_islands, runs_in, standing_of
from wolfspider.store.page_count import PageCount
from wolfspider.store.view import RunView, Summary
from wolfspider.terminal import standing
from wolfspider.terminal.progress import of_budget
from wolfspider.terminal.standing import RunEnd

_GIVEN_UP = "Islands were given up, as they died again and again, and no other has anything left to follow."


def summed(summaries: Sequence[Summary]) -> Summary:
    """Islands have no page and no host in common, so all of them together have the sum. It `ended` where all did."""
    failures, reasons, counts = Counter[str](), Counter[str](), Counter[str]()
    for each in summaries:
        failures.update(each.failures)
        reasons.update(each.reasons)
        counts.update(each.counts)
    ended = {each.ended for each in summaries}
    begun = [each.started for each in summaries if each.started is not None]
    return Summary(
        PageCount(*map(sum, zip(*(each.count for each in summaries), strict=True))),
        sum(each.downloads for each in summaries),
        failures,
        reasons,
        sum(each.hosts for each in summaries),
        min(begun, default=None),
        None if None in ended else "budget" if "budget" in ended else sorted(map(str, ended))[0],
        counts,
        " ".join(filter(None, (each.trouble for each in summaries))),
        sum(each.forgotten for each in summaries),
        max(each.forgotten_at for each in summaries),
    )


def status(folder: Path) -> dict[str, Any]:
    """As of a run, as far as a sum makes sense, and of each island that has begun all of it."""
    runs = runs_in(folder)
    summary, said = summed([RunView(run).summary() for run in runs]), standing_of(folder)
    end = end_of(folder, summary)
    return {
        "run": str(folder),
        "running": is_owned(folder / "lock"),
        "ended": None if end is None else end.reason,
        "started": summary.started,
        **summary.count._asdict(),
        "hosts": summary.hosts,
        "downloads": summary.downloads,
        "budget": said.get("budget"),
        "failures": dict(summary.failures),
        "reasons": dict(summary.reasons),
        "forgotten": summary.forgotten,
        "islands": [standing.status(run) for run in runs],
        "keepers": said.get("islands", []),
    }


def end_of(folder: Path, summary: Summary) -> RunEnd | None:
    """How the fleet ended, in the words of a run; None if it goes on, or was killed."""
    why = standing_of(folder).get("why")
    if is_owned(folder / "lock") or why not in set(EndReason):
        return None
    about = about_fleet(folder)
    settings = Settings.from_json({**about["settings"], **about["limits"]})
    spent = getattr(settings, standing.SPENT.get(why, ""), 0.0)
    sums = (summary.downloads, summary.count, summary.reasons)
    return RunEnd(folder, why, *sums, nofollow=settings.nofollow, spent=spent)


def of_all(folder: Path, summary: Summary) -> list[str]:
    """What there is on all islands, in the end."""
    budget = standing_of(folder).get("budget")
    spent = [of_budget(summary.downloads, budget)] if isinstance(budget, int) else []
    found = standing.found(summary.count, summary.hosts, summary.downloads, summary.reasons, summary.forgotten)
    return [*spent, found]


def ending(folder: Path) -> list[str]:
    """What a fleet says when it has ended."""
    if not (runs := begun_islands(folder)):
        return [f"Ended before an island had begun. Resume it by: {shell_command('resume', folder)}"]
    summary = summed([RunView(run).summary() for run in runs])
    end = end_of(folder, summary)
    return [] if end is None else [_why(folder, end), *of_all(folder, summary), *_next_steps(folder, end)]


def _why(folder: Path, end: RunEnd) -> str:
    gave_up = end.reason == EndReason.DONE and _given_up(folder)
    return _GIVEN_UP if gave_up else end.why()


def _next_steps(folder: Path, end: RunEnd) -> list[str]:
    again = [f"Resume it by: {shell_command('resume', folder)}"] if end.reason == EndReason.DONE else []
    return [*(again if _given_up(folder) else []), *end.next_steps()]


def _told_of(folder: Path, number: int) -> dict[str, Any]:
    """What the head wrote down of an island, counted from 0."""
    keepers = standing_of(folder).get("islands")
    told = keepers[number] if isinstance(keepers, list) and number < len(keepers) else {}
    return told if isinstance(told, dict) else {}


def _doing(run: Path, ended: str | None, told: dict[str, Any], goes_on: bool) -> str:
    """What an island does. `told`: by the head. `goes_on`: the fleet does, so an end need not be the last."""
    if is_owned(run / "lock"):
        node = told.get("node") or socket.gethostname()
        return "at work" if node == socket.gethostname() else f"at work on {node}"
    if is_given_up(told):
        return "given up"
    if goes_on and told.get("wants"):
        return "waiting for a lease"
    if goes_on and ended == EndReason.DONE:
        return "waiting for links that others find"
    return f"ended: {ended}" if ended else "not at work"


def _given_up(folder: Path) -> bool:
    """Is there an island that died again and again?"""
    told = standing_of(folder).get("islands")
    return any(map(is_given_up, told)) if isinstance(told, list) else False


def is_given_up(told: Any) -> bool:
    """`told`: what the head wrote down of an island."""
    return isinstance(told, dict) and bool(told.get("deaths") and told.get("trouble") and not told.get("wants"))


def lines(folder: Path, now: float) -> list[str]:
    runs, running = runs_in(folder), is_owned(folder / "lock")
    summaries = [RunView(run).summary() for run in runs]
    summary = summed(summaries)
    end = end_of(folder, summary)
    killed = f"was killed or interrupted before it could end. Resume it by: {shell_command('resume', folder)}"
    how = "is going on." if running else "has ended." if end is not None else killed
    shown = [f"A fleet of {standing.counted(about_fleet(folder)['islands'], 'island')}, which {how}"]
    shown += [] if end is None else [_why(folder, end)]
    shown += of_all(folder, summary)
    for run, each in zip(runs, summaries, strict=True):
        doing = _doing(run, each.ended, _told_of(folder, int(run.name) - 1), running)
        hosts, pages = standing.counted(each.hosts, "host"), standing.counted(each.count.pages, "page")
        found = f"{each.count.relevant:,} relevant of {pages} from {hosts}"
        shown.append(f"Island {run.name}, {doing}: {standing.counted(each.downloads, 'download')}, {found}")
    begun = {run.name for run in runs}
    for number in range(int(about_fleet(folder)["islands"])):
        if str(number + 1) not in begun:
            gone = bool(_told_of(folder, number).get("spent"))
            shown.append(f"Island {number + 1}{', gone: there is no run in its folder' if gone else ' has not begun'}.")
    shown += [] if end is None else _next_steps(folder, end)
    return [plainly(line, 1000) for line in shown]
