"""What the defaults of strategies gain over the letter of their papers: mean auc_ratio of both on the same topics.

    python benchmarks/letters.py WEB... [--half report] [--pages 500] [--strategy NAME]... [--set STRATEGY.NAME=VALUE]

Defaults are chosen on one half of the topics of recorded webs, and on synthetic webs with a seed below 100; reported is
what they do on the other half, and on synthetic webs with another seed. The means are over topics, for each web and for
all; synthetic webs are one column together. Cells are kept in build/, so that the same command again is quick.
`--strategy` is by default every strategy whose default is not its letter. `--set` is for the default alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from wolfspider.bench import Row
from wolfspider.bench.run.runner import ALL, Bench, read_settings, run
from wolfspider.bench.run.topics import HALVES
from wolfspider.core.errors import Problem
from wolfspider.core.params import DEFAULT_JUDGE, LETTER, parameters
from wolfspider.strategies import all_strategies
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import open_web

OUT = Path("build/letters.json")  # with the cells beside it
FIRST_REPORTED = 100  # seed of a synthetic web
SYNTHETIC = 4  # topics of each synthetic web

Means = Mapping[str, float]  # by web, and of all topics under ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", metavar="WEB")
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument("--judge", default=DEFAULT_JUDGE)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    names = asked.strategy or [name for name in all_strategies() if differs(name)]
    rows: dict[str, list[Row]] = {"letter": [], "default": []}
    for web in asked.webs:
        given = {
            "judge": asked.judge,
            "jobs": asked.jobs,
            "half": asked.half,
            "most_topics": most_topics(web, asked.half),
        }
        for kind, settings in (("letter", {ALL: {LETTER: "true"}}), ("default", read_settings(asked.settings))):
            OUT.parent.mkdir(exist_ok=True)
            rows[kind] += run(Bench((web,), tuple(names), asked.pages, settings=settings, **given), OUT).rows
            print(f"{web}, {kind}: done", file=sys.stderr)
    print(table(names, {kind: {name: means(own, name) for name in names} for kind, own in rows.items()}))
    return 0


def differs(name: str) -> bool:
    return any(known.letter != known.default for known in parameters(all_strategies()[name].Params).values())


def most_topics(web: str, half: str) -> int | None:
    """A synthetic web has many. Problem if it belongs to the other half by its seed."""
    world = open_web(web)
    if not isinstance(world, Synthetic):
        return None
    if (world.params.seed >= FIRST_REPORTED) != (half == "report"):
        raise Problem(f"{web} is not for the half {half}: seeds from {FIRST_REPORTED} on are for reporting.")
    return SYNTHETIC


def means(rows: Sequence[Row], strategy: str) -> Means:
    found: dict[str, list[float]] = {}
    for row in rows:
        if row["strategy"] == strategy and row["auc_ratio"] is not None:
            web = "synthetic" if row["web"].startswith("synthetic") else row["web"]
            for group in (web, ""):
                found.setdefault(group, []).append(row["auc_ratio"])
    return {web: sum(figures) / len(figures) for web, figures in found.items()}


def table(names: Sequence[str], both: Mapping[str, Mapping[str, Means]]) -> str:
    webs = [web for web in both["default"][names[0]] if web]
    head = ["strategy", *(f"{web or 'mean'}, {kind}" for web in ["", *webs] for kind in both)]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for name in sorted(names, key=lambda name: -both["default"][name].get("", 0.0)):
        figures = [both[kind][name].get(web) for web in ["", *webs] for kind in both]
        lines.append([name, *("" if figure is None else f"{figure:.3f}" for figure in figures)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
