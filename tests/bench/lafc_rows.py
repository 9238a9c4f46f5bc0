"""Rows as the cells of `akbari_lafc` write them, made by hand so that all of the paper's claims hold on them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from wolfspider.bench.experiment import Row

PLACES, STARTS = range(1, 6), ("directory", "results")
KEYWORDS = (1, 1, 2, 1, 2)  # of the topics
FIXED = {"sweep": 3, "theorem": 3, "corpus": 2}  # whatever the topic
BUDGET = 1000
# Crawler: relevant documents, the first of them by number, minutes.
CRAWLERS = {
    "LAFC": (400, 0, 10.0),
    "LAFC-R": (420, 0, 10.0),
    "LAFC-20": (300, 0, 10.0),
    "BPM": (330, 120, 18.0),
    "HW": (280, 0, 15.0),
    "LJM": (230, 0, 14.0),
    "LJM+": (300, 0, 14.0),
    "CG": (250, 0, 15.0),
    "best-first": (310, 0, 11.0),
    "breadth-first": (90, 0, 10.5),
}
TRAINED = ("BPM", "HW", "LJM", "LJM+", "CG")
CONTROLS, RATES = (0.45, 0.6, 0.75, 0.8, 0.95), (0.05, 0.1, 0.3, 0.5)
FIRST_RATES = (0.05, 0.4, 0.5)  # of single crawls
THEOREM_RATES = (0.01, 0.03, 0.09, 0.3)


def base(study: str, place: int, start: str) -> Row:
    where = {"web": "synthetic:pages=20000", "place": place, "topic": f"topic {place}", "start": start}
    return {"study": study, **where, "keywords": FIXED.get(study, KEYWORDS[place - 1]), "budget": BUDGET}


def grounds() -> Iterator[tuple[int, int, str]]:
    """A number, which makes no two grounds the same; topic; start."""
    for number, (place, start) in enumerate(product(PLACES, STARTS)):
        yield number, place, start


def sweep(number: int, place: int, start: str, varied: str, times: int) -> Row:
    values = CONTROLS if varied == "control" else RATES if times > 1 else FIRST_RATES
    steps = [*range(len(values))] if varied == "control" else [*range(len(values))][::-1]
    flat = varied == "rate" and times == 1  # in a first crawl no rate can matter
    shares = [0.2 + (0 if flat else 0.02 * step) + number / 1000 for step in steps]
    minutes = [10.0 + (0 if flat else 2 * step) + number / 10 for step in steps]
    made = {"precision": shares, "truth": [share / 2 for share in shares], "distinct": [share / 3 for share in shares]}
    time = {"minutes": minutes, "network_minutes": [9.0] * len(values), "cpu_minutes": [one / 10 for one in minutes]}
    rest = {"last": shares, "downloads": [BUDGET] * len(values), "values": list(values)}
    return {**base("sweep", place, start), "varied": varied, "crawls": times, **made, **time, **rest}


def crawl(number: int, place: int, start: str, crawler: str, train: str, study: str = "compare") -> Row:
    relevant, first, minutes = CRAWLERS[crawler]
    total = relevant + number
    curve = [round(total * (tenth / 10) ** 0.8) for tenth in range(1, 11)]
    row = {**base(study, place, start), "crawler": crawler, "strategy": crawler.lower(), "train": train}
    found = {"curve": curve, "truth_curve": [each // 2 for each in curve], "found": [*range(first, first + total)]}
    slower = 1 + number / 100
    time = {"minutes": minutes * slower, "network_minutes": minutes - 1, "cpu_minutes": minutes / 10 * slower}
    anytime = [[time["minutes"] * step / 20, total * step // 20] for step in range(1, 21)]
    row |= {**found, "truth_found": [*range(first, first + total // 2)], **time, "anytime": anytime}
    if crawler in ("BPM", "LJM", "LJM+"):
        row["within"] = {"BPM": 0.7, "LJM": 0.5, "LJM+": 0.6}[crawler] + number / 1000 * (1 + (crawler == "BPM"))
    row |= {"downloads": BUDGET, "training": 100 if crawler in TRAINED else 0, "between": 0.01, "reason": "budget"}
    if crawler == "LAFC-R":
        row["epochs"] = {rule: [0.4 + each / 1000 for each in range(20)] for rule in ("precision", "truth")}
    return row


def theorem(number: int, place: int, start: str, rate: float, kind: dict[str, Any]) -> Row:
    """As if the best of two links were rewarded in each crawl: after n of them its chance is 1 - (1 - rate)^n / 2. The
    larger an automaton, the later it is sure; where nothing is kept no chance is ever that of more than one reward."""
    crawls = [1, 2, 5, 10, 20, 30, 40]
    left = [(1 - rate) ** (1 if kind.get("broken") else crawl) for crawl in crawls]
    share = [0.0 if each >= 0.1 else 0.3 if each >= 0.05 else 0.6 + number / 1000 for each in left]
    best: list[float | None] = [0.9 - rate + number / 1000 for _ in crawls]
    row = {**base("theorem", place, start), "rate": rate, "crawls": 40, "crawl_budget": 200, **kind}
    learned = {"share": share, "share_raw": [each / 2 for each in share], "best": [None, *best[1:]]}
    learned |= {"responses": [1, 2, 5, 10, 20, 50, 100], "sure_by_responses": share, "responding": 9}
    return {
        **row,
        "crawl": crawls,
        **learned,
        "mean_by_responses": share,
        "mean_largest": [1 - each / 2 for each in left],
        "cohort": 20,
    }


def changing(number: int, place: int, start: str, kept: bool) -> Row:
    precision = [0.3, *[0.4 + number / 500 if kept else 0.3 + number / 1000] * 9]
    row = {**base("changing", place, start), "crawls": 10, "precision": precision, "truth": precision}
    return row if kept else {**row, "broken": True}


def corpus(number: int, place: int, start: str, crawler: str, train: str) -> Row:
    return {**crawl(number, place, start, crawler, train, "corpus"), "web": "/corpora/wiki", "web_name": "wiki"}


def trains(crawler: str) -> tuple[str, ...]:
    return ("charged", "free") if crawler in TRAINED and crawler != "LJM+" else ("charged",)


def made_rows(quick: bool = False) -> list[Row]:
    """The quick form sweeps from one start only, and has no corpora."""
    rows: list[Row] = []
    for number, place, start in grounds():
        if not quick or start == "directory":
            rows += [sweep(number, place, start, *kind) for kind in product(("control", "rate"), (1, 20))]
        for crawler in CRAWLERS:
            rows += [crawl(number, place, start, crawler, train) for train in trains(crawler)]
            if not quick and place <= 2:
                rows += [corpus(number, place, start, crawler, train) for train in trains(crawler)]
        for rate, decay in product(THEOREM_RATES, ({"decay": 0.99}, {"decay": 1.0})):
            rows.append(theorem(number, place, start, rate, decay))
        rows.append(theorem(number, place, start, 0.09, {"decay": 1.0, "broken": True}))
        rows += [changing(number, place, start, kept) for kept in (True, False)]
        if KEYWORDS[place - 1] == 1:
            same = {"values": [0.5, 0.95], "precision": [0.3, 0.3], "same": True}
            rows.append({**base("ties", place, start), **same})
    return rows
