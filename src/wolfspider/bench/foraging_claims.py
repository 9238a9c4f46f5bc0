"""What both papers on foragers tell beside their claims: the pace of the fleets, and what is not as printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wolfspider.bench.experiment import Claim, Rows, Ruling

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


def told_with_pace(claim: Claim, pace: Callable[[Rows], str]) -> Claim:
    """With the pace of the fleets that the claim is ruled on."""

    def test(rows: Rows) -> Ruling:
        ruling = claim.test(rows)
        return replace(ruling, sentence=" ".join(filter(None, [ruling.sentence, pace(rows)])))

    return replace(claim, test=test)


def calibration(found: Ruling) -> Ruling:
    """What a test of the site found, part by part, beside a claim that is not ruled on."""
    return Ruling(None, sentence=CALIBRATION, others=(("as a ruling", found),))
