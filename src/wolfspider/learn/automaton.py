"""Learning automata with a variable structure and a variable set of actions.

They follow Narendra and Thathachar (1989) and Thathachar and Harita (1987), as Akbari Torkestani uses them: an
automaton chooses among actions at random, and the response to its choice changes the probabilities.

    automaton = Automaton([4, 7, 9])                    # actions are numbers; all equally likely
    action = automaton.choose(rng, lambda action: action not in visited)
    automaton.respond(action, 1.0, Scheme(a=0.09), lambda action: action not in visited)

Only enabled actions are chosen and updated: their probabilities are scaled to one, updated, and scaled back, so that
the others stay as they are. The signal says how good the choice was: 1 is a reward, 0 a penalty; models with more
levels use the values between. An automaton with 50 actions takes about 560 bytes: 4 bytes for the number of each
action, 4 for its probability, and the two arrays around them.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper

Floats = NDArray[np.float64]
Enabled = Callable[[int], bool]


def everything(action: int) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Scheme:
    """How far a response moves the chances: L_R-I with b = 0, L_R-P with b = a, L_R-eP with b much smaller than a."""

    a: float = 0.09  # for a reward
    b: float = 0.0  # for a penalty
    levels: int = 2  # of the signal: 2 is the P-model, more the Q-model, 0 the S-model, where any signal counts

    def heard(self, signal: float) -> float:
        """The signal as this model hears it."""
        signal = min(1.0, max(0.0, signal))
        return signal if self.levels == 0 else round(signal * (self.levels - 1)) / (self.levels - 1)


def responded(chances: Floats, chosen: int, signal: float, scheme: Scheme) -> Floats:
    """Chances that sum to one, after a response to the chosen one of them (eq. 1 and 2, and between them)."""
    reward, penalty = scheme.a * signal, scheme.b * (1 - signal)
    others = len(chances) - 1
    if not others:
        return chances
    moved = chances * (1 - reward - penalty) + penalty / others
    moved[chosen] = chances[chosen] + reward * (1 - chances[chosen]) - penalty * chances[chosen]
    return moved


@helper
class Automaton:
    __slots__ = ("actions", "chances")

    def __init__(self, actions: Iterable[int] = ()) -> None:
        self.actions = array("I", [*actions])  # from a list: no more room than it needs
        self.chances: array[float] = array("f")
        self.forget()

    def __len__(self) -> int:
        return len(self.actions)

    def choose(self, rng: random.Random, enabled: Enabled = everything) -> int | None:
        """An enabled action by its chance (eq. 3); None if there is none."""
        places = self._enabled(enabled)
        if not places:
            return None
        chances = self._of(places)
        total = float(chances.sum())
        if total <= 0:  # all chances that are left have been driven to zero
            return self.actions[places[rng.randrange(len(places))]]
        at = int(np.searchsorted(np.cumsum(chances), rng.random() * total, side="right"))
        return self.actions[places[min(at, len(places) - 1)]]

    def respond(self, action: int, signal: float, scheme: Scheme, enabled: Enabled = everything) -> None:
        """Learn from the response to an action that was chosen among the enabled ones, itself included."""
        heard = scheme.heard(signal)
        if not scheme.a * heard and not scheme.b * (1 - heard):  # nothing moves, as after a penalty with L_R-I
            return
        chosen = self.actions.index(action)
        places = self._enabled(lambda other: other == action or enabled(other))
        chances = self._of(places)
        total = float(chances.sum())
        if total <= 0:
            return
        moved = responded(chances / total, places.index(chosen), heard, scheme) * total
        for place, chance in zip(places, moved.tolist(), strict=True):
            self.chances[place] = chance

    def add(self, action: int) -> None:
        """Add a new link: it gets an equal share, and the others keep their proportions (eq. 7)."""
        count = len(self.actions) + 1
        self.chances = array("f", [chance * (count - 1) / count for chance in self.chances])
        self.actions.append(action)
        self.chances.append(1 / count)

    def remove(self, action: int) -> None:
        """Remove a link: the others share its chance by their proportions (eq. 8)."""
        place = self.actions.index(action)
        gone = self.chances.pop(place)
        del self.actions[place]
        if 1 - gone > 1e-6:
            self.chances = array("f", [chance / (1 - gone) for chance in self.chances])
        else:
            self.chances = array("f", [1 / len(self.actions)] * len(self.actions) if self.actions else [])

    def refresh(self, actions: Iterable[int]) -> None:
        """Take over the links that the page shows now: the same as removing and adding them one by one, in one pass."""
        shown = dict.fromkeys(actions)
        kept = [place for place, action in enumerate(self.actions) if action in shown]
        known = {self.actions[place] for place in kept}
        new = [action for action in shown if action not in known]
        if not new and len(kept) == len(self.actions):
            return
        chances = [self.chances[place] for place in kept]
        whole = sum(chances)
        count = len(kept) + len(new)
        if len(kept) == len(self.actions):  # no link is gone, so there is no chance to share
            whole = 1.0
        even = 1 / max(1, count)
        old = [chance * len(kept) * even / whole for chance in chances] if whole > 1e-6 else [even] * len(kept)
        self.actions = array("I", [*(self.actions[place] for place in kept), *new])
        self.chances = array("f", [*old, *[even] * len(new)])

    def forget(self) -> None:
        """All actions are equally likely again."""
        self.chances = array("f", [1 / len(self.actions)] * len(self.actions)) if self.actions else array("f")

    def renamed(self, number: Mapping[int, int]) -> Automaton:
        """A copy with other numbers for its actions."""
        copy = Automaton(number[action] for action in self.actions)
        copy.chances = self.chances[:]
        return copy

    def chance(self, action: int) -> float:
        return self.chances[self.actions.index(action)]

    def _enabled(self, enabled: Enabled) -> list[int]:
        return [place for place, action in enumerate(self.actions) if enabled(action)]

    def _of(self, places: list[int]) -> Floats:
        return np.array([self.chances[place] for place in places], dtype=np.float64)

    def state(self) -> dict[str, Any]:
        return {"actions": self.actions, "chances": self.chances}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Automaton:
        made = cls()
        made.actions, made.chances = state["actions"], state["chances"]
        return made


@helper
class Network:
    """Automata by the number of their page, each with the threshold that a response must reach to be a reward. They are
    stored as a few long arrays, however many there are."""

    def __init__(self) -> None:
        self.automata: dict[int, Automaton] = {}
        self.thresholds: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self.automata)

    def __contains__(self, page: int) -> bool:
        return page in self.automata

    def __getitem__(self, page: int) -> Automaton:
        return self.automata[page]

    def shown(self, page: int, actions: Iterable[int]) -> Automaton:
        """The automaton of a page with these links: a new one, or the one it has, brought up to date."""
        known = self.automata.get(page)
        if known is None:
            known = self.automata[page] = Automaton(dict.fromkeys(actions))
        else:
            known.refresh(actions)
        return known

    def threshold(self, page: int) -> float:
        return self.thresholds.get(page, 0.0)

    def forget(self) -> None:
        """Undo all learning."""
        self.thresholds.clear()
        for automaton in self.automata.values():
            automaton.forget()

    def state(self) -> dict[str, Any]:
        actions, chances = array("I"), array("f")
        for automaton in self.automata.values():
            actions.extend(automaton.actions)
            chances.extend(automaton.chances)
        return {
            "pages": array("I", self.automata),
            "counts": array("I", map(len, self.automata.values())),
            "actions": actions,
            "chances": chances,
            "rewarded": array("I", self.thresholds),
            "thresholds": array("d", self.thresholds.values()),
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Network:
        made = cls()
        begin = 0
        for page, count in zip(state["pages"], state["counts"], strict=True):
            automaton = made.automata[page] = Automaton()
            automaton.actions = state["actions"][begin : begin + count]
            automaton.chances = state["chances"][begin : begin + count]
            begin += count
        made.thresholds = dict(zip(state["rewarded"], state["thresholds"], strict=True))
        return made
