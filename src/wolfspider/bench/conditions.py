"""The conditions that crawls are compared under: how many visits at the same time, and how long a host rests."""

from __future__ import annotations

from typing import NamedTuple

from wolfspider.core.errors import no_such


class Condition(NamedTuple):
    slots: int  # visits on the wire at the same time
    delay: float | None  # seconds between two visits to a host; None: as robots ask


CONDITIONS = {
    "serial": Condition(1, 0.0),  # one visit after the other, as papers compare strategies
    "live-like": Condition(16, 1.0),  # the defaults of a live crawl
}


def condition_named(name: str) -> Condition:
    if name not in CONDITIONS:
        raise no_such("--condition", name, CONDITIONS)
    return CONDITIONS[name]


def name_of(slots: int, delay: float) -> str:
    """How tables call a condition."""
    known = (name for name, condition in CONDITIONS.items() if condition == (slots, delay))
    return next(known, f"{slots} slot{'s' * (slots > 1)}, {delay:g} s of rest")
