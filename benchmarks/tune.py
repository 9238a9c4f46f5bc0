"""Tune a strategy: so many trials of its parameters on the topics for choosing, each kept, and the table of all.

    python benchmarks/tune.py STRATEGY WEB... --record FILE.jsonl [--trials 20] [--pages 500] [--topics 3]
                              [--range NAME=LOW:HIGH]... [--set NAME=VALUE]...

The first trial has the defaults. The others draw every parameter from its range, evenly spread over the space (a
sequence of Weyl, no chance): numbers whose range spans more than a factor of a hundred by their logarithm, choices and
switches alike. The ranges are those that the strategy declares; `--range` narrows one, `--set` fixes a value. Only
topics with an even place in a web's list are used, the first --topics of them. A trial in the record is not run again:
interrupted, the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from wolfspider.bench import Row
from wolfspider.bench.groups import grouped
from wolfspider.bench.run.cell import Cell, measure
from wolfspider.bench.run.crawls import row_of
from wolfspider.bench.run.topics import Assignment, WebBounds, bounds_cache, tasks_of
from wolfspider.core.params import DEFAULT_JUDGE, Param, parameters
from wolfspider.strategies import strategy_named
from wolfspider.web.worlds.world import World, open_web

WIDE = 100.0  # high / low from which on a number is drawn by its logarithm

Trial = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strategy")
    parser.add_argument("webs", nargs="+", metavar="WEB")
    parser.add_argument("--record", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--topics", type=int, default=3, help="of each web, at the most")
    parser.add_argument("--range", action="append", default=[], dest="ranges", metavar="NAME=LOW:HIGH")
    parser.add_argument("--set", action="append", default=[], dest="fixed", metavar="NAME=VALUE")
    parser.add_argument("--judge", default=DEFAULT_JUDGE)
    asked = parser.parse_args()
    known = narrowed(parameters(strategy_named(asked.strategy).Params), asked.ranges)
    fixed = dict(text.split("=", 1) for text in asked.fixed)
    asked.record.parent.mkdir(parents=True, exist_ok=True)
    on = grounds(asked.webs, asked.pages, asked.topics)
    done: list[Trial] = []
    kept = list(recorded(asked.record))
    for number, drawn in enumerate(draws({name: one for name, one in known.items() if name not in fixed})):
        if number >= asked.trials:
            break
        about = {
            "strategy": asked.strategy,
            "judge": asked.judge,
            "pages": asked.pages,
            "topics": asked.topics,
            "webs": [Path(web).name for web in asked.webs],
            "settings": {**{name: str(value) for name, value in drawn.items()}, **fixed},
        }
        trial = next((one for one in kept if about.items() <= one.items()), None)
        if trial is None:
            trial = about | tried(about, on)
            with asked.record.open("a", encoding="utf-8") as file:
                print(json.dumps(trial), file=file)
            print(f"trial {number}: {trial['mean']:.3f}", file=sys.stderr, flush=True)
        done.append(trial)
    print(table(done))
    return 0


def grounds(webs: Sequence[str], pages: int, topics: int) -> list[tuple[World, Assignment]]:
    """The topics to choose on, each with its web, opened once."""
    found: list[tuple[World, Assignment]] = []
    for web in webs:
        world = open_web(web)
        bounds = WebBounds(world, world.start, pages, bounds_cache())
        tasks = tasks_of(world, None, (), world.start, half="choose")
        found += [
            (world, Assignment(web, world.name, world.digest(), world.start, task, bounds.of(task)))
            for task in islice(tasks.values(), topics)
        ]
    return found


def tried(about: Trial, on: Sequence[tuple[World, Assignment]]) -> Trial:
    rows = []
    for world, ground in on:
        cell = Cell(
            web=ground.web,
            web_name=ground.web_name,
            topic=ground.task.topic.name,
            strategy=about["strategy"],
            repeat=0,
            pages=about["pages"],
            judge=about["judge"],
            start=ground.start,
            settings=about["settings"],
        )
        rows.append(row_of(cell, ground, measure(cell, ground.task, world)))
    failed = next((row["error"] for row in rows if row["error"]), None)
    if failed:
        raise SystemExit(f"{about['settings']}: {failed}")
    by_web = {web: mean(own) for web, own in grouped(rows, itemgetter("web")).items()}
    topics = {f"{row['web']}: {row['topic']}": round(row["auc_ratio"], 4) for row in rows}
    return {"mean": sum(by_web.values()) / len(by_web), "by_web": by_web, "by_topic": topics}


def mean(rows: Sequence[Row]) -> float:
    return float(sum(row["auc_ratio"] for row in rows) / len(rows))


def recorded(path: Path) -> Iterator[Trial]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):  # not the torn end of an interrupted write
                yield json.loads(line)


def narrowed(known: Mapping[str, Param], ranges: Sequence[str]) -> dict[str, Param]:
    found = dict(known)
    for text in ranges:
        name, _, bounds = text.partition("=")
        low, _, high = bounds.partition(":")
        found[name] = dataclasses.replace(found[name], low=float(low), high=float(high))
    return found


def draws(known: Mapping[str, Param]) -> Iterator[dict[str, Any]]:
    """First the defaults, by name, so that a record of others is not taken for theirs; then other values, for ever."""
    yield {name: one.default for name, one in known.items()}
    step = _root(len(known))
    number = 0
    while True:
        number += 1
        places = ((0.5 + number * step ** -(place + 1)) % 1.0 for place in range(len(known)))
        yield {name: _value(one, place) for (name, one), place in zip(known.items(), places, strict=True)}


def _root(dimensions: int) -> float:
    """The root of x^(d+1) = x + 1, whose powers spread points evenly over d dimensions."""
    root = 1.5
    for _ in range(100):
        root = (1 + root) ** (1 / (dimensions + 1))
    return root


def _value(one: Param, place: float) -> Any:
    if one.kind == "bool":
        return place >= 0.5
    if one.choices:
        return one.choices[int(place * len(one.choices))]
    if one.low is None or one.high is None:
        return one.default
    shift = 1.0 if one.low <= 0 else 0.0  # a range from 0 on has no logarithm
    low, high = one.low + shift, one.high + shift
    if high / low > WIDE:
        value = math.exp(math.log(low) + place * math.log(high / low)) - shift
    else:
        value = one.low + place * (one.high - one.low)
    return round(value) if one.kind == "int" else round(value, 4)


def table(done: Sequence[Trial]) -> str:
    """All trials, the best first; trial 0 has the defaults."""
    webs = list(done[0]["by_web"])
    lines = [["trial", "mean", *webs, "settings"], ["---:", "---:", *["---:"] * len(webs), "---"]]
    for number, trial in sorted(enumerate(done), key=lambda pair: -pair[1]["mean"]):
        settings = ", ".join(f"{name}={value}" for name, value in trial["settings"].items())
        figures = (f"{trial['by_web'][web]:.3f}" for web in webs)
        lines.append([str(number), f"{trial['mean']:.3f}", *figures, settings])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
