"""The arena: the hunter, its rivals and all other strategies on the same webs, from several starts, with statistics.

    python benchmarks/arena.py DIR/wiki DIR/docs DIR/news --whole FRESH --out results --jobs 2
    python benchmarks/arena.py --quick --out results
    python benchmarks/arena.py DIR/wiki DIR/docs --ablate hunter --half choose --out results

Webs are folders of WARC with a topics.json; topics are those of the half to report on, of webs given by --whole all,
and of these the few that --topics says, evenly spread over the list. Synthetic webs come with it: easy, hard, with
traps, and with a link farm. What is run comes in portions, the most telling first (see `planned`), and in each a topic
of every web before the next one, so that what is there at any time can be compared. The estimate of every portion
comes first. Finished crawls are kept in OUT/arena.jsonl: interrupted, by Ctrl-C or by --hours, it goes on where it was.
OUT/arena.md and OUT/arena.svg are the results; --ablate writes OUT/ablation.md, for each --without, or for each choice
of the parameter `off`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Container, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from arena_cells import FARM, ArenaCell, ArenaWeb, Entry, JsonLines, Place, cells, places, play
from arena_page import ablation, page, picture

from wolfspider.bench import Row
from wolfspider.bench.conditions import CONDITIONS
from wolfspider.bench.run.pool import run_cells
from wolfspider.bench.run.result_cache import write_whole
from wolfspider.bench.run.runner import read_settings
from wolfspider.bench.run.topics import HALVES
from wolfspider.core.params import LETTER, chosen, parameters
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.strategies import all_strategies

CHAMPION = "hunter"
RIVALS = ("nb-link", "ache", "soft-focus", "linucb", "tagpath-bandit", "rl-spider", "tres")
BEST = ("spider-best-first", "best-first", "lafc", "shark")  # of the others, in the tables of docs/benchmarks.md
SYNTHETIC = (  # easy, hard, with traps and other mischief, and beside a link farm; seeds from 100 are for reports
    "synthetic:pages=20000,seed=101,mischief=0",
    "synthetic:pages=20000,seed=102,mischief=0,hard=1",
    "synthetic:pages=20000,seed=103",
    f"{FARM}synthetic:pages=20000,seed=104",
)
CHOOSING = 100  # less is taken from the seed where settings are chosen
PAIRS, ABLATION_STARTS = 30, 3  # that an ablation takes at least
LONGER = (3000, 10_000)
ORACLE = "oracle"
PROBE = 60  # downloads of a crawl that measures what a download of a strategy costs
OFF = "off"  # the parameter that switches parts of a strategy off


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run."""

    pages: int
    starts: int
    topics: int | None  # of a recorded web; None: all
    synthetic_topics: int
    judges: tuple[str, ...]
    longer: tuple[int, ...]
    others: bool


FULL = Size(1000, 5, 3, 1, (DEFAULT_JUDGE, ORACLE), LONGER, True)
QUICK = Size(250, 2, 2, 1, (DEFAULT_JUDGE,), (), False)

Portion = tuple[str, list[ArenaCell]]  # what it is, and its crawls


def entries(names: Sequence[str], letters: Container[str] | None = None) -> list[Entry]:
    """Those that are registered, also as published (of `letters`, if given) where a strategy differs by default."""
    known = all_strategies()
    if missing := [name for name in names if name not in known]:
        print(f"not registered, so left out: {', '.join(missing)}", file=sys.stderr)
    made = []
    for name in names:
        if name in known:
            made.append(Entry(name, name))
            differs = any(each.letter != each.default for each in parameters(known[name].Params).values())
            if differs and (letters is None or name in letters):
                made.append(Entry(f"{name} (letter)", name, {LETTER: "true"}))
    return made


def parts(strategy: str, without: Sequence[str] = ()) -> list[Entry]:
    """The strategy, and what is left of it without each part: by these settings, or by the choices of `off`."""
    if strategy not in all_strategies():
        raise SystemExit(f"There is no strategy {strategy!r}.")
    kind = all_strategies()[strategy]
    known = parameters(kind.Params)
    if not without and OFF not in known:
        raise SystemExit(f"{strategy} has no parameter {OFF!r}: name what switches a part off, --without NAME=VALUE.")
    given = without or [f"{OFF}={value}" for value in known[OFF].choices if value != known[OFF].default]
    made = [Entry(text, strategy, settings) for text in given for settings in read_settings([text]).values()]
    for entry in made:
        chosen(kind.Params, entry.settings)
    return [Entry(strategy, strategy), *made]


def planned(size: Size, webs: Sequence[ArenaWeb], mains: Sequence[Entry], conditions: Sequence[str]) -> list[Portion]:
    """All crawls, in portions, the most telling first. Those with the oracle, which tell orders from judging, have the
    first condition alone. Longer crawls have the last one alone; they are of one topic of each web, as long as it has
    pages for, with the figures of shorter ones on the way."""
    most = max(size.pages, *size.longer, 0)
    found = [place for web in webs for place in places(web, size.starts, most)]
    found.sort(key=lambda place: (place.start, place.turn))
    first, later = ([place for place in found if bool(place.start) == again] for again in (False, True))
    known = {entry.strategy for entry in mains}
    others = [Entry(name, name) for name in all_strategies() if name not in known] if size.others else []

    def crawls(those: Sequence[Entry], on: Sequence[Place], judge: str) -> list[ArenaCell]:
        return [*cells(those, on, size.pages, conditions[:1] if judge == ORACLE else conditions, (judge,))]

    made = [(f"first start, judge {judge}", crawls(mains, first, judge)) for judge in size.judges]
    made += [(f"all other strategies, judge {judge}", crawls(others, first, judge)) for judge in size.judges]
    made += [(f"{size.starts - 1} more starts, judge {judge}", crawls(mains, later, judge)) for judge in size.judges]
    long = [
        one
        for place in first
        if place.turn == 0 and (lengths := [pages for pages in size.longer if place.size >= pages])
        for one in cells(mains, [place], max(lengths), conditions[-1:], (DEFAULT_JUDGE,))
    ]
    made.append(("longer crawls", long))
    return [portion for portion in made if portion[1]]


def estimate(portions: Sequence[Portion], kept: JsonLines, jobs: int) -> None:
    """Print what each portion takes, from the processor time of each strategy's downloads, so far on the same web, so
    far on any, or in a short crawl."""
    spent: dict[tuple[str, ...], list[float]] = {}
    left: dict[str, list[ArenaCell]] = {}
    for name, own in portions:
        results = [(each, kept.get(each.key)) for each in own]
        left[name] = [each for each, result in results if result is None]
        for each, result in results:
            if result is not None:
                note(spent, each, result)
    for each in chain(*left.values()):
        if (each.entry.name,) not in spent:
            note(spent, each, play(replace(each.cell, pages=PROBE), each.on.task, each.start, each.farmed))
    minutes = 0.0
    for name, own in portions:
        known = (spent.get((each.entry.name, each.cell.web)) or spent[each.entry.name,] for each in left[name])
        part = sum(each.cell.pages * fmean(costs) for each, costs in zip(left[name], known, strict=True)) / jobs / 60
        minutes += part
        print(f"{name}: {len(own)} crawls, {len(own) - len(left[name])} of them kept; about {part:.0f} minutes")
    print(f"all: {sum(len(own) for _, own in portions)} crawls; about {minutes:.0f} minutes", flush=True)


def note(spent: dict[tuple[str, ...], list[float]], each: ArenaCell, result: Mapping[str, Any]) -> None:
    cost = result["cpu"] / max(1, result["downloads"])
    for group in ((each.entry.name,), (each.entry.name, each.cell.web)):
        spent.setdefault(group, []).append(cost)


def run(portions: Sequence[Portion], kept: JsonLines, jobs: int, hours: float) -> tuple[list[Row], bool]:
    """The rows that are there in the end, and whether it was interrupted by a person."""
    kept.prepare()
    estimate(portions, kept, jobs)
    made = [each for _, own in portions for each in own]
    keys = [each.key for each in made]
    calls = [(each.cell, each.on.task, each.start, each.farmed) for each in made]
    rows: list[Row] = []
    until, told = time.monotonic() + hours * 3600, time.monotonic()
    try:
        with closing(run_cells(play, calls, keys, kept, jobs)) as results:
            for number, result in results:
                rows.append(made[number].row(result))
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    print(f"{len(rows)} of {len(made)} crawls", file=sys.stderr, flush=True)
                if time.monotonic() > until and len(rows) < len(made):
                    print(f"{hours:g} hours are over; run it again to go on.", file=sys.stderr)
                    break
    except KeyboardInterrupt:
        print("interrupted: finished crawls are kept; run it again to go on.", file=sys.stderr)
        return rows, True
    return rows, False


def webs_of(options: argparse.Namespace, size: Size) -> list[ArenaWeb]:
    recorded = [ArenaWeb(web, options.half, size.topics) for web in options.webs]
    recorded += [ArenaWeb(web, None, size.topics) for web in options.whole]
    if options.no_synthetic:
        return recorded
    shift = CHOOSING if options.half == "choose" else 0
    specs = [moved(spec, shift) for spec in SYNTHETIC]
    if options.ablate:  # a seed for each web, so that no pair is like another
        specs = [moved(spec, shift - 4 * turn) for turn in range(2) for spec in specs[:3]]
        return recorded + [ArenaWeb(spec, None, -(-PAIRS // len(specs))) for spec in specs]
    return recorded + [ArenaWeb(spec, None, size.synthetic_topics) for spec in specs]


def moved(spec: str, by: int) -> str:
    """The web of a smaller seed."""
    before, _, rest = spec.partition("seed=")
    seed, comma, after = rest.partition(",")
    return f"{before}seed={int(seed) - by}{comma}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="*", help="folders of WARC with a topics.json")
    parser.add_argument("--whole", action="append", default=[], help="a web of which all topics count; repeatable")
    parser.add_argument("--out", type=Path, required=True, help="a folder for results")
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--strategy", action="append", help="only this one; repeatable [all]")
    parser.add_argument("--leave-out", action="append", default=[], metavar="STRATEGY", help="not now; repeatable")
    parser.add_argument("--ablate", metavar="STRATEGY", help="switch its parts off, one at a time")
    parser.add_argument("--without", action="append", default=[], metavar="NAME=VALUE", help="a part of it; repeatable")
    parser.add_argument("--condition", action="append", choices=CONDITIONS, help="repeatable [both]")
    parser.add_argument("--judge", action="append", choices=FULL.judges, help="repeatable [both]")
    parser.add_argument("--quick", action="store_true", help="a rough answer in 5 minutes")
    parser.add_argument("--no-synthetic", action="store_true", help="recorded webs alone")
    parser.add_argument("--starts", type=int)
    parser.add_argument("--pages", type=int)
    parser.add_argument("--topics", type=int, help=f"at most so many of each recorded web [{FULL.topics}]")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hours", type=float, help="stop after these [3; with --quick a twelfth]")
    parser.add_argument("--page", action="store_true", help="run nothing: write the page of what is kept")
    parser.add_argument("--plan", action="store_true", help="print the estimate and stop")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    if options.ablate:
        size = replace(size, starts=ABLATION_STARTS, judges=(DEFAULT_JUDGE,), longer=(), others=False)
    if options.strategy:
        size = replace(size, others=False)
    if options.judge:
        size = replace(size, judges=tuple(options.judge))
    given = {name: getattr(options, name) for name in ("starts", "pages", "topics") if getattr(options, name)}
    size = replace(size, **given)
    mains = (
        parts(options.ablate, options.without)
        if options.ablate
        else entries(options.strategy or (CHAMPION, *RIVALS, *BEST), {*(options.strategy or RIVALS)} - {CHAMPION})
    )
    made = planned(size, webs_of(options, size), mains, options.condition or tuple(CONDITIONS))
    made = [(name, [each for each in own if each.cell.strategy not in options.leave_out]) for name, own in made]
    kept = JsonLines(options.out / "arena.jsonl")
    if options.plan:
        kept.prepare()
        estimate(made, kept, options.jobs)
        return 0
    interrupted, failed = False, False
    if options.page:
        kept.prepare()
    else:
        rows, interrupted = run(made, kept, options.jobs, options.hours or (1 / 12 if options.quick else 3))
        failed = any(row["error"] for row in rows)
    report(comparable(made, kept), made, options, size)
    return 130 if interrupted else int(failed)


def comparable(portions: Sequence[Portion], kept: JsonLines) -> list[Row]:
    """The rows of what is there: of each topic, start, condition and judge, if all of the portion have crawled it."""
    rows = []
    for _, own in portions:
        for _, same in groupby(own, lambda each: (each.on.web_name, each.cell.topic, each.start, each.cell.slots)):
            crawls = [(each, kept.get(each.key)) for each in same]
            results = [each.row(result) for each, result in crawls if result is not None]
            rows += results if len(results) == len(crawls) else []
    return rows


def report(rows: Sequence[Row], portions: Sequence[Portion], options: argparse.Namespace, size: Size) -> None:
    if not rows:
        return
    if options.ablate:
        write_whole(options.out / "ablation.md", "\n".join(ablation(rows, options.ablate)))
        print(f"written: {options.out / 'ablation.md'}")
        return
    names = list(dict.fromkeys(row["strategy"] for row in rows))
    champion = CHAMPION if CHAMPION in names else names[0]
    whole = "".join(f", of {Path(web).name} of all" for web in options.whole)
    planned = sum(len(own) for _, own in portions)
    told = [
        f"{len(rows):,} of {planned:,} planned crawls; up to {size.starts} starts.",
        f"Up to {size.topics} topics of a recorded web, evenly spread over those of the half {options.half}{whole}.",
        "![The live-like condition](arena.svg)",
    ]
    write_whole(options.out / "arena.md", "\n".join(page(rows, champion, size.pages, told)))
    conditions = options.condition or list(CONDITIONS)
    write_whole(options.out / "arena.svg", picture(rows, conditions[-1], size.pages))
    print(f"written: {options.out / 'arena.md'}, {options.out / 'arena.svg'}")


if __name__ == "__main__":
    sys.exit(main())
