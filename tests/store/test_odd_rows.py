"""A value of any type in any column of a run: no command calls it a bug, check finds what readers stumble on, and a
repair mends it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import PAGES, SPIDERS, SmallWeb, page
from wolfspider.core.events import Exclude, SetTopic
from wolfspider.store.folder import DERIVED
from wolfspider.store.inbox import append_command
from wolfspider.store.repair.examination import examine
from wolfspider.store.sound_rows import tables
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve

Run = Callable[..., tuple[int, str, str]]
WEB = SmallWeb(
    {**PAGES, "http://c.test/like": page("Like this", SPIDERS), "http://a.test/good": page("Good", SPIDERS, "/deep")},
    {"http://a.test/old": "http://a.test/good"},
)
ODD: dict[str, Any] = {
    "a word": "abc",
    "nothing": None,
    "bytes that are no text": b"\xff\xfe{\0",
    "a number": 7,
    "below zero": -5,
    "the largest": (1 << 63) - 1,
    "a fraction": 0.5,
    "a time no calendar has": 1e300,
    "no end": float("inf"),
    "a list": "[1, [2]]",
    "an object": '{"a": 1, "label": [], "words": 5, "command": [], "rest": {}, "rules": [1]}',
    "nothing in JSON": "null",
    "too deep": "[" * 5_000,
    "characters that command": "\x1b]0;x\x07\r\n\u202e",
}
COLUMNS = [
    *((table.name, column) for table in tables().values() for column in table.columns),
    ("sqlite_sequence", "seq"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl in two sessions that has something to keep in every table."""
    folder = tmp_path_factory.mktemp("odd") / "run"
    hasty: dict[str, Any] = {"delay": 0.0, "adapt": 0.0, "tries": 1, "disk_floor": 0}

    async def crawl() -> None:
        async with serve(WEB) as server:
            via = f"127.0.0.1:{server.port}"
            settings = {"topic": "wolf spiders", "like": ["http://c.test/like"], "pages": 6, "slots": 1, **hasty}
            await wolfspider.crawl("http://a.test/", out=folder, via=via, **settings).run()
            for command in (SetTopic(("spiders",)), Exclude("b.test/rolls"), Exclude("x" * 2_500)):
                append_command(folder, command, "test")
            await wolfspider.resume(folder, via=via, pages=9).run()

    asyncio.run(asyncio.wait_for(crawl(), 60))
    with closing(sqlite3.connect(folder / "run.db")) as connection:
        connection.execute("INSERT OR IGNORE INTO counters VALUES ('refetched', 1)")
        note = json.dumps([{"at": 1.7e9, "what": "x.test", "pages": 1, "records": 2}])
        connection.execute("INSERT INTO meta VALUES ('forgotten', ?)", (note,))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for name in tables():
            assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() != (0,), name
    assert [told for _, _, told in RunView(folder).events("Obeyed") if told["problem"]]  # and some could not be obeyed
    assert examine(folder) == []
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def spoilt(folder: Path, made: Path, table: str, column: str) -> Iterator[str]:
    """The run with each of the odd values in a column in turn, in all rows, or in one if they may not be equal. Texts
    are told apart only in columns of texts, and numbers that SQLite makes texts of are left out."""
    for name, value in ODD.items():
        for part in ("damaged-*", *DERIVED, "run.db*", "inbox.db*", "repair.json"):
            for path in folder.glob(part):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(made, folder, dirs_exist_ok=True)
        with closing(sqlite3.connect(folder / "run.db", isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            (kind,) = connection.execute(
                "SELECT type FROM pragma_table_info(?) WHERE name = ?", (table, column)
            ).fetchone()
            if isinstance(value, int | float) if kind == "TEXT" else isinstance(value, str) and name != "a word":
                continue
            for how in ("", "OR IGNORE"):
                try:
                    connection.execute(f"UPDATE {how} {table} SET {column} = ?", (value,))
                except sqlite3.IntegrityError:
                    continue
                if connection.execute("SELECT changes()").fetchone() != (0,):
                    yield name
                break


READERS = (
    "status --json",
    "explain {} http://a.test/good",
    "export {} --quiet",
    "search {} spiders --quiet",
    "report {} --out - --quiet",
    "forget",
)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_whatever_stands_in_a_column_it_is_no_bug_and_check_finds_it_and_a_repair_mends_it(
    table: str, column: str, made: Path, folder: Path, run: Run
) -> None:
    """What check finds is told to whoever stumbles, so there two readers do."""
    rng = random.Random(f"{os.environ['SAMPLE_SEED']} {table} {column}")
    repaired = False
    for name in spoilt(folder, made, table, column):
        case = f"{name} in {table}.{column}"
        checked, findings, _ = run("check", folder)
        assert checked in (0, 9, 10, 11), (case, findings)
        for reader in rng.sample(READERS, 2) if checked else READERS:
            code, out, err = run(reader.format(folder) if "{}" in reader else f"{reader} {folder}")
            assert code != 70 and "This is a bug" not in err and "Traceback" not in err, (case, reader, err)
            if code:
                assert checked, (case, reader, err, "check says that the run is whole")
                assert "wolfspider check" in err + out or "wolfspider repair" in err + out, (case, reader, err)
        if checked and not repaired:
            repaired = True
            assert run("repair", folder)[0] in (0, 10), case
            for words in ("check", "export --quiet"):
                code, out, err = run(words, folder)
                assert code == 0, (case, words, out[-500:], err)
