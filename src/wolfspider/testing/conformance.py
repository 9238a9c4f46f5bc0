"""The conformance suites: what every strategy and every web must keep to, whoever wrote it.

    for name, check in STRATEGY_CHECKS.items(): check(Kind)        # raises Violation with a sentence
    for name, check in WORLD_CHECKS.items(): check(world)

A strategy is tried on a sketch of a web (testing/sketch.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, make_dataclass
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.model import FAILURES, Credit, Failure, Page, Route, host_of
from wolfspider.core.params import parameters
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Nofollow
from wolfspider.drivers.simulated import Simulation
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.replay import replay
from wolfspider.graphs.graph import Graph
from wolfspider.policy.browsing import TRAINING
from wolfspider.policy.frontier import Shelf
from wolfspider.policy.reinforcer import Terms
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.testing.demands import demand
from wolfspider.testing.sketch import TOPIC, Interrupted, Sketch, Trial, stored, told
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World

Kind = type[Strategy]


# Rules for strategies


def constructor_only_stores(kind: Kind) -> None:
    rng = generator(1)
    before = rng.getstate()
    shelf = Shelf()
    kind(TOPIC, kind.Params(), rng, shelf)
    demand(rng.getstate() == before and not len(shelf), "the constructor draws or shelves; it may only store")


def same_seed_same_log(kind: Kind) -> None:
    first, second = Trial(kind, Sketch()), Trial(kind, Sketch())
    first.run()
    second.run()
    demand(told(first.log) == told(second.log), "the same seed gave another log")


def both_drivers_give_the_same_log(kind: Kind) -> None:
    """In virtual time by a heap of completions, and by asyncio on an event loop whose clock jumps."""
    simulated, driven = (Trial(kind, Sketch(), slots=1) for _ in range(2))
    simulated.run()
    driven.run_by_asyncio()
    demand(told(simulated.log) == told(driven.log), "the driver over the network gave another log than the simulation")


def ends_for_a_good_reason(kind: Kind) -> None:
    for pages in (30, 5000):
        trial = Trial(kind, Sketch(), pages=pages)
        trial.run()
        demand(trial.result.reason in ("done", "budget"), f"the crawl ended because it was {trial.result.reason}")


def budget_is_exact(kind: Kind) -> None:
    trial = Trial(kind, Sketch(3000), pages=100, slots=4, tries=3)
    crawl = trial.run(lambda crawl, event: demand(crawl.spent + crawl.reserved <= 100, "it overspends"))
    demand(trial.result.reason != "budget" or crawl.spent == 100, f"the budget ended the crawl at {crawl.spent} of 100")
    counted = sum(landed.outcome.downloads for landed in trial.landings())
    demand(counted == crawl.spent, f"outcomes cost {counted} downloads, the crawl counted {crawl.spent}")


def every_visit_is_observed_once(kind: Kind) -> None:
    trial = Trial(kind, Sketch())
    trial.run()
    ids = Counter(landed.outcome.visit.id for landed in trial.landings())
    went = [event.visit.id for event in trial.log if isinstance(event, events.Went)]
    demand(sorted(ids) == sorted(went) and set(ids.values()) <= {1}, "a visit landed twice or never")
    demand(went == sorted(went), "ids of visits do not count up")


def survives_every_failure(kind: Kind) -> None:
    for failure in FAILURES:
        trial = Trial(kind, Sketch(failure=failure), pages=20)
        trial.run()
        reason = trial.result.reason
        demand(reason in ("done", "budget"), f"a web where everything fails by {failure} left it {reason}")


def survives_any_reward(kind: Kind) -> None:
    def pester(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Landed):
            visit = event.outcome.visit
            for value in (100.0, -1.0, 0.0):
                crawl.strategy.reward(Credit(visit.id, visit.agent, value, "again", event.at))
            crawl.strategy.reward(Credit(10**9, "nobody", 1.0, "unknown", event.at))

    Trial(kind, Sketch()).run(pester)
    Trial(kind, Sketch(), terms=Terms(delay=1e9)).run()


def accepts_outcomes_of_the_dead(kind: Kind) -> None:
    """Penalties that would kill any agent, while its visits are out."""

    def ruin(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Went):
            crawl.strategy.reward(Credit(event.visit.id, event.visit.agent, -1e9, "ruin", event.at))

    trial = Trial(kind, Sketch())
    trial.run(ruin)
    demand(trial.result.reason in ("done", "budget"), f"ruined agents left the crawl {trial.result.reason}")


def goes_on_from_a_snapshot(kind: Kind) -> None:
    """Stored, loaded into a new crawl and continued: as if never stopped."""
    whole = Trial(kind, Sketch(), slots=1)
    whole.run()
    for stop in _before_the_end(whole, 1, 25, 80):
        trial = Trial(kind, Sketch(), slots=1)
        died = _crash(trial, stop, "visits")
        again = _resumed(trial, died)
        demand(stored(again.crawl) == stored(died.crawl), f"state after restore differs at landing {stop}")
        again.run()
        demand(told(trial.log) == told(whole.log), f"a crawl stored after landing {stop} went on differently")


def replays_its_journal(kind: Kind) -> None:
    """From a snapshot and the journal since then the same state comes out, and the crawl goes on to its own end."""
    for slots in (1, 3):
        whole = Trial(kind, Sketch(), pages=500, slots=slots)
        whole.run()
        for stop in _before_the_end(whole, 3, 40, 90):
            _replay_from(Trial(kind, Sketch(), pages=500, slots=slots), 0, stop, whole)
            _replay_from(Trial(kind, Sketch(), pages=500, slots=slots), stop // 2, stop, whole)


def _before_the_end(whole: Trial, *stops: int) -> list[int]:
    """Some searches are through sooner than others."""
    landings = len(whole.landings())
    return [stop for stop in stops if stop < landings]


def _replay_from(trial: Trial, snapshot: int, stop: int, whole: Trial) -> None:
    """Die after `stop` landings with a snapshot from earlier, come back by the journal, and go on."""
    died = _crash(last := Trial(trial.kind, trial.world, trial.pages, trial.slots), stop, "land")
    again = _resumed(trial, _crash(trial, snapshot, "land"))
    replay(again.crawl, last.journal[len(trial.journal) :], again.room)
    demand(stored(again.crawl) == stored(died.crawl), f"snapshot and journal up to landing {stop} give another state")
    demand(again.room.state() == died.room.state(), f"snapshot and journal up to landing {stop} give another room")
    result = again.run()
    demand(result.reason == whole.result.reason, f"after the replay the crawl ended because it was {result.reason}")
    retried = any(flight.tries > 1 for flight in died.crawl.flights.values())  # then its first try took time before
    if trial.slots > 1 or retried:
        return
    # What was out goes out at the same moment, so nothing at all may differ; but an answer from memory comes an instant
    # later than its fellows, of which some were in.
    free = any(flight.how not in (Route.OUT, Route.JOINED) for flight in died.crawl.flights.values())
    seen = _landed if free else told
    demand(seen(trial.log) == seen(whole.log), f"a crawl that died after landing {stop} went on differently")


def _landed(log: Sequence[events.Event]) -> list[str]:
    """Where a crawl was, without the times."""
    return [event.outcome.visit.link.url for event in log if isinstance(event, events.Landed)]


def _crash(trial: Trial, stop: int, before: str) -> Simulation:
    """A crawl that dies after so many landings, before the next call of `visits` or `land`."""
    crawl = trial.build()
    crawl.begin(trial.seeds(), trial.start)
    simulation = trial.simulation(crawl)
    call = getattr(crawl, before)

    def dying(*arguments: Any) -> Any:
        if len(trial.landings()) >= stop:
            raise Interrupted
        return call(*arguments)

    setattr(crawl, before, dying)
    with contextlib.suppress(Interrupted):
        simulation.run()
    return simulation


def _resumed(trial: Trial, died: Simulation) -> Simulation:
    """A new crawl from what the one that died had stored."""
    crawl = trial.build()
    crawl.shelf = crawl.strategy.shelf = died.crawl.shelf
    crawl.restore(codec.load(*stored(died.crawl)))
    out = [flight.visit.link.host for flight in crawl.flights.values() if flight.how == Route.OUT]
    room = Room.restored(codec.load(*codec.store(died.room.state())), out)
    return Simulation(crawl, trial.world, tries=trial.tries, room=room)


def memory_is_bounded(kind: Kind) -> None:
    links = pages = 0

    def count(crawl: Crawl, event: events.Event) -> None:
        nonlocal links, pages
        if isinstance(event, events.Landed) and (page := event.outcome.page):
            links, pages = links + len(page.links), pages + 1
            held = crawl.strategy.keeps()
            demand(held <= links + pages + 3, f"it keeps {held} entries after {links} links on {pages} pages")

    Trial(kind, Sketch(), pages=80).run(count)


def frontier_keeps_its_cap(kind: Kind) -> None:
    def watch(crawl: Crawl, event: events.Event) -> None:
        frontier = getattr(crawl.strategy, "frontier", None)
        if frontier is not None:
            demand(len(frontier) <= 1000, f"the frontier holds {len(frontier)} links, its cap is 1,000")

    Trial(kind, Sketch(100_000, links=120), pages=60, cap=1000).run(watch)


def live_parameters_move(kind: Kind) -> None:
    for name, known in parameters(kind.Params).items():
        for value in (known.low, known.high, *known.choices, known.default):
            if value is None:
                continue
            commands = [(1_000_010.0, events.SetParam(name, value))]
            trial = Trial(kind, Sketch(), pages=60, commands=commands)
            trial.run()
            problems = [event.problem for event in trial.log if isinstance(event, events.Obeyed)]
            demand(bool(problems) and bool(problems[0]) != known.live, f"{name}={value} mid-run: {problems}")


def obeys_people(kind: Kind) -> None:
    """Every command in the middle of a crawl; what is excluded is not visited again, new starting points are."""
    new = "http://host3.test/100000"  # no page links to it
    commands: list[tuple[float, events.Command]] = [
        (1_000_002.0, events.Exclude("host1.test")),
        (1_000_003.0, events.Label("http://host0.test/0", True)),
        (1_000_003.5, events.Label("host2.test", False)),
        (1_000_004.0, events.AddSeeds((new,))),
        (1_000_005.0, events.SetTopic(("car",), "Cars")),
        (1_000_006.0, events.Pause()),
        (1_000_050.0, events.Resume()),
        (1_000_060.0, events.SetLimit("slots", 1)),
        (1_000_061.0, events.Include("host1.test")),
    ]
    trial = Trial(kind, Sketch(), pages=1000, commands=commands)
    trial.run()
    went = [event for event in trial.log if isinstance(event, events.Went)]
    shut = [event.at for event in went if host_of(event.visit.link.url) == "host1.test" and event.how != Route.EXCLUDED]
    demand(not any(1_000_002.0 <= at < 1_000_061.0 for at in shut), "it visits a host that a person excluded")
    demand(not any(1_000_006.0 <= event.at < 1_000_050.0 for event in went), "it starts visits while paused")
    demand(any(event.visit.link.url == new for event in went), "a starting point added mid-crawl is never visited")
    finish = Trial(kind, Sketch(), pages=200, commands=[(1_000_003.0, events.Finish())])
    demand(not finish.run().flights and finish.result.reason == "finished", "it cannot be finished")


def exclude_and_include_change_nothing(kind: Kind) -> None:
    """A person excludes something and takes it back at once: the crawl goes on as if neither had come."""
    whole = Trial(kind, Sketch())
    whole.run()
    for stop in _before_the_end(whole, 2, 25, 80):
        for rule in ("host1.test", "*"):
            at = whole.landings()[stop].at
            trial = Trial(kind, Sketch(), commands=[(at, events.Exclude(rule)), (at, events.Include(rule))])
            trial.run()
            demand(_unsteered(trial) == _unsteered(whole), f"{rule} excluded and included went on differently")


def excluded_links_come_back(kind: Kind) -> None:
    """With everything excluded the crawl ends, but can be resumed; it goes on once everything is included again."""
    whole = Trial(kind, Sketch(), slots=1)
    whole.run()
    for stop in (1, 25, 80):
        if stop + 2 >= len(whole.landings()):  # there is nothing left to exclude
            break
        commands = [(whole.landings()[stop].at, events.Exclude("*"))]
        trial = Trial(kind, Sketch(), slots=1, commands=commands)
        crawl = trial.run()
        demand(trial.result.reason == "excluded", f"with everything excluded the crawl was {trial.result.reason}")
        before = len(trial.landings())
        again = _resumed(trial, trial.driver)
        demand(stored(again.crawl) == stored(crawl), "what was set aside is not stored")
        again.crawl.inbox.append(events.Include("*"))
        reason = again.run().reason
        demand(reason in ("done", "budget"), f"with everything included again the crawl was {reason}")
        demand(len(trial.landings()) > before, "what was excluded does not come back")


def _unsteered(trial: Trial) -> list[str]:
    return told([event for event in trial.log if not isinstance(event, events.Obeyed)])


def wake_is_pure(kind: Kind) -> None:
    def watch(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Landed):
            before = codec.store(crawl.strategy.state())
            time = crawl.strategy.wake(event.at)
            demand(codec.store(crawl.strategy.state()) == before, "wake changes the strategy")
            demand(time is None or time > event.at, f"wake names {time}, which is not after {event.at}")

    Trial(kind, Sketch(), pages=25).run(watch)


def turns_are_fair(kind: Kind) -> None:
    """Agents that live get about as many visits each when there are fewer slots than agents.

    A fleet notes a `death` with its `agent`; whoever had a turn while slots were plenty and is not dead must have one
    now. Training has its time and is over.
    """
    commands = [(1_000_020.0, events.SetLimit("slots", 1))]
    trial = Trial(kind, Sketch(2000), pages=600, slots=50, delay=0.0, commands=commands)
    trial.run()
    dead = {event.data.get("agent") for event in trial.log if isinstance(event, events.Noted) and event.kind == "death"}
    dead.add(TRAINING)
    visits = [(event.at < 1_000_020.0, event.visit.agent) for event in trial.log if isinstance(event, events.Went)]
    later = Counter({agent: 0 for early, agent in visits if early and agent not in dead})
    later.update(agent for early, agent in visits if not early and agent in later)
    demand(not later or max(later.values()) <= 2 * min(later.values()) + 2, f"turns are not fair: {dict(later)}")


def tells_people(kind: Kind) -> None:
    crawl = Trial(kind, Sketch(), pages=20).run()
    strategy, url = crawl.strategy, next(link.url for page in _pages(crawl) for link in page.links)
    for words in (strategy.report(), strategy.explain(url), strategy.explain("http://nowhere.test/")):
        json.dumps(codec.plain(words))
    demand(bool(kind.paper) and kind.name == kind.name.lower().replace("_", "-"), "it has no paper or no proper name")


def _pages(crawl: Crawl) -> Iterator[Page]:
    for number in range(3):
        held = crawl.memory.recall(f"http://host{number}.test/{number}")
        if held and isinstance(held.result, Page):
            yield held.result


def configured(kind: Kind, settings: Mapping[str, Any]) -> Kind:
    """The same strategy with other defaults, so that every check can be run with the settings it declares."""
    fields = [
        (known.name, known.type, field(default=settings.get(known.name, known.default), metadata=known.metadata))
        for known in dataclasses.fields(kind.Params)
    ]
    return type(kind.__name__, (kind,), {"Params": make_dataclass(kind.Params.__name__, fields)})


STRATEGY_CHECKS: dict[str, Callable[[Kind], None]] = {
    check.__name__: check
    for check in (
        constructor_only_stores,
        same_seed_same_log,
        both_drivers_give_the_same_log,
        ends_for_a_good_reason,
        budget_is_exact,
        every_visit_is_observed_once,
        survives_every_failure,
        survives_any_reward,
        accepts_outcomes_of_the_dead,
        goes_on_from_a_snapshot,
        replays_its_journal,
        memory_is_bounded,
        frontier_keeps_its_cap,
        live_parameters_move,
        obeys_people,
        exclude_and_include_change_nothing,
        excluded_links_come_back,
        wake_is_pure,
        turns_are_fair,
        tells_people,
    )
}


# Rules for webs


def looks_are_pure(world: World) -> None:
    for url in _some(world):
        demand(world.look(url, world.start) == world.look(url, world.start), f"two looks at {url} differ")


def answers_carry_their_question(world: World) -> None:
    for url in _some(world):
        fetch = world.look(url, world.start)
        about = fetch.url == url and fetch.at == world.start and fetch.seconds > 0
        demand(about, f"the answer for {url} is not about it")


def unknown_is_not_found(world: World) -> None:
    host = host_of(_some(world)[0])
    for url in (f"http://{host}/no-such-page-here-9f8e7d", "http://no-such-host.invalid/"):
        result = parse(world.look(url, world.start))
        demand(isinstance(result, Failure) and result == Failure("status", "404"), f"{url} is {result!r}, not a 404")


def schemes_answer_alike(world: World) -> None:
    for url in _some(world):
        bare = url.split("://", 1)[1]
        one, other = (parse(world.look(f"{scheme}://{bare}", world.start)) for scheme in ("http", "https"))
        same = isinstance(one, Page) and isinstance(other, Page) and one.digest == other.digest
        demand(same or one == other, f"http and https answer differently for {bare}")


def graph_is_of_pages(world: World) -> None:
    graph = world.graph(world.start)
    demand(graph.n > 0, "the graph is empty")
    for url in _some_of(graph):
        demand(world.owns(host_of(url)), f"{url} is in the graph, its host is not in the web")


def links_are_in_the_graph(world: World) -> None:
    """What a crawler sees on a page is what the bounds are computed from."""
    graph = world.graph(world.start)
    index = graph.index()
    for url in _some_of(graph):
        page = parse(world.look(url, world.start))
        if not isinstance(page, Page):
            continue
        links = Nofollow.OBEY.links(page)
        seen = {index[link.url] for link in links if link.url in index} - {index[url]}
        missing = seen - set(graph.out(index[url]).tolist())
        demand(not missing, f"{url} shows links that the graph does not have: {[graph.urls[n] for n in missing][:3]}")


def tasks_can_be_done(world: World) -> None:
    index = world.graph(world.start).index()
    for name, task in world.tasks().items():
        demand(any(seed in index for seed in task.seeds), f"no seed of topic {name} is a page of the web")
        there = sum(url in index for url in task.relevant)
        demand(there == len(task.relevant), f"{len(task.relevant) - there} relevant pages of {name} are not in the web")


def _some(world: World) -> list[str]:
    return _some_of(world.graph(world.start))


def _some_of(graph: Graph, count: int = 25) -> list[str]:
    return [graph.urls[number] for number in generator(3).sample(range(graph.n), min(count, graph.n))]


WORLD_CHECKS: dict[str, Callable[[World], None]] = {
    check.__name__: check
    for check in (
        looks_are_pure,
        answers_carry_their_question,
        unknown_is_not_found,
        schemes_answer_alike,
        graph_is_of_pages,
        links_are_in_the_graph,
        tasks_can_be_done,
    )
}
