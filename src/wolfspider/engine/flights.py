"""The visits in flight: the slots they hold, the downloads reserved for them, and what they have cost.

A download is reserved when a visit goes out, and spent when it lands. So the budget holds to the last page, unless a
person lowers it while visits are out: then those that were not sent yet stay in flight, unsent, until there is room.

A visit whose host is in trouble is postponed: it stays in flight, without a slot, and with no download reserved but
those that its earlier tries have cost. When the host is out of trouble, it is granted another try if there is room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wolfspider.core.limits import Limits
from wolfspider.core.model import Failure, Page, Route, Visit
from wolfspider.policy.browsing import TRAINING
from wolfspider.policy.room import Room

MOST_POSTPONED = 10_000  # visits at a time, each to another host; one more is given up
PARKING = 1_000  # visits that may wait for their turn at a host, beyond those that hold a slot


@dataclass
class Flight:
    """A visit without a result, whatever its route."""

    visit: Visit
    how: Route
    tries: int = 1  # downloads that are reserved for it
    requests: int = 0  # how many of them were sent
    postponed: Failure | None = None  # what its host's trouble is, while it waits for the end of that


class Flights(dict[int, Flight]):
    """Visits in flight, by their ids. They come by `enter` and go by `leave`, which count what they hold."""

    def __init__(self, limits: Limits, free_training: bool) -> None:
        self.limits, self.free_training = limits, free_training
        self.spent = 0  # downloads
        self.training = 0  # downloads of training, charged or free
        self.joined: dict[str, list[int]] = {}  # visits that wait for one to the same address
        self.clear()

    def clear(self) -> None:
        """Nothing is in flight."""
        super().clear()
        self.out = 0  # visits that are out
        self.parked: set[int] = set()  # those of them that wait for their turn at a host, and hold no slot meanwhile
        self.postponed: set[int] = set()  # those of them whose host is in trouble, which hold even less
        self.reserved = 0  # downloads they may still cost
        self.requested = 0  # how many of these were sent
        self.addresses: dict[str, int] = {}  # how many visits are out to each address

    # Slots and downloads

    @property
    def left(self) -> int:
        """Downloads not yet spent or reserved."""
        return self.limits.pages - self.spent - self.reserved

    @property
    def free(self) -> int:
        """How many visits may start. One that waits for its turn holds no slot, but there is an end to that too."""
        slots, out = self.limits.slots, self.out - len(self.postponed)
        return min(slots - out + len(self.parked), slots + PARKING - out, self.left)

    @property
    def _used_up(self) -> bool:
        """Has the crawl sent as many requests as it may?"""
        return self.spent + self.requested >= self.limits.pages

    def charged(self, flight: Flight) -> bool:
        """Is it paid for with downloads of the budget?"""
        return flight.how == Route.OUT and not (self.free_training and flight.visit.agent == TRAINING)

    # There and back

    def start(self, visit: Visit, how: Route) -> None:
        self.enter(Flight(visit, how))
        if how == Route.JOINED:
            self.joined.setdefault(visit.link.url, []).append(visit.id)

    def enter(self, flight: Flight) -> None:
        visit = flight.visit
        self[visit.id] = flight
        if flight.how == Route.OUT:
            self.out += 1
        if flight.postponed:
            self.postponed.add(visit.id)
        if self.charged(flight):  # nobody joins free training: its pages are not held
            self.reserved += flight.tries
            self.requested += flight.requests
            self.addresses[visit.link.url] = self.addresses.get(visit.link.url, 0) + 1

    def leave(self, visit: Visit, result: Page | Failure) -> tuple[Flight, int]:
        """The visit is back: its flight, and the downloads it has cost."""
        flight = self.pop(visit.id)
        if flight.how != Route.OUT:
            return flight, 0
        self.out -= 1
        self.parked.discard(visit.id)
        self.postponed.discard(visit.id)
        sent = flight.postponed or isinstance(result, Page) or result.asked
        tries = flight.tries if sent else flight.tries - 1
        if visit.agent == TRAINING:
            self.training += tries
        if not self.charged(flight):
            return flight, 0
        url = visit.link.url
        self.addresses[url] -= 1
        if not self.addresses[url]:
            del self.addresses[url]
        self.reserved -= flight.tries
        self.requested -= flight.requests
        self.spent += tries
        return flight, tries

    def joiners(self, flight: Flight) -> Iterator[Flight]:
        """Visits that joined this one, which is back. They are back with it."""
        url = flight.visit.link.url
        if self.charged(flight) or (flight.how == Route.OUT and url not in self.addresses):
            for visit in self.joined.pop(url, ()):
                yield self.pop(visit)

    def postpone(self, visit: Visit, failure: Failure) -> None:
        """The host is in trouble, as this failure says. A try that was not sent gives its download back."""
        flight = self[visit.id]
        unsent = 0 if failure.asked else 1
        if self.charged(flight):
            self.reserved -= unsent
            self.requested += flight.tries - unsent - flight.requests
        flight.tries -= unsent
        flight.requests, flight.postponed = flight.tries, failure
        self.parked.discard(visit.id)
        self.postponed.add(visit.id)

    def restored_room(self, state: Mapping[str, Any]) -> Room:
        """The room of a crawl that is resumed, busy at the hosts that visits are out to."""
        return Room.restored(state, (one.visit.link.host for one in self.values() if one.how == Route.OUT))

    # Beside the turns: a replay need not know of what follows, as the journal says only which visits are in flight

    def park(self, visit: Visit, waiting: bool) -> None:
        """A visit that is out has to wait for its turn at its host, or has it. It shows in what the room has free."""
        if waiting:
            self.parked.add(visit.id)
        else:
            self.parked.discard(visit.id)

    def may_send(self, visit: Visit) -> bool:
        """May a request go out for this visit? Reserved downloads exceed the page limit once a person has lowered it;
        then the visit stays in flight, unsent, until there is room again, in this session or in a later one."""
        flight = self[visit.id]
        if not self.charged(flight) or flight.requests == flight.tries:  # free, or sent already
            return True
        if self._used_up:
            return False
        flight.requests += 1
        self.requested += 1
        return True

    def given_up(self, closing: bool) -> list[Visit]:
        """Visits that wait for another try which the page limit does not allow any more, or a crawl that closes."""
        if closing:
            return [self[number].visit for number in sorted(self.postponed)]
        if not self._used_up:
            return []
        lowered = self.left < 0
        tried = (one for one in self.values() if self.charged(one) and one.requests)
        return [one.visit for one in tried if one.postponed or (lowered and one.requests < one.tries)]

    def dormant(self) -> bool:
        """Does no visit in flight land by itself? Each is postponed, may not be sent, or joined such a visit."""
        withheld = self.left < 0 and self._used_up
        if self.out > len(self.postponed) and not withheld:
            return False
        return all(
            flight.how == Route.JOINED
            or flight.postponed
            or (withheld and self.charged(flight) and flight.requests < flight.tries)
            for flight in self.values()
        )

    def troubles(self) -> Iterator[Failure]:
        """What the trouble is of the hosts that postponed visits wait for."""
        for number in self.postponed:
            if failure := self[number].postponed:
                yield failure

    def reserve_try(self, visit: Visit) -> bool:
        """Reserve a download for another try of this visit, if one is left. It is postponed no more."""
        flight = self[visit.id]
        if self.charged(flight):
            if self.left <= 0:
                return False
            self.requested += flight.tries - flight.requests  # in a replay nobody asked whether they may be sent
            self.reserved += 1
        flight.requests, flight.postponed = flight.tries, None
        flight.tries += 1
        self.postponed.discard(visit.id)
        return True
