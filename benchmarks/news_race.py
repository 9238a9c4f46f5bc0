"""The news race: who finds what is new soonest, with so many looks an hour?

    python benchmarks/news_race.py --out race.jsonl                        # synthetic sites, ten seeds
    python benchmarks/news_race.py --out race.jsonl --corpus DIR/news      # the recorded news sites, too
    python benchmarks/news_race.py --out race.jsonl --table                # what is there so far, as Markdown

Two tasks: the list pages are given, or everybody starts at the home page and has to discover them. Looks (at lists, or
at pages downloaded before) and first downloads of items are charged apart: the looks are what is limited. Every
finished run is a line in the file, and a run that is there is not made again, so the race can be stopped at any time.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from omniscient import Omniscient
from race_webs import RaceWeb, Site, recorded_site, synthetic_site

from wolfspider.bench import stats
from wolfspider.bench.run import fleets
from wolfspider.bench.run.topics import HALVES
from wolfspider.core import randomness
from wolfspider.core.events import Finish
from wolfspider.core.model import host_of
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import simulate, simulated_crawl
from wolfspider.engine.crawl import Limits
from wolfspider.policy.judges.judge import Unasked
from wolfspider.policy.poll_policies import POLICIES
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies import strategy_named

SEEDS = range(101, 111)  # nothing was chosen on these; 1 to 9 are for choosing
SITE_LOOKS, CORPUS_LOOKS = (25.0, 75.0, 240.0), (1.0, 3.0, 10.0)
FLEETS = ("WL", "RL", "WLRL")
GIVEN, DISCOVERED = "lists given", "lists to be discovered"
OMNISCIENT = "omniscient"
SITE = "site"  # the synthetic one
HOMES = ("http://old.felixonline.co.uk/", "http://www.discoverdev.io/")  # of the news corpus
FIGURES = ("in time", "mean lag", "median lag")


class Run(NamedTuple):
    web: str  # "site" or the folder of a corpus
    seed: int
    task: str
    racer: str
    looks: float  # an hour
    days: float
    articles: int


class Case(NamedTuple):
    items: float
    value: float  # of all of them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="where finished runs are kept")
    parser.add_argument("--corpus", type=Path, help="the folder of the recorded news sites")
    parser.add_argument("--seeds", type=int, nargs="*", default=list(SEEDS))
    parser.add_argument("--days", type=float, default=14.0)
    parser.add_argument("--articles", type=int, default=1200, help="of the synthetic site, a day")
    parser.add_argument(
        "--looks", type=float, nargs="*", default=list(SITE_LOOKS), help="an hour, on the synthetic site"
    )
    parser.add_argument(
        "--corpus-looks", type=float, nargs="*", default=list(CORPUS_LOOKS), help="an hour, on the recorded sites"
    )
    parser.add_argument("--weeks", type=float, default=27.0, help="of the recorded sites")
    parser.add_argument("--racers", nargs="*", default=racers())
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="only print what is there")
    parser.add_argument("--half", choices=HALVES, help="in tables: every other week of the recorded sites [all weeks]")
    given = parser.parse_args()
    kept = list(_kept(given.out))
    if not given.table:
        done = {Run(**row["run"]) for row in kept}
        wanted = [run for run in _runs(given) if run not in done]
        print(f"{len(wanted)} runs to make, {len(done)} are there.", flush=True)
        with Pool(given.jobs, maxtasksperchild=8) as pool, given.out.open("a") as out:
            race = partial(raced, folder=given.corpus)
            for count, row in enumerate(pool.imap_unordered(race, wanted), 1):
                print(json.dumps(row), file=out, flush=True)
                kept.append(row)
                _tell(count, len(wanted), row)
    print(table(kept, given.half))


def racers() -> list[str]:
    return [*FLEETS, *POLICIES, "newshound", OMNISCIENT]


def _runs(given: argparse.Namespace) -> Iterator[Run]:
    for task in (GIVEN, DISCOVERED):
        for racer in given.racers:
            if racer == OMNISCIENT and task == DISCOVERED:
                continue
            for seed in given.seeds:
                for looks in given.looks:
                    yield Run(SITE, seed, task, racer, looks, given.days, given.articles)
            if given.corpus is not None and racer != OMNISCIENT:
                for looks in given.corpus_looks:
                    yield Run(str(given.corpus.name), 0, task, racer, looks, given.weeks * 7, 0)


def raced(run: Run, folder: Path | None = None) -> dict[str, Any]:
    """One racer on one site."""
    began = time.process_time()
    reads_words = run.racer in FLEETS
    site = _site(run, not reads_words, folder)
    web = RaceWeb(site, run.looks)
    strategy = _strategy(run, site)
    hosts = {host_of(url) for url in site.homes}
    scope = Scope(within=lambda url: host_of(url) in hosts)
    limits = Limits(10**12)
    crawl = simulated_crawl(strategy, Unasked, web, limits, scope=scope)
    seeds = site.lists if run.task == GIVEN else site.homes
    simulate(crawl, web, start=site.start, seeds=seeds, commands=[(site.end, Finish())])
    return {"run": run._asdict(), **web.result(), "cpu": round(time.process_time() - began, 1)}


@lru_cache(maxsize=2)
def _made(web: str, seed: int, days: float, articles: int, light: bool) -> Site:
    if web == SITE:
        return synthetic_site(seed, days, articles, light)
    return recorded_site(Path(web), HOMES, days / 7)


def _site(run: Run, light: bool, folder: Path | None) -> Site:
    return _made(str(folder) if folder and run.web != SITE else run.web, run.seed, run.days, run.articles, light)


def _strategy(run: Run, site: Site) -> Strategy:
    rng = randomness.generator(run.seed, "race", run.racer, run.web)
    topic = Topic(("news",))
    if run.racer == OMNISCIENT:
        return Omniscient(site, run.looks, rng)
    if run.racer in FLEETS:
        model = fleets.model_of({"web": _spec(run)}) if run.web == SITE else "default"
        return strategy_named("foragers").new(topic, rng, {"fleet": run.racer, "pays": "new+fresh", "model": model})
    given = {"per_hour": run.looks, "pays": "new+fresh"}
    if run.racer in POLICIES:
        return strategy_named("poll").new(topic, rng, {"policy": run.racer, **given})
    return strategy_named(run.racer).new(topic, rng, given)


def _spec(run: Run) -> str:
    return fleets.news_site(run.seed, run.articles, ",listed=10,older=3")


def _kept(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text().splitlines():
            yield json.loads(line)


def _tell(count: int, of: int, row: dict[str, Any]) -> None:
    run = Run(**row["run"])
    about = f"{run.racer}, {run.task}, {run.looks:g} looks an hour, seed {run.seed}"
    print(f"{count}/{of} {about}: value {row['value']:.3f}, {row['cpu']} s", flush=True)


# The tables


def table(rows: Sequence[dict[str, Any]], half: str | None = None) -> str:
    """A table for each web, task and number of looks. On synthetic sites a case is a site; on recorded ones, of which
    there is one copy, it is a week, and one with more items counts more. A half of the weeks concerns values alone: the
    other columns are of all."""
    parts: dict[tuple[str, str, float], dict[str, dict[int, dict[str, Any]]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        run = Run(**row["run"])
        parts[run.web, run.task, run.looks][run.racer][run.seed] = row
    return "\n\n".join(_part(*about, rows_of, half) for about, rows_of in sorted(parts.items()))


def _part(web: str, task: str, looks: float, racers: dict[str, dict[int, dict[str, Any]]], half: str | None) -> str:
    what = "sites" if web == SITE else "weeks"
    lines = [
        f"### {web}, {task}, {looks:g} looks an hour\n",
        f"| racer | {what} | within 24 h | mean lag, h | median lag, h | value | items read | newshound is ahead by |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    cases = {name: _cases(web, runs, half) for name, runs in racers.items()}
    ahead = _ahead(cases)
    values = {name: _value(list(own.values())) for name, own in cases.items()}
    for name, value in sorted(values.items(), key=lambda each: -each[1]):
        runs = list(racers[name].values())
        within, mean, median = (_mean([row[figure] for row in runs]) for figure in FIGURES)
        low, high = _interval(list(cases[name].values()))
        read = _mean([row["downloads"] for row in runs])
        spread = f" ({low:.3f} to {high:.3f})" if len(cases[name]) > 1 else ""
        figures = f"{within:.3f} | {mean:.2f} | {median:.2f} | {value:.3f}{spread} | {read:,.0f}"
        lines.append(f"| {name} | {len(cases[name])} | {figures} | {ahead.get(name, '')} |")
    return "\n".join(lines)


def _cases(web: str, runs: Mapping[int, Mapping[str, Any]], half: str | None) -> dict[str, Case]:
    if web == SITE:
        return {str(seed): Case(1, row["value"]) for seed, row in runs.items()}
    return {
        f"{seed}, week {week}": Case(items, value)
        for seed, row in runs.items()
        for week, (items, value) in row["weeks"].items()
        if half in (None, HALVES[int(week) % len(HALVES)])
    }


def _value(cases: Sequence[Case]) -> float:
    return sum(case.value for case in cases) / sum(case.items for case in cases)


def _ahead(cases: Mapping[str, Mapping[str, Case]]) -> dict[str, str]:
    """Mean difference of values in the same cases, in how many it is ahead, and Wilcoxon's p with Holm's correction."""
    rows = [
        {"strategy": name, "web": SITE, "topic": about, "value": case.value / case.items, "error": None}
        for name, own in cases.items()
        for about, case in own.items()
    ]
    compared = stats.against(rows, "newshound", "value") if "newshound" in cases else []
    return {
        each.second: f"{each.difference:+.3f} ({each.wins} of {each.pairs}, {_p(each.adjusted)})" for each in compared
    }


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def _mean(values: Sequence[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return sum(there) / len(there) if there else math.nan


def _interval(cases: Sequence[Case]) -> tuple[float, float]:
    """Of the value of an item, over samples of cases."""
    return stats.interval_of(np.asarray(cases), lambda means: means[:, 1] / means[:, 0])


if __name__ == "__main__":
    main()
