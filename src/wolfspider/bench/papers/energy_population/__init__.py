"""Agents that live on relevance, and how to keep their number in hand: Figs. 2 to 6 of the paper, and what it says of
its parameters, on synthetic webs; where the corpora are at hand, three of its claims on recorded ones as well."""

from __future__ import annotations

from wolfspider.bench.experiment import Experiment, Form
from wolfspider.bench.papers.energy_population.cells import (
    AGENTS,
    EXPLODES,
    LB,
    PILOTS,
    UB,
    measured,
)
from wolfspider.bench.papers.energy_population.claims import CLAIMS
from wolfspider.bench.papers.energy_population.report import drawings, tables
from wolfspider.bench.papers.energy_population.scales import corpora, scale, settings

PAPER_BUDGET, PAPER_RUNS = 25_000, 5


def scaled(form: Form) -> list[str]:
    of = scale(form)
    budget = "as in the paper" if of.budget == PAPER_BUDGET else f"instead of {PAPER_BUDGET:,}"
    return [
        (
            f"The webs are computed ({of.web}1 to {of.runs}), one for each run, with {AGENTS} agents and one, two or "
            "three relevant starting points, as in the paper."
        ),
        (
            f"Each crawl has {of.budget:,} downloads, {budget}. There are {of.runs} runs of each crawler (paper: "
            f"{PAPER_RUNS}), and {of.corrected} in which second visits to a page cost C."
        ),
        (
            "A page feeds once, in all models. By Algorithm 1, of Figs. 2 to 4, it would feed on every visit, and "
            "agents between two relevant pages would multiply without a download: claims 1 to 3 are ruled on an "
            "original model that was changed."
        ),
        "The paper took idf values from a search engine. Nobody is asked here: all keywords weigh the same.",
        (
            f"UB = {UB} is the paper's; LB = {LB}, the gain rates of the original model and the pairs of C and G of "
            "Fig. 3 are not printed, and are ours. The middle gain rate is tuned on the same ground, in up to "
            f"{PILOTS} whole crawls, until the population neither dies out nor gets to {EXPLODES:,}; the others are "
            "a quarter of it and four times as much."
        ),
        (
            f"The topic is exhausted on webs of their own ({of.small}1 to {of.small_runs}), with "
            f"{of.small_budget:,} downloads; what happens on single pages is seen in crawls of {of.rates_budget:,}."
        ),
        _recorded_sentence(form),
    ]


def _recorded_sentence(form: Form) -> str:
    names = [folder.name for folder in corpora(form)]
    if form.quick:
        return "Nothing was run on recorded webs, so claims 8 to 10 are not testable: that takes the full form."
    if not names:
        return "Nothing was run on recorded webs, so claims 8 to 10 are not testable: no corpus is at hand."
    return (
        f"Crawls on recorded webs ({', '.join(names)}) make downloads for a quarter of their pages at most, once for "
        f"each of their first {scale(form).corpus_topics} topics, from three relevant pages. Claims 8 to 10 are ruled "
        "on them; a case is a web and a topic, and cases of one web are less independent than a test takes them to be."
    )


ABOUT = (
    "Agents walk from page to page and live on relevance: with more than enough energy they multiply, without any they "
    "die. In the original model the gain rate decides whether there will be nobody or far too many. The paper lets the "
    "energy of a page follow a sigmoid around a threshold that balances gains and losses, and then leaves energy on "
    "pages while there are too many agents, and spares agents while there are too few. Here a second visit to a page "
    "neither gives nor costs anything. Algorithm 2 is printed like that. Algorithm 1, the original model, pays for "
    "every visit; it was changed, as its agents would multiply for ever between two relevant pages. Claims are ruled "
    "on crawls like that; what they would be if a second visit cost as much as a bad page, which is how this crawler "
    "works unless told otherwise, is told beside them."
)

EXPERIMENT = Experiment(
    name="energy-population",
    title="Populations that live on relevance",
    paper="An energy-based model to control the population of multi-agent topical crawlers (endogenous fitness)",
    about=ABOUT,
    settings=settings,
    cell=measured,
    claims=CLAIMS,
    scaled=scaled,
    tables=tables,
    figures=drawings,
)
