"""How the live web is asked, as plain data, from which it is made: in the process of a crawl, and in its hands."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from wolfspider.web.http.client import Caps, Client
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.ip_addresses import read_network
from wolfspider.web.http.live_robots import LiveRobots
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import Manners, Polite


@dataclass(frozen=True, slots=True)
class WebPlan:
    """How the live web is asked."""

    agent: str
    caps: Caps
    manners: Manners
    strangers: bool  # may public sites be asked?
    allow_private: bool = False
    networks: tuple[str, ...] = ()
    via: tuple[str, int] | None = None

    def made(self, clock: Callable[[], float], named: Iterable[str] = ()) -> Live:
        """The live web. `named`: hosts that the person named."""
        networks = map(read_network, self.networks)
        guard = Guard(allow_private=self.allow_private, named=named, networks=networks, via=self.via)
        client = Client(guard, self.agent, self.caps, clock)
        polite = Polite(self.manners, clock, random.Random())
        robots = LiveRobots(clock)
        return Live(client, guard, polite, robots, hosts=HostCap(), robots_tries=1, strangers=self.strangers)

    def shared(self, hands: int) -> WebPlan:
        """The plan of each of several hands: together they ask an address for no more at a time than one would."""
        share = self.manners.per_address // hands
        return replace(self, manners=replace(self.manners, per_address=share))

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> WebPlan:
        caps, manners = Caps(**plain.pop("caps")), Manners(**plain.pop("manners"))
        networks, via = tuple(plain.pop("networks")), plain.pop("via")
        return cls(caps=caps, manners=manners, networks=networks, via=tuple(via) if via else None, **plain)
