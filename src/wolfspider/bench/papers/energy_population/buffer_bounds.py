"""Claims 4 and 5: where the buffer keeps the population; 9 is claim 4 on recorded webs.

4   Every birth and death counted, the population must never be below LB nor above UB by more than one brood. And of the
    steps (of fifty) more than half must find it at UB, which is nine tenths of it or more. The paper says so of a crawl
    whose precision rises. From relevant starts it mostly falls, so the claim is told without that premise; what it
    is with it, which it was ruled on before, stands beside it.
5   On a small web. The topic is exhausted when nine tenths of the relevant pages that are found at all are found; runs
    where that is not before three quarters of the downloads are left out. The mean population of the last tenth must be
    lower than before exhaustion, and at LB: not more than a tenth of the way from there to UB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wolfspider.bench.experiment import Row, Rows, Ruling
from wolfspider.bench.papers.energy_population.cells import BUFFER, EXHAUSTED, LB, UB
from wolfspider.bench.papers.energy_population.crawls_by_run import TENTHS, CrawlsCompared, runs_of
from wolfspider.bench.papers.energy_population.page_meter import POINTS
from wolfspider.bench.rulings import all_of, few, greater

BROOD = 30  # more agents from one page with G = 30: an energy of at most 31 makes 31 of one
AT_UB = 0.9 * UB
AT_LB = LB + 0.1 * (UB - LB)
MOST_FOUND, IN_TIME = 0.9, 0.75


def kept_within(rows: Rows, way: CrawlsCompared) -> Ruling:
    crawls = list(runs_of(rows, BUFFER, way).values())
    if short := few(crawls, "runs"):
        return short
    low, high = min(row["smallest"] for row in crawls), max(row["largest"] for row in crawls)
    bound = f"n = {len(crawls)}, from {low} to {high}; {LB} to {UB} and one brood ({BROOD}) are wanted"
    shares = [float(np.mean([alive >= AT_UB for alive in row["population"]])) for row in crawls]
    mostly = greater([share - 0.5 for share in shares]).after(f"{np.mean(shares):.2f} of all steps; that less 0.5: ")
    ruling = all_of({"within bounds": Ruling(low >= LB and high <= UB + BROOD, bound), "mostly at UB": mostly})
    return replace(ruling, others=(("counting only steps in which precision rises", while_rising(crawls, way)),))


def while_rising(crawls: Sequence[Row], way: CrawlsCompared) -> Ruling:
    """The claim with its premise. A crawl from relevant pages begins with a high precision, which then falls: few steps
    meet it."""
    steps = float(np.mean([len(rising(row, way)) for row in crawls]))
    shares = [share for row in crawls if (share := at_upper_bound(row, way)) is not None]
    if short := few(shares, "runs in which precision rises"):
        return short
    counted = f"{steps:.1f} of {POINTS - 1} steps rise in the mean, of these {np.mean(shares):.2f} at UB"
    return greater([share - 0.5 for share in shares]).after(f"{counted}; that less 0.5: ")


def rising(row: Row, way: CrawlsCompared) -> list[int]:
    """The steps in which precision so far rises."""
    precision = row[way.precision]
    return [step for step in range(1, len(precision)) if precision[step] > precision[step - 1]]


def at_upper_bound(row: Row, way: CrawlsCompared) -> float | None:
    """The share of the steps with rising precision in which the population is at UB; None where there are none."""
    steps = rising(row, way)
    return float(np.mean([row["population"][step] >= AT_UB for step in steps])) if steps else None


def exhausted_at(row: Row) -> int | None:
    """The step by which nearly all relevant pages were found that are found at all; None if that was late."""
    hits = [share * at for share, at in zip(row["truth"], row["at"], strict=True)]
    step = next(step for step, count in enumerate(hits) if count >= MOST_FOUND * hits[-1])
    return step if hits[-1] and row["at"][step] <= IN_TIME * row["downloads"] else None


def around(row: Row, step: int) -> tuple[float, float]:
    """Mean population until then, and in the last tenth of the steps."""
    population = row["population"]
    last = max(1, len(population) // TENTHS)
    return float(np.mean(population[: step + 1])), float(np.mean(population[-last:]))


def sinks(rows: Rows, way: CrawlsCompared) -> Ruling:
    crawls = runs_of(rows, BUFFER, way, EXHAUSTED).values()
    cases = [around(row, step) for row in crawls if (step := exhausted_at(row)) is not None]
    if short := few(cases, f"of {len(crawls)} runs exhaust their topic in time and"):
        return short
    before, after = zip(*cases, strict=True)
    told = f"mean population {np.mean(before):.0f} before and {np.mean(after):.0f} in the last tenth"
    ruling = all_of(
        {
            "it falls": greater([one - other for one, other in cases]),
            f"it ends below {AT_LB:.0f}": greater([AT_LB - other for other in after]),
        }
    )
    jumps, restarts = (sum(row[name] for row in crawls) for name in ("teleported", "restarted"))
    spared = f"{jumps:,} times an agent was spared, {restarts:,} of them to a new life, as no page had energy left."
    return ruling.after("", f"The {told}. {spared}")


def too_few(row: Row) -> Row:
    """Nobody is spared: half of the lower bound is left."""
    return {"population": [LB / 2] * len(row["population"]), "smallest": LB // 2}
