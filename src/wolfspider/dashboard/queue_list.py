"""The links that wait in a run's queue, the best first: the list behind the number of those that wait.

It is that of the last snapshot, without what was visited or excluded since: the crawl itself is not asked.
"""

from __future__ import annotations

import heapq
import math
from pathlib import Path

from wolfspider.app.explain import waiting_links
from wolfspider.app.plugins import ClassNeeded
from wolfspider.core.model import host_of
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.run_past import past_of
from wolfspider.dashboard.shapes import QueueLine, QueueQuery, QueueShown
from wolfspider.policy.link_shelf import Item
from wolfspider.store.view import RunView

SHOWN = 100  # links in an answer
LARGEST = 20e6  # bytes of a snapshot that is read for it
_LONGEST = 2000
_NONE = "This strategy keeps no one queue that could be listed."
_EARLY = "No link was written down yet: a crawl does that now and then as it goes, and when it ends."
_LARGE = "The snapshot of this run is too large to be read for a list."


def queue(desk: RunDesk, run: Path, asked: QueueQuery) -> QueueShown:
    host, limit = asked.get("host"), asked.get("limit", SHOWN)
    lines, whole, at, note = desk.remembered(run, "queue", lambda: _waiting(run))
    under_way = [plainly(url, _LONGEST) for url in past_of(desk, run).under_way() if host in (None, host_of(url))]
    fitting = [line for line in lines if host in (None, line["host"])]
    best = heapq.nlargest(limit, fitting, key=lambda line: -math.inf if line["score"] is None else line["score"])
    return {
        "links": best,
        "all": len(fitting),
        "whole": whole,
        "at": at,
        "note": note,
        "under_way": under_way[:limit],
        "all_under_way": len(under_way),
    }


def _waiting(run: Path) -> tuple[list[QueueLine], bool, float | None, str]:
    view = RunView(run)
    sizes = view.rows("SELECT bytes FROM snapshots ORDER BY seq DESC, n DESC LIMIT 1")
    if not sizes:
        return [], False, None, _EARLY
    if sizes[0][0] > LARGEST:
        return [], False, None, _LARGE
    try:
        found = waiting_links(view)
    except ClassNeeded:
        found = None
    if found is None:
        return [], True, None, _NONE
    return [_line(item) for item in found.items], found.whole, found.at, ""


def _line(item: Item) -> QueueLine:
    link = item.link
    return {
        "url": plainly(link.url, _LONGEST),
        "host": plainly(link.host),
        "anchor": plainly(link.anchor),
        "score": item.score if math.isfinite(item.score) else None,
        "source": plainly(item.source, _LONGEST),
    }
