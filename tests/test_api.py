"""wolfspider as a library: pages one after another, callbacks, early ends, and what importing it costs."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import SMALL, SPIDERS, SmallWeb, page
from wolfspider.app import found_pages
from wolfspider.app.assemble import learned_of
from wolfspider.app.past_runs import glimpse, hand_on
from wolfspider.app.settings import Settings
from wolfspider.core import events
from wolfspider.core.errors import Busy
from wolfspider.core.events import Label
from wolfspider.store.archive_reader import name_of
from wolfspider.store.snapshots import LEARNED
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve

DOCS = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
HASTY: dict[str, Any] = {
    "topic": "wolf spiders",
    "delay": 0.0,
    "adapt": 0.0,
    "tries": 1,
    "disk_floor": 0,
    "traps": "ignore",  # pages here are made alike
}
TIME = 60.0

MANY = SmallWeb(
    {
        f"http://m.test/{number or ''}": page(f"Page {number}", SPIDERS, *(f"/{other}" for other in range(1, 120)))
        for number in range(120)
    },
    {},
)


def beside(web: SmallWeb, talk: Callable[[str, Any], Awaitable[Any]]) -> Any:
    """Run this with a web that is served; it is given what `via` must be, and the server."""

    async def main() -> Any:
        async with serve(web) as served:
            return await asyncio.wait_for(talk(f"127.0.0.1:{served.port}", served), TIME)

    return asyncio.run(main())


# Pages, one after another


def test_pages_come_out_of_a_loop() -> None:
    async def talk(via: str, served: Any) -> list[wolfspider.Found]:
        return [found async for found in wolfspider.crawl("http://a.test/", via=via, **HASTY)]

    found = beside(SMALL, talk)
    assert {one.url for one in found} >= {"http://a.test/", "http://a.test/good", "http://b.test/"}
    assert {one.title: one.relevant for one in found}["Good"] and not {one.title: one.relevant for one in found}[
        "Bread"
    ]
    assert all(0 <= one.score <= 1 and one.page.words and one.downloads for one in found)
    assert [one.downloads for one in found] == sorted(one.downloads for one in found)


def test_leaving_the_loop_early_ends_the_crawl_cleanly_and_it_can_be_resumed(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> tuple[int, int]:
        before = len(asyncio.all_tasks())
        async with wolfspider.crawl("http://m.test/", via=via, out=tmp_path / "run", **HASTY) as hunt:
            async for _ in hunt:
                break
        while len(asyncio.all_tasks()) > before:  # what is left of the loop itself is cleared away by asyncio
            await asyncio.sleep(0.01)
        gone = wolfspider.resume(tmp_path / "run")
        more = [found async for found in gone]
        assert gone.result is not None
        return len(more), gone.result.downloads

    more, downloads = beside(MANY, talk)
    assert downloads == 120 and 0 < more <= 120
    assert RunView(tmp_path / "run").summary().pages == 120


def test_who_reads_slowly_paces_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found_pages, "MANY", 5)

    async def talk(via: str, served: Any) -> int:
        pages = aiter(wolfspider.crawl("http://m.test/", via=via, slots=2, **HASTY))
        await anext(pages)
        await asyncio.sleep(1.0)
        ahead = len(served.log)
        await pages.aclose()  # type: ignore[attr-defined]
        return ahead

    assert beside(MANY, talk) <= 5 + 1 + 2 * 2 + 2  # those that may wait, the one taken, what was out, robots.txt


def test_an_exception_in_a_callback_comes_out_and_nothing_is_lost(tmp_path: Path) -> None:
    def heard(event: events.Event) -> None:
        if isinstance(event, events.Landed) and event.downloads >= 3:
            raise ZeroDivisionError("mine")

    async def talk(via: str, served: Any) -> None:
        made: dict[str, Any] = {"via": via, "out": tmp_path / "run", "on_event": heard, "slots": 1, **HASTY}
        with pytest.raises(ZeroDivisionError, match="mine"):
            await wolfspider.crawl("http://a.test/", **made).run()
        assert RunView(tmp_path / "run").summary().downloads >= 3
        with pytest.raises(ZeroDivisionError, match="mine"):
            async for _ in wolfspider.crawl("http://a.test/", **made):
                pass
        assert (await wolfspider.resume(tmp_path / "run").run()).reason == "done"

    beside(SMALL, talk)


def test_events_begin_and_end_and_commands_are_answered(tmp_path: Path) -> None:
    heard: list[events.Event] = []

    async def talk(via: str, served: Any) -> wolfspider.Result:
        made = wolfspider.crawl("http://m.test/", via=via, out=tmp_path / "run", on_event=heard.append, **HASTY)
        with pytest.raises(wolfspider.Problem, match="has not begun yet"):
            made.command(events.Pause())
        async for _ in made:
            made.command(events.SetLimit("pages", 7))
            break
        await made.close()
        return await wolfspider.resume(tmp_path / "run", on_event=heard.append, pages=9).run()

    result = beside(MANY, talk)
    assert isinstance(heard[0], events.Began) and isinstance(heard[-1], events.Ended)
    assert result.reason == "budget" and result.downloads >= 9


def test_the_same_call_again_goes_on_and_another_is_refused(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> None:
        made: dict[str, Any] = {"via": via, "out": tmp_path / "run", **HASTY}
        first = wolfspider.crawl("http://m.test/", pages=5, **made)
        assert (await first.run()).downloads == 5
        assert (await wolfspider.crawl("http://m.test/", pages=8, **made).run()).downloads == 8
        with pytest.raises(wolfspider.Problem, match="begun otherwise"):
            await wolfspider.crawl("http://m.test/1", pages=8, **made).run()

    beside(MANY, talk)


def test_two_owners_of_one_run_are_one_too_many(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> None:
        made: dict[str, Any] = {"via": via, "out": tmp_path / "run", **HASTY}
        async for _ in wolfspider.crawl("http://m.test/", **made):
            with pytest.raises(Busy, match="in use by process"):
                await wolfspider.crawl("http://m.test/", **made).run()
            break

    beside(MANY, talk)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"topic": "x", "pages": 0}, "pages must be at least 1"),
        ({"topic": "x", "pgaes": 5}, "Did you mean 'pages'"),
        ({"topic": "x"}, "Who crawls?"),
        ({}, "What is wanted?"),
        ({"topic": "x", "via": "127.0.0.1:1", "strategy": "sharc"}, "Did you mean 'shark'"),
        ({"topic": "x", "via": "127.0.0.1:1", "judge": "orcle"}, "There is no judge 'orcle'"),
        ({"topic": "x", "via": "127.0.0.1:1", "set": {"spred": 1}}, "Did you mean 'spread'"),
        ({"topic": "x", "via": "127.0.0.1:1", "include": 5}, "include is a list of texts"),
    ],
)
def test_wrong_settings_are_told_before_anything_begins(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(wolfspider.Problem, match=re.escape(says)):
        wolfspider.crawl("http://a.test/", **settings)


def test_the_environment_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_PAGES", "7")
    assert wolfspider.crawl("http://a.test/", topic="x", via="127.0.0.1:1").settings.pages == Settings().pages


# Starting from what another run has learned


LEARNER = """
from wolfspider import Ordered, Unlearning, verdict


class Habits(Ordered):
    name = "habits"
    paper = "a test"

    def begin(self, seeds, now):
        self.visited = getattr(self, "visited", 0)
        super().begin(seeds, now)

    def observe(self, outcome):
        self.visited += 1
        if outcome.page is not None:
            self.frontier.extend(outcome.page.links, [1.0] * len(outcome.page.links), outcome.page.final_url)

    def learned(self):
        return {"visited": self.visited}

    def inherit(self, learned):
        self.visited = learned["visited"]


class Counting(Unlearning):
    def __init__(self, topic):
        self.seen = 0

    def score(self, page):
        self.seen += 1
        return verdict(min(1.0, self.seen / 100), 0.5)

    def state(self):
        return {"seen": self.seen}

    def restore(self, state):
        self.seen = state["seen"]

    def learned(self):
        return {"seen": self.seen}

    def inherit(self, learned):
        self.seen = learned["seen"]
"""


def learned(folder: Path) -> tuple[int, int]:
    with glimpse(RunView(folder)) as seen:
        assert seen is not None
        strategy: Any = seen.strategy
        judge: Any = seen.judge
        return strategy.visited, judge.seen


def test_a_run_starts_from_what_another_has_learned_and_needs_it_no_more(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(LEARNER)
    kind: dict[str, Any] = {**HASTY, "strategy": f"{own}:Habits", "judge": f"{own}:Counting"}

    async def talk(via: str, served: Any) -> None:
        made: dict[str, Any] = {"via": via, **kind}
        await wolfspider.crawl("http://m.test/", out=tmp_path / "first", pages=30, **made).run()
        second = wolfspider.crawl(
            "http://m.test/", out=tmp_path / "second", pages=5, learned_from=str(tmp_path / "first"), **made
        )
        await second.run()

    beside(MANY, talk)
    assert learned(tmp_path / "first") == (30, 30) and learned(tmp_path / "second") == (35, 35)
    (tmp_path / "first").rename(tmp_path / "gone")
    for snapshot in (tmp_path / "second" / "snapshots").glob("0*"):
        snapshot.unlink()  # so that all of the log is played again, from what was learned elsewhere

    async def go_on(via: str, served: Any) -> None:
        await wolfspider.resume(tmp_path / "second", pages=10, via=via).run()

    beside(MANY, go_on)
    assert learned(tmp_path / "second") == (40, 40)


def test_the_judge_hands_on_what_it_has_learned(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> tuple[Any, Any]:
        await wolfspider.crawl("http://a.test/", out=tmp_path / "first", via=via, **HASTY).run()
        second = wolfspider.crawl("http://b.test/", out=tmp_path / "second", via=via, pages=1, **HASTY)
        third = wolfspider.crawl(
            "http://b.test/", out=tmp_path / "third", via=via, pages=1, learned_from=str(tmp_path / "first"), **HASTY
        )
        return [found.verdict async for found in second], [found.verdict async for found in third]

    fresh, taught = beside(SMALL, talk)
    assert fresh[0].evidence["into"] != taught[0].evidence["into"]
    assert (tmp_path / "third" / "snapshots" / LEARNED).is_file()
    assert not (tmp_path / "second" / "snapshots" / LEARNED).exists()


def test_what_another_kind_has_learned_is_left_and_that_is_said(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> None:
        await wolfspider.crawl("http://a.test/", out=tmp_path / "first", via=via, pages=2, **HASTY).run()

    beside(SMALL, talk)
    said: list[str] = []
    hand_on(tmp_path / "first", tmp_path / "second", Settings(strategy="opic"), said.append)
    assert len(said) == 1 and "had the strategy hunter" in said[0]


@pytest.mark.parametrize("strategy", ["ljm", "relevancy-context-graph"])
def test_pages_that_a_person_labelled_in_any_run_teach_crawlers_that_learn_from_browsing(
    tmp_path: Path, strategy: str
) -> None:
    wanted = {f"http://m.test/{number}" for number in (3, 5, 8)}

    async def talk(via: str, served: Any) -> list[Any]:
        first = wolfspider.crawl("http://m.test/", out=tmp_path / "first", via=via, pages=30, **HASTY)
        async for found in first:
            if found.url in wanted:
                first.command(Label(found.url, good=True))
        given = {**HASTY, "strategy": strategy, "learned_from": str(tmp_path / "first")}
        await wolfspider.crawl("http://m.test/", out=tmp_path / "second", via=via, pages=20, **given).run()
        return [visited.agent for number in range(30) for visited in seen(f"http://m.test/{number or ''}")]

    def seen(url: str) -> list[Any]:
        return RunView(tmp_path / "second").visits_of(url)

    agents = beside(MANY, talk)
    with glimpse(RunView(tmp_path / "second")) as glimpsed:
        assert glimpsed is not None
        heir: Any = glimpsed.strategy
    assert wanted <= set(heir.browsing.targets) and "http://m.test/" in heir.browsing.sessions
    assert strategy != "ljm" or "train" not in agents  # what was browsed is all that it needs


def test_a_run_without_labels_is_said_to_have_none(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> None:
        await wolfspider.crawl("http://a.test/", out=tmp_path / "first", via=via, pages=2, **HASTY).run()

    beside(SMALL, talk)
    said: list[str] = []
    hand_on(tmp_path / "first", tmp_path / "second", Settings(strategy="bpm"), said.append)
    assert len(said) == 1 and "none is labelled" in said[0] and "wolfspider steer" in said[0]


def test_a_damaged_record_costs_its_page_and_not_what_the_rest_of_the_run_teaches(tmp_path: Path) -> None:
    async def talk(via: str, served: Any) -> None:
        await wolfspider.crawl("http://a.test/", out=tmp_path / "first", via=via, **HASTY).run()

    beside(SMALL, talk)
    view, said = RunView(tmp_path / "first"), list[str]()
    pages = [row.final_url for row in view.pages()]
    hurt = view.page("http://a.test/good")
    assert hurt is not None and hurt.place is not None and view.parsed(hurt) is not None
    with (tmp_path / "first" / "warc" / name_of(hurt.place.file)).open("r+b") as file:
        file.seek(hurt.place.offset + hurt.place.length // 2)
        file.write(b"\0" * 20)
    assert view.parsed(hurt) is None
    copy = hand_on(tmp_path / "first", tmp_path / "second", Settings(strategy="bpm"), said.append)
    browsing = learned_of(tmp_path / "second", {"learned": copy})["strategy"]["browsing"]
    assert list(browsing.pages) == [url for url in pages if url != hurt.final_url]
    assert len(said) == 2 and "1 more could not be read" in said[1]


def test_what_is_no_run_teaches_nothing(tmp_path: Path) -> None:
    made = wolfspider.crawl(
        "http://127.0.0.1:1/", out=tmp_path / "run", learned_from=str(tmp_path), allow_private=True, **HASTY
    )
    with pytest.raises(wolfspider.BadInput, match="is not a run"):
        asyncio.run(made.run())
    assert not (tmp_path / "run" / "run.json").exists()


# What is public


def test_every_public_name_is_there_documented_and_nothing_else_is() -> None:
    assert len(wolfspider.__all__) == len(set(wolfspider.__all__))
    assert all(getattr(wolfspider, name) is not None for name in wolfspider.__all__)
    assert set(re.findall(r"^\| `(\w+)` \|", DOCS, re.MULTILINE)) == set(wolfspider.__all__)
    assert set(wolfspider.__all__) <= set(dir(wolfspider))


def test_everything_public_says_what_it_is() -> None:
    for name in set(wolfspider.__all__) - {"events"}:
        value = getattr(wolfspider, name)
        module = importlib.import_module(value.__module__)
        assert inspect.getdoc(value) or inspect.getdoc(module), name


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'crawll'"):
        wolfspider.crawll  # noqa: B018


def test_importing_wolfspider_loads_nothing_of_it() -> None:
    program = "import sys, wolfspider; print(*sorted(name for name in sys.modules if name.startswith('wolfspider')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["wolfspider"]
