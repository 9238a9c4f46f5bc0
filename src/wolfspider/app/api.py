"""The way in from Python: `wolfspider.crawl` and `wolfspider.resume`, with settings given as keywords."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wolfspider.app.hunt import Hunt
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import choose
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

    With `out` it is kept in that folder and can be resumed; without, it is gone when it is over.
    """
    chosen = choose({"urls": urls, **settings}, environment=False).settings
    return Hunt(chosen, Path(out) if out is not None else None, tell=on_event, remark=on_remark)


def resume(
    folder: str | Path,
    *,
    on_event: Callable[[Event], None] | None = None,
    on_remark: Callable[[str], None] | None = None,
    **settings: Any,
) -> Hunt:
    """Resume a run; settings given here count from now on."""
    begun = settings_of(Path(folder)).to_json()
    chosen = choose({**begun, **settings}, environment=False).settings
    return Hunt(chosen, Path(folder), tell=on_event, remark=on_remark, given=tuple(settings))
