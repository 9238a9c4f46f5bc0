"""What Palotai, Mandusitz and Lorincz say of fleets that live by other rules: claims 8 to 10, with their tests.

8   "Larger cost/reward ratio increased the foraging areas and we noted a sudden increase in extinction probability."
    The factor m multiplies the cost of a document sent, in the profit and in the score. Fleets begin with eight
    foragers, so that some can die within days. A territory is how many distinct URLs one forager visits in 150 moves.
    In a day it visits more where others have died, since one works at a time, so what it visits in a day is only
    told. (150 moves of a small fleet are over sooner, and less is new on the site meanwhile: this speaks against the
    claim, if anything.) Extinction is deaths for each forager ever born. That nothing is ruled where nobody dies was
    decided after a quick form in which nobody did.
9   "Without other elements in the list the crawler is typically trapped in this domain." Weblogs have one entry.
    Trapped is who walks where it has walked: the share of a path's URLs that its last paths had, and the share of
    distinct URLs among all steps of these paths.
10  The paper only expects that where news is scarce "the division of space and expertise in searching the owned
    environments could be the winning strategy". The question as it is asked here: eight foragers begin with the
    same ten starting points. One fleet divides the space: each forager selects starting points of its own, which
    are split at a birth (WLRL). In another all keep the common list, and only learn values, each from weights of
    its own (RL, which is WLRL with its starting points kept). In the third the first weights are common too.
    Dividing wins on a site if, against both others, rewarded documents for each download are significantly more
    or their lag significantly shorter, and neither is significantly worse. It must win on every poor site there
    is. What it is worth where news is plenty is told beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from wolfspider.bench.experiment import Broken, Claim, Row, Rows, Ruling
from wolfspider.bench.measure.territory import EQUAL_MOVES
from wolfspider.bench.papers.palotai_news_foragers.claims import mean_text
from wolfspider.bench.rulings import FEWEST, SURE, greater, one_sided, p_text
from wolfspider.bench.stats import trend

FACTORS = (1, 4, 16, 64)
DIVIDING, KEPT, SAME = "WLRL", "RL, list kept", "RL, list kept, common weights"
POOR_SITES = ("poor", "recorded")

Figure = Callable[[Row], float]


# 8. The sweep of the cost


def territory(row: Row) -> float:
    """Distinct URLs that a forager visits in 150 moves; not a number where nobody lives for so many."""
    found = row["territory"]["distinct_in_equal_moves"]
    return math.nan if found is None else float(found)


def daily_territory(row: Row) -> float:
    """Distinct URLs that a forager visits in a day, however many moves it has."""
    return float(row["territory"]["distinct_a_day"] or 0.0)


def extinction(row: Row) -> float:
    """Deaths for each forager ever born."""
    return len(row["population"]["deaths"]) / len(row["population"]["births"])


def at_minimum(row: Row) -> bool:
    """Is one forager left?"""
    return bool(row["population"]["last"] <= 1)


def sweep(rows: Rows, figure: Figure) -> list[list[float]]:
    """A line for each case, a column for each factor; cases that have all of them."""
    known = {(row["case"], row["factor"]): figure(row) for row in rows if row["kind"] == "sweep"}
    found = {key: value for key, value in known.items() if math.isfinite(value)}
    cases = sorted({case for case, _ in found})
    return [[found[case, m] for m in FACTORS] for case in cases if all((case, m) in found for m in FACTORS)]


def costs_widen_and_kill(rows: Rows) -> Ruling:
    areas, deaths = sweep(rows, territory), sweep(rows, extinction)
    if len(areas) < FEWEST:
        return Ruling(None, sentence=f"{len(areas)} seeds are too few for a trend.")
    if not np.any(deaths):
        return Ruling(None, sentence="Nobody dies at any cost in the few days of this form: extinction takes longer.")
    told, holds = [], True
    for name, lines in ((f"distinct URLs in {EQUAL_MOVES} moves", areas), ("deaths for each birth", deaths)):
        p, means = trend(lines), np.mean(lines, axis=0)
        holds &= p < SURE and means[-1] > means[0]
        told.append(f"{name} {', '.join(f'{mean:.3g}' for mean in means)} (Page's test for a rise {p_text(p)})")
    left = np.mean(sweep(rows, lambda row: float(at_minimum(row))), axis=0)
    daily = np.mean(sweep(rows, daily_territory), axis=0)
    told.append(f"distinct URLs in a day, whatever the moves, {', '.join(f'{mean:.3g}' for mean in daily)}")
    told.append(f"fleets of one forager at the end {', '.join(f'{share:.0%}' for share in left)}")
    return Ruling(bool(holds), f"n = {len(areas)} seeds, m = {str(FACTORS)[1:-1]}: " + "; ".join(told))


def costs_narrow(rows: Rows) -> list[Row]:
    def narrowed(row: Row) -> Row:
        if row["kind"] != "sweep":
            return row
        ground = {**row["territory"], "distinct_in_equal_moves": 20.0 - row["factor"]}
        deaths = [[1.0, "somebody"]] if row["factor"] == FACTORS[0] else []
        return {**row, "territory": ground, "population": {**row["population"], "deaths": deaths}}

    return [narrowed(row) for row in rows]


# 9. Weblogs of one entry


def paired(rows: Rows, figure: str) -> list[tuple[float, float]]:
    """Of each case the forager with one entry, and the one with a whole weblog."""
    whole = {r["case"]: r["territory"][figure] for r in rows if r["kind"] == "sweep" and r["factor"] == 1}
    cut = {r["case"]: r["territory"][figure] for r in rows if r["kind"] == "trapped"}
    pairs = [(cut[case], whole[case]) for case in sorted(cut) if case in whole]
    return [(one, many) for one, many in pairs if one is not None and many is not None]


def one_entry_traps(rows: Rows) -> Ruling:
    returned, distinct = paired(rows, "returned"), paired(rows, "distinct")
    rulings = [greater([cut - whole for cut, whole in returned]), greater([whole - cut for cut, whole in distinct])]
    if any(ruling.holds is None for ruling in rulings):
        return rulings[0]
    told = []
    for name, pairs, ruling in zip(
        ("returning steps", "distinct URLs to steps"), (returned, distinct), rulings, strict=True
    ):
        cut, whole = np.mean(pairs, axis=0)
        told.append(f"{name} {cut:.3f} with one entry, {whole:.3f} with a hundred. {ruling.statistic}")
    return Ruling(all(ruling.holds for ruling in rulings), "; ".join(told))


def one_entry_roams(rows: Rows) -> list[Row]:
    free = {"returned": 0.0, "distinct": 1.0}
    return [{**r, "territory": {**r["territory"], **free}} if r["kind"] == "trapped" else r for r in rows]


# 10. Dividing the space


def harvest(row: Row) -> float:
    """Rewarded documents for a thousand downloads, after the first day, on which all that is there is new."""
    series, first = row["tally"]["series"], round(24 / row["tally"]["window_hours"])
    downloads = sum(series["downloads"][first:])
    return 1000 * sum(series["relevant"][first:]) / downloads if downloads else math.nan


def mean_lag(row: Row) -> float:
    """Hours, of what was published since the fleet began."""
    days = row["lags"]["published"]
    documents = sum(day["documents"] for day in days)
    return sum(day["mean"] * day["documents"] for day in days) / documents if documents else math.nan


def gains(rows: Rows, site: str, other: str) -> tuple[list[float], list[float]]:
    """By how much dividing finds more for a thousand downloads, and by how many hours sooner; case by case."""
    mine = {(r["case"], r["name"]): r for r in rows if r["kind"] == "division" and r["site"] == site}
    pairs = [
        (row, mine[case, other]) for (case, name), row in mine.items() if name == DIVIDING and (case, other) in mine
    ]
    more = [harvest(one) - harvest(two) for one, two in pairs]
    sooner = [mean_lag(two) - mean_lag(one) for one, two in pairs]
    return _finite(more), _finite(sooner)


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def verdict(differences: Sequence[float]) -> int:
    """1 if significantly above zero, -1 if significantly below, else 0."""
    values = np.array(differences, dtype=np.float64)
    if values.size < FEWEST:
        return 0
    return int(one_sided(values) < SURE) - int(one_sided(-values) < SURE)


def wins(rows: Rows, site: str, other: str) -> bool:
    found = [verdict(differences) for differences in gains(rows, site, other)]
    return max(found) > 0 and min(found) >= 0


def _against(rows: Rows, site: str, other: str) -> str:
    more, sooner = gains(rows, site, other)
    told = [
        f"{name} {mean_text(values)}, {p_text(one_sided(np.array(values)))}"
        for name, values in (("found per 1,000 downloads", more), ("hours sooner", sooner))
        if len(values) >= FEWEST
    ]
    return f"{site} (n = {len(more)}) against {other}: {'; '.join(told) or 'too few'}"


def dividing_wins(rows: Rows) -> Ruling:
    sites = [site for site in POOR_SITES if len(gains(rows, site, KEPT)[0]) >= FEWEST]
    if not sites:
        return Ruling(None, sentence="There are too few runs on poor sites to compare fleets.")
    others = (KEPT, SAME)
    told = [_against(rows, site, other) for site, other in product([*sites, "rich"], others)]
    holds = all(wins(rows, site, other) for site, other in product(sites, others))
    return Ruling(
        holds, "Wilcoxon's signed-rank test, one-sided, mean gain of dividing, 95% interval: " + ". ".join(told)
    )


def dividing_loses(rows: Rows) -> list[Row]:
    def worse(row: Row) -> Row:
        if row["kind"] != "division":
            return row
        loses = row["name"] == DIVIDING
        own = 1 + row["case"] / 100  # no two cases are the same
        days = [{**day, "mean": own * (6.0 if loses else 2.0)} for day in row["lags"]["published"]]
        rates = [round(own * (10 if loses else 100)) for _ in row["tally"]["series"]["relevant"]]
        tally = {**row["tally"], "series": {"relevant": rates, "downloads": [10_000] * len(rates)}}
        return {**row, "tally": tally, "lags": {**row["lags"], "published": days}}

    return [worse(row) for row in rows]


CONTRASTS = (
    Claim(
        8,
        "A larger cost/reward ratio widens the territories and raises extinction.",
        "section 4.2",
        costs_widen_and_kill,
        Broken("Territories shrink as the cost rises, and foragers die only where it is lowest.", costs_narrow),
    ),
    Claim(
        9,
        "With a weblog of one entry a forager is trapped in its territory.",
        "section 5, Fig. 6",
        one_entry_traps,
        Broken("Foragers with one entry never come back to where they were.", one_entry_roams),
    ),
    Claim(
        10,
        "On a site poor in news the division of space is the winning strategy.",
        "section 5, an open question there",
        dividing_wins,
        Broken("The fleet that divides finds a tenth for each download, three times as late.", dividing_loses),
    ),
)
