"""A crawl repeated from its journal, without the network, so that a killed run can be resumed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wolfspider.core.model import Route
from wolfspider.engine.crawl import Crawl
from wolfspider.policy.room import Broken, Replayed, Room, tired


def replay(crawl: Crawl, entries: Iterable[tuple[Any, ...]], room: Room) -> None:
    """Play a journal again: the room's answers and the results come from the entries, everything else comes out anew
    and must be the same. The room is left as it was at the end of the journal."""
    for kind, *entry in entries:
        if kind == "begin":
            crawl.begin(*entry)
        elif kind == "propose":
            crawl.reopen()  # it was resumed after a stop
            now, free, newly_ready, answers, ids = entry
            orders = crawl.visits(Replayed(room, free, newly_ready, answers), now)
            if tuple(order.visit.id for order in orders) != ids:
                raise Broken(f"{crawl.strategy.name} proposed other visits than the first time")
        elif kind == "land":
            number, result, now, seconds = entry
            flight = crawl.flights[number]
            crawl.land(flight.visit, result, now, seconds)
            if flight.how == Route.OUT:
                room.release(flight.visit.link.host, now if tired(result) else None)
        elif kind == "postpone":
            number, failure, now = entry
            crawl.postpone(crawl.flights[number].visit, failure, now)
        elif kind == "grant":
            number, granted = entry
            if crawl.grant(crawl.flights[number].visit) != granted:
                raise Broken(f"visit {number} was granted another try the first time, or was not")
        elif kind == "command":
            crawl.command(*entry)
    crawl.reopen()
