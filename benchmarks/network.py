"""What a network of learning automata learns, in a picture: the chances of the links of one page, crawl after crawl.

    python benchmarks/network.py [FILE]     # default: docs/images/lafc/chances.svg

A topic of a computed web is crawled sixty times by LAFC, each crawl with the automata of the one before. The page that
is drawn is the one whose automaton is surest in the end, among those with at least eight links, two of them to pages
of the topic; the colour of a link says how near the page it leads to is to the topic.
"""

from __future__ import annotations

import sys
from pathlib import Path

from wolfspider.bench.draw.svg import PALETTE, SOFT, Figure
from wolfspider.bench.papers.akbari_lafc.cells import ground_of, run
from wolfspider.bench.papers.akbari_lafc.tally import Nearness
from wolfspider.strategies.lafc import Lafc

SETTING = {
    "web": "synthetic:pages=20000,topics=16,seed=1",
    "place": 0,
    "start": "directory",
    "keywords": 5,
    "budget": 500,
    "strategy": "lafc",
    "settings": {"decay": 1.0},
    "crawls": 60,
}
LINKS, NEAR_LINKS = 8, 2
NEAR = 0.75  # similarity of a relevant page

Chances = dict[str, dict[str, float]]  # of the links of each page


def chances(strategy: Lafc) -> Chances:
    def url(number: int) -> str:
        return strategy.addresses.record(number).link.url

    return {
        url(page): {url(action): chance for action, chance in zip(one.actions, one.chances, strict=True)}
        for page, one in strategy.network.automata.items()
    }


def learned() -> tuple[list[Chances], dict[str, float]]:
    """After each crawl, and how near each page was."""
    nearness = Nearness()
    found = []
    for epoch in run(SETTING, ground_of(SETTING), lambda number, crawl: crawl.listen(nearness)):
        assert isinstance(epoch.crawl.strategy, Lafc)
        found.append(chances(epoch.crawl.strategy))
    return found, nearness.of


def chosen(history: list[Chances], near: dict[str, float]) -> str:
    """A page that every crawl knew."""
    last = history[-1]

    def tells(page: str) -> bool:
        links = last[page]
        promising = sum(near.get(link, 0.0) >= NEAR for link in links)
        return len(links) >= LINKS and promising >= NEAR_LINKS and all(page in crawl for crawl in history)

    return max(filter(tells, last), key=lambda page: max(last[page].values()))


def figure(history: list[Chances], near: dict[str, float]) -> Figure:
    page = chosen(history, near)
    links = history[-1][page]
    drawn = Figure(f"The {len(links)} links of one page", "crawl", "chance to be followed", y_range=(0, 1))
    crawls = range(1, len(history) + 1)
    named: set[str] = set()
    for link in sorted(links, key=links.__getitem__, reverse=True):
        relevant = near.get(link, 0.0) >= NEAR
        label = "leads to a page of the topic" if relevant else "leads elsewhere"
        values = [crawl[page].get(link, 0.0) for crawl in history]
        colour = PALETTE[0] if relevant else SOFT
        drawn.line(crawls, values, "" if label in named else label, colour=colour)
        named.add(label)
    return drawn


def main(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(figure(*learned()).svg(), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/lafc/chances.svg"))
