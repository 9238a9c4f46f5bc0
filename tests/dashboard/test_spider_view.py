"""The view of 1997 tells what a spider noted, and nothing that its journal does not have."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import hunt

from small_web import BREAD, EVIL, SPIDERS, SmallWeb, page
from wolfspider.core.events import Gauge, Noted
from wolfspider.dashboard import spider_view
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.dashboard.spider_view import spider, spider_links
from wolfspider.web.server.serve import serve

HOME, FAR = "http://home.test/", "http://far.test/"
WEB = SmallWeb(
    {
        HOME: page("Home", SPIDERS, "/garden", "/evil", "/secret", "http://near.test/"),
        f"{HOME}garden": page("Garden", SPIDERS, "/evil", "/", "/gone"),
        f"{HOME}evil": page(EVIL, SPIDERS, "/garden"),
        f"{HOME}secret": page("Secret", SPIDERS, "/garden", head='<meta name="robots" content="noindex">'),
        "http://near.test/": page("Near", BREAD, f"{HOME}garden"),
        f"{FAR}wolf-spiders": page("Wolf spiders", SPIDERS, "/cave"),
        f"{FAR}cave": page("Cave", SPIDERS),
        f"{FAR}map.txt": (200, {"content-type": "text/plain"}, f"{FAR}wolf-spiders\n".encode()),
    },
    {},
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunDesk, Path, list[Noted]]:
    folder = tmp_path_factory.mktemp("runs")
    given: dict[str, Any] = {"topic": "wolf spiders", "slots": 1, "pages": 30}

    async def crawl() -> Any:
        async with serve(WEB) as server:
            leaps = f"sitemap:{FAR}map.txt"
            found = await hunt(server.port, HOME, strategy="spider-genetic", leaps=leaps, out=folder / "run", **given)
            await hunt(server.port, HOME, strategy="breadth-first", out=folder / "plain", **given)
            return found

    found = asyncio.run(asyncio.wait_for(crawl(), 120))
    notes = [event for event in found.events if isinstance(event, Noted) and event.kind == "generation"]
    return RunDesk(folder), folder / "run", notes


def test_the_newest_generation_is_the_one_that_the_spider_ended_with(told: Any) -> None:
    desk, run, notes = told
    state = spider(desk, run, {})
    last = notes[-1].data
    assert state["is_spider"] and not state["running"] and state["final"] and state["strategy"] == "spider-genetic"
    assert (state["generation"], state["fetched"], state["leaps"]) == (
        last["generation"],
        last["fetched"],
        last["leaps"],
    )
    assert state["fitness"] == pytest.approx(last["fitness"]) and state["seconds"] >= last["seconds"]
    assert [one["url"] for one in state["results"]] == [one["url"] for one in last["results"]]
    assert [one["number"] for one in state["generations"]] == [note.data["generation"] for note in notes]
    assert state["fetching"] is None


def test_every_generation_can_be_looked_at(told: Any) -> None:
    desk, run, notes = told
    for note in notes[:-1]:
        state = spider(desk, run, {"generation": note.data["generation"]})
        assert state["generation"] == note.data["generation"] <= state["newest"]
        assert [one["score"] for one in state["results"]] == [one["score"] for one in note.data["results"]]
    with pytest.raises(Missing, match="no generation 999"):
        spider(desk, run, {"generation": 999})


def test_results_have_bars_words_and_origins_and_their_texts_are_harmless(told: Any) -> None:
    desk, run, _ = told
    results = {one["url"]: one for one in spider(desk, run, {})["results"]}
    assert results[f"{HOME}garden"]["origin"] == "local"
    assert {one["origin"] for one in results.values()} <= {"local", "elsewhere", "leap"}
    for one in results.values():
        assert all(0 <= one[bar] <= 1 for bar in ("terms", "links_score", "fetch_score"))  # type: ignore[literal-required]
    assert results[f"{HOME}garden"]["words"] and results[f"{HOME}garden"]["links"] == 3
    for one in spider(desk, run, {})["results"]:
        assert one["title"].isprintable() and "\u202e" not in one["title"]


def test_the_links_of_a_result_are_read_from_the_archive(told: Any) -> None:
    _, run, _ = told
    found = spider_links(run, {"url": f"{HOME}garden"})
    assert [link["url"] for link in found["links"]] == [f"{HOME}evil", HOME, f"{HOME}gone"] and found["all"] == 3
    assert found["links"][0]["text"] == "to evil"
    for url in (f"{HOME}secret", "http://nowhere.test/", "", "javascript:alert(1)"):
        with pytest.raises(Missing):
            spider_links(run, {"url": url})


def test_a_run_without_generations_says_so(told: Any) -> None:
    desk, run, _ = told
    state = spider(desk, run.parent / "plain", {})
    assert not state["is_spider"] and state["results"] == [] == state["generations"] and state["generation"] == 0
    assert state["strategy"] == "breadth-first" and state["at"] > 0


def test_the_page_that_is_fetched_is_told_with_the_time_it_may_take() -> None:
    gauge = Gauge(10.0, longest="http://a.test/", longest_since=7.5, longest_deadline=30.0)
    assert spider_view._fetching(gauge) == {"url": "http://a.test/", "since": 7.5, "allowed": 30.0}
    assert spider_view._fetching(Gauge(10.0)) is None and spider_view._fetching(None) is None
