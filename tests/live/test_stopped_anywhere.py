"""A run stopped anywhere and resumed ends in the same state as one never stopped, whatever its pages are made of."""

from __future__ import annotations

import random
import socket
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Told, assert_whole, beside, hunt
from tests.live.stopping import Death, Died, differences, final_state, from_the_log_alone, learned, recalled
from tests.live.test_names import LOCAL, Names
from tests.web.test_pdf import paper

import faults
from everything import HOST, KINDS
from faults import Call, Faulty, document
from wolfspider.store.inspection import liked
from wolfspider.store.view import RunView
from wolfspider.web.http.gates import HostCap
from wolfspider.web.page import pdf

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


async def until_done(seed: str, crawl: Callable[[], Awaitable[Told]], steps: int = 40) -> Told:
    """The same crawl again and again. Each of its lives ends when a visit has come back, or at any step."""
    rng = random.Random(seed)
    for life in range(MOST_LIVES):
        with suppress(Died), Death(rng.randint(1, steps) if life % 2 else 0):
            return await crawl()
    raise AssertionError(f"it is not done after {MOST_LIVES} lives")


@pytest.mark.parametrize("name", KINDS)
def test_stopped_anywhere_and_resumed_it_ends_as_if_never_stopped(name: str, tmp_path: Path) -> None:
    async def talk(server: Faulty) -> tuple[Told, Told]:
        whole = await crawled(server, tmp_path / "whole", name)
        return whole, await until_done(name, lambda: crawled(server, tmp_path / "broken", name))

    whole, broken = beside(talk)
    expected, found = final_state(tmp_path / "whole"), final_state(tmp_path / "broken")
    assert list(differences(expected, found)) == [] and broken.reason == whole.reason
    assert whole.hunt is not None and list(differences(learned(whole.hunt.crawl), expected)) == []
    assert KINDS[name].failure in ("", *(failure for _, failure, _ in expected["failures"]))
    assert_whole(tmp_path / "broken")


@pytest.mark.parametrize("hands", [0, 1])
def test_a_page_is_the_same_when_it_comes_and_when_it_is_read_from_the_archive(hands: int, tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        settings: dict[str, Any] = {"pages": 250, "hands": hands, "largest": 20_000, "pdf": True, "backoff": 0.1}
        return await hunt(server.port, f"{HOST}/hub", out=tmp_path / "run", max_wait=60.0, **settings)

    came = {name: page for url, page in beside(talk).pages.items() for name in (url, page.final_url)}  # the newest copy
    assert len(came) > 200
    with recalled(tmp_path / "run") as (store, crawl):
        read = {url: crawl.scope.cut(store.recall(url).result) for url in came}
    assert [url for url, page in came.items() if read[url] != page] == []


def test_a_pdf_whose_reading_took_too_long_is_the_same_in_a_run_that_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(call: Call) -> None:
        await call.answer(paper(), kind="application/pdf")

    async def talk(server: Faulty) -> tuple[Told, Told]:
        settings = {**ONE_BY_ONE, "pages": 1, "pdf": True, "out": tmp_path / "run"}
        with monkeypatch.context() as hurried:
            hurried.setattr(pdf.read, "__defaults__", (-1.0,))
            first = await hunt(server.port, f"{HOST}/paper", **settings)
        for path in (tmp_path / "run" / "snapshots").iterdir():
            path.unlink()
        return first, await hunt(server.port, f"{HOST}/paper", **settings)

    monkeypatch.setitem(faults.BEHAVIOURS, "paper", answer)
    first, again = beside(talk)
    (page,) = first.pages.values()
    assert page.truncated and again.reason == "budget"
    with recalled(tmp_path / "run") as (store, _):
        assert store.recall(page.url).result == page
    assert_whole(tmp_path / "run")


@pytest.mark.parametrize("hurried_first", [True, False])
def test_a_liked_pdf_whose_reading_took_too_long_is_the_same_in_a_run_that_is_resumed(
    hurried_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(call: Call) -> None:
        await call.answer(paper(), kind="application/pdf")

    monkeypatch.setitem(faults.BEHAVIOURS, "paper", answer)
    settings = {**ONE_BY_ONE, "pages": 6, "pdf": True, "out": tmp_path / "run", "like": (f"{HOST}/paper",)}

    async def crawl(server: Faulty, hurried: bool, pages: int) -> Told:
        with monkeypatch.context() as patched:
            if hurried:
                patched.setattr(pdf.read, "__defaults__", (-1.0,))
            return await hunt(server.port, f"{HOST}/hub", **{**settings, "judge": "likeness", "pages": pages})

    async def talk(server: Faulty) -> Told:
        await crawl(server, hurried_first, 6)
        for path in (tmp_path / "run" / "snapshots").iterdir():
            path.unlink()
        return await crawl(server, not hurried_first, 8)

    assert beside(talk).downloads == 8
    (like,) = liked(RunView(tmp_path / "run"))
    assert like.page is not None and like.page.truncated is hurried_first
    assert_whole(tmp_path / "run")


UNREACHABLE = {
    "dns": ("http://gone.test:{port}/page/plain",),
    "waiting": ("https://b.test:{port}/page/plain",),  # nobody speaks TLS there, so its robots.txt is never read
    "crowded": tuple(f"http://w{number}.wild.test:{{port}}/page/plain" for number in range(4)),
}


@pytest.mark.parametrize("failure", UNREACHABLE)
def test_stopped_anywhere_among_hosts_that_cannot_be_reached(
    failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a server in between that answers for all of them."""
    Names(monkeypatch, {"gone.test": [socket.EAI_NONAME] * 99})
    monkeypatch.setattr("wolfspider.web.http.web_plan.HostCap", lambda: HostCap(2))

    async def talk(server: Faulty) -> Told:
        urls = [url.format(port=server.port) for url in ("http://a.test:{port}/hub/plain", *UNREACHABLE[failure])]
        settings = {**ONE_BY_ONE, **LOCAL, "pages": 8, "max_wait": 60.0, "deadline": 0.3}
        return await until_done(failure, lambda: hunt(server.port, *urls, out=tmp_path / "run", **settings))

    told = beside(talk)
    assert told.hunt is not None and told.hunt.crawl is not None and told.downloads == 8
    assert failure in RunView(tmp_path / "run").summary().failures
    assert from_the_log_alone(tmp_path / "run") == learned(told.hunt.crawl)
    assert_whole(tmp_path / "run")


@pytest.mark.parametrize("strategy", ["opic", "infospiders", pytest.param("lafc", marks=pytest.mark.slow)])
def test_stopped_anywhere_while_visits_are_postponed(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts that say "later" three times each."""
    asked: Counter[str] = Counter()

    async def answer(call: Call) -> None:
        asked[call.asked.host] += 1
        if asked[call.asked.host] in (1, 3, 5):
            await call.answer(document("Later"), status=503)
        else:
            total = asked.total()
            links = [f"http://h{(total + number) % 5}.test/later/{total}.{number}" for number in range(6)]
            await call.answer(document("Wolf spiders hunt", *links))

    async def talk(server: Faulty) -> Told:
        urls = [f"http://h{number}.test/later/{number}" for number in range(5)]
        settings = {**ONE_BY_ONE, "strategy": strategy, "slots": 3, "tries": 2, "pages": 40, "max_wait": 60.0}
        return await until_done(strategy, lambda: hunt(server.port, *urls, out=tmp_path / "run", **settings), 100)

    monkeypatch.setitem(faults.BEHAVIOURS, "later", answer)
    told = beside(talk)
    assert told.hunt is not None and told.hunt.crawl is not None
    assert (told.reason, told.downloads) == ("budget", 40)
    assert len(list(RunView(tmp_path / "run").events("Postponed"))) > 3
    assert from_the_log_alone(tmp_path / "run") == learned(told.hunt.crawl)
    assert_whole(tmp_path / "run")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_stopped_anywhere_with_many_visits_out_it_knows_what_its_log_says(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    names = rng.sample([name for name, kind in KINDS.items() if not kind.alone], 25)
    urls = [f"http://h{rng.randrange(8)}.test/page/{name}" for name in names]
    several = {"strategy": rng.choice(["opic", "infospiders", "lafc"]), "slots": 6, "tries": 2, "pages": 60}
    settings = {**ONE_BY_ONE, **several, "largest": 20_000, "pdf": True, "max_wait": 60.0}

    async def talk(server: Faulty) -> Told:
        return await until_done(str(seed), lambda: hunt(server.port, *urls, out=tmp_path / "run", **settings), 200)

    told = beside(talk)
    assert told.hunt is not None and told.hunt.crawl is not None
    assert (told.reason, told.downloads) == ("budget", 60)
    assert from_the_log_alone(tmp_path / "run") == learned(told.hunt.crawl)
    assert_whole(tmp_path / "run")
