"""Gauges of a run: how many are kept, which, and what is made of rows that somebody else wrote."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wolfspider.core.events import Gauge
from wolfspider.store.gauges import MINUTES, SECONDS, TABLE, Gauges, gauges
from wolfspider.store.schema import FORMAT
from wolfspider.store.sqlite import open_run
from wolfspider.store.view import RunView

FIXTURE = Path(__file__).with_name("fixtures") / "format-1.tar.gz"


def table() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    return connection


def seconds(connection: sqlite3.Connection) -> list[int]:
    return [second for (second,) in connection.execute("SELECT second FROM gauges ORDER BY second")]


@given(some.lists(some.floats(0.2, 400.0), max_size=300), some.integers(0, 10_000))
def test_there_is_one_a_second_lately_and_one_a_minute_before_and_never_more(gaps: list[float], start: int) -> None:
    connection, at = table(), float(start)
    kept = Gauges(connection, seconds=180, minutes=5)
    for gap in gaps:
        at += gap
        kept.keep(Gauge(at))
        there = seconds(connection)
        assert there[-1] == int(at) and len(there) <= 180 + 5
        old = [second for second in there if second < 60 * (int(at) // 60 + 1) - 180]
        assert len(old) <= 5 and set(Counter(second // 60 for second in old).values()) <= {1}


def test_a_week_of_minutes_stays() -> None:
    connection = table()
    connection.executemany("INSERT INTO gauges VALUES (?, '{}')", [(second,) for second in range(60, 60 * 12_000, 20)])
    Gauges(connection).keep(Gauge(60.0 * 12_000))
    there = seconds(connection)
    assert len(there) <= SECONDS + MINUTES and len([one for one in there if one < 60 * 12_001 - SECONDS]) == MINUTES


def test_a_clock_that_went_back_leaves_nothing_from_the_future() -> None:
    connection = table()
    kept = Gauges(connection)
    for at in (100.0, 200.0, 150.0):
        kept.keep(Gauge(at, "fetching"))
    assert [gauge.at for gauge in gauges(connection)] == [100.0, 150.0]


def test_the_newest_come_oldest_first() -> None:
    connection = table()
    for at in range(10):
        Gauges(connection).keep(Gauge(float(at)))
    assert [gauge.at for gauge in gauges(connection, 3)] == [7.0, 8.0, 9.0]
    assert gauges(sqlite3.connect(":memory:")) == []


NO_GAUGES = [
    *("", "no JSON", "[]", "{}", '{"at": "now"}', '{"at": null}', '{"at": true}', b"\xff\xfe", "[" * 200_000),
    *("[" * 5_000, '{"at": NaN}', '{"at": Infinity}', '{"at": 1e18}', '{"at": 1' + "0" * 400 + "}"),
]


@pytest.mark.parametrize("text", NO_GAUGES)
def test_rows_that_are_no_gauges_are_passed_over(text: str | bytes) -> None:
    connection = table()
    connection.execute("INSERT INTO gauges VALUES (1, ?)", (text,))
    assert gauges(connection) == []


def test_what_another_version_wrote_is_read_as_far_as_it_is_known() -> None:
    connection = table()
    told = {
        "at": 5,
        "next_at": float("inf"),
        "rate_minute": float("nan"),
        "budget": 10**400,
        "in_flight": "many",
        "waiting": {"turn": "x"},
        "left": 3,
        "downloads": 7,
        "unheard_of": 1,
    }
    connection.execute("INSERT INTO gauges VALUES (5, ?)", (json.dumps(told),))
    assert gauges(connection) == [Gauge(5.0, downloads=7, left=3)]


def test_a_run_of_an_earlier_version_has_no_gauges_until_it_is_resumed(tmp_path: Path) -> None:
    with tarfile.open(FIXTURE) as packed:
        packed.extractall(tmp_path, filter="data")
    (database,) = tmp_path.rglob("run.db")
    folder = database.parent
    assert RunView(folder).gauge() is None and RunView(folder).gauges() == []
    store = open_run(folder)
    store.gauge(Gauge(7.5, "fetching"))
    store.commit()
    store.close()
    assert RunView(folder).gauge() == Gauge(7.5, "fetching")
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,), "gauges need no format of their own"


OURS = "CREATE TABLE gauges (second INTEGER PRIMARY KEY, data TEXT NOT NULL)"
TAMPERED = {
    "other columns": ["CREATE TABLE gauges (a)"],
    "in capitals": ["CREATE TABLE GAUGES (a, b, c)"],
    "a view": ["CREATE VIEW gauges AS SELECT 1 AS second, 'x' AS data"],
    "an index": ["CREATE INDEX gauges ON visits (url)"],
    "a trigger": [OURS, 'CREATE TRIGGER "a""b" BEFORE INSERT ON gauges BEGIN SELECT RAISE(ABORT, \'no\'); END'],
    "a trigger that undoes": [OURS, "CREATE TRIGGER t BEFORE DELETE ON gauges BEGIN SELECT RAISE(ROLLBACK, 'no'); END"],
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_table_of_gauges_that_is_not_ours_stops_nobody(name: str, tmp_path: Path) -> None:
    with tarfile.open(FIXTURE) as packed:
        packed.extractall(tmp_path, filter="data")
    (database,) = tmp_path.rglob("run.db")
    with sqlite3.connect(database) as connection:
        for statement in TAMPERED[name]:
            connection.execute(statement)
    assert RunView(database.parent).gauges() == []
    store = open_run(database.parent)
    for at in (7.5, 8.5):
        store.gauge(Gauge(at, "fetching"))
    store.commit()
    assert len(store.gauges()) == 2
    store.close()
    assert RunView(database.parent).gauge() == Gauge(8.5, "fetching")


def test_a_gauge_that_cannot_be_written_is_lost_and_the_turn_is_not() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE other (a)")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO other VALUES (1)")
    Gauges(connection).keep(Gauge(1.0))
    connection.execute("COMMIT")
    assert connection.execute("SELECT a FROM other").fetchall() == [(1,)]
