"""The page limit lowered while a crawl runs: only requests that were sent before may still cost a download. The other
visits stay in flight, unsent, and go out when the limit is raised, in the same session or in a later one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.drivers.test_live import START, Drive, a_trial, virtually

from wolfspider.core.events import Command, Landed, SetLimit, Went
from wolfspider.core.model import Failure, Fetch
from wolfspider.drivers.driver import NOT_AGAIN, Result
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.replay import replay
from wolfspider.policy.room import Room
from wolfspider.testing.sketch import Sketch, stored
from wolfspider.web.worlds.world import Request, Waited

FIRST = 60.0  # seconds after which the limit is moved
PATIENT = {"tries": 1, "patient": True}


class Queueing(Waited):
    """Five of seven hosts let each visit wait for its turn for a long time. Counts the requests that went out."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked: list[tuple[float, str]] = []

    async def fetch(self, request: Request) -> Fetch:
        if not any(f"//host{number}." in request.url for number in (0, 1)):
            request.waits(True)
            await asyncio.sleep(500)
            request.waits(False)
        fetch = await super().fetch(request)
        if fetch.failure is None or fetch.failure.asked:
            self.asked.append((self.clock() - fetch.seconds, request.url))
        return fetch


def steered(drive: Drive, *commands: tuple[float, Command]) -> Result:
    """The crawl, with commands of another process at these seconds."""

    async def main() -> Result:
        run = drive.start()
        for at, command in commands:
            asyncio.get_running_loop().call_later(at, drive.store.inbox.append, command)
        return await run.run()

    result: Result = virtually(main)
    return result


def spent_at(drive: Drive, seconds: float) -> int:
    return max((event.downloads for event in drive.trial.log if _landed_by(event, START + seconds)), default=0)


def _landed_by(event: Any, at: float) -> bool:
    return isinstance(event, Landed) and event.at <= at


def out_at(drive: Drive, seconds: float) -> set[int]:
    """Visits that were in flight then."""
    early = [event for event in drive.trial.log if event.at <= START + seconds]
    went = {event.visit.id for event in early if isinstance(event, Went) and event.how == "out"}
    return went - {event.outcome.visit.id for event in early if isinstance(event, Landed)}


@pytest.mark.parametrize("below", [True, False])
def test_a_lowered_limit_lets_nothing_more_go_out_than_it_allows(below: bool) -> None:
    drive = Drive(a_trial(pages=60, slots=8), Queueing, **PATIENT)
    probe = Drive(a_trial(pages=60, slots=8), Queueing, **PATIENT)
    steered(probe)
    spent, waiting = spent_at(probe, FIRST), len(out_at(probe, FIRST))
    assert spent > 5 and waiting >= 5, "the case that this is about"
    limit = spent - 3 if below else spent + 2
    result = steered(drive, (FIRST, SetLimit("pages", limit)))
    on_the_wire = sum(START + FIRST - 2 < at <= START + FIRST + 1 for at, _ in drive.web.asked)
    assert result.reason == "budget" and result.downloads <= max(limit, spent + on_the_wire)
    assert result.downloads == limit or below
    assert len(drive.web.asked) == result.downloads and drive.crawl.flights
    if below:
        assert result.at < START + FIRST + 5, "nobody waits for turns that lead nowhere"


class Slow(Queueing):
    """One host takes very long to answer, so that a request is on the wire."""

    async def fetch(self, request: Request) -> Fetch:
        fetch = await super().fetch(request)
        await asyncio.sleep(1000 * ("//host1." in request.url))
        return fetch


def test_what_was_withheld_goes_out_when_the_limit_is_raised_again() -> None:
    drive = Drive(a_trial(pages=60, slots=8), Slow, **PATIENT)
    moves = ((FIRST, SetLimit("pages", 4)), (FIRST + 600, SetLimit("pages", 60)))
    held: list[int] = []

    async def main() -> Result:
        run = drive.start()
        loop = asyncio.get_running_loop()
        for at, command in moves:
            loop.call_later(at, drive.store.inbox.append, command)
        loop.call_later(FIRST + 599, lambda: held.extend(run.withheld))
        return await run.run()

    result = virtually(main)
    assert held, "some visits had their turn and were not sent"
    assert result == Result("budget", 60, result.at) and not drive.crawl.flights
    landed = {event.outcome.visit.id: event.outcome.result for event in drive.trial.log if isinstance(event, Landed)}
    assert not any(isinstance(landed[number], Failure) and landed[number].kind == "budget" for number in held)


class Failing(Queueing):
    """Hosts that never answer, so that everything is tried again."""

    async def fetch(self, request: Request) -> Fetch:
        fetch = await Waited.fetch(self, request)
        if fetch.failure is None or fetch.failure.asked:
            self.asked.append((self.clock() - fetch.seconds, request.url))
            return Fetch(request.url, request.url, failure=Failure("timeout", ""), seconds=fetch.seconds)
        return fetch


class Mixed(Failing):
    """Two hosts never answer after a second, the others let visits wait."""

    async def fetch(self, request: Request) -> Fetch:
        waits = any(f"//host{number}." in request.url for number in (0, 2, 4, 6))
        return await (Queueing.fetch(self, request) if waits else Failing.fetch(self, request))


def test_another_try_that_still_waits_is_not_sent() -> None:
    drive = Drive(a_trial(pages=60, slots=3, delay=100.0), Failing, tries=2)
    result = steered(drive, (50.0, SetLimit("pages", 2)))
    assert result.reason == "budget" and result.downloads == len(drive.web.asked) == 3
    landed = [event.outcome for event in drive.trial.log if isinstance(event, Landed)]
    assert {outcome.result for outcome in landed} == {NOT_AGAIN} and [one.downloads for one in landed] == [1, 1, 1]


def test_a_name_that_is_not_found_costs_nothing_once_the_limit_is_reached() -> None:
    """A failed look-up is a download, though no request went out: beyond the limit it is none."""

    class Nameless(Waited):
        async def fetch(self, request: Request) -> Fetch:
            await asyncio.sleep(100)
            return Fetch(request.url, request.url, failure=Failure("dns", "no such name"), seconds=100.0)

    drive = Drive(a_trial(pages=60, slots=3), Nameless)
    result = steered(drive, (50.0, SetLimit("pages", 1)))
    assert result.downloads == 1 and len(drive.crawl.flights) == 2


def lowered(limit: int) -> Drive:
    drive = Drive(a_trial(pages=60, slots=8), Queueing, **PATIENT)
    steered(drive, (FIRST, SetLimit("pages", limit)))
    assert drive.crawl.flights
    return drive


def resumed(drive: Drive) -> Drive:
    again = Drive(drive.trial, Queueing, **PATIENT)
    again.crawl.restore(drive.crawl.state())
    return again


def test_a_run_that_is_resumed_with_its_lowered_limit_sends_nothing() -> None:
    before = lowered(10)
    again = resumed(before)
    result = again.finish()
    assert result.reason == "budget" and result.downloads == before.crawl.spent and not again.web.asked


def test_a_limit_that_is_lowered_when_a_run_is_resumed_holds_from_the_first_request_on() -> None:
    """`wolfspider resume RUN --pages N` puts the command into the inbox before the first turn."""
    drive = Drive(a_trial(pages=60, slots=8), Queueing, **PATIENT)

    async def main() -> Result:
        run = drive.start()
        asyncio.get_running_loop().call_later(FIRST, run.stop)
        return await run.run()

    assert virtually(main).reason == "stopped"
    again, spent = resumed(drive), drive.crawl.spent
    again.crawl.inbox.append(SetLimit("pages", spent + 1))
    result = again.finish()
    assert result == Result("budget", spent + 1, result.at) and len(again.web.asked) == 1


def test_a_limit_that_is_raised_when_a_run_is_resumed_sends_what_was_withheld() -> None:
    again = resumed(lowered(10))
    out = set(again.crawl.flights)
    again.crawl.inbox.append(SetLimit("pages", 60))
    result = again.finish()
    landed = {event.outcome.visit.id for event in again.trial.log if isinstance(event, Landed)}
    assert result == Result("budget", 60, result.at) and out <= landed


def test_a_journal_with_a_lowered_limit_gives_the_same_state_again() -> None:
    drive = Drive(a_trial(pages=60, slots=6, delay=100.0), Mixed, tries=2)
    steered(drive, (50.0, SetLimit("pages", 3)))
    assert drive.crawl.flights and any(event.outcome.result == NOT_AGAIN for event in drive.trial.landings())
    journal, played = list(drive.trial.journal), drive.trial.build()
    replay(played, journal, Room())
    assert stored(played) == stored(drive.crawl) and _counted(played) == _counted(resumed(drive).crawl)


def _counted(crawl: Crawl) -> tuple[int, int]:
    return crawl.flights.reserved, crawl.flights.requested


def test_a_simulation_does_not_send_another_try_beyond_a_lowered_limit() -> None:
    trial = a_trial(pages=60, slots=3, delay=100.0, commands=((START + 50.0, SetLimit("pages", 2)),))
    trial.world = Sketch(failure="timeout")
    crawl = trial.run()
    assert trial.result == Result("budget", 3, START + 50.0) and not crawl.flights
    assert {event.outcome.result for event in trial.landings()} == {NOT_AGAIN}


def test_fewer_slots_start_nothing_new_until_enough_are_free() -> None:
    drive = Drive(a_trial(pages=80, slots=7))
    steered(drive, (10.0, SetLimit("slots", 2)))
    out, most = len(out_at(drive, 10.6)), 0
    for event in drive.trial.log:
        if event.at <= START + 10.6:
            continue
        if isinstance(event, Went) and event.how == "out":
            out += 1
            assert out <= 2, "a visit started while as many as there are slots were out"
        out -= isinstance(event, Landed) and event.how == "out"
        most = max(most, out)
    assert most >= 2
