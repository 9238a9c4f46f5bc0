"""The pace of fleets beside each ruling of `palotai_news_foragers`, and the claim that is about the site alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wolfspider.bench.experiment import Claim, Row, Rows, Ruling
from wolfspider.bench.measure.folds import ratio

MAIN = ("main", "pace")
KINDS = {
    8: ("sweep",),
    9: ("sweep", "trapped"),
    10: ("division",),
}  # of fleets, by claim; the others have the main ones
PAPER = {"downloads a step": 3.15, "steps a slice": 51.0}
CALIBRATION = "This is about the site, and ours is computed: it is calibration, told and not ruled on."
STATES = (
    "Two parameters of learning are not as printed. States of pages are calibrated: tanh(40 (p - q)) with the 80th "
    "percentile of each class for q instead of 0.5, by which nearly all pages would have the same state. And the "
    "learning rate, 0.1, is divided by max(1, |s|² - 0.9 s.s'), as it would overshoot with such states."
)
GENERAL = (
    'The class "general" of the classifier (PrTFIDF) is of all documents that the other classes are made of, where the '
    "paper's is of other texts from the internet; it is computed and then left out of the states, as in the paper."
)


def pace_of(row: Row) -> dict[str, float]:
    land, births = row["territory"], row["population"]["births"]
    return {
        "downloads a step": ratio(row["tally"]["downloaded"], land["moves"]),
        "steps a slice": ratio(land["moves"], land["slices"]),
        "paths a forager": ratio(land["paths"], len(births)),
        "steps of a run": float(land["moves"]),
    }


def pace(rows: Rows, kinds: Sequence[str] = ()) -> str:
    """The means over runs of each of these kinds, or of all, with the paper's numbers where it has any."""
    told = []
    for kind in kinds or dict.fromkeys(row["kind"] for row in rows):
        paces = [pace_of(row) for row in rows if row["kind"] == kind and "moves" in row.get("territory", {})]
        means = {name: float(np.nanmean([each[name] for each in paces])) for name in paces[0]} if paces else {}
        parts = [f"{short(mean)} {name}" + _beside_paper(name) for name, mean in means.items()]
        told += [f"{kind}: {', '.join(parts)}"] if parts else []
    return f"Pace, the paper's in brackets: {'; '.join(told)}." if told else ""


def short(mean: float) -> str:
    """Three digits, or all before the point."""
    return f"{mean:,.{0 if mean >= 100 else 1 if mean >= 10 else 2}f}"


def _beside_paper(name: str) -> str:
    return f" ({PAPER[name]:g})" if name in PAPER else ""


def told_with_pace(claim: Claim) -> Claim:
    """With the pace of the fleets that the claim is ruled on."""

    def test(rows: Rows) -> Ruling:
        ruling = claim.test(rows)
        told = pace(rows, KINDS.get(claim.number, MAIN))
        return replace(ruling, sentence=" ".join(filter(None, [ruling.sentence, told])))

    return replace(claim, test=test)


def calibration(found: Ruling) -> Ruling:
    """What a test of the site found, part by part, beside a claim that is not ruled on."""
    return Ruling(None, sentence=CALIBRATION, others=(("as a ruling", found),))
