"""The tables of `akbari_lafc`: the paper's, with its numbers beside ours, and those that it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from operator import itemgetter

import numpy as np

from wolfspider.bench.draw.svg import tick_text
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.groups import Figure, average, figures_at, grouped, mean, values, where
from wolfspider.bench.papers.akbari_lafc import learned_tables, printed
from wolfspider.bench.papers.akbari_lafc.grounds import (
    GROUND,
    again_by_web,
    by_topic,
    compared,
    crawls,
    precision,
    recalled,
    sweeps,
    topics,
)
from wolfspider.bench.papers.akbari_lafc.scales import (
    CHARGED,
    COMPARE,
    CONTROL,
    CORPUS,
    FOUR,
    FREE,
    LAFC,
    LAFC_R,
    OTHERS,
    RATE,
    THEOREM,
    TIES,
    TRAINED,
    trainings,
)
from wolfspider.bench.stats import spread, welch
from wolfspider.bench.tabulate import Column, group_table, mean_of, tables_of

EPOCHS = (1, 2, 5, 10, 20)


# Tables 2 and 3


def by_value(rows: Rows, varied: str) -> dict[str, list[Row]]:
    """What each value of a parameter came to, in all sweeps of it."""
    own = [*sweeps(rows, varied, again=True), *sweeps(rows, varied, again=False)]
    single = [figures_at(row, place) for row in own for place in range(len(row["values"]))]
    return {f"{value:g}": group for value, group in sorted(grouped(single, itemgetter("values")).items())}


def swept(figure: str, again: bool) -> Callable[[Rows], float | None]:
    """The mean over the sweeps of LAFC-R, or of LAFC-1."""
    return lambda own: mean([row for row in own if (row["crawls"] > 1) == again], figure)


def sweep_table(
    title: str, name: str, varied: str, numbers: Mapping[float, tuple[float, float]]
) -> Callable[[Rows], Table]:
    paper = [{f"{value:g}": pair[place] for value, pair in numbers.items()} for place in (0, 1)]

    def table(rows: Rows) -> Table:
        again = sweeps(rows, varied, again=True)
        return group_table(
            title,
            (name,),
            by_value(rows, varied),
            Column("precision, LAFC-R", swept("precision", again=True), paper[0]),
            Column("minutes, LAFC-R", swept("minutes", again=True), paper[1]),
            Column("of them network", swept("network_minutes", again=True)),
            Column("and processor", swept("cpu_minutes", again=True)),
            Column("precision of its last", swept("last", again=True)),
            Column("precision, LAFC-1", swept("precision", again=False)),
            Column("minutes, LAFC-1", swept("minutes", again=False)),
            note=f"Means of {len(again)} grounds; keywords of each topic: {keywords_of(again)}. The paper's are of "
            "Linux alone. LAFC-R is several crawls that share the downloads and keep their automata; LAFC-1 is one "
            "crawl with all of them.",
        )

    return table


def keywords_of(rows: Rows) -> str:
    return ", ".join(map(str, sorted({row["keywords"] for row in rows})))


def sweeps_by_truth(rows: Rows) -> Table:
    figures = {"by the truth": "truth", "distinct": "distinct", "downloads": "downloads"}
    return group_table(
        "The sweeps by the web's own truth",
        ("varied", "value"),
        {(varied, value): own for varied in (CONTROL, RATE) for value, own in by_value(rows, varied).items()},
        *(
            Column(f"{name}, {part}", swept(figure, again))
            for (name, again), (part, figure) in product(((LAFC_R, True), ("LAFC-1", False)), figures.items())
        ),
        note="Precision by the truth, where a document counts once in each crawl; and by the paper's rule, where it "
        "counts once in all, because crawls that keep their automata may go back to what they know.",
    )


def one_keyword(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = [
        (
            *(row["topic"], row["start"], ", ".join(f"{value:g}" for value in row["values"])),
            *(", ".join(f"{share:.4f}" for share in row["precision"]), "yes" if row["same"] else "no"),
        )
        for row in where(rows, study=TIES)
    ]
    head = ("topic", "start", "control thresholds", "precision with each", "the same pages?")
    note = "The similarity to a topic of one keyword is 0 or 1, so that no control threshold tells documents apart."
    return Table("The control threshold with one keyword", head, lines, note)


# Tables 4 to 6


def significance(rows: Rows) -> Table:
    found = {crawler: values(own, precision) for crawler, own in compared(rows).items()}
    ranked = sorted(found, key=lambda crawler: -float(np.mean(found[crawler]))) if found[LAFC] else []
    lines: list[tuple[Value, ...]] = []
    for crawler in printed.ORDER if ranked else ():
        mean, deviation, rank = printed.PRECISION[crawler]
        own = (crawler, Both(average(found[crawler]), mean), Both(spread(found[crawler]), deviation))
        pairs = [(pair[1], *_pair(found, *pair)) for pair in combinations(printed.ORDER, 2) if pair[0] == crawler]
        lines += [(*own, *pair, Both(ranked.index(crawler) + 1, rank)) for pair in pairs or [("–", None, None)]]
    head = ("x", "mean precision of x", "±", "y", "x less y", "p", "rank")
    note = (
        f"Welch's t-test, two-sided, on {len(found[LAFC])} crawls of each. Training is charged. With the paper's means "
        "and deviations and 10 crawls of each, this test gives the paper's p-values."
    )
    return Table("Table 4: significance of the precision", head, lines, note)


def _pair(found: Mapping[str, Sequence[float]], one: str, other: str) -> tuple[Value, Value]:
    result = welch(found[one], found[other])
    difference, p = printed.PAIRS[one, other]
    return Both(result.difference, difference), Both(short(result.p, 1), short(p, 2))


def short(p: float, digits: int) -> str:
    return tick_text(float(f"{p:.{digits}e}"))


def topic_column(name: str, place: int | str, figure: Figure, paper: Mapping[str, float] | None = None) -> Column:
    """The mean on one topic."""
    return Column(name, lambda own: by_topic(own, figure).get(place), paper)


def topic_mean(figure: Figure, paper: Mapping[str, float] | None = None) -> Column:
    """The mean of the means on topics."""
    return Column("mean", lambda own: average(by_topic(own, figure).values()), paper)


def topic_table(
    title: str, numbers: Mapping[str, Sequence[float]], figure: Figure, note: str
) -> Callable[[Rows], Table]:
    """A line for each of the four crawlers, a column for each topic."""
    means = {crawler: float(np.mean(own)) for crawler, own in numbers.items()}

    def paper(number: int) -> dict[str, float]:
        return {crawler: own[number - 1] for crawler, own in numbers.items() if number <= len(own)}

    def table(rows: Rows) -> Table:
        found, places = recalled(compared(rows)), topics(rows)
        return group_table(
            title,
            ("crawler",),
            {crawler: found[crawler] for crawler in printed.ORDER},
            *(topic_column(f"topic {n}", place, figure, paper(n)) for n, place in enumerate(places, 1)),
            topic_mean(figure, means),
            note=f"{note} Topics: {', '.join(str(row['topic']) for row in places.values())}; in the paper "
            f"{', '.join(printed.TOPICS)}.",
        )

    return table


# What the paper leaves out


def kinds(rows: Rows, study: str = COMPARE) -> dict[tuple[str, str], list[Row]]:
    """The crawls by crawler and training."""
    return {
        (crawler, train if crawler in TRAINED else "none"): [*crawls(rows, crawler, train, study).values()]
        for crawler, train in trainings((*FOUR, *OTHERS))
    }


def per_download(own: Rows) -> float | None:
    downloads = sum(row["downloads"] for row in own)
    return 60_000 * sum(row["cpu_minutes"] for row in own) / downloads if downloads else None


def times(rows: Rows) -> Table:
    return group_table(
        "Where the time goes",
        ("crawler", "training"),
        kinds(rows),
        Column("crawls", len),
        Column("minutes", "minutes"),
        Column("network", "network_minutes"),
        Column("processor", "cpu_minutes"),
        Column("processor, ms per download", per_download),
        note="The network's time is computed from latencies; nobody waits between two visits to a host. A question for "
        "back-links takes no time of the network here. Free training is free in downloads only: its time is counted.",
    )


def with_recalls(rows: Rows, study: str) -> dict[tuple[str, str], list[Row]]:
    """The crawls by crawler and training, and on grounds that the four crawlers have, too, with their recall of what
    these found, trained likewise: by the paper's rule, and by the truth."""
    groups = {}
    for (crawler, train), own in kinds(rows, study).items():
        found = compared(rows, (*FOUR, crawler), FREE if train == FREE else CHARGED, study)
        pooled = recalled(recalled(found), "truth_found", "truth_recall")[crawler]
        known = {GROUND(row): row for row in pooled}
        groups[crawler, train] = [known.get(GROUND(row), row) for row in own]
    return groups


BOTH_RULES = (
    Column("precision", mean_of(precision)),
    Column("by the truth", mean_of(lambda row: precision(row, "truth_curve"))),
    Column("recall", mean_of(lambda row: row.get("recall"))),
    Column("by the truth", mean_of(lambda row: row.get("truth_recall"))),
)


def truth(rows: Rows) -> Table:
    return group_table(
        "What the web's truth says",
        ("crawler", "training"),
        with_recalls(rows, COMPARE),
        Column("crawls", len),
        *BOTH_RULES,
        Column("± precision", lambda own: spread(values(own, precision))),
        note="By the paper's rule a document is relevant if its similarity to the keywords is 0.75 or more; by the "
        "truth, if its page is of the topic. Recall is of what LAFC, BPM, HW and LJM, trained likewise, found "
        "together.",
    )


def reasons(own: Rows) -> str:
    counts = Counter(str(row["reason"]) for row in own)
    return ", ".join(f"{reason} ({count})" for reason, count in counts.items())


def training(rows: Rows) -> Table:
    return group_table(
        "What training costs",
        ("crawler", "training"),
        kinds(rows),
        Column("downloads to train", lambda own: mean(own, "training") or None),
        Column("downloads", "downloads"),
        Column("precision", mean_of(precision)),
        Column("ended early", lambda own: sum(row["downloads"] < row["budget"] for row in own)),
        Column("why crawls ended", reasons),
        note="Charged training is paid from the budget, and what it finds counts; free training is beside the budget.",
    )


def percent_between(row: Row) -> float:
    return 100 * float(row["between"])


def between(rows: Rows) -> Table:
    return group_table(
        "Relevant, but not expanded",
        ("crawler",),
        {crawler: own for (crawler, train), own in kinds(rows).items() if train != FREE},
        *(
            topic_column(f"topic {number}, keywords: {row['keywords']}", place, percent_between)
            for number, (place, row) in enumerate(topics(rows).items(), 1)
        ),
        topic_mean(percent_between),
        note="Percent of the downloads with a similarity from 0.75 up to 0.8: relevant, and with a control threshold "
        "of 0.8 never expanded by LAFC. With one keyword there can be none.",
    )


def corpora(rows: Rows) -> Table:
    own = where(rows, study=CORPUS)
    return group_table(
        "On recorded webs",
        ("corpus", "crawler", "training"),
        {
            (name, *kind): crawled
            for name, group in grouped(own, itemgetter("web_name")).items()
            for kind, crawled in with_recalls(group, CORPUS).items()
        },
        Column("crawls", len),
        *BOTH_RULES,
        Column("minutes", "minutes"),
        Column("downloads", "downloads"),
        note=f"All topics of each corpus, from the directory page, a quarter of its pages; keywords of each topic: "
        f"{keywords_of(own)}. No claim is ruled on these.",
    )


# What the network learns


def epoch_table(rows: Rows) -> Table:
    lines: list[tuple[Value, ...]] = []
    for web, own in again_by_web(rows).items():
        last = min(len(row["epochs"]["precision"]) for row in own)
        for crawl in (crawl for crawl in EPOCHS if crawl <= last):
            means = (average([row["epochs"][rule][crawl - 1] for row in own]) for rule in ("precision", "truth"))
            lines.append((web, len(own), str(crawl), *means))
    head = ("web", "grounds", "crawl", "precision", "by the truth")
    note = "Each crawl has the whole budget and starts with the automata of the one before. Means of the grounds."
    return Table("What keeping automata gives: LAFC-R", head, lines, note)


def theorem(rows: Rows) -> Table:
    """After the first crawl, in the middle and at the end."""
    own = where(rows, study=THEOREM)
    groups = sorted(grouped(own, lambda row: (thresholds(row), row["rate"])).items())
    return group_table(
        "Theorem 1",
        ("thresholds", "learning rate", "grounds", "after crawl"),
        {
            (kind, f"{rate:g}", len(group), group[0]["crawl"][place]): [figures_at(row, place) for row in group]
            for (kind, rate), group in groups
            for place in sorted({0, len(group[0]["crawl"]) // 2, len(group[0]["crawl"]) - 1})
        },
        Column("share above 0.95", "share"),
        Column("of the whole network, plain", "share_raw"),
        Column("best link most likely", "best"),
        Column("mean largest chance", "mean_largest"),
        note=f"{LEARNED_NOTE} Keywords of each topic: {keywords_of(own)}.",
    )


LEARNED_NOTE = (
    "Of the automata that were rewarded in the first crawl and have two links or more: the share whose largest chance "
    "is above 0.95, the share whose most likely link is the best known one, and the mean of the largest chance. A link "
    "that was never enabled at a reward keeps its first chance for ever; it is left out, and chances are those among "
    "the others. Of the whole network, plain: of all automata rewarded by then, new ones included, the share above "
    "0.95 with nothing left out. Where nothing is kept each crawl begins with new automata. The figures show the same."
)


def thresholds(row: Row) -> str:
    if row.get("broken"):
        return "stay, nothing is kept"
    return "stay" if row["decay"] == 1.0 else "sink from crawl to crawl"


tables = tables_of(
    sweep_table("Table 2: the control threshold", "control threshold", CONTROL, printed.CONTROL_SWEEP),
    sweep_table("Table 3: the learning rate", "learning rate", RATE, printed.RATE_SWEEP),
    sweeps_by_truth,
    one_keyword,
    significance,
    topic_table(
        "Table 5: recall in percent",
        printed.RECALL,
        lambda row: 100 * float(row["recall"]),
        "Of what LAFC, BPM, HW and LJM found together on the same ground; each number is the mean of both starts.",
    ),
    topic_table(
        "Table 6: running time in minutes",
        printed.MINUTES,
        "minutes",
        "Time of the network, which is computed, and of the processor, which is measured; the mean of both starts.",
    ),
    times,
    truth,
    training,
    between,
    epoch_table,
    theorem,
    learned_tables.responses,
    learned_tables.changing,
    learned_tables.clusters,
    corpora,
)
