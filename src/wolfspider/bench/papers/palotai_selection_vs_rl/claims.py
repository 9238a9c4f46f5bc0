"""The claims of Palotai, Farkas and Lorincz, with the tests that rule on them and the variants that must fail.

A broken variant is false whatever the rows say: it gives the larger figure of each pair to the fleet that should have
the smaller one, or puts in a figure that cannot be true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import itemgetter

import numpy as np

from wolfspider.bench.experiment import BrokenVariant, Claim, Estimate, Row, Rows, Ruling
from wolfspider.bench.foraging_claims import calibration
from wolfspider.bench.groups import Figure, grouped, values, where
from wolfspider.bench.measure.foraging import shares
from wolfspider.bench.measure.rhythm import deviation, peaks
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import (
    BOTH,
    CLUSTERED,
    GATHERED,
    GRAPH,
    ORDER,
    ORDERS,
    REWIRED,
    RL,
    WL,
)
from wolfspider.bench.papers.palotai_selection_vs_rl.fleet_pairs import (
    AGE,
    EFFICIENCY,
    FOUND,
    FRESHNESS,
    MARGIN,
    RELEVANT,
    SENT,
    half_as_much_again,
    more,
    relative,
    same,
    turned,
)
from wolfspider.bench.papers.palotai_selection_vs_rl.link_claims import (
    WAYS,
    exponential,
    graphs,
    no_small_world,
    scale_free,
)
from wolfspider.bench.rulings import FEWEST, all_of, answer, beside, few, greater
from wolfspider.bench.stats import paired
from wolfspider.bench.variants import chained, changed, put

FIRST_DAY = 24.0  # hours, in which the news of the day before is found as well


def of_each(rule: Callable[[Rows, str], Ruling]) -> Callable[[Rows], Ruling]:
    """A test that rules on each type of fleet."""
    return lambda rows: all_of({kind: rule(rows, kind) for kind in (WL, RL)})


# 3, 10 and 11: about the same, and better


def about_the_same(rows: Rows) -> Ruling:
    return same(relative(rows, CLUSTERED, (WL, RL), EFFICIENCY))


def reinforcement_wins(rows: Rows) -> Ruling:
    """Rules on the efficiency; the number of documents is told as well."""
    gains = relative(rows, REWIRED, (RL, WL), EFFICIENCY)
    ruling = greater((100 * gains).tolist()).after("download efficiency in percent, ")
    documents = relative(rows, REWIRED, (RL, WL), RELEVANT)
    return ruling.after("", f"Documents rewarded: {documents.mean():+.1%} on average." if documents.size else "")


def orders_are_alike(rows: Rows) -> Ruling:
    first, *others = ORDERS
    return all_of({f"{order} to {first}": same(relative(rows, ORDER, (order, first), EFFICIENCY)) for order in others})


def both_win(rows: Rows) -> Ruling:
    """On the same recordings, pair by pair, against each."""
    return all_of(
        {
            f"above {kind}": greater((100 * relative(rows, CLUSTERED, (BOTH, kind), EFFICIENCY)).tolist()).after(
                "in percent, "
            )
            for kind in (WL, RL)
        }
    )


# 6: freshness


def is_up_to_date(rows: Rows) -> Ruling:
    return all_of(
        {
            "freshness of WL above that of RL": more(CLUSTERED, (WL, RL), FRESHNESS)(rows),
            "age of RL above that of WL, h": more(CLUSTERED, (RL, WL), AGE)(rows),
        }
    )


# 7: peaks


def curve(row: Row) -> list[float]:
    """Rewarded documents to downloads in each window; without the last, which is hardly begun."""
    series = row["tally"]["series"]
    return shares(series["relevant"], series["downloads"])[:-1]


def has_peaks(rows: Rows) -> Ruling:
    fleets = [row for kind in (WL, RL) for row in where(rows, study=CLUSTERED, type=kind)]
    least = deviation(map(curve, fleets))

    def peak(field: str, row: Row) -> float:
        """A curve without peaks has no height and no sharpness: 0."""
        value = float(getattr(peaks(curve(row), least, row["tally"]["window_hours"] * 3600), field))
        return value if math.isfinite(value) else 0.0

    words = {"count": "more", "height": "higher", "sharpness": "sharper"}
    return all_of({word: more(CLUSTERED, (RL, WL), partial(peak, field))(rows) for field, word in words.items()})


def earning(row: Row, relevant: Sequence[float]) -> Row:
    return put(row, "tally.series.relevant", relevant)


# 8: first weights


def pooled(rows: Rows, figure: Figure, relatively: bool = False) -> tuple[float, int]:
    """How runs on the same web differ: the squares of their differences from the mean of their web, or from 1 as shares
    of that mean, summed, and the degrees of freedom."""
    webs = [np.array(values(own, figure)) for own in grouped(rows, itemgetter("web_seed")).values()]
    squares = [((web / web.mean() - 1) ** 2 if relatively else (web - web.mean()) ** 2) for web in webs if web.size]
    return sum(float(square.sum()) for square in squares), sum(square.size - 1 for square in squares)


def steady(rows: Rows, kind: str) -> Ruling:
    """Runs on the same web differ in nothing but their chance. Is the upper 95% bound of their coefficient of variation
    below the margin of what is about the same?"""
    from scipy.stats import chi2

    squares, freedom = pooled(where(rows, study=CLUSTERED, type=kind), EFFICIENCY, relatively=True)
    if freedom < 2:
        return Ruling(None, sentence="Fewer than three runs on the same web do not tell what their weights change.")
    variation = math.sqrt(squares / freedom)
    low, bound = (math.sqrt(squares / float(chi2.ppf(tail, freedom))) for tail in (0.95, 0.05))
    apart = float(np.abs(relative(rows, CLUSTERED, (WL, RL), EFFICIENCY)).mean())
    statistic = (
        f"coefficient of variation of the download efficiency on the same web {variation:.1%} with {freedom} degrees "
        f"of freedom, upper 95% bound {bound:.1%}, which must be under {MARGIN:.0%}; WL and RL differ by {apart:.1%}"
    )
    return answer(bound < MARGIN, Estimate(variation, low, bound, (-math.inf, MARGIN)), statistic)


# 9: growth


def keeps_up(rows: Rows, kind: str) -> Ruling:
    """Non-inferiority: the 95% interval (Student's t) of the change over runs must lie above a fall by `MARGIN`."""
    news = {row["web_seed"]: row["published"] for row in graphs(rows)}
    changes = values(where(rows, study=CLUSTERED, type=kind), lambda row: change(row, news.get(row["web_seed"], [])))
    if short := few(changes, f"fleets of {kind} that grow"):
        return short
    mean, low, high, _, _ = paired(changes)
    statistic = (
        f"change of the efficiency from the first size to the last, by regression on size and articles published: "
        f"n = {len(changes)}, mean {mean:+.1%}, 95% interval {low:+.1%} to {high:+.1%}, whose lower end must "
        f"be above {-MARGIN:.0%}"
    )
    return answer(low > -MARGIN, Estimate(mean, low, high, (-MARGIN, math.inf)), statistic)


def change(row: Row, news: Sequence[float]) -> float:
    """Of the download efficiency as the fleet grows from its first size to its last, as a share of the mean of both.

    By least squares, window by window, on the size of the fleet and on how many articles were published in the window,
    which stands for the rhythm of day and week. The first day is left out. Not a number where there is one size."""
    count = min(len(curve(row)), len(news))
    sizes, values = (np.array(column[:count]) for column in (fleet_sizes(row), curve(row)))
    later = (np.arange(count) * row["tally"]["window_hours"] >= FIRST_DAY) & np.isfinite(values)
    sizes, values, published = sizes[later], values[later], np.array(news[:count], dtype=np.float64)[later]
    if values.size < FEWEST or sizes[0] == sizes[-1]:
        return math.nan
    design = np.column_stack([np.ones(sizes.size), sizes, published])
    base, slope, per_article = np.linalg.lstsq(design, values, rcond=None)[0]
    middle = base + slope * (sizes[0] + sizes[-1]) / 2 + per_article * published.mean()
    return float(slope * (sizes[-1] - sizes[0]) / middle) if middle > 0 else math.nan


def fleet_sizes(row: Row) -> list[float]:
    """Foragers alive in each window, on average over its time."""
    hours, count = row["tally"]["window_hours"], len(curve(row))
    changes = [*((float(at), float(size)) for at, size in row["population"]["alive"]), (math.inf, 0.0)]
    sums = np.zeros(count)
    begins = np.arange(count) * hours
    for (since, size), (until, _) in pairwise(changes):
        sums += size * np.clip(np.minimum(begins + hours, until) - np.maximum(begins, since), 0, None)
    means: list[float] = (sums / hours).tolist()
    return means


def crowded(row: Row) -> Row:
    """What each forager adds is lost by the others: the efficiency is the smaller, the more there are."""
    downloads, sizes = row["tally"]["series"]["downloads"], [*fleet_sizes(row), 1.0]
    return earning(row, [0.01 * count / max(size, 1.0) for count, size in zip(downloads, sizes, strict=True)])


RESULTS = "section 4.3, the table"

CLAIMS = (
    Claim(
        1,
        "The links of the gathered pages are scale-free, both into pages and out of them.",
        "section 4.1, Fig. 1",
        beside(scale_free, GATHERED, {"among addresses with all their links": CLUSTERED}),
        BrokenVariant(
            "As many degrees with the same mean are drawn from an exponential distribution.",
            changed(
                lambda row: {GATHERED: {**row[GATHERED], **{way: exponential(row[GATHERED][way]) for way in WAYS}}},
                study=GRAPH,
            ),
        ),
        known="It was ruled on addresses with all their links, and told of the gathered pages, which are what the "
        "paper looked at. In a quick form it did not hold either way, which was known when the two changed places.",
    ),
    Claim(
        2,
        "Rewiring divides the clustering by about ten and leaves the mean distance almost as it is.",
        "section 4.1",
        lambda rows: calibration(no_small_world(rows)),
        None,
        known="As a ruling, and among addresses with all their links, it did not hold. It says how our site is, and "
        "nothing about foragers.",
    ),
    Claim(
        3,
        "WL and RL have about the same download efficiency.",
        RESULTS,
        about_the_same,
        BrokenVariant("RL gets half as much again as WL.", half_as_much_again(CLUSTERED, RL, WL)),
    ),
    Claim(
        4,
        "WL has the higher sent efficiency.",
        RESULTS,
        more(CLUSTERED, (WL, RL), SENT),
        BrokenVariant("Of each pair RL gets the larger value.", turned(CLUSTERED, SENT, RL, WL)),
    ),
    Claim(
        5,
        "RL has the higher relative found URL.",
        RESULTS,
        more(CLUSTERED, (RL, WL), FOUND, "in percent, "),
        BrokenVariant("Of each pair WL gets the larger value.", turned(CLUSTERED, FOUND, WL, RL)),
    ),
    Claim(
        6,
        "What WL found is fresher, and of lower age.",
        RESULTS,
        is_up_to_date,
        BrokenVariant(
            "Of each pair RL gets the higher freshness and the lower age.",
            chained(turned(CLUSTERED, FRESHNESS, RL, WL), turned(CLUSTERED, AGE, WL, RL)),
        ),
    ),
    Claim(
        7,
        "The download efficiency of RL has more, higher and sharper peaks.",
        "section 4.3, figure of the efficiency",
        has_peaks,
        BrokenVariant(
            "What RL earns is a constant share of its downloads.",
            changed(
                lambda row: earning(row, [0.01 * count for count in row["tally"]["series"]["downloads"]]),
                study=CLUSTERED,
                type=RL,
            ),
        ),
    ),
    Claim(
        8,
        "Different initial weights change little.",
        "sections 4.2 and 4.3",
        of_each(steady),
        BrokenVariant(
            "Every second repeat is twice as efficient.",
            changed(
                lambda row: put(row, EFFICIENCY, (1 + row["repeat"] % 2) * row["tally"]["download_efficiency"]),
                study=CLUSTERED,
            ),
        ),
    ),
    Claim(
        9,
        "The download efficiency does not fall while the fleet grows.",
        "section 5.1",
        of_each(keeps_up),
        BrokenVariant("The efficiency is divided by the number of foragers.", changed(crowded, study=CLUSTERED)),
    ),
    Claim(
        10,
        "On the rewired web RL performs better than WL.",
        "section 5.3",
        reinforcement_wins,
        BrokenVariant("Of each pair WL gets the larger efficiency.", turned(REWIRED, EFFICIENCY, WL, RL)),
    ),
    Claim(
        11,
        "The order of the foragers does not matter.",
        "section 4.3",
        orders_are_alike,
        BrokenVariant(
            "The fixed order gets half as much again as the alternating one.",
            half_as_much_again(ORDER, "fixed", "alternating"),
        ),
    ),
    Claim(
        12,
        "Foragers that select and learn (WLRL) have a higher download efficiency than those that do one of both.",
        "section 6, future work there",
        both_win,
        BrokenVariant(
            "Of each pair the fleet that does both gets the smaller value.",
            chained(*(turned(CLUSTERED, EFFICIENCY, kind, BOTH) for kind in (WL, RL))),
        ),
        known="A new claim of ours: the paper announces the comparison.",
    ),
)
