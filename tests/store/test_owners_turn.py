"""Whatever becomes of the lock: two owners never commit to one run, and a database in use is not called damaged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from wolfspider.core.errors import Busy, Problem
from wolfspider.files.lock import Lock
from wolfspider.store.damage import Damaged, trouble
from wolfspider.store.database import claim, connect
from wolfspider.store.sqlite import create, open_run
from wolfspider.testing.rehearsal import Rehearsal


def test_who_was_taken_over_commits_nothing_more(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(3)
    archive = (tmp_path / "run" / "warc" / "00000.warc.gz").read_bytes()
    shelf = (tmp_path / "run" / "shelf").read_bytes()
    other = connect(tmp_path / "run" / "run.db")
    claim(other)
    (entries,) = other.execute("SELECT COUNT(*) FROM log").fetchone()
    with pytest.raises(Busy, match="Another process has taken"):
        rehearsal.step()
    with pytest.raises(Problem, match="Another process has taken"):
        rehearsal.snapshot()
    assert other.execute("SELECT COUNT(*) FROM log").fetchone() == (entries,)
    assert (tmp_path / "run" / "warc" / "00000.warc.gz").read_bytes() == archive
    assert (tmp_path / "run" / "shelf").read_bytes() == shelf
    other.close()
    store.close()
    open_run(tmp_path / "run").close()


def test_a_second_owner_is_refused_though_the_lock_file_is_gone(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(3)
    (tmp_path / "run" / "lock").unlink()
    with pytest.raises(Busy, match="removed or replaced"):
        open_run(tmp_path / "run")
    rehearsal.run()
    store.close()
    Lock(tmp_path / "run" / "lock").release()


def test_a_database_in_use_is_not_called_damaged(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    store.turn.begin()
    database = tmp_path / "run" / "run.db"
    other = sqlite3.connect(database, timeout=0)
    with pytest.raises(sqlite3.OperationalError) as locked:
        other.execute("BEGIN IMMEDIATE")
    assert isinstance(trouble(database, locked.value), Busy)
    with pytest.raises(sqlite3.OperationalError) as lacking:
        other.execute("SELECT * FROM nothing")
    assert isinstance(trouble(database, lacking.value), Damaged)
    other.close()
    store.close()
