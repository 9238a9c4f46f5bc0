"""How a fleet of islands stands, in words and as data: the sum of its islands, and each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wolfspider.core.plain_text import plainly
from wolfspider.files.lock import is_owned
from wolfspider.files.program_name import shell_command
from wolfspider.store.fleet_folder import about_fleet, runs_in, standing_of
from wolfspider.store.page_count import PageCount
from wolfspider.store.view import RunView, Summary
from wolfspider.terminal import standing


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
    return {
        "run": str(folder),
        "running": is_owned(folder / "lock"),
        "ended": summary.ended,
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


def lines(folder: Path, now: float) -> list[str]:
    runs, said = runs_in(folder), standing_of(folder)
    summaries = [RunView(run).summary() for run in runs]
    summary, running = summed(summaries), is_owned(folder / "lock")
    how = "is going on" if running else f"is not running. Resume it by: {shell_command('resume', folder)}"
    shown = [f"A fleet of {about_fleet(folder)['islands']} islands, which {how}{'.' * running}"]
    if isinstance(budget := said.get("budget"), int):
        shown.append(f"{summary.downloads:,} of {budget:,} downloads")
    shown.append(standing.found(summary.count, summary.hosts, summary.downloads, summary.reasons, summary.forgotten))
    for run, each in zip(runs, summaries, strict=True):
        at_work = "at work" if is_owned(run / "lock") else f"ended: {each.ended}" if each.ended else "not at work"
        hosts = standing.counted(each.hosts, "host")
        found = f"{each.count.relevant:,} relevant of {each.count.pages:,} pages from {hosts}"
        shown.append(f"Island {run.name}, {at_work}: {each.downloads:,} downloads, {found}")
    begun, keepers = {run.name for run in runs}, said.get("islands")
    for number in range(int(about_fleet(folder)["islands"])):
        if str(number + 1) not in begun:
            told = keepers[number] if isinstance(keepers, list) and number < len(keepers) else {}
            gone = isinstance(told, dict) and bool(told.get("spent"))
            shown.append(f"Island {number + 1}{', gone: there is no run in its folder' if gone else ' has not begun'}.")
    return [plainly(line, 1000) for line in shown]
