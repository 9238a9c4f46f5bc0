"""The tables and figures of `chen_intelligent_spider`. Fitness is on the common yardstick unless it says "own"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from wolfspider.bench.draw.svg import PALETTE, Figure
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.groups import average, grouped, values, where
from wolfspider.bench.papers.chen_intelligent_spider.cases import (
    CASES,
    COMPUTED,
    EVERY,
    FEW,
    OWN_SITE,
    RECORDED,
    SHARES,
)
from wolfspider.bench.papers.chen_intelligent_spider.cells import (
    ANNEALING,
    BEST_FIRST,
    COOL_ANNEALING,
    COOL_HYBRID,
    GENETIC,
    HOT_ANNEALING,
    HOT_HYBRID,
    HYBRID,
    JUDGED,
    OUTPUTS,
    UNLEAPING,
)
from wolfspider.bench.papers.chen_intelligent_spider.claims import by_leap
from wolfspider.bench.rulings import FEWEST
from wolfspider.bench.stats import Anova, anova, mean_text, spread
from wolfspider.bench.tabulate import (
    Column,
    counts_of,
    figures_of,
    group_table,
    mean_curves,
    mean_of,
    tables_of,
    text_of,
)

FOUR = (BEST_FIRST, GENETIC, ANNEALING, HYBRID)
TIMED = (*FOUR, COOL_ANNEALING, COOL_HYBRID, HOT_ANNEALING, HOT_HYBRID)
ALL = (*TIMED, UNLEAPING, JUDGED)
EVERYWHERE = "all"  # webs
PAPER_LEVELS = {GENETIC: (40, "0.08705", "0.04176"), BEST_FIRST: (40, "0.08519", "0.04996")}  # as printed
PAPER_SOURCES = {
    "factor": (1, "0.00007", "0.00007", "0.03", "0.857"),
    "error": (78, "0.16535", "0.00212", None, None),
    "total": (79, "0.16541", None, None, None),
}
PAPER_POOLED, PAPER_LEAPS = "0.04604", 0.5
GENERATIONS = 15  # that are drawn; nearly all searches are through by then

OutputRow = dict[str, object]
Counts = Callable[[OutputRow], bool]


# Which rows


def did(rows: Rows, name: str, web: str = EVERYWHERE, study: str = CASES) -> list[Row]:
    """What a spider did, on all webs, on those of a kind, or on one."""
    cases = [row for row in where(rows, study=study) if web in (EVERYWHERE, row["kind"], row["web_name"])]
    return [row["spiders"][name] for row in cases if name in row["spiders"]]


def webs(rows: Rows, study: str) -> list[str]:
    """All webs, synthetic ones together, and each recorded one."""
    cases = [row for row in where(rows, study=study) if row["spiders"]]
    each = list(grouped(cases, lambda row: row["web_name"] if row["kind"] == RECORDED else COMPUTED))
    return [EVERYWHERE, *each] if len(each) > 1 else each


def is_own(output: OutputRow) -> bool:
    """It did not come by a leap."""
    return output["origin"] != "leap"


def is_strictly_own(output: OutputRow) -> bool:
    """Nor could it have: leaps do not lead there."""
    return is_own(output) and not output["listed"]


COUNTED: dict[str, Counts] = {
    "outputs": lambda output: True,
    "own finds": is_own,
    "own finds, not in the index": is_strictly_own,
}


def share(row: Row, counts: Counts) -> float | None:
    """Of the outputs that count, how many carry the topic? None where none count."""
    counted = [bool(output["topic"]) for output in row["outputs"] if counts(output)]
    return sum(counted) / len(counted) if counted else None


def on_topic(row: Row, counts: Counts, best: int = OUTPUTS) -> int:
    """How many of the best outputs carry the topic and count?"""
    return sum(bool(output["topic"]) and counts(output) for output in row["outputs"][:best])


def delivered(row: Row) -> int:
    return len(row["outputs"])


def with_interval(numbers: Sequence[float], digits: int = 3) -> str | None:
    """A mean with its 95% interval; alone where cases are too few for one."""
    if len(numbers) < FEWEST:
        return f"{np.mean(numbers):.{digits}f}" if numbers else None
    return mean_text(numbers, digits)


# Tables


def variance(rows: Rows) -> Table:
    """As in Fig. 2."""
    groups = _levels(rows)
    sources = _sources(anova(*groups.values())) if groups else {}
    lines = [_beside(source, ours, PAPER_SOURCES[source]) for source, ours in sources.items()]
    return Table("Analysis of variance (Fig. 2)", ("source", "DF", "SS", "MS", "F", "P"), lines)


def levels(rows: Rows) -> Table:
    groups = _levels(rows)
    lines = [
        _beside(name, (len(own), f"{np.mean(own):.5f}", f"{spread(own):.5f}"), PAPER_LEVELS[name])
        for name, own in groups.items()
    ]
    if groups:
        pooled = f"{anova(*groups.values()).pooled:.5f}"
        lines.append(_beside("pooled", (None, None, pooled), (None, None, PAPER_POOLED)))
    return Table("Levels of the analysis of variance (Fig. 2)", ("level", "N", "mean", "st. dev."), lines)


Cells = Sequence[float | str | None]


def _levels(rows: Rows) -> Mapping[str, list[float]]:
    """Fitness by spider; nothing where one has too few cases to vary."""
    groups = {name: values(did(rows, name), "fitness") for name in (GENETIC, BEST_FIRST)}
    return groups if min(map(len, groups.values())) > 1 else {}


def _beside(name: str, ours: Cells, paper: Cells) -> tuple[Value, ...]:
    return name, *(Both(*pair) for pair in zip(ours, paper, strict=True))


def _sources(found: Anova) -> dict[str, Cells]:
    ratio = None if found.f is None else f"{found.f:.2f}"
    squares = f"{found.factor / found.between:.5f}", f"{found.error / found.within:.5f}"
    return {
        "factor": (found.between, f"{found.factor:.5f}", squares[0], ratio, f"{found.p:.3f}"),
        "error": (found.within, f"{found.error:.5f}", squares[1], None, None),
        "total": (found.between + found.within, f"{found.factor + found.error:.5f}", None, None, None),
    }


def fitness(rows: Rows) -> Table:
    return group_table(
        "Fitness",
        ("spider", "webs"),
        {(name, web): did(rows, name, web) for name, web in product(ALL, (EVERYWHERE, COMPUTED, RECORDED))},
        Column("cases", len),
        Column("outputs", mean_of(delivered, 2)),
        Column("fitness [95%]", lambda own: with_interval(values(own, "fitness"), 4)),
        Column("st. dev.", lambda own: f"{spread(values(own, 'fitness')):.4f}"),
        Column("own fitness", text_of(lambda row: row.get("own"))),
        Column("ended by", counts_of("reason")),
        note="Means over cases. Fitness is on the common yardstick of each case. Own fitness is what a spider computes "
        "itself, with N and df over what it fetched; it cannot be compared with another's.",
    )


def times(rows: Rows) -> Table:
    base = sum(values(did(rows, BEST_FIRST), "user"))
    return group_table(
        "What a search takes",
        ("spider",),
        {name: did(rows, name) for name in TIMED},
        Column("cases", len),
        Column("user s", text_of("user")),
        Column("system s", text_of("system")),
        Column("times best-first", lambda own: round(sum(values(own, "user")) / base, 2) if base else None),
        Column("downloads", "downloads", digits=1),
        Column("generations", "generations", digits=1),
        Column("simulated s", "seconds", digits=1),
        note="Means over cases, of one search. The paper took the first two and does not print them.",
    )


def origin_share(origin: str) -> Callable[[Rows], float | None]:
    """Of all outputs together."""
    return lambda own: average([output["origin"] == origin for row in own for output in row["outputs"]], 3)


def origins(rows: Rows) -> Table:
    return group_table(
        "Where outputs come from",
        ("spider", "webs"),
        {(name, web): did(rows, name, web) for name, web in product((*FOUR, UNLEAPING), webs(rows, CASES))},
        Column("outputs", lambda own: sum(map(delivered, own))),
        Column("by leap", origin_share("leap"), printed={(GENETIC, EVERYWHERE): PAPER_LEAPS}),
        Column("same host", origin_share("local")),
        Column("elsewhere", origin_share("elsewhere")),
        Column("by leap [95%]", lambda own: with_interval(values(own, by_leap))),
        note="Shares of all outputs; the last column is the mean over cases. A page that was first met by a leap came "
        "by it.",
    )


def topics(rows: Rows) -> Table:
    return group_table(
        "Outputs that carry the topic",
        ("web", "spider"),
        {(web, name): did(rows, name, web) for web, name in product(webs(rows, CASES), ALL)},
        Column("cases", len),
        *(column for name, counts in COUNTED.items() for column in _topic_columns(name, counts)),
        note=f"How many carry the topic of the liked pages, of {OUTPUTS} that were asked for, in the mean over cases; "
        "and their share of those that count, mean and 95% interval over the cases that have any. Every third page of "
        "a web is in its category index: what came by a leap is no find of the spider's own. Best-first with the "
        "default judge has as many downloads as the genetic spider.",
    )


def _topic_columns(name: str, counts: Counts) -> Iterator[Column]:
    yield Column(f"{name}: carry the topic", mean_of(lambda row: on_topic(row, counts), 2))
    yield Column(f"{name}: share", lambda own: with_interval(values(own, lambda row: share(row, counts))))


def few_links(rows: Rows) -> Table:
    spiders = (BEST_FIRST, GENETIC, JUDGED)
    return group_table(
        "Few links",
        ("web", "spider"),
        {(web, name): did(rows, name, web, FEW) for web, name in product(webs(rows, FEW), spiders)},
        Column("cases", len),
        Column("fewer than ten", lambda own: sum(delivered(row) < OUTPUTS for row in own)),
        Column("outputs", mean_of(delivered, 2)),
        Column("fitness [95%]", lambda own: with_interval(values(own, "fitness"), 4)),
        Column("own fitness", text_of(lambda row: row.get("own"))),
        Column("by leap", origin_share("leap")),
        Column("downloads", "downloads", digits=1),
        Column("carry the topic", mean_of(lambda row: on_topic(row, COUNTED["outputs"]), 2)),
        Column("own finds that do", mean_of(lambda row: on_topic(row, is_own), 2)),
        note=f"Cases whose liked pages have fewer than five links each. Of {OUTPUTS} outputs asked for; means over "
        "cases.",
    )


def own_site(rows: Rows) -> Table:
    return group_table(
        "Few links, and only those to the own site",
        ("web", "spider"),
        {
            (web, name): did(rows, name, web, OWN_SITE)
            for web, name in product(webs(rows, OWN_SITE), (BEST_FIRST, GENETIC))
        },
        Column("cases", len),
        Column("fewer than ten", lambda own: sum(delivered(row) < OUTPUTS for row in own)),
        Column("outputs", mean_of(delivered, 2)),
        Column("fitness [95%]", lambda own: with_interval(values(own, "fitness"), 4)),
        note="The cases of few links, where pages link to their own host alone; leaps go where they go.",
    )


def index_shares(rows: Rows) -> Table:
    every = grouped(where(rows, study=SHARES), lambda row: row["every"])
    return group_table(
        "Outputs by leap, by the share of pages in the index",
        ("one page in",),
        {share: [row["spiders"][GENETIC] for row in own if row["spiders"]] for share, own in sorted(every.items())},
        Column("cases", len),
        Column("by leap [95%]", lambda own: with_interval(values(own, by_leap))),
        note=f"The genetic spider on one web. Everywhere else one page in {EVERY} is in the index.",
    )


def few_counts(rows: Rows) -> Table:
    """By how many links the liked pages have together."""
    cases = [row for row in where(rows, study=FEW) if row["spiders"]]
    return group_table(
        "Few links, by how many the liked pages have together",
        ("links",),
        dict(sorted(grouped(cases, lambda row: sum(row["links"])).items())),
        Column("cases", len),
        Column("outputs, best-first", mean_of(lambda row: delivered(row["spiders"][BEST_FIRST]), 2)),
        Column("outputs, genetic", mean_of(lambda row: delivered(row["spiders"][GENETIC]), 2)),
        Column("fitness, best-first", text_of(f"spiders.{BEST_FIRST}.fitness")),
        Column("fitness, genetic", text_of(f"spiders.{GENETIC}.fitness")),
    )


# Figures


def generations(rows: Rows) -> Figure:
    """Means over all cases; a search that is through keeps its last value."""
    searches = {name: [row for row in did(rows, name) if row["curve"]] for name in FOUR}
    longest = min(GENERATIONS, max((len(row["curve"]) for own in searches.values() for row in own), default=0))
    return mean_curves(
        Figure("Fitness of the outputs so far, as each spider computes it", "generation", "fitness"),
        range(1, longest + 1),
        searches,
        lambda row: (row["curve"] + row["curve"][-1:] * longest)[:longest],
        PALETTE,
    )


def topic_curve(title: str, names: Sequence[str], counts: Counts) -> Callable[[Rows], Figure]:
    """What carries the topic among the best 1, 2, ... outputs, as shares of so many, in the mean over cases."""
    ranks = range(1, OUTPUTS + 1)
    return lambda rows: mean_curves(
        Figure(title, "outputs, best first", "carry the topic", y_range=(0.0, 1.0)),
        ranks,
        {name: did(rows, name) for name in names},
        lambda row: [on_topic(row, counts, rank) / rank for rank in ranks],
        PALETTE,
        dashed=(UNLEAPING, JUDGED),
    )


tables = tables_of(variance, levels, fitness, times, origins, topics, few_links, few_counts, own_site, index_shares)
figures = figures_of(
    generations,
    topic_curve("Outputs that carry the topic", (*FOUR, UNLEAPING, JUDGED), COUNTED["outputs"]),
    topic_curve("Own finds that carry the topic", FOUR, is_own),
)
