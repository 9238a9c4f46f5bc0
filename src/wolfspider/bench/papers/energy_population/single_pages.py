"""How agents fare on single pages: the test of claim 7 of `energy_population`, and the variant that must fail.

Far below R is a page with half of its relevance or less, far above one that is nearer to the most relevant so far. With
C = 1.1 at least 95 in 100 agents must die of a page far below, and more than with C = 0.5. With G = 10 and either C the
clones made at a page far above must be 8 to 12; with C = 0.5 the share of pages above R must be 1/30 to 1/15; both as
the 95% interval of the mean over runs. R is set by rank so that it is 1/21 of those so far.
"""

from __future__ import annotations

from operator import itemgetter

import numpy as np

from wolfspider.bench.experiment import Row, Rows, Ruling
from wolfspider.bench.groups import indexed, where
from wolfspider.bench.papers.energy_population.cells import DEADLY, RATES, TWENTIETH
from wolfspider.bench.papers.energy_population.crawls_by_run import runs_of
from wolfspider.bench.rulings import all_of, few, greater, within
from wolfspider.bench.variants import changed

KILLED = 0.95
CLONES, REWARDED = (8.0, 12.0), (1 / 30, 1 / 15)


def as_explained(rows: Rows) -> Ruling:
    deadly, other = (runs_of(rows, crawler, study=RATES) for crawler in (DEADLY, TWENTIETH))
    common = [run for run in deadly if run in other and deadly[run]["low_visits"] and other[run]["low_visits"]]
    both = [[own[run] for own in (deadly, other) if run in own] for run in {**deadly, **other}]
    high = [(sum(row["clones"] for row in own), sum(row["high_visits"] for row in own)) for own in both]
    clones = [made / visits for made, visits in high if visits]  # at a page far above R
    if short := few(common, "runs") or few(clones, "runs with pages far above R"):
        return short
    died = [[row["low_deaths"] / row["low_visits"] for row in (deadly[run], other[run])] for run in common]
    mean = float(np.mean([one for one, _ in died]))
    ruling = all_of(
        {
            f"killed by one page far below R, C = 1.1, at least {KILLED}": Ruling(mean >= KILLED, f"{mean:.3f}"),
            "more than with C = 0.5": greater([one - less for one, less in died]),
            "clones at a page far above R, G = 10": within(clones, CLONES),
            "pages above R, C = 0.5, G = 10": within([row["above"] for row in other.values()], REWARDED),
        }
    )
    give = float(np.mean([row["rewarded"] for row in other.values()]))
    told = f"Pages that give any energy, which begins a little below R, C = 0.5, G = 10: {give:.3f} in the mean."
    return ruling.after("", told)


def never_below(rows: Rows) -> list[Row]:
    """The crawls with R = 0 instead of those in which it moves."""
    key = itemgetter("crawler", "run")
    fixed = indexed(where(rows, study=RATES, fixed=True), key)
    return changed(lambda row: {**fixed.get(key(row), row), "fixed": False}, study=RATES)(rows)
