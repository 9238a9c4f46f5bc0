"""The hosts of a run and what fails there: how many pages, which of them good, what waits, why, and what to do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.events import Gauge, Label
from wolfspider.core.failures import MEANINGS
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.run_past import RunPast, past_of
from wolfspider.dashboard.shapes import FailureLine, Failures, HostLine, Hosts, HostsQuery
from wolfspider.report.run_facts import OfHost, Reason
from wolfspider.report.run_page import ADVICE
from wolfspider.store.run_clock import clock_of
from wolfspider.store.sound_rows import host_fits
from wolfspider.store.view import RunView
from wolfspider.terminal.standing import clock, counted

SHOWN = 100  # hosts in an answer
_MOST_REASONS = 12  # of one host
_RESTS = "SELECT host, data FROM hosts"
_ORDER: Mapping[str, Callable[[HostLine], Any]] = {
    "relevant": lambda line: (-line["relevant"], -line["fetched"], line["host"]),
    "fetched": lambda line: (-line["fetched"], line["host"]),
    "refused": lambda line: (-sum(line["refused"].values()), line["host"]),
    "waiting": lambda line: (-line["waiting"], -(line["until"] or 0.0), line["host"]),
    "host": lambda line: line["host"],
}


class _OfHosts(NamedTuple):
    hosts: list[OfHost]
    reasons: list[Reason]
    waiting: Counter[str]  # visits that are under way, or wait
    rests: dict[str, float]  # until when
    labels: dict[str, bool]  # that a person gave to hosts, not to single pages


def hosts(desk: RunDesk, run: Path, asked: HostsQuery) -> Hosts:
    found = desk.remembered(run, "hosts", lambda: _of_hosts(past_of(desk, run)))
    view, running = RunView(run), desk.children.is_running(run.name)
    gauge, time_there = view.gauge() if running else None, clock_of(run)
    now, soon = time_there.now(), time_there.soon()
    known = {host.name: host for host in found.hosts}
    names = {*known, *found.waiting, *(name for name, until in found.rests.items() if until > now)}
    lines = [_line(known.get(name) or OfHost(name), found, gauge, soon) for name in names]
    lines.sort(key=_ORDER[asked.get("sort", "relevant")])
    note = _note(sorted(lines, key=_ORDER["relevant"]), gauge)
    with_pages = sum(line["fetched"] > 0 for line in lines)
    return {"hosts": lines[: asked.get("limit", SHOWN)], "all": len(lines), "with_pages": with_pages, "note": note}


def failures(desk: RunDesk, run: Path) -> Failures:
    reasons = desk.remembered(run, "hosts", lambda: _of_hosts(past_of(desk, run))).reasons
    return {"failures": [_failure(reason) for reason in reasons]}


def _of_hosts(past: RunPast) -> _OfHosts:
    (found, reasons), waiting, rests = past.hosts_and_reasons(), past.waiting(), dict[str, float]()
    with RunView(past.folder).moment() as connection:
        for name, data in connection.execute(_RESTS):
            with suppress(ValueError, TypeError, KeyError, IndexError, RecursionError):  # of a damaged row
                known = json.loads(data)
                if "rest" in known and host_fits(name, known):
                    rests[str(name)] = float(known["rest"][0])
    said = [each.command for each in past.said()[0] if not each.problem]
    labels = {each.url: each.good for each in said if isinstance(each, Label)}
    return _OfHosts(found, reasons, waiting, rests, labels)


def _line(host: OfHost, found: _OfHosts, gauge: Gauge | None, soon: float) -> HostLine:
    """`soon`: a rest that ends before is not worth a word."""
    until: float | None = found.rests.get(host.name, 0.0)
    until = until if until is not None and soon < until < soon + 1e9 else None
    return {
        "host": plainly(host.name),
        "fetched": host.pages,
        "relevant": host.relevant,
        "bytes": host.bytes,
        "refused": {plainly(reason): count for reason, count in host.failures.most_common(_MOST_REASONS)},
        "waiting": found.waiting[host.name],
        "until": until,
        "label": found.labels.get(host.name),
        "why": _why(host.name, until, found.waiting[host.name], gauge),
    }


def _why(name: str, until: float | None, waiting: int, gauge: Gauge | None) -> str:
    if gauge is not None and gauge.better_until is not None and gauge.better_host == name:
        return f"The best link waits here, and {counted(gauge.giving_way, 'slot')} wait for it."
    if until is not None:
        return f"It was in trouble, or asked to be left alone, until {clock(until)}."
    return f"{counted(waiting, 'visit')} under way or waiting." if waiting else ""


def _note(best_first: list[HostLine], gauge: Gauge | None) -> str:
    """What is odd about the order of visits at this moment, where something is."""
    if gauge is None or not best_first:
        return ""
    if gauge.giving_way and gauge.better_until is not None:
        slots = counted(gauge.giving_way, "slot")
        return (
            f"{slots} wait for {plainly(gauge.better_host)}, where the best link is, until {clock(gauge.better_until)}."
        )
    best = best_first[0]
    if best["relevant"] and best["until"] is not None and gauge.in_flight:
        return f"The best host rests, so others are visited: {best['host']} until {clock(best['until'])}."
    return ""


def _failure(reason: Reason) -> FailureLine:
    return {
        "kind": reason.kind,
        "reason": plainly(reason.words),
        "count": reason.visits,
        "text": MEANINGS.get(reason.kind, plainly(reason.words)),
        "what_to_do": ADVICE.get(reason.kind, ""),
    }
