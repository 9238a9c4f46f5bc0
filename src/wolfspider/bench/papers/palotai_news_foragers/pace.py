"""The pace of fleets beside each ruling of `palotai_news_foragers`, and the claim that is about the site alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wolfspider.bench.experiment import Claim, Row, Rows, Ruling
from wolfspider.bench.measure.folds import ratio

PAPER = {"downloads a step": 3.15, "steps a slice": 51.0}
CALIBRATION = "This is about the site, and ours is computed: it is calibration, told and not ruled on."


def pace_of(row: Row) -> dict[str, float]:
    land, births = row["territory"], row["population"]["births"]
    return {
        "downloads a step": ratio(row["tally"]["downloaded"], land["moves"]),
        "steps a slice": ratio(land["moves"], land["slices"]),
        "paths a forager": ratio(land["paths"], len(births)),
        "steps of a run": float(land["moves"]),
    }


def pace(rows: Rows) -> str:
    """The means over runs of each kind, with the paper's numbers where it has any."""
    told = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        paces = [pace_of(row) for row in rows if row["kind"] == kind and "moves" in row.get("territory", {})]
        means = {name: float(np.nanmean([each[name] for each in paces])) for name in paces[0]} if paces else {}
        parts = [
            f"{mean:,.3g} {name}" + (f" ({PAPER[name]:g})" if name in PAPER else "") for name, mean in means.items()
        ]
        told += [f"{kind}: {', '.join(parts)}"] if parts else []
    return f"Pace, the paper's in brackets: {'; '.join(told)}." if told else ""


def told_with_pace(claim: Claim) -> Claim:
    def test(rows: Rows) -> Ruling:
        ruling = claim.test(rows)
        return replace(ruling, sentence=" ".join(filter(None, [ruling.sentence, pace(rows)])))

    return replace(claim, test=test)


def calibration(found: Ruling) -> Ruling:
    """What a test of the site found, as a number and no ruling."""
    return Ruling(None, sentence=f"{CALIBRATION} Found: {found.statistic}." if found.statistic else CALIBRATION)
