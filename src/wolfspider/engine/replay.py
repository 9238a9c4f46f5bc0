"""A crawl repeated from its journal, without the network, so that a killed run can be resumed."""

from __future__ import annotations

from collections.abc import Iterable

from wolfspider.core.model import Route
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import (
    BeginEntry,
    CommandEntry,
    Entry,
    GrantEntry,
    LandEntry,
    PostponeEntry,
    ProposeEntry,
)
from wolfspider.policy.room import Broken, Replayed, Room


def replay(crawl: Crawl, entries: Iterable[Entry], room: Room) -> None:
    """Play a journal again: the room's answers and the results come from the entries, everything else comes out anew
    and must be the same. The room is left as it was at the end of the journal."""
    for entry in entries:
        match entry:
            case BeginEntry(seeds, now, spent):
                crawl.begin(seeds, now, spent)
            case ProposeEntry(now, free, newly_ready, answers, visits):
                crawl.reopen()  # it was resumed after a stop
                orders = crawl.visits(Replayed(room, free, newly_ready, answers), now)
                if tuple(order.visit.id for order in orders) != visits:
                    raise Broken(f"{crawl.strategy.name} proposed other visits than the first time")
            case LandEntry(visit, result, now, seconds):
                flight = crawl.flights[visit]
                crawl.land(flight.visit, result, now, seconds)
                if flight.how == Route.OUT:
                    room.landed(flight.visit.link.host, result, now, seconds)
            case PostponeEntry(visit, failure, now):
                crawl.postpone(crawl.flights[visit].visit, failure, now)
            case GrantEntry(visit, granted):
                if crawl.grant(crawl.flights[visit].visit) != granted:
                    raise Broken(f"visit {visit} was granted another try the first time, or was not")
            case CommandEntry(command, now):
                crawl.command(command, now)
    crawl.reopen()
