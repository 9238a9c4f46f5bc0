"""Crawls that leap, on loopback: where they get, that scope holds there, and that a killed one goes on as it would."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live import leaper
from tests.live.hunting import Hosts, Told, assert_whole, crawl_command, finished, go_on, hunt, prepared, run, stored
from tests.web.searxng import Service, served

from small_web import BREAD, SPIDERS, SmallWeb, page
from wolfspider.app import leaping
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Failure, Page
from wolfspider.files.failpoints import VARIABLE
from wolfspider.web.server.serve import serve

LEAPER = f"{leaper.__file__}:Leaper"
ISLANDS = SmallWeb(  # no link leads from one to the other
    {
        "http://home.test/": page("Home", SPIDERS, "/garden"),
        "http://home.test/garden": page("Garden", SPIDERS),
        "http://far.test/": page("Index", BREAD, "/bread", "/wolf-spiders"),
        "http://far.test/bread": page("Bread", BREAD),
        "http://far.test/wolf-spiders": page("Wolf spiders", SPIDERS, "/cave"),
        "http://far.test/cave": page("Cave", SPIDERS),
        "http://far.test/map.txt": (
            200,
            {"content-type": "text/plain"},
            b"http://far.test/bread\nhttp://far.test/wolf-spiders\nhttp://else.test/wolf\n",
        ),
    },
    {},
)
HOME, FAR = "http://home.test/", "http://far.test/"


def crawled(talk: Callable[[int], Any]) -> Any:
    async def main() -> Any:
        async with serve(ISLANDS) as server:
            return await talk(server.port)

    return asyncio.run(asyncio.wait_for(main(), 120))


async def leap(port: int, leaps: str, **settings: Any) -> Told:
    return await hunt(port, HOME, strategy=LEAPER, topic="wolf spiders", pages=20, leaps=leaps, **settings)


def answers(told: Told) -> list[list[str]]:
    """What each leap brought."""
    pages = [page for url, page in told.pages.items() if url.startswith("leap:")]
    return [[link.url for link in page.links] for page in pages]


def test_leaps_lead_to_pages_of_an_earlier_run_that_no_link_leads_to(tmp_path: Path) -> None:
    async def talk(port: int) -> Told:
        await hunt(port, FAR, pages=10, out=tmp_path / "far")
        return await leap(port, str(tmp_path / "far"), out=tmp_path / "run")

    told = crawled(talk)
    assert {f"{FAR}wolf-spiders", f"{FAR}cave"} <= stored(tmp_path / "run") and HOME in stored(tmp_path / "run")
    best, second, third = answers(told)[0]
    assert {best, second} == {f"{FAR}cave", f"{FAR}wolf-spiders"}
    assert third == FAR, "it has a link to them; the page about bread has none of the words"
    assert all(event.outcome.downloads == 0 for event in told.landed if event.outcome.visit.link.host == "leap")
    assert all(event.outcome.verdict is None for event in told.landed if event.outcome.visit.link.host == "leap")
    assert not any(url.startswith("leap:") for url in stored(tmp_path / "run"))


def test_leaps_lead_to_what_a_site_says_it_has_best_words_first() -> None:
    told = crawled(lambda port: leap(port, f"sitemap:{FAR}map.txt"))
    assert answers(told)[0] == [f"{FAR}wolf-spiders", f"{FAR}bread"]
    assert f"{FAR}cave" in told.pages
    first = next(event for event in told.landed if event.outcome.visit.link.host == "leap")
    assert first.outcome.downloads == 1


def test_leaps_lead_to_what_a_search_service_finds() -> None:
    async def talk(port: int) -> None:
        told = await leap(port, "search:http://searx.test/")
        assert {url: kind for url, kind in told.failures.items() if url.startswith("leap:")}, "nobody searches there"

    crawled(talk)
    service = Service([{"url": f"http://127.0.0.1:1/{number}", "title": "Far"} for number in range(3)])
    with served(service) as home:

        async def alone() -> Told:
            found = {"strategy": LEAPER, "leaps": f"search:{home}", "contact": "me@example.org", "via": ""}
            return await finished(prepared(0, f"{home}/start", pages=3, allow_private=True, **found), 60)

        told = asyncio.run(alone())
    assert answers(told)[0] == [f"http://127.0.0.1:1/{number}" for number in range(3)]
    assert any("q=wolf" in path for path in service.asked)


def test_what_leaps_lead_to_keeps_to_the_scope(tmp_path: Path) -> None:
    async def talk(port: int) -> Told:
        await hunt(port, FAR, pages=10, out=tmp_path / "far")
        return await leap(port, str(tmp_path / "far"), exclude=["far.test/cave"])

    told = crawled(talk)
    assert f"{FAR}cave" not in answers(told)[0] and f"{FAR}wolf-spiders" in told.pages
    assert not any(url.endswith("/cave") for url in told.results)


def test_who_does_not_say_where_leaps_go_gets_none() -> None:
    told = crawled(lambda port: leap(port, ""))
    kinds = {kind for url, kind in told.failures.items() if url.startswith("leap:")}
    assert kinds == {"excluded"} and set(told.pages) == {HOME, f"{HOME}garden"}


def test_others_go_on_while_a_run_is_read_for_leaps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others, reads = threading.Event(), leaping.opened

    def read(*given: Any) -> Any:
        assert others.wait(20), "nothing else happened meanwhile"
        return reads(*given)

    async def talk(port: int) -> Told:
        await hunt(port, FAR, pages=10, out=tmp_path / "far")
        monkeypatch.setattr(leaping, "opened", read)
        asyncio.get_running_loop().call_later(0.1, others.set)
        return await leap(port, str(tmp_path / "far"))

    told = crawled(talk)
    assert f"{FAR}cave" in told.pages
    assert told.remarks[0] == f"Reading the pages of {tmp_path / 'far'}, so that leaps find them."


def test_a_crawl_that_is_never_run_opens_nothing_and_a_wrong_one_makes_nothing(tmp_path: Path) -> None:
    told = prepared(1, HOME, strategy=LEAPER, leaps=str(tmp_path / "nowhere"), out=tmp_path / "run")
    assert told.hunt is not None and told.hunt.leaping is None
    with pytest.raises(BadInput, match="There is no file"):
        asyncio.run(finished(told))
    assert not (tmp_path / "run").exists()


def test_a_run_stopped_in_between_goes_on_with_the_same_leaps(tmp_path: Path) -> None:
    async def talk(port: int) -> None:
        await hunt(port, FAR, pages=10, out=tmp_path / "far")
        given: dict[str, Any] = {
            "strategy": LEAPER,
            "topic": "wolf spiders",
            "leaps": str(tmp_path / "far"),
            "slots": 1,
        }
        whole = await hunt(port, HOME, pages=20, out=tmp_path / "whole", **given)
        told = prepared(port, HOME, pages=20, out=tmp_path / "run", **given)
        assert told.hunt is not None
        told.after(3, told.hunt.stop)
        await finished(told)
        assert told.reason == "stopped"
        rest = await go_on(tmp_path / "run")
        assert answers(told) + answers(rest) == answers(whole)
        assert {**told.results, **rest.results}.keys() == whole.results.keys()

    crawled(talk)
    assert stored(tmp_path / "run") == stored(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("deaths", [["run-sent:1"], ["run-landed:1", "run-landed:4"], ["run-told:2", "run-told:3"]])
def test_a_killed_run_goes_on_with_the_same_leaps(
    deaths: list[str], tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    web = Hosts(3, 6)
    port = aside(serve(web)).port
    assert run(crawl_command(port, tmp_path / "far", "http://h1.test/", pages=18, include="h1.test")).returncode == 0
    given = {"pages": 30, "slots": 1, "strategy": LEAPER, "leaps": tmp_path / "far", "include": "h0.test"}
    words = [*crawl_command(port, tmp_path / "run", "http://h0.test/", **given), "--include", "h1.test"]
    lives = [run(words, env={VARIABLE: death}) for death in deaths]
    assert [life.returncode for life in lives] == [-signal.SIGKILL] * len(deaths)
    lives.append(run(words))
    assert lives[-1].returncode == 0, lives[-1].stderr
    whole = run([str(tmp_path / "whole") if word == str(tmp_path / "run") else word for word in words])
    assert whole.returncode == 0 and stored(tmp_path / "run") == stored(tmp_path / "whole")
    assert {"http://h0.test/", "http://h1.test/3"} <= stored(tmp_path / "run")
    assert _leaps(lives) == _leaps([whole]) != set()
    assert_whole(tmp_path / "run")


def _leaps(lives: list[Any]) -> set[str]:
    lines = [line for life in lives for line in life.stdout.splitlines() if line.endswith("}")]
    events = [event for event in map(json.loads, lines) if event["event"] == "landed"]
    return {event["url"] for event in events if event["url"].startswith("leap:")}


# Starting from what is liked


def test_without_an_address_a_crawl_starts_from_the_pages_that_are_liked(tmp_path: Path) -> None:
    file = tmp_path / "liked.html"
    file.write_text(page("Mine", SPIDERS))

    async def talk(port: int) -> Told:
        likes = [f"{FAR}wolf-spiders", str(file), f"{FAR}gone"]
        return await hunt(port, like=likes, topic="", pages=10, out=tmp_path / "run")

    told = crawled(talk)
    assert stored(tmp_path / "run") == {f"{FAR}wolf-spiders", f"{FAR}cave"}
    assert f"{FAR}gone" not in told.results, "what cannot be had is no start"


def test_an_address_is_the_start_whatever_is_liked() -> None:
    told = crawled(lambda port: hunt(port, HOME, like=[f"{FAR}wolf-spiders"], topic="", pages=10))
    assert set(told.pages) == {HOME, f"{HOME}garden"}


def test_nothing_liked_can_be_had_and_nowhere_to_start_is_a_problem() -> None:
    with pytest.raises(Problem, match="nothing to start from"):
        crawled(lambda port: hunt(port, like=[f"{FAR}gone"], topic="spiders", pages=10))


def test_liked_pages_have_the_links_that_are_in_scope() -> None:
    async def talk(port: int) -> Told:
        return await hunt(port, HOME, like=[FAR], topic="", pages=3, exclude=["far.test/bread"])

    told = crawled(talk)
    assert told.hunt is not None and told.hunt.crawl is not None
    (liked,) = told.hunt.crawl.topic.liked
    assert [link.url for link in liked.links] == [f"{FAR}wolf-spiders"]


@pytest.mark.parametrize("strategy", ["spider-best-first", "spider-genetic", "spider-annealing", "spider-hybrid"])
def test_spiders_hunt_from_a_liked_page_alone_and_go_on_after_a_stop(strategy: str, tmp_path: Path) -> None:
    async def talk(port: int) -> None:
        await hunt(port, FAR, pages=10, out=tmp_path / "far")
        given: dict[str, Any] = {"strategy": strategy, "topic": "", "leaps": str(tmp_path / "far"), "slots": 1}
        told = prepared(port, like=[HOME], pages=10, out=tmp_path / "run", **given)
        assert told.hunt is not None
        told.after(2, told.hunt.stop)
        await finished(told)
        rest = await go_on(tmp_path / "run") if told.reason == "stopped" else told
        assert rest.reason == "done"
        whole = await hunt(port, like=[HOME], pages=10, out=tmp_path / "whole", **given)
        assert {**told.results, **rest.results}.keys() == whole.results.keys()
        assert bool(answers(whole)) is (strategy in ("spider-genetic", "spider-hybrid")), "mutation leaps"

    crawled(talk)
    assert stored(tmp_path / "run") == stored(tmp_path / "whole")
    assert f"{HOME}garden" in stored(tmp_path / "run")


# What is wrong is said before anything is asked for


def test_a_run_without_pages_is_nothing_to_leap_to(tmp_path: Path) -> None:
    async def talk(port: int) -> None:
        told = await hunt(port, f"{FAR}gone", pages=3, out=tmp_path / "far")
        assert all(isinstance(result, Failure) and not isinstance(result, Page) for result in told.results.values())
        with pytest.raises(BadInput, match="no pages that one could leap to"):
            await leap(port, str(tmp_path / "far"))

    crawled(talk)
