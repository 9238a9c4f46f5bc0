"""A run stopped anywhere and resumed ends in the same state as one never stopped, whatever its pages are made of."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Told, assert_whole, beside, hunt
from tests.live.stopping import Death, Died, differences, final_state, learned, recalled

from everything import HOST, KINDS
from faults import Faulty

ONE_BY_ONE: dict[str, Any] = {  # visits one after another, so that two crawls have one order
    "strategy": "opic",
    "judge": "classifier",
    "topic": "wolf spiders, hunt",
    "pages": 5,
    "slots": 1,
    "tries": 1,
    "backoff": 0.1,
    "deadline": 5.0,
}
MOST_LIVES = 60


async def crawled(server: Faulty, folder: Path, name: str) -> Told:
    return await hunt(server.port, f"{HOST}/hub/{name}", out=folder, **{**ONE_BY_ONE, **KINDS[name].settings})


async def killed_again_and_again(server: Faulty, folder: Path, name: str) -> Told:
    """The same crawl until it is done. Each of its lives ends when a visit has come back, or at any step."""
    rng = random.Random(name)
    for life in range(MOST_LIVES):
        with suppress(Died), Death(rng.randint(1, 40) if life % 2 else 0):
            return await crawled(server, folder, name)
    raise AssertionError(f"it is not done after {MOST_LIVES} lives")


@pytest.mark.parametrize("name", KINDS)
def test_stopped_anywhere_and_resumed_it_ends_as_if_never_stopped(name: str, tmp_path: Path) -> None:
    async def talk(server: Faulty) -> tuple[Told, Told]:
        whole = await crawled(server, tmp_path / "whole", name)
        return whole, await killed_again_and_again(server, tmp_path / "broken", name)

    whole, broken = beside(talk)
    expected, found = final_state(tmp_path / "whole"), final_state(tmp_path / "broken")
    assert list(differences(expected, found)) == [] and broken.reason == whole.reason
    assert whole.hunt is not None and list(differences(learned(whole.hunt.crawl), expected)) == []
    assert KINDS[name].failure in ("", *(failure for _, failure, _ in expected["failures"]))
    assert_whole(tmp_path / "broken")


@pytest.mark.parametrize("parsers", [0, 1])
def test_a_page_is_the_same_when_it_comes_and_when_it_is_read_from_the_archive(parsers: int, tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        settings: dict[str, Any] = {"pages": 250, "parsers": parsers, "largest": 20_000, "pdf": True, "backoff": 0.1}
        return await hunt(server.port, f"{HOST}/hub", out=tmp_path / "run", max_wait=60.0, **settings)

    came = {name: page for url, page in beside(talk).pages.items() for name in (url, page.final_url)}  # the newest copy
    assert len(came) > 200
    with recalled(tmp_path / "run") as (store, crawl):
        read = {url: crawl.scope.cut(store.recall(url).result) for url in came}
    assert [url for url, page in came.items() if read[url] != page] == []
