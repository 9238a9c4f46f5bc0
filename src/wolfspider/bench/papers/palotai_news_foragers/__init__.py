"""Do news foragers divide a site among themselves, and get better at it? (Palotai, Mandusitz and Lorincz, Computer
study of the evolution of "news foragers" on the Internet)

The paper let a fleet of WLRL foragers loose on one of the largest news sites, for two weeks, and looked at it. Here the
site is computed. What is run, by `kind`:

    main        the paper's experiment: two weeks from two foragers, each time on another site
    pace        a few days at the paper's own rates of publication and download, for what depends on them
    sweep       cost and score rule times m = 1, 4, 16, 64, the same sites and seeds for each; days, from eight foragers
    trapped     as the sweep at m = 1, with weblogs of one entry
    division    fleets that divide the space against fleets that do not, on rich and poor sites and on a recorded one

Claims and their tests are in `palotai_news_claims` and `palotai_news_contrasts`, tables and figures in
`palotai_news_tables`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.bench.experiment import Experiment, Form, Setting
from wolfspider.bench.papers.palotai_news_foragers.claims import CLAIMS
from wolfspider.bench.papers.palotai_news_foragers.contrasts import CONTRASTS, DIVIDING, FACTORS, KEPT, SAME
from wolfspider.bench.papers.palotai_news_foragers.tables import figures, tables
from wolfspider.bench.run.fleets import FRONT_PAGES, SPARE, fleet, news_site

SENT_COST = 0.05  # of the score rule
SMALL_FLEET = {"fleet": "WLRL", "foragers": 8, "least": 1, "most": 0}  # so many that some can die within days
CORPUS_STARTS = {"news": 1_538_352_000.0, "news-small": 1_546_819_200.0}  # 1 October 2018 and 7 January 2019
SMALL = ("population.births", "population.deaths", "population.last", "population.lowest_score")
STEPS = ("territory.moves", "territory.slices", "territory.paths")
DISTINCT = ("distinct_in_equal_moves", "distinct_a_day", "distinct_of_moves_a_day", "distinct", "returned")
GROUND = (*STEPS, *(f"territory.{figure}" for figure in DISTINCT))
RATES = ("tally.downloaded", "tally.sent", "tally.relevant", "tally.download_efficiency", "tally.sent_efficiency")
FLEETS: Mapping[str, Mapping[str, Any]] = {
    DIVIDING: {"fleet": "WLRL"},
    KEPT: {"fleet": "RL"},
    SAME: {"fleet": "RL", "weights": "common"},
}


class Scale(NamedTuple):
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


FULL = Scale(5, 5, 14, (300, 4), 1, 2, 20, 3, (100, 20), 8, 3, (300, 20), (30, 20), 5, 10, "")
QUICK = Scale(2, 5, 14, (180, 40), 0, 0, 5, 2.5, (60, 40), 5, 2, (60, 40), (10, 40), 5, 4, f",{SPARE}")
CORPUS_LATENCY = 60.0
PAPER_DOWNLOADS, PAPER_ARTICLES = 78_000, 1_200  # a day


def scale(form: Form) -> Scale:
    return QUICK if form.quick else FULL


def settings(form: Form) -> list[Setting]:
    of = scale(form)
    return [*_main(of), *_pace(of), *_sweep(of), *_trapped(of), *_division(of), *_corpus(form, of)]


def _setting(kind: str, of: Scale, case: int, rates: tuple[int, float], days: float, **more: Any) -> Setting:
    """A case is a site and the seed of the fleet on it: what is paired has the same."""
    articles, latency = rates
    about = {
        "kind": kind,
        "case": case,
        "web": news_site(1 + case % of.webs, articles, of.lists),
        "strategy": "foragers",
    }
    return {**about, "articles": articles, "days": days, "latency": latency, "repeat": case, **more}


def _main(of: Scale) -> Iterator[Setting]:
    for case in range(of.main):
        yield _setting("main", of, case, of.site, of.days, fleet={"fleet": "WLRL", "most": 0})


def _pace(of: Scale) -> Iterator[Setting]:
    parts = [f"division.{figure}" for figure in ("windows", "order", "window_hours")]
    for case in range(of.pace):
        known = {"fleet": {"fleet": "WLRL", "most": 0}, "parts": [*parts, *RATES, *SMALL, *STEPS]}
        yield _setting("pace", of, case, (1200, 1.1), of.pace_days, **known)


def _sweep(of: Scale) -> Iterator[Setting]:
    for case, factor in product(range(of.sweep), FACTORS):
        rules = {"cost": float(factor), "score_sent": SENT_COST * factor}
        known = {"fleet": {**SMALL_FLEET, **rules}, "parts": [*RATES, *SMALL, *GROUND]}
        yield _setting("sweep", of, case, of.sweep_site, of.sweep_days, factor=factor, **known)


def _trapped(of: Scale) -> Iterator[Setting]:
    for case in range(of.sweep):
        cut = {**SMALL_FLEET, "weblog": 1, "starts": 1}
        known = {"fleet": cut, "parts": [*RATES, *SMALL, *GROUND]}
        yield _setting("trapped", of, case, of.sweep_site, of.sweep_days, **known)


def _division(of: Scale) -> Iterator[Setting]:
    """All begin with eight foragers that know the home page and nine sections."""
    for case, (site, rates), name in product(range(of.division), (("poor", of.poor), ("rich", of.rich)), FLEETS):
        known = {"site": site, "name": name, "fronts": 10, "fleet": {**FLEETS[name], "foragers": 8}}
        yield _setting("division", of, case, rates, of.division_days, **known, parts=_division_parts())


def _division_parts() -> list[str]:
    return [
        *RATES,
        "tally.series",
        "tally.window_hours",
        *SMALL,
        *GROUND,
        "division.boundary",
        "lags.published",
        "lags.mean",
    ]


def _corpus(form: Form, of: Scale) -> Iterator[Setting]:
    folder = corpus(form)
    if folder is None:
        return
    for case, name in product(range(of.corpus), FLEETS):
        known = {
            "site": "recorded",
            "name": name,
            "fleet": {**FLEETS[name], "foragers": 8},
            "start": CORPUS_STARTS[folder.name],
        }
        about = {"kind": "division", "case": case, "web": str(folder), "strategy": "foragers", "repeat": case}
        time = {"days": of.corpus_days, "latency": CORPUS_LATENCY, "seeds": list(FRONT_PAGES)}
        yield {**about, **time, **known, "parts": _division_parts()}


def corpus(form: Form) -> Path | None:
    """The recorded news, if it is at hand."""
    folder = form.corpora / ("news-small" if form.quick else "news") if form.corpora else None
    return folder if folder is not None and folder.is_dir() else None


def scaled(form: Form) -> list[str]:
    of = scale(form)
    articles, latency = of.site
    pace = (
        f"A site publishes {articles} articles a day instead of about {PAPER_ARTICLES:,}, and a download takes "
        f"{latency:g} s, which makes {86_400 / latency:,.0f} a day instead of {PAPER_DOWNLOADS:,}: "
        f"{86_400 / latency / articles:.0f} for each article, in the paper {PAPER_DOWNLOADS / PAPER_ARTICLES:.0f}."
    )
    steps = (
        f"Lists show ten articles at most and articles link to three older ones ({SPARE}), so that a step takes about "
        "as many downloads as in the paper; a download takes longer, so that a slice of time has fewer steps. The "
        "table of steps has both beside the paper's."
        if of.lists
        else "Pages have other links than the paper's, so a step takes another number of downloads, and a slice of "
        "time has another number of steps: the table of steps has both beside the paper's."
    )
    sweep = (
        f"The sweep of the cost and the cut weblogs: {of.sweep} seeds, {of.sweep_days:g} days, {of.sweep_site[0]} "
        f"articles a day, {of.sweep_site[1]:g} s a download."
    )
    division = (
        f"Divided against undivided: {of.division} seeds, {of.division_days:g} days, {of.rich[0]} articles a day where "
        f"news is plenty and {of.poor[0]} where it is not, {of.poor[1]:g} s a download."
    )
    sentences = [
        "The site is computed. The paper's was one of the largest news sites of its time, and is gone.",
        f"{of.main} runs of {of.days} days, on {of.webs} different sites; the paper shows two.",
        *(pace, steps, sweep, division),
    ]
    if form.quick:
        sentences.append(
            "The articles of this form were chosen so that a fleet can grow to fifteen and few can be compared with "
            "many; that it does is no evidence of growth."
        )
    if of.pace:
        sentences.append(f"At the paper's own rates (1,200 articles, 1.1 s) {of.pace} run of {of.pace_days} days.")
    return [*sentences, _corpus_sentence(form, of)]


def _corpus_sentence(form: Form, of: Scale) -> str:
    if corpus(form) is None:
        return "No recorded news was at hand (--corpora), so the last claim is tested on computed sites only."
    return (
        f"On the recorded news each kind of fleet runs {of.corpus} times for {of.corpus_days:g} days, from "
        f"{len(FRONT_PAGES)} addresses, with {CORPUS_LATENCY:g} s a download ({86_400 / CORPUS_LATENCY:,.0f} a day)."
    )


EXPERIMENT = Experiment(
    name="palotai-news-foragers",
    title="The evolution of news foragers",
    paper='Palotai, Mandusitz and Lorincz, Computer study of the evolution of "news foragers" on the Internet',
    about="A fleet of foragers looks for fresh news without its members talking to each other. Each keeps a list of "
    "good starting points under selection and learns the value of pages by temporal differences; who finds what nobody "
    "had found multiplies. The paper says that such a fleet divides the site among its foragers within days, finds "
    "news sooner and sooner and grows tenfold in two weeks. All parameters are the paper's; the site is a computed one "
    "that publishes by the clock and the week.",
    settings=settings,
    cell=fleet,
    claims=(*CLAIMS, *CONTRASTS),
    scaled=scaled,
    tables=tables,
    figures=figures,
)
