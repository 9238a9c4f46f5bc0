"""Every strategy keeps to the contract, and every rule of the contract can fail."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from wolfspider.core.model import Failure, Link, Outcome, Visit
from wolfspider.core.params import param
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Broken, Room
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.turns import Turns
from wolfspider.strategies import DEFAULT_STRATEGY, all_strategies
from wolfspider.strategies.breadth_first import BreadthFirst
from wolfspider.testing.demands import Violation
from wolfspider.testing.sketch import configured
from wolfspider.testing.strategy_conformance import STRATEGY_CHECKS

CASES = [(name, variant) for name, kind in all_strategies().items() for variant in range(len(kind.variants))]

# Each run of the fast tests tries the default strategy as it comes by all rules, and every strategy as it comes by
# those that take one short crawl. By the others, and with other settings, a few are tried; the slow tests try all.
LONG = {
    "both_drivers_give_the_same_log": 6,
    "ends_for_a_good_reason": 6,
    "exclude_and_include_change_nothing": 10,
    "excluded_links_come_back": 6,
    "frontier_keeps_its_cap": 6,
    "goes_on_from_a_snapshot": 8,
    "leaves_room_for_chance": 8,
    "live_parameters_move": 12,
    "obeys_people": 6,
    "replays_its_journal": 24,
    "same_seed_same_log": 6,
    "survives_any_reward": 6,
    "turns_are_fair": 6,
}


def case(name: str, variant: int, rule: str) -> Any:
    always = variant == 0 and (name == DEFAULT_STRATEGY or rule not in LONG)
    return pytest.param(name, variant, rule, marks=() if always else pytest.mark.sampled(LONG.get(rule, 5)))


@pytest.mark.parametrize(
    ("name", "variant", "rule"), [case(*strategy, rule) for strategy in CASES for rule in STRATEGY_CHECKS]
)
def test_every_strategy_conforms(name: str, variant: int, rule: str) -> None:
    kind = all_strategies()[name]
    STRATEGY_CHECKS[rule](configured(kind, kind.variants[variant]))


class Walkers(Strategy):
    """Five walkers with fair turns: what the fleets to come are made of."""

    name = "walkers"
    paper = "none; an example"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.turns, self.links, self.been, self.aside = Turns(), list(seeds), set[str](), list[Link]()
        for name in "abcde":
            self.turns.add(name)

    def seeds(self, links: Sequence[Link]) -> None:
        self.links.extend(links)

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        for name, pick in self.turns.ready(room):
            link = pick or self._choose()
            while link is not None and not room.allows(link.url):
                self.aside.append(link)
                link = self._choose()
            if link is None:
                self.turns.add(name)
                break
            if room.take(link):
                visits.append(self.visit(link, agent=name))
            else:
                self.turns.park(name, link)
        return visits

    def _choose(self) -> Link | None:
        while self.links:
            link = self.links.pop(self.rng.randrange(len(self.links)))
            if link.url not in self.been:
                self.been.add(link.url)
                return link
        return None

    def bring_back(self) -> None:
        self.been -= {link.url for link in self.aside}
        self.links, self.aside = self.aside + self.links, []

    def excluded(self) -> int:
        return len(self.aside)

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        self.turns.add(outcome.visit.agent)
        page = outcome.page
        if page is None:
            return None
        self.links.extend(link for link in page.links if link.url not in self.been)
        return [outcome.visit.id]

    def wake(self, now: float) -> float | None:
        return math.inf if self.links or self.turns.parked else None


@pytest.mark.parametrize("rule", STRATEGY_CHECKS)
def test_walkers_conform(rule: str) -> None:
    STRATEGY_CHECKS[rule](Walkers)


class Draws(BreadthFirst):
    """Draws in its constructor."""

    def __init__(self, *handed: Any) -> None:
        super().__init__(*handed)
        self.rng.random()


COUNTER = itertools.count()


class Remembers(BreadthFirst):
    """Depends on what happened before this crawl."""

    def observe(self, outcome: Outcome) -> None:
        if page := outcome.page:
            for link in page.links:
                self.frontier.push(link, float(next(COUNTER) * 2_654_435_761 % 1009))


class NeverDone(BreadthFirst):
    """Says there is something left when there is nothing."""

    def wake(self, now: float) -> float | None:
        return math.inf


class Overspends(BreadthFirst):
    """Tampers with the count."""

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        object.__setattr__(outcome, "downloads", outcome.downloads + 1)


class Restarts(BreadthFirst):
    """Numbers its visits downwards."""

    def visit(self, *given: Any, **named: Any) -> Visit:
        visit = super().visit(*given, **named)
        return Visit(10**6 - visit.id, visit.link)


class Trusts(BreadthFirst):
    """Takes every result for a page."""

    def observe(self, outcome: Outcome) -> None:
        if isinstance(outcome.result, Failure) and outcome.result.kind == "tls":
            raise KeyError(outcome.result.kind)
        super().observe(outcome)


class Expects(BreadthFirst):
    """Wants every credit to be for a visit it remembers."""

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.mine: set[int] = set()
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> None:
        self.mine.add(outcome.visit.id)
        super().observe(outcome)

    def reward(self, credit: Any) -> None:
        self.mine.remove(credit.visit)


class Mourns(Walkers):
    """Wants the agent of every outcome to be alive."""

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        super().begin(seeds, now)
        self.alive = set("abcde")

    def reward(self, credit: Any) -> None:
        if credit.value < -1000:
            self.alive.discard(credit.agent)

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        self.alive.remove(outcome.visit.agent)
        self.alive.add(outcome.visit.agent)
        return super().observe(outcome)


class Forgets(BreadthFirst):
    """Keeps a field that is not part of its state."""

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self._order = 0.0
        super().begin(seeds, now)

    def restore(self, state: Mapping[str, Any]) -> None:
        self._order = 0.0
        super().restore(state)

    def observe(self, outcome: Outcome) -> None:
        self._order += 1.0
        if page := outcome.page:
            for link in page.links:
                self.frontier.push(link, self._order)


class Peeks(BreadthFirst):
    """Lets a global counter into its order."""

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = super().propose(room, now)
        return visits if next(COUNTER) % 3 else visits[:-1]


class Hoards(BreadthFirst):
    """Keeps every word it reads."""

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.words: list[str] = []
        super().begin(seeds, now)

    def observe(self, outcome: Outcome) -> None:
        super().observe(outcome)
        self.words += outcome.page.words if outcome.page else ()


class Uncapped(BreadthFirst):
    """Has a frontier without a cap."""

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.cap = 10**6
        super().begin(seeds, now)


@dataclass
class StiffParams:
    width: int = param(1, "Should move, does not.", low=1, high=5)


class Stiff(BreadthFirst):
    """Breaks when a live parameter moves."""

    Params = StiffParams

    def changed(self, name: str, old: Any) -> None:
        raise RuntimeError("not now")


class Stubborn(BreadthFirst):
    """Ignores new starting points."""

    def seeds(self, links: Sequence[Link]) -> None:
        if not self.proposed:
            super().seeds(links)


class Shuffles(BreadthFirst):
    """Puts what was excluded anywhere when it comes back."""

    def bring_back(self) -> None:
        self.frontier.rescore(lambda item: self.rng.random())


class Discards(BreadthFirst):
    """Never gives back what was excluded."""

    def bring_back(self) -> None:
        pass


class Restless(BreadthFirst):
    """Changes in its sleep."""

    def wake(self, now: float) -> float | None:
        self.proposed += 1
        return super().wake(now)


class Greedy(Walkers):
    """Walks its agents in the same order every time, so that the first takes every slot."""

    def propose(self, room: Room, now: float) -> list[Visit]:
        self.turns.queue = type(self.turns.queue)(sorted(self.turns.queue))
        return super().propose(room, now)


class Hides(BreadthFirst):
    """Says that chance may draw, and shows it an empty queue."""

    @property
    def drawn_from(self) -> Frontier | None:
        return Frontier(self.shelf)


class Mumbles(BreadthFirst):
    """Reports what no one can read."""

    def report(self) -> dict[str, Any]:
        return {"shelf": Shelf()}


OWN_ERRORS: dict[str, Any] = {  # where the strategy itself throws, and not the rule
    "survives_every_failure": KeyError,
    "survives_any_reward": KeyError,
    "accepts_outcomes_of_the_dead": KeyError,
    "replays_its_journal": (Violation, Broken),
    "live_parameters_move": RuntimeError,
    "tells_people": TypeError,
}
BROKEN: dict[str, type[Strategy]] = {
    "accepts_outcomes_of_the_dead": Mourns,
    "constructor_only_stores": Draws,
    "same_seed_same_log": Remembers,
    "both_drivers_give_the_same_log": Remembers,
    "ends_for_a_good_reason": NeverDone,
    "budget_is_exact": Overspends,
    "every_visit_is_observed_once": Restarts,
    "survives_every_failure": Trusts,
    "survives_any_reward": Expects,
    "goes_on_from_a_snapshot": Forgets,
    "replays_its_journal": Peeks,
    "leaves_room_for_chance": Hides,
    "memory_is_bounded": Hoards,
    "frontier_keeps_its_cap": Uncapped,
    "live_parameters_move": Stiff,
    "obeys_people": Stubborn,
    "exclude_and_include_change_nothing": Shuffles,
    "excluded_links_come_back": Discards,
    "wake_is_pure": Restless,
    "turns_are_fair": Greedy,
    "tells_people": Mumbles,
}


def test_there_is_a_broken_strategy_for_every_rule() -> None:
    assert set(BROKEN) == set(STRATEGY_CHECKS)


@pytest.mark.parametrize("rule", STRATEGY_CHECKS)
def test_every_rule_can_fail(rule: str) -> None:
    with pytest.raises(OWN_ERRORS.get(rule, Violation)):
        STRATEGY_CHECKS[rule](BROKEN[rule])


LOG = """
import hashlib
from wolfspider.testing.sketch import Sketch, Trial, told
from wolfspider.strategies import DEFAULT_STRATEGY, all_strategies
for name, kind in all_strategies().items():
    trial = Trial(kind, Sketch())
    trial.run()
    print(name, hashlib.sha256("".join(told(trial.log)).encode()).hexdigest())
"""


def test_logs_do_not_depend_on_the_order_of_sets() -> None:
    """Python hashes strings anew in every process; an order that leans on that is no order."""
    logs = [
        subprocess.run(
            [sys.executable, "-c", LOG], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert logs[0] == logs[1]
    assert logs[0].count(b"\n") == len(all_strategies())


def test_a_visit_without_its_take_is_an_error() -> None:
    class Barges(BreadthFirst):
        def propose(self, room: Room, now: float) -> list[Visit]:
            visits = super().propose(room, now)
            return [*visits, self.visit(Link("http://host5.test/5"))] if visits else []

    with pytest.raises(Exception, match="without taking room"):
        STRATEGY_CHECKS["same_seed_same_log"](Barges)
