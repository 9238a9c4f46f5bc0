"""What happened in a run, read step by step, is what reading all of it gives; and rows of odd types end nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import PAGES, SPIDERS, SmallWeb, page
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.core.events import Exclude, Include, Label, Pause, Resume, SetLimit, SetTopic
from wolfspider.dashboard.controls import limits_of
from wolfspider.dashboard.curves import series
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.host_table import hosts
from wolfspider.dashboard.live_feed import Feeds
from wolfspider.dashboard.run_past import RunPast
from wolfspider.dashboard.undoing import undo_now, undos
from wolfspider.report.run_facts import Commanded, commands_of, hosts_and_reasons
from wolfspider.store import schema
from wolfspider.store.inbox import append_command
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve

WEB = SmallWeb(
    {
        **PAGES,
        "http://a.test/": page("Start", SPIDERS, *(f"/{number}" for number in range(12)), "/old", "/good", "/secret"),
        **{f"http://a.test/{number}": page(f"Page {number}", SPIDERS, "http://b.test/") for number in range(9)},
    },
    {"http://a.test/old": "http://a.test/good"},
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was steered."""
    folder = tmp_path_factory.mktemp("past") / "run"

    async def crawl(resumed: bool = False, **more: Any) -> None:
        async with serve(WEB) as served:
            via = f"127.0.0.1:{served.port}"
            how: dict[str, Any] = {"delay": 0.0, "adapt": 0.0, "tries": 1, "disk_floor": 0, "traps": "ignore"}
            begun = {**how, **more, "topic": "wolf spiders", "out": folder, "via": via}
            hunt = (
                wolfspider.resume(folder, via=via, **more) if resumed else wolfspider.crawl("http://a.test/", **begun)
            )
            await asyncio.wait_for(hunt.run(), 60)

    asyncio.run(crawl(pages=8))
    good = next(iter(RunView(folder).pages(relevant=True))).final_url
    said = (Label(good, False), SetLimit("slots", 3), Label(good, True), Exclude("c.test"), SetTopic(("spiders",), ""))
    for command in said:
        append_command(folder, command, "me")
    asyncio.run(crawl(resumed=True, pages=40))
    return folder


class Growing:
    """A run that grows by entries of another one."""

    def __init__(self, whole: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(whole, folder)
        self._all = sqlite3.connect(whole / "run.db", isolation_level=None)
        self._all.execute("UPDATE pages SET truncated = seq % 3 = 0")  # some were cut
        self.connection = sqlite3.connect(folder / "run.db", isolation_level=None)
        self.steps = [seq for (seq,) in self._all.execute("SELECT seq FROM log ORDER BY seq")]
        for table in schema.BEHIND:
            self.connection.execute(f"DELETE FROM {table}")

    def grow(self, after: int, upto: int) -> None:
        self.connection.execute("BEGIN")
        for table in schema.BEHIND:
            for row in self._all.execute(f"SELECT * FROM {table} WHERE seq > ? AND seq <= ?", (after, upto)):
                self.connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        self.connection.execute("COMMIT")

    def close(self) -> None:
        self._all.close()
        self.connection.close()


@pytest.fixture
def growing(made: Path, tmp_path: Path) -> Iterator[Growing]:
    with closing(Growing(made, tmp_path / "grown")) as found:
        yield found


def compare(past: RunPast) -> None:
    """What is known step by step with what is read anew."""
    view = RunView(past.folder)
    assert past.summary() == view.summary()
    with view.moment() as connection:
        assert past.hosts_and_reasons() == hosts_and_reasons(connection)
        told = commands_of(connection, 1 << 30)
        out = connection.execute("SELECT COUNT(*) FROM visits WHERE id NOT IN (SELECT visit FROM landings)").fetchone()
    commands, present = past.said()
    assert [each.typed for each in commands] == [each.typed for each in told]
    assert present == type(present).of(view)
    assert past.waiting().total() == out[0]
    assert past.gauges() == view.gauges()


def test_a_run_that_grows_is_counted_as_one_that_is_read_anew(growing: Growing) -> None:
    past, before = RunPast(growing.folder), -(1 << 60)
    for upto in growing.steps[::3] + growing.steps[-1:]:
        growing.grow(before, upto)
        compare(past)
        before = upto
    commands, _ = past.said()
    assert len(commands) >= 5 and past.count.hidden == 1 and past.failures


def test_newer_copies_redirects_and_cuts_are_noticed(growing: Growing) -> None:
    last = growing.steps[-1]
    growing.grow(-(1 << 60), last)
    past, execute = RunPast(growing.folder), growing.connection.execute
    compare(past)
    good = past.count.relevant
    urls = [url for (url,) in execute("SELECT final_url FROM pages WHERE url = final_url AND robots = '' LIMIT 3")]
    columns = [name for _, name, *_ in execute("PRAGMA table_info(pages)") if name != "seq"]
    for place, (url, leads_to) in enumerate(((urls[0], urls[0]), (urls[1], urls[2]))):
        seq = last + 1 + place
        (old,) = execute("SELECT MAX(seq) FROM pages WHERE final_url = ?", (leads_to,)).fetchone()
        execute("BEGIN")
        execute("INSERT INTO log SELECT ?, kind, at, data, file, end FROM log WHERE seq = ?", (seq, last))
        names = ", ".join(columns)
        execute(f"INSERT INTO pages (seq, {names}) SELECT ?, {names} FROM pages WHERE seq = ?", (seq, old))
        for held in dict.fromkeys((url, leads_to)):
            execute(
                "INSERT INTO held (url, seq, page, score, relevant, evidence) VALUES (?, ?, ?, 0, 0, '{}')",
                (held, seq, seq),
            )
        execute(
            "INSERT INTO landings (seq, n, visit, url, page, how, cost, at) VALUES (?, 0, 9999, ?, ?, 'out', 1, 2e9)",
            (seq, url, seq),
        )
        execute("COMMIT")
        compare(past)
    assert past.count.relevant == good - 3  # a copy that is not relevant, one that leads to another, and that other
    for table in schema.BEHIND:  # as after a crash
        execute(f"DELETE FROM {table} WHERE seq > ?", (last - 3,))
    compare(past)


def test_the_last_point_of_a_curve_has_the_numbers_of_the_export(made: Path) -> None:
    desk = RunDesk(made.parent)
    told, summary = series(desk, made, {}), RunView(made).summary()
    assert (told["downloads"][-1], told["pages"][-1], told["relevant"][-1]) == (
        summary.downloads,
        summary.pages,
        summary.relevant,
    )
    back = {mark["text"]: mark["undo"] for mark in told["marks"]}
    assert back["exclude c.test"] == {"verb": "include", "words": ["c.test"]}
    assert back["limit slots=3"] is not None
    assert sum(line["fetched"] for line in hosts(desk, made, {"limit": 1000})["hosts"]) == summary.pages


def test_the_first_of_many_commands_is_taken_back_and_known_by_who_set_it(growing: Growing) -> None:
    last = growing.steps[-1]
    growing.grow(-(1 << 60), last)
    (slots,) = (each for each in RunPast(growing.folder).said()[0] if "slots" in each.typed)
    told = json.dumps({"command": {"kind": "Label", "url": "http://a.test/", "good": True}, "old": None, "problem": ""})
    growing.connection.execute("BEGIN")
    for number in range(2500):
        row = (last + 1 + number, 0, "Obeyed", 2e9, told, 10_000 + number)
        growing.connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", row)
    growing.connection.execute("INSERT INTO log VALUES (?, 'command', 2e9, x'', 0, 0)", (last + 2500,))
    growing.connection.execute("COMMIT")
    commands, present = RunPast(growing.folder).said()
    assert len(commands) > 2500 and slots.number is not None
    settings = settings_of(growing.folder)
    assert undo_now(settings, commands, slots.number) == SetLimit("slots", 16)
    (control,) = [each for each in limits_of(settings, present, commands) if each["name"] == "slots"]
    assert control["value"] == 3 and control["set_at"] == slots.at


def test_undos_of_a_history() -> None:
    said = [
        *(SetTopic(("a",), ""), SetTopic(("b",), ""), Pause(), Pause(), Resume(), Exclude("x.test"), Exclude("x.test")),
        *(Include("x.test"), Include("y.test"), Label("http://p.test/", True), Label("http://p.test/", False)),
    ]
    commands = [Commanded(0.0, 0, str(each), "", "", False, each, None, place) for place, each in enumerate(said)]
    settings = Settings(topic="spiders")
    found = undos(settings, commands)
    assert found == [
        *(SetTopic(("spiders",), "spiders"), SetTopic(("a",), ""), Resume(), None, Pause(), Include("x.test"), None),
        *(None, None, None, Label("http://p.test/", True)),
    ]
    with pytest.raises(Problem, match="since"):
        undo_now(settings, commands, 0)


def test_rows_of_odd_types_are_told_and_end_no_feed(growing: Growing) -> None:
    last = growing.steps[-1]
    growing.grow(-(1 << 60), last)

    async def scene() -> None:
        feeds = Feeds(RunDesk(growing.folder.parent), every=0.01)
        reader = feeds.follow(growing.folder)
        assert b"hello" in await anext(reader)
        assert b"event: gauge" in await anext(reader)
        for table, column, value in (
            ("events", "at", b"\xff"),
            ("events", "data", 1.5),
            ("pages", "host", b"\xfe"),
            ("held", "evidence", 7),
            ("landings", "url", b"\xff\xff"),
            ("landings", "cost", "many"),
        ):
            growing.connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
        odd = "seq, n, visit, url, page, failure, detail, score, relevant, evidence, how, cost, seconds, at"
        growing.connection.execute(
            f"INSERT INTO landings ({odd}) SELECT ?{odd.removeprefix('seq')} FROM landings WHERE seq = ?",
            ("text", last),
        )
        growing.connection.execute("INSERT INTO log VALUES (?, 'command', 2e9, x'', 0, 0)", (last + 1,))
        while b"event: trouble" not in (told := await asyncio.wait_for(anext(reader), 30)):
            pass
        assert b"cannot be read" in told
        (task,) = feeds._looking.values()
        assert not task.done()
        await reader.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())
