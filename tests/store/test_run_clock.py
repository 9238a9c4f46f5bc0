"""What time it is in a run whose web has a time of its own."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.watch.papers import FAST, FRONT, HOUR, MINUTE, NOON, Article, Paper, watching

from wolfspider.app.explain import why
from wolfspider.app.forgetting import forget_older
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settling import obey_waiting
from wolfspider.core.events import Label
from wolfspider.dashboard.curves import series
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.host_table import hosts
from wolfspider.dashboard.news import news
from wolfspider.dashboard.overview import run_list, run_state
from wolfspider.store.inbox import append_command
from wolfspider.store.run_clock import KEEP, RunClock, clock_of, read
from wolfspider.store.view import RunView, utc
from wolfspider.terminal.outlook_words import prospects
from wolfspider.terminal.standing import lines
from wolfspider.watch.forgetting import forget
from wolfspider.watch.outputs import FEED


def test_ages_in_a_rehearsal_are_told_by_the_time_of_its_web(tmp_path: Path) -> None:
    """In a web of 2027, where ten minutes pass in a second: on every screen, while it is watched and afterwards."""
    run, paper = tmp_path / "run", Paper()
    paper.articles = {"recent": Article("Of this morning.", NOON - 2 * HOUR)}

    async def main() -> None:
        async with watching(paper, run) as under_way:
            await under_way.until(lambda: under_way.told() == ["recent"])
            await under_way.looks(40)
            desk = RunDesk(tmp_path)
            state, [line] = run_state(desk, run), run_list(desk)["runs"]
            assert abs(state["now"] - under_way.now()) < 30 * MINUTE and state["speed"] == FAST.speed
            assert abs(line["now"] - under_way.now()) < 30 * MINUTE
            assert state["state"] != "silent"
            assert lines(run, time.time())[0] == "The run is going on."
            assert "has not reported" in lines(run, time.time() + 60)[0]  # a minute of ours, not of the run
            [host] = hosts(desk, run, {})["hosts"]
            assert host["until"] is None  # it rests for a second of the run, after each visit

    asyncio.run(main())
    desk, last = RunDesk(tmp_path), RunView(run).gauge()
    assert last is not None
    state = run_state(desk, run)
    assert (state["now"], state["speed"]) == (last.at, 0.0)  # it stands still
    assert news(desk, run, {})["today"] == 1
    assert hosts(desk, run, {})["hosts"][0]["until"] is None
    rates = series(desk, run, {})["rate"]
    assert len(rates) > 20 and None not in rates[len(rates) // 2 :]  # no gaps, though a gauge comes once in ten minutes
    assert why(run, FRONT)["host"]["rests_until"] is None
    assert forget_older(run, 1.0, str).pages == 0  # though all of it is of another year


def test_news_of_a_day_that_is_over_there_are_not_of_today(tmp_path: Path) -> None:
    run, paper = tmp_path / "run", Paper()
    paper.articles = {"recent": Article("Of this morning.", NOON - 2 * HOUR)}

    async def main() -> None:
        async with watching(paper, run) as under_way:
            await under_way.until(lambda: under_way.told() == ["recent"])

    asyncio.run(main())
    with closing(sqlite3.connect(run / "run.db")) as connection, connection:
        connection.execute(KEEP, (RunClock(time.time(), NOON + 100 * HOUR, 600.0).noted(),))
    assert news(RunDesk(tmp_path), run, {})["today"] == 0


def test_what_is_done_to_a_stopped_run_is_dated_by_its_own_time(tmp_path: Path) -> None:
    """In a web of 2018: a label, and a page that must go."""
    run, paper, then = tmp_path / "run", Paper(), NOON - 9 * 365 * 24 * HOUR
    paper.articles = {name: Article("Of this morning.", then - 2 * HOUR) for name in ("one", "two")}

    async def main() -> None:
        async with watching(paper, run, replace(FAST, start=then)) as under_way:
            await under_way.until(lambda: len(under_way.told()) == 2)
            await under_way.looks(10)

    asyncio.run(main())
    last = RunView(run).gauge()
    assert last is not None
    append_command(run, Label(FRONT + "one", True), "a test")
    assert obey_waiting(run, settings_of(run), str) == 1
    [(at,)] = RunView(run).rows("SELECT MAX(at) FROM log")
    assert then < at <= last.at + MINUTE
    forget(run, FRONT + "two", str)
    assert (summary := RunView(run).summary()).forgotten == 1
    assert last.at <= summary.forgotten_at <= last.at + MINUTE
    assert clock_of(run).now() <= last.at + MINUTE, "it still has a time of its own"
    assert prospects(last, summary.ended, summary.forgotten_at) == []
    [updated] = [part.text for part in ElementTree.parse(run / FEED).getroot() if part.tag.endswith("updated")]
    assert str(updated)[:4] == utc(then)[:4]


def test_a_run_of_our_own_time_and_one_that_is_damaged_have_ours(tmp_path: Path) -> None:
    before = time.time()
    assert before <= clock_of(tmp_path).now() <= time.time()
    (tmp_path / "run.db").write_bytes(b"no database" * 1000)
    assert before <= clock_of(tmp_path).now() <= time.time()


@pytest.mark.parametrize("text", ["", "[]", "[1, 2]", "[1, 2, 0]", "[1, 2, NaN]", "[1, 2, -3]", "null", '["a", 1, 1]'])
def test_a_note_that_is_none_is_passed_over(text: str) -> None:
    assert read(text) is None
    noted = RunClock(1.0, 2.0, 3.0)
    assert read(noted.noted()) == noted and noted.now(2.0) == 5.0 and noted.ours(6.0) == 2.0
