"""The page of the arena: its tables as Markdown, and the picture of the live-like condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np
from arena_cells import TWICE

from wolfspider.bench import Row
from wolfspider.bench.draw.dots import dot_plot
from wolfspider.bench.draw.report import text_table
from wolfspider.bench.groups import grouped, mean, where
from wolfspider.bench.stats import Comparison, against, by_work, interval, shares_near_best, shares_under, spread

LOW, NEAR = 0.3, 0.75  # what a crawl must not stay under; the share of a pair's best that is near it
MOST_LOSSES = 25


def at(stop: int | str) -> str:
    """The figure after so many downloads."""
    return f"at.{stop}"


def page(rows: Sequence[Row], champion: str, pages: int, told: Sequence[str]) -> Iterator[str]:
    yield "# The arena\n"
    yield from (f"{line}\n" for line in told)
    yield (
        "`mean` is the mean auc_ratio over pairs of web and topic, starts averaged, with its 95 % bootstrap interval"
        f" and `sd` between pairs; `under {LOW:g}` is the share of crawls, `near best` that of pairs with at least"
        f" {NEAR:g} of the pair's best; `{TWICE}` is the mean after twice as many downloads as there are reachable"
        " relevant pages; `hosts` is relevant hosts found.\n"
    )
    main = [row for row in rows if row["pages"] == pages]
    for (condition, judge), own in grouped(main, itemgetter("condition", "judge")).items():
        longer = [
            row for row in rows if row["pages"] > pages and (row["condition"], row["judge"]) == (condition, judge)
        ]
        yield f"## {condition.capitalize()}, judge {judge}, {pages:,} downloads\n"
        yield f"{overview(own, longer, pages)}\n"
        yield from tests(own, champion)
        yield from losses(own, champion)
    yield from long_crawls([row for row in rows if row["pages"] > pages])
    yield from farms(main)
    yield from failures(rows)


def overview(rows: Sequence[Row], longer: Sequence[Row], pages: int) -> str:
    webs = list(dict.fromkeys(row["web"] for row in rows))
    works, early, twice = by_work(rows), by_work(rows, at(250)), _twice(rows, longer)
    low, near = shares_under(rows, LOW), shares_near_best(rows, NEAR)
    figures_of = ["pairs", "mean", "interval", "sd", f"under {LOW:g}", "near best", "after 250", TWICE, "hosts"]
    body = []
    for name in sorted(works, key=lambda name: -_mean(works[name].values())):
        figures = [*works[name].values()]
        if not figures:
            continue
        bottom, top = interval(np.asarray(figures))
        own = where(rows, strategy=name)
        body.append(
            [
                name,
                str(len(figures)),
                f"{_mean(figures):.3f}",
                f"{bottom:.3f} to {top:.3f}",
                f"{spread(figures):.3f}",
                f"{low[name]:.0%}",
                f"{near[name]:.0%}",
                _text(_mean(early.get(name, {}).values()) if pages > 250 else None),
                _text(_mean(twice.get(name, {}).values())),
                f"{mean(own, 'hosts') or 0:.1f}",
                *(_text(_mean(value for work, value in works[name].items() if work[0] == web)) for web in webs),
            ]
        )
    return text_table(["strategy", *figures_of, *map(called, webs)], body)


def _twice(rows: Sequence[Row], longer: Sequence[Row]) -> dict[str, dict[tuple[str, str], float]]:
    """At twice R: of the crawls of the table where they are long enough, else of longer ones."""
    found = by_work(longer, at(TWICE))
    for name, own in by_work(rows, at(TWICE)).items():
        found[name] = {**found.get(name, {}), **own}
    return found


def tests(rows: Sequence[Row], champion: str) -> Iterator[str]:
    found = against(rows, champion)
    if found:
        yield f"{champion} minus each other, by pairs of web and topic (Wilcoxon's test, Holm's correction):\n"
        yield f"{comparisons(found, 'against')}\n"


def comparisons(found: Sequence[Comparison], named: str) -> str:
    body = [
        [
            each.second,
            str(each.pairs),
            f"{each.difference:+.3f}",
            f"{each.low:+.3f} to {each.high:+.3f}",
            f"{each.wins}/{each.losses}",
            f"{each.p:.2g}",
            f"{each.adjusted:.2g}",
        ]
        for each in found
    ]
    return text_table([named, "pairs", "difference", "interval", "won/lost", "p", "Holm's p"], body)


def losses(rows: Sequence[Row], champion: str) -> Iterator[str]:
    """Pairs on which the champion is not near the best."""
    works = by_work(rows)
    ours = works.get(champion, {})
    best = {work: max((own[work], name) for name, own in works.items() if work in own) for work in ours}
    lost = sorted((ours[work] - top, work, name, top) for work, (top, name) in best.items() if ours[work] < NEAR * top)
    if lost:
        yield f"Pairs where {champion} has less than {NEAR:g} of the best ({len(lost)} of {len(ours)}):\n"
        body = [
            [work[0], work[1], f"{top + less:.3f}", f"{top:.3f}", name] for less, work, name, top in lost[:MOST_LOSSES]
        ]
        yield f"{text_table(['web', 'topic', champion, 'best', 'of'], body)}\n"


def long_crawls(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Longer crawls, one start\n"
    yield "One topic of each web that has as many pages; the longest crawls have the figures of shorter ones, too.\n"
    columns = [
        (stop, condition)
        for stop in sorted({row["pages"] for row in rows})
        for condition in dict.fromkeys(row["condition"] for row in rows)
    ]
    works = {(stop, condition): by_work(where(rows, condition=condition), at(stop)) for stop, condition in columns}
    names = sorted({row["strategy"] for row in rows})
    body = [[name, *(_text(_mean(works[column].get(name, {}).values())) for column in columns)] for name in names]
    yield f"{text_table(['strategy', *(f'{pages:,}, {condition}' for pages, condition in columns)], body)}\n"


def farms(rows: Sequence[Row]) -> Iterator[str]:
    own = [row for row in rows if row["farm"] is not None]
    if not own:
        return
    yield "## Beside a link farm\n"
    shares = by_work(own, lambda row: row["farm"] / max(1, row["downloads"]))
    body = [
        [name, f"{_mean(shares[name].values()):.1%}"]
        for name in sorted(shares, key=lambda n: _mean(shares[n].values()))
    ]
    yield f"{text_table(['strategy', 'the farm takes of the downloads'], body)}\n"


def failures(rows: Sequence[Row]) -> Iterator[str]:
    for (name, error), own in grouped([row for row in rows if row["error"]], itemgetter("strategy", "error")).items():
        yield f"{name} failed in {len(own)} crawls: {error}\n"


def picture(rows: Sequence[Row], condition: str, pages: int) -> str:
    """Every strategy on every web."""
    own = [row for row in rows if row["condition"] == condition and row["pages"] == pages and row["judge"] != "oracle"]
    works = by_work(own)
    webs = list(dict.fromkeys(row["web"] for row in own))
    lines: list[tuple[str, Mapping[str, float]]] = []
    for name in sorted((name for name in works if works[name]), key=lambda name: -_mean(works[name].values())):
        by_web = {web: [value for work, value in works[name].items() if work[0] == web] for web in webs}
        lines.append((name, {called(web): _mean(figures) for web, figures in by_web.items() if figures}))
    return dot_plot(f"The arena, {condition}, {pages:,} downloads", "mean auc_ratio", lines)


def called(web: str) -> str:
    """A web's name, or what a synthetic one is like: in tables and pictures its address would be too long."""
    if not web.startswith("synthetic"):
        return web
    kinds = {"with a farm": "farm", "hard=": "hard", "mischief=0": "easy"}
    return next((kind for mark, kind in kinds.items() if mark in web), "traps")


def ablation(rows: Sequence[Row], whole: str) -> Iterator[str]:
    """What each part is worth: all parts minus all but this one, on recorded and on synthetic webs."""
    yield f"# {whole}: what each part is worth\n"
    yield "All parts minus all but the one named, mean auc_ratio, paired by web and topic, starts averaged.\n"
    for condition, mine in grouped(rows, itemgetter("condition")).items():
        for synthetic, own in grouped(mine, itemgetter("synthetic")).items():
            yield f"## {condition.capitalize()}, {'synthetic' if synthetic else 'recorded'} webs\n"
            yield f"With all parts: {_mean(by_work(own).get(whole, {}).values()):.3f}\n"
            yield f"{comparisons(against(own, whole), 'without')}\n"
    yield from failures(rows)


def _mean(figures: Iterable[float]) -> float:
    known = [*figures]
    return float(np.mean(known)) if known else float("nan")


def _text(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"
