"""What `akbari_lafc` runs: its crawlers and studies, and the settings of each study in the full and the quick form.

compare    one crawler, on a ground: a topic of the synthetic web with one page to start from
sweep      LAFC with one of its parameters at several values, each value on the same ground
theorem    LAFC again and again, and what its automata have learned after so many crawls
ties       a topic of one keyword, where no control threshold can matter
changing   LAFC again and again on a web whose links come and go from crawl to crawl
corpus     one crawler, on a recorded web
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Form, Setting
from wolfspider.bench.run.starts import DIRECTORY, STARTS
from wolfspider.core.topic import load_tasks
from wolfspider.web.worlds.recorded import Recorded

SWEEP, COMPARE, THEOREM, CORPUS, TIES = "sweep", "compare", "theorem", "corpus", "ties"  # studies
CHANGING = "changing"
CONTROL, RATE = "control", "rate"  # what a sweep varies
CHARGED, FREE = "charged", "free"  # training
LAFC, LAFC_R, LAFC_20 = "LAFC", "LAFC-R", "LAFC-20"
FOUR = (LAFC, "BPM", "HW", "LJM")  # in the paper's order, the best first
OTHERS = (LAFC_R, LAFC_20, "LJM+", "CG", "best-first", "breadth-first")
TRAINED = ("BPM", "HW", "LJM", "LJM+", "CG")
AGAIN = 20  # crawls of LAFC-R and LAFC-20
CRAWLERS: Mapping[str, Mapping[str, Any]] = {
    LAFC: {"strategy": "lafc"},
    LAFC_20: {"strategy": "lafc", "crawls": AGAIN},
    LAFC_R: {"strategy": "lafc", "crawls": AGAIN},
    "LJM": {"strategy": "ljm"},
    "LJM+": {"strategy": "ljm", "settings": {"ties": "centroid"}},
    "BPM": {"strategy": "bpm"},
    "HW": {"strategy": "relevancy-context-graph"},
    "CG": {"strategy": "context-graph"},
    "best-first": {"strategy": "best-first"},
    "breadth-first": {"strategy": "breadth-first"},
}
ON_CORPORA = (LAFC, LAFC_R, "LJM", "BPM", "HW", "CG", "best-first", "breadth-first")
TOPIC_KEYWORDS = (1, 1, 2, 1, 2)  # of Linux, Robotics, Java Programming, Asthma, Olympic Games
SWEPT_KEYWORDS = 3  # where LAFC varies: with one no threshold can matter, with five few pages are near enough
CORPUS_KEYWORDS = 2  # on recorded webs, where hardly a page says all six alike and LAFC would not leave its start
CONTROLS = [0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]  # of table 2
RATES = [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.3, 0.4, 0.5]  # of table 3
HELD = {CONTROL: {RATE: 0.1}, RATE: {CONTROL: 0.8}}  # what the other parameter is while one is varied
THEOREM_RATES = (0.01, 0.03, 0.09, 0.3)
HIDDEN = 0.2  # share of the links of a page that are not there, others in each crawl of the changing web
NEAR_ONE = 0.95  # a chance above it is as good as one


class LafcScale(NamedTuple):
    """How much is run."""

    web: str  # large enough that a crawl hardly ever runs out of links before its budget is spent
    budget: int  # downloads; the paper's is 10,000
    controls: list[float]  # swept
    rates: list[float]
    first_rates: list[float]  # swept by single crawls, in which no rate can matter
    sweep_starts: tuple[str, ...]
    other_starts: tuple[str, ...]  # of crawlers that no claim is ruled on; LAFC-R has twenty times the downloads
    theorem_topics: int
    theorem_crawls: int
    theorem_budget: int  # of each crawl
    corpora: tuple[str, ...]
    corpus_again: tuple[str, ...]  # corpora that LAFC-R is run on
    sweep_web: str  # so many links that no crawl runs dry, whatever the threshold
    changing_crawls: int


FULL = LafcScale(
    "synthetic:pages=200000,topics=32,seed=1",
    *(10_000, CONTROLS, RATES, [0.05, 0.1, 0.5], (DIRECTORY,), STARTS),
    *(4, 100, 500, ("wiki", "docs", "news"), ("wiki",)),
    sweep_web="synthetic:pages=200000,topics=32,links=12,seed=1",
    changing_crawls=20,
)
QUICK = LafcScale(
    "synthetic:pages=40000,topics=16,seed=1",
    *(1_000, [0.45, 0.6, 0.75, 0.8, 0.95], [0.05, 0.09, 0.2, 0.5], [0.05, 0.1, 0.5], (DIRECTORY,), (DIRECTORY,)),
    *(2, 40, 200, ("wiki-small",), ()),
    sweep_web="synthetic:pages=40000,topics=16,links=12,seed=1",
    changing_crawls=10,
)


def settings(form: Form) -> list[Setting]:
    """Topic by topic, so that neighbours look at the same pages."""
    of = form.scale(FULL, QUICK)
    cells: list[Setting] = []
    for place, keywords in enumerate(TOPIC_KEYWORDS):
        cells += [*_comparison(of, place, keywords), *_theorem(of, place), *_changing(of, place)]
        cells += _ties(of, place) if keywords == 1 else []
    swept = [setting for place in range(len(TOPIC_KEYWORDS)) for setting in _sweeps(of, place)]
    return [*cells, *swept, *_corpora(form, of)]


def trainings(crawlers: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each crawler with its training charged, and those that train with free training, too."""
    return ((name, train) for name, train in product(crawlers, (CHARGED, FREE)) if train == CHARGED or name in TRAINED)


def _about(study: str, of: LafcScale, place: int, start: str, keywords: int, **more: Any) -> Setting:
    return dict(study=study, web=of.web, place=place, start=start, keywords=keywords, budget=of.budget, **more)


def _comparison(of: LafcScale, place: int, keywords: int) -> Iterator[Setting]:
    for start, (crawler, train) in product(STARTS, list(trainings(CRAWLERS))):
        if crawler in FOUR or start in of.other_starts:
            parts = {"crawl_budget": of.budget // AGAIN} if crawler == LAFC_20 else {}
            yield _about(
                COMPARE, of, place, start, keywords, crawler=crawler, train=train, **CRAWLERS[crawler], **parts
            )


def _sweeps(of: LafcScale, place: int) -> Iterator[Setting]:
    for start, varied, crawls in product(of.sweep_starts, HELD, (1, AGAIN)):
        values = of.controls if varied == CONTROL else of.rates if crawls > 1 else of.first_rates
        known: dict[str, Any] = {"strategy": "lafc", "settings": HELD[varied], "varied": varied, "values": values}
        known |= {"crawls": crawls, "crawl_budget": of.budget // crawls}
        yield {**_about(SWEEP, of, place, start, SWEPT_KEYWORDS, **known), "web": of.sweep_web}


def _theorem(of: LafcScale, place: int) -> Iterator[Setting]:
    """And once with crawls that leave each other nothing, to show that claim 7 can fail."""
    kinds: list[Setting] = [{"rate": rate, "decay": decay} for rate, decay in product(THEOREM_RATES, (0.99, 1.0))]
    kinds.append({"rate": ruling_rate(THEOREM_RATES, of.theorem_crawls), "decay": 1.0, "broken": True})
    for kind in kinds if place < of.theorem_topics else ():
        known = {"strategy": "lafc", "settings": {"decay": kind["decay"]}, **kind, "crawls": of.theorem_crawls}
        yield _about(THEOREM, of, place, DIRECTORY, SWEPT_KEYWORDS, **known, crawl_budget=of.theorem_budget)


def _changing(of: LafcScale, place: int) -> Iterator[Setting]:
    """With automata that are kept and brought up to date, and with new ones in each crawl."""
    for start, broken in product(STARTS, (False, True)):
        known = {"strategy": "lafc", "settings": {"decay": 1.0}, "hidden": HIDDEN, "crawls": of.changing_crawls}
        anew = {"broken": True} if broken else {}
        yield _about(CHANGING, of, place, start, SWEPT_KEYWORDS, **known, **anew, crawl_budget=of.theorem_budget)


def ruling_rate(rates: Iterable[float], crawls: int) -> float | None:
    """The smallest rate with which a link that is rewarded once in each crawl can become as good as sure."""
    return min((rate for rate in rates if (1 - rate) ** crawls < 1 - NEAR_ONE), default=None)


def _ties(of: LafcScale, place: int) -> Iterator[Setting]:
    known = {"strategy": "lafc", "settings": HELD[CONTROL], "varied": CONTROL, "values": [0.45, 0.8, 0.95]}
    yield _about(TIES, of, place, DIRECTORY, 1, crawls=1, **known)


def _corpora(form: Form, of: LafcScale) -> Iterator[Setting]:
    for folder in form.folders(of.corpora):
        budget = len(Recorded(folder)) // 4
        for name, task in load_tasks(folder / "topics.json").items():
            about = {"study": CORPUS, "web": str(folder), "web_name": folder.name, "place": name, "start": DIRECTORY}
            size = {"keywords": min(CORPUS_KEYWORDS, len(task.topic.keywords)), "budget": budget}
            for crawler, train in trainings(ON_CORPORA):
                if crawler != LAFC_R or folder.name in of.corpus_again:
                    yield {**about, **size, "crawler": crawler, "train": train, **CRAWLERS[crawler]}
