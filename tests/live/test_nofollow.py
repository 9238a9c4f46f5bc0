"""Which links are followed does not depend on the part of the program that reads a page: the crawl itself, a parser
process, the store of a run that is resumed, or a bench."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import SECONDS, Told, finished, go_on, hunt, prepared

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core.errors import Problem
from wolfspider.core.events import Event, Label, Landed
from wolfspider.core.model import Capture, Fetch, Link
from wolfspider.core.topic import Task, Topic
from wolfspider.drivers.simulated import simulate
from wolfspider.web.server.serve import serve
from wolfspider.web.warc.writer import response
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.world import Servable

START = "http://a.test/"
BODIES = {
    "": '<a href="/1">one</a> <a href="/2" rel="nofollow">two</a> <a href="/3" rel="UGC">three</a>'
    ' <a href="/4" rel="sponsored noopener">four</a> <a href="/meta">meta</a> <a href="/header">header</a>',
    "meta": '<meta name="robots" content="nofollow"><a href="/5">five</a>',
    "header": '<a href="/6">six</a>',
    **{str(number): f"<p>Wolf spiders hunt {number} times.</p>" for number in range(1, 7)},
}
OBEYED = {"", "1", "meta", "header"}
PAGES = OBEYED | {"2", "3", "4"}


class Marked(Servable):
    """A web of one host with links that their author marked in every way."""

    name, start = "marked", 1.7e9

    def look(self, url: str, now: float) -> Fetch:
        name = url.removeprefix(START)
        if name not in BODIES:
            return Fetch(url, url, 404, {"content-type": "text/plain"}, b"no", at=now)
        headers = {"content-type": "text/html"} | ({"x-robots-tag": "none"} if name == "header" else {})
        return Fetch(url, url, 200, headers, BODIES[name].encode(), at=now)


def names(events: list[Event]) -> set[str]:
    return {event.outcome.visit.link.url.removeprefix(START) for event in events if isinstance(event, Landed)}


def crawled(talk: Callable[[int], Awaitable[None]]) -> None:
    """Run this with the web served on a port of this machine."""

    async def main() -> None:
        async with serve(Marked()) as served:
            await talk(served.port)

    asyncio.run(asyncio.wait_for(main(), SECONDS))


@pytest.mark.parametrize(("policy", "wanted"), [("obey", OBEYED), ("pages", PAGES), ("ignore", set(BODIES))])
@pytest.mark.parametrize("hands", [0, 1])
def test_the_policy_decides_whoever_reads_the_pages(hands: int, policy: str, wanted: set[str]) -> None:
    async def talk(port: int) -> None:
        told = await hunt(port, START, pages=20, hands=hands, nofollow=policy)
        assert names(told.events) == wanted

    crawled(talk)


@pytest.mark.parametrize("policy", ["obey", "pages", "ignore"])
@pytest.mark.parametrize("stop_after", [1, 2, 3])
def test_a_run_that_dies_after_such_a_page_is_resumed(tmp_path: Path, stop_after: int, policy: str) -> None:
    async def talk(port: int) -> None:
        whole = await hunt(port, START, pages=20, slots=1, nofollow=policy)
        folder = tmp_path / "run"
        first = prepared(port, START, out=folder, pages=20, slots=1, nofollow=policy)
        assert first.hunt is not None
        first.after(stop_after, first.hunt.stop)
        await finished(first)
        without_snapshots(folder)
        again = await go_on(folder)
        assert names(first.events) | names(again.events) == names(whole.events)
        assert again.downloads == whole.downloads

    crawled(talk)


def without_snapshots(folder: Path) -> None:
    """As after kill -9: what is left is the log."""
    for path in (folder / "snapshots").iterdir():
        path.unlink()


def aged(folder: Path) -> None:
    """As if the run had been begun before there was a policy."""
    path = folder / "run.json"
    about = json.loads(path.read_text())
    settings = about["about"]["settings"]
    del settings["nofollow"], about["about"]["parser"]
    settings["parsers"] = settings.pop("hands")
    path.write_text(json.dumps(about))


async def stopped(port: int, folder: Path, **settings: Any) -> Told:
    told = prepared(port, START, out=folder, pages=20, slots=1, **settings)
    assert told.hunt is not None
    told.after(2, told.hunt.stop)
    await finished(told)
    without_snapshots(folder)
    aged(folder)
    return told


@pytest.mark.parametrize(("hands", "policy", "wanted"), [(0, "ignore", set(BODIES)), (1, "obey", OBEYED)])
def test_a_run_begun_before_there_was_a_policy_goes_on_as_it_began(
    tmp_path: Path, hands: int, policy: str, wanted: set[str]
) -> None:
    async def talk(port: int) -> None:
        first = await stopped(port, tmp_path / "run", nofollow=policy, hands=hands)
        again = await go_on(tmp_path / "run")
        assert names(first.events) | names(again.events) == wanted

    crawled(talk)


def test_an_older_run_that_cannot_be_resumed_says_why(tmp_path: Path) -> None:
    """Without parser processes, nofollow links were followed; this run, which did not, comes out differently now."""

    async def talk(port: int) -> None:
        await stopped(port, tmp_path / "run", nofollow="obey", hands=0, strategy="depth-first")
        with pytest.raises(
            Problem, match=r"begun by another version .* nofollow .* cannot be resumed: .* repair .* --anew"
        ):
            await go_on(tmp_path / "run")

    crawled(talk)


def test_another_policy_would_be_another_run(tmp_path: Path) -> None:
    async def talk(port: int) -> None:
        await hunt(port, START, pages=3, out=tmp_path / "run")
        with pytest.raises(Problem, match="nofollow was 'obey'"):
            await hunt(port, START, pages=3, out=tmp_path / "run", nofollow="ignore")

    crawled(talk)


def test_a_bench_obeys_as_a_live_crawl_does_and_so_do_its_bounds(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    folder.mkdir()
    web = Marked()
    with (folder / "web.warc.gz").open("wb") as file:
        for name in BODIES:
            fetch = web.look(START + name, web.start)
            file.write(response(Capture(fetch.url, web.start, 200, tuple(fetch.headers.items()), fetch.body)))
    world = Recorded(folder, tmp_path / "cache")
    task = Task(Topic(("spiders",)), (START,), frozenset())
    cell = Cell(str(folder), "marked", "spiders", "breadth-first", 0, 20, "keywords", world.start)
    crawl, events = new_crawl(cell, task, world, world), []
    crawl.listen(events.append)
    crawl.begin([Link(START)], now=world.start)
    simulate(crawl, world, start=world.start)
    assert names(events) == OBEYED
    graph = world.graph(world.start)
    assert {graph.urls[node].removeprefix(START) for node in graph.targets} == OBEYED - {""}


def test_a_label_teaches_with_the_links_that_may_be_followed(tmp_path: Path) -> None:
    """Whether it is given before or after its page came."""
    seen: dict[str, list[int]] = {}

    async def talk(port: int) -> None:
        for when, landed in (("before", 1), ("after", 3)):
            told = prepared(port, START, pages=20, slots=1, judge=str(tmp_path / "judge.py"))
            assert told.hunt is not None
            told.after(landed, partial(told.hunt.command, Label(START + "meta", True)))
            await finished(told)
            assert told.hunt.crawl is not None
            seen[when] = list(sys.modules[type(told.hunt.crawl.judge).__module__].LEARNED)

    (tmp_path / "judge.py").write_text(JUDGE)
    crawled(talk)
    assert seen == {"before": [0], "after": [0, 0]}, "both times without the link that is not to be followed"


JUDGE = """
from wolfspider import Verdict

LEARNED = []


class Mine:
    def __init__(self, topic):
        self.topic = topic

    def score(self, page):
        return Verdict(0.7, True)

    def learn(self, page, label):
        LEARNED.append(len(page.links))

    def state(self):
        return {}

    def restore(self, state):
        pass

    def learned(self):
        return {}

    def inherit(self, learned):
        pass
"""
