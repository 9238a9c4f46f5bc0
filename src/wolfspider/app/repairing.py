"""A damaged run mended: its settings say how pages are judged that are known from the archive alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.app.assemble import judge_of, scope_of, topic_of
from wolfspider.app.plugins import is_own
from wolfspider.app.settings import Settings
from wolfspider.core.model import Page, Verdict
from wolfspider.policy.judges.judge import scored
from wolfspider.store.repair.journal_anew import Needs
from wolfspider.store.repair.repair import repair as repaired
from wolfspider.store.repair.repair_plan import Repaired
from wolfspider.web.page.urls import canonical


def mend(folder: Path, *, anew: bool = False) -> Repaired:
    """`anew`: the journal begins anew, whatever is damaged, and all pages are read from the archive."""
    return repaired(folder, _needs, anew=anew)


def report(done: Repaired) -> dict[str, Any]:
    """What was done, as plain data."""
    rebuilt = done.rebuilt
    return {
        "run": str(done.folder),
        "repaired": bool(done.findings),
        "findings": [one._asdict() for one in done.findings],
        "aside": None if done.aside is None else str(done.aside),
        "pages": None if rebuilt is None else rebuilt.kept,
        "hidden": None if rebuilt is None else rebuilt.hidden,
        "found": None if rebuilt is None else rebuilt.found,
        "lost": done.lost,
        "rows_lost": {} if rebuilt is None else rebuilt.rows,
        "bytes_lost": done.torn,
        "labels": None if rebuilt is None else rebuilt.labels,
        "labels_lost": 0 if rebuilt is None else rebuilt.labels_lost,
        "journal_kept": rebuilt is None or not rebuilt.anew,
    }


def _needs(about: Mapping[str, Any], info: dict[str, str]) -> Needs:
    settings = Settings.of_run(about)
    liked = {url for url in map(canonical, settings.like) if url is not None}
    info = info or {"software": f"wolfspider/{__version__}", "format": "WARC File Format 1.1", "robots": "obey"}
    main = settings.judge_text == "main"
    return Needs(_judge(settings), scope_of(settings).allows, settings.largest, liked, info, main)


def _judge(settings: Settings) -> Callable[[Page], Verdict] | None:
    """As the crawl began, without what it has learned. None for a judge of the person's own: a repair runs no file that
    the run names, since the run may come from a stranger; a resume judges these pages."""
    if is_own(settings.judge):
        return None
    try:
        judge, scope = judge_of(settings)(topic_of(settings, ())), scope_of(settings)
    except Exception:  # it may need what only the crawl had
        return None
    return lambda page: scored(judge, scope.cut(page))
