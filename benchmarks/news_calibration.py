"""How a news site of ours compares with what the papers on foragers print of theirs: the calibration of both.

    python benchmarks/news_calibration.py [LISTED,OLDER ...] [--days 7] [--articles 150] [--per-article 72]

For each pair of `listed` and `older` of a synthetic news site (by default those that were tried) a WLRL fleet works on
it for some days, with 72 downloads for each article as in the paper, at slices of as many downloads as there. It says
links a page, clustering of what the fleet saw, articles a day, downloads a step, steps a slice. No claim of a paper is
looked at. The pair is taken whose downloads a step are nearest to 3.15; the rest is told beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

import numpy as np

from wolfspider.bench.measure.folds import ratio
from wolfspider.bench.run.fleets import fleet, news_site, paced
from wolfspider.core.model import host_of
from wolfspider.graphs.graph import Graph
from wolfspider.graphs.smallworld import clustering
from wolfspider.web.worlds.world import open_web

TRIED = ("0,7", "10,7", "10,2", "10,3", "5,3", "5,2")
DAY = 86_400
PAPER = {"links a page": "", "clustering": "0.02", "articles a day": "1,200", "downloads a step": "3.15", "steps": "51"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", default=TRIED, metavar="LISTED,OLDER")
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--articles", type=int, default=150)
    parser.add_argument("--per-article", type=float, default=72)
    given = parser.parse_args()
    print(row("listed, older", dict(zip(PAPER, PAPER, strict=True))))
    print(row("the papers", PAPER))
    for pair in given.pairs:
        listed, older = map(int, pair.split(","))
        print(row(pair, measured(listed, older, given.days, given.articles, given.per_article)), flush=True)
    return 0


def row(name: str, figures: Mapping[str, str]) -> str:
    return f"{name:14}" + "".join(f"{figures[column]:>18}" for column in PAPER)


def measured(listed: int, older: int, days: float, articles: int, per_article: float) -> dict[str, str]:
    web = news_site(1, articles, f",listed={listed},older={older}")
    latency = DAY / (articles * per_article)
    about = {"web": web, "strategy": "foragers", "days": days, "latency": latency, "repeat": 0}
    found = fleet({**about, "fleet": {"fleet": "WLRL", "most": 0, **paced(latency)}})
    land, graph = found["territory"], site(web, days)
    return {
        "links a page": f"{graph.targets.size / max(1, graph.n):.2f}",
        "clustering": f"{clustering(graph, np.random.default_rng(0)).paired:.3f}",
        "articles a day": f"{articles:,}",
        "downloads a step": f"{ratio(found['downloads'], land['moves']):.2f}",
        "steps": f"{ratio(land['moves'], land['slices']):.1f}",
    }


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
