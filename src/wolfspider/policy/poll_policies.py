"""Sources that are looked at again and again for what is new, and the policies that say which is next.

A source is a page that shows new items from time to time: a front page, a section, a list. `Sources` remembers when
each was looked at and what it brought, and estimates from that how many items it has an hour. A policy gives every
source a score; the source with the highest is looked at next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.learn import change_rates, poll_rates
from wolfspider.learn.week_profile import HOUR, WeekProfile

Floats = NDArray[np.float64]
LOOKS_KEPT = 24  # of each source, for the estimate by changes
HALF_LIFE = 14 * 24.0  # hours after which an item counts half: sources change their habits
TRUST = 0.3  # items that are due from a source until which it is believed to be like the others
EXPLORED = 0.05  # of all looks go to all sources alike, where the policy plans looks: nothing is given up for good
PLANNED_EVERY = HOUR
SHORTEST, LONGEST = 1 / 60, 7 * 24.0  # hours between looks that are halved and doubled
MISSES = 5  # failures in a row after which a source rests
FIRST_REST, LONGEST_REST = HOUR, 7 * 24 * HOUR  # seconds; doubled with each failure more
FIRST_RATE = 0.1  # items an hour of a source, before anything is known of any

_COLUMNS = ("last", "looks", "items", "hours", "credit", "interval", "missed", "group")


@helper
class Sources:
    """A table with a row for each source. Times are seconds since 1970; hours are mean hours of the week's profile."""

    def __init__(self, begun: float = 0.0) -> None:
        self.begun = begun  # when the watch began
        self.urls: list[str] = []
        self.numbers: dict[str, int] = {}
        self.profile = WeekProfile()
        self.planned = -np.inf  # when looks were last shared out
        self.since = 0.0  # credits were given up to here
        self.columns: dict[str, Floats] = {name: np.empty(0) for name in _COLUMNS}
        self.plan: Floats = np.empty(0)  # looks an hour
        self.gaps: Floats = np.empty((0, LOOKS_KEPT))
        self.changed: NDArray[np.bool_] = np.empty((0, LOOKS_KEPT), dtype=bool)

    def __len__(self) -> int:
        return len(self.urls)

    def __getitem__(self, column: str) -> Floats:
        return self.columns[column][: len(self)]

    def add(self, url: str, group: int = 0) -> int:
        """The number of this source, new or known. Sources of a group are believed to be alike."""
        known = self.numbers.get(url)
        if known is not None:
            return known
        number = self.numbers[url] = len(self.urls)
        self.urls.append(url)
        if number >= len(self.gaps):
            self._grow(max(16, 2 * number))
        first = {"last": -np.inf, "credit": 1.0, "interval": np.nan, "group": float(group)}
        for name, column in self.columns.items():
            column[number] = first.get(name, 0.0)
        self.gaps[number], self.changed[number] = np.nan, False
        return number

    def _grow(self, size: int) -> None:
        for name, column in self.columns.items():
            self.columns[name] = np.concatenate((column, np.zeros(size - len(column))))
        more = size - len(self.gaps)
        self.gaps = np.concatenate((self.gaps, np.full((more, LOOKS_KEPT), np.nan)))
        self.changed = np.concatenate((self.changed, np.zeros((more, LOOKS_KEPT), dtype=bool)))

    def looked(self, number: int, now: float, window: float) -> None:
        """Somebody looks at a source; what is new there is told by `found`. At a first look, all that is not older than
        the window is new."""
        columns, last = self.columns, float(self.columns["last"][number])
        if np.isfinite(last):
            hours = max(0.0, float(self.profile.between(last, now)))
            kept = change_rates.fading((now - last) / HOUR, HALF_LIFE)
            columns["items"][number] *= kept
            columns["hours"][number] = columns["hours"][number] * kept + hours
            place = int(columns["looks"][number]) % LOOKS_KEPT
            self.gaps[number, place], self.changed[number, place] = hours, False
            self.profile.learn(last, now, 0, self._rate(number))
            columns["interval"][number] = min(2 * columns["interval"][number], LONGEST)
            columns["looks"][number] += 1
        else:
            columns["hours"][number] = window / HOUR
        columns["last"][number] = now
        columns["missed"][number] = 0

    def found(self, number: int, items: int = 1) -> None:
        """The last look at a source has brought so many items more."""
        columns = self.columns
        columns["items"][number] += items
        place = int(columns["looks"][number] - 1) % LOOKS_KEPT
        if not self.changed[number, place]:
            self.changed[number, place] = True
            columns["interval"][number] = max(columns["interval"][number] / 4, SHORTEST)  # `looked` has doubled it

    def missing(self, number: int, now: float, counts: bool = True) -> None:
        """A source could not be had. `counts`: is that its own fault?"""
        self.columns["last"][number] = now
        self.columns["missed"][number] += counts

    def wakes(self) -> Floats:
        """When each may be looked at again: one that failed several times in a row rests."""
        more = np.minimum(self["missed"] - MISSES, 20)
        rests = np.minimum(FIRST_REST * 2.0**more, LONGEST_REST)
        return np.where(more >= 0, self["last"] + rests, -np.inf)

    def wake(self, number: int) -> None:
        """It rests no more; if it fails once more, it rests again."""
        self.columns["missed"][number] = min(self.columns["missed"][number], MISSES - 1)

    def never_looked(self) -> NDArray[np.bool_]:
        return np.isneginf(self["last"])

    def _rate(self, number: int) -> float:
        """Of one source, without the others."""
        return float((self["items"][number] + TRUST) / (self["hours"][number] + TRUST / FIRST_RATE))

    def believed(self) -> tuple[Floats, Floats]:
        """Items and hours of each source, as if each had been seen until so many items were due by what is usual in its
        group. On a slow site that is long: a day without an item says little of a source there."""
        items, hours, groups = self["items"], self["hours"], self["group"].astype(np.int64)
        usual = (items.sum() + TRUST) / (hours.sum() + TRUST / FIRST_RATE)
        of_group = (np.bincount(groups, items) + TRUST) / (np.bincount(groups, hours) + TRUST / usual)
        return items + TRUST, hours + TRUST / of_group[groups]

    def rates(self) -> Floats:
        """Items an hour."""
        items, hours = self.believed()
        return np.asarray(items / hours)

    def change_rates(self) -> Floats:
        """Changes an hour, by whether there was anything new; by `rates` where there were too few looks."""
        likely = change_rates.likely_rates(self.gaps[: len(self)], self.changed[: len(self)])
        return np.where(self["looks"] >= 3, likely, self.rates())

    def waited(self, now: float) -> Floats:
        """Hours since the last look, or since the watch began: what was there before is not new."""
        return np.asarray(self.profile.between(np.maximum(self["last"], self.begun), now))

    def credits(self, now: float, budget: float, shares: Callable[[Floats, Floats, float], Floats]) -> Floats:
        """Looks that each source was promised and has not had: they are shared out anew every hour."""
        if now - self.planned >= PLANNED_EVERY or len(self.plan) != len(self):
            rates = poll_rates.known(self.change_rates())
            shared = shares(rates, np.ones(len(rates)), budget)
            even = poll_rates.even(rates, rates, budget)
            self.plan, self.planned = (1 - EXPLORED) * shared + EXPLORED * even, now
        if self.since:
            self["credit"][:] += self.plan * (now - self.since) / HOUR
        self.since = now
        return self["credit"]

    def intervals(self, budget: float) -> Floats:
        """Hours between looks, halved after a look that found something, doubled after one that did not."""
        intervals = self["interval"]
        intervals[np.isnan(intervals)] = len(self) / budget
        return intervals

    def state(self) -> dict[str, Any]:
        size = len(self)
        return {
            "begun": self.begun,
            "urls": list(self.urls),
            "profile": self.profile,
            "planned": self.planned,
            "since": self.since,
            "plan": self.plan,
            "columns": {name: column[:size] for name, column in self.columns.items()},
            "gaps": self.gaps[:size],
            "changed": self.changed[:size].astype(np.uint8),
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Sources:
        made = cls(state["begun"])
        for url in state["urls"]:
            made.add(url)
        made.profile, made.planned, made.since, made.plan = (
            state[name] for name in ("profile", "planned", "since", "plan")
        )
        for name, column in state["columns"].items():
            made[name][:] = column
        made.gaps[: len(made)], made.changed[: len(made)] = state["gaps"], state["changed"].astype(bool)
        return made


Policy = Callable[[Sources, float, float, float, int], Floats]  # sources, now, looks an hour, fades, seed -> scores


def _round_robin(sources: Sources, now: float, budget: float, fades: float, seed: int) -> Floats:
    return -sources["last"]


def _shared(shares: Callable[[Floats, Floats, float], Floats]) -> Policy:
    """Looks are planned; what was promised longest comes first, so that the looks at a source are evenly apart."""
    return lambda sources, now, budget, fades, seed: sources.credits(now, budget, shares)


def _halving(sources: Sources, now: float, budget: float, fades: float, seed: int) -> Floats:
    intervals = sources.intervals(budget)
    return np.asarray((now - sources["last"]) / HOUR - intervals)


def _index(sources: Sources, now: float, budget: float, fades: float, seed: int) -> Floats:
    return poll_rates.index(sources.rates(), sources.waited(now), fades)


def _thompson(sources: Sources, now: float, budget: float, fades: float, seed: int) -> Floats:
    return poll_rates.index(change_rates.drawn_rates(*sources.believed(), seed), sources.waited(now), fades)


POLICIES: dict[str, Policy] = {
    "round-robin": _round_robin,
    "proportional": _shared(poll_rates.proportional),
    "freshest": _shared(poll_rates.freshest),
    "newest": _shared(poll_rates.newest),
    "azar": _shared(poll_rates.most_requested),
    "lambda": _shared(poll_rates.harmonic),
    "halving": _halving,
    "index": _index,
    "thompson": _thompson,
}
