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
from types import UnionType
from typing import TYPE_CHECKING, Any

from wolfspider.app.settings import Settings
from wolfspider.core.errors import BadInput
from wolfspider.drivers.cluster import ray_home
from wolfspider.drivers.cluster.leases import TERM
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.hands.contract import Hands
from wolfspider.files.disk import open_to_read, replacing
from wolfspider.web.http.live_web import Live

if TYPE_CHECKING:
    from wolfspider.drivers.hands.hired import Orders

NOTE = "cluster.json"  # in the folder of a run, while it is crawled on a cluster
_LARGEST = 1 << 22  # bytes of such a note
_TOLD = {
    "address": str,
    "own": bool,
    "at": int | float,
    "lost": int,
    "late": int,
    "workers": list,
}  # what is read of it
_OF_WORKER = {
    "name": str,
    "machine": str,
    "pid": int,
    "epoch": int,
    "silent": int | float,
    "requests": int,
    "answers": int,
}


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
    remark(home.told())
    path = folder / NOTE
    stack.callback(path.unlink, missing_ok=True)
    hands = RayHands(web, orders, home, clock, sent_again, lambda told: write_note(path, told))
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
        with os.fdopen(open_to_read(folder / NOTE), "rb") as file:
            told = json.loads(file.read(_LARGEST))
    except BadInput as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(folder) from error
    if not (_is(told, _TOLD) and all(_is(worker, _OF_WORKER) for worker in told["workers"])):
        raise _damaged(folder)
    found: dict[str, Any] = told
    return found


def _is(told: object, kinds: Mapping[str, type | UnionType]) -> bool:
    return isinstance(told, dict) and all(isinstance(told.get(name), kind) for name, kind in kinds.items())


def _damaged(folder: Path) -> BadInput:
    return BadInput(f"{folder / NOTE} is damaged, so nothing is known of workers. A crawl that runs writes it again.")


def write_note(path: Path, told: dict[str, Any]) -> None:
    """Whole or not at all. It is for looking at: a disk that is full stops no crawl here."""
    with suppress(OSError), replacing(path) as beside:
        beside.write_text(json.dumps(told), encoding="utf-8")
