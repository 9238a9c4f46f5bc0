"""One crawl that meets every behaviour of the server that misbehaves: it ends, and every failure has a name."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest
from tests.live.hunting import Peak, Told, assert_whole, beside, finished, go_on, hunt, prepared, stored

from faults import EXAMPLES, ROBOTS, ROBOTS_ASIDE, Faulty
from wolfspider.core.model import FAILURES, Failure
from wolfspider.web.page.urls import canonical

ROBOTS_HOSTS = [f"robots-{how}.test" for how in (*ROBOTS, *ROBOTS_ASIDE, "404", "429", "500", "redirect-3", "delay-1")]


def each_on_its_own_host() -> list[str]:
    """A host in trouble is left alone, so what troubles one must not stand in the way of the rest."""
    misbehaved = [f"http://h{number}.test{path}" for number, path in enumerate(EXAMPLES)]
    every = [canonical(url) for url in (*misbehaved, *(f"http://{host}/ok" for host in ROBOTS_HOSTS))]
    return [url for url in every if url is not None]


def assert_named(failures: dict[str, Failure]) -> None:
    assert {failure.kind for failure in failures.values()} <= set(FAILURES)
    assert not [url for url, failure in failures.items() if "unexpected" in failure.detail or "bug" in failure.detail]


POOL = min(32, (os.cpu_count() or 1) + 4)  # threads that an event loop has for what takes long, however much there is
UNREADABLE = ("500", "503", "429", "silent", "reset", "close", "endless", "private")  # robots.txt that tell nothing


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_one_crawl_meets_every_misbehaviour_and_each_failure_has_a_name(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        threads, began = threading.active_count(), time.monotonic()
        told = await hunt(server.port, *seeds, pages=600, slots=40, deadline=10.0, out=tmp_path / "run")
        assert time.monotonic() - began < 80 and threading.active_count() <= threads + POOL
        return told

    seeds = each_on_its_own_host()
    with Peak() as peak:
        told = beside(talk)
    assert peak.megabytes < 400
    assert told.reason in ("budget", "waiting")  # some of it has no end, unless its host was too busy to answer
    assert told.hunt is not None and told.hunt.crawl is not None
    out = {flight.visit.link.url for flight in told.hunt.crawl.flights.values()}  # their hosts rest
    assert set(seeds) <= set(told.results) | out
    assert {url.split("/")[2] for url in out} <= {f"robots-{how}.test" for how in UNREADABLE}
    failures = {url: result for url, result in told.results.items() if isinstance(result, Failure)}
    assert_named(failures)
    assert len(set(told.failures.values())) >= 10 and len(told.pages) > 50
    assert_whole(tmp_path / "run")


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_stopped_amid_every_misbehaviour_it_goes_on_and_is_whole(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> tuple[Told, Told]:
        first = prepared(server.port, *seeds, pages=300, slots=40, deadline=10.0, out=tmp_path / "run")
        assert first.hunt is not None
        asyncio.get_running_loop().call_later(1.5, first.hunt.stop)
        await finished(first)
        assert_whole(tmp_path / "run")
        return first, await go_on(tmp_path / "run")

    seeds = each_on_its_own_host()
    first, second = beside(talk)
    assert first.reason == "stopped" and second.reason in ("budget", "waiting")
    assert set(first.pages) & set(second.pages) == set()
    assert first.downloads < second.downloads <= 300
    assert {page.final_url for page in (*first.pages.values(), *second.pages.values())} == stored(tmp_path / "run")
    assert_whole(tmp_path / "run")
