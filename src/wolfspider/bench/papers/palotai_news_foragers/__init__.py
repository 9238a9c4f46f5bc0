"""Do news foragers divide a site among themselves, and get better at it? (Palotai, Mandusitz and Lorincz, Computer
study of the evolution of "news foragers" on the Internet)

The paper let a fleet of WLRL foragers loose on one of the largest news sites, for two weeks, and looked at it. Here the
site is computed. What is run is in `cells`, claims and their tests are in `claims` and `contrasts`, tables and figures
in `report`.
"""

from __future__ import annotations

from wolfspider.bench.experiment import Experiment, Form
from wolfspider.bench.foraging_claims import GENERAL, STATES, told_with_pace
from wolfspider.bench.papers.palotai_news_foragers.cells import (
    CORPUS_LATENCY,
    PAPER_ARTICLES,
    PAPER_DOWNLOADS,
    WINDOW_STEPS,
    NewsScale,
    corpus,
    scale,
    settings,
)
from wolfspider.bench.papers.palotai_news_foragers.claims import CLAIMS
from wolfspider.bench.papers.palotai_news_foragers.contrasts import CONTRASTS
from wolfspider.bench.papers.palotai_news_foragers.pace import pace_beside
from wolfspider.bench.papers.palotai_news_foragers.report import figures, tables
from wolfspider.bench.run.fleets import FRONT_PAGES, LISTS, fleet


def scaled(form: Form) -> list[str]:
    of = scale(form)
    articles, latency = of.site
    chosen = (
        "The articles of this form were chosen so that a fleet can grow to fifteen, as few were meant to be compared "
        "with many; that it does is no evidence of growth."
    )
    pace = f"At the paper's own rates (1,200 articles, 1.1 s) {of.pace} run of {of.pace_days} days."
    return [
        "The site is computed. The paper's was one of the largest news sites of its time, and is gone.",
        f"{of.main} runs of {of.days} days, on {of.webs} different sites; the paper shows two.",
        (
            f"A site publishes {articles} articles a day instead of about {PAPER_ARTICLES:,}, and a download takes "
            f"{latency:g} s, which makes {86_400 / latency:,.0f} a day instead of {PAPER_DOWNLOADS:,}: "
            f"{86_400 / latency / articles:.0f} for each article, in the paper {PAPER_DOWNLOADS / PAPER_ARTICLES:.0f}."
        ),
        (
            f"{LISTS}, so that a step takes about as many downloads as in the paper. A download takes longer, and so "
            "does a slice: it has as many downloads as the paper's. Windows of the division of work are of "
            f"{WINDOW_STEPS:,} steps, as many as 75 minutes had there. The table of steps has our numbers beside the "
            "paper's."
        ),
        STATES,
        GENERAL,
        (
            f"The sweep of the cost and the cut weblogs: {of.sweep} seeds, {of.sweep_days:g} days, {of.sweep_site[0]} "
            f"articles a day, {of.sweep_site[1]:g} s a download."
        ),
        (
            f"Divided against undivided: {of.division} seeds, {of.division_days:g} days, {of.rich[0]} articles a day "
            f"where news is plenty and {of.poor[0]} where it is not, {of.poor[1]:g} s a download."
        ),
        *([chosen] if form.quick else []),
        *([pace] if of.pace else []),
        _corpus_sentence(form, of),
    ]


def _corpus_sentence(form: Form, of: NewsScale) -> str:
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
    "good starting points under selection and learns the value of pages by temporal differences; one that finds "
    "what no other had found multiplies. The paper says that such a fleet divides the site among its foragers within "
    "days, finds news sooner and sooner and grows tenfold in two weeks. The site is a computed one that publishes by "
    "the clock and the week; what else is not as in the paper stands under what was scaled down.",
    settings=settings,
    cell=fleet,
    claims=tuple(told_with_pace(claim, pace_beside(claim)) for claim in (*CLAIMS, *CONTRASTS)),
    scaled=scaled,
    tables=tables,
    figures=figures,
)
