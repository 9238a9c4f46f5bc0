"""The tables of all strategies on recorded webs, under both conditions: runs the bench and writes the docs.

    python benchmarks/strategy_tables.py DIR/wiki DIR/docs DIR/news --work results

DIR is a folder of recorded webs, each a folder of WARC with its topics.json. Every strategy crawls the topics of the
half to report on, once by one slot without rests and once by 16 slots with a second of rest, and by one slot with the
oracle as judge. It writes docs/benchmark-tables.md, and the main table in docs/benchmarks.md between its two marks.
Finished crawls are kept in the folder of --work: interrupted, it goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from arena import CHAMPION, RIVALS

from wolfspider.bench import Row
from wolfspider.bench.draw.condition_tables import side_by_side, table
from wolfspider.bench.draw.report import markdown_table, matrix, measure_of, on_the_way, ranked, topics_table
from wolfspider.bench.groups import grouped
from wolfspider.bench.run.runner import Bench, Silent, run
from wolfspider.bench.run.topics import HALVES
from wolfspider.bench.stats import compare
from wolfspider.strategies import all_strategies

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- strategy_tables.py: begin -->", "<!-- strategy_tables.py: end -->"
TESTS = (
    "Row minus column, mean difference over the pairs of web and topic, and in brackets Holm's adjusted p of\n"
    "Wilcoxon's signed-rank test; bold below 0.05. Two families are tested, each by itself."
)
FAMILIES = ("the other strategies", "the hunter and its rivals")
WATCHING = ("newshound", "poll")  # they look again at pages that are known, which finds nothing here


class Bar(Silent):
    """Says every hundredth crawl."""

    def done(self, cells: int, total: int, means: object) -> None:
        if cells % 100 == 0 or cells == total:
            print(f"{cells} of {total} crawls", file=sys.stderr, flush=True)


def page(rows: Sequence[Row], oracle: Sequence[Row], pages: int) -> Iterator[str]:
    yield "# Tables of the strategies\n"
    yield "This page has the full tables behind [benchmarks](benchmarks.md), which describes the recorded webs and sums"
    yield "up: every strategy on every topic of the half to [report on](bench.md#choosing-and-reporting). Made by\n"
    left_out = "" if oracle else " --no-oracle"
    yield f"    python benchmarks/strategy_tables.py DIR/wiki DIR/docs DIR/news --work results{left_out}\n"
    yield f"Each crawl has {pages:,} downloads. `auc_ratio` is the area under the curve of relevant pages found against"
    yield "downloads, divided by that of the [upper bound](bench.md); `min` is a crawl's minutes of virtual time.\n"
    yield f"## Both conditions\n\n{table(rows)}"
    for name, own in grouped(rows, itemgetter("condition")).items():
        yield f"\n## {name.capitalize()}\n"
        yield from _topics(own)
        yield f"\n### {name.capitalize()}: overview and tests\n\n{markdown_table(own)}"
        yield f"\nRecall on the way, after a share of the budget:\n\n{on_the_way(own)}"
        yield f"\n{TESTS}"
        for family, those in families(own).items():
            tests = matrix(compare(those, measure_of(those)), [rank.name for rank in ranked(those)])
            yield f"\nAmong {family}:\n\n{tests}"
    yield "\nSpeeds (`pages/s`) are those of a machine with other load. Memory (`MB`) is that of a process that had"
    yield "made other crawls before, so that it tells nothing of a strategy. Training is charged.\n"
    if oracle:
        yield "## Serial, with the oracle as judge\n"
        yield "The oracle gives a page's label as its score: 1 or 0. This measures the order of a crawl separately from"
        yield "the judging.\n"
        yield from _topics(oracle)


def families(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Those that are tested together: the more there are, the less Holm's correction lets any of them show."""
    return grouped(rows, lambda row: FAMILIES[row["strategy"] in (CHAMPION, *RIVALS)])


def _topics(rows: Sequence[Row]) -> Iterator[str]:
    for web, own in grouped(rows, itemgetter("web")).items():
        yield f"### {own[0]['condition'].capitalize()}: {web}{', oracle' * (own[0]['judge'] == 'oracle')}\n"
        yield f"{topics_table(own)}\n"


def put(path: Path, block: str) -> None:
    """Between the two marks of a page."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has lost the marks {BEGIN} and {END}.")
    path.write_text(f"{before}{BEGIN}\n\n{block}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", help="folders of WARC with a topics.json")
    parser.add_argument("--work", type=Path, required=True, help="a folder for results")
    parser.add_argument("--strategy", action="append", help="repeatable [default: all but those for watching]")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--no-oracle", action="store_true", help="leave out the tables of the oracle")
    options = parser.parse_args()
    bench = Bench(
        tuple(options.webs),
        tuple(options.strategy or (name for name in all_strategies() if name not in WATCHING)),
        options.pages,
        half=options.half,
        jobs=options.jobs,
        conditions=("serial", "live-like"),
    )
    rows = run(bench, options.work / "both.json", Bar()).rows
    put(DOCS / "benchmarks.md", table(rows))
    with_oracle = Bench(bench.webs, bench.strategies, bench.pages, half=options.half, jobs=options.jobs, judge="oracle")
    oracle = [] if options.no_oracle else run(with_oracle, options.work / "oracle.json", Bar()).rows
    path = DOCS / "benchmark-tables.md"
    path.write_text("\n".join(page(rows, oracle, options.pages)) + "\n", encoding="utf-8")
    found = side_by_side(rows)
    for name, sides in found.lines.items():
        told = " ".join(
            f"{condition}={side.mean:.3f}"
            for condition, side in zip(found.conditions, sides, strict=True)
            if side.mean is not None
        )
        print(f"{name}: {told}")
    return int(any(row["error"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
