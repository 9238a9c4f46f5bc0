"""The tests of `akbari_lafc` on what is learned: by automata (claims 7 and 9), and about pages of a cluster (8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wolfspider.bench.experiment import Estimate, Row, Rows, Ruling
from wolfspider.bench.groups import aligned, average, indexed, keyed, where
from wolfspider.bench.papers.akbari_lafc.grounds import (
    GROUND,
    Ground,
    compared,
    crawls,
    dealt_to,
    numbers,
    precision,
    static,
)
from wolfspider.bench.papers.akbari_lafc.scales import CHANGING, COMPARE, THEOREM, ruling_rate
from wolfspider.bench.rulings import ABOVE, all_of, answer, few, greater, page
from wolfspider.bench.stats import interval

FEWEST_VALUES = 3  # of a trend
FEWEST_NETWORKS = 2  # grounds of the theorem; with fewer than five a trend can hold or be undecided, but not fail
SMALL_RATE = 0.1
HALF = 0.5


# 7: the theorem


def at_end(rows: Rows, figure: str) -> dict[float, dict[Ground, float]]:
    """By learning rate, and then by ground: the figure after the last crawl, where there is one."""
    ends: dict[float, dict[Ground, float]] = {}
    for row in sorted(static(rows), key=lambda row: float(row["rate"])):
        if row[figure] and row[figure][-1] is not None:
            ends.setdefault(row["rate"], {})[GROUND(row)] = row[figure][-1]
    return ends


def goes_to_one(rows: Rows) -> Ruling:
    ends, best = at_end(rows, "share"), at_end(rows, "best")
    if not ends:
        return Ruling(None, sentence="No crawls on a web that does not change are there.")
    ruling = ruling_rate(ends, min(row["crawls"] for row in static(rows)))
    own = where(static(rows), rate=ruling)
    shares = [row["share"] for row in own if None not in row["share"]]
    common = [list(case) for case in zip(*aligned(best).values(), strict=True)] if best else []
    if len(shares) < FEWEST_NETWORKS or len(common) < FEWEST_NETWORKS or len(best) < FEWEST_VALUES:
        told = f"Grounds with a rate that can get to 0.95: {len(shares)}, with all {len(best)} rates: {len(common)}"
        return Ruling(None, sentence=f"{told}. A trend needs {FEWEST_NETWORKS} of each, and {FEWEST_VALUES} rates.")
    by_crawls = page(shares).ruling()
    found = all_of(
        {
            f"share above 0.95 with rate {ruling:g}, by responses of an automaton": by_responses(own),
            f"most likely link is the best known one, Page's test for a fall by rate {numbers([*best])}": page(
                common, falling=True
            ).ruling(),
            "share above 0.95 after the last crawl": _half(ends),
        }
    )
    return replace(found, others=(("share above 0.95 by crawls", by_crawls),)) if found.testable else found


def by_responses(rows: Rows) -> Ruling:
    """Does the share of automata that are as good as sure rise with the responses they have had?"""
    told = [row for row in rows if len(row.get("responses", ())) >= FEWEST_VALUES]
    if len(told) < FEWEST_NETWORKS:
        sentence = f"Grounds with automata that had responses enough: {len(told)}; a trend needs {FEWEST_NETWORKS}."
        return Ruling(None, sentence=sentence)
    count = min(len(row["responses"]) for row in told)
    trend = page([row["sure_by_responses"][:count] for row in told]).ruling()
    automata = ", ".join(str(row["responding"]) for row in told)
    return trend.after(f"Page's test for a rise over {numbers(told[0]['responses'][:count])}, {automata} automata; ")


def _half(ends: Mapping[float, Mapping[Ground, float]]) -> Ruling:
    means = {rate: average(own.values()) or 0.0 for rate, own in ends.items()}
    told = ", ".join(f"{mean:.3f} with rate {rate:g} (n = {len(ends[rate])})" for rate, mean in means.items())
    small = [mean for rate, mean in means.items() if rate <= SMALL_RATE]
    return Ruling(max(small, default=0.0) >= HALF, f"{told}; one with a rate up to {SMALL_RATE} must reach {HALF}")


def forgetful(rows: Rows) -> list[Row]:
    """Crawls of the theorem that were run without inheriting anything, in the place of those that inherit, with every
    rate that the claim is about."""
    forgot = indexed(where(rows, study=THEOREM, broken=True), GROUND)
    small = [row for row in static(rows) if row["rate"] <= SMALL_RATE]
    instead = {
        id(row): {**forgot[GROUND(row)], "rate": row["rate"], "broken": False} for row in small if GROUND(row) in forgot
    }
    return [instead.get(id(row), row) for row in rows]


# 8: pages of one cluster

TIED = ("BPM", "LJM+", "LJM")


def tells_apart(rows: Rows) -> Ruling:
    within = aligned({name: keyed(crawls(rows, name).values(), GROUND, "within") for name in ("BPM", "LJM")})
    bpm, ljm = within.values()
    if short := few(bpm, "grounds on which BPM and LJM have a model"):
        return short
    means = f"share of pairs: BPM {np.mean(bpm):.3f}, LJM {np.mean(ljm):.3f}; "
    found = all_of(
        {
            "BPM above a half": greater([share - HALF for share in bpm]),
            "BPM above LJM": greater(np.subtract(bpm, ljm).tolist()).after(means),
        }
    )
    return replace(found, others=(("by precision, with LJM+", explains_precision(rows)),))


def explains_precision(rows: Rows) -> Ruling:
    """Is BPM more precise than LJM, and is half of that gained by breaking ties link by link alone?"""
    found = compared(rows, TIED)
    if short := few(found["LJM"], f"grounds with crawls of all of {', '.join(TIED)}"):
        return short
    bpm, tied, ljm = (np.array([precision(row) for row in own]) for own in found.values())
    whole, part = bpm - ljm, tied - ljm
    share, beyond = part.mean() / whole.mean() if whole.mean() > 0 else 0.0, part - HALF * whole
    gain = f"{share:.0%} of the gain, of which half is wanted" if whole.mean() > 0 else "there is none"
    return all_of(
        {
            "BPM above LJM": greater(whole.tolist()),
            "LJM with ties broken link by link above LJM": greater(part.tolist()),
            "its part in the gain of BPM": answer(
                bool(share >= HALF), Estimate(float(beyond.mean()), *interval(beyond), ABOVE), gain
            ),
        }
    )


def told_apart_worse(rows: Rows) -> list[Row]:
    """LJM gets the larger share on each ground, and BPM no more than a half."""
    dealt = dealt_to(("LJM", "BPM"), lambda row: row.get("within") or 0.0, "within")(rows)
    return [
        {**row, "within": min(row["within"], HALF)}
        if row.get("crawler") == "BPM" and row["study"] == COMPARE and row.get("within") is not None
        else row
        for row in dealt
    ]


# 9: links that come and go


def later(row: Row) -> float:
    """The mean precision of all crawls but the first, which has nothing to inherit."""
    return float(np.mean(row["precision"][1:]))


INHERITED = (
    "It says whether automata that are inherited help on a web that changes. Eqs. 7 and 8, by which they are brought "
    "up to date, are at work in it; that these are better than another way of updating, or none, is not tested."
)


def lasts(rows: Rows) -> Ruling:
    kinds = (where(rows, study=CHANGING), where(rows, study=CHANGING, broken=True))
    kept = [row for row in kinds[0] if not row.get("broken")]
    pairs = aligned({"kept": keyed(kept, GROUND, later), "new": keyed(kinds[1], GROUND, later)})
    ours, anew = pairs.values()
    if not ours:
        return Ruling(None, sentence="No crawls of a web that changes are there.")
    means = f"mean precision of later crawls: kept {np.mean(ours):.4f}, new {np.mean(anew):.4f}; "
    return greater(np.subtract(ours, anew).tolist(), digits=4).after(means, INHERITED)


def forgetful_changing(rows: Rows) -> list[Row]:
    """Crawls that inherit nothing in the place of those that do."""
    forgot = indexed(where(rows, study=CHANGING, broken=True), GROUND)
    return [
        {**row, "precision": forgot[GROUND(row)]["precision"]}
        if row["study"] == CHANGING and not row.get("broken") and GROUND(row) in forgot
        else row
        for row in rows
    ]
