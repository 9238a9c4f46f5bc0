"""A crawl on a Ray cluster: it is joined before the first visit and left after the last, and a note in the run's folder
says meanwhile how its workers are.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfspider.app.settings import Settings
from wolfspider.drivers.cluster import ray_home
from wolfspider.drivers.cluster.leases import TERM
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.hands.contract import Hands
from wolfspider.web.http.live_web import Live

if TYPE_CHECKING:
    from wolfspider.drivers.hands.hired import Orders

NOTE = "cluster.json"  # in the folder of a run, while it is crawled on a cluster
_LARGEST = 1 << 22  # bytes of such a note


async def hands_on(
    where: str,
    web: Live,
    orders: Orders,
    clock: Clock,
    sent_again: Callable[[], None],
    stack: AsyncExitStack,
    folder: Path,
    remark: Callable[[str], None],
) -> Hands:
    """Hands of the cluster at this address. It takes seconds to join one, and some more to start one."""
    from wolfspider.drivers.cluster.ray_hands import RayHands

    joined = ray_home.joined(where)
    home = await asyncio.to_thread(joined.__enter__)
    stack.push_async_callback(asyncio.to_thread, joined.__exit__, None, None, None)
    remark(f"{'Started' if home.own else 'Joined'} a Ray cluster, {home.address}. {ray_home.LETS_IN_ANYBODY}")
    path = folder / NOTE
    stack.callback(path.unlink, missing_ok=True)
    hands = RayHands(web, orders, home, clock, sent_again, lambda told: _write(path, told))
    stack.push_async_callback(hands.close)
    return hands


def may_be_out(settings: Settings, about: Mapping[str, Any]) -> float:
    """Seconds until which requests of an earlier session may be out though its head is dead: on a cluster others sent
    them."""
    begun = about.get("settings")
    earlier = bool(begun.get("cluster")) if isinstance(begun, dict) else False
    return TERM + settings.deadline if settings.cluster or earlier else 0.0


def workers_of(folder: Path) -> dict[str, Any] | None:
    """What the note of a run says; None if it is not crawled on a cluster."""
    try:
        with (folder / NOTE).open("rb") as file:
            told = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) and isinstance(told.get("workers"), list) else None


def _write(path: Path, told: dict[str, Any]) -> None:
    """Whole or not at all. It is for looking at: a disk that is full stops no crawl here."""
    with suppress(OSError):
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(told), encoding="utf-8")
        os.replace(beside, path)
