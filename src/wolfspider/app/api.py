"""The way in from Python: `wolfspider.crawl` and `wolfspider.resume`, with settings given as keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wolfspider.app.hunt import Hunt
from wolfspider.app.plugins import given_classes
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings, choose
from wolfspider.app.strange_runs import resumed_with
from wolfspider.core.events import Event


def crawl(
    *urls: str,
    out: str | Path | None = None,
    on_event: Callable[[Event], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    **settings: Any,
) -> Hunt:
    """A live crawl from these addresses; the settings are those of `Settings`, such as topic, pages and strategy.

        async for found in wolfspider.crawl("https://example.org/", topic="spiders", contact="me@example.org"):
            print(found.score, found.url, found.title)

    `strategy` and `judge` may be classes, too. With `out` the run is kept in that folder and can be resumed; without,
    nothing is left when it is over.
    """
    chosen = _chosen({"urls": urls, **settings})
    return Hunt(chosen, Path(out) if out is not None else None, tell=on_event, remark=on_remark)


def resume(
    folder: str | Path,
    *,
    on_event: Callable[[Event], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    **settings: Any,
) -> Hunt:
    """Resume a run; settings given here count from now on. A run whose strategy or judge was given as a class needs the
    same class again."""
    chosen = _chosen(resumed_with(settings_of(Path(folder)), settings))
    return Hunt(chosen, Path(folder), tell=on_event, remark=on_remark, given=tuple(settings))


def _chosen(settings: Mapping[str, Any]) -> Settings:
    classes: dict[str, Any] = given_classes(settings)
    chosen = choose({**settings, **classes}, environment=False).settings
    return replace(chosen, **classes)  # with the classes, not their names alone
