"""What a crawl says of the relevant pages to come, in words: on its screen, in `wolfspider status`, in the report."""

from __future__ import annotations

import math
from typing import Any

from wolfspider.app.settings import worded
from wolfspider.core.events import EndReason, Gauge
from wolfspider.core.limits import DRY
from wolfspider.core.shares import share_of
from wolfspider.policy.prospects import FEWEST, OUTLOOK
from wolfspider.terminal.progress import percent

_UNKNOWN = "how many pages are left is not known after a change of topic, or in a run of an earlier version"
_FEW = f"a share of fewer than {FEWEST} relevant pages says nothing"
_AWAITED = ("enough_in", "enough_lacks")


def coming(gauge: Gauge) -> str:
    """What the next downloads will probably bring; "" while too little is known."""
    if gauge.coming is None or gauge.lately is None:
        return ""
    said = _about(gauge.coming, gauge.coming_low, gauge.coming_high)
    were = "was" if gauge.lately == 1 else "were"
    return f"{gauge.lately} of the last 100 downloads {were} relevant, of the next 100 probably {said}"


def unfound(gauge: Gauge) -> str:
    """How many relevant pages are left within reach; "" where that is not known. The share that is found is not rounded
    up: what is called 90 % is no less."""
    if gauge.unfound is None:
        return ""
    said = _about(gauge.unfound, gauge.unfound_low, gauge.unfound_high)
    relevant = gauge.relevant + gauge.hidden_relevant
    share = f", so {percent(math.floor(100 * relevant / (relevant + gauge.unfound)) / 100)} found" if relevant else ""
    return f"relevant pages left within reach: {said}{share}"


def awaited(gauge: Gauge) -> str:
    """Whether what --until asks for is reached, and how long the crawl still waits to be sure; "" without it."""
    if not gauge.until or gauge.enough_in == 0:  # then it is about to end, and says so
        return ""
    wanted = _wanted(gauge)
    if _is_unknown(gauge):
        return f"{wanted} cannot be reached: {_UNKNOWN}; --until dry can"
    if gauge.enough_lacks:
        return f"{wanted} is not reached yet: {_FEW}, so {gauge.enough_lacks} more must be found first"
    if gauge.enough_in is None:
        return f"{wanted} is not reached yet"
    return f"{wanted} is reached by estimate; waiting {_more(gauge.enough_in)} to be sure"


def reached(gauge: Gauge, ended: str) -> str:
    """What became of --until in a crawl that ended; "" without it, and where it is why the crawl ended."""
    if not gauge.until or ended == EndReason.ENOUGH:
        return ""
    wanted = _wanted(gauge)
    if gauge.enough_in == 0:
        return f"{wanted} was reached, too, by estimate"
    if gauge.enough_in is not None:
        return f"{wanted} was reached by estimate, but not to be sure: that would have taken {_more(gauge.enough_in)}"
    why = _UNKNOWN if _is_unknown(gauge) else _FEW if gauge.enough_lacks else ""
    return f"{wanted} was not reached{': ' * bool(why)}{why}"


def _wanted(gauge: Gauge) -> str:
    return f"the end you asked for (--until {worded('until', gauge.until)})"


def _is_unknown(gauge: Gauge) -> bool:
    """Is a share asked for of what cannot be estimated?"""
    return gauge.until != DRY and gauge.coming is not None and gauge.unfound is None


def _more(downloads: int) -> str:
    return f"{downloads:,} more download{'s' * (downloads != 1)}"


def prospects(gauge: Gauge | None, ended: str | None, forgotten_at: float = 0.0) -> list[str]:
    """What there is to say of the relevant pages to come, in sentences. Where no link is left there is none."""
    if gauge is None or ended == EndReason.DONE or _is_stale(gauge, forgotten_at):
        return []
    told = coming(gauge), unfound(gauge), awaited(gauge) if ended is None else reached(gauge, ended)
    return [f"{said[0].upper()}{said[1:]}." for said in told if said]


def outlook_of(gauge: Gauge | None, forgotten_at: float) -> dict[str, Any] | None:
    """The same as plain data. A gauge from before pages were forgotten counts them: it says only what is asked for."""
    if gauge is None:
        return None
    stale = dict.fromkeys((*_AWAITED, *OUTLOOK)) if _is_stale(gauge, forgotten_at) else {}
    return {name: getattr(gauge, name) for name in ("until", *_AWAITED, *OUTLOOK)} | stale


def _is_stale(gauge: Gauge, forgotten_at: float) -> bool:
    """Is it from before pages were forgotten? That may be the same moment, where the time of a run stands still."""
    return forgotten_at > 0 and gauge.at <= forgotten_at


def chance_of(gauge: Gauge | None) -> dict[str, Any] | None:
    """What chance found where links were drawn by it, with its bounds; None where none were."""
    share = share_of(gauge.probes_relevant, gauge.probes) if gauge is not None else None
    if gauge is None or share is None:
        return None
    found = {"probes": gauge.probes, "relevant": gauge.probes_relevant, "dropped": gauge.probes_dropped}
    return {**found, **share._asdict()}


def by_chance(gauge: Gauge | None) -> list[str]:
    """The same in a sentence, beside what the strategy found with all other downloads."""
    share = share_of(gauge.probes_relevant, gauge.probes) if gauge is not None else None
    if gauge is None or share is None:
        return []
    links = "link" if gauge.probes == 1 else "links"
    bounds = f"{percent(share.rate)}, 19 times in 20 between {percent(share.low)} and {percent(share.high)}"
    others = max(0, gauge.relevant + gauge.hidden_relevant - gauge.probes_relevant)
    rest = gauge.downloads - gauge.probes
    beside = f"; of the other downloads {percent(min(1.0, others / rest))} did" if rest > 0 else ""
    led = f"{gauge.probes_relevant:,} of {gauge.probes:,} {links} drawn by chance led to a relevant page"
    dropped = f" {gauge.probes_dropped:,} more were drawn and could not be asked for." * (gauge.probes_dropped > 0)
    return [f"{led} ({bounds}){beside}.{dropped}"]


def _about(figure: float, low: float | None, high: float | None) -> str:
    bounds = "" if low is None or high is None else f" ({round(low):,} to {math.ceil(high):,})"
    return f"about {round(figure):,}{bounds}"
