"""How much of `energy_population` is run in either form, and the settings of its cells. Cells do not import this, so
that another number of runs leaves finished ones as they are."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Form, Setting
from wolfspider.bench.papers.energy_population.cells import (
    BUFFER,
    CORPUS,
    CORRECTED,
    DEADLY,
    EXACT,
    EXHAUSTED,
    FIGURES,
    LEARNING,
    ON_CORPORA,
    PLAIN,
    PRINTED,
    RATES,
    TWENTIETH,
    UNBOUND,
)
from wolfspider.core.topic import load_tasks
from wolfspider.web.worlds.recorded import Recorded


class PopulationScale(NamedTuple):
    """How much is run."""

    web: str  # to be completed by a seed
    budget: int  # downloads; the paper's longest crawls have 25,000
    runs: int
    corrected: int  # runs with second visits that cost
    small: str  # a web whose topics are soon exhausted
    small_budget: int
    small_runs: int  # more, as some topics are not exhausted in time
    rates_budget: int
    corpora: tuple[str, ...]
    corpus_topics: int  # of each


WEB = "synthetic:pages={pages},topics={topics},seeds=relevant,seed="
FULL = PopulationScale(
    WEB.format(pages=1_000_000, topics=16),
    *(25_000, 20, 5, WEB.format(pages=20_000, topics=16), 16_000, 8, 5_000, ("wiki", "docs", "news"), 5),
)
QUICK = PopulationScale(
    WEB.format(pages=40_000, topics=16),
    *(1_000, 5, 5, WEB.format(pages=3_000, topics=8), 2_400, 8, 1_000, (), 0),
)


def scale(form: Form) -> PopulationScale:
    return form.scale(FULL, QUICK)


def corpora(form: Form) -> list[Path]:
    """The recorded webs that are at hand."""
    return form.folders(scale(form).corpora)


def settings(form: Form) -> list[Setting]:
    """Run by run, so that neighbours look at the same web."""
    of = scale(form)
    runs = [setting for run in range(of.runs) for setting in (*_figures(of, run), *_rates(of, run))]
    exhausted = [
        _about(EXHAUSTED, of.small, run, of.small_budget, BUFFER, revisit)
        for run, revisit in product(range(of.small_runs), (PRINTED, CORRECTED))
    ]
    return [*runs, *exhausted, *(setting for folder in corpora(form) for setting in _recorded(of, folder))]


def _about(study: str, web: str, run: int, budget: int, crawler: str, revisit: float, **more: Any) -> Setting:
    where = {"study": study, "web": f"{web}{run + 1}", "run": run, "place": run % 5, "starts": 1 + run % 3}
    return {**where, "strategy": "energy", "budget": budget, "crawler": crawler, "revisit": revisit, **more}


def _figures(of: PopulationScale, run: int) -> list[Setting]:
    corrected = product(PLAIN if run < of.corrected else (), (CORRECTED,))
    ways = (*product((*PLAIN, EXACT, UNBOUND, LEARNING), (PRINTED,)), *corrected)
    return [_about(FIGURES, of.web, run, of.budget, crawler, revisit) for crawler, revisit in ways]


def _rates(of: PopulationScale, run: int) -> list[Setting]:
    ways = product((DEADLY, TWENTIETH), (False, True))
    return [_about(RATES, of.web, run, of.rates_budget, crawler, PRINTED, fixed=fixed) for crawler, fixed in ways]


def _recorded(of: PopulationScale, folder: Path) -> list[Setting]:
    budget = len(Recorded(folder)) // 4
    topics = [*load_tasks(folder / "topics.json")][: of.corpus_topics]
    about = {"study": CORPUS, "web": str(folder), "web_name": folder.name}
    crawl = {"starts": 3, "relevant": True, "strategy": "energy", "budget": budget}
    return [
        {**about, "run": run, "place": topic, **crawl, "crawler": crawler, "revisit": PRINTED}
        for (run, topic), crawler in product(enumerate(topics), ON_CORPORA)
    ]
