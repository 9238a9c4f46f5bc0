"""One worker of a cluster, as the head sees it: a hand that has a lease."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from wolfspider import __version__
from wolfspider.core.errors import Problem
from wolfspider.core.model import host_of
from wolfspider.drivers.cluster.leases import Leases, machine_clock
from wolfspider.drivers.cluster.ownership import Ownership
from wolfspider.drivers.cluster.ray_link import RayLink
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.hired import Hired, Orders
from wolfspider.web.http.live_web import Live
from wolfspider.web.page.packed import unpacked

_LOOKS = 7  # at the other machine's clock: the quickest answer counts


class RayWorker(Hired):
    """`gone` is called when it is, with the step whose answer killed the hand, 0 for none."""

    def __init__(
        self,
        name: str,
        actor: Any,
        web: Live,
        orders: Orders,
        owner: Callable[[str], Awaitable[Hired]],
        domain: Callable[[str], str],
        ownership: Ownership,
        leases: Leases,
        gone: Callable[[RayWorker, int], None],
    ) -> None:
        super().__init__(web, orders, owner)
        self.name_of, self.actor = name, actor
        self._domain, self._ownership, self._leases, self._gone = domain, ownership, leases, gone
        self._under_way: dict[int, str] = {}  # the domain of a step
        self.machine, self.pid, self.hand_pid = "", 0, 0
        self.epoch = self.answers = self.late = 0

    async def begin(self, clock: Callable[[], float]) -> None:
        """Start its hand, and let it join."""
        version, self.machine, self.pid, self.hand_pid = unpacked(await self.actor.begin.remote())
        if version != __version__:
            raise Problem(f"The machine {self.machine} has wolfspider {version}, and this one {__version__}.")
        offset = await self._offset(clock)
        self.epoch = self._leases.grant(self.name_of, machine_clock())
        self._ownership.join(self.name_of)
        link = self._wire = RayLink(self.actor, self._hear, lambda blamed: self._gone(self, blamed))
        self._begin(link, offset, self._leases.term, self._owns)

    async def _offset(self, clock: Callable[[], float]) -> float:
        """Of the crawl's clock against that of the other machine, to half of the quickest call."""
        speed, best, quickest = self._web.polite.manners.speed, 0.0, float("inf")
        for _ in range(_LOOKS):
            began = clock()
            (theirs,) = unpacked(await self.actor.clock.remote())
            ended = clock()
            if ended - began < quickest:
                quickest, best = ended - began, (began + ended) / 2 - theirs * speed
        return best

    def _owns(self, host: str) -> bool:
        return self._ownership.drawn(self._domain(host)) == self.name_of

    def over(self, blamed: int) -> None:
        """It is gone. It may still run, and then requests of its may begin until its lease is over; and each may take
        as long as a request may, also of one that is dead: a server need not notice that nobody listens."""
        link = self._wire
        later = self._leases.ended(self.name_of, machine_clock())
        self._lost(blamed, later + self._orders.plan.caps.deadline)
        self._under_way.clear()
        for task in self._tasks:
            task.cancel()
        if link is not None:
            link.close()

    def learn(self, rows: list[Any]) -> None:
        self._send(wire.LEARN, rows)

    def _sharing(self) -> int:
        return max(1, len(self._ownership.workers))

    def _begins(self, number: int, url: str) -> None:
        domain = self._under_way[number] = self._domain(host_of(url))
        if self._ownership.begin(domain):
            self.learn(self._web.polite.rows(lambda host: self._domain(host) == domain))

    def _over(self, number: int) -> None:
        if (domain := self._under_way.pop(number, None)) is not None:
            self._ownership.end(domain, self.name_of)

    def _hear(self, kind: int, *told: Any) -> None:
        if not self._leases.current(self.name_of, self.epoch):
            self.late += 1
        elif kind == wire.ALIVE:
            if self._leases.heard(self.name_of, self.epoch, machine_clock()):
                self._send(wire.RENEW, *told)
        else:
            self.answers += kind == wire.DONE
            super()._hear(kind, *told)

    def told(self) -> dict[str, Any]:
        """For people and programs."""
        return {
            "name": self.name_of,
            "machine": self.machine,
            "pid": self.pid,
            "hand_pid": self.hand_pid,
            "epoch": self.epoch,
            "silent": round(max(0.0, self._leases.age(self.name_of, machine_clock())), 1),
            "steps": len(self._out),
            "requests": len(self._lanes),
            "answers": self.answers,
        }
