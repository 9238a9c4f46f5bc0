"""One worker of a cluster as the head sees it, without Ray: what is left when it is gone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from wolfspider.drivers.cluster.leases import Leases, machine_clock
from wolfspider.drivers.cluster.ownership import Ownership
from wolfspider.drivers.cluster.ray_worker import RayWorker
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.hired import Orders
from wolfspider.web.http.client import Caps
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import Manners
from wolfspider.web.http.web_plan import WebPlan

TERM, DEADLINE, DELAY, NOW = 5.0, 20.0, 3.0, 1.7e9


def worker(web: Live, plan: WebPlan, ownership: Ownership, leases: Leases) -> RayWorker:
    async def owner(host: str) -> Any:
        raise AssertionError

    orders = Orders(plan, 1, 1 << 30, 1 << 20, 0.0)
    made = RayWorker("w", None, web, orders, owner, lambda host: host, ownership, leases, lambda *_: None)
    made.epoch = leases.grant("w", machine_clock())
    ownership.join("w")
    return made


def test_hosts_that_a_lost_worker_was_asking_rest_until_its_last_request_must_have_ended() -> None:
    async def main() -> None:
        plan = WebPlan("a", Caps(deadline=DEADLINE), Manners(delay=DELAY), True)
        web, ownership, leases = plan.made(lambda: NOW), Ownership(), Leases(TERM)
        lost = worker(web, plan, ownership, leases)
        out = asyncio.get_running_loop().create_future()
        lost._out[1] = None, out
        lost._begins(1, "http://h.test/")
        lost._hear(wire.ASK, 7, 1, "http://h.test/")
        lost._lanes[7] = "h.test", 1
        assert web.polite.ready_at("other.test") < NOW and lost.told()["requests"] == 1
        lost.over(0)
        assert out.result() is False, "it is asked for again"
        assert web.polite.ready_at("h.test") == pytest.approx(NOW + TERM + DEADLINE + DELAY, abs=0.5)
        assert not leases.current("w", lost.epoch)
        before = web.counters.requests
        lost._hear(wire.NEWS, [], [], 0, 5, 5)
        assert lost.late == 1 and web.counters.requests == before, "what it says later is not taken"
        await web.client.close()

    asyncio.run(main())
