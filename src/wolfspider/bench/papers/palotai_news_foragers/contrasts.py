"""What Palotai, Mandusitz and Lorincz say of fleets that live by other rules: claims 8 to 10, with their tests.

8   "Larger cost/reward ratio increased the foraging areas and we noted a sudden increase in extinction probability."
    The factor m multiplies the cost of a document sent, in the profit and in the score. Fleets begin with eight
    foragers, so that some can die within days. A territory is how many distinct URLs one forager visits in 150 moves.
    In a day it visits more where others have died, since one works at a time, so what it visits in a day is only
    told. (150 moves of a small fleet are over sooner, and less is new on the site meanwhile: this speaks against the
    claim, if anything.) Extinction is deaths for each forager ever born. That nothing is ruled where nobody dies was
    decided after a quick form in which nobody did.
9   "Without other elements in the list the crawler is typically trapped in this domain." Weblogs have one entry.
    A forager is trapped if it walks where it has walked: the share of a path's URLs that its last paths had, and the
    share of distinct URLs among all steps of these paths.
10  The paper only expects that where news is scarce "the division of space and expertise in searching the owned
    environments could be the winning strategy". The question as it is asked here: eight foragers begin with the
    same ten starting points. One fleet divides the space: each forager selects starting points of its own, which
    are split at a birth (WLRL). In another all keep the common list, and only learn values, each from weights of
    its own (RL, which is WLRL with its starting points kept). In the third the first weights are common too.
    Dividing wins on a site if, against both others, rewarded documents for each download are significantly more
    or their lag significantly shorter, and neither is significantly worse. It does not where one is significantly
    worse, or where neither interval has a value above zero; else it is undecided. It must win on every poor site there
    is. What it is worth where news is plenty is told beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import itemgetter

import numpy as np

from wolfspider.bench.experiment import BrokenVariant, Claim, Row, Rows, Ruling
from wolfspider.bench.groups import Figure, aligned, indexed, keyed, where
from wolfspider.bench.measure.folds import ratio
from wolfspider.bench.measure.territory import EQUAL_MOVES
from wolfspider.bench.papers.palotai_news_foragers.cells import COMMON_WEIGHTS, DIVIDING, FACTORS, LIST_KEPT
from wolfspider.bench.papers.palotai_news_foragers.claims import lag
from wolfspider.bench.rulings import FEWEST, SURE, all_of, few, greater, one_sided, p_text, page
from wolfspider.bench.stats import mean_text
from wolfspider.bench.variants import changed, put

POOR_SITES = ("poor", "recorded")
CASE = itemgetter("case")


# 8. The sweep of the cost

TERRITORY = "territory.distinct_in_equal_moves"  # of a forager; None where nobody lives for so many


def daily_territory(row: Row) -> float:
    """Distinct URLs that a forager visits in a day, however many moves it has."""
    return float(row["territory"]["distinct_a_day"] or 0.0)


def extinction(row: Row) -> float:
    """Deaths for each forager ever born."""
    return len(row["population"]["deaths"]) / len(row["population"]["births"])


def one_left(row: Row) -> float:
    """1 if one forager is left, else 0."""
    return float(row["population"]["last"] <= 1)


def sweep(rows: Rows, figure: Figure) -> list[tuple[float, ...]]:
    """A line for each case, a column for each factor; cases that have all of them."""
    columns = {factor: keyed(where(rows, kind="sweep", factor=factor), CASE, figure) for factor in FACTORS}
    return list(zip(*aligned(columns).values(), strict=True))


def costs_widen_and_kill(rows: Rows) -> Ruling:
    areas, deaths = sweep(rows, TERRITORY), sweep(rows, extinction)
    if short := few(areas, "seeds"):
        return short
    if not np.any(deaths):
        return Ruling(None, sentence="Nobody dies at any cost in the few days of this form: extinction takes longer.")
    daily, left = (np.mean(sweep(rows, figure), axis=0) for figure in (daily_territory, one_left))
    told = (
        f"With m = {str(FACTORS)[1:-1]} distinct URLs in a day, whatever the moves, "
        f"{', '.join(f'{mean:.3g}' for mean in daily)}, and fleets of one forager at the end "
        f"{', '.join(f'{share:.0%}' for share in left)}."
    )
    rise = "Page's test for a rise with the cost"
    return all_of(
        {
            f"distinct URLs in {EQUAL_MOVES} moves, {rise}": page(areas).ruling(),
            f"deaths for each birth, {rise}": page(deaths).ruling(),
        }
    ).after("", told)


def costs_narrow(row: Row) -> Row:
    deaths = [[1.0, "somebody"]] if row["factor"] == FACTORS[0] else []
    return put(put(row, TERRITORY, 20.0 - row["factor"]), "population.deaths", deaths)


# 9. Weblogs of one entry


def one_entry_traps(rows: Rows) -> Ruling:
    """Each case with one entry against the same case with a whole weblog."""
    kinds = {"cut": where(rows, kind="trapped"), "whole": where(rows, kind="sweep", factor=1)}
    found: dict[str, Ruling] = {}
    for figure, name, sign in (("returned", "returning steps", 1), ("distinct", "distinct URLs to steps", -1)):
        pairs = aligned({kind: keyed(own, CASE, f"territory.{figure}") for kind, own in kinds.items()})
        cut, whole = np.array(pairs["cut"]), np.array(pairs["whole"])
        means = f"{cut.mean():.3f} with one entry, {whole.mean():.3f} with a hundred; " if cut.size else ""
        found[name] = greater((sign * (cut - whole)).tolist()).after(means)
    return all_of(found)


# 10. Dividing the space


def harvest(row: Row) -> float:
    """Rewarded documents for a thousand downloads, after the first day, on which all that is there is new."""
    series, first = row["tally"]["series"], round(24 / row["tally"]["window_hours"])
    return ratio(1000 * sum(series["relevant"][first:]), sum(series["downloads"][first:]))


def gains(rows: Rows, site: str, other: str) -> tuple[list[float], list[float]]:
    """By how much dividing finds more for a thousand downloads, and by how many hours sooner; case by case."""
    fleets = where(rows, kind="division", site=site)
    pairs = aligned({name: indexed(where(fleets, name=name), CASE) for name in (DIVIDING, other)})
    cases = list(zip(*pairs.values(), strict=True))
    more = [harvest(one) - harvest(two) for one, two in cases]
    sooner = [lag(two) - lag(one) for one, two in cases]
    return [value for value in more if np.isfinite(value)], [value for value in sooner if np.isfinite(value)]


def against(rows: Rows, site: str, other: str) -> Ruling:
    """A win by one of the two without a loss by the other holds. A significant loss by one does not, nor do intervals
    of both without a value above zero. Else it is undecided: that no difference was seen is no tie. The one that
    decides is told first, and drawn."""
    names = ("found per 1,000 downloads", "hours sooner")
    figures = [Gain(name, values) for name, values in zip(names, gains(rows, site, other), strict=True)]
    if short := few(figures[0].values):
        return short
    enough = [gain for gain in figures if len(gain.values) >= FEWEST]
    lost = [gain for gain in enough if gain.lost]
    won = [gain for gain in enough if gain.ruling.holds]
    fails = bool(lost) or all(gain.ruling.holds is False for gain in enough)
    first = (lost or won or enough)[0]
    told = [gain.told for gain in (first, *(gain for gain in enough if gain is not first))]
    statistic = f"n = {len(first.values)}, mean gain of dividing: {'; '.join(told)}"
    holds = False if fails else True if won else None
    return Ruling(holds, statistic, undecided=holds is None, measured=first.ruling.measured)


@dataclass(frozen=True)
class Gain:
    """By how much dividing is better, case by case."""

    name: str
    values: Sequence[float]

    @property
    def ruling(self) -> Ruling:
        return greater(self.values)

    @property
    def lost(self) -> bool:
        """Is it significantly worse?"""
        return one_sided(-np.array(self.values)) < SURE

    @property
    def told(self) -> str:
        return f"{self.name} {mean_text(self.values)}, {p_text(one_sided(np.array(self.values)))}"


def dividing_wins(rows: Rows) -> Ruling:
    sites = [site for site in POOR_SITES if len(gains(rows, site, LIST_KEPT)[0]) >= FEWEST]
    if not sites:
        return Ruling(None, sentence="There are too few runs on poor sites to compare fleets.")

    others = (LIST_KEPT, COMMON_WEIGHTS)
    ruling = all_of({f"{site}, against {other}": against(rows, site, other) for site, other in product(sites, others)})
    plenty = tuple((f"rich, against {other}", against(rows, "rich", other)) for other in others)
    return replace(ruling, others=plenty, sentence="Wilcoxon's signed-rank test, one-sided.")


def dividing_loses(row: Row) -> Row:
    loses = row["name"] == DIVIDING
    own = 1 + row["case"] / 100  # no two cases are the same
    days = [{**day, "mean": own * (6.0 if loses else 2.0)} for day in row["lags"]["published"]]
    rates = [round(own * (10 if loses else 100)) for _ in row["tally"]["series"]["relevant"]]
    series = {"relevant": rates, "downloads": [10_000] * len(rates)}
    return put(put(row, "tally.series", series), "lags.published", days)


CONTRASTS = (
    Claim(
        8,
        "A larger cost/reward ratio widens the territories and raises extinction.",
        "section 4.2",
        costs_widen_and_kill,
        BrokenVariant(
            "Territories shrink as the cost rises, and foragers die only where it is lowest.",
            changed(costs_narrow, kind="sweep"),
        ),
    ),
    Claim(
        9,
        "With a weblog of one entry a forager is trapped in its territory.",
        "section 5, Fig. 6",
        one_entry_traps,
        BrokenVariant(
            "Foragers with one entry never come back to where they were.",
            changed(lambda row: {"territory": {**row["territory"], "returned": 0.0, "distinct": 1.0}}, kind="trapped"),
        ),
    ),
    Claim(
        10,
        "On a site poor in news the division of space is the winning strategy.",
        "section 5, an open question there",
        dividing_wins,
        BrokenVariant(
            "The fleet that divides finds a tenth for each download, three times as late.",
            changed(dividing_loses, kind="division"),
        ),
    ),
)
