"""Which limits of a run or a fleet move when it is resumed with other settings than it was begun with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from wolfspider.app.preflight import told
from wolfspider.app.settings import LIVE, Settings
from wolfspider.core.events import SetLimit
from wolfspider.core.limits import Limits
from wolfspider.files.program_name import shell_command


def limits_to_move(
    settings: Settings,
    given: Collection[str],
    again: bool,
    limits: Limits | Settings,
    about: Mapping[str, Any],
    folder: Path,
    remark: Callable[[str], None],
) -> list[SetLimit]:
    """What is to be taken over of the settings as they are now, where these `limits` hold; a person is told what they
    might not expect. `again`: the command that began the run is given again, so what it said then as well leaves alone
    what was changed since."""
    repeated = said_before(settings, given, about) if again else set[str]()
    changes = changed_limits(settings, set(given) - repeated, limits, about)
    for name in sorted(repeated):
        first, now = (f"{getattr(kept, name):.12g}" for kept in (settings, limits))
        if first != now:
            back = shell_command("resume", folder, f"--{name.replace('_', '-')}", first)
            remark(
                f"{name} stays {now}: it was changed since the run was begun with {first}. Change it back by: {back}"
            )
    delay = next((change.value for change in changes if change.name == "delay"), limits.delay)
    for sentence in told(settings, delay):
        remark(sentence)
    return changes


def said_before(settings: Settings, given: Collection[str], about: Mapping[str, Any]) -> set[str]:
    """Limits that the person gave when the run was begun, and gives again with the same values."""
    first, before = Settings.of_run(about), about.get("given")
    named = {name for name in LIVE if name in given and isinstance(before, list) and name in before}
    return {name for name in named if getattr(settings, name) == getattr(first, name)}


def changed_limits(
    settings: Settings, given: Collection[str], limits: Limits | Settings, about: Mapping[str, Any]
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
