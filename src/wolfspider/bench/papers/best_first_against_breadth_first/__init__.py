"""Does best-first search find more than breadth-first search for the same downloads? (Cho, Garcia-Molina and Page 1998;
Menczer, Pant and Srinivasan 2004)

The smallest experiment there is, and the example for the others: what is run is in `cells`, what is claimed in
`claims`, what is shown in `report`.
"""

from __future__ import annotations

from wolfspider.bench.experiment import Experiment
from wolfspider.bench.papers.best_first_against_breadth_first.cells import scaled, settings
from wolfspider.bench.papers.best_first_against_breadth_first.claims import CLAIMS
from wolfspider.bench.papers.best_first_against_breadth_first.report import figures, tables
from wolfspider.bench.run.crawls import crawl

EXPERIMENT = Experiment(
    name="best-first-against-breadth-first",
    title="Best-first search against breadth-first search",
    paper="After Cho, Garcia-Molina and Page 1998 and Menczer, Pant and Srinivasan 2004",
    about="A crawler that follows first the links of pages that are on the topic should find more of them than one "
    "that follows links in the order they are met. Both are given the same seeds, the same judge and the same number "
    "of downloads, on five topics of each of several computed webs. The papers print no number that could stand beside "
    "ours: their webs are gone.",
    settings=settings,
    cell=crawl,
    claims=CLAIMS,
    scaled=scaled,
    tables=tables,
    figures=figures,
)
