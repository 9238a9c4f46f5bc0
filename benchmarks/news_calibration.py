"""How a news site of ours compares with what the papers on foragers print of theirs: the calibration of both.

    python benchmarks/news_calibration.py [LISTED,OLDER ...] [--days 7] [--articles 150] [--per-article 72]
    python benchmarks/news_calibration.py [LISTED,OLDER ...] --fleet mixed --per-article 28

For each pair of `listed` and `older` of a synthetic news site (by default those that were tried) a fleet works on it
for some days, at slices of as many downloads as in the papers: WLRL foragers with 72 downloads for each article as in
one of them, or the 16 that recorded for the other, with 28. It says links a page of the site, downloads a step, steps a
slice, and the clustering of what the fleet gathered as the papers kept it (`bench/measure/gathered.py`): along links,
whatever their direction, and both after the ends of links were shuffled. The last column is the clustering of all pages
of the site, which is another thing. No claim of a paper is looked at. The pair is taken whose downloads a step of WLRL
foragers are nearest to 3.15; the rest is told beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

import numpy as np

from wolfspider.bench.measure.folds import ratio
from wolfspider.bench.measure.foraging import Foraging
from wolfspider.bench.measure.gathered import GatheredLinks
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import MIXED
from wolfspider.bench.run.fleets import news_site, paced, prepared, seeds_of, work
from wolfspider.core.model import host_of
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import clustering, directed_clustering, rewire
from wolfspider.web.worlds.world import open_web

TRIED = ("0,7", "10,7", "10,2", "10,3", "5,3", "5,2")
DAY = 86_400
FLEETS = {"WLRL": {"fleet": "WLRL", "most": 0}, "mixed": MIXED}
PAPER = {
    "links a page": "",
    "articles a day": "1,200",
    "downloads a step": "3.15",
    "steps a slice": "51",
    "along links": "0.02",
    "shuffled": "0.003",
    "either way": "0.02",
    "shuffled, too": "0.003",
    "of the site": "",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", default=TRIED, metavar="LISTED,OLDER")
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--articles", type=int, default=150)
    parser.add_argument("--per-article", type=float, default=72)
    parser.add_argument("--fleet", choices=FLEETS, default="WLRL")
    given = parser.parse_args()
    print(row("listed, older", dict(zip(PAPER, PAPER, strict=True))))
    print(row("the papers", PAPER))
    for pair in given.pairs:
        listed, older = map(int, pair.split(","))
        print(
            row(pair, measured(listed, older, given.days, given.articles, given.per_article, given.fleet)), flush=True
        )
    return 0


def row(name: str, figures: Mapping[str, str]) -> str:
    return f"{name:14}" + "".join(f"{figures[column]:>17}" for column in PAPER)


def measured(listed: int, older: int, days: float, articles: int, per_article: float, kind: str) -> dict[str, str]:
    web = news_site(1, articles, f",listed={listed},older={older}")
    latency = DAY / (articles * per_article)
    about = {"web": web, "strategy": "foragers", "days": days, "latency": latency, "repeat": 0}
    setting = {**about, "fleet": {**FLEETS[kind], **paced(latency)}}
    crawl, world, start = prepared(setting)
    crawl.listen(fold := Foraging())
    crawl.listen(gathered := GatheredLinks())
    downloads = work(crawl, world, start, days, seeds_of(setting))
    land, whole, graph = fold.row()["territory"], site(web, days), gathered.graph()
    shuffled = rewire(graph, np.random.default_rng(0))
    return {
        "links a page": f"{whole.m / max(1, whole.n):.2f}",
        "articles a day": f"{articles:,}",
        "downloads a step": f"{ratio(downloads, land['moves']):.2f}",
        "steps a slice": f"{ratio(land['moves'], land['slices']):.1f}",
        "along links": f"{directed_clustering(graph):.4f}",
        "shuffled": f"{directed_clustering(shuffled):.4f}",
        "either way": f"{either_way(graph):.4f}",
        "shuffled, too": f"{either_way(shuffled):.4f}",
        "of the site": f"{either_way(whole):.3f}",
    }


def either_way(graph: Graph) -> float:
    return clustering(graph, np.random.default_rng(0)).all


def site(web: str, days: float) -> Graph:
    """The links among the pages of the news site alone, when the fleet ends."""
    world = open_web(web)
    whole = world.graph(world.start + days * DAY)
    home = host_of(next(iter(world.tasks().values())).seeds[0])
    own = [place for place, url in enumerate(whole.urls) if host_of(url) == home]
    number = np.full(whole.n, -1)
    number[own] = np.arange(len(own))
    sources = np.repeat(np.arange(whole.n), np.diff(whole.starts))
    kept = (number[sources] >= 0) & (number[whole.targets] >= 0)
    return Graph.from_edges([whole.urls[place] for place in own], number[sources[kept]], number[whole.targets[kept]])


if __name__ == "__main__":
    sys.exit(main())
