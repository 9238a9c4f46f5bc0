"""How well categories agree with true topics: purity and normalised mutual information, beside the same where pages are
dealt at random into categories of the same sizes.

    python benchmarks/categories.py --web synthetic:pages=5000 WEB ... [--seeds 3] [--pages 20000]

Only pages with exactly one topic count: those that one topic alone of the web's topics.json names as relevant; of a
computed web all that have one, whatever its tasks are. Purity is the share of them that have the commonest topic of
their category. It grows with the number of categories, whatever they are, so the dealt pages tell how much of it is
owed to that; mutual information is over the mean of both entropies. Figures are means over seeds, and over 20 deals for
each. `first map` are its regions, the small ones too; `lowest` the lowest category of each page. Seconds are the
processor's, for reading and learning.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.store.categories.building import build, web_origin
from wolfspider.store.categories.index import OTHER, Categories, Category
from wolfspider.web.worlds.page_index import schemeless
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.tasks import relevant_pages
from wolfspider.web.worlds.world import World, open_web

DEALS = 20

Ints = NDArray[np.int64]


class Agreement(NamedTuple):
    categories: int
    purity: float
    information: float


def agreement(homes: Ints, topics: Ints) -> Agreement:
    table = np.zeros((homes.max() + 1, topics.max() + 1))
    np.add.at(table, (homes, topics), 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)] / homes.size
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    shared = entropy(rows) + entropy(columns) - entropy(table.ravel())
    mean = (entropy(rows) + entropy(columns)) / 2
    return Agreement(rows.size, float(table.max(axis=1).sum()), shared / mean if mean else 0.0)


def entropy(shares: NDArray[np.float64]) -> float:
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum())


def single_topics(world: World) -> dict[str, int]:
    """The topic of each page that has exactly one."""
    if isinstance(world, Synthetic):
        found = relevant_pages(world.sites, range(world.params.topics)).values()
        keys = [[schemeless(world.addresses.url(page)) for page in pages] for pages in found]
    else:
        keys = [[schemeless(url) for url in task.relevant] for task in world.tasks().values()]
    often = Counter(chain.from_iterable(keys))
    return {key: number for number, own in enumerate(keys) for key in own if often[key] == 1}


def first_map(root: Category) -> dict[int, int]:
    """For each category the region of the first map that it is in or below."""
    other = next((below for below in root.below if below.name == OTHER), None)
    regions = [below for below in root.below if below is not other] + list(other.below if other else ())
    return {inside.number: region.number for region in regions for inside in region.walk()}


class Measured(NamedTuple):
    pages: int
    seconds: float
    levels: Mapping[str, tuple[Agreement, Agreement]]  # as it is, and dealt at random


def measure(world: World, topic_of: Mapping[str, int], most: int, seed: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        path, began = Path(folder) / "categories.sqlite", time.process_time()
        build(web_origin(world, most, seed), path, seed)
        seconds = time.process_time() - began
        with Categories.open(path) as index:
            members = {schemeless(url): category for url, category in index.members()}
            region = first_map(index.tree())
    known = [key for key in members if key in topic_of]
    topics = np.array([topic_of[key] for key in known])
    lowest = np.array([members[key] for key in known])
    homes = {"first map": np.array([region.get(home, 0) for home in lowest.tolist()]), "lowest": lowest}
    rng = np.random.default_rng(seed)
    levels = {name: (agreement(home, topics), dealt(home, topics, rng)) for name, home in homes.items()}
    return Measured(len(known), seconds, levels)


def dealt(homes: Ints, topics: Ints, rng: np.random.Generator) -> Agreement:
    return mean([agreement(rng.permutation(homes), topics) for _ in range(DEALS)])


def mean(found: list[Agreement]) -> Agreement:
    categories, purity, information = np.mean(found, axis=0).tolist()
    return Agreement(categories, purity, information)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", nargs="+", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=20_000)
    given = parser.parse_args()
    heads = "web | pages with one topic | topics | level | categories | purity | at random | NMI | at random | seconds"
    print(f"| {heads} |\n|{'---|' * (heads.count('|') + 1)}")
    for name in given.web:
        world = open_web(name)
        topic_of = single_topics(world)
        found = [measure(world, topic_of, given.pages, seed) for seed in range(given.seeds)]
        for level in found[0].levels:
            real, random = (mean([one.levels[level][which] for one in found]) for which in (0, 1))
            cells = [
                *(world.name, f"{found[0].pages:,}", len(set(topic_of.values())), level, f"{real.categories:.0f}"),
                *(f"{real.purity:.3f}", f"{random.purity:.3f}", f"{real.information:.3f}", f"{random.information:.3f}"),
                f"{np.median([one.seconds for one in found]):.0f}",
            ]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
