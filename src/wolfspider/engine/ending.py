"""Why a crawl is over: its budget, a person, or nothing left to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wolfspider.core.events import EndReason
from wolfspider.policy.room import Room

if TYPE_CHECKING:
    from wolfspider.engine.crawl import Crawl

PATIENCE = 1_000  # visits without a download after which a turn waits for something to change
MOST_REFUSED = 100_000  # visits in a row that may be turned away unasked: they cost nothing, and links have no end


def why_over(crawl: Crawl, room: Room, now: float) -> EndReason | None:
    """None while it goes on."""
    flights, limits = crawl.flights, crawl.limits
    if crawl.closing == EndReason.STOPPED:
        return crawl.closing
    if not flights.out and crawl.idle >= max(10_000, 10 * limits.pages) and room.next_ready() == math.inf:
        return EndReason.CIRCLING
    if flights and not flights.dormant():
        return None
    if crawl.closing or flights.left <= 0:
        return crawl.closing or EndReason.BUDGET
    if reason := crawl.budgets.exhausted(now):
        return reason
    if crawl.refused >= MOST_REFUSED:
        return EndReason.REFUSED
    if crawl.paused:
        return EndReason.PAUSED
    if flights or crawl.asked != now or crawl.roused:  # what was postponed comes back
        return None
    if crawl.has_nothing(now):
        return _nothing_left(crawl)
    time = crawl.next(room, now)
    if time == math.inf or crawl.futile >= PATIENCE:
        return EndReason.STUCK
    return EndReason.WAITING if time - now > limits.max_wait else None


def _nothing_left(crawl: Crawl) -> EndReason:
    """Why nothing is left to follow."""
    aside = crawl.strategy.excluded()
    if aside and crawl.scope.narrowed:
        return EndReason.EXCLUDED
    return EndReason.CAPPED if aside and crawl.budgets.any_spent() else EndReason.DONE
