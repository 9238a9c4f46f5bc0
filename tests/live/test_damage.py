"""Damage of every kind to every part of a run: each command says so in a sentence, and nothing is lost in silence.

A run that was damaged is looked at by every command. None may call it a bug, and none may end with code 0 while pages
are missing. Then it is repaired: from there on it opens, is whole, exports and is resumed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, hunt

from wolfspider.store.schema import COMMANDS, NAMES
from wolfspider.web.server.serve import serve

Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]
WEB = Hosts(3, 20, 2_000)
PAGES, MORE = 24, 30
FILES = ("run.json", "run.db", "lock", "warc/00000.warc.gz", "warc/00000.cdxj", "shelf", "snapshots/*")
GARBAGE = random.Random(7).randbytes(5_000)


def _flip(path: Path) -> None:
    rng, data = random.Random(3), bytearray(path.read_bytes())
    for _ in range(max(1, min(200, len(data) // 500))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def _insert(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:5_000] + bytes(300) + data[5_000:])


def _replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


WAYS: dict[str, Callable[[Path], object]] = {
    "end": lambda path: os.truncate(path, max(0, path.stat().st_size - 10)),
    "half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "gone": Path.unlink,
    "empty": lambda path: os.truncate(path, 0),
    "flips": _flip,
    "garbage": lambda path: path.write_bytes(GARBAGE),
    "folder": _replace_by_folder,
}


def sql(*statements: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        with sqlite3.connect(folder / "run.db", isolation_level=None) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                connection.execute(statement)

    return damage


def in_files(name: str, way: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for path in sorted(folder.glob(name)) if "*" in name else [folder / name]:
            if path.stat().st_size or way != "flips":
                WAYS[way](path)

    return damage


def garbled(table: str) -> Callable[[Path], None]:
    """Every column that is no key holds garbage, in a third of the rows."""

    def damage(folder: Path) -> None:
        with sqlite3.connect(folder / "run.db", isolation_level=None) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            keys = [name for _, name, _, _, _, key in columns if key]
            some = f"SELECT {keys[0]} FROM {table} LIMIT (SELECT COUNT(*) FROM {table}) / 3 + 1"
            for _, name, *_, key in columns:
                if not key:
                    connection.execute(f"UPDATE {table} SET {name} = x'fffe7b00' WHERE {keys[0]} IN ({some})")

    return damage


def removed(part: str) -> Callable[[Path], None]:
    return lambda folder: shutil.rmtree(folder / part)


CASES: dict[str, Callable[[Path], object]] = {
    **{f"{name} {way}": in_files(name, way) for name in FILES for way in WAYS},
    **{f"table {name} garbled": garbled(name) for name in sorted(NAMES)},
    **{f"table {name} gone": sql(f"DROP TABLE {name}") for name in sorted(NAMES)},
    **{f"table {name} empty": sql(f"DELETE FROM {name}") for name in sorted(NAMES)},
    "snapshots missing": removed("snapshots"),
    "archive missing": removed("warc"),
    "an entry of the journal gone": sql("DELETE FROM log WHERE seq = (SELECT MAX(seq) / 2 FROM log)"),
    "the journal garbled, no snapshot": sql(
        "DELETE FROM snapshots", "UPDATE log SET data = x'c1' WHERE seq = (SELECT MAX(seq) - 1 FROM log)"
    ),
    "hosts of another shape": sql("""UPDATE hosts SET data = '{"host": [], "rest": "x"}'"""),
    "places off": sql("UPDATE pages SET offset = offset + 7"),
    "places of others": sql(
        "UPDATE pages SET (offset, length) = (SELECT offset, length FROM pages WHERE visit = 0 ORDER BY seq LIMIT 1)"
    ),
    "counters are text": sql("INSERT OR REPLACE INTO counters VALUES ('refetched', 'abc')"),
    "a newer format": sql("PRAGMA user_version = 99999"),
    "no format": sql("PRAGMA user_version = 0"),
    "commands of no kind": sql(
        *(
            f"INSERT INTO commands (at, who, data) VALUES ({at}, 'x', {data})"
            for at, data in ((0, "'x'"), ("'abc'", "'[]'"), (1e308, "x'fffe'"), (0, """'{"~type": "os.system"}'"""))
        )
    ),
    "an endless view": sql(
        "DROP TABLE landings",
        "CREATE VIEW landings AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS seq,"
        " i AS n, 1 AS visit, '' AS url, NULL AS page, 'x' AS failure, '' AS detail, 0 AS score, 0 AS relevant,"
        " '' AS evidence, 'out' AS how, 1 AS cost, 0 AS seconds, 0 AS at FROM n",
    ),
    "a trigger": sql("CREATE TRIGGER t AFTER INSERT ON commands BEGIN DELETE FROM pages; END"),
    "a computed column": sql("ALTER TABLE counters ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(8))) VIRTUAL"),
    "every table but meta empty": sql(*(f"DELETE FROM {name}" for name in sorted(NAMES - {"meta"}))),
    "all pages held at one address": sql("UPDATE OR REPLACE held SET url = 'http://h0.test/'"),
    "bytes put into the archive": lambda folder: _insert(folder / FILES[3]),
    "a WAL of garbage": lambda folder: (folder / "run.db-wal").write_bytes(GARBAGE),
    "run.json of another kind": lambda folder: (folder / "run.json").write_text("[" * 100_000),
    "run.json without settings": lambda folder: (folder / "run.json").write_text('{"format": 1, "about": {}}'),
}
QUICK = (
    "every table but meta empty",
    "run.db half",
    "run.db gone",
    "warc/00000.warc.gz half",
    "warc/00000.warc.gz flips",
    "snapshots missing",
    "table log garbled",
)
every_case = pytest.mark.parametrize(
    "case", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in CASES]
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that ended when its budget was spent."""
    folder = tmp_path_factory.mktemp("whole") / "run"

    async def main() -> None:
        async with serve(WEB) as server:
            told = await hunt(server.port, "http://h0.test/", "http://h1.test/", pages=PAGES, out=folder)
            assert told.reason == "budget" and len(told.pages) == PAGES

    asyncio.run(main())
    return folder


def texts(out: str) -> dict[str, str]:
    return {told["final_url"]: told["text"] for told in map(json.loads, out.splitlines())}


def said(code: int, out: str, err: str) -> None:
    """A sentence, and no bug."""
    assert code != 70 and "This is a bug" not in err and "Traceback" not in err, err
    assert code == 0 or err.startswith("wolfspider: ") or "wolfspider repair" in err + out, (code, out, err)


@pytest.fixture
def good(whole: Path, run: Run) -> dict[str, str]:
    """The texts of all pages."""
    return texts(run("export --quiet", whole)[1])


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "run")


@every_case
def test_whatever_is_damaged_no_command_is_silent_or_calls_it_a_bug(
    case: str, good: dict[str, str], folder: Path, tmp_path: Path, run: Run, aside: Aside
) -> None:
    CASES[case](folder)
    said(*run("status", folder))
    said(*run("status --json", folder))
    checked = run("check", folder)
    said(*checked)
    said(*run("explain", folder, "http://h0.test/3"))
    said(*run("explain", folder, "http://nowhere.test/3"))
    said(*run("steer --wait 0.1", folder, "label", "http://h0.test/1", "up"))
    for form in ("csv", "warc"):
        said(*run(f"export --format {form} --out {tmp_path / 'out'}", folder))
    code, out, err = run("export --quiet", folder)
    said(code, out, err)
    assert code or texts(out) == good
    assert checked[0] or code == 0, "export tells of damage, and check does not"
    code, out, err = run(f"resume --via 127.0.0.1:{aside(serve(WEB)).port} --json --pages {MORE}", folder)
    said(code, out, err)
    if code == 0:
        exported, lines, problem = run("export --quiet", folder)
        assert exported or good.items() <= texts(lines).items(), (err, problem)


BEYOND = {"a newer format": 3}  # nothing of an older version mends these, and they are no damage


@every_case
def test_whatever_is_damaged_a_repair_leaves_a_run_that_is_whole_and_goes_on(
    case: str, good: dict[str, str], folder: Path, run: Run, aside: Aside
) -> None:
    CASES[case](folder)
    damaged = run("check", folder)[0]
    code, out, err = run("repair --json", folder)
    if case in BEYOND:
        assert code == BEYOND[case]
        return
    told = json.loads(out)
    assert code == (10 if told["lost"] or told["bytes_lost"] else 0), (out, err)
    assert told["repaired"] is bool(damaged)
    assert run("check --json", folder)[0] == 0, run("check", folder)
    status, _, err = run("status --json", folder)
    assert status == 0, err
    exported, lines, err = run("export --quiet", folder)
    kept = texts(lines)
    assert exported == 0 and kept.items() <= good.items(), err
    assert len(kept) + told["lost"] >= len(good) or told["bytes_lost"] or not told["journal_kept"]
    code, out, err = run(f"resume --via 127.0.0.1:{aside(serve(WEB)).port} --json --pages {PAGES + MORE}", folder)
    assert code == 0, err
    _, lines, err = run("export --quiet", folder)
    assert kept.items() <= texts(lines).items()
    assert len(texts(lines)) > len(kept)
    assert run("check", folder)[0] == 0


@pytest.mark.parametrize(
    "changed",
    [
        "UPDATE held SET score = score + 0.25 WHERE page IS NOT NULL",
        "UPDATE landings SET visit = visit + 1",
        "UPDATE visits SET url = url || 'x'",
        "UPDATE log SET data = (SELECT data FROM log WHERE kind = 'land' ORDER BY seq LIMIT 1) WHERE kind = 'land'",
    ],
)
def test_values_that_were_changed_are_no_bug_and_the_run_begins_anew_with_its_pages(
    changed: str, good: dict[str, str], folder: Path, run: Run, aside: Aside
) -> None:
    """What can be read and is wrong nobody sees but the replay of the journal."""
    sql("DELETE FROM snapshots", changed)(folder)
    resume = f"resume --via 127.0.0.1:{aside(serve(WEB)).port} --json --pages {MORE}"
    code, _, err = run(resume, folder)
    assert code == 3 and f"wolfspider repair {folder} --anew" in err and "a value in run.db was changed" in err
    code, out, _ = run("repair --anew", folder)
    assert code == 0 and f"wolfspider resume {folder} --pages {2 * PAGES}" in out, "the budget is spent"
    code, _, err = run(resume, folder)
    assert code == 0, err
    exported, lines, _ = run("export --quiet", folder)
    assert exported == 0 and good.items() <= texts(lines).items()


def test_a_lost_page_is_asked_for_again_once_the_journal_begins_anew(
    good: dict[str, str], folder: Path, run: Run, aside: Aside
) -> None:
    with sqlite3.connect(folder / "run.db") as connection:
        url, offset = connection.execute("SELECT final_url, offset FROM pages ORDER BY seq LIMIT 1").fetchone()
    data = bytearray((folder / FILES[3]).read_bytes())
    data[offset + 40] ^= 0xFF
    (folder / FILES[3]).write_bytes(data)
    resume = f"resume --via 127.0.0.1:{aside(serve(WEB)).port} --json --pages"
    code, out, _ = run("repair", folder)
    assert code == 10 and "1 page is lost" in out and f"wolfspider repair {folder} --anew" in out
    assert run(f"{resume} {MORE}", folder)[0] == 0
    assert url not in texts(run("export --quiet", folder)[1])
    assert run("repair --anew", folder)[0] == 0
    assert run(f"{resume} {2 * MORE}", folder)[0] == 0
    assert good.items() <= texts(run("export --quiet", folder)[1]).items()


@pytest.mark.parametrize("first", ["resume", "forget"])
@pytest.mark.parametrize("part", ["shelf", "snapshots", "warc", "run.db", "run.db-wal"])
def test_what_stands_in_the_place_of_a_part_is_told_before_anything_is_dropped(
    part: str, first: str, good: dict[str, str], folder: Path, run: Run, aside: Aside
) -> None:
    """A folder where a file belongs, or a file where a folder does: who meets it first changes nothing."""
    via = f"--via 127.0.0.1:{aside(serve(WEB)).port} --json"
    command = {"resume": (f"resume {via} --pages {MORE}", folder), "forget": ("forget", folder, "http://h0.test/1")}
    away = folder.with_name("away")
    if (folder / part).exists():
        (folder / part).rename(away)
    (folder / part).touch() if part in ("snapshots", "warc") else (folder / part).mkdir()
    before = rows_of_snapshots(folder)
    code, _, err = run(*command[first])
    assert code == 3 and f"wolfspider repair {folder}" in err and rows_of_snapshots(folder) == before
    checked, out, _ = run("check", folder)
    assert checked and str(folder / part).removesuffix("-wal") in out
    told = json.loads(run("repair --json", folder)[1])
    assert told["lost"] == (len(good) if part == "warc" else 0)
    assert run("check", folder)[0] == 0
    code, _, err = run(*command["resume"])
    assert code == 0, err
    assert part == "warc" or good.items() <= texts(run("export --quiet", folder)[1]).items()


def rows_of_snapshots(folder: Path) -> object:
    database = folder / "run.db"
    if not database.is_file() or (folder / "run.db-wal").is_dir():
        return None
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT * FROM snapshots").fetchall()


@pytest.mark.parametrize("damage", ["shelf folder", "shelf gone", "snapshots missing", "table snapshots empty"])
def test_a_run_that_forgot_pages_and_lost_its_snapshot_is_repaired_with_all_others(
    damage: str, good: dict[str, str], folder: Path, run: Run, aside: Aside
) -> None:
    """Its journal alone does not do, since a page is missing that it speaks of."""
    gone = "http://h0.test/1"
    assert gone in good and run("forget", folder, gone)[0] == 0
    CASES[damage](folder)
    resume = f"resume --via 127.0.0.1:{aside(serve(WEB)).port} --json --pages {2 * MORE}"
    for _ in range(2):
        code, _, err = run(resume, folder)
        assert code == 3 and f"wolfspider repair {folder}" in err
    assert run("check", folder)[0] == 11
    assert run("repair", folder)[0] == 0 and run("check", folder)[0] == 0
    code, _, err = run(resume, folder)
    assert code == 0, err
    del good[gone]
    assert good.items() <= texts(run("export --quiet", folder)[1]).items()


INBOXES: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(GARBAGE),
    "a folder": Path.mkdir,
    "another table": lambda path: sqlite3.connect(path).executescript("CREATE TABLE letters (id); SELECT 1"),
    "other columns": lambda path: sqlite3.connect(path).executescript("CREATE TABLE commands (id INTEGER, data TEXT)"),
    "a table too many": lambda path: sqlite3.connect(path).executescript(f"{COMMANDS}; CREATE TABLE more (id)"),
    "a view": lambda path: sqlite3.connect(path).executescript("CREATE VIEW commands AS SELECT 1 AS id"),
}


@pytest.mark.parametrize("kind", INBOXES)
def test_an_inbox_of_another_kind_is_found_and_moved_aside(kind: str, folder: Path, run: Run) -> None:
    steer = ("steer --wait 0.1", folder, "label", "http://h0.test/1", "up")
    INBOXES[kind](folder / "inbox.db")
    code, _, err = run(*steer)
    assert code == 3 and "inbox.db" in err
    code, out, _ = run("check", folder)
    assert code == 9 and "inbox.db is damaged" in out and "moves it aside" in out
    told = json.loads(run("repair --json", folder)[1])
    assert (Path(told["aside"]) / "inbox.db").exists() and told["journal_kept"]
    assert run("check", folder)[0] == 0
    assert "It obeys when it is resumed" in " ".join(run(*steer)[1:]) and run("check", folder)[0] == 0


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write there; root may write everywhere but on a disk that is read-only."""
    if os.geteuid():
        folder.chmod(0o500)
        yield
        folder.chmod(0o700)
        return
    disk = ["mount", "--bind", str(folder), str(folder)]
    if subprocess.run(disk, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a disk that is read-only")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def test_a_run_that_nobody_can_write_to_is_checked_as_it_is(folder: Path, run: Run, good: dict[str, str]) -> None:
    with read_only(folder):
        assert run("check", folder) == (0, f"{folder} is whole.\n", "")
        assert texts(run("export --quiet", folder)[1]) == good
    CASES["table pages garbled"](folder)
    with read_only(folder):
        code, out, _ = run("check", folder)
        assert code == 11 and "of the table pages of run.db cannot be read" in out


def test_a_log_that_cannot_be_read_where_nobody_can_write_is_not_called_damage(
    folder: Path, run: Run, good: dict[str, str]
) -> None:
    """What was committed last lies in it, so nobody can say whether the run is whole."""
    connection = sqlite3.connect(folder / "run.db")
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('trouble', 'none')")
    connection.commit()
    copied = Path(shutil.copytree(folder, folder.with_name("copied")))
    connection.close()
    (copied / "run.db-shm").unlink()
    assert (copied / "run.db-wal").stat().st_size
    with read_only(copied):
        for command in ("check", "status", "export"):
            code, _, err = run(command, copied)
            assert code == 3 and "Copy the run" in err and "damaged" not in err, (command, err)
    assert run("check", copied)[0] == 0


@pytest.mark.parametrize("part", ["run.db", "lock"])
def test_a_pipe_is_refused_by_every_command(part: str, folder: Path, run: Run) -> None:
    (folder / part).unlink()
    os.mkfifo(folder / part)
    for words in ("status", "check", "export", "resume", "repair"):
        code, _, err = run(words, folder)
        assert code == 3 and "is no plain file; remove it" in err, words
