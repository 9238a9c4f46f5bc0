"""The claims of Palotai, Farkas and Lorincz, with the tests that rule on them and the variants that must fail.

A broken variant is false whatever the rows say: it gives the larger figure of each pair to the fleet that should have
the smaller one, or puts a figure in place that cannot be true.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from wolfspider.bench.experiment import Broken, Claim, Row, Rows, Ruling
from wolfspider.bench.measure.rhythm import deviation, peaks
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import GRAPH, known
from wolfspider.bench.papers.palotai_selection_vs_rl.pairs import (
    CLUSTERED,
    EFFICIENCY,
    FEWEST,
    FOUND,
    MARGIN,
    ORDER,
    ORDERS,
    RELEVANT,
    REWIRED,
    SENT,
    SHUFFLED,
    Figure,
    age,
    by_pair,
    curve,
    excess,
    fresh,
    more,
    put,
    relative,
    same,
    scaled_of,
    student,
    turned,
    with_relevant,
)
from wolfspider.bench.rulings import all_of
from wolfspider.graphs.degrees import best_tail
from wolfspider.graphs.graph import Ints

DECADE = 10.0  # the largest degree of a tail over its smallest, at least
TENTH = (5.0, 20.0)  # quotients that are about ten
KEPT = (0.8, 1.25)  # quotients of mean distances that are almost the same; the paper's is 1.13
FIRST_DAY = 24.0  # hours, in which the news of the day before is found as well


# 1 and 2: the links

WAYS = ("into", "out_of")


def graphs(rows: Rows) -> list[Row]:
    return [row for row in rows if row["study"] == GRAPH]


def scale_free(rows: Rows) -> Ruling:
    return all_of({f"{way.replace('_', ' ')} a page": tails(rows, way) for way in WAYS})


def tails(rows: Rows, way: str) -> Ruling:
    """Has every web a tail of a decade or more that a power law fits significantly better than an exponential?"""
    found = [_tail(row["clustered"][way]) for row in graphs(rows)]
    told = ", ".join(
        f"γ = {gamma:.2f} from k = {kmin} over a factor of {span:.0f}, z = {z:.1f}" for gamma, kmin, span, z in found
    )
    fine = [span >= DECADE and z > 1.645 for _, _, span, z in found]
    statistic = f"Vuong's test of a power law against an exponential, webs: {len(found)}; {told}"
    return Ruling(bool(fine) and all(fine), statistic)


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


def exponential_degrees(rows: Rows) -> list[Row]:
    """As many pages and links as there are, but degrees that fall off exponentially."""
    return [
        {**row, "clustered": {**row["clustered"], **{way: _exponential(row["clustered"][way]) for way in WAYS}}}
        if row["study"] == GRAPH
        else row
        for row in rows
    ]


def _exponential(degrees: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    values, counts = np.array(degrees["values"]), np.array(degrees["counts"])
    middle = float((values * counts).sum() / counts.sum())
    drawn = np.random.default_rng(0).geometric(1 / max(middle, 1.01), int(counts.sum()))
    found, times = np.unique(drawn, return_counts=True)
    return {**degrees, "values": found.tolist(), "counts": times.tolist()}


def no_small_world(rows: Rows) -> Ruling:
    """Rules on all ends of links permuted, as in the paper; the web that foragers see rewired is told as well."""
    found = graphs(rows)
    clustering, distance = _quotients(found, SHUFFLED)
    told = "webs: {}; quotients from {:g} to {:g} are wanted, found: {}; rewired in time: {}".format
    kept_clustering, kept_distance = map(_listed, _quotients(found, REWIRED))
    by_ten = all(TENTH[0] <= value <= TENTH[1] for value in clustering)
    as_far = all(KEPT[0] <= value <= KEPT[1] for value in distance)
    near = told(len(found), *TENTH, _listed(clustering), kept_clustering)
    far = told(len(found), *KEPT, _listed(distance), kept_distance)
    return all_of(
        {"clustering before to after": Ruling(by_ten, near), "mean distance after to before": Ruling(as_far, far)}
    )


def _quotients(rows: Rows, web: str) -> tuple[list[float], list[float]]:
    """The clustering of recorded webs to that after rewiring, and the mean distance after to that before."""
    return (
        [_quotient(row, CLUSTERED, web, "clustering", "paired") for row in rows],
        [_quotient(row, web, CLUSTERED, "directed", "mean") for row in rows],
    )


def _quotient(row: Row, above: str, below: str, part: str, field: str) -> float:
    one, other = (known(row[web][part][field]) for web in (above, below))
    return one / other if other else math.inf


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def not_rewired(rows: Rows) -> list[Row]:
    return [
        {**row, REWIRED: row[CLUSTERED], SHUFFLED: row[CLUSTERED]} if row["study"] == GRAPH else row for row in rows
    ]


# 3 to 6, 10 and 11: one figure of two fleets


def about_the_same(rows: Rows) -> Ruling:
    return same(relative(rows, CLUSTERED, ("WL", "RL"), EFFICIENCY))


def sends_less_in_vain(rows: Rows) -> Ruling:
    return more(excess(rows, CLUSTERED, ("WL", "RL"), SENT))


def explores(rows: Rows) -> Ruling:
    return more(100 * excess(rows, CLUSTERED, ("RL", "WL"), FOUND), "in percent, ")


def is_up_to_date(rows: Rows) -> Ruling:
    fresher, younger = excess(rows, CLUSTERED, ("WL", "RL"), fresh), excess(rows, CLUSTERED, ("RL", "WL"), age)
    return all_of({"freshness of WL above that of RL": more(fresher), "age of RL above that of WL, h": more(younger)})


def reinforcement_wins(rows: Rows) -> Ruling:
    """Rules on the efficiency; the number of documents is told as well."""
    ruling = more(100 * relative(rows, REWIRED, ("RL", "WL"), EFFICIENCY), "download efficiency in percent, ")
    documents = relative(rows, REWIRED, ("RL", "WL"), RELEVANT)
    if ruling.holds is None:
        return ruling
    return Ruling(ruling.holds, f"{ruling.statistic}; documents rewarded: {documents.mean():+.1%} on average")


def orders_are_alike(rows: Rows) -> Ruling:
    pairs = [(ORDERS[0], other) for other in ORDERS[1:]]
    return all_of({f"{other} to {one}": same(relative(rows, ORDER, (other, one), EFFICIENCY)) for one, other in pairs})


def both_turned(rows: Rows) -> list[Row]:
    stale = turned(CLUSTERED, "freshness", "WL", "RL", "freshness")(rows)
    return turned(CLUSTERED, "age_hours", "RL", "WL", "freshness")(stale)


# 7: peaks


def has_peaks(rows: Rows) -> Ruling:
    mine = [row for row in rows if row["study"] == CLUSTERED]
    least = deviation(map(curve, mine))

    def of(field: str) -> Figure:
        return lambda row: _peak(row, least, field)

    words = {"count": "more", "height": "higher", "sharpness": "sharper"}
    kinds = ("RL", "WL")
    return all_of({word: more(excess(rows, CLUSTERED, kinds, of(field))) for field, word in words.items()})


def _peak(row: Row, least: float, field: str) -> float:
    """A curve without peaks has no height and no sharpness: 0."""
    value = float(getattr(peaks(curve(row), least, row["tally"]["window_hours"] * 3600), field))
    return value if math.isfinite(value) else 0.0


def smooth(rows: Rows) -> list[Row]:
    return [
        with_relevant(row, [0.01 * count for count in row["tally"]["series"]["downloads"]])
        if row["study"] == CLUSTERED and row["type"] == "RL"
        else row
        for row in rows
    ]


# 8: first weights


def weights_matter_little(rows: Rows) -> Ruling:
    return all_of({kind: steady(rows, kind) for kind in ("WL", "RL")})


def steady(rows: Rows, kind: str) -> Ruling:
    """Runs on the same web differ in nothing but their chance. Is the upper 95% bound of their coefficient of variation
    below what counts as about the same?"""
    from scipy.stats import chi2

    groups: dict[int, list[float]] = {}
    for (web, _), value in by_pair(rows, CLUSTERED, kind, EFFICIENCY).items():
        groups.setdefault(web, []).append(value)
    squares = [float(np.sum((np.array(own) / np.mean(own) - 1) ** 2)) for own in groups.values()]
    freedom = sum(len(own) - 1 for own in groups.values())
    if freedom < 2:
        return Ruling(None, sentence="Fewer than three runs on the same web do not tell what their weights change.")
    variation = math.sqrt(sum(squares) / freedom)
    bound = math.sqrt(sum(squares) / float(chi2.ppf(0.05, freedom)))
    apart = float(np.abs(relative(rows, CLUSTERED, ("WL", "RL"), EFFICIENCY)).mean())
    statistic = (
        f"coefficient of variation of the download efficiency on the same web {variation:.1%} with {freedom} degrees "
        f"of freedom, upper 95% bound {bound:.1%}, which must be under {MARGIN:.0%}; WL and RL differ by {apart:.1%}"
    )
    return Ruling(bound < MARGIN, statistic)


def uneven(rows: Rows) -> list[Row]:
    """Every second repeat is twice as good."""
    return [
        put(row, "tally", "download_efficiency", (1 + row["repeat"] % 2) * EFFICIENCY(row), CLUSTERED)
        if row["study"] == CLUSTERED
        else row
        for row in rows
    ]


# 9: growth


def does_not_fall(rows: Rows) -> Ruling:
    return all_of({kind: keeps_up(rows, kind) for kind in ("WL", "RL")})


def keeps_up(rows: Rows, kind: str) -> Ruling:
    """Non-inferiority: the 95% interval (Student's t) of the change over runs must lie above a fall by `MARGIN`."""
    news = {row["web_seed"]: row["published"] for row in graphs(rows)}
    mine = [row for row in rows if row["study"] == CLUSTERED and row["type"] == kind]
    found = [change(row, news.get(row["web_seed"], [])) for row in mine]
    changes = np.array([value for value in found if math.isfinite(value)])
    if changes.size < FEWEST:
        return Ruling(None, sentence=f"Only {changes.size} fleets of {kind} grow; the test needs {FEWEST} or more.")
    low, high = student(changes)
    statistic = (
        f"change of the efficiency from the first size to the last, by regression on size and articles published: "
        f"n = {changes.size}, mean {changes.mean():+.1%}, 95% interval {low:+.1%} to {high:+.1%}, whose lower end must "
        f"be above {-MARGIN:.0%}"
    )
    return Ruling(low > -MARGIN, statistic)


def change(row: Row, news: Sequence[float]) -> float:
    """Of the download efficiency as the fleet grows from its first size to its last, as a share of the mean of both.

    By least squares, window by window, on the size of the fleet and on how many articles were published in the window,
    which stands for the rhythm of day and week. The first day is left out. Not a number where there is one size."""
    count = min(len(curve(row)), len(news))
    sizes, values = (np.array(column[:count]) for column in (fleet_sizes(row), list(map(known, curve(row)))))
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


def crowded(rows: Rows) -> list[Row]:
    """What each forager adds is lost by the others: the efficiency is the smaller, the more there are."""
    return [_crowded(row) if row["study"] == CLUSTERED else row for row in rows]


def _crowded(row: Row) -> Row:
    downloads = row["tally"]["series"]["downloads"]
    sizes = [*fleet_sizes(row), 1.0]
    return with_relevant(row, [0.01 * count / max(size, 1.0) for count, size in zip(downloads, sizes, strict=True)])


RESULTS = "section 4.3, the table"

CLAIMS = (
    Claim(
        1,
        "The link structure is scale-free, both into pages and out of them.",
        "section 4.1, Fig. 1",
        scale_free,
        Broken("As many degrees with the same mean are drawn from an exponential distribution.", exponential_degrees),
    ),
    Claim(
        2,
        "Rewiring divides the clustering by about ten and leaves the mean distance almost as it is.",
        "section 4.1",
        no_small_world,
        Broken("The web is measured twice and never rewired.", not_rewired),
    ),
    Claim(
        3,
        "WL and RL have about the same download efficiency.",
        RESULTS,
        about_the_same,
        Broken("RL gets half as much again as WL.", scaled_of(CLUSTERED, "RL", "WL", 1.5)),
    ),
    Claim(
        4,
        "WL has the higher sent efficiency.",
        RESULTS,
        sends_less_in_vain,
        Broken("Of each pair RL gets the larger value.", turned(CLUSTERED, "sent_efficiency", "WL", "RL")),
    ),
    Claim(
        5,
        "RL has the higher relative found URL.",
        RESULTS,
        explores,
        Broken("Of each pair WL gets the larger value.", turned(CLUSTERED, "relative_found_url", "RL", "WL")),
    ),
    Claim(
        6,
        "What WL found is fresher, and of lower age.",
        RESULTS,
        is_up_to_date,
        Broken("Of each pair RL gets the higher freshness and the lower age.", both_turned),
    ),
    Claim(
        7,
        "The download efficiency of RL has more, higher and sharper peaks.",
        "section 4.3, figure of the efficiency",
        has_peaks,
        Broken("What RL earns is a constant share of its downloads.", smooth),
    ),
    Claim(
        8,
        "Different initial weights change little.",
        "sections 4.2 and 4.3",
        weights_matter_little,
        Broken("Every second repeat is twice as efficient.", uneven),
    ),
    Claim(
        9,
        "The download efficiency does not fall while the fleet grows.",
        "section 5.1",
        does_not_fall,
        Broken("The efficiency is divided by the number of foragers.", crowded),
    ),
    Claim(
        10,
        "On the rewired web RL performs better than WL.",
        "section 5.3",
        reinforcement_wins,
        Broken("Of each pair WL gets the larger efficiency.", turned(REWIRED, "download_efficiency", "RL", "WL")),
    ),
    Claim(
        11,
        "The order of the foragers does not matter.",
        "section 4.3",
        orders_are_alike,
        Broken(
            "The fixed order gets half as much again as the alternating one.",
            scaled_of(ORDER, "fixed", "alternating", 1.5),
        ),
    ),
)
