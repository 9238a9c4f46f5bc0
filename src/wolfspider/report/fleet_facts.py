"""What a report says of a fleet: the facts of its islands as those of one run. None have a page or a host in common."""

from __future__ import annotations

import heapq
from collections import Counter
from pathlib import Path

from wolfspider.app.present_settings import PresentSettings
from wolfspider.report.run_facts import (
    MOST_HOSTS,
    MOST_PAGES,
    MOST_REASONS,
    OfHost,
    PagesCurve,
    Reason,
    RunFacts,
    facts_of,
    hosts_and_reasons,
)
from wolfspider.store.fleet_folder import about_fleet, runs_in
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import RunView
from wolfspider.terminal.fleet_standing import summed

_SPENT = "SELECT at, cost, 0, 0 FROM landings WHERE cost > 0 ORDER BY at"
_CAME = f"SELECT p.at, 0, 1, h.relevant FROM {NEWEST} WHERE NOT {HIDDEN} ORDER BY p.at"  # noqa: S608


def fleet_facts(folder: Path) -> RunFacts:
    runs = runs_in(folder)
    parts = [facts_of(run) for run in runs]
    about = about_fleet(folder)
    present = {**about["settings"], **about["limits"]}
    asked = PresentSettings(about["settings"], present, parts[0].settings.first_params, parts[0].settings.params)
    best = heapq.nlargest(MOST_PAGES, (page for part in parts for page in part.best), key=lambda page: page.score)
    hosts, reasons = _hosts_and_reasons(runs)
    rest = OfHost(f"{len(hosts) - MOST_HOSTS:,} other hosts")
    for host in hosts[MOST_HOSTS:]:
        rest.add(host)
    left = [f"Island {run.name}: {line}" for run, part in zip(runs, parts, strict=True) for line in part.prospects]
    summary = summed([part.summary for part in parts])
    others = rest if len(hosts) > MOST_HOSTS else None
    held_back = [line for part in parts for line in part.unfollowed]
    return RunFacts(asked, summary, _curve(runs), best, hosts[:MOST_HOSTS], others, reasons, [], left, held_back)


def _curve(runs: list[Path]) -> PagesCurve:
    """In the order of time, whichever island it was."""
    happened = (RunView(run).rows(sql) for run in runs for sql in (_SPENT, _CAME))
    curve, downloads, pages, relevant = PagesCurve([0], [0], [0]), 0, 0, 0
    for _, cost, came, good in heapq.merge(*happened, key=lambda row: row[0]):
        downloads, pages, relevant = downloads + cost, pages + came, relevant + good
        if came:
            for part, value in zip(curve, (downloads, pages, relevant), strict=True):
                part.append(value)
    for part, value in zip(curve, (downloads, pages, relevant), strict=True):
        part.append(value)
    return curve


def _hosts_and_reasons(runs: list[Path]) -> tuple[list[OfHost], list[Reason]]:
    hosts, reasons = list[OfHost](), Counter[tuple[str, str]]()
    for run in runs:
        with RunView(run).moment() as connection:
            own, why = hosts_and_reasons(connection)
        hosts += own
        for reason in why:
            reasons[reason.kind, reason.words] += reason.visits
    hosts.sort(key=lambda host: (-host.relevant, -host.pages, host.name))
    told = [Reason(kind, words, visits) for (kind, words), visits in reasons.most_common(MOST_REASONS)]
    return hosts, told
