"""Forgetting pages of a run that somebody asked to be taken out, or that are older than they may be kept."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings
from wolfspider.app.settling import settle
from wolfspider.core.errors import Problem
from wolfspider.store.folder import PLAN, REQUISITES, about_run, remove_derived
from wolfspider.store.repair.taking_out import (
    Forgotten,
    Unwanted,
    before_size,
    finish_earlier,
    has_older,
    owned,
    to_unlearn,
)
from wolfspider.store.repair.taking_out import forget as taken_out
from wolfspider.store.requisites import Requisites
from wolfspider.store.run_clock import clock_of
from wolfspider.store.view import RunView
from wolfspider.web.page.urls import canonical

DAY = 86_400.0  # seconds
Beside = Callable[[Path, Callable[[str], bool]], int]  # takes such addresses out of what else is kept with a run


def nothing_beside(folder: Path, unwanted: Callable[[str], bool]) -> int:
    return 0


def keep_within(folder: Path, settings: Settings, remark: Callable[[str], None]) -> None:
    """Forget what the settings say is not to be kept any longer."""
    done = []
    if settings.keep_days:
        done.append(forget_older(folder, settings.keep_days, remark, settings))
    if settings.keep_mb:
        done.append(forget_beyond(folder, settings.keep_mb, remark, settings))
    for forgotten in done:
        if forgotten.pages:
            remark(forgotten.told())


def forget(folder: Path, what: str, remark: Callable[[str], None], beside: Beside = nothing_beside) -> Forgotten:
    """Take an address, or all pages of a host, out of a run. A run that a crawl owns is refused. Of a run that may be
    watched, use the one of watch/forgetting.py."""
    return _forget(folder, _named(what), remark, beside=beside)


def forget_older(
    folder: Path, days: float, remark: Callable[[str], None], settings: Settings | None = None
) -> Forgotten:
    """Take out what was downloaded longer ago. `settings`: those of the run, with its classes, if they are at hand."""
    unwanted = Unwanted(f"what is older than {days:g} days", before=clock_of(folder).now() - days * DAY)
    return _forget(folder, unwanted, remark, settings) if has_older(folder, unwanted) else Forgotten(unwanted.what)


def forget_beyond(
    folder: Path, megabytes: float, remark: Callable[[str], None], settings: Settings | None = None
) -> Forgotten:
    """Take out the oldest pages, so that the others take at most so many megabytes of the archive."""
    what = f"the oldest pages beyond {megabytes:g} MB"
    before = before_size(folder, int(megabytes * 1_000_000))
    return Forgotten(what) if before is None else _forget(folder, Unwanted(what, before=before), remark, settings)


def _named(what: str) -> Unwanted:
    if "://" not in what and "/" not in what:
        address = canonical(f"http://{what}/")
        if address is None:
            raise Problem(f"{what!r:.200} is neither an address nor a host.")
        return Unwanted(what.lower(), host=address.split("/")[2])
    address = canonical(what)
    if address is None:
        raise Problem(f"{what!r:.200} is no address of the web. Give one such as https://example.org/page, or a host.")
    return Unwanted(address, url=address)


def _forget(
    folder: Path,
    unwanted: Unwanted,
    remark: Callable[[str], None],
    settings: Settings | None = None,
    beside: Beside = nothing_beside,
) -> Forgotten:
    if not os.path.lexists(folder / PLAN):
        about_run(folder)  # is it a run at all?
    finish_earlier(folder)
    unlearn = to_unlearn(folder, unwanted)
    with owned(folder):  # before the pages go, which say what addresses they had
        reports = beside(folder, lambda url: url in unlearn.urls or unwanted.page((url,), math.inf))
    settle(folder, settings or settings_of(folder), remark, unlearn)
    remove_derived(folder)
    forgotten = taken_out(folder, unwanted, unlearn)
    forgotten.reports = reports
    remove_derived(folder)  # somebody may have searched meanwhile
    if (folder / REQUISITES).exists():
        with closing(Requisites(folder, write=True)) as kept:
            kept.keep_only(RunView(folder).addresses(), unwanted.url or unwanted.host)
    return forgotten
