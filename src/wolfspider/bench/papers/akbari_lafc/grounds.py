"""What the claims, tables and figures of `akbari_lafc` read from its rows, a test for trends, and what broken variants
are made of.

A ground is a topic of a web with one of its starts. Crawlers are compared on the same grounds. The precision of a crawl
is its relevant documents to its downloads, training included where it is charged; a crawl that ends before its budget
is spent has the precision of what it downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from wolfspider.bench.experiment import Row, Rows, Ruling
from wolfspider.bench.rulings import FEWEST

SWEEP, COMPARE, THEOREM, CORPUS, TIES = "sweep", "compare", "theorem", "corpus", "ties"  # studies
CONTROL, RATE = "control", "rate"  # what a sweep varies
CHARGED, FREE = "charged", "free"  # training
LAFC, AGAIN, PARTS = "LAFC", "LAFC-R", "LAFC-20"
FOUR = (LAFC, "BPM", "HW", "LJM")  # in the paper's order, the best first
OTHERS = (AGAIN, PARTS, "LJM+", "CG", "best-first", "breadth-first")
TRAINED = ("BPM", "HW", "LJM", "LJM+", "CG")
TENTHS = 10
COMPUTED = "computed"  # the web that has no name

Ground = tuple[str, str, str]  # web, topic, start
Crawls = Mapping[str, Sequence[Row]]  # by crawler, on the same grounds in the same order
Means = Mapping[str, float]


def ground(row: Row) -> Ground:
    return row["web"], str(row["place"]), row["start"]


def crawls(rows: Rows, crawler: str, train: str = CHARGED, study: str = COMPARE) -> dict[Ground, Row]:
    """Of one crawler. One that does not train is charged for nothing, and stands beside both."""
    wanted = train if crawler in TRAINED else CHARGED
    mine = [row for row in rows if row["study"] == study and row["crawler"] == crawler and row["train"] == wanted]
    return {ground(row): row for row in mine}


def compared(rows: Rows, crawlers: Sequence[str] = FOUR, train: str = CHARGED, study: str = COMPARE) -> Crawls:
    """The crawls on those grounds that all of these crawlers have."""
    found = {crawler: crawls(rows, crawler, train, study) for crawler in crawlers}
    first = found[crawlers[0]]
    common = [place for place in first if all(place in own for own in found.values())]
    return {crawler: [own[place] for place in common] for crawler, own in found.items()}


def variants(rows: Rows) -> dict[str, Crawls]:
    """The four crawlers in other ways: with automata that were kept, with free training, by the web's own truth."""
    again = compared(rows, (AGAIN, *FOUR[1:]))
    truth = {crawler: [by_truth(row) for row in own] for crawler, own in compared(rows).items()}
    return {
        AGAIN: {LAFC: again[AGAIN], **{crawler: again[crawler] for crawler in FOUR[1:]}},
        "free training": compared(rows, train=FREE),
        "the web's truth": truth,
    }


def by_truth(row: Row) -> Row:
    return {**row, "curve": row["truth_curve"], "found": row["truth_found"]}


def precision(row: Row, curve: str = "curve") -> float:
    return float(row[curve][-1] / row["downloads"]) if row["downloads"] else 0.0


def at_tenths(row: Row, curve: str = "curve") -> list[float]:
    """The precision after each tenth of the budget; who has ended before stays where it was."""
    spent = [min(row["budget"] * tenth / TENTHS, row["downloads"]) for tenth in range(1, TENTHS + 1)]
    return [found / downloads if downloads else 0.0 for found, downloads in zip(row[curve], spent, strict=True)]


def recalls(found: Crawls, field: str = "found", pool: Sequence[str] = FOUR) -> dict[str, list[float]]:
    """Of each crawl the share that it found of what these crawlers found together on its ground."""
    count = len(next(iter(found.values())))
    pools = [set().union(*(found[crawler][place][field] for crawler in pool)) for place in range(count)]
    return {
        crawler: [
            len(whole & set(row[field])) / len(whole) if whole else 0.0 for row, whole in zip(own, pools, strict=True)
        ]
        for crawler, own in found.items()
    }


def topics(rows: Rows) -> list[str]:
    """The places of topics in the comparison, in the order of the settings."""
    return list(dict.fromkeys(str(row["place"]) for row in rows if row["study"] == COMPARE))


def swept(rows: Rows, varied: str, again: bool) -> list[Row]:
    """Sweeps of one parameter, over the same values, by one crawl (LAFC-1) or by several that share the downloads."""
    studied = [row for row in rows if row["study"] == SWEEP and row["varied"] == varied]
    mine = [row for row in studied if (row["crawls"] > 1) == again]
    return [row for row in mine if row["values"] == mine[0]["values"]]


def static(rows: Rows) -> list[Row]:
    """What the network learns where nothing changes, so that thresholds need not sink."""
    return [row for row in kept(rows) if row["decay"] == 1.0]


def kept(rows: Rows) -> list[Row]:
    """Crawls of the theorem that keep their automata, as all but those of the broken variant do."""
    return [row for row in rows if row["study"] == THEOREM and not row.get("broken")]


def again_by_web(rows: Rows) -> dict[str, list[Row]]:
    """Crawls of LAFC-R that tell of each crawl before: on the computed web, and on each recorded one."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("crawler") == AGAIN and row.get("epochs"):
            found.setdefault(str(row.get("web_name", COMPUTED)), []).append(row)
    return found


def by_topic(own: Rows, values: Sequence[float]) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for row, value in zip(own, values, strict=True):
        groups.setdefault(str(row["place"]), []).append(value)
    return {place: float(np.mean(group)) for place, group in groups.items()}


def too_few(found: Crawls, fewest: int = FEWEST) -> Ruling | None:
    count = len(next(iter(found.values())))
    if count >= fewest:
        return None
    names = ", ".join(found)
    return Ruling(None, sentence=f"{count} grounds have crawls of all of {names}; the test needs {fewest} or more.")


def means_of(values: Mapping[str, Sequence[float]]) -> Means:
    return {name: float(np.mean(own)) for name, own in values.items()}


def in_order(means: Means) -> bool:
    """Is each mean above the one after it?"""
    return all(one > other for one, other in pairwise(means.values()))


def listed(means: Means) -> str:
    """The largest first."""
    return ", ".join(f"{name} {mean:.4g}" for name, mean in sorted(means.items(), key=lambda pair: -pair[1]))


# Broken variants


def dealt(fields: Sequence[str], figure: Callable[[Row], float], order: Sequence[str]) -> Callable[[Rows], list[Row]]:
    """On each ground the crawls of these crawlers are dealt out anew: the first gets the fields of the one that has the
    largest figure, and so on. Free training is left as it is."""

    def rows_of(rows: Rows) -> list[Row]:
        new: dict[int, Row] = {}
        for group in zip(*(compared(rows, order)[crawler] for crawler in order), strict=True):
            ranked = sorted(group, key=figure, reverse=True)
            for row, source in zip(group, ranked, strict=True):
                new[id(row)] = {**row, **{name: source[name] for name in fields}}
        return [new.get(id(row), row) for row in rows]

    return rows_of


def forgetful(rows: Rows) -> list[Row]:
    """Crawls of the theorem that were run without inheriting anything, in the place of those that inherit."""
    instead = {
        (ground(row), row["rate"]): {**row, "broken": False}
        for row in rows
        if row["study"] == THEOREM and row.get("broken")
    }
    true = {id(row) for row in static(rows)}
    return [instead.get((ground(row), row["rate"]), row) if id(row) in true else row for row in rows]


def sorted_sweeps(varied: str, falling: bool) -> Callable[[Rows], list[Row]]:
    """Figures of each sweep from the largest to the smallest, or the other way."""

    def rows_of(rows: Rows) -> list[Row]:
        return [
            {**row, **{figure: sorted(row[figure], reverse=falling) for figure in ("precision", "minutes")}}
            if row["study"] == SWEEP and row["varied"] == varied
            else row
            for row in rows
        ]

    return rows_of


def rising_precision(rows: Rows) -> list[Row]:
    def risen(row: Row) -> Row:
        spent = [row["budget"] * tenth / TENTHS for tenth in range(1, TENTHS + 1)]
        curve = [share * downloads for share, downloads in zip(sorted(at_tenths(row)), spent, strict=True)]
        return {**row, "curve": curve, "downloads": row["budget"]}

    return [risen(row) if row["study"] == COMPARE else row for row in rows]
