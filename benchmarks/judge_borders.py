"""Where does the default judge err at its border, and would another border do better?

    python benchmarks/judge_borders.py WEB... --half choose

For each web and order (as in `wolfspider judges`), as means over topics: the f1 at the judge's own border, at the one
border that is best for all these topics together, and at the best border of each topic, with the range of these; and
what share of all pages, of those wrongly called relevant, and of the relevant ones that were missed are listings, which
have a fifth of their words or more in links of their own. A topic of which no page is met is left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench.draw.report import text_table
from wolfspider.bench.measure.judge_quality import ORDERS, Reading, Wanted, readings
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.topics import HALVES, tasks_of
from wolfspider.core.topic import Topic
from wolfspider.policy.judges.context_judge import InContext
from wolfspider.policy.judges.judge import scored
from wolfspider.web.worlds.without_lines import WithoutLines
from wolfspider.web.worlds.world import open_web

BORDER = InContext.BORDER  # of the raw value
LISTING = 0.2  # share of a page's words that stand in its own links
TRIED = np.geomspace(0.05, 0.9, 60)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Judged(NamedTuple):
    """All pages for one topic."""

    raw: Floats
    links: Floats
    relevant: Flags

    def f1(self, border: float) -> float:
        called = self.raw >= border
        return float(2 * (called & self.relevant).sum() / max(1, called.sum() + self.relevant.sum()))

    def listings(self, chosen: Flags) -> float:
        return float((self.links[chosen] >= LISTING).mean()) if chosen.any() else 0.0


def judged(reading: Reading) -> Iterator[Judged]:
    given = {name: Topic(task.topic.keywords, task.topic.description) for name, task in reading.tasks.items()}
    judges = {name: InContext(topic) for name, topic in given.items()}
    relevant = {topic: frozenset(map(key, task.relevant)) for topic, task in reading.tasks.items()}
    said: dict[str, list[tuple[float, float, bool]]] = {topic: [] for topic in judges}
    for page in reading.pages():
        for topic, judge in judges.items():
            evidence = scored(judge, page).evidence
            said[topic].append((evidence["raw"], evidence["links"], key(page.final_url) in relevant[topic]))
    for own in said.values():
        raw, links, labels = np.array(own, np.float64).reshape(-1, 3).T
        if labels.any():
            yield Judged(raw, links, labels > 0)


def row(found: Sequence[Judged]) -> list[str]:
    figures = np.array([[topic.f1(border) for border in TRIED] for topic in found])
    own = TRIED[figures.argmax(axis=1)]
    shared = int(figures.mean(axis=0).argmax())
    called = [topic.raw >= BORDER for topic in found]
    parts = (
        [np.ones_like(topic.relevant) for topic in found],
        [yes & ~topic.relevant for yes, topic in zip(called, found, strict=True)],
        [~yes & topic.relevant for yes, topic in zip(called, found, strict=True)],
    )
    shares = [np.mean([topic.listings(part) for topic, part in zip(found, each, strict=True)]) for each in parts]
    return [
        f"{len(found)}",
        f"{np.mean([topic.f1(BORDER) for topic in found]):.3f}",
        f"{figures.mean(axis=0)[shared]:.3f} ({TRIED[shared]:.2f})",
        f"{figures.max(axis=1).mean():.3f} ({own.min():.2f} to {own.max():.2f})",
        *(f"{share:.2f}" for share in shares),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", metavar="WEB")
    parser.add_argument("--half", choices=HALVES, default="choose")
    parser.add_argument("--order", action="append", choices=ORDERS)
    parser.add_argument("--without", default="", metavar="PATTERN", help="leave out the lines of pages that match")
    asked = parser.parse_args()
    wanted = Wanted(
        orders=asked.order or ORDERS, tasks=lambda world: tasks_of(world, None, (), world.start, half=asked.half)
    )
    rows = []
    for name in asked.webs:
        world = WithoutLines(open_web(name), asked.without) if asked.without else open_web(name)
        found: dict[str, list[Judged]] = {}
        for reading in readings(world, wanted):
            found.setdefault(reading.order, []).extend(judged(reading))
        rows += [[f"{world.name}, {order}", *row(topics)] for order, topics in found.items() if topics]
        print(f"{world.name}: done", file=sys.stderr)
    head = ["web, order", "topics", f"f1 at {BORDER}", "one border", "a border for each topic"]
    print(text_table([*head, "listings", "of wrong ones", "of missed ones"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
