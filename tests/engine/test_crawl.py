"""The loop: budget, memory, credits, commands and the ways a crawl ends, over a small web in virtual time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from wolfspider.core import codec, events
from wolfspider.core.model import Credit, Failure, Fetch, Link, Outcome, Page, Verdict, Visit, host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Recollection, Simulation, simulate, simulated_crawl
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.engine.replay import replay
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.reinforcer import Reinforcer, Terms
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import NoParams, Strategy
from wolfspider.strategies import all_strategies
from wolfspider.strategies.breadth_first import BreadthFirst
from wolfspider.testing.sketch import Sketch, Trial, stored

SEED = Link("http://host0.test/0")


class Scripted(Strategy):
    """Proposes exactly what it is told, and remembers what it hears."""

    name = "scripted"
    script: Sequence[Sequence[tuple[str, bool]]] = ()

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.turn, self.heard, self.paid = 0, list[Outcome](), list[tuple[float, Credit]]()
        self.calls = list[float]()
        self.send = False

    def seeds(self, links: Sequence[Link]) -> None:
        pass

    def propose(self, room: Room, now: float) -> list[Visit]:
        self.calls.append(now)
        visits = []
        if self.turn < len(self.script):
            for url, fresh in self.script[self.turn]:
                if room.take(Link(url), fresh):
                    visits.append(self.visit(Link(url), fresh=fresh))
            self.turn += 1
        return visits

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        self.heard.append(outcome)
        return [outcome.visit.id] if self.send else None

    def reward(self, credit: Credit) -> None:
        self.paid.append((self.calls[-1], credit))

    def wake(self, now: float) -> float | None:
        return None if self.turn >= len(self.script) else math.inf


def scripted(*script: Sequence[tuple[str, bool]], **options: Any) -> tuple[Crawl, Scripted]:
    strategy = Scripted(Topic(("spider",)), NoParams(), generator(1), Shelf())
    strategy.script = script
    limits = options.pop("limits", Limits(50, slots=4))
    crawl = simulated_crawl(strategy, "keywords", Sketch(), limits, **options)
    crawl.begin([SEED], 0.0)
    return crawl, strategy


def page(number: int) -> str:
    return f"http://host{number % 7}.test/{number}"


def test_an_address_held_is_free_and_one_that_is_out_is_joined() -> None:
    crawl, strategy = scripted([(page(0), False), (page(0), False)], [(page(0), False)], [(page(0), True)])
    result = simulate(crawl, Sketch())
    assert [(o.cached, o.downloads) for o in strategy.heard] == [(False, 1), (True, 0), (True, 0), (False, 1)]
    assert result.downloads == 2 and result.reason == "done"
    assert strategy.heard[0].verdict == strategy.heard[2].verdict


def test_a_held_page_is_the_page_as_it_was() -> None:
    """The web changes by the hour; memory does not."""
    crawl, strategy = scripted([(page(0), False)], [(page(0), False)], [(page(0), True)])
    crawl.begin([SEED], 3599.5)
    simulate(crawl, Sketch(), start=3599.5)
    first, held, fresh = (outcome.page for outcome in strategy.heard)
    assert first and held and fresh and first.digest == held.digest == "0.0" and fresh.digest == "0.1"


def test_out_of_scope_is_turned_away_free_and_links_are_cut() -> None:
    scope = Scope(exclude=("host1.test",))
    crawl, strategy = scripted([(page(1), False), (page(0), False)], scope=scope)
    result = simulate(crawl, Sketch())
    turned = next(outcome for outcome in strategy.heard if outcome.visit.link.url == page(1))
    assert turned.result == Failure("excluded", "out of the crawl's scope") and result.downloads == 1
    seen = next(outcome.page for outcome in strategy.heard if outcome.page)
    assert seen.links and all(link.host != "host1.test" for link in seen.links)


def test_what_is_out_when_its_host_is_excluded_lands_and_is_kept() -> None:
    trial = Trial(BreadthFirst, Sketch(), commands=[(1_000_000.05, events.Exclude("host0.test"))])
    crawl = trial.run()
    first = next(landed.outcome for landed in trial.landings() if landed.outcome.visit.link == SEED)
    assert first.page and first.verdict and crawl.memory.holds(SEED.url)
    assert all(link.host != "host0.test" for link in first.page.links)


def urls(trial: Trial) -> list[str]:
    return [event.visit.link.url for event in trial.log if isinstance(event, events.Went)]


@pytest.mark.parametrize(
    "name", ["breadth-first", "depth-first", "best-first", "fish", "shark", "opic", "pagerank", "random"]
)
def test_a_crawl_whose_links_were_all_excluded_has_its_former_order_when_they_are_included(name: str) -> None:
    whole = Trial(all_strategies()[name], Sketch(), slots=1)
    whole.run()
    at = whole.landings()[40].at
    trial = Trial(all_strategies()[name], Sketch(), slots=1, commands=[(at, events.Exclude("*"))])
    crawl = trial.run()
    assert trial.result.reason == "excluded" and crawl.strategy.report()["frontier"] == 0
    crawl.command(events.Include("*"), at)
    simulate(crawl, Sketch(), room=trial.driver.room, tries=trial.tries)
    assert urls(trial) == urls(whole)


def test_links_come_back_by_an_exception_and_the_others_when_the_rule_is_taken_back() -> None:
    """Everything is excluded, then one host is an exception: only its links are followed."""
    trial = Trial(BreadthFirst, Sketch(), slots=1, pages=60, commands=[(1_000_010.0, events.Exclude("*"))])
    crawl = trial.run()
    before = len(urls(trial))
    crawl.command(events.Include("host1.test"), trial.driver.now)
    assert simulate(crawl, Sketch(), room=trial.driver.room).reason == "excluded"
    excepted = urls(trial)[before:]
    assert excepted and {host_of(url) for url in excepted} == {"host1.test"}
    crawl.command(events.Include("*"), crawl.now)
    assert simulate(crawl, Sketch(), room=trial.driver.room).reason == "budget"
    assert len({host_of(url) for url in urls(trial)[before + len(excepted) :]}) > 1


@pytest.mark.parametrize("name", all_strategies())
def test_links_that_were_set_aside_are_there_when_the_journal_is_played_again(name: str) -> None:
    """Some landings lie between the exclusion, the exception and the end of both."""
    said = [events.Exclude("*"), events.Include("host1.test"), events.Exclude("host1.test/1"), events.Include("*")]
    commands = [(1_000_008.0 + 4 * place, command) for place, command in enumerate(said)]
    trial = Trial(all_strategies()[name], Sketch(), commands=commands)
    crawl = trial.run()
    again = Trial(trial.kind, trial.world).build()
    replay(again, trial.journal, Room())
    again.now = crawl.now  # the end of the crawl is no entry of the journal
    assert stored(again) == stored(crawl)


@pytest.mark.parametrize(
    ("name", "fields"),
    [("lafc", ("aside", "shut", "spare")), ("infospiders", ("barred",)), ("energy", ()), ("foragers", ())],
)
def test_a_snapshot_of_an_earlier_version_has_no_links_set_aside(name: str, fields: tuple[str, ...]) -> None:
    trial = Trial(all_strategies()[name], Sketch(), commands=[(1_000_010.0, events.Stop())])
    crawl = trial.run()
    state = codec.load(*stored(crawl))
    for field in fields:
        del state["strategy"][field]
    if base := state["strategy"].get("base"):
        known = {field: value for field, value in base.state().items() if field not in ("aside", "shut")}
        state["strategy"]["base"] = type(base).restored(known)
    again = trial.build()
    again.shelf = again.strategy.shelf = crawl.shelf
    again.restore(state)
    again.inbox += [events.Exclude("*"), events.Include("*")]
    room = again.flights.restored_room(trial.driver.room.state())
    assert Simulation(again, Sketch(), room=room).run().reason in ("budget", "done")


def test_a_crawl_that_was_narrow_from_the_start_is_done() -> None:
    """Only what a person excluded during the crawl may come back."""
    trial = Trial(BreadthFirst, Sketch())
    crawl = trial.build()
    crawl.scope = Scope(exclude=("*",))
    crawl.begin([], 1_000_000.0)
    crawl.strategy.seeds([SEED])
    assert simulate(crawl, Sketch()).reason == "done" and crawl.strategy.excluded() == 1


def test_a_stopped_crawl_goes_on_from_what_it_stored() -> None:
    trial = Trial(BreadthFirst, Sketch(), commands=[(1_000_005.05, events.Stop())])
    crawl = trial.run()
    again = trial.build()
    again.shelf = again.strategy.shelf = crawl.shelf
    again.restore(codec.load(*codec.store(crawl.state())))
    assert trial.result.reason == "stopped" and simulate(again, Sketch()).reason == "budget"


def test_nobody_joins_free_training() -> None:
    crawl, strategy = scripted([(page(0), False), (page(0), False)], [(page(0), False)], train="free")
    plain = strategy.visit
    strategy.visit = lambda link, fresh: plain(link, agent="" if strategy.proposed else "train", fresh=fresh)  # type: ignore[method-assign, misc, assignment]
    result = simulate(crawl, Sketch())
    assert (crawl.flights.training, result.downloads) == (1, 1) and crawl.memory.holds(page(0))


def test_taking_what_is_never_used_ends_stuck() -> None:
    class Dithers(Scripted):
        def propose(self, room: Room, now: float) -> list[Visit]:
            room.take(Link(page(0)))
            room.take(Link(page(7)))
            return []

        def wake(self, now: float) -> float | None:
            return math.inf

    strategy = Dithers(Topic(("spider",)), NoParams(), generator(1), Shelf())
    crawl = simulated_crawl(strategy, "keywords", Sketch(), Limits(5))
    crawl.begin([SEED], 0.0)
    assert simulate(crawl, Sketch()).reason == "stuck"


def test_patience_ends_when_the_strategy_wants_to_be_woken() -> None:
    """A visit is out for long, a thousand free ones have been made: then once a second, as it asked."""

    class Dozes(Scripted):
        def propose(self, room: Room, now: float) -> list[Visit]:
            self.calls.append(now)
            link = Link(page(1)) if not self.proposed else SEED
            return [self.visit(link)] if room.take(link) else []

        def wake(self, now: float) -> float | None:
            return now + 1.0

    class Slow(Sketch):
        def look(self, url: str, now: float) -> Fetch:
            fetch = super().look(url, now)
            return Fetch(url, url, 200, seconds=100.0 if url == page(1) else 0.1, at=now, page=fetch.page)

    strategy = Dozes(Topic(("spider",)), NoParams(), generator(1), Shelf())
    crawl = simulated_crawl(strategy, "keywords", Slow(), Limits(9, slots=2))
    crawl.begin([SEED], 0.0)
    crawl.memory.keep(SEED.url, Slow().look(SEED.url, 0.0).page or Failure("dns"), None)
    simulate(crawl, Slow(), commands=[(60.0, events.Finish())])
    assert all(any(second <= call < second + 2 for call in strategy.calls) for second in range(4, 56))


def test_lasting_failures_are_held_and_others_asked_again() -> None:
    gone, flaky = "http://host0.test/none", page(10)  # page 10 fails by dns
    crawl, strategy = scripted([(gone, False), (flaky, False)], [(gone, False), (flaky, False)])
    simulate(crawl, Sketch())
    assert sorted((o.visit.link.url, o.downloads) for o in strategy.heard) == sorted(
        [(gone, 1), (flaky, 1), (gone, 0), (flaky, 1)]
    )


def test_credits_come_late_in_order_and_just_before_a_turn() -> None:
    script = [[(page(n), False)] for n in (0, 1, 2, 3)]
    crawl, strategy = scripted(*script, reinforcer=Reinforcer(Terms(pays="new", delay=1.0)))
    strategy.send = True
    assert simulate(crawl, Sketch()).reason == "done"
    due = [credit.at for _, credit in strategy.paid]
    assert len(due) == 4 and due == sorted(due)
    assert all(call <= credit.at for call, credit in strategy.paid)
    assert not crawl.ledger.credits, "a crawl waits for what it is owed"


def test_an_unknown_document_earns_nothing() -> None:
    crawl, strategy = scripted([(page(0), False)])
    strategy.observe = lambda outcome: [999]  # type: ignore[method-assign]
    simulate(crawl, Sketch())
    assert strategy.paid == []


def test_only_the_first_sender_earns() -> None:
    crawl, strategy = scripted([(page(0), False)], [(page(0), True)], reinforcer=Reinforcer(Terms(pays="new")))
    strategy.send = True
    simulate(crawl, Sketch())
    assert [credit.value for _, credit in strategy.paid] == [99.0, -1.0]


def test_a_retry_is_a_download_and_needs_leave() -> None:
    for budget, cost in ((5, 3), (2, 2)):
        crawl, strategy = scripted([(page(10), False)], limits=Limits(budget))
        simulate(crawl, Sketch(), tries=3)
        assert [outcome.downloads for outcome in strategy.heard] == [cost]


def test_what_was_never_asked_for_is_no_download() -> None:
    crawl, strategy = scripted([(page(0), False)], [(page(1), False)])
    result = simulate(crawl, Sketch(), allow=lambda url, now: url != page(0))
    assert [outcome.downloads for outcome in strategy.heard] == [0, 1] and result.downloads == 1
    assert strategy.heard[0].result == Failure("robots", "disallowed by robots.txt") and crawl.memory.holds(page(0))


def test_a_deadline_is_kept() -> None:
    crawl, strategy = scripted([(page(0), False)])
    strategy.visit = lambda link, fresh: Visit(0, link, deadline=0.01)  # type: ignore[method-assign, misc, assignment]
    simulate(crawl, Sketch())
    assert (
        strategy.heard[0].result == Failure("timeout", "not here within 0.01 s") and strategy.heard[0].seconds == 0.01
    )


def test_stuck_is_said() -> None:
    crawl, strategy = scripted()
    strategy.wake = lambda now: math.inf  # type: ignore[method-assign, assignment]
    assert simulate(crawl, Sketch()).reason == "stuck"


def test_waiting_too_long_is_an_end() -> None:
    wants = [(page(7), False)]
    crawl, strategy = scripted([(page(0), False)], wants, wants, limits=Limits(9, delay=7200.0, slots=2))
    result = simulate(crawl, Sketch())
    assert result.reason == "waiting" and result.downloads == 1 and strategy.turn == 2


def test_circling_is_noticed() -> None:
    class Circles(Scripted):
        def propose(self, room: Room, now: float) -> list[Visit]:
            assert room.take(SEED)
            return [self.visit(SEED)]

    strategy = Circles(Topic(("spider",)), NoParams(), generator(1), Shelf())
    crawl = simulated_crawl(strategy, "keywords", Sketch(), Limits(5))
    crawl.begin([SEED], 0.0)
    result = simulate(crawl, Sketch())
    assert result.reason == "circling" and len(strategy.heard) == 10_001


class Endless(Scripted):
    """Always has another address."""

    def propose(self, room: Room, now: float) -> list[Visit]:
        self.turn += 1
        link = Link(page(self.turn))
        return [self.visit(link)] if room.take(link) else []

    def wake(self, now: float) -> float | None:
        return math.inf


def test_visits_that_are_turned_away_without_end_end_a_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wolfspider.engine.ending.MOST_REFUSED", 20)
    strategy = Endless(Topic(("spider",)), NoParams(), generator(1), Shelf())
    crawl = simulated_crawl(strategy, "keywords", Sketch(pages=10**6), Limits(500, slots=3))
    crawl.begin([SEED], 0.0)
    few = simulate(crawl, Sketch(pages=10**6), allow=lambda url, now: strategy.turn > 60 or strategy.turn % 15 == 0)
    assert few.reason == "budget", "a download now and then, and refusals go on"
    crawl.command(events.SetLimit("pages", 1000), crawl.now)
    refused = simulate(crawl, Sketch(pages=10**6), allow=lambda url, now: False)
    assert (refused.reason, refused.downloads) == ("refused", 500) and not crawl.flights
    turned = [outcome for outcome in strategy.heard if outcome.at > few.at]
    assert len(turned) == 20 and not any(outcome.downloads for outcome in turned)


def test_a_journal_of_an_earlier_version_gives_the_count_that_it_had() -> None:
    """Domains with too many hosts were called traps then, and cost a download."""
    counts = {}
    for kind in ("trap", "crowded"):
        trial = Trial(BreadthFirst, Sketch(failure=kind))
        crawl, again = trial.run(), trial.build()
        replay(again, list(trial.journal), Room())
        counts[kind] = crawl.spent
        assert again.spent == crawl.spent and stored(again) == stored(crawl)
    assert counts == {"trap": 3, "crowded": 0}


def test_propose_is_called_once_an_instant() -> None:
    crawl, strategy = scripted(*[[(page(n), False)] for n in range(12)], limits=Limits(50, slots=3))
    simulate(crawl, Sketch())
    assert len(strategy.calls) == len(set(strategy.calls))


def commanded(*commands: tuple[float, events.Command], pages: int = 60) -> Trial:
    trial = Trial(BreadthFirst, Sketch(), pages=pages, commands=commands)
    trial.run()
    return trial


def obeyed(trial: Trial) -> list[events.Obeyed]:
    return [event for event in trial.log if isinstance(event, events.Obeyed)]


def test_a_paused_crawl_returns_and_can_go_on() -> None:
    trial = Trial(BreadthFirst, Sketch(), commands=[(1_000_005.0, events.Pause())])
    crawl = trial.run()
    assert trial.result.reason == "paused" and not crawl.flights
    crawl.command(events.Resume(), crawl.now)
    trial.commands = ()
    assert trial.simulation(crawl).run().reason == "budget"


def test_stop_leaves_what_is_out_and_it_goes_out_again() -> None:
    trial = Trial(BreadthFirst, Sketch(), commands=[(1_000_005.05, events.Stop())])
    crawl = trial.run()
    assert trial.result.reason == "stopped" and crawl.flights
    crawl.command(events.Resume(), crawl.now)
    trial.commands = ()
    assert trial.simulation(crawl).run().reason == "budget"
    ids = [landed.outcome.visit.id for landed in trial.landings()]
    assert len(ids) == len(set(ids))


def test_the_budget_can_be_moved_both_ways() -> None:
    assert commanded((1_000_001.0, events.SetLimit("pages", 20))).result.downloads <= 20
    assert commanded((1_000_004.0, events.SetLimit("pages", 90))).result.downloads == 90


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (events.SetLimit("speed", 3), "one of pages, slots, delay, hurry, max_mb, max_time, until, host_pages"),
        (events.SetLimit("slots", 0), "slots must be at least 1"),
        (events.SetLimit("delay", math.nan), "delay must be a number"),
        (events.SetParam("depht", 3), "no parameter 'depht'"),
        (events.SetTopic((), ""), "A topic needs keywords"),
        (events.Label("host9.test", True), "nothing to label"),
        (events.Exclude(" "), "A rule is a host"),
        (events.AddSeeds(("mailto:x@y.test",)), "A starting point is an http"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(command: events.Command, says: str) -> None:
    trial = commanded((1_000_004.0, command))
    assert says in obeyed(trial)[0].problem and trial.result.reason == "budget"


def test_links_that_others_found_are_followed_as_far_as_they_may_be() -> None:
    """One that is out of scope is no reason to drop the rest; a person's command is refused as a whole."""
    seeds = ("http://host9.test/x", "http://host1.test/7", "mailto:x@y.test")
    for found, heard in ((True, [["http://host1.test/7"]]), (False, [])):
        told: list[list[str]] = []

        class Hears(BreadthFirst):
            def seeds(self, links: Sequence[Link]) -> None:
                told.append([link.url for link in links])  # noqa: B023
                super().seeds(links)

        commands = [(1_000_001.0, events.Exclude("host9.test")), (1_000_004.0, events.AddSeeds(seeds, found=found))]
        trial = Trial(Hears, Sketch(), commands=commands)
        trial.run()
        assert told[1:] == heard  # after those that it began with
        assert [bool(one.problem) for one in obeyed(trial)] == [False, not found]


def test_a_label_fixes_the_verdict_and_teaches_judge_and_strategy() -> None:
    taught: list[tuple[str, bool]] = []

    class Hears(BreadthFirst):
        def judged(self, page: Page, verdict: Any) -> None:
            taught.append((page.final_url, verdict.relevant))

    trial = Trial(Hears, Sketch(), commands=[(1_000_010.0, events.Label("http://host0.test/0", True))])
    crawl = trial.run()
    held = crawl.memory.recall("http://host0.test/0")
    assert held and held.verdict and held.verdict.score == 1.0 and held.verdict.evidence == {"label": True}
    assert taught == [("http://host0.test/0", True)]
    host = Trial(Hears, Sketch(), commands=[(1_000_012.0, events.Label("host2.test", False))])
    host.run()
    assert 1 < len(taught) <= 21 and all(not good for _, good in taught[1:])


def test_a_label_given_early_counts_when_the_page_comes() -> None:
    trial = commanded((999_999.0, events.Label("http://host0.test/0", True)))
    first = next(landed.outcome for landed in trial.landings() if landed.outcome.visit.link == SEED)
    assert first.verdict and first.verdict.score == 1.0


def test_a_label_given_early_teaches_when_the_page_comes() -> None:
    taught: list[str] = []

    class Hears(BreadthFirst):
        def judged(self, page: Page, verdict: Any) -> None:
            taught.append(page.final_url)

    Trial(Hears, Sketch(), commands=[(999_999.0, events.Label("http://host0.test/0", True))]).run()
    assert taught == ["http://host0.test/0"]


class Taught:
    """A judge that only notes what it is taught."""

    def __init__(self) -> None:
        self.lessons: list[tuple[str, bool]] = []

    def score(self, page: Page) -> Verdict:
        return Verdict(0.2, False)

    def learn(self, page: Page, label: bool) -> None:
        self.lessons.append((page.final_url, label))


def test_a_label_holds_under_every_address_of_a_page_and_is_taught_once() -> None:
    script = [[(page(0), False)], [(page(1), True)], [(page(0), False)], [(page(1), False)]]
    crawl, strategy = scripted(*script)
    crawl.judge = judge = Taught()  # type: ignore[assignment]
    crawl.command(events.Label(page(0), True), 0.0)  # leads to page 1, which nobody knows yet
    simulate(crawl, Redirects())
    assert [outcome.verdict.score for outcome in strategy.heard if outcome.verdict] == [1.0] * 4
    assert judge.lessons == [(page(1), True)] and crawl.labels == {page(1): True}
    crawl.command(events.Label(page(0), False), crawl.now)
    assert judge.lessons[1:] == [(page(1), False)] and crawl.labels == {page(1): False}


def test_a_stop_in_the_journal_does_not_stop_the_replay() -> None:
    trial = Trial(BreadthFirst, Sketch(), commands=[(1_000_005.05, events.Stop())])
    trial.run()
    again, room = Trial(BreadthFirst, Sketch()).build(), Room()
    replay(again, list(trial.journal), room)
    assert Simulation(again, Sketch(), room=room).run().reason == "budget"


def test_a_page_held_under_two_addresses_is_labelled_once() -> None:
    memory = Recollection(Redirects())
    for number in (0, 7):
        memory.keep(page(number), Redirects().look(page(number), 5.0).page or Failure("dns"), None)
    assert memory.newest("host1.test", 9) == [page(1)] and memory.holds(page(0))


def test_a_new_topic_changes_the_judge() -> None:
    trial = commanded((1_000_010.0, events.SetTopic(("car",), "Cars")), pages=120)
    before, after = set[str](), set[str]()
    for landed in trial.landings():
        outcome = landed.outcome
        if outcome.page and outcome.verdict and outcome.verdict.relevant:
            (before if landed.at < 1_000_010.0 else after).add(outcome.page.words[0])
    assert before <= {"spider", "silk", "web"} and after <= {"car", "road", "wheel"} and before and after


class Sources:
    """A source of leaps that stays off the network, or does not."""

    def __init__(self, network: bool) -> None:
        self.network = network

    def look(self, url: str, now: float) -> Page | Failure:
        return Page(url, url, "results", links=(Link(page(3)),))


@pytest.mark.parametrize("network", [False, True])
def test_a_source_answers_its_own_addresses(network: bool) -> None:
    crawl, strategy = scripted([("leap:spiders", False)], sources={"leap": Sources(network)})
    result = simulate(crawl, Sketch())
    outcome = strategy.heard[0]
    assert outcome.verdict is None and outcome.page and outcome.page.links == (Link(page(3)),)
    assert result.downloads == outcome.downloads == int(network)
    assert not crawl.memory.holds("leap:spiders")


def test_what_a_source_names_is_cut_to_the_scope() -> None:
    scope = Scope(exclude=("host3.test",))
    crawl, strategy = scripted([("leap:spiders", False)], sources={"leap": Sources(True)}, scope=scope)
    simulate(crawl, Sketch())
    assert strategy.heard[0].page and strategy.heard[0].page.links == ()


def test_a_source_that_is_asked_about_a_page_is_a_host_of_its_own() -> None:
    about = Link(f"backlinks:{page(0)}")
    assert about.host == "backlinks" and Link(page(0)).host == "host0.test" and Link("leap:spiders").host == "leap"
    crawl, strategy = scripted([(page(0), False), (about.url, False)], sources={"backlinks": Sources(True)})
    result = simulate(crawl, Sketch())
    assert [outcome.visit.link.host for outcome in strategy.heard] == ["backlinks", "host0.test"], "both at once"
    assert result.downloads == 2 and not crawl.memory.holds(about.url)


def test_back_links_are_out_of_scope_where_there_is_no_service() -> None:
    crawl, strategy = scripted([(f"backlinks:{page(0)}", False)])
    result = simulate(crawl, Sketch())
    assert isinstance(strategy.heard[0].result, Failure) and strategy.heard[0].result.kind == "excluded"
    assert result.downloads == 0


def test_training_is_counted_and_held_only_if_it_is_charged() -> None:
    for train, spent in (("charged", 1), ("free", 0)):
        crawl, strategy = scripted([(page(0), False)], train=train)
        strategy.visit = lambda link, fresh: Visit(0, link, agent="train")  # type: ignore[method-assign, misc, assignment]
        simulate(crawl, Sketch())
        assert (crawl.spent, crawl.flights.training) == (spent, 1)
        assert crawl.memory.holds(page(0)) is bool(spent)


def test_politeness_holds_in_virtual_time() -> None:
    trial = Trial(BreadthFirst, Sketch(), slots=5, delay=2.0)
    trial.run()
    out: dict[str, float] = {}
    for event in trial.log:
        if isinstance(event, events.Went) and event.how == "out":
            host = event.visit.link.host
            assert event.at >= out.get(host, -math.inf) + 2.0 - 1e-6, "two visits to a host too close"
            out[host] = math.inf
        elif isinstance(event, events.Landed) and event.how == "out":
            asked = isinstance(event.outcome.result, Page) or event.outcome.result.asked
            out[event.outcome.visit.link.host] = event.at if asked else -math.inf


def test_memory_names_the_newest_pages_of_a_host() -> None:
    memory = Recollection(Sketch())
    for number in (0, 7, 14, 28):
        memory.keep(page(number), Sketch().look(page(number), 5.0).page or Failure("dns"), None)
    assert memory.newest("host0.test", 2) == [page(14), page(28)]


class Redirects(Sketch):
    def look(self, url: str, now: float) -> Fetch:
        fetch = super().look(page(1) if url == page(0) else url, now)
        return Fetch(url, fetch.final_url, fetch.status, failure=fetch.failure, seconds=1.0, at=now, page=fetch.page)


def test_a_redirect_out_of_scope_is_excluded_but_paid_for() -> None:
    crawl, strategy = scripted([(page(0), False)], scope=Scope(exclude=("host1.test",)))
    result = simulate(crawl, Redirects())
    assert isinstance(strategy.heard[0].result, Failure) and strategy.heard[0].result.kind == "excluded"
    assert result.downloads == 1


def test_a_strategy_is_told_the_budget_left() -> None:
    """After every landing, when a person moves the limit, and after a restart alike."""
    told: list[tuple[float, int]] = []

    def watch(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Landed):
            told.append((crawl.strategy.budget_left(), crawl.limits.pages - event.downloads))

    trial = Trial(BreadthFirst, Sketch(), pages=30, commands=[(1_000_005.0, events.SetLimit("pages", 40))])
    crawl = trial.run(watch)
    assert all(left == wanted for left, wanted in told) and told[-1] == (0, 0) and crawl.spent == 40
    trial = Trial(BreadthFirst, Sketch(), pages=30)
    died = trial.crash(10, "visits")
    assert trial.resumed(died).crawl.strategy.budget_left() == died.crawl.strategy.budget_left() < 30
