"""Fleets of `palotai_selection_vs_rl` in pairs: their figures, tests on pairs, and broken variants of them.

Two fleets are a pair if recording and repeat are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

import numpy as np

from wolfspider.bench.experiment import Claim, Row, Rows, Ruling
from wolfspider.bench.groups import Figure, aligned, indexed, keyed, values, where
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import CLUSTERED, ORDER, REWIRED
from wolfspider.bench.rulings import equivalent, greater
from wolfspider.bench.stats import Floats
from wolfspider.bench.variants import Variant, changed, dealt, put

MARGIN = 0.10  # relative; a smaller difference is about the same
EFFICIENCY, SENT, FOUND = "tally.download_efficiency", "tally.sent_efficiency", "tally.relative_found_url"
RELEVANT, FRESHNESS, AGE = "tally.relevant", "freshness.freshness", "freshness.age_hours"
PAIR = itemgetter("web_seed", "repeat")
STUDIES = {10: REWIRED, 11: ORDER}  # of fleets, by claim; the others have those on the recordings as they are
PLACES = {REWIRED: " on the rewired web", ORDER: " by order"}


def sides(rows: Rows, study: str, kinds: tuple[str, str], figure: Figure) -> list[Floats]:
    """The figures of two types of fleets, pair by pair."""
    by_pair = {kind: keyed(where(rows, study=study, type=kind), PAIR, figure) for kind in kinds}
    return [np.array(side, dtype=np.float64) for side in aligned(by_pair).values()]


def more(study: str, kinds: tuple[str, str], figure: Figure, unit: str = "") -> Callable[[Rows], Ruling]:
    """Is the figure of the first type higher? With a unit, told in percent."""

    def test(rows: Rows) -> Ruling:
        one, other = sides(rows, study, kinds, figure)
        return greater(((100 if unit else 1) * (one - other)).tolist()).after(unit)

    return test


def relative(rows: Rows, study: str, kinds: tuple[str, str], figure: Figure) -> Floats:
    """By how much the first type is above the second, as a share of the mean of both."""
    one, other = sides(rows, study, kinds, figure)
    middle = (one + other) / 2
    return np.divide(one - other, middle, out=np.zeros_like(one), where=middle != 0)


def same(differences: Floats) -> Ruling:
    """Are relative differences within the margin? Two one-sided t-tests at 2.5% each, which the 95% interval tells: it
    is not enough that no difference was seen."""
    return equivalent(differences.tolist(), MARGIN, form="+.1%").after("relative difference, ")


def turned(study: str, figure: str, most: str, least: str) -> Variant:
    """Of each pair one type gets the larger figure and the other the smaller one."""

    def hands(rows: Rows) -> Iterable[Sequence[Row]]:
        fleets = [row for row in where(rows, study=study) if values([row], figure)]
        pairs = aligned({kind: indexed(where(fleets, type=kind), PAIR) for kind in (most, least)})
        return zip(*pairs.values(), strict=True)

    return dealt([figure], figure, hands)


def half_as_much_again(study: str, kind: str, like: str) -> Variant:
    """The download efficiency of one type is one and a half times that of another."""

    def variant(rows: Rows) -> list[Row]:
        base = keyed(where(rows, study=study, type=like), PAIR, EFFICIENCY)
        return changed(lambda row: put(row, EFFICIENCY, 1.5 * base[PAIR(row)]), study=study, type=kind)(rows)

    return variant


def pace(rows: Rows, study: str = CLUSTERED) -> str:
    """Steps and paths of the fleets of a study, with the paper's numbers in brackets."""
    told = []
    for kind in dict.fromkeys(row["type"] for row in where(rows, study=study)):
        people = [(row, row["population"]) for row in where(rows, study=study, type=kind)]
        moved = [(row, own) for row, own in people if own["slices"] and own["moves"] and own["births"]]
        if moved:
            step = np.mean([row["downloads"] / own["moves"] for row, own in moved])
            turn = np.mean([own["moves"] / own["slices"] for _, own in moved])
            paths = np.mean([own["paths"] / len(own["births"]) for _, own in moved])
            told.append(
                f"{kind}: {step:.3g} downloads a step (1.4), {turn:.3g} steps a slice (51), {paths:.3g} paths a forager"
            )
    return f"Pace{PLACES.get(study, '')}, the paper's in brackets: {'; '.join(told)}." if told else ""


def pace_beside(claim: Claim) -> Callable[[Rows], str]:
    """The pace of the fleets that the claim is ruled on."""
    return lambda rows: pace(rows, STUDIES.get(claim.number, CLUSTERED))
