"""A share that was counted, and between which bounds it may lie."""

from __future__ import annotations

import math
from typing import NamedTuple

SURE = 1.959964  # standard deviations, for bounds that hold 19 times in 20


class Share(NamedTuple):
    rate: float
    low: float
    high: float


def share_of(found: int, tried: int) -> Share | None:
    """With Wilson's interval, which also holds for few trials and near 0 and 1; None if nothing was tried."""
    if tried <= 0:
        return None
    rate, weight = found / tried, SURE * SURE / tried
    middle = (rate + weight / 2) / (1 + weight)
    half = SURE * math.sqrt(rate * (1 - rate) / tried + weight / (4 * tried)) / (1 + weight)
    return Share(rate, max(0.0, middle - half) if found else 0.0, min(1.0, middle + half) if found < tried else 1.0)
