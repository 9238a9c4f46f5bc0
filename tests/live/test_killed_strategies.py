"""Every strategy on a web that has everything a page can have, killed twice: it ends as if it had never been killed."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import PLAIN, assert_whole, crawl_command, hunt, run, stored
from tests.live.stopping import differences, final_state, from_the_log_alone

from everything import HOST
from faults import Faulty, faults
from wolfspider.files.failpoints import VARIABLE
from wolfspider.store.view import RunView
from wolfspider.strategies import all_strategies

PAGES = 40
SETTINGS: dict[str, Any] = {
    **PLAIN,
    "topic": "wolf spiders, hunt",
    "judge": "classifier",
    "pages": PAGES,
    "slots": 1,
    "largest": 20_000,
    "backoff": 0.1,
    "deadline": 10.0,
    "snapshots": 1,
}
OFTEN = ("archive-before-write", "archive-torn", "archive-written", "turn-before-commit", "turn-committed")
PLACES = (*OFTEN, "run-sent", "run-told", "run-landed")  # reached once or more for each download
SEED = 1
POLLING = ("newshound", "poll")  # what they look at next depends on the time
TIMED = ("foragers", "spider-annealing", "spider-best-first", "spider-genetic", "spider-hybrid")


def deaths(name: str) -> list[str]:
    """Where the crawl is killed, as the environment says it: the same places each time."""
    rng = random.Random(zlib.crc32(f"{name} {SEED}".encode()))
    return [f"{rng.choice(PLACES)}:{rng.randint(3, PAGES // 3)}" for _ in range(2)]


def comparable(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """Some strategies remember when they saw a page, or how long it took: what they know, without its fractions."""
    if name not in TIMED:
        return state
    return {**state, "strategy": json.loads(state["strategy"][0], parse_float=lambda number: None)}


def told(outputs: list[str]) -> set[str]:
    events = [json.loads(line) for output in outputs for line in output.splitlines() if line.endswith("}")]
    return {event["final_url"] for event in events if event["event"] == "landed" and "final_url" in event}


@pytest.mark.slow
@pytest.mark.parametrize("name", all_strategies())
def test_killed_twice_every_strategy_ends_as_if_never_killed(
    name: str, tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    ends_as_if_never_killed(name, tmp_path, aside)


@pytest.mark.slow
def test_killed_twice_a_crawl_draws_by_chance_what_it_would_have_drawn(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    ends_as_if_never_killed("best-first", tmp_path, aside, chance=0.2)
    drawn = RunView(tmp_path / "broken").rows("SELECT url, how FROM visits WHERE agent = 'chance' ORDER BY id")
    assert drawn and drawn == RunView(tmp_path / "whole").rows(
        "SELECT url, how FROM visits WHERE agent = 'chance' ORDER BY id"
    )


def ends_as_if_never_killed(name: str, tmp_path: Path, aside: Callable[[Any], Any], **more: Any) -> None:
    server: Faulty = aside(faults())
    whole, broken, settings = tmp_path / "whole", tmp_path / "broken", {**SETTINGS, "strategy": name, **more}
    words = [*crawl_command(server.port, broken, f"{HOST}/hub", **settings), "--pdf"]
    if name in POLLING:
        words += ["--set", "per_hour=1000000"]
    print(f"killed at {deaths(name)}")
    lives = [run(words, env={VARIABLE: place}) for place in deaths(name)]
    assert [life.returncode for life in lives] == [-signal.SIGKILL] * 2, lives[-1].stderr
    lives.append(run(words))
    assert lives[-1].returncode == 0, lives[-1].stderr
    found = final_state(broken)
    if name not in POLLING:
        asyncio.run(hunt(server.port, f"{HOST}/hub", out=whole, **settings, pdf=True))
        assert list(differences(comparable(name, final_state(whole)), comparable(name, found))) == []
    assert told([life.stdout for life in lives]) <= stored(broken)
    assert from_the_log_alone(broken) == {part: found[part] for part in ("strategy", "judge", "spent")}
    assert_whole(broken)
