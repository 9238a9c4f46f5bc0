"""How well a crawl knows what is left: estimates of wolfspider.policy.prospects, and others, against the truth.

    python benchmarks/enough_traces.py FOLDER WEB ... --half choose
    python benchmarks/enough_traces.py FOLDER WEB ... --half report
    python benchmarks/enough.py FOLDER --fit
    python benchmarks/enough.py FOLDER --half report --plots docs/images
    python benchmarks/enough.py WEB --cost

The truth is what a crawl found in the end. `--fit` prints the constants of the product, fitted on the traces of the
choosing half. Without it: how far each estimate is off, how far the total is off when a quarter, a half ... of it is
found, how often the bounds hold, how good the forecast is, and what ending a crawl by it saves and costs, beside two
controls: a rule of crawl4ai (end when a page brings at most a fifth of the new words that the first page brought), and
the same rule with the mean of the last 20 pages in place of the last one.

`--cost` reads pages of a web and prints what looking for prospects takes, beside parsing and judging.

Stages of a crawl count alike, however long each is, and so do the crawls of a web, and the webs.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from enough_traces import Trace
from numpy.typing import NDArray

from wolfspider.bench.draw.svg import FAINT, PALETTE, SOFT, Figure
from wolfspider.core.limits import DRY
from wolfspider.core.model import Link, Page
from wolfspider.policy import prospects
from wolfspider.policy.judges import DEFAULT_JUDGE, make_judge
from wolfspider.policy.judges.judge import scored
from wolfspider.policy.prospects import NEXT, Prospects
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import open_web

STAGES = (0.3, 0.6, 0.8, 0.9, 0.97, 0.9999)  # of what is found, at which another stage begins
FEWEST = 10  # relevant pages of a crawl that can be measured
SATURATED, LAST_PAGES = 0.8, 20
UNTILS = {"--until 80%": 0.8, "--until 90%": 0.9, "--until 95%": 0.95, "--until dry": DRY}
POINTS = (0.25, 0.5, 0.75, 0.9)

Floats = NDArray[np.float64]
COLUMNS = ("downloads", "found", "waiting", "promise", "in_links", "decay", "came", "rate")


@dataclass
class Followed:
    """One crawl, as Prospects saw it: a row for each look."""

    web: str
    name: str
    total: int
    length: int  # downloads
    curve: Floats  # relevant pages found, by downloads
    labelled: Floats  # those of them, and others, that the labels of the web call relevant, likewise
    rows: Floats
    ends: dict[str, int]  # downloads at which each rule ends it

    def __getitem__(self, column: str) -> Floats:
        values: Floats = self.rows[:, COLUMNS.index(column)]
        return values

    def share(self, rule: str) -> float:
        """Of all that was found in the end, when this rule ends the crawl."""
        return float(self.curve[self.ends[rule] - 1] / self.total)

    @property
    def left(self) -> Floats:
        return self.total - self["found"]

    @property
    def weights(self) -> Floats:
        stage = np.digitize(self["found"] / self.total, STAGES)
        weights = 1.0 / np.bincount(stage, minlength=len(STAGES) + 1)[stage]
        whole: Floats = weights / weights.sum()
        return whole


def follow(trace: Trace) -> Followed | None:
    """None if there is too little to see."""
    seen, ends = Prospects(), dict[str, int]()
    new: list[int] = []
    looks: list[list[float]] = []
    links, hosts, first = trace.links.tolist(), trace.link_hosts.tolist(), trace.first.tolist()
    before = None
    for row, (asked, page, host, good, cost) in enumerate(
        zip(*(part.tolist() for part in (trace.asked, trace.page, trace.host, trace.relevant, trace.cost)), strict=True)
    ):
        found = seen.found
        shown = zip(links[first[row] : first[row + 1]], hosts[first[row] : first[row + 1]], strict=True)
        if not cost:
            continue
        seen.seen((asked, page) if page else (asked,), host, shown, int, bool(good), cost)
        new += [0] * (cost - 1) + [seen.found - found]
        if seen.outlook is not before:
            before = seen.outlook
            one, two = seen.sample.in_links()
            rate = (sum(new[-NEXT:]) + 2 * sum(new[-NEXT // 2 :])) / 2
            looks.append(
                [
                    seen.downloads,
                    seen.found,
                    seen.sample.waiting(),
                    seen.sample.promise(),
                    one**2 / (2 * max(two, 1)),
                    0.0,
                    0.0,
                    rate,
                ]
            )
            for name, until in UNTILS.items():
                if seen.enough(until):
                    ends.setdefault(name, seen.downloads)
    if seen.found < FEWEST or not looks:
        return None
    curve, rows = np.cumsum(new).astype(np.float64), np.array(looks, np.float64)
    rows[:, 5] = [decay(curve, int(downloads)) for downloads in rows[:, 0]]
    rows[:, 6] = [curve[min(len(curve), int(row[0]) + NEXT) - 1] - row[1] for row in rows]
    ends = {name: ends.get(name, len(new)) for name in UNTILS}
    ends |= {"crawl4ai's rule": saturated(trace, 1), "the same, smoothed": saturated(trace, LAST_PAGES)}
    return Followed(trace.web, trace.name, seen.found, len(new), curve, labelled(trace), rows, ends)


def labelled(trace: Trace) -> Floats:
    """Labelled pages found, by downloads, each once."""
    paid = trace.cost > 0
    pages = np.where(trace.labelled[paid] > 0, trace.page[paid], 0)
    _, first = np.unique(pages, return_index=True)
    new = np.zeros(len(pages))
    new[first] = pages[first] > 0
    ends = np.cumsum(trace.cost[paid]) - 1
    found = np.zeros(int(ends[-1]) + 1)
    found[ends] = new
    curve: Floats = np.cumsum(found)
    return curve


def decay(curve: Floats, downloads: int) -> float:
    """What is left if the yield falls in a straight line with what was found: catch and effort, as fishers count."""
    block = max(25, downloads // 20)
    caught = np.concatenate(([0.0], curve))[np.arange(downloads, -1, -block)[::-1]]
    yields, middle = np.diff(caught) / block, (caught[1:] + caught[:-1]) / 2
    best = int(np.argmax(yields)) if len(yields) else 0
    yields, middle = yields[best:], middle[best:]
    most = 3 * curve[downloads - 1] + 50
    if len(yields) < 3 or np.ptp(middle) == 0:
        return float(most)
    slope, start = np.polyfit(middle, yields, 1)
    return float(most if slope >= 0 else np.clip(-start / slope - curve[downloads - 1], 0, most))


def saturated(trace: Trace, pages: int) -> int:
    """Downloads after which the new words of the last pages are few, against those of the first."""
    there = np.flatnonzero(trace.page)
    terms, spent = np.maximum(trace.terms[there], 1), np.cumsum(trace.cost)[there]
    means = np.convolve(terms, np.ones(pages) / pages, "valid")
    enough = np.flatnonzero(1 - means[1:] / terms[0] >= SATURATED)
    return int(spent[enough[0] + pages]) if len(enough) else int(trace.cost.sum())


# Estimates of what is left


def discounted(one: Followed, factor: float = prospects.FACTOR, power: float = prospects.POWER) -> Floats:
    estimate: Floats = factor * ((one["promise"] + 1) ** power - 1)
    return estimate


ESTIMATES: Mapping[str, Callable[[Followed], Floats]] = {
    "discounted promise (the product)": discounted,
    "promise of the links that wait": lambda one: one["promise"],
    "decay of the yield (catch and effort)": lambda one: one["decay"],
    "capture and recapture (Chao, by in-links)": lambda one: one["in_links"],
    "the last 100 downloads, for all links that wait": lambda one: one["rate"] / NEXT * one["waiting"],
}


def mean(crawls: Sequence[Followed], figure: Callable[[Followed], float]) -> float:
    """Webs count alike, and so do the crawls of a web."""
    webs: dict[str, list[float]] = {}
    for one in crawls:
        webs.setdefault(one.web, []).append(figure(one))
    return float(np.mean([np.mean(figures) for figures in webs.values()]))


def off(one: Followed, estimate: Floats) -> float:
    return float(one.weights @ np.abs(np.log1p(estimate) - np.log1p(one.left)))


def quantile(crawls: Sequence[Followed], values: Callable[[Followed], Floats], share: float) -> float:
    webs = {one.web: sum(other.web == one.web for other in crawls) for one in crawls}
    all_values = np.concatenate([values(one) for one in crawls])
    weights = np.concatenate([one.weights / webs[one.web] for one in crawls])
    order = np.argsort(all_values)
    return float(all_values[order][np.searchsorted(np.cumsum(weights[order]) / weights.sum(), share)])


def fit(crawls: Sequence[Followed]) -> tuple[float, float]:
    """The discount of the promise, by least squares of logarithms, from all that are on a grid."""

    def squares(by: tuple[float, float]) -> float:
        return mean(crawls, lambda one: float(one.weights @ (np.log1p(discounted(one, *by)) - np.log1p(one.left)) ** 2))

    return min(((factor / 20, power / 50) for factor in range(6, 61) for power in range(15, 56)), key=squares)


def coming(one: Followed, estimate: Floats) -> Floats:
    forecast: Floats = np.minimum(one["rate"], estimate)
    return forecast


def show_fit(crawls: Sequence[Followed]) -> None:
    factor, power = fit(crawls)
    print(f"FACTOR, POWER = {factor:.2f}, {power:.2f}")
    for web in sorted({one.web for one in crawls}):
        others = fit([one for one in crawls if one.web != web])
        error = _times(
            [one for one in crawls if one.web == web], partial(discounted, factor=others[0], power=others[1])
        )
        print(f"without {web}: {others[0]:.2f}, {others[1]:.2f}; there off by a factor of {error}")
    residual: Mapping[str, Callable[[Followed], Floats]] = {
        "UNFOUND_BOUNDS": lambda one: np.log1p(one.left) - np.log1p(discounted(one, factor, power)),
        "COMING_BOUNDS": lambda one: np.log1p(one["came"]) - np.log1p(coming(one, discounted(one, factor, power))),
    }
    for name, values in residual.items():
        low, high = (math.exp(quantile(crawls, values, share)) for share in (0.1, 0.9))
        print(f"{name} = ({low:.2f}, {high:.2f})")


# Tables


def _times(crawls: Sequence[Followed], estimate: Callable[[Followed], Floats]) -> str:
    return f"{math.exp(mean(crawls, lambda one: off(one, estimate(one)))):.2f}"


def show_estimates(crawls: Sequence[Followed]) -> None:
    print("\n| estimate | off by a factor of |" + "".join(f" total at {point:.0%} |" for point in POINTS))
    print("|---|---|" + "---|" * len(POINTS))
    for name, estimate in ESTIMATES.items():
        cells = (_at(crawls, estimate, point) for point in POINTS)
        print(f"| {name} | {_times(crawls, estimate)} | {' | '.join(cells)} |")


def _at(crawls: Sequence[Followed], estimate: Callable[[Followed], Floats], point: float) -> str:
    """The estimated total, as a multiple of the true one, at the first look with so much found."""
    ratios = []
    for one in crawls:
        row = int(np.searchsorted(one["found"], point * one.total))
        if row and row < len(one.rows):  # of what was found before the first look, nothing was said
            ratios.append((one["found"][row] + estimate(one)[row]) / one.total)
    low, middle, high = np.quantile(ratios, (0.1, 0.5, 0.9)) if ratios else (math.nan,) * 3
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def show_bounds(crawls: Sequence[Followed]) -> None:
    def within(one: Followed, estimate: Floats, truth: Floats, bounds: tuple[float, float]) -> float:
        low, high = (np.maximum(0, bound * (estimate + 1) - 1) for bound in bounds)
        return float(one.weights @ ((np.floor(low) <= truth) & (truth <= np.ceil(high))))

    left = mean(crawls, lambda one: within(one, discounted(one), one.left, prospects.UNFOUND_BOUNDS))
    soon = mean(crawls, lambda one: within(one, coming(one, discounted(one)), one["came"], prospects.COMING_BOUNDS))
    print(f"\nThe bounds of what is left hold {left:.0%} of the time, those of the next {NEXT} downloads {soon:.0%}.")
    forecasts: Mapping[str, Callable[[Followed], Floats]] = {
        "as many as lately, unless fewer are left (the product)": lambda one: coming(one, discounted(one)),
        "as many as lately": lambda one: one["rate"],
    }
    print(f"\n| forecast for the next {NEXT} downloads | pages off in the mean |\n|---|---|")
    for name, forecast in forecasts.items():
        print(f"| {name} | {mean(crawls, partial(_missed, forecast)):.1f} |")


def _missed(forecast: Callable[[Followed], Floats], one: Followed) -> float:
    return float(one.weights @ np.abs(forecast(one) - one["came"]))


def show_ends(crawls: Sequence[Followed]) -> None:
    heads = ("rule", "found, mean", "lowest", "of labelled pages", "downloads, median", "saved", "of those for 90 %")
    print(f"\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for rule in crawls[0].ends:
        print(f"| {rule} | {' | '.join(_cells(crawls, rule))} |")


def _cells(crawls: Sequence[Followed], rule: str) -> Iterator[str]:
    """What a rule brings, beside the crawl to its end, and beside a crawl that ended right when 90 % were found."""
    yield f"{mean(crawls, lambda one: one.share(rule)):.0%}"
    yield f"{min(one.share(rule) for one in crawls):.0%}"
    told = [one for one in crawls if one.labelled[-1]]
    yield f"{mean(told, lambda one: float(one.labelled[one.ends[rule] - 1] / one.labelled[-1])):.0%}"
    yield f"{np.median([one.ends[rule] for one in crawls]):,.0f}"
    yield f"{mean(crawls, lambda one: 1 - one.ends[rule] / one.length):.0%}"
    yield f"{np.median([one.ends[rule] / _needed(one) for one in crawls]):.2f} times"


def _needed(one: Followed) -> int:
    return int(np.searchsorted(one.curve, 0.9 * one.total)) + 1


def show_crawls(crawls: Sequence[Followed]) -> None:
    heads = ("crawl", "relevant", "downloads", "found by --until 90%", "after", "found by --until dry", "after")
    print(f"\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for one in crawls:
        cells = (f"{one.share(rule):.0%} | {one.ends[rule]:,}" for rule in ("--until 90%", "--until dry"))
        print(f"| {one.name} | {one.total:,} | {one.length:,} | {' | '.join(cells)} |")


def draw(crawls: Sequence[Followed], folder: Path) -> None:
    """Estimate against truth, a colour for each web: what is left, and the share that is found."""
    share = Figure("Share of the relevant pages that is found", "estimate", "truth", x_range=(0, 1), y_range=(0, 1))
    left = Figure("Relevant pages left", "estimate, plus 1", "truth, plus 1", x_log=True, y_log=True)
    most = max(float(one.left.max()) for one in crawls) + 1
    for web, colour in zip(sorted({one.web for one in crawls}), PALETTE, strict=False):
        parts = [(one, *thinned(one)) for one in crawls if one.web == web]
        found, guess, truth = (np.concatenate(part) for part in zip(*(rest for _, *rest in parts), strict=True))
        name = web.partition("-")[0]
        share.points(found / (found + guess), found / (found + truth), name, colour)
        left.points(guess + 1, truth + 1, name, colour)
    share.line([0, 1], [0, 1], "estimate = truth", dashed=True, colour=SOFT)
    left.line([1, most], [1, most], "estimate = truth", dashed=True, colour=SOFT)
    for bound in prospects.UNFOUND_BOUNDS:
        begin = max(1, 1 / bound)
        left.line([begin, most], [begin * bound, most * bound], "", colour=FAINT)
    for name, figure in (("share", share), ("left", left)):
        (folder / f"enough-{name}.svg").write_text(figure.svg())


def thinned(one: Followed) -> tuple[Floats, Floats, Floats]:
    """Found, estimated to be left and left, at some thirty looks, as many of each stage."""
    wanted = np.searchsorted(np.cumsum(one.weights), np.linspace(0, 1, 31)[:-1])
    rows = np.unique(np.minimum(wanted, len(one.rows) - 1))
    rows = rows[one["found"][rows] > 0]
    return one["found"][rows], discounted(one)[rows], one.left[rows]


def show_cost(web: str, rounds: int = 5, pages: int = 600) -> None:
    """Milliseconds of processor time for a page, the median of several rounds, side by side."""
    world = open_web(web)
    name, task = next(iter(world.tasks().items()))
    urls = islice(world.sample(pages), pages)
    fetches = [fetch for url in urls if (fetch := world.record(url, world.start)).status == 200]
    took: dict[str, list[float]] = {"parsing": [], "judging": [], "prospects": []}
    links = 0.0
    for _ in range(rounds):
        judge, seen = make_judge(DEFAULT_JUDGE, task.topic), Prospects()
        spent = dict.fromkeys(took, 0.0)
        count = 0
        for fetch in fetches:
            began = time.process_time()
            page = parse(replace(fetch, page=None))
            parsed = time.process_time()
            if not isinstance(page, Page):
                continue
            verdict = scored(judge, page)
            judged = time.process_time()
            seen.landed(Link(page.url), page, verdict.relevant, 1)
            spent["parsing"] += parsed - began
            spent["judging"] += judged - parsed
            spent["prospects"] += time.process_time() - judged
            count, links = count + 1, links + len(page.links)
        for stage, seconds in spent.items():
            took[stage].append(1000 * seconds / max(1, count))
    each = ", ".join(f"{stage} {np.median(values):.3f} ms" for stage, values in took.items())
    print(f"{world.name}, {len(fetches)} pages, {links / rounds / len(fetches):.0f} links each, topic {name}: {each}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("choose", "report"), default="report")
    parser.add_argument("--web", help="crawls of this web alone")
    parser.add_argument("--strategy", help="crawls with this strategy alone")
    parser.add_argument("--fit", action="store_true", help="print the constants of the product, by the choosing half")
    parser.add_argument("--cost", action="store_true", help="what it takes for a page of a web, named for FOLDER")
    parser.add_argument("--plots", type=Path, help="draw there")
    options: Any = parser.parse_args()
    if options.cost:
        show_cost(str(options.folder))
        return
    half = "choose" if options.fit else options.half
    traces = (Trace.load(path) for path in sorted(options.folder.glob(f"*.{half}.*.npz")))
    wanted = (one for one in traces if options.web in (None, one.web) and options.strategy in (None, one.strategy))
    crawls = [followed for one in wanted if (followed := follow(one)) is not None]
    print(f"{len(crawls)} crawls of the half {half!r}: {', '.join(sorted({one.web for one in crawls}))}")
    if options.fit:
        show_fit(crawls)
        return
    show_estimates(crawls)
    show_bounds(crawls)
    show_ends(crawls)
    show_crawls(crawls)
    if options.plots:
        draw(crawls, options.plots)


if __name__ == "__main__":
    main()
