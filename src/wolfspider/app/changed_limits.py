"""Which limits of a run move when it is resumed with other settings than it was begun with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from wolfspider.app.settings import LIVE, Settings
from wolfspider.core.events import SetLimit
from wolfspider.core.limits import Limits


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
