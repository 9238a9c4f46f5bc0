"""The tables and figures of `chen_intelligent_spider`. Fitness is on the common yardstick unless it says "own"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from wolfspider.bench.draw.svg import PALETTE, Figure
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.papers.chen_intelligent_spider.cases import CASES, COMPUTED, FEW, RECORDED
from wolfspider.bench.papers.chen_intelligent_spider.cells import (
    ANNEALING,
    BEST_FIRST,
    COOL_ANNEALING,
    COOL_HYBRID,
    GENETIC,
    HYBRID,
    JUDGED,
    OUTPUTS,
    UNLEAPING,
)
from wolfspider.bench.rulings import FEWEST
from wolfspider.bench.stats import Anova, anova, interval, spread

SPIDERS = (BEST_FIRST, GENETIC, ANNEALING, HYBRID)
SHOWN = (*SPIDERS, UNLEAPING, JUDGED)
ALL = (*SPIDERS, COOL_ANNEALING, COOL_HYBRID, UNLEAPING, JUDGED)
PAPER_LEVELS = {GENETIC: (40, "0.08705", "0.04176"), BEST_FIRST: (40, "0.08519", "0.04996")}  # as printed
PAPER_SOURCES = {
    "factor": (1, "0.00007", "0.00007", "0.03", "0.857"),
    "error": (78, "0.16535", "0.00212", None, None),
    "total": (79, "0.16541", None, None, None),
}
PAPER_POOLED, PAPER_LEAPS = "0.04604", 0.5
GENERATIONS = 15  # that are drawn; nearly all searches are through by then

Output = dict[str, object]
Counts = Callable[[Output], bool]


def tables(rows: Rows) -> list[Table]:
    made = [
        *_variance(rows),
        _means(rows),
        _times(rows),
        _origins(rows),
        _topics(rows),
        _few_links(rows),
        _few_counts(rows),
    ]
    return [table for table in made if table.lines]


def figures(rows: Rows) -> list[Figure]:
    made = [
        _generations(rows),
        _topic_curve(rows, "Outputs that carry the topic", SHOWN, lambda output: True),
        _topic_curve(rows, "Own finds that carry the topic", SPIDERS, is_own),
    ]
    return [figure for figure in made if figure.marks]


# Which rows


def did(rows: Rows, name: str, study: str = CASES, web: str = "") -> list[Row]:
    """What a spider did, on all webs, on those of a kind, or on one."""
    mine = [row for row in rows if row["study"] == study and web in ("", row["kind"], row["web_name"])]
    return [row["spiders"][name] for row in mine if name in row["spiders"]]


def places(rows: Rows, study: str) -> list[str]:
    """All webs, computed ones together, and each recorded one."""
    mine = [row for row in rows if row["study"] == study and row["spiders"]]
    recorded = list(dict.fromkeys(row["web_name"] for row in mine if row["kind"] == RECORDED))
    computed = [COMPUTED] if any(row["kind"] == COMPUTED for row in mine) else []
    return [*(["all"] if len(computed) + len(recorded) > 1 else []), *computed, *recorded]


def _at(place: str) -> str:
    return "" if place == "all" else place


def is_own(output: Output) -> bool:
    """It did not come by a leap."""
    return output["origin"] != "leap"


def is_strictly_own(output: Output) -> bool:
    """Nor could it have: leaps do not lead there."""
    return is_own(output) and not output["listed"]


def mean(values: Sequence[float], digits: int = 4) -> float | None:
    return round(float(np.mean(values)), digits) if values else None


def fine(values: Sequence[float]) -> str | None:
    """A mean of scores, which are small: with more decimals than tables give."""
    return f"{np.mean(values):.4f}" if values else None


def with_interval(values: Sequence[float], digits: int = 3) -> str | None:
    """A mean with its 95% interval; alone where cases are too few for one."""
    if len(values) < FEWEST:
        return f"{np.mean(values):.{digits}f}" if values else None
    low, high = interval(np.array(values))
    return f"{np.mean(values):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


# Tables


def _variance(rows: Rows) -> Iterator[Table]:
    """As in Fig. 2."""
    groups = {name: [row["fitness"] for row in did(rows, name)] for name in (GENETIC, BEST_FIRST)}
    if min(map(len, groups.values())) < 2:
        return
    found = anova(*groups.values())
    sources = [_beside(source, _source(found, source), printed) for source, printed in PAPER_SOURCES.items()]
    yield Table("Analysis of variance (Fig. 2)", ("source", "DF", "SS", "MS", "F", "P"), sources)
    levels = [_beside(name, _level(values), PAPER_LEVELS[name]) for name, values in groups.items()]
    pooled = _beside("pooled", (None, None, f"{found.pooled:.5f}"), (None, None, PAPER_POOLED))
    yield Table("Levels of the analysis of variance (Fig. 2)", ("level", "N", "mean", "st. dev."), [*levels, pooled])


Cells = Sequence[float | str | None]


def _beside(name: str, ours: Cells, paper: Cells) -> tuple[Value, ...]:
    return name, *(Both(*pair) for pair in zip(ours, paper, strict=True))


def _source(found: Anova, source: str) -> Cells:
    if source == "total":
        return found.between + found.within, f"{found.factor + found.error:.5f}", None, None, None
    if source == "error":
        return found.within, f"{found.error:.5f}", f"{found.error / found.within:.5f}", None, None
    square = f"{found.factor / found.between:.5f}"
    ratio = None if found.f is None else f"{found.f:.2f}"
    return found.between, f"{found.factor:.5f}", square, ratio, f"{found.p:.3f}"


def _level(values: Sequence[float]) -> Cells:
    return len(values), f"{np.mean(values):.5f}", f"{spread(values):.5f}"


def _means(rows: Rows) -> Table:
    columns = ("spider", "webs", "cases", "outputs", "fitness [95%]", "st. dev.", "own fitness", "ended by")
    lines = [
        _means_line(name, place, own)
        for name in ALL
        for place in ("all", COMPUTED, RECORDED)
        if (own := did(rows, name, web=_at(place)))
    ]
    note = (
        "Means over cases. Fitness is on the common yardstick of each case. Own fitness is what a spider computes "
        "itself, with N and df over what it fetched; it cannot be compared with another's."
    )
    return Table("Fitness", columns, lines, note)


def _means_line(name: str, place: str, own: Sequence[Row]) -> tuple[Value, ...]:
    fitness = [row["fitness"] for row in own]
    reasons = Counter(str(row["reason"]) for row in own)
    ended = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    outputs = mean([len(row["outputs"]) for row in own], 2)
    scores = fine([row["own"] for row in own if row.get("own") is not None])
    return name, place, len(own), outputs, with_interval(fitness, 4), f"{spread(fitness):.4f}", scores, ended


def _times(rows: Rows) -> Table:
    columns = ("spider", "cases", "user s", "system s", "times best-first", "downloads", "generations", "simulated s")
    base = sum(row["user"] for row in did(rows, BEST_FIRST))
    lines: list[tuple[Value, ...]] = []
    for name in (*SPIDERS, COOL_ANNEALING, COOL_HYBRID):
        own = did(rows, name)
        if own:
            ratio = round(sum(row["user"] for row in own) / base, 2) if base else None
            times = (fine([row["user"] for row in own]), fine([row["system"] for row in own]), ratio)
            rest = (mean([row[field] for row in own], 1) for field in ("downloads", "generations", "seconds"))
            lines.append((name, len(own), *times, *rest))
    note = "Means over cases, of one search. The paper took the first two and does not print them."
    return Table("What a search takes", columns, lines, note)


def _origins(rows: Rows) -> Table:
    columns = ("spider", "webs", "outputs", "by leap", "same host", "elsewhere", "by leap [95%]")
    lines = [
        _origin_line(name, place, own)
        for name in (*SPIDERS, UNLEAPING)
        for place in places(rows, CASES)
        if (own := did(rows, name, web=_at(place)))
    ]
    note = (
        "Shares of all outputs; the last column is the mean over cases. A page that was first met by a leap came by it."
    )
    return Table("Where outputs come from", columns, lines, note)


def _origin_line(name: str, place: str, own: Sequence[Row]) -> tuple[Value, ...]:
    counts = Counter(output["origin"] for row in own for output in row["outputs"])
    total = sum(counts.values())
    leap, local, elsewhere = (
        round(counts[origin] / total, 3) if total else None for origin in ("leap", "local", "elsewhere")
    )
    shares = [np.mean([output["origin"] == "leap" for output in row["outputs"]]) for row in own if row["outputs"]]
    first = Both(leap, PAPER_LEAPS if (name, place) == (GENETIC, "all") else None)
    return name, place, total, first, local, elsewhere, with_interval([float(share) for share in shares])


def share(row: Row, counts: Counts) -> float | None:
    """Of the outputs that count, how many carry the topic? None where none count."""
    counted = [bool(output["topic"]) for output in row["outputs"] if counts(output)]
    return sum(counted) / len(counted) if counted else None


def number(row: Row, counts: Counts) -> int:
    return sum(bool(output["topic"]) and counts(output) for output in row["outputs"])


KINDS: dict[str, Counts] = {
    "outputs": lambda output: True,
    "own finds": is_own,
    "own finds, not in the index": is_strictly_own,
}


def _topics(rows: Rows) -> Table:
    lines = [
        (place, name, len(own), *_topic_line(own))
        for place in places(rows, CASES)
        for name in ALL
        if (own := did(rows, name, web=_at(place)))
    ]
    columns = (
        "web",
        "spider",
        "cases",
        *(f"{name}: {what}" for name in KINDS for what in ("carry the topic", "share")),
    )
    note = (
        f"How many carry the topic of the liked pages, of {OUTPUTS} that were asked for, in the mean over cases; and "
        "their share of those that count, mean and 95% interval over the cases that have any. Every third page of a "
        "web is in its category index: what came by a leap is no find of the spider's own. Best-first with the "
        "default judge has as many downloads as the genetic spider."
    )
    return Table("Outputs that carry the topic", columns, lines, note)


def _topic_line(own: Sequence[Row]) -> Iterator[Value]:
    for counts in KINDS.values():
        yield mean([number(row, counts) for row in own], 2)
        yield with_interval([found for row in own if (found := share(row, counts)) is not None])


def _few_links(rows: Rows) -> Table:
    columns = (
        "web",
        "spider",
        "cases",
        "fewer than ten",
        "outputs",
        "fitness [95%]",
        "own fitness",
        "by leap",
        "downloads",
    )
    more = ("carry the topic", "own finds that do")
    lines = [
        (place, name, len(own), *_few_line(own))
        for place in places(rows, FEW)
        for name in (BEST_FIRST, GENETIC, JUDGED)
        if (own := did(rows, name, FEW, _at(place)))
    ]
    note = f"Cases whose liked pages have fewer than five links each. Of {OUTPUTS} outputs asked for; means over cases."
    return Table("Few links", (*columns, *more), lines, note)


def _few_line(own: Sequence[Row]) -> tuple[Value, ...]:
    lacking = sum(len(row["outputs"]) < OUTPUTS for row in own)
    outputs, downloads = mean([len(row["outputs"]) for row in own], 2), mean([row["downloads"] for row in own], 1)
    scores = fine([row["own"] for row in own if row.get("own") is not None])
    leaps = [output["origin"] == "leap" for row in own for output in row["outputs"]]
    topics = [mean([number(row, KINDS[name]) for row in own], 2) for name in ("outputs", "own finds")]
    fitness = with_interval([row["fitness"] for row in own], 4)
    return lacking, outputs, fitness, scores, mean(leaps, 3), downloads, *topics


def _few_counts(rows: Rows) -> Table:
    """By how many links the liked pages have together."""
    groups: dict[int, list[Row]] = {}
    for row in rows:
        if row["study"] == FEW and row["spiders"]:
            groups.setdefault(sum(row["links"]), []).append(row)
    lines = [
        (
            links,
            len(own),
            *(mean([len(row["spiders"][name]["outputs"]) for row in own], 2) for name in (BEST_FIRST, GENETIC)),
            *(fine([row["spiders"][name]["fitness"] for row in own]) for name in (BEST_FIRST, GENETIC)),
        )
        for links, own in sorted(groups.items())
    ]
    columns = ("links", "cases", "outputs, best-first", "outputs, genetic", "fitness, best-first", "fitness, genetic")
    return Table("Few links, by how many the liked pages have together", columns, lines)


# Figures


def _generations(rows: Rows) -> Figure:
    """Means over all cases; who is through keeps its last value."""
    figure = Figure("Fitness of the outputs so far, as each spider computes it", "generation", "fitness")
    curves = {name: [row["curve"] for row in did(rows, name) if row["curve"]] for name in SPIDERS}
    longest = min(GENERATIONS, max((len(curve) for own in curves.values() for curve in own), default=0))
    for (name, own), colour in zip(curves.items(), PALETTE, strict=False):
        held = [(curve + curve[-1:] * longest)[:longest] for curve in own]
        if held:
            figure.line(range(1, longest + 1), np.mean(held, axis=0), name, colour=colour)
    return figure


def _topic_curve(rows: Rows, title: str, names: Sequence[str], counts: Counts) -> Figure:
    """What carries the topic among the best 1, 2, ... outputs, as shares of so many, in the mean over cases."""
    figure = Figure(title, "outputs, best first", "carry the topic", y_range=(0.0, 1.0))
    ranks = range(1, OUTPUTS + 1)
    for name, colour in zip(names, PALETTE, strict=False):
        own = did(rows, name)
        found = [[number({"outputs": row["outputs"][:rank]}, counts) / rank for rank in ranks] for row in own]
        if found:
            figure.line(ranks, np.mean(found, axis=0), name, colour=colour, dashed=name in (UNLEAPING, JUDGED))
    return figure
