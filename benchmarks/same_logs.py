"""Does a change of the code change what crawls do? The full log of a seeded crawl of every strategy, kept and compared.

    python benchmarks/same_logs.py keep logs.json.gz       before the change
    python benchmarks/same_logs.py compare logs.json.gz    after it
    python benchmarks/same_logs.py compare logs.json.gz --letter

Each strategy crawls a computed web with each of its variants, at one slot and at four, with a delay; commands are
obeyed in between. The log is every event as `crawl --json` tells it, in order, and the entries of the journal that a
run would be resumed from. `compare` names the first line that differs, and ends with exit code 1 if there is one. With
`--letter` all strategies keep to the letter of their papers, which no change of a default may alter.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wolfspider.app.event_json import told
from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core import codec
from wolfspider.core.events import Command, Label, Pause, Resume, SetLimit
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Link
from wolfspider.core.params import LETTER
from wolfspider.drivers.simulated import simulate
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import WORDS, Entry
from wolfspider.strategies import all_strategies
from wolfspider.web.worlds.synthetic import Synthetic

WEB = "synthetic:pages=2000,seed=3"
PAGES = 150
TOPICS = 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("keep", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--letter", action="store_true", help="keep to the letter of the papers")
    asked = parser.parse_args()
    logs = dict(all_logs({LETTER: True} if asked.letter else {}))
    if asked.what == "keep":
        asked.file.write_bytes(gzip.compress(json.dumps(logs).encode(), mtime=0))
        print(f"crawls={len(logs)} lines={sum(map(len, logs.values()))}")
        return 0
    before: dict[str, list[str]] = json.loads(gzip.decompress(asked.file.read_bytes()))
    different = [name for name in sorted(before.keys() | logs.keys()) if not same(name, before, logs)]
    print(f"crawls={len(logs)} lines={sum(map(len, logs.values()))} different={len(different)}")
    return 1 if different else 0


def same(name: str, before: dict[str, list[str]], now: dict[str, list[str]]) -> bool:
    if name not in before or name not in now:
        print(f"{name}: only {'now' if name in now else 'before'}")
        return False
    old, new = before[name], now[name]
    for number, (was, is_now) in enumerate(zip(old, new, strict=False), 1):
        if was != is_now:
            print(f"{name}, line {number}:\n  before: {was[:500]}\n  now:    {is_now[:500]}")
            return False
    if len(old) != len(new):
        print(f"{name}: {len(old)} lines before, {len(new)} now")
    return len(old) == len(new)


def all_logs(given: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for name, kind in all_strategies().items():
        for number, variant in enumerate(kind.variants):
            if given.keys().isdisjoint(variant):  # else it is the same as another
                for slots in (1, 4):
                    yield f"{name} {number} slots={slots}", log(name, {**given, **variant}, slots)
        print(f"{name}: done", file=sys.stderr)


def log(strategy: str, variant: Any, slots: int) -> list[str]:
    """Everything that happens in one crawl, a line each."""
    world = Synthetic.parse(WEB)
    lines: list[str] = []
    for topic, task in list(world.tasks().items())[:TOPICS]:
        settings = {name: str(value) for name, value in variant.items()}
        given: dict[str, Any] = {"settings": settings, "slots": slots, "hurry": AT_ONCE, "seed": 1}
        cell = Cell(WEB, world.name, topic, strategy, 0, PAGES, "classifier", world.start, **given)
        crawl = new_crawl(cell, task, world, world)
        crawl.limits.delay = 0.5
        crawl.listen(lambda event: lines.append(json.dumps(told(event), sort_keys=True)))
        written(crawl, lines)
        crawl.begin([Link(url) for url in task.seeds], now=world.start)
        simulate(crawl, world, start=world.start, commands=commands(world.start, task.seeds[0]))
    return lines


def written(crawl: Crawl, lines: list[str]) -> None:
    """The journal as well. Pages are told by their digest: a line for each of their words would say no more."""

    def write(entry: Entry) -> None:
        parts = [getattr(part, "digest", None) or codec.plain(part) for part in (WORDS[type(entry)], *entry)]
        lines.append(json.dumps(parts, sort_keys=True, default=repr))

    crawl._write = write


def commands(start: float, url: str) -> list[tuple[float, Command]]:
    """What a person does while it runs."""
    given = (SetLimit("slots", 3), Label(url, True), Pause(), Resume(), SetLimit("pages", PAGES - 10))
    return [(start + 10.0 * place, command) for place, command in enumerate(given, 1)]


if __name__ == "__main__":
    sys.exit(main())
