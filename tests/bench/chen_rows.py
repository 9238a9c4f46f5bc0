"""Rows as the cells of `chen_intelligent_spider` write them, made by hand so that all of the paper's claims hold."""

from __future__ import annotations

from typing import Any

from wolfspider.bench.experiment import Row
from wolfspider.bench.papers.chen_intelligent_spider.cases import CASES, COMPUTED, FEW, OWN_SITE, RECORDED, SHARES
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

# Spider: fitness, outputs by leap, downloads, seconds of user time.
SPIDERS = {
    BEST_FIRST: (0.085, 0, 60, 0.2),
    GENETIC: (0.087, 5, 120, 0.4),
    ANNEALING: (0.04, 0, 300, 0.9),
    HYBRID: (0.086, 4, 400, 1.1),
    COOL_ANNEALING: (0.06, 0, 200, 0.5),
    COOL_HYBRID: (0.0865, 5, 250, 0.6),
    HOT_ANNEALING: (0.03, 0, 300, 0.9),
    HOT_HYBRID: (0.07, 5, 250, 0.6),
    UNLEAPING: (0.08, 0, 50, 0.2),
    JUDGED: (0.05, 0, 123, 0.0),
}


def wiggle(case: int, period: int) -> float:
    """Some noise that adds up to nothing over the cases, between -1 and 1."""
    return ((case * 7) % period - (period - 1) / 2) / (period / 2)


def outputs(count: int, leaps: int, score: float) -> list[dict[str, Any]]:
    return [
        {
            "url": f"http://a.test/{place}",
            "origin": "leap" if place < leaps else "local" if place % 2 else "elsewhere",
            "own": score,
            "score": score,
            "listed": place < leaps or place == count - 1,
            "topic": place % 2 == 0,
        }
        for place in range(count)
    ]


def spider(name: str, case: int, count: int = OUTPUTS, more: float = 0.0) -> Row:
    """All cases of a spider lie around its fitness; what is common to a case is more than what is not."""
    fitness, leaps, downloads, user = SPIDERS[name]
    noise = 0.04 * wiggle(case, 10) + 0.004 * wiggle(case + len(name), 5)
    score = fitness + noise + more
    row = {"fitness": score, "outputs": outputs(count, min(leaps, count), score), "downloads": downloads + case}
    ended = {"reason": "done", "seconds": 30.0 + case}
    if name == JUDGED:
        return {**row, **ended}
    searched = {"own": score - 0.01, "generations": 3, "curve": [score / 2, score * 0.9, score - 0.01][: 1 + case % 3]}
    return {**row, **ended, **searched, "user": user + case / 1000, "system": user / 50 + case / 10_000}


def made(study: str, case: int, kind: str, spiders: dict[str, Row]) -> Row:
    web = "wiki" if kind == RECORDED else "synthetic:pages=5000,seed=1"
    where = {"study": study, "web": web, "web_name": web, "kind": kind, "case": case, "turn": case}
    asked = {"strategy": "spider", "liked": 1 + case % 3, "budget": 3000, "rounds": 1, "cool": study == CASES}
    links = [2] * (1 + case % 3) if study in (FEW, OWN_SITE) else [9] * (1 + case % 3)
    return {**where, **asked, "topic": "music", "category": "sounds", "likes": [], "links": links, "spiders": spiders}


def leaping(case: int, leaps: int) -> Row:
    return {**spider(GENETIC, case), "outputs": outputs(OUTPUTS, leaps, 0.08)}


def few(case: int, kind: str, study: str = FEW) -> Row:
    """Best-first comes to an end in two cases of three."""
    count = OUTPUTS if case % 3 == 0 else 4
    spiders = {BEST_FIRST: spider(BEST_FIRST, case, count, -0.01), GENETIC: spider(GENETIC, case)}
    return made(study, case, kind, {**spiders, JUDGED: spider(JUDGED, case)})


def made_rows(cases: int = 40, recorded: int = 10) -> list[Row]:
    rows = []
    for kind, count in ((COMPUTED, cases), (RECORDED, recorded)):
        rows += [made(CASES, case, kind, {name: spider(name, case) for name in SPIDERS}) for case in range(count)]
        rows += [few(case, kind, study) for case in range(count) for study in (FEW, OWN_SITE)]
    for every, leaps in ((2, 8), (10, 1)):
        rows += [made(SHARES, case, COMPUTED, {GENETIC: leaping(case, leaps)}) | {"every": every} for case in range(8)]
    return [*rows, made(FEW, cases, RECORDED, {}) | {"topic": None, "category": None, "likes": [], "links": []}]
