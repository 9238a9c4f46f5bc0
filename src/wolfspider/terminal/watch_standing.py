"""What a watch has told so far, and what its webhook has not taken, in words: for `wolfspider status` and others."""

from __future__ import annotations

from pathlib import Path

from wolfspider.core.errors import Problem
from wolfspider.store.view import utc
from wolfspider.watch.book import is_watched, reading
from wolfspider.watch.outputs import TAIL

_NAMES = {"new": ("new page", "new pages"), "changed": ("change", "changes"), "alert": ("alarm", "alarms")}
_LEFT = "SELECT state, COUNT(*), MAX(problem) FROM outbox GROUP BY state ORDER BY state DESC"
_VERBS = {"waits": ("waits", "wait"), "given up": ("was given up", "were given up")}


def of_watch(run: Path) -> list[str]:
    """Nothing of a run that nobody watches."""
    if not is_watched(run):
        return []
    try:
        with reading(run) as book:
            kinds, last, left = book.counts(), book.newest(1), book.rows(_LEFT)
    except Problem as problem:
        return [f"What the watch has told cannot be read: {problem}"]
    counts = ", ".join(f"{kinds.get(kind, 0):,} {names[kinds.get(kind, 0) != 1]}" for kind, names in _NAMES.items())
    earlier = last[0].number - sum(kinds.values()) if last else 0  # their texts were forgotten since
    before = f", and {earlier:,} earlier" if earlier > 0 else ""
    told = [f"Told so far: {counts}{before}" + (f"; the last at {utc(last[0].at)}." if last else ".")]
    told.append(f"All of it is in {run / TAIL}.")
    for state, count, trouble in left:
        why = f" ({trouble})" if trouble else ""
        told.append(f"{count:,} report{'s' * (count != 1)} for the webhook {_VERBS[state][count != 1]}{why}.")
    return told
