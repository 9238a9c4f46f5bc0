"""The crawls of `energy_population` run by run: those that belong together, and variants that exchange their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from wolfspider.bench.experiment import Row, Rows
from wolfspider.bench.groups import aligned, indexed, where
from wolfspider.bench.papers.energy_population.cells import CORPUS, FIGURES, PRINTED
from wolfspider.bench.papers.energy_population.page_meter import POINTS
from wolfspider.bench.variants import Variant, taken

POPULATION = ("at", "population", "extinct", "smallest", "largest", "downloads")
PRECISION = ("precision", "truth")
TENTHS = 10


class CrawlsCompared(NamedTuple):
    """Which crawls are compared, and by what precision."""

    revisit: float = PRINTED
    precision: str = "precision"
    study: str = FIGURES


AS_PRINTED = CrawlsCompared()


def runs_of(rows: Rows, crawler: str, way: CrawlsCompared = AS_PRINTED, study: str = "") -> dict[Any, Row]:
    """The crawls of a crawler that got anywhere, by run; on recorded webs, by web and run."""
    crawls = where(rows, study=study or way.study, crawler=crawler, revisit=way.revisit)
    told = [row for row in crawls if got_anywhere(row) and not row.get("fixed")]
    return indexed(told, case_of(way))


def got_anywhere(row: Row) -> bool:
    """Starting points may fail, or have no links; then no crawler can do anything there."""
    return bool(row["at"]) and row["downloads"] > row["starts"]


def case_of(way: CrawlsCompared) -> Callable[[Row], Any]:
    """What a case is known by."""
    return itemgetter("web_name", "run") if way.study == CORPUS else itemgetter("run")


def together(rows: Rows, crawlers: Sequence[str], way: CrawlsCompared) -> list[tuple[Row, ...]]:
    """The crawls of these crawlers, run by run, where all are there."""
    crawls = aligned({crawler: dict(sorted(runs_of(rows, crawler, way).items())) for crawler in crawlers})
    return list(zip(*crawls.values(), strict=True))


def mean_population(row: Row) -> float:
    """Over the whole budget, if everybody died; else as far as the crawl went."""
    steps = list(row["population"])
    extinct = POINTS - len(steps) if row["extinct"] is not None else 0
    return float(np.mean(steps + [0.0] * extinct))


def shared(one: Row, other: Row) -> int:
    """Steps that both made."""
    return min(len(one["at"]), len(other["at"]))


def ratio(one: Row, other: Row) -> float:
    """The larger mean population to the smaller one, over the steps that both made."""
    means = sorted(1 + float(np.mean(row["population"][: shared(one, other)])) for row in (one, other))
    return means[1] / means[0]


def instead(sources: Mapping[str, str], fields: Sequence[str]) -> Variant:
    """Crawlers get these fields of others, run by run."""

    def variant(rows: Rows) -> list[Row]:
        crawls = where(rows, study=FIGURES)
        crawl_of = indexed(crawls, itemgetter("crawler", "run", "revisit"))
        keys = [(row, (sources.get(row["crawler"], ""), row["run"], row["revisit"])) for row in crawls]
        return taken(fields, [(row, crawl_of[key]) for row, key in keys if key in crawl_of], rows)

    return variant


def swapped(rows: Rows, pairs: Sequence[tuple[Row, ...]], fields: Sequence[str]) -> list[Row]:
    """The two of each pair get these fields of each other."""
    return taken(fields, [both for one, two in pairs for both in ((one, two), (two, one))], rows)
