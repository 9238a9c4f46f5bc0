"""The fleets of `palotai_news_foragers`, by `kind`.

    main        the paper's experiment: two weeks from two foragers, each time on another site
    pace        a few days at the paper's own rates of publication and download, for what depends on them
    sweep       cost and score rule times m = 1, 4, 16, 64, the same sites and seeds for each; days, from eight foragers
    trapped     as the sweep at m = 1, with weblogs of one entry
    division    fleets that divide the space against fleets that do not, on rich and poor sites and on a recorded one

Slices have as many downloads as the paper's, and windows as many steps, 1,300. A case is a site and the seed of the
fleet on it: fleets that are paired have the same case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Form, Setting
from wolfspider.bench.run.fleets import FRONT_PAGES, SPARE, news_site, paced

FACTORS = (1, 4, 16, 64)
SENT_COST = 0.05  # of the score rule
WINDOW_STEPS = 1_300  # of the fleet: 75 minutes of the paper's, at 3.5 s for a step
DIVIDING, LIST_KEPT, COMMON_WEIGHTS = "WLRL", "RL, list kept", "RL, list kept, common weights"
FLEETS: Mapping[str, Mapping[str, Any]] = {
    DIVIDING: {"fleet": "WLRL"},
    LIST_KEPT: {"fleet": "RL"},
    COMMON_WEIGHTS: {"fleet": "RL", "weights": "common"},
}
GROWING = {"fleet": "WLRL", "most": 0}
EIGHT = {"fleet": "WLRL", "foragers": 8, "least": 1, "most": 0}  # so many that some can die within days
PAPER_RATES = (1200, 1.1)  # articles a day, seconds a download
PAPER_DOWNLOADS, PAPER_ARTICLES = 78_000, 1_200  # a day
CORPUS_STARTS = {"news": 1_538_352_000.0, "news-small": 1_546_819_200.0}  # 1 October 2018 and 7 January 2019
CORPUS_LATENCY = 60.0

PEOPLE = ("population.births", "population.deaths", "population.last", "population.lowest_score")
STEPS = ("territory.moves", "territory.slices", "territory.paths")
DISTINCT = ("distinct_in_equal_moves", "distinct_a_day", "distinct_of_moves_a_day", "distinct", "returned")
RATES = ("tally.downloaded", "tally.sent", "tally.relevant", "tally.download_efficiency", "tally.sent_efficiency")
SMALL_PARTS = (*RATES, *PEOPLE, *STEPS, *(f"territory.{figure}" for figure in DISTINCT))
PACE_PARTS = ("division.windows", "division.order", "division.window_steps", *RATES, *PEOPLE, *STEPS)
DIVISION_PARTS = (
    *RATES,
    *("tally.series", "tally.window_hours"),
    *SMALL_PARTS[len(RATES) :],
    *("division.boundary", "lags.published", "lags.mean"),
)


class NewsScale(NamedTuple):
    """How much is run. A site is (articles a day, seconds a download)."""

    webs: int  # different sites
    main: int
    days: int
    site: tuple[int, float]
    pace: int
    pace_days: int
    sweep: int
    sweep_days: float
    sweep_site: tuple[int, float]
    division: int
    division_days: float
    rich: tuple[int, float]
    poor: tuple[int, float]
    corpus: int
    corpus_days: float
    lists: str  # of the site: long ones, or short ones


FULL = NewsScale(6, 6, 14, (300, 4), 1, 2, 6, 9, (100, 20), 6, 9, (300, 20), (30, 20), 5, 20, f",{SPARE}")
QUICK = NewsScale(2, 5, 14, (180, 40), 0, 0, 5, 2.5, (60, 40), 5, 2, (60, 40), (10, 40), 5, 4, f",{SPARE}")


def scale(form: Form) -> NewsScale:
    return form.scale(FULL, QUICK)


def settings(form: Form) -> list[Setting]:
    of = scale(form)
    return [*_main(of), *_sweep(of), *_division(of), *_on_corpus(form, of)]


def _setting(
    kind: str, of: NewsScale, case: int, rates: tuple[int, float], days: float, parts: tuple[str, ...] = (), **more: Any
) -> Setting:
    articles, latency = rates
    site = news_site(1 + case % of.webs, articles, of.lists)
    about = {"kind": kind, "case": case, "web": site, "strategy": "foragers", "articles": articles, "days": days}
    fleet = {**more.pop("fleet"), **paced(latency)}
    pace = {"latency": latency, "repeat": case, "window_steps": WINDOW_STEPS, "fleet": fleet}
    return {**about, **pace, **more} | ({"parts": list(parts)} if parts else {})


def _main(of: NewsScale) -> Iterator[Setting]:
    for case in range(of.main):
        yield _setting("main", of, case, of.site, of.days, fleet=GROWING)
    for case in range(of.pace):
        yield _setting("pace", of, case, PAPER_RATES, of.pace_days, PACE_PARTS, fleet=GROWING)


def _sweep(of: NewsScale) -> Iterator[Setting]:
    size = of.sweep_site, of.sweep_days, SMALL_PARTS
    for case, factor in product(range(of.sweep), FACTORS):
        rules = {"cost": float(factor), "score_sent": SENT_COST * factor}
        yield _setting("sweep", of, case, *size, factor=factor, fleet={**EIGHT, **rules})
    for case in range(of.sweep):
        yield _setting("trapped", of, case, *size, fleet={**EIGHT, "weblog": 1, "starts": 1})


def _division(of: NewsScale) -> Iterator[Setting]:
    """All begin with eight foragers that know the home page and nine sections."""
    for case, (site, rates), name in product(range(of.division), (("poor", of.poor), ("rich", of.rich)), FLEETS):
        given = {"site": site, "name": name, "fronts": 10, "fleet": {**FLEETS[name], "foragers": 8}}
        yield _setting("division", of, case, rates, of.division_days, DIVISION_PARTS, **given)


def _on_corpus(form: Form, of: NewsScale) -> Iterator[Setting]:
    folder = corpus(form)
    if folder is None:
        return
    for case, name in product(range(of.corpus), FLEETS):
        about = {"kind": "division", "case": case, "web": str(folder), "strategy": "foragers", "repeat": case}
        time = {"days": of.corpus_days, "latency": CORPUS_LATENCY, "seeds": list(FRONT_PAGES)}
        foragers = {**FLEETS[name], "foragers": 8, **paced(CORPUS_LATENCY)}
        fleet = {"site": "recorded", "name": name, "fleet": foragers, "window_steps": WINDOW_STEPS}
        yield {**about, **time, **fleet, "start": CORPUS_STARTS[folder.name], "parts": list(DIVISION_PARTS)}


def corpus(form: Form) -> Path | None:
    """The recorded news, if it is at hand."""
    return next(iter(form.folders([form.scale("news", "news-small")])), None)
