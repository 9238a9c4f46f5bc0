"""The tables of `akbari_lafc`: the paper's, with its numbers beside ours, and those that it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from wolfspider.bench.draw.svg import tick_text
from wolfspider.bench.experiment import Both, Row, Rows, Table, Value
from wolfspider.bench.papers.akbari_lafc.grounds import (
    AGAIN,
    CHARGED,
    COMPARE,
    CONTROL,
    CORPUS,
    FOUR,
    FREE,
    LAFC,
    OTHERS,
    RATE,
    THEOREM,
    TIES,
    TRAINED,
    again_by_web,
    by_topic,
    compared,
    crawls,
    precision,
    recalls,
    swept,
    topics,
)
from wolfspider.bench.stats import spread, welch

Lines = list[tuple[Value, ...]]
Printed = dict[float, tuple[float, float]]  # value: precision, minutes

PRINTED_CONTROL: Printed = {
    0.45: (0.1123, 623.109),
    0.50: (0.1227, 670.861),
    0.55: (0.1342, 707.292),
    0.60: (0.1403, 765.312),
    0.65: (0.1512, 810.412),
    0.70: (0.1642, 860.145),
    0.75: (0.1702, 900.214),
    0.80: (0.1861, 955.092),
    0.85: (0.1872, 1207.68),
    0.90: (0.1890, 1415.51),
    0.95: (0.1912, 1891.41),
}
PRINTED_RATE: Printed = {
    0.05: (0.2305, 2315.37),
    0.06: (0.2287, 2092.04),
    0.07: (0.2216, 1878.93),
    0.08: (0.2205, 1562.17),
    0.09: (0.2189, 1023.12),
    0.10: (0.1861, 955.092),
    0.20: (0.1675, 870.429),
    0.30: (0.1276, 621.974),
    0.40: (0.1112, 586.236),
    0.50: (0.0732, 432.891),
}
PRINTED_PRECISION = {
    "BPM": (0.1380, 0.0115, 2),
    "LJM": (0.0992, 0.0142, 4),
    "HW": (0.1096, 0.0333, 3),
    "LAFC": (0.1724, 0.0053, 1),
}
PRINTED_PAIRS = {
    ("BPM", "LJM"): (0.0388, 3.45e-06),
    ("BPM", "HW"): (0.0284, 2.71e-02),
    ("BPM", "LAFC"): (-0.0345, 1.15e-06),
    ("LJM", "HW"): (-0.0104, 3.82e-01),
    ("LJM", "LAFC"): (-0.0732, 6.00e-09),
    ("HW", "LAFC"): (-0.0628, 1.91e-04),
}
PAPER_TOPICS = ("Linux", "Robotics", "Java Programming", "Asthma", "Olympic Games")
PRINTED_RECALL = {  # in percent
    "BPM": (73.0, 63.0, 62.0, 61.0, 65.0),
    "LJM": (56.0, 41.0, 42.0, 48.0, 42.0),
    "HW": (61.0, 42.0, 48.0, 54.0, 47.0),
    "LAFC": (85.0, 78.0, 76.0, 83.0, 81.0),
}
PRINTED_MINUTES = {
    "BPM": (1419.31, 1693.11, 1878.34, 1616.53, 1520.12),
    "LJM": (1295.15, 1390.28, 1555.56, 1391.98, 1397.95),
    "HW": (1382.42, 1503.42, 1690.01, 1493.45, 1432.22),
    "LAFC": (934.971, 902.352, 1180.67, 1097.23, 1009.15),
}
PAPER_ORDER = ("BPM", "LJM", "HW", "LAFC")  # of the lines in Tables 4 to 6
EPOCHS = (1, 2, 5, 10, 20)


def tables(rows: Rows) -> list[Table]:
    made = [
        _sweep_table(rows, CONTROL, "Table 2: the control threshold", "control threshold", PRINTED_CONTROL),
        _sweep_table(rows, RATE, "Table 3: the learning rate", "learning rate", PRINTED_RATE),
        _sweeps_by_truth(rows),
        _one_keyword(rows),
        _significance(rows),
        _by_topic(rows, "Table 5: recall in percent", PRINTED_RECALL, _recall_lines(rows), RECALL_NOTE),
        _by_topic(rows, "Table 6: running time in minutes", PRINTED_MINUTES, _minute_lines(rows), MINUTES_NOTE),
        _times(rows),
        _truth(rows),
        _training(rows),
        _between(rows),
        _epochs(rows),
        _theorem(rows),
        _corpora(rows),
    ]
    return [table for table in made if table.lines]


def average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def column(rows: Rows, figure: str, place: int) -> float | None:
    return average([row[figure][place] for row in rows])


def at_value(sweeps: Rows, figure: str, value: float) -> float | None:
    """None where this value was not tried."""
    return average([row[figure][row["values"].index(value)] for row in sweeps if value in row["values"]])


# Tables 2 and 3


def _sweep_table(rows: Rows, varied: str, title: str, name: str, printed: Printed) -> Table:
    again, once = swept(rows, varied, again=True), swept(rows, varied, again=False)
    lines: Lines = []
    for value in values_of(again, once):
        paper = printed.get(round(value, 2), (None, None))
        ours = (at_value(again, figure, value) for figure in ("precision", "minutes"))
        parts = (at_value(again, figure, value) for figure in ("network_minutes", "cpu_minutes", "last"))
        first = (at_value(once, figure, value) for figure in ("precision", "minutes"))
        lines.append((f"{value:g}", *map(Both, ours, paper), *parts, *first))
    head = (name, "precision, LAFC-R", "minutes, LAFC-R", "of them network", "and processor", "precision of its last")
    note = (
        f"Means of {len(again)} grounds; keywords of each topic: {keywords_of(again)}. The paper's are of Linux "
        "alone. LAFC-R is several crawls that share the downloads and keep their automata; LAFC-1 is one crawl with "
        "all of them."
    )
    return Table(title, (*head, "precision, LAFC-1", "minutes, LAFC-1"), lines, note)


def keywords_of(rows: Rows) -> str:
    return ", ".join(map(str, sorted({row["keywords"] for row in rows})))


def values_of(*sweeps: Rows) -> list[float]:
    return sorted({value for own in sweeps for row in own for value in row["values"]})


def _sweeps_by_truth(rows: Rows) -> Table:
    lines: Lines = []
    for varied in (CONTROL, RATE):
        both = swept(rows, varied, again=True), swept(rows, varied, again=False)
        for value in values_of(*both):
            figures = (
                at_value(own, figure, value) for own, figure in product(both, ("truth", "distinct", "downloads"))
            )
            lines.append((varied, f"{value:g}", *figures))
    parts = ("by the truth", "distinct", "downloads")
    head = ("varied", "value", *(f"{name}, {part}" for name, part in product((AGAIN, "LAFC-1"), parts)))
    note = (
        "Precision by the truth, where a document counts once in each crawl; and by the paper's rule, where it counts "
        "once in all, because crawls that keep their automata may go back to what they know."
    )
    return Table("The sweeps by the web's own truth", head, lines, note)


def _one_keyword(rows: Rows) -> Table:
    lines: Lines = []
    for row in rows:
        if row["study"] == TIES:
            values = ", ".join(f"{value:g}" for value in row["values"])
            found = ", ".join(f"{share:.4f}" for share in row["precision"])
            lines.append((row["topic"], row["start"], values, found, "yes" if row["same"] else "no"))
    head = ("topic", "start", "control thresholds", "precision with each", "the same pages?")
    note = "The similarity to a topic of one keyword is 0 or 1, so that no control threshold tells documents apart."
    return Table("The control threshold with one keyword", head, lines, note)


# Tables 4 to 6


def _significance(rows: Rows) -> Table:
    found = compared(rows)
    if not found[LAFC]:
        return Table("Table 4: significance of the precision", ("",), [])
    values = {crawler: [precision(row) for row in own] for crawler, own in found.items()}
    ranked = sorted(values, key=lambda crawler: -float(np.mean(values[crawler])))
    lines: Lines = []
    for crawler in PAPER_ORDER:
        mean, deviation, rank = PRINTED_PRECISION[crawler]
        own = (Both(float(np.mean(values[crawler])), mean), Both(spread(values[crawler]), deviation))
        ranks = Both(ranked.index(crawler) + 1, rank)
        pairs = [pair for pair in combinations(PAPER_ORDER, 2) if pair[0] == crawler]
        lines += [(crawler, *own, other, *_pair(values, crawler, other), ranks) for _, other in pairs]
        lines += [] if pairs else [(crawler, *own, "–", None, None, ranks)]
    head = ("x", "mean precision of x", "±", "y", "x less y", "p", "rank")
    note = (
        f"Welch's t-test, two-sided, on {len(found[LAFC])} crawls of each. Training is charged. With the paper's means "
        "and deviations and 10 crawls of each, this test gives the paper's p-values."
    )
    return Table("Table 4: significance of the precision", head, lines, note)


def _pair(values: dict[str, list[float]], one: str, other: str) -> tuple[Value, Value]:
    result = welch(values[one], values[other])
    difference, p = PRINTED_PAIRS[one, other]
    return Both(result.difference, difference), Both(short(result.p, 1), short(p, 2))


def short(p: float, digits: int) -> str:
    return tick_text(float(f"{p:.{digits}e}"))


RECALL_NOTE = "Of what LAFC, BPM, HW and LJM found together on the same ground; each number is the mean of both starts."
MINUTES_NOTE = (
    "Time of the network, which is computed, and of the processor, which is measured; the mean of both starts."
)


def _recall_lines(rows: Rows) -> dict[str, dict[str, float]]:
    found = compared(rows)
    shares = recalls(found)
    return {crawler: by_topic(own, [100 * share for share in shares[crawler]]) for crawler, own in found.items()}


def _minute_lines(rows: Rows) -> dict[str, dict[str, float]]:
    found = compared(rows)
    return {crawler: by_topic(own, [row["minutes"] for row in own]) for crawler, own in found.items()}


def _by_topic(
    rows: Rows,
    title: str,
    printed: Mapping[str, Sequence[float]],
    found: Mapping[str, Mapping[str, float]],
    note: str,
) -> Table:
    places = topics(rows)
    names = {str(row["place"]): str(row["topic"]) for row in rows if row["study"] == COMPARE}
    lines: Lines = []
    for crawler in PAPER_ORDER if found[LAFC] else ():
        paper = [*printed[crawler], *[None] * len(places)]
        means = Both(average([*found[crawler].values()]), float(np.mean(printed[crawler])))
        lines.append((crawler, *(Both(found[crawler].get(p), paper[n]) for n, p in enumerate(places)), means))
    head = ("crawler", *(f"topic {number}" for number in range(1, len(places) + 1)), "mean")
    ours = ", ".join(names[place] for place in places)
    return Table(title, head, lines, f"{note} Topics: {ours}; in the paper {', '.join(PAPER_TOPICS)}.")


# What the paper leaves out


def kinds(rows: Rows, study: str = COMPARE) -> Iterator[tuple[str, str, list[Row]]]:
    """Crawler, training and crawls, for each that there are."""
    for crawler, train in product((*FOUR, *OTHERS), (CHARGED, FREE)):
        if train == CHARGED or crawler in TRAINED:
            own = [*crawls(rows, crawler, train, study).values()]
            if own:
                yield crawler, train if crawler in TRAINED else "none", own


def mean_of(own: Rows, figure: str) -> float | None:
    return average([row[figure] for row in own])


def _times(rows: Rows) -> Table:
    lines: Lines = []
    for crawler, train, own in kinds(rows):
        parts = (mean_of(own, figure) for figure in ("minutes", "network_minutes", "cpu_minutes"))
        downloads = sum(row["downloads"] for row in own)
        each = 60_000 * sum(row["cpu_minutes"] for row in own) / downloads if downloads else None
        lines.append((crawler, train, len(own), *parts, each))
    head = ("crawler", "training", "crawls", "minutes", "network", "processor", "processor, ms per download")
    note = (
        "The network's time is computed from latencies; nobody waits between two visits to a host. A question for "
        "back-links takes no time of the network here. Free training is free in downloads only: its time is counted."
    )
    return Table("Where the time goes", head, lines, note)


def _truth(rows: Rows) -> Table:
    lines = [
        (crawler, train, len(own), *_both_rules(rows, crawler, train, COMPARE)) for crawler, train, own in kinds(rows)
    ]
    head = ("crawler", "training", "crawls", "precision", "by the truth", "recall", "by the truth", "± precision")
    note = (
        "By the paper's rule a document is relevant if its similarity to the keywords is 0.75 or more; by the truth, "
        "if its page is of the topic. Recall is of what LAFC, BPM, HW and LJM, trained likewise, found together."
    )
    return Table("What the web's truth says", head, lines, note)


def _both_rules(rows: Rows, crawler: str, train: str, study: str) -> tuple[Value, ...]:
    """Precision and recall by the paper's rule and by the truth, and how precisions vary."""
    charged = FREE if train == FREE else CHARGED
    own = [*crawls(rows, crawler, charged, study).values()]
    found = compared(rows, tuple(dict.fromkeys((*FOUR, crawler))), charged, study)
    shares = [average([precision(row, curve) for row in own]) for curve in ("curve", "truth_curve")]
    pooled = [average(recalls(found, field)[crawler]) for field in ("found", "truth_found")]
    return *shares, *pooled, spread([precision(row) for row in own])


def _training(rows: Rows) -> Table:
    lines: Lines = []
    for crawler, train, own in kinds(rows):
        early = sum(row["downloads"] < row["budget"] for row in own)
        reasons = ", ".join(f"{reason} ({count})" for reason, count in Counter(str(r["reason"]) for r in own).items())
        spent = (mean_of(own, "training") or None, mean_of(own, "downloads"), average([*map(precision, own)]))
        lines.append((crawler, train, *spent, early, reasons))
    head = ("crawler", "training", "downloads to train", "downloads", "precision", "ended early", "why crawls ended")
    note = "Charged training is paid from the budget, and what it finds counts; free training is beside the budget."
    return Table("What training costs", head, lines, note)


def _between(rows: Rows) -> Table:
    places = topics(rows)
    lines: Lines = []
    for crawler, train, own in kinds(rows):
        if train != FREE:
            shares = by_topic(own, [100 * row["between"] for row in own])
            lines.append((crawler, *(shares.get(place) for place in places), average([*shares.values()])))
    keywords = {str(row["place"]): row["keywords"] for row in rows if row["study"] == COMPARE}
    head = ("crawler", *(f"topic {number}, keywords: {keywords[place]}" for number, place in enumerate(places, 1)))
    note = (
        "Percent of the downloads with a similarity from 0.75 up to 0.8: relevant, and with a control threshold of 0.8 "
        "never expanded by LAFC. With one keyword there can be none."
    )
    return Table("Relevant, but not expanded", (*head, "mean"), lines, note)


# What the network learns


def _epochs(rows: Rows) -> Table:
    lines: Lines = []
    for web, own in again_by_web(rows).items():
        last = min(len(row["epochs"]["precision"]) for row in own)
        for crawl in (crawl for crawl in EPOCHS if crawl <= last):
            means = (average([row["epochs"][rule][crawl - 1] for row in own]) for rule in ("precision", "truth"))
            lines.append((web, len(own), str(crawl), *means))
    head = ("web", "grounds", "crawl", "precision", "by the truth")
    note = "Each crawl has the whole budget and starts with the automata of the one before. Means of the grounds."
    return Table("What keeping automata gives: LAFC-R", head, lines, note)


def _theorem(rows: Rows) -> Table:
    mine = [row for row in rows if row["study"] == THEOREM]
    lines: Lines = []
    for kind, rate in sorted({(kind_of(row), row["rate"]) for row in mine}):
        own = [row for row in mine if (kind_of(row), row["rate"]) == (kind, rate)]
        for place in sorted({0, len(own[0]["crawl"]) // 2, len(own[0]["crawl"]) - 1}):
            figures = (column(own, figure, place) for figure in ("share", "share_raw", "best", "mean_largest"))
            lines.append((kind, f"{rate:g}", len(own), own[0]["crawl"][place], *figures))
    head = ("thresholds", "learning rate", "grounds", "after crawl", "share above 0.95", "of the whole network, plain")
    note = f"{LEARNED_NOTE} Keywords of each topic: {keywords_of(mine)}."
    return Table("Theorem 1", (*head, "best link most likely", "mean largest chance"), lines, note)


LEARNED_NOTE = (
    "Of the automata that were rewarded in the first crawl and have two links or more: the share whose largest chance "
    "is above 0.95, the share whose most likely link is the best known one, and the mean of the largest chance. A link "
    "that was never enabled at a reward keeps its first chance for ever; it is left out, and chances are those among "
    "the others. Of the whole network, plain: of all automata rewarded by then, new ones included, the share above "
    "0.95 with nothing left out. Where nothing is kept each crawl begins with new automata. The figures show the same."
)


def kind_of(row: Row) -> str:
    if row.get("broken"):
        return "stay, nothing is kept"
    return "stay" if row["decay"] == 1.0 else "sink from crawl to crawl"


def _corpora(rows: Rows) -> Table:
    lines: Lines = []
    for name in dict.fromkeys(row["web_name"] for row in rows if row["study"] == CORPUS):
        mine = [row for row in rows if row["study"] == CORPUS and row["web_name"] == name]
        for crawler, train, own in kinds(mine, CORPUS):
            figures = _both_rules(mine, crawler, train, CORPUS)[:4]
            lines.append((name, crawler, train, len(own), *figures, mean_of(own, "minutes"), mean_of(own, "downloads")))
    head = ("corpus", "crawler", "training", "crawls", "precision", "by the truth", "recall", "by the truth", "minutes")
    keywords = keywords_of([row for row in rows if row["study"] == CORPUS])
    note = (
        f"All topics of each corpus, both starts, a quarter of its pages; keywords of each topic: {keywords}. LAFC-R "
        "starts from the directory alone. No claim is ruled on these."
    )
    return Table("On recorded webs", (*head, "downloads"), lines, note)
