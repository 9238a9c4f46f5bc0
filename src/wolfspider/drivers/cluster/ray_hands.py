"""Hands on a Ray cluster: each machine of it has workers, which ask their part of the hosts and read what they answer.

The head (judge, strategy, journal, store) stays in one place. All that holds for hands as processes holds here: a host
has one worker that asks it, no request goes out that the head does not know of, and what a worker learns comes with
its answers. What is new is that workers come and go, and that nobody may know whether one that is silent still runs.

A machine that joins the cluster gets workers, and they get their part of the hosts (`ownership`). A worker that dies,
or is not heard of for the term of its lease (`leases`), loses its hosts to the others, and what it was out for is asked
for again. The hosts it was asking rest until its lease is over and its last request must have ended, and then as long
as they always do. What it says later counts for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from wolfspider.core.errors import Problem
from wolfspider.drivers.cluster.leases import TERM, Leases, machine_clock
from wolfspider.drivers.cluster.ownership import Ownership
from wolfspider.drivers.cluster.ray_home import RayHome
from wolfspider.drivers.cluster.ray_worker import RayWorker
from wolfspider.drivers.cluster.worker import Worker
from wolfspider.drivers.hands.elsewhere import HandsElsewhere
from wolfspider.drivers.hands.hired import Hired, Orders
from wolfspider.web.http.live_web import Live

PATIENCE = 120.0  # seconds that a crawl without a worker waits for one
MOST_DEATHS = 8  # of one worker in a row, without an answer in between
_MACHINES = 1.0  # seconds between two looks at the machines of the cluster
_LONGEST_REST = 30.0  # seconds before a worker that died again and again is replaced


class RayHands(HandsElsewhere):
    """`orders.hands` workers on each machine. `note` is told now and then how they are."""

    def __init__(
        self,
        web: Live,
        orders: Orders,
        home: RayHome,
        clock: Callable[[], float],
        sent_again: Callable[[], None] = lambda: None,
        note: Callable[[dict[str, Any]], None] = lambda told: None,
        term: float = TERM,
    ) -> None:
        super().__init__(web, orders, sent_again)
        self._home, self._clock, self._note = home, clock, note
        self._ownership, self._leases = Ownership(), Leases(term)
        self._workers: dict[str, RayWorker] = {}
        self._hiring: dict[str, asyncio.Task[None]] = {}
        self._deaths: Counter[str] = Counter()
        self._not_before: dict[str, float] = {}
        self._problem: Problem | None = None
        self._lost_ones = self._moved = self._late = 0
        self._closed = False
        self._tasks = [asyncio.create_task(self._tend(work, seconds)) for work, seconds in self._chores(term)]

    def _chores(self, term: float) -> list[tuple[Callable[[], Any], float]]:
        return [(self._look, term / 10), (self._look_at_machines, _MACHINES), (self._tell, _MACHINES)]

    async def owner(self, host: str) -> Hired:
        domain = self._domain(host)
        if (name := self._ownership.owner(domain)) is None:
            name = await self._some_owner(domain)
        return self._workers[name]

    async def _some_owner(self, domain: str) -> str:
        """No worker is there, and one is waited for."""
        until = time.monotonic() + PATIENCE
        while (name := self._ownership.owner(domain)) is None:
            if self._problem is not None:
                raise self._problem
            if time.monotonic() > until:
                raise Problem(
                    f"The Ray cluster at {self._home.address} had no worker for {PATIENCE:.0f} s. "
                    "The same command resumes the run when there are machines again."
                )
            await asyncio.sleep(0.05)
        return name

    def follow(self) -> None:
        for worker in self._workers.values():
            worker.follow()

    def name(self, hosts: Sequence[str]) -> None:
        self._orders.named += hosts
        for worker in self._workers.values():
            worker.name(list(hosts))

    async def close(self) -> None:
        self._closed = True
        tasks = [*self._tasks, *self._hiring.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *(worker.close() for worker in self._workers.values()), return_exceptions=True)
        for worker in self._workers.values():
            self._kill(worker.actor)

    # Coming and going

    async def _tend(self, work: Callable[[], Any], seconds: float) -> None:
        while True:
            await work()
            await asyncio.sleep(seconds)

    async def _look(self) -> None:
        for name in self._leases.looked(machine_clock()):
            self._gone(self._workers[name], 0)

    async def _look_at_machines(self) -> None:
        try:
            nodes = await asyncio.to_thread(self._home.nodes)
        except Exception:  # Ray itself is out of reach: leases run out then, one by one
            return
        for node in nodes:
            for number in range(self._orders.hands):
                name = f"{node['NodeID']}.{number}"
                waits = self._not_before.get(name, 0.0) > time.monotonic()
                if name not in self._workers and name not in self._hiring and not waits:
                    self._hiring[name] = asyncio.create_task(self._hire(name, node["NodeID"]))

    async def _hire(self, name: str, node: str) -> None:
        ray = self._home.ray
        place = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        actor = ray.remote(Worker).options(num_cpus=0, max_restarts=0, scheduling_strategy=place).remote()
        parts = (self._web, self._orders, self.owner, self._domain, self._ownership, self._leases, self._gone)
        worker = self._workers[name] = RayWorker(name, actor, *parts)
        try:
            await worker.begin(self._clock)
            self.follow()
        except BaseException as error:
            self._workers.pop(name, None)
            self._kill(actor)
            if not isinstance(error, Exception):
                raise
            self._failed(name, error)
        finally:
            del self._hiring[name]

    def _failed(self, name: str, error: Exception) -> None:
        """A worker did not begin, or died."""
        self._deaths[name] += 1
        deaths = self._deaths[name]
        self._not_before[name] = time.monotonic() + min(_LONGEST_REST, 0.25 * 2**deaths)
        if isinstance(error, Problem):
            self._problem = error
        elif deaths >= MOST_DEATHS:
            reason = str(error).strip().partition("\n")[0][:300]
            self._problem = Problem(f"A worker of the Ray cluster died {deaths} times in a row: {reason}")

    def _gone(self, worker: RayWorker, blamed: int) -> None:
        """It died, or is not heard of. Its hosts go to others, who are told what was learned of them."""
        name = worker.name_of
        if self._closed or self._workers.get(name) is not worker:
            return
        if worker.answers:
            self._deaths[name] = 0
        del self._workers[name]
        self._lost_ones += 1
        self._late += worker.late
        self._failed(name, RuntimeError("it brought nothing"))
        worker.over(blamed)
        mine = {row[0]: row for row in self._web.polite.rows(worker._owns)}
        self._ownership.leave(name)
        moved: dict[str, list[Any]] = defaultdict(list)
        for host, row in mine.items():
            if (owner := self._ownership.drawn(self._domain(host))) is not None:
                moved[owner].append(row)
        for owner, rows in moved.items():
            self._moved += len(rows)
            self._workers[owner].learn(rows)
        self._kill(worker.actor)
        self.follow()

    def _kill(self, actor: Any) -> None:
        with contextlib.suppress(Exception):
            self._home.ray.kill(actor)

    # For people

    async def _tell(self) -> None:
        workers = [worker.told() for name, worker in self._workers.items() if name in self._ownership.workers]
        self._note(
            {
                "address": self._home.address,
                "own": self._home.own,
                "head": os.getpid(),
                "at": time.time(),
                "lost": self._lost_ones,
                "moved": self._moved,
                "late": self._late,
                "workers": workers,
            }
        )
