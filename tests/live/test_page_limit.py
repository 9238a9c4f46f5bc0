"""The page limit of a live crawl lowered and raised, with the server's own log as the witness."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
from tests.live.hunting import asked_for, assert_whole, beside, finished, go_on, prepared

import faults
from faults import Call, Faulty
from wolfspider.core.events import Exclude, SetLimit
from wolfspider.drivers.driver import NOT_AGAIN
from wolfspider.store.view import RunView
from wolfspider.terminal import explanation

HUB, HOSTS = "http://a.test/many", 20


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """`/many` links to a page on each of many hosts."""

    async def answer(call: Call) -> None:
        await call.page("Many", *(f"http://h{number}.test/leaf" for number in range(HOSTS)))

    async def leaf(call: Call) -> None:
        await call.page("Leaf")

    monkeypatch.setitem(faults.BEHAVIOURS, "many", answer)
    monkeypatch.setitem(faults.BEHAVIOURS, "leaf", leaf)


async def lowered(server: Faulty, folder: Path) -> None:
    """When the first page is here, all others go out, and wait for the delay after their robots.txt."""
    told = prepared(server.port, HUB, out=folder, pages=100, slots=HOSTS, delay=1.0)

    def lower() -> None:
        assert told.hunt is not None
        told.hunt.command(SetLimit("pages", 1))

    told.after(1, lower)
    await finished(told)
    assert (told.reason, told.downloads) == ("budget", 1) and asked_for(server) == ["a.test/many"]


@pytest.mark.parametrize("crash", [False, True])
def test_a_lowered_limit_sends_nothing_more_and_a_raised_one_loses_no_link(tmp_path: Path, crash: bool) -> None:
    run = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        await lowered(server, run)
        for snapshot in (run / "snapshots").iterdir() if crash else ():
            snapshot.unlink()  # what is left is the log, as after kill -9
        again = await go_on(run)
        assert (again.reason, again.downloads) == ("budget", 1) and len(asked_for(server)) == 1
        raised = await go_on(run, pages=100)
        assert raised.downloads == HOSTS + 1 == len(set(asked_for(server))) == len(asked_for(server))

    beside(talk)
    assert_whole(run)
    assert RunView(run).summary().pages == HOSTS + 1


def test_another_try_that_waits_is_given_up_and_its_visit_was_asked_for(tmp_path: Path) -> None:
    run, url = tmp_path / "run", "http://a.test/status/500"

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, url, out=run, pages=5, tries=2, delay=5.0, max_wait=300.0)
        running = asyncio.create_task(finished(told))
        assert told.hunt is not None
        while not told.hunt.crawl or [one.tries for one in told.hunt.crawl.flights.values()] != [2]:
            assert not running.done()
            await asyncio.sleep(0.01)
        told.hunt.command(SetLimit("pages", 1))
        await running
        assert (told.reason, told.downloads) == ("budget", 1) and told.results == {url: NOT_AGAIN}
        assert len(asked_for(server)) == 1

    beside(talk)
    text = "\n".join(explanation.lines(explanation.explain(run, url)))
    assert "It was visited, and there is no page." in text and ": asked for over the network." in text


def test_a_limit_lowered_by_resume_holds(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, HUB, out=run, pages=100, slots=HOSTS, delay=1.0)
        assert told.hunt is not None
        told.after(1, told.hunt.stop)
        await finished(told)
        assert told.reason == "stopped"
        again = await go_on(run, pages=3)
        assert (again.reason, again.downloads) == ("budget", 3) and len(asked_for(server)) == 3

    beside(talk)


def test_what_is_excluded_while_it_waits_for_its_turn_is_not_sent(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        told = prepared(server.port, HUB, out=tmp_path / "run", pages=100, slots=HOSTS, delay=1.0)
        assert told.hunt is not None
        told.after(1, partial(told.hunt.command, Exclude("h*.test")))
        await finished(told)
        assert asked_for(server) == ["a.test/many"] and told.downloads == 1
        assert set(told.failures.values()) <= {"excluded"}

    beside(talk)
