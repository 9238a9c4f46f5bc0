"""Commands are left in a database of their own: whatever others do there, the crawl goes on."""

from __future__ import annotations

import os
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.store.test_repair import needs

from wolfspider.core import codec, events
from wolfspider.core.errors import BadInput
from wolfspider.store import inbox
from wolfspider.store.inbox import answer_to, append_command
from wolfspider.store.repair.examination import examine
from wolfspider.store.repair.repair import repair
from wolfspider.store.schema import COMMANDS
from wolfspider.store.sqlite import SqliteStore, create, open_run
from wolfspider.testing.rehearsal import Rehearsal

COMMAND = events.SetLimit("pages", 39)
HUGE = "y" * 20_000_000
INSERT = "INSERT INTO commands (at, who, data) VALUES (?, ?, ?)"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    yield made
    made.close()


def letters(folder: Path) -> sqlite3.Connection:
    """As another program opens them."""
    connection = sqlite3.connect(folder / "inbox.db", timeout=0, isolation_level=None)
    connection.execute(COMMANDS.replace("TABLE", "TABLE IF NOT EXISTS"))
    return connection


def kinds(folder: Path, *numbers: int) -> list[str]:
    answers = (answer_to(folder, number) for number in numbers)
    return [answer["kind"] if answer else "none" for answer in answers]


@pytest.mark.parametrize(
    "lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"]
)
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_sender_that_never_ends_its_transaction_holds_nothing_up(store: SqliteStore, lock: str, journal: str) -> None:
    """The crawl comes to its end; what was left before is obeyed, at the latest when the sender is gone."""
    number = append_command(store.folder, COMMAND, "a person")
    with closing(letters(store.folder)) as other:
        other.execute(f"PRAGMA journal_mode = {journal}")
        for statement in lock.split("; "):
            other.execute(statement)
        other.execute(INSERT, (1.0, "a stranger", codec.store(COMMAND)[0]))
        Rehearsal(store).run()
    Rehearsal(reopened(store)).step()
    assert kinds(store.folder, number, number + 1) == ["Obeyed", "none"]


def reopened(store: SqliteStore) -> SqliteStore:
    store.close()
    return open_run(store.folder)


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def _another_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE commands (id TEXT, data TEXT)")
        connection.execute("INSERT INTO commands VALUES ('9', 'x')")


def _endless_view(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 1, 'x', 'y' FROM n"
        connection.execute(f"CREATE VIEW commands AS {rows}")


@pytest.mark.parametrize("spoil", [_garbage, _another_table, _endless_view, Path.mkdir])
def test_a_spoilt_inbox_is_told_to_senders_and_ends_no_crawl(store: SqliteStore, spoil: Callable[[Path], None]) -> None:
    spoil(store.folder / "inbox.db")
    with pytest.raises(BadInput, match="inbox"):
        append_command(store.folder, COMMAND, "a person")
    Rehearsal(store).run()


def test_a_damaged_inbox_is_found_and_moved_aside(store: SqliteStore) -> None:
    Rehearsal(store).run(3)
    store.close()
    _garbage(store.folder / "inbox.db")
    assert [finding.part for finding in examine(store.folder)] == ["inbox.db"]
    repair(store.folder, needs)
    assert examine(store.folder) == []
    assert append_command(store.folder, COMMAND, "a person") == 1


strange = some.none() | some.text() | some.binary() | some.floats() | some.integers(-(2**63), 2**63 - 1)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows=some.lists(some.tuples(strange, strange, strange), max_size=20))
def test_whatever_values_stand_there_each_row_is_answered_and_so_is_what_comes_behind(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, Any, Any]]
) -> None:
    store = create(tmp_path_factory.mktemp("inbox") / "run", {}, info={"software": "test"})
    with closing(letters(store.folder)) as other:
        for row in rows:
            try:
                other.execute(INSERT, row)
            except (sqlite3.IntegrityError, UnicodeEncodeError):
                continue
        (count,) = other.execute("SELECT COUNT(*) FROM commands").fetchone()
    number = append_command(store.folder, COMMAND, "a person")
    assert number == count + 1
    rehearsal = Rehearsal(store)
    for _ in range(2):
        rehearsal.step()
    assert kinds(store.folder, *range(1, number + 1)) == ["Refused"] * count + ["Obeyed"]
    store.close()


def test_many_long_texts_are_taken_a_few_at_a_time(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "_MOST_TEXT", 1000)
    with closing(letters(store.folder)) as other:
        other.executemany(INSERT, [(1.0, "x", "y" * 400)] * 10)
    rehearsal = Rehearsal(store)
    rehearsal.step()
    assert 0 < kinds(store.folder, *range(1, 11)).count("Refused") < 6
    rehearsal.run(5)
    assert kinds(store.folder, *range(1, 11)) == ["Refused"] * 10


def test_commands_in_the_database_of_an_older_run_are_obeyed_first_and_numbers_go_on(store: SqliteStore) -> None:
    """Earlier versions left them there."""
    text = codec.store(COMMAND)[0]
    with sqlite3.connect(store.folder / "run.db") as connection:
        connection.executemany(INSERT, [(1.0, "a person", text), (1.0, "a person", "nonsense")])
    assert append_command(store.folder, events.SetLimit("pages", 38), "a person") == 3
    rehearsal = Rehearsal(store)
    for _ in range(3):
        rehearsal.step()
    assert kinds(store.folder, 1, 2, 3) == ["Obeyed", "Refused", "Obeyed"] and rehearsal.crawl.limits.pages == 38
    assert append_command(store.folder, COMMAND, "a person") == 4


@pytest.mark.parametrize("taken", [True, False])
def test_a_repaired_run_obeys_again_what_did_not_end_it(store: SqliteStore, taken: bool) -> None:
    for command in (events.Exclude("host4.test"), events.Finish()):
        append_command(store.folder, command, "a person")
    if taken:
        Rehearsal(store).run(3)
    store.close()
    (store.folder / "run.db").unlink()
    repair(store.folder, needs)
    again = open_run(store.folder)
    assert [command for _, command in again.commands()] == [events.Exclude("host4.test")]
    assert again.commands() == []
    again.close()


def test_a_row_that_is_far_too_long_is_never_read_and_is_refused(store: SqliteStore) -> None:
    """Whoever writes there need not keep to the checks of the table."""
    with closing(letters(store.folder)) as other:
        other.execute("PRAGMA ignore_check_constraints = ON")
        for values in (("x", HUGE), (HUGE, "x"), ("x", HUGE.encode())):
            other.execute(INSERT, (1.0, *values))
    number = append_command(store.folder, COMMAND, "a person")
    rehearsal = Rehearsal(store)
    tracemalloc.start()
    try:
        for _ in range(3):
            rehearsal.step()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kinds(store.folder, *range(1, number + 1)) == ["Refused"] * 3 + ["Obeyed"]
    assert peak < len(HUGE) / 2


def _damage_a_leaf(path: Path, size: int) -> None:
    """A row in the middle can no longer be read; the first and the last ones can."""
    data = bytearray(path.read_bytes())
    pages = len(data) // size
    data[size * (pages // 2) : size * (pages // 2) + 8] = b"\xff" * 8
    path.write_bytes(data)


def test_a_repair_comes_to_its_end_whatever_is_damaged_in_the_inbox(store: SqliteStore) -> None:
    Rehearsal(store).run(3)
    with closing(letters(store.folder)) as other:
        other.executemany(INSERT, [(1.0, "x", codec.store(COMMAND)[0])] * 5000)
        (size,) = other.execute("PRAGMA page_size").fetchone()
    store.close()
    _damage_a_leaf(store.folder / "inbox.db", size)
    repair(store.folder, needs, anew=True)
    assert examine(store.folder) == []
    open_run(store.folder).close()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.mark.parametrize(
    "made",
    [
        f"CREATE TRIGGER slow BEFORE INSERT ON commands BEGIN {ENDLESS}; END",
        "CREATE TABLE another (x)",
        "CREATE INDEX another ON commands (who)",
    ],
)
def test_what_stands_in_an_inbox_beside_its_table_is_told_to_senders_and_ends_no_crawl(
    store: SqliteStore, made: str
) -> None:
    with closing(letters(store.folder)) as other:
        other.execute(made)
    with pytest.raises(BadInput, match="inbox"):
        append_command(store.folder, COMMAND, "a person")
    Rehearsal(store).run()


@pytest.mark.parametrize("name", ["inbox.db", "inbox.db-wal", "inbox.db-shm", "inbox.db-journal"])
def test_a_pipe_that_appears_beside_a_crawl_holds_nothing_up(store: SqliteStore, name: str) -> None:
    append_command(store.folder, COMMAND, "a person")
    (store.folder / name).unlink(missing_ok=True)
    os.mkfifo(store.folder / name)
    with pytest.raises(BadInput, match=name):
        append_command(store.folder, COMMAND, "a person")
    Rehearsal(store).run()
