"""What the claims, tables and figures of `akbari_lafc` read from its rows, and what broken variants are made of.

A ground is a topic of a web with one of its starts. Crawlers are compared on the same grounds. The precision of a crawl
is its relevant documents to its downloads, training included where it is charged; a crawl that ends before its budget
is spent has the precision of what it downloaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from wolfspider.bench.experiment import Row, Rows
from wolfspider.bench.groups import Figure, aligned, average, grouped, indexed, mean, values, where
from wolfspider.bench.papers.akbari_lafc.scales import (
    CHARGED,
    COMPARE,
    FOUR,
    FREE,
    LAFC_R,
    SWEEP,
    THEOREM,
    TRAINED,
)
from wolfspider.bench.papers.akbari_lafc.tally import TENTHS
from wolfspider.bench.stats import Floats
from wolfspider.bench.variants import Variant, changed, dealt

SWEPT = {"precision": "precision", "minutes of the processor": "cpu_minutes"}  # figures of a sweep
COMPUTED = "computed"  # the web that has no name
GROUND = itemgetter("web", "place", "start")

Ground = tuple[str, int | str, str]  # web, topic, start
Crawls = Mapping[str, Sequence[Row]]  # by crawler, on the same grounds in the same order


def crawls(rows: Rows, crawler: str, train: str = CHARGED, study: str = COMPARE) -> dict[Ground, Row]:
    """Of one crawler. One that does not train is charged for nothing, and stands beside both."""
    return indexed(where(rows, study=study, crawler=crawler, train=train if crawler in TRAINED else CHARGED), GROUND)


def compared(rows: Rows, crawlers: Sequence[str] = FOUR, train: str = CHARGED, study: str = COMPARE) -> Crawls:
    """The crawls on those grounds that all of these crawlers have."""
    return aligned({crawler: crawls(rows, crawler, train, study) for crawler in crawlers})


def other_ways(rows: Rows) -> dict[str, Crawls]:
    """The four crawlers in other ways: with automata that were kept, with free training, by the web's own truth."""
    again = compared(rows, (LAFC_R, *FOUR[1:]))
    return {
        LAFC_R: dict(zip(FOUR, again.values(), strict=True)),
        "free training": compared(rows, train=FREE),
        "the web's truth": {
            crawler: [{**row, "curve": row["truth_curve"], "found": row["truth_found"]} for row in own]
            for crawler, own in compared(rows).items()
        },
    }


def precision(row: Row, curve: str = "curve") -> float:
    return float(row[curve][-1] / row["downloads"]) if row["downloads"] else 0.0


def at_tenths(row: Row) -> list[float]:
    """The precision after each tenth of the budget; that of a crawl that has ended before stays where it was."""
    spent = [min(row["budget"] * tenth / TENTHS, row["downloads"]) for tenth in range(1, TENTHS + 1)]
    return [found / downloads if downloads else 0.0 for found, downloads in zip(row["curve"], spent, strict=True)]


def recalled(crawls_of: Crawls, field: str = "found", recall: str = "recall") -> Crawls:
    """Each crawl with the share that it found of what the four crawlers found together on its ground."""
    pools = [set().union(*found) for found in zip(*([row[field] for row in crawls_of[c]] for c in FOUR), strict=True)]
    return {
        crawler: [
            {**row, recall: len(pool & set(row[field])) / len(pool) if pool else 0.0}
            for row, pool in zip(own, pools, strict=True)
        ]
        for crawler, own in crawls_of.items()
    }


def topics(rows: Rows) -> dict[int | str, Row]:
    """The places of topics in the comparison, in the order of the settings, each with a row of it."""
    return indexed(where(rows, study=COMPARE), itemgetter("place"))


def by_topic(own: Rows, figure: Figure) -> dict[int | str, float | None]:
    return {place: mean(group, figure) for place, group in grouped(own, itemgetter("place")).items()}


def sweeps(rows: Rows, varied: str, again: bool) -> list[Row]:
    """Sweeps of one parameter, over the same values, by one crawl (LAFC-1) or by several that share the downloads."""
    mine = [row for row in where(rows, study=SWEEP, varied=varied) if (row["crawls"] > 1) == again]
    return [row for row in mine if row["values"] == mine[0]["values"]]


def kept(rows: Rows) -> list[Row]:
    """Crawls of the theorem that keep their automata, as all but those of the broken variant do."""
    return [row for row in where(rows, study=THEOREM) if not row.get("broken")]


def static(rows: Rows) -> list[Row]:
    """What the network learns where nothing changes, so that thresholds need not sink."""
    return where(kept(rows), decay=1.0)


def again_by_web(rows: Rows) -> dict[str, list[Row]]:
    """Crawls of LAFC-R that tell of each crawl before: on the synthetic web, and on each recorded one."""
    told = [row for row in where(rows, crawler=LAFC_R) if row.get("epochs")]
    return grouped(told, lambda row: str(row.get("web_name", COMPUTED)))


def means_of(crawls_of: Crawls, figure: Figure) -> dict[str, float]:
    return {crawler: average(values(own, figure)) or 0.0 for crawler, own in crawls_of.items()}


def listed(means: Mapping[str, float]) -> str:
    """The largest first."""
    return ", ".join(f"{name} {mean:.4g}" for name, mean in sorted(means.items(), key=lambda pair: -pair[1]))


def numbers(values: Sequence[float] | Floats) -> str:
    return ", ".join(f"{value:g}" for value in values)


# Broken variants


def dealt_to(order: Sequence[str], figure: Figure, *fields: str) -> Variant:
    """On each ground the first of these crawlers gets the fields of the crawl that has the largest figure, and so on.
    Free training is left as it is."""
    return dealt(fields, figure, lambda rows: zip(*compared(rows, order).values(), strict=True))


def sorted_sweeps(varied: str, falling: bool) -> Variant:
    """Figures of each sweep from the largest to the smallest, or the other way."""
    return changed(
        lambda row: {figure: sorted(row[figure], reverse=falling) for figure in SWEPT.values()},
        study=SWEEP,
        varied=varied,
    )


def risen(row: Row) -> Row:
    spent = [row["budget"] * tenth / TENTHS for tenth in range(1, TENTHS + 1)]
    curve = [share * downloads for share, downloads in zip(sorted(at_tenths(row)), spent, strict=True)]
    return {"curve": curve, "downloads": row["budget"]}
