"""Which limits of a run move when it is resumed with other settings than it was begun with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from wolfspider.app.preflight import told
from wolfspider.app.settings import LIVE, Settings
from wolfspider.core.events import SetLimit
from wolfspider.core.limits import Limits
from wolfspider.engine.crawl import Crawl


def move_limits(
    settings: Settings, given: Collection[str], crawl: Crawl, about: Mapping[str, Any], remark: Callable[[str], None]
) -> None:
    """Let a crawl take over what the settings say now, and tell a person what they might not expect of them."""
    changes = changed_limits(settings, given, crawl.limits, about)
    crawl.inbox += changes
    delay = next((change.value for change in changes if change.name == "delay"), crawl.limits.delay)
    for sentence in told(settings, delay):
        remark(sentence)


def changed_limits(
    settings: Settings, given: Collection[str], limits: Limits, about: Mapping[str, Any]
) -> list[SetLimit]:
    """`about`: what the run says of itself. A limit that there was not when it was begun is moved only if the person
    names it."""
    first, known = Settings.of_run(about), about["settings"]
    changes = []
    for name in LIVE:
        value = getattr(settings, name)
        wanted = name in given or (name in known and value != getattr(first, name))
        if wanted and value != getattr(limits, name):
            changes.append(SetLimit(name, value))
    return changes
