"""The news of a watch: what is new today, by site and forager, how late, at which hours, and who has gone quiet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from wolfspider.app.settings import Settings
from wolfspider.core.model import host_of
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.dashboard.overview import report_of
from wolfspider.dashboard.reading_shapes import NewsLine, NewsQuery, NewsTold, SiteLine
from wolfspider.files.program_name import shell_command
from wolfspider.store.folder import about_run
from wolfspider.store.run_clock import clock_of
from wolfspider.store.view import utc
from wolfspider.watch.book import ALERT, Report, Site, is_watched, reading

SHOWN, MOST = 50, 5000  # reports in an answer, and that figures are made of
_DAY, _HOURS = 86_400.0, 24
HOURS = "busy hours"  # what strategies that learn a profile of the day report it as


def news(desk: RunDesk, run: Path, asked: NewsQuery) -> NewsTold:
    if is_watched(run):
        with reading(run) as book:
            reports, sites, kinds = book.newest(MOST), book.sites(), book.counts()
    elif Settings.of_run(about_run(run)).watch:
        reports, sites, kinds = [], [], {}  # it has only begun
    else:
        raise Missing(f"Nobody has watched with this run: news are of `{shell_command('watch')}`.")
    now = clock_of(run).now()
    today = [each for each in reports if now - each.at < _DAY]
    fresh = [each for each in today if each.kind != ALERT]
    late = [each.data["late"] for each in fresh if _is_timed(each)]
    learned = report_of(desk, run)[1].get(HOURS)
    return {
        "reports": [_line(each) for each in reports[: asked.get("limit", SHOWN)]],
        "counts": kinds,
        "today": len(fresh),
        "by_site": dict(Counter(plainly(host_of(each.url)) for each in fresh).most_common(SHOWN)),
        "by_forager": dict(Counter(plainly(str(each.data.get("agent") or "")) for each in fresh).most_common(SHOWN)),
        "late": {"median": median(late) if late else None, "most": max(late, default=None), "of": len(late)},
        "hours": _hours(reports),
        "learned_hours": learned if _is_profile(learned) else None,
        "sites": [_site(each) for each in sites],
    }


def _is_timed(report: Report) -> bool:
    """Is it known to the minute how late it was found?"""
    data = report.data
    late = data.get("late")
    return isinstance(late, int | float) and not (data.get("to_the_day") or data.get("from_before"))


def _hours(reports: Iterable[Report]) -> list[int]:
    """News by the hour of the day (UTC) in which they were published."""
    counts = [0] * _HOURS
    for report in reports:
        published = report.data.get("published")
        if report.kind == "new" and isinstance(published, str) and not report.data.get("to_the_day"):
            try:
                counts[datetime.fromisoformat(published).astimezone(UTC).hour] += 1
            except ValueError:
                continue
    return counts


def _is_profile(learned: object) -> bool:
    return isinstance(learned, Sequence) and len(learned) == 2 * _HOURS


def _line(report: Report) -> NewsLine:
    data = report.data
    late = data.get("late")
    text: Any = data.get("sentence") or data.get("description") or ""
    return {
        "number": report.number,
        "kind": report.kind,
        "at": report.at,
        "url": plainly(report.url, 2000),
        "host": plainly(host_of(report.url)),
        "title": plainly(str(data.get("title") or "")),
        "text": plainly(str(text), 1000),
        "published": str(data["published"]) if data.get("published") else None,
        "late": float(late) if isinstance(late, int | float) else None,
        "to_the_day": bool(data.get("to_the_day")),
        "timed": _is_timed(report),
        "agent": plainly(str(data.get("agent") or "")),
        "forgotten": bool(data.get("forgotten")),
    }


def _site(site: Site) -> SiteLine:
    return {
        "host": plainly(site.host),
        "first": utc(site.first),
        "last": utc(site.last),
        "told": site.told,
        "looks_since": site.looks,
        "silent": bool(site.silent),
    }
