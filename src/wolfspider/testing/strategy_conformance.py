"""The conformance suite for strategies: what every one of them must hold, whoever wrote it.

    for name, check in STRATEGY_CHECKS.items(): check(Kind)        # raises Violation with a sentence

A check is a function; its documentation says first what is demanded, then what to do where that is broken. It tries
the strategy on a sketch of a web (testing/sketch.py). `wolfspider conform FILE` runs the suite on a file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import FAILURES, Credit, Route, host_of
from wolfspider.core.params import parameters
from wolfspider.core.randomness import generator
from wolfspider.drivers.simulated import Simulation
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.probes import is_probe
from wolfspider.engine.replay import replay
from wolfspider.policy.browsing import TRAINING
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.reinforcer import Terms
from wolfspider.policy.strategy import Strategy
from wolfspider.testing.demands import demand
from wolfspider.testing.sketch import TOPIC, Sketch, Trial, stored, told

Kind = type[Strategy]
WHOLE_PAGES = 20  # as many agents may each look at one


def _ran(kind: Kind, world: Sketch, **options: Any) -> Trial:
    trial = Trial(kind, world, **options)
    trial.run()
    return trial


def constructor_only_stores(kind: Kind) -> None:
    """The constructor only stores what it is given.

    Draw random numbers, and put links on the shelf, in `begin`."""
    rng, shelf = generator(1), Shelf()
    kind(TOPIC, kind.Params(), rng, shelf)
    untouched = rng.getstate() == generator(1).getstate() and not len(shelf)
    demand(untouched, "the constructor draws or shelves; it may only store")


def same_seed_same_log(kind: Kind) -> None:
    """Two crawls with the same seed do exactly the same.

    Draw from `self.rng` only, use no clock and no global variable, and never let the order of a set decide: sort it,
    or use a dict."""
    demand(told(_ran(kind, Sketch()).log) == told(_ran(kind, Sketch()).log), "the same seed gave another log")


def both_drivers_give_the_same_log(kind: Kind) -> None:
    """The driver of live crawls gives the same crawl as the simulation.

    What `propose` and `observe` do may depend on their arguments and on the fields of the strategy only."""
    simulated, driven = _ran(kind, Sketch(), slots=1), Trial(kind, Sketch(), slots=1)
    driven.run_by_asyncio()
    demand(told(simulated.log) == told(driven.log), "the driver over the network gave another log than the simulation")


def ends_for_a_good_reason(kind: Kind) -> None:
    """A crawl ends because the budget is spent or no links are left.

    `wake` returns None when nothing is left to do, and `propose` starts all visits that it can."""
    for pages in (30, 5000):
        trial = _ran(kind, Sketch(), pages=pages)
        demand(trial.result.reason in ("done", "budget"), f"the crawl ended because it was {trial.result.reason}")


def budget_is_exact(kind: Kind) -> None:
    """A crawl costs exactly its budget, never a download more.

    Leave outcomes as they are: the crawl counts their downloads."""
    trial = Trial(kind, Sketch(3000), pages=100, slots=4, tries=3)
    crawl = trial.run(lambda crawl, event: demand(crawl.spent + crawl.flights.reserved <= 100, "it overspends"))
    demand(trial.result.reason != "budget" or crawl.spent == 100, f"the budget ended the crawl at {crawl.spent} of 100")
    counted = sum(landed.outcome.downloads for landed in trial.landings())
    demand(counted == crawl.spent, f"outcomes cost {counted} downloads, the crawl counted {crawl.spent}")


def every_visit_is_observed_once(kind: Kind) -> None:
    """Every visit has an id of its own, counting up, and is observed once.

    Make visits with `self.visit(link)`, which numbers them."""
    trial = _ran(kind, Sketch())
    ids = Counter(landed.outcome.visit.id for landed in trial.landings())
    went = [event.visit.id for event in trial.log if isinstance(event, events.Went)]
    demand(sorted(ids) == sorted(went) and set(ids.values()) <= {1}, "a visit landed twice or never")
    demand(went == sorted(went), "ids of visits do not count up")


def survives_every_failure(kind: Kind) -> None:
    """A web where every page fails, in each of the ways a page can fail, ends the crawl in good order.

    In `observe`, `outcome.page` is None and `outcome.verdict` is None after a failure: return early."""
    for failure in FAILURES:
        trial = _ran(kind, Sketch(failure=failure), pages=20)
        reason = trial.result.reason
        demand(reason in ("done", "budget"), f"a web where everything fails by {failure} left it {reason}")


def survives_any_reward(kind: Kind) -> None:
    """Credits may come late, more than once, or for visits that it does not know.

    In `reward`, ignore a credit whose visit or agent you do not remember."""

    def pester(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Landed):
            visit = event.outcome.visit
            for value in (100.0, -1.0, 0.0):
                crawl.strategy.reward(Credit(visit.id, visit.agent, value, "again", event.at))
            crawl.strategy.reward(Credit(10**9, "nobody", 1.0, "unknown", event.at))

    Trial(kind, Sketch()).run(pester)
    Trial(kind, Sketch(), terms=Terms(delay=1e9)).run()


def accepts_outcomes_of_the_dead(kind: Kind) -> None:
    """Outcomes come for agents that have died while their visits were in flight.

    In `observe`, look up the agent with `.get` and ignore one that is gone."""

    def ruin(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Went):
            crawl.strategy.reward(Credit(event.visit.id, event.visit.agent, -1e9, "ruin", event.at))

    trial = Trial(kind, Sketch())
    trial.run(ruin)
    demand(trial.result.reason in ("done", "budget"), f"ruined agents left the crawl {trial.result.reason}")


def goes_on_from_a_snapshot(kind: Kind) -> None:
    """A crawl that is stored, loaded and continued does what it would have done without that.

    Keep all that matters in public fields (no leading underscore), made in `begin`: these are the state it stores."""
    whole = _ran(kind, Sketch(), slots=1)
    expected = told(whole.log)
    for stop in _before_the_end(whole, 1, 25, 80):
        trial = Trial(kind, Sketch(), slots=1)
        died = trial.crash(stop, "visits")
        again = trial.resumed(died)
        demand(stored(again.crawl) == stored(died.crawl), f"state after restore differs at landing {stop}")
        again.run()
        demand(told(trial.log) == expected, f"a crawl stored after landing {stop} went on differently")


def replays_its_journal(kind: Kind) -> None:
    """From a snapshot and the journal since then comes the same state, and the crawl goes on to the same end.

    As for `same_seed_same_log` and `goes_on_from_a_snapshot`: no state outside of public fields."""
    for slots, hurry in ((1, AT_ONCE), (3, 0.0)):
        whole = _ran(kind, Sketch(), pages=500, slots=slots, hurry=hurry)
        for stop in _before_the_end(whole, 3, 40, 90):
            last = Trial(kind, Sketch(), pages=500, slots=slots, hurry=hurry)
            died = last.crash(stop, "land")
            for snapshot in (0, stop // 2):
                trial = Trial(kind, Sketch(), pages=500, slots=slots, hurry=hurry)
                _replay_from(trial, snapshot, last, died, whole)


def _before_the_end(whole: Trial, *stops: int, spare: int = 0) -> list[int]:
    """The stops that a crawl reaches before it ends, with so many landings to spare."""
    return [stop for stop in stops if stop + spare < len(whole.landings())]


def _replay_from(trial: Trial, snapshot: int, last: Trial, died: Simulation, whole: Trial) -> None:
    """Come back from an earlier snapshot by the journal of the one that died last, and go on."""
    stop = len(last.landings())
    again = trial.resumed(trial.crash(snapshot, "land"))
    replay(again.crawl, last.journal[len(trial.journal) :], again.room)
    demand(stored(again.crawl) == stored(died.crawl), f"snapshot and journal up to landing {stop} give another state")
    demand(again.room.state() == died.room.state(), f"snapshot and journal up to landing {stop} give another room")
    result = again.run()
    demand(result.reason == whole.result.reason, f"after the replay the crawl ended because it was {result.reason}")
    flights = list(died.crawl.flights.values())
    if trial.slots > 1 or any(flight.tries > 1 for flight in flights):  # a first try took time before
        return
    # What was out goes out at the same moment, so nothing at all may differ; but an answer from memory comes an instant
    # later than its fellows went out, and it may be in already. Then only the order of addresses must be the same.
    first, second = told(whole.log), told(trial.log)
    from_memory = flights and last.landings()[-1].outcome.cached
    if from_memory or any(flight.how not in (Route.OUT, Route.JOINED) for flight in flights):
        first, second = ([landed.outcome.visit.link.url for landed in one.landings()] for one in (whole, trial))
    demand(first == second, f"a crawl that died after landing {stop} went on differently")


def leaves_room_for_chance(kind: Kind) -> None:
    """A strategy with `queues` goes on well where some links of its frontier are visited by chance, and not by itself.

    Pages that come by chance are not observed: a link is answered from what the run holds when you visit it. Take none
    of that for a download, and let `frontier` hold all links that wait, or do not declare `queues`."""
    if not kind.queues:
        return
    whole = _ran(kind, Sketch(), slots=1, chance=0.2)
    probes = [event for event in whole.landings() if is_probe(event.outcome.visit)]
    demand(bool(probes) or len(whole.landings()) < 100, "no link was drawn by chance: `frontier` holds none")
    demand(len(probes) <= 0.2 * whole.driver.crawl.spent, "more links were drawn by chance than may be")
    counted = sum(landed.outcome.downloads for landed in whole.landings())
    demand(counted == whole.driver.crawl.spent <= whole.pages, f"outcomes cost {counted} downloads of {whole.pages}")
    for stop in _before_the_end(whole, 40, 90):
        last = Trial(kind, Sketch(), slots=1, chance=0.2)
        died = last.crash(stop, "land")
        for snapshot in (0, stop // 2):
            _replay_from(Trial(kind, Sketch(), slots=1, chance=0.2), snapshot, last, died, whole)


def memory_is_bounded(kind: Kind) -> None:
    """It keeps at most one entry for each link and each page that it has seen, and three more; few pages as a whole.

    Keep what belongs to a link beside it in the frontier: `push(link, score, source, extra=...)`, and `pop` gives it
    back as `item.extra`. Forget what belongs to a visit when the visit is observed. If an entry lies in two containers,
    override `keeps` to count it once. Of a page keep the few values that you need."""
    links = pages = 0

    def count(crawl: Crawl, event: events.Event) -> None:
        nonlocal links, pages
        if isinstance(event, events.Landed) and (page := event.outcome.page):
            links, pages = links + len(page.links), pages + 1
            held, most = crawl.strategy.keeps(), links + pages + 3
            demand(held <= most, f"it keeps {held} entries after {pages} pages with {links} links; {most} are allowed")

    strategy = Trial(kind, Sketch(), pages=80).run(count).strategy
    whole = _pages_in(codec.pack(strategy.state())[0])
    demand(whole <= WHOLE_PAGES, f"it keeps {whole} pages as a whole after {pages}; {WHOLE_PAGES} are allowed")


def _pages_in(tree: Any) -> int:
    """How many whole pages there are in a packed state, at any depth."""
    match tree:
        case {"~value": ["Page", _]}:
            return 1
        case dict():
            return sum(map(_pages_in, tree.values()))
        case list():
            return sum(map(_pages_in, tree))
    return 0


def frontier_keeps_its_cap(kind: Kind) -> None:
    """The frontier never holds more links than `cap`.

    Make it as `Frontier(self.shelf, self.cap)`, as `Ordered` does."""

    def watch(crawl: Crawl, event: events.Event) -> None:
        frontier = crawl.strategy.frontier
        if frontier is not None:
            demand(len(frontier) <= 1000, f"the frontier holds {len(frontier)} links, its cap is 1,000")

    Trial(kind, Sketch(100_000, links=120), pages=60, cap=1000).run(watch)


def live_parameters_move(kind: Kind) -> None:
    """A live parameter can be moved during a crawl, to every bound and choice that it declares; any other is refused.

    Read `self.params` where it is needed, adapt in `changed`, or declare the parameter with `live=False`."""
    for name, known in parameters(kind.Params).items():
        values = (known.low, known.high, *known.choices, known.default)
        for value in (value for value in values if value is not None):
            trial = _ran(kind, Sketch(), pages=60, commands=[(1_000_010.0, events.SetParam(name, value))])
            problems = [event.problem for event in trial.log if isinstance(event, events.Obeyed)]
            demand(bool(problems) and bool(problems[0]) != known.live, f"{name}={value} mid-run: {problems}")


def obeys_people(kind: Kind) -> None:
    """Every command is obeyed in the middle of a crawl: excluded hosts are not visited, new starting points are.

    Ask `room.allows(link.url)` before you propose a link that does not come from a `Frontier` or a `Group`, and put new
    starting points in `seeds` where the next `propose` finds them."""
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
    trial = _ran(kind, Sketch(), pages=1000, commands=commands)
    went = [event for event in trial.log if isinstance(event, events.Went)]
    shut = [event.at for event in went if host_of(event.visit.link.url) == "host1.test" and event.how != Route.EXCLUDED]
    demand(not any(1_000_002.0 <= at < 1_000_061.0 for at in shut), "it visits a host that a person excluded")
    demand(not any(1_000_006.0 <= event.at < 1_000_050.0 for event in went), "it starts visits while paused")
    demand(any(event.visit.link.url == new for event in went), "a starting point added mid-crawl is never visited")
    finish = Trial(kind, Sketch(), pages=200, commands=[(1_000_003.0, events.Finish())])
    demand(not finish.run().flights and finish.result.reason == "finished", "it cannot be finished")


def exclude_and_include_change_nothing(kind: Kind) -> None:
    """What a person excludes and includes again at once changes nothing.

    `bring_back` puts every link back where it was, with its score."""
    whole = _ran(kind, Sketch())
    expected = told(whole.log)
    for stop in _before_the_end(whole, 2, 25, 80):
        for rule in ("host1.test", "*"):
            at = whole.landings()[stop].at
            trial = _ran(kind, Sketch(), commands=[(at, events.Exclude(rule)), (at, events.Include(rule))])
            unsteered = [event for event in trial.log if not isinstance(event, events.Obeyed)]
            demand(told(unsteered) == expected, f"{rule} excluded and included went on differently")


def excluded_links_come_back(kind: Kind) -> None:
    """With everything excluded the crawl ends but can be resumed, and goes on once everything is included again.

    If links lie elsewhere than in a `Frontier`, `Group` or `Browsing`: keep the excluded ones, count them in `excluded`
    and let `bring_back` return them."""
    whole = _ran(kind, Sketch(), slots=1)
    for stop in _before_the_end(whole, 1, 25, 80, spare=2):
        trial = Trial(kind, Sketch(), slots=1, commands=[(whole.landings()[stop].at, events.Exclude("*"))])
        crawl = trial.run()
        demand(trial.result.reason == "excluded", f"with everything excluded the crawl was {trial.result.reason}")
        before = len(trial.landings())
        again = trial.resumed(trial.driver)
        demand(stored(again.crawl) == stored(crawl), "what was set aside is not stored")
        again.crawl.inbox.append(events.Include("*"))
        reason = again.run().reason
        demand(reason in ("done", "budget"), f"with everything included again the crawl was {reason}")
        demand(len(trial.landings()) > before, "what was excluded does not come back")


def wake_is_pure(kind: Kind) -> None:
    """`wake` changes nothing, and names a moment to come.

    Return a time after `now`, `math.inf` to wait for a host or an outcome, or None."""

    def watch(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Landed):
            before = codec.store(crawl.strategy.state())
            time = crawl.strategy.wake(event.at)
            demand(codec.store(crawl.strategy.state()) == before, "wake changes the strategy")
            demand(time is None or time > event.at, f"wake names {time}, which is not after {event.at}")

    Trial(kind, Sketch(), pages=25).run(watch)


def turns_are_fair(kind: Kind) -> None:
    """Agents that live get about as many visits each when there are fewer slots than agents.

    Let `Turns` say whose turn it is, and note a `death` with its `agent` for each agent that is gone."""
    commands = [(1_000_020.0, events.SetLimit("slots", 1))]
    trial = Trial(kind, Sketch(2000), pages=600, slots=50, delay=0.0, commands=commands)

    def end_if_alone(crawl: Crawl, event: events.Event) -> None:
        if isinstance(event, events.Obeyed) and isinstance(event.command, events.SetLimit):
            agents = {event.visit.agent for event in trial.log if isinstance(event, events.Went)}
            crawl.inbox += [events.Finish()] * (len(agents) == 1)  # an agent alone has no other to be fair to

    trial.run(end_if_alone)
    dead = {event.data.get("agent") for event in trial.log if isinstance(event, events.Noted) and event.kind == "death"}
    dead.add(TRAINING)
    visits = [(event.at < 1_000_020.0, event.visit.agent) for event in trial.log if isinstance(event, events.Went)]
    later = Counter({agent: 0 for early, agent in visits if early and agent not in dead})
    later.update(agent for early, agent in visits if not early and agent in later)
    demand(not later or max(later.values()) <= 2 * min(later.values()) + 2, f"turns are not fair: {dict(later)}")


def tells_people(kind: Kind) -> None:
    """`report` and `explain` are plain data, and the class has a `paper` and a `name` in lower case.

    Return numbers, texts, lists and dicts, and name the class like-this."""
    trial = Trial(kind, Sketch(), pages=20)
    strategy = trial.run().strategy
    pages = (landed.outcome.page for landed in trial.landings())
    url = next(link.url for page in pages if page for link in page.links)
    for words in (strategy.report(), strategy.explain(url), strategy.explain("http://nowhere.test/")):
        json.dumps(codec.plain(words))
    demand(bool(kind.paper) and kind.name == kind.name.lower().replace("_", "-"), "it has no paper or no proper name")


STRATEGY_CHECKS: dict[str, Callable[[Kind], None]] = {
    check.__name__: check
    for check in (
        constructor_only_stores,
        survives_every_failure,  # early: who trusts every outcome to be a page breaks most of the others too
        same_seed_same_log,
        both_drivers_give_the_same_log,
        ends_for_a_good_reason,
        budget_is_exact,
        every_visit_is_observed_once,
        survives_any_reward,
        accepts_outcomes_of_the_dead,
        goes_on_from_a_snapshot,
        replays_its_journal,
        leaves_room_for_chance,
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
