"""Names and addresses: look-ups that fail for a while, a thousand names at one address, hosts without end."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from typing import Any

import pytest
from tests.live.hunting import Hosts, Told, asked_for, beside, hunt

import faults
from faults import Call, Faulty, document
from wolfspider.web.http import guard
from wolfspider.web.http.gates import HostCap
from wolfspider.web.server.serve import Manner, serve

LOCAL: dict[str, Any] = {"via": "", "allow_private": True, "contact": "me@example.org"}


class Names:
    """Stands for the system's name server: every name is this machine, but those that are said to fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: dict[str, list[int]] | None = None) -> None:
        self.failing, self.asked = failing or {}, Counter[str]()
        self.real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self.look)

    def look(self, host: str, port: Any, *arguments: Any, **named: Any) -> Any:
        if not host.endswith(".test"):
            return self.real(host, port, *arguments, **named)
        self.asked[host] += 1
        if self.failing.get(host):
            raise socket.gaierror(self.failing[host].pop(0), "failed")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port or 0))]


def test_a_name_server_that_fails_for_a_while_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "KEPT_FAILURE", 0.1)
    names = Names(monkeypatch, {"a.test": [socket.EAI_AGAIN], "gone.test": [socket.EAI_NONAME] * 9})

    async def talk(server: Faulty) -> Told:
        seeds = [f"http://{host}.test:{server.port}/ok" for host in ("a", "b", "gone")]
        return await hunt(server.port, *seeds, pages=20, tries=2, backoff=0.3, max_wait=30, **LOCAL)

    told = beside(talk)
    assert {url.split("/")[2].split(".")[0] for url in told.pages} == {"a", "b"}
    assert list(told.failures.values()) == ["dns"] and list(told.details.values()) == ["no such name"]
    assert names.asked["gone.test"] == 1 and names.asked["a.test"] == 2


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_a_thousand_names_at_one_address_share_its_places(monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch)
    most = 0

    async def main() -> Told:
        nonlocal most

        async def watch() -> None:
            nonlocal most
            while True:
                most = max(most, sum(server._at_once.values()))
                await asyncio.sleep(0.001)

        async with serve(Hosts(1000, 1), manner=Manner(latency=0.01)) as server:
            watching = asyncio.create_task(watch())
            seeds = [f"http://h{number}.test:{server.port}/" for number in range(1000)]
            try:
                return await hunt(server.port, *seeds, pages=1000, slots=200, per_address=8, deadline=60.0, **LOCAL)
            finally:
                watching.cancel()

    told = asyncio.run(main())
    assert len(told.pages) == 1000 and 1 <= most <= 8


def test_a_domain_of_hosts_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wolfspider.web.http.web_plan.HostCap", lambda: HostCap(20))

    async def answer(call: Call) -> None:
        links = [f"http://w{call.times}x{number}.wild.test/wild" for number in range(60)]
        await call.answer(document("Wild", *links, "http://tame.test/ok"))

    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, "http://start.wild.test/wild", pages=500)
        hosts = {asked.partition("/")[0] for asked in asked_for(server)}
        assert len([host for host in hosts if host.endswith(".wild.test")]) <= 20 and "tame.test" in hosts
        assert told.downloads == len(told.pages) == len(asked_for(server))
        return told

    monkeypatch.setitem(faults.BEHAVIOURS, "wild", answer)
    told = beside(talk)
    assert told.reason == "done" and Counter(told.failures.values())["crowded"] > 20
