"""The pace of fleets beside each ruling of `palotai_news_foragers`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from wolfspider.bench.experiment import Claim, Row, Rows
from wolfspider.bench.measure.folds import ratio

MAIN = ("main", "pace")
KINDS = {
    8: ("sweep",),
    9: ("sweep", "trapped"),
    10: ("division",),
}  # of fleets, by claim; the others have the main ones
PAPER = {"downloads a step": 3.15, "steps a slice": 51.0}


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


def pace_beside(claim: Claim) -> Callable[[Rows], str]:
    """The pace of the fleets that the claim is ruled on."""
    return lambda rows: pace(rows, KINDS.get(claim.number, MAIN))
