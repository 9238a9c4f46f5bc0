"""A run goes on after whatever ended it, with other limits, labels and strange commands in its past: nothing is taught
twice, nobody is asked too early, and what was out is asked for again.

A crash before a snapshot is made here by taking away what the end of a session saved: what is left then is the journal,
as after kill -9.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import subprocess
import time
from collections.abc import Callable, Collection
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import (
    PLAIN,
    Told,
    asked_for,
    assert_whole,
    beside,
    crawl_command,
    environment,
    finished,
    go_on,
    hunt,
    prepared,
)

import faults
import wolfspider
from faults import Asked, Call, Faulty
from wolfspider.cli import main
from wolfspider.core import codec
from wolfspider.core.events import (
    AddSeeds,
    Command,
    Exclude,
    Label,
    Landed,
    Pause,
    Resume,
    SetLimit,
    SetParam,
    SetTopic,
    Stop,
)
from wolfspider.store.inbox import answer_to, append_command
from wolfspider.store.sqlite import open_run
from wolfspider.store.view import RunView

HUB = "http://a.test/hub"
SINGLE: dict[str, Any] = {"tries": 2, "slots": 1, "backoff": 0.1}
REVISITING = str(Path(__file__).with_name("revisiting.py"))


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """`/hub` has sixty links, two of them to pages that deserve another try in vain."""

    async def answer(call: Call) -> None:
        links = [f"/ok?n={number}" for number in range(60)]
        links[3], links[30] = "/status/500?first", "/status/500?second"
        await call.page("Hub", *links)

    monkeypatch.setitem(faults.BEHAVIOURS, "hub", answer)


def acting(
    server: Faulty, folder: Path, url: str, acts: dict[int, Callable[[wolfspider.Hunt], None]], **settings: Any
) -> Told:
    """A crawl to be run in which something is done as soon as so many downloads are spent."""
    told = Told()

    def hear(event: wolfspider.Event) -> None:
        told.events.append(event)
        if isinstance(event, Landed) and event.how == "out" and event.downloads in acts:
            assert told.hunt is not None
            acts[event.downloads](told.hunt)

    given = {**PLAIN, "via": f"127.0.0.1:{server.port}", **SINGLE, **settings}
    told.hunt = wolfspider.crawl(url, out=folder, on_event=hear, **given)
    return told


def saved(folder: Path) -> set[Path]:
    return set((folder / "snapshots").iterdir())


def crash(folder: Path, left: Collection[Path] = ()) -> None:
    """No snapshot was made since those that are left."""
    for path in saved(folder).difference(left):
        path.unlink()


async def until(reached: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "it never comes about"
        await asyncio.sleep(0.01)


# Labels


def test_a_label_given_before_a_snapshot_is_not_taught_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page comes twice, before the snapshot and, by a redirect, after it; then the crawl dies and goes on."""
    liked = "http://a.test/liked"

    async def row(call: Call) -> None:
        number = call.number(100)
        more = ["/liked", "/to-the-liked"][number == 6 :][: number in (0, 6)]
        await call.page(f"Row {number}", *more, f"/row/{number + 1}", text=f"Wolf spiders hunt in row {number}. ")

    async def liked_page(call: Call) -> None:
        await call.page("Liked", text="A quite different thing: orb weavers wait in the garden. " * 4)

    async def to_the_liked(call: Call) -> None:
        await call.redirect("/liked")

    for name, behaviour in {"row": row, "liked": liked_page, "to-the-liked": to_the_liked}.items():
        monkeypatch.setitem(faults.BEHAVIOURS, name, behaviour)

    async def talk(server: Faulty) -> None:
        def session(folder: Path, pages: int, **acts: int) -> Told:
            label = {3: lambda hunt: hunt.command(Label(liked, True))} if "label" in acts else {}
            stop = {acts["stop"]: wolfspider.Hunt.stop} if "stop" in acts else {}
            start, judge = "http://a.test/row/0", "classifier"
            return acting(server, folder, start, {**label, **stop}, pages=pages, judge=judge)

        broken, whole = tmp_path / "broken", tmp_path / "whole"
        await finished(session(broken, 20, label=1, stop=5))
        before = saved(broken)
        await finished(session(broken, 20, stop=14))
        assert asked_for(server).count("a.test/to-the-liked") == 1
        crash(broken, before)
        last = await finished(session(broken, 20))
        assert last.reason == "budget" and last.hunt is not None and last.hunt.crawl is not None
        assert last.hunt.crawl.taught == {liked}
        await finished(session(whole, 20, label=1))
        assert scores(broken) == scores(whole)

    beside(talk)
    assert_whole(tmp_path / "broken")


def scores(folder: Path) -> dict[str, float]:
    return {row.final_url: round(row.score, 9) for row in RunView(folder).pages()}


# Limits


def test_more_pages_after_a_crash_are_no_part_of_the_past(tmp_path: Path) -> None:
    """The last download failed and had no second try, since none was left: with more it must not have had one."""

    async def talk(server: Faulty) -> None:
        folder = tmp_path / "run"
        assert (await hunt(server.port, HUB, pages=5, out=folder, **SINGLE)).downloads == 5
        crash(folder)
        told = await hunt(server.port, HUB, pages=40, out=folder, **SINGLE)
        assert (told.reason, told.downloads) == ("budget", 40)

    beside(talk)
    assert_whole(tmp_path / "run")


def test_every_session_after_a_crash_may_have_other_limits(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        folder = tmp_path / "run"
        reached = []
        for pages, stop in ((8, 3), (45, 40), (8, 99), (50, 99), (8, 99)):
            told = acting(server, folder, HUB, {stop: wolfspider.Hunt.stop}, pages=pages)
            await finished(told)
            reached.append((told.reason, told.downloads))
            crash(folder)
        assert reached == [("stopped", 3), ("stopped", 40), ("budget", 45), ("budget", 50), ("budget", 50)]

    beside(talk)
    assert_whole(tmp_path / "run")


def test_a_longer_patience_counts_when_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def later(call: Call) -> None:
        await (call.answer("later", 503, [("Retry-After", "1")]) if call.times == 1 else call.page("Now"))

    async def talk(server: Faulty) -> None:
        urls, folder = ["http://a.test/later", "http://a.test/ok"], tmp_path / "run"
        first = await hunt(server.port, *urls, pages=20, slots=1, backoff=0.1, max_wait=0.1, out=folder)
        assert first.reason == "waiting" and asked_for(server) == ["a.test/later"]
        second = await go_on(folder, max_wait=60.0)
        assert second.reason == "done" and "http://a.test/ok" in second.pages

    monkeypatch.setitem(faults.BEHAVIOURS, "later", later)
    beside(talk)


def test_a_page_may_not_be_larger_than_what_the_archive_reads_back(tmp_path: Path) -> None:
    with pytest.raises(wolfspider.Problem, match="largest must be at most"):
        prepared(1, "http://a.test/", largest=100_000_000, out=tmp_path / "run")


# Commands


def text_of(command: Command) -> str:
    return codec.store(command)[0]


def put(folder: Path, text: str) -> int:
    """As a stranger writes it, whatever it is."""
    with closing(sqlite3.connect(folder / "run.db", timeout=5, isolation_level=None)) as database:
        sql = "INSERT INTO commands (at, who, data) VALUES (?, ?, ?)"
        return database.execute(sql, (time.time(), "a stranger", text)).lastrowid or 0


def bad(kind: type[Command], *values: Any) -> str:
    return text_of(kind(*values))


BAD = {
    "limit": bad(SetLimit, "pages", "many"),
    "label": bad(Label, 5, True),
    "seeds": bad(AddSeeds, (1,)),
    "exclude": bad(Exclude, None),
    "param": bad(SetParam, 5, [1]),
    "topic": bad(SetTopic, 5, 3),
    "many pages": bad(SetLimit, "pages", 10**30),
    "many slots": bad(SetLimit, "slots", 10**30),
    "endless": bad(SetLimit, "delay", math.inf),
    "garbage": "no command",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_command_of_a_stranger_is_refused_and_the_run_goes_on(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, "http://a.test/calendar/2026/11", pages=10_000, delay=0.02, out=folder)
        running = asyncio.create_task(finished(told))
        await until(lambda: bool(told.landed))
        number = await asyncio.to_thread(put, folder, BAD[name])
        await until(lambda: answer_to(folder, number) is not None or running.done())
        assert (answer_to(folder, number) or {})["problem"]
        landed = len(told.landed)
        await until(lambda: len(told.landed) > landed + 2 or running.done())
        assert told.hunt is not None
        told.hunt.stop()
        assert (await running).reason == "stopped"
        for _ in range(2):
            crash(folder)
            told = await go_on(folder, pages=told.downloads + 5)
            assert told.reason == "budget"

    beside(talk)
    assert_whole(folder)


def test_a_refused_command_keeps_nobody_from_the_next_one(tmp_path: Path) -> None:
    """A paused crawl has no turn in which the store would be set free."""
    folder = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, "http://a.test/calendar/2026/11", pages=10_000, delay=0.02, out=folder)
        running = asyncio.create_task(finished(told))
        await until(lambda: bool(told.landed))
        assert told.hunt is not None and told.hunt.crawl is not None
        crawl = told.hunt.crawl
        told.hunt.command(Pause())
        await until(lambda: crawl.paused and not crawl.flights)
        number = await asyncio.to_thread(put, folder, "no command")
        await until(lambda: answer_to(folder, number) is not None)
        await asyncio.to_thread(put, folder, text_of(Resume()))
        await until(lambda: not crawl.paused)
        told.hunt.stop()
        await running

    beside(talk)


def test_a_stop_in_the_past_denies_nothing_later(tmp_path: Path) -> None:
    """Visits that were granted after it are granted again when the journal is played."""

    async def talk(server: Faulty) -> None:
        folder = tmp_path / "run"
        told = await finished(acting(server, folder, HUB, {3: lambda hunt: hunt.command(Stop())}, pages=100))
        assert told.reason == "stopped"
        for _ in range(2):
            crash(folder)
            told = await hunt(server.port, HUB, pages=100, out=folder, **SINGLE)
            assert told.reason == "done" and asked_for(server).count("a.test/status/500?second") == 2

    beside(talk)
    assert_whole(tmp_path / "run")


@pytest.mark.parametrize("stranger", [False, True], ids=["here", "by another process"])
def test_seeds_that_are_added_are_one_host_however_it_is_written(tmp_path: Path, stranger: bool) -> None:
    folder, added = tmp_path / "run", ("http://A.test/ok?x", "http://a.test:80/ok?y", "http://a.test/../ok?z")

    async def talk(server: Faulty) -> Told:
        told = prepared(server.port, "http://a.test/late?seconds=1", pages=5, out=folder)
        running = asyncio.create_task(finished(told))
        await until(lambda: bool(server.log))
        assert told.hunt is not None
        if stranger:
            await asyncio.to_thread(append_command, folder, AddSeeds(added), "a person")
        else:
            told.hunt.command(AddSeeds(added))
        return await running

    told = beside(talk)
    assert {"http://a.test/ok?x", "http://a.test/ok?y", "http://a.test/ok?z"} <= set(told.pages)
    assert {event.outcome.visit.link.host for event in told.landed} == {"a.test"}


# What was out


def test_a_failure_that_deserves_another_try_waits_for_the_next_session_when_the_crawl_drains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drained = asyncio.Event()

    async def troubled(call: Call) -> None:
        if call.times == 1:
            await drained.wait()
        await (call.answer("", 502) if call.times == 1 else call.page("Now"))

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, "http://a.test/troubled", pages=5, tries=2, backoff=0.1, out=tmp_path / "run")
        running = asyncio.create_task(finished(told))
        await until(lambda: asked_for(server) != [])
        assert told.hunt is not None
        told.hunt.drain()
        drained.set()
        assert (await running).reason == "interrupted" and told.landed == []
        told = await go_on(tmp_path / "run")
        assert told.reason == "done" and list(told.pages) == ["http://a.test/troubled"]

    monkeypatch.setitem(faults.BEHAVIOURS, "troubled", troubled)
    beside(talk)


def test_a_host_whose_robots_txt_wants_a_long_rest_is_asked_again_by_a_later_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def later(call: Call) -> None:
        await (call.answer("later", 503, [("Retry-After", "300")]) if call.times == 1 else faults.unknown(call))

    async def talk(server: Faulty) -> None:
        url, folder = "http://robots-later.test/ok", tmp_path / "run"
        told = await hunt(server.port, url, pages=5, backoff=0.1, max_wait=0.1, out=folder)
        assert (told.reason, told.landed, asked_for(server)) == ("waiting", [], [])
        assert told.hunt is not None and told.hunt.crawl is not None
        assert [flight.visit.link.url for flight in told.hunt.crawl.flights.values()] == [url]
        with closing(sqlite3.connect(folder / "run.db")) as database, database:
            database.execute("DELETE FROM hosts")  # its rest is over
        told = await go_on(folder)
        assert told.reason == "done" and url in told.pages
        assert server.paths().count("/robots.txt") == 2

    monkeypatch.setitem(faults.ROBOTS_ASIDE, "later", later)
    beside(talk)


def test_the_validators_of_a_redirected_copy_are_never_sent_to_who_redirected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def moved(call: Call) -> None:
        held = call.asked.header("if-none-match") or call.asked.header("if-modified-since")
        if call.times == 1:
            await call.redirect("http://b.test/etag")
        else:
            await (call.answer("", 304) if held else call.page("A page of its own by now"))

    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, "http://a.test/moved", pages=5, strategy=REVISITING, out=tmp_path / "run")
        heads = [asked.head.lower() for asked in server.log if asked.host == "a.test"]
        assert not any(b"\r\nif-" in head for head in heads)
        return told

    monkeypatch.setitem(faults.BEHAVIOURS, "moved", moved)
    titles = [event.outcome.page.title for event in beside(talk).landed if event.outcome.page]
    assert titles == ["Kept", "A page of its own by now"]


DELAY = 1.0


def rests(folder: Path) -> bool:
    """Is it stored of any host when it may be asked again?"""
    with closing(sqlite3.connect(folder / "run.db")) as database:
        return bool(database.execute("SELECT COUNT(*) FROM hosts").fetchone()[0])


@pytest.mark.slow
@pytest.mark.parametrize("liked", [False, True], ids=["a visit is out", "a liked page came"])
def test_killed_the_crawl_still_leaves_a_host_its_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aside: Callable[[Any], Any], liked: bool
) -> None:
    async def first_silent(call: Call) -> None:
        await (faults.silence(call) if call.times == 1 else call.page("Now"))

    monkeypatch.setitem(faults.BEHAVIOURS, "first-silent", first_silent)
    server: Faulty = aside(faults.faults())
    folder, like = tmp_path / "run", {"like": "http://a.test/ok?liked"} if liked else {}
    settings: dict[str, Any] = {"pages": 3, "delay": DELAY, "deadline": 30.0, "max_wait": 60.0, **like}
    words = crawl_command(
        server.port, folder, "http://a.test/ok" if liked else "http://a.test/first-silent", **settings
    )
    words += ["--like", "http://a.test/ok?liked-too"] if liked else []
    crawl = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    try:
        asyncio.run(until(lambda: asked_for(server) != [] and (not liked or rests(folder))))
    finally:
        crawl.kill()
        crawl.wait()
    assert len(asked_for(server)) == 1
    told = asyncio.run(go_on(folder))
    assert told.pages and len(asked_for(server)) > 1
    assert shortest_rest(server.log) >= DELAY - 0.05


def shortest_rest(log: list[Asked]) -> float:
    """Seconds between two requests, at least."""
    return min(after.at - before.at for before, after in pairwise(log))


def test_status_tells_a_run_that_was_ended_by_an_error_from_one_that_was_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Wrong(Exception):
        pass

    def fail() -> None:
        raise Wrong("nobody expected this")

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, "http://a.test/links/20", pages=10, out=tmp_path / "run")
        told.after(3, fail)
        with pytest.raises(Wrong):
            await finished(told)

    beside(talk)
    assert main(["status", str(tmp_path / "run")]) == 0
    assert "ended by an error: Wrong: nobody expected this." in capsys.readouterr().out
    store = open_run(tmp_path / "run")
    store.close()
    assert main(["status", str(tmp_path / "run")]) == 0
    assert "was killed or interrupted before it could end" in capsys.readouterr().out
