"""Hosts in trouble: visits to them are postponed, and a crawl spends its budget elsewhere meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.drivers.test_live import START, Drive, virtually

from wolfspider.core import codec
from wolfspider.core.events import Command, Finish, Landed, Pause, Postponed, Resume, SetLimit
from wolfspider.core.model import Failure, Fetch, Page, host_of
from wolfspider.drivers.driver import Clock, Result
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import PostponeEntry
from wolfspider.engine.replay import replay
from wolfspider.policy.room import Room
from wolfspider.strategies import all_strategies, strategy_named
from wolfspider.testing.sketch import Sketch, Trial, stored
from wolfspider.web.worlds.world import Request, Waited

REST = 600.0  # seconds that a host in trouble is left alone
SICK = tuple(f"host{number}.test" for number in range(2, 7))


class Sickly(Waited):
    """Five of seven hosts fail each time until they are well, and rest after each failure."""

    well = START + 10_000.0
    trouble = Failure("connect", "refused")

    def __init__(self, world: Any, clock: Clock) -> None:
        super().__init__(world, clock)
        self.until: dict[str, float] = {}
        self.asked: list[float] = []  # when, in seconds from the start
        self.sent = 0  # requests that are downloads

    async def fetch(self, request: Request) -> Fetch:
        host = host_of(request.url)
        assert not self.in_trouble(host), "a host was asked while it rests"
        self.asked.append(self.clock() - START)
        fetch = await super().fetch(request)
        if host in SICK and self.clock() < self.well:
            self.until[host] = self.clock() + REST
            fetch = Fetch(request.url, request.url, failure=self.trouble, seconds=fetch.seconds, at=self.clock())
        self.sent += fetch.failure is None or fetch.failure.asked
        return fetch

    def in_trouble(self, host: str) -> bool:
        return self.until.get(host, 0.0) > self.clock()

    def pause(self, host: str) -> float:
        return max(0.0, self.until.get(host, 0.0) - self.clock())


class Refusing(Sickly):
    """As the live web: a request to a host that rests for too long is told so."""

    async def fetch(self, request: Request) -> Fetch:
        if self.in_trouble(host_of(request.url)):
            failure = Failure("waiting", "it is left alone")
            return Fetch(request.url, request.url, failure=failure, at=self.clock())
        return await super().fetch(request)


class Recovering(Sickly):
    well = START + REST / 2


class Forbidding(Sickly):
    """Nobody is asked for a page, as where robots.txt cannot be read: the visit was not sent."""

    trouble = Failure("waiting", "robots.txt of it: 503")


class Cured(Forbidding):
    well = START + REST / 2


def a_trial(name: str = "breadth-first", pages: int = 60, world: Sketch | None = None) -> Trial:
    return Trial(strategy_named(name), world or Sketch(), pages=pages, slots=5)


def started(drive: Drive) -> Any:
    run = drive.start()
    run.room.pause, run.resting.in_trouble = drive.web.pause, drive.web.in_trouble
    return run


def driven(drive: Drive, *commands: tuple[float, Command], stop: float | None = None) -> Result:
    async def main() -> Result:
        run, loop = started(drive), asyncio.get_running_loop()
        for at, command in commands:
            loop.call_later(at, drive.store.inbox.append, command)
        if stop is not None:
            loop.call_later(stop, run.stop)
        return await run.run()

    result: Result = virtually(main)
    return result


def a_drive(web: Callable[..., Any] = Sickly, trial: Trial | None = None) -> Drive:
    return Drive(trial or a_trial(), web, tries=2, patient=True)


def postponed(drive: Drive) -> list[Postponed]:
    """What the log says of it. (The sketch of a web has failures of every kind besides.)"""
    events = (event for event in drive.trial.log if isinstance(event, Postponed))
    return [event for event in events if event.failure == drive.web.trouble]


def restored(trial: Trial, crawl: Crawl) -> Crawl:
    again = trial.build()
    again.shelf = again.strategy.shelf = crawl.shelf
    again.restore(codec.load(*stored(crawl)))
    return again


@pytest.mark.parametrize("web", [Sickly, Forbidding])
def test_the_budget_is_spent_elsewhere_and_the_crawl_ends_without_waiting_for_hosts_in_trouble(web: Any) -> None:
    drive = a_drive(web)
    result = driven(drive)
    assert postponed(drive) and result == Result("budget", 60, result.at)
    assert result.at < START + REST, "nobody waited for a host in trouble"
    assert drive.web.sent == 60, "as many requests as downloads"
    well = [event.outcome for event in drive.trial.landings() if event.outcome.visit.link.host not in SICK]
    assert sum(isinstance(outcome.result, Page) for outcome in well) > 30


AGENTS = [name for name, kind in all_strategies().items() if kind.awaits]


@pytest.mark.parametrize("name", AGENTS)
def test_agents_that_wait_for_an_outcome_are_not_held_up_by_hosts_in_trouble(name: str) -> None:
    """As in a live crawl, where a visit waits for two minutes; here a host in trouble rests for ten."""
    drive = a_drive(Refusing, a_trial(name))
    drive.options["room"] = Room()
    drive.options["room"].longest = 120.0
    driven(drive)
    times = [START, *(event.at for event in drive.trial.landings())]
    assert max(after - before for before, after in pairwise(times)) < 3 * 120.0 < REST
    journal, again = list(drive.trial.journal), drive.trial.build()
    replay(again, journal, Room())
    assert stored(again) == stored(drive.crawl)


def test_a_short_trouble_is_waited_for_by_agents_too() -> None:
    drive = a_drive(Recovering, a_trial("lafc"))
    drive.options["room"] = Room()
    drive.options["room"].longest = REST
    driven(drive)
    waited = {event.visit.id for event in postponed(drive)}
    landed = {event.outcome.visit.id: event.outcome for event in drive.trial.landings()}
    assert waited and all(isinstance(landed[number].result, Page) for number in waited)


@pytest.mark.parametrize("web", [Recovering, Cured])
def test_a_visit_that_was_postponed_is_tried_again_when_its_host_has_rested(web: Any) -> None:
    drive = a_drive(web, a_trial(pages=500, world=Sketch(pages=40)))
    result = driven(drive)
    waited = {event.visit.id for event in postponed(drive)}
    landed = {event.outcome.visit.id: event.outcome for event in drive.trial.landings()}
    assert len(waited) == 5 and result.reason == "done"
    for number in waited:
        outcome = landed[number]
        assert isinstance(outcome.result, Page) and outcome.at > START + REST
        assert outcome.downloads == (2 if web is Recovering else 1), "an unsent try costs nothing"
    assert len(landed) == len(list(drive.trial.landings())) and not drive.crawl.flights


def test_slots_and_downloads_of_postponed_visits_are_free_for_others() -> None:
    drive = a_drive(Forbidding)
    free: list[tuple[int, int]] = []

    def look(event: Any) -> None:
        flights = drive.crawl.flights
        if len(flights.postponed) == len(SICK) == len(flights):
            free.append((flights.free, flights.left + drive.crawl.spent))

    drive.crawl.listen(look)
    driven(drive)
    assert free and set(free) <= {(min(5, 60 - number), 60) for number in range(61)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("web", [Recovering, Forbidding])
@pytest.mark.parametrize("name", all_strategies())
def test_a_replay_gives_the_same_state_for_every_strategy(name: str, web: Any) -> None:
    drive = a_drive(web, Trial(all_strategies()[name], Sketch(), pages=40, slots=4))
    driven(drive)
    journal, again = list(drive.trial.journal), drive.trial.build()
    replay(again, journal, Room())
    assert stored(again) == stored(drive.crawl)
    assert any(isinstance(entry, PostponeEntry) for entry in journal), "the case that this is about"


@pytest.mark.parametrize("web", [Sickly, Cured])
def test_from_every_entry_of_the_journal_a_snapshot_and_a_replay_agree(web: Any) -> None:
    drive = a_drive(web, a_trial(pages=30))
    driven(drive)
    journal = list(drive.trial.journal)
    first = next(place for place, entry in enumerate(journal) if isinstance(entry, PostponeEntry))
    for cut in range(first, len(journal) + 1):
        early, whole = drive.trial.build(), drive.trial.build()
        replay(early, journal[:cut], room := Room())
        again = restored(drive.trial, early)
        replay(again, journal[cut:], again.flights.restored_room(room.state()))
        replay(whole, journal, Room())
        assert stored(again) == stored(whole) and counted(again) == counted(whole)


def counted(crawl: Crawl) -> tuple[Any, ...]:
    flights = crawl.flights
    return flights.reserved, flights.left, flights.free, flights.out, sorted(flights.postponed)


@pytest.mark.parametrize("web", [Sickly, Recovering, Forbidding, Cured])
@pytest.mark.parametrize("stop", [0.5, 1.5, 3.0, 6.0, 15.0])
def test_stopped_at_any_time_and_resumed_no_host_is_asked_too_early_and_the_budget_is_exact(
    web: Any, stop: float
) -> None:
    drive = a_drive(web, a_trial(pages=50))
    driven(drive, stop=stop)
    again = a_drive(web, drive.trial)
    again.crawl = restored(drive.trial, drive.crawl)
    again.options["room"] = again.crawl.flights.restored_room(drive.run.room.state())
    waiting = set(again.crawl.flights.postponed)

    async def main() -> Result:
        await asyncio.sleep(stop)  # it is resumed when it was stopped
        run = started(again)
        again.web.until |= drive.web.until  # a run keeps this on disk
        return await run.run()

    result = virtually(main)
    assert result == Result("budget", 50, result.at)
    assert drive.web.sent + again.web.sent <= 50 + again.store.counts().get("refetched", 0)
    early = [event for event in again.trial.landings() if event.outcome.visit.id in waiting]
    assert all(event.at >= START + REST or event.outcome.result == drive.web.trouble for event in early)


def test_a_lowered_limit_gives_up_what_has_cost_a_download_and_keeps_the_rest() -> None:
    for web in (Sickly, Forbidding):
        drive = a_drive(web)
        result = driven(drive, (4.0, SetLimit("pages", 1)))
        assert result.reason == "budget" and result.at < START + REST
        given_up = [event for event in drive.trial.landings() if event.outcome.visit.link.host in SICK]
        assert bool(given_up) is (web is Sickly) and bool(drive.crawl.flights) is (web is Forbidding)
        assert {event.outcome.result for event in given_up} <= {drive.web.trouble}
        assert result.downloads == drive.web.sent


def test_a_crawl_that_a_person_finishes_gives_up_what_was_postponed() -> None:
    for web in (Sickly, Forbidding):
        drive = a_drive(web)
        result = driven(drive, (4.0, Finish()))
        assert result.reason == "finished" and not drive.crawl.flights and result.at < START + 60
        assert result.downloads == drive.web.sent


def test_a_pause_holds_postponed_visits_too() -> None:
    drive = a_drive(Recovering, a_trial(pages=500, world=Sketch(pages=40)))
    result = driven(drive, (4.0, Pause()), (5_000.0, Resume()))
    assert result.reason == "done" and postponed(drive)
    assert not [at for at in drive.web.asked if 6.0 < at < 5_000.0]


def test_hosts_that_rest_for_longer_than_the_crawl_waits_end_it_and_wait_for_a_later_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.drivers.test_trouble.REST", 90_000.0)
    drive = a_drive(Forbidding, a_trial(pages=500, world=Sketch(pages=40)))
    result = driven(drive)
    assert result.reason == "waiting" and len(drive.crawl.flights.postponed) == len(SICK)
    gauge = drive.store.gauges()[-1]
    assert gauge.stranded == {"robots.txt could not be read (503 Service Unavailable)": len(SICK)}
    assert gauge.postponed == gauge.stranded


def test_postponed_visits_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wolfspider.drivers.resting_visits.MOST_POSTPONED", 2)
    drive = a_drive()
    most = 0

    def look(event: Any) -> None:
        nonlocal most
        most = max(most, len(drive.crawl.flights.postponed))

    drive.crawl.listen(look)
    result = driven(drive)
    assert most == 2 and result.reason == "budget" and result.downloads == 60
    lost = Counter(
        event.outcome.visit.link.host
        for event in drive.trial.log
        if isinstance(event, Landed) and event.outcome.result == drive.web.trouble and event.outcome.downloads == 1
    )
    assert lost, "what finds no place fails at once"
