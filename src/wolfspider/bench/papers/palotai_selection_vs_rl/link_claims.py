"""Claims 1 and 2 of Palotai, Farkas and Lorincz: what the links of a recording are like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from wolfspider.bench.experiment import Row, Rows, Ruling
from wolfspider.bench.groups import where
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import (
    CLUSTERED,
    GATHERED,
    GATHERED_SHUFFLED,
    GRAPH,
    REWIRED,
    SHUFFLED,
)
from wolfspider.bench.rulings import all_of
from wolfspider.graphs.degrees import best_tail
from wolfspider.graphs.graph import Ints

SURELY = 1.645  # of Vuong's z: above it a power law is the better one by a one-sided p of 0.05
DECADE = 10.0  # the largest degree of a tail over its smallest, at least
TENTH = (5.0, 20.0)  # quotients that are about ten
ALMOST_SAME = (0.8, 1.25)  # quotients of mean distances; the paper's is 1.13

graphs = partial(where, study=GRAPH)

WAYS = ("into", "out_of")


def scale_free(rows: Rows, web: str) -> Ruling:
    return all_of({f"{way.replace('_', ' ')} a page": tails(rows, way, web) for way in WAYS})


def tails(rows: Rows, way: str, web: str) -> Ruling:
    """Has every web a tail of a decade or more that a power law fits significantly better than an exponential? Where
    neither fits significantly better it is undecided."""
    webs = [_tail(row[web][way]) for row in graphs(rows)]
    told = ", ".join(
        f"γ = {gamma:.2f} from k = {kmin} over a factor of {span:.0f}, z = {z:.1f}" for gamma, kmin, span, z in webs
    )
    statistic = f"Vuong's test of a power law against an exponential, webs: {len(webs)}; {told}"
    if not webs or any(span < DECADE or z < -SURELY for _, _, span, z in webs):
        return Ruling(False, statistic)
    sure = all(z > SURELY for _, _, _, z in webs)
    return Ruling(sure or None, statistic, undecided=not sure)


def _tail(degrees: Mapping[str, Sequence[int]]) -> tuple[float, int, float, float]:
    """Exponent, where the tail begins, the factor that it spans, and Vuong's z: above 1.645 a power law is better."""
    values, counts = np.array(degrees["values"], dtype=np.int64), np.array(degrees["counts"], dtype=np.int64)
    gamma, kmin, _ = best_tail(values, counts)
    values, counts = values[values >= kmin], counts[values >= kmin]
    if not values.size or not math.isfinite(gamma):
        return math.nan, kmin, 1.0, 0.0
    return gamma, kmin, float(values[-1] / kmin), _vuong(values, counts, gamma)


def _vuong(values: Ints, counts: Ints, gamma: float) -> float:
    kmin, total = values[0], counts.sum()
    low, high = (((values + half) / (kmin - 0.5)) ** (1 - gamma) for half in (-0.5, 0.5))
    excess = float((counts * (values - kmin)).sum() / total)
    if excess == 0:
        return 0.0
    exponential = (values - kmin) * math.log(excess / (1 + excess)) - math.log(1 + excess)
    gains = np.log(low - high) - exponential
    mean = float((counts * gains).sum() / total)
    spread = math.sqrt(float((counts * (gains - mean) ** 2).sum() / total))
    return math.sqrt(total) * mean / spread if spread > 0 else 0.0


def exponential(degrees: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """As many pages and links, but degrees that fall off exponentially."""
    values, counts = np.array(degrees["values"]), np.array(degrees["counts"])
    middle = float((values * counts).sum() / counts.sum())
    drawn = np.random.default_rng(0).geometric(1 / max(middle, 1.01), int(counts.sum()))
    values, counts = np.unique(drawn, return_counts=True)
    return {**degrees, "values": values.tolist(), "counts": counts.tolist()}


def no_small_world(rows: Rows) -> Ruling:
    """Of the pages that were gathered, as the paper kept and measured them, with all ends of links permuted; of the
    addresses of the recording, and of the web that foragers see rewired, it is told beside."""
    webs = graphs(rows)
    if not webs:
        return Ruling(None, sentence="There is no recording.")

    def quotients(part: str, field: str, wanted: tuple[float, float], inverse: bool = False) -> Ruling:
        pairs = {"": (GATHERED, GATHERED_SHUFFLED), "addresses": (CLUSTERED, SHUFFLED), "in time": (CLUSTERED, REWIRED)}
        found = {
            name: [_quotient(row, *(pair[::-1] if inverse else pair), part, field) for row in webs]
            for name, pair in pairs.items()
        }
        values = [[row[web][part][field] for row in webs] for web in pairs[""]]
        told = (
            f"webs: {len(webs)}; {_listed(values[0], 4)} before, {_listed(values[1], 4)} after; quotients from "
            f"{wanted[0]:g} to {wanted[1]:g} are wanted, found: {_listed(found[''])}; among addresses with all their "
            f"links: {_listed(found['addresses'])}; these rewired in time: {_listed(found['in time'])}"
        )
        return Ruling(all(wanted[0] <= value <= wanted[1] for value in found[""]), told)

    return all_of(
        {
            "clustering before to after": quotients("clustering", "all", TENTH),
            "clustering along links before to after": quotients("clustering", "along", TENTH),
            "mean distance after to before": quotients("undirected", "mean", ALMOST_SAME, inverse=True),
        }
    )


def _quotient(row: Row, above: str, below: str, part: str, field: str) -> float:
    one, other = (math.nan if (value := row[web][part][field]) is None else value for web in (above, below))
    return one / other if other else math.inf


def _listed(numbers: Sequence[float | None], digits: int = 2) -> str:
    return ", ".join("none" if number is None else f"{number:.{digits}f}" for number in numbers)
