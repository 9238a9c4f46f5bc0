"""Learning automata that crawl, against models of browsing and context graphs. (Akbari Torkestani 2012)

LAFC gives each document an automaton that learns which of its links to take. The paper tunes its two parameters and
compares it with LJM, BPM and HW on five topics with two starts each. Here this is done on a synthetic web, with the
paper's numbers of keywords and starts where crawlers are compared, and with more keywords where parameters are tuned;
and where the corpora are at hand on recorded ones as well.
"""

from __future__ import annotations

from wolfspider.bench.experiment import Experiment, Form
from wolfspider.bench.papers.akbari_lafc.cells import measured
from wolfspider.bench.papers.akbari_lafc.claims import CLAIMS
from wolfspider.bench.papers.akbari_lafc.figures import figures
from wolfspider.bench.papers.akbari_lafc.report import tables
from wolfspider.bench.papers.akbari_lafc.scales import (
    AGAIN,
    CONTROLS,
    CORPUS_KEYWORDS,
    FULL,
    HIDDEN,
    QUICK,
    RATES,
    SWEPT_KEYWORDS,
    THEOREM_RATES,
    TOPIC_KEYWORDS,
    settings,
)
from wolfspider.bench.run.starts import STARTS

PAPER_BUDGET = 10_000


def scaled(form: Form) -> list[str]:
    of, topics = form.scale(FULL, QUICK), len(TOPIC_KEYWORDS)
    web = (
        f"The web is computed ({of.web}). {topics} of its topics stand for the paper's. Where crawlers are compared "
        f"they have as many keywords as those have words: {', '.join(map(str, TOPIC_KEYWORDS))}. A page of a directory "
        "stands for Yahoo's, and a page of ten results, ranked by us, for Ask's."
    )
    paper = "as in the paper" if of.budget == PAPER_BUDGET else f"instead of {PAPER_BUDGET:,}"
    sweeps = (
        f"The sweeps try {len(of.controls)} control thresholds and {len(of.rates)} learning rates (paper: "
        f"{len(CONTROLS)} and {len(RATES)}), on {topics * len(of.sweep_starts)} grounds with {SWEPT_KEYWORDS} keywords "
        f"each instead of one topic with one, on a web with about 35 links a page ({of.sweep_web}). LAFC-R is {AGAIN} "
        f"crawls of {of.budget // AGAIN:,} downloads."
    )
    theorem = (
        f"The paper proves its theorem and does not try it. Here {of.theorem_crawls} crawls of {of.theorem_budget} "
        f"downloads keep their automata, on {of.theorem_topics} of the topics with {SWEPT_KEYWORDS} keywords each, and "
        f"learning rates {', '.join(map(str, THEOREM_RATES))}."
    )
    changing = (
        f"Nor does it try what it says about links that come and go. Here {of.changing_crawls} crawls of "
        f"{of.theorem_budget} downloads meet a web that hides {HIDDEN:.0%} of the links of each page, others each time."
    )
    corpora = ", ".join(folder.name for folder in form.folders(of.corpora))
    recorded = (
        f"Beside the paper: crawls on recorded webs ({corpora}), each of a quarter of the pages, from a directory "
        f"page, with {CORPUS_KEYWORDS} keywords of each topic."
        if corpora
        else "Nothing was run on recorded webs: no corpus is at hand."
    )
    downloads = f"Each crawl has {of.budget:,} downloads, {paper}."
    if len(of.other_starts) < len(STARTS):
        downloads += " Crawlers that no claim is ruled on begin at the page of the directory alone."
    return [web, downloads, sweeps, theorem, changing, TRAINED_HERE, TIMES_HERE, recorded]


TRAINED_HERE = (
    "What a person browsed, which LJM and BPM learn from, is browsed by a rule, and back-links, which HW learns "
    "from, are those of the web itself; the paper says of neither where it had them from, or what they cost."
)
TIMES_HERE = (
    "Running time is that of a computed network and of one core that does nothing but crawl; the paper's is that "
    "of its line and its machine. Orders can be compared, minutes cannot."
)
ABOUT = (
    "A focused crawler in which every document has a learning automaton that chooses among its links, is rewarded when "
    "what it chose is nearer to the topic than all before, and goes on only from documents that are near enough. The "
    "paper finds it more precise, more complete and faster than three others: two that learn from what a person "
    "browsed (LJM, BPM) and one that learns from back-links (HW). In a single crawl (LAFC-1) each link is taken once, "
    "so that an automaton has nothing to learn; so there is LAFC-R, too, which crawls the same web again and keeps its "
    "automata. A case is a ground: a topic with one of its two starts. Training is charged to the budget, or free, "
    "and it is always said which."
)

EXPERIMENT = Experiment(
    name="akbari-lafc",
    title="Learning automata that crawl",
    paper="J. Akbari Torkestani: An adaptive focused Web crawling algorithm based on learning automata (2012)",
    about=ABOUT,
    settings=settings,
    cell=measured,
    claims=CLAIMS,
    scaled=scaled,
    tables=tables,
    figures=figures,
)
