"""The claims about best-first and breadth-first search, with the tests that rule on them and the variants that must
fail."""

from __future__ import annotations

from itertools import product
from operator import itemgetter

import numpy as np

from wolfspider.bench.experiment import BrokenVariant, Claim, Row, Rows, Ruling
from wolfspider.bench.groups import aligned, indexed, where
from wolfspider.bench.papers.best_first_against_breadth_first.cells import BEST, BREADTH, EASY, HARD, KINDS
from wolfspider.bench.rulings import greater
from wolfspider.bench.stats import Floats
from wolfspider.bench.variants import changed

WORK = itemgetter("web_seed", "place")  # crawls are paired by web and topic
SIDES = tuple(product(KINDS, (BEST, BREADTH)))


def ratios(rows: Rows) -> dict[tuple[str, str], Floats]:
    """The auc_ratio by kind of web and crawler, on each topic that there are all four crawls of."""
    sides = {side: where(rows, kind=side[0], strategy=side[1]) for side in SIDES}
    paired = aligned({side: indexed(own, WORK) for side, own in sides.items()})
    return {side: np.array([row["auc_ratio"] for row in own]) for side, own in paired.items()}


def advantages(rows: Rows) -> dict[str, Floats]:
    """By kind of web: how much the auc_ratio of best-first is above that of breadth-first, on each topic."""
    found = ratios(rows)
    return {kind: found[kind, BEST] - found[kind, BREADTH] for kind in KINDS}


def finds_more(rows: Rows) -> Ruling:
    """An easy web and its hard twin are hardly two cases: their mean is one."""
    easy, hard = advantages(rows).values()
    return greater(((easy + hard) / 2).tolist())


def less_on_hard_webs(rows: Rows) -> Ruling:
    easy, hard = advantages(rows).values()
    return greater((easy - hard).tolist())


def tunnelling(rows: Rows) -> list[Row]:
    """Breadth-first does on hard webs what it does on easy ones; best-first is above it there by twice as much."""
    best, breadth = (indexed(where(rows, kind=EASY, strategy=name), WORK) for name in (BEST, BREADTH))

    def ratio(row: Row) -> Row:
        base = breadth[WORK(row)]["auc_ratio"]
        gain = abs(best[WORK(row)]["auc_ratio"] - base)
        return {"auc_ratio": base + (2 * gain if row["strategy"] == BEST else 0)}

    return changed(ratio, kind=HARD)(rows)


OTHER = {BEST: BREADTH, BREADTH: BEST}
CLAIMS = (
    Claim(
        1,
        "For the same downloads best-first search finds more relevant pages than breadth-first search.",
        "Cho, Garcia-Molina and Page 1998; Menczer, Pant and Srinivasan 2004",
        finds_more,
        BrokenVariant(
            "The names of the two crawlers are swapped.",
            changed(lambda row: {"strategy": OTHER[row["strategy"]]}),
        ),
    ),
    Claim(
        2,
        "Its advantage is smaller where the communities of a topic are not linked to each other.",
        "our own; a search that is led by relevant pages must lose what only others lead to",
        less_on_hard_webs,
        BrokenVariant("On hard webs best-first is given twice its advantage on easy ones.", tunnelling),
    ),
)
