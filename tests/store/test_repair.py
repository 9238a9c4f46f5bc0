"""A repair that is killed at any moment leaves a run that the next one mends; nothing that is damaged is deleted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.failing_database import full_at, unheard

from wolfspider.core.errors import BadInput
from wolfspider.core.events import Label
from wolfspider.core.model import Verdict
from wolfspider.files.disk import DiskFull
from wolfspider.files.failpoints import VARIABLE
from wolfspider.store.damage import DATABASE
from wolfspider.store.folder import PLAN
from wolfspider.store.inbox import append_command
from wolfspider.store.repair.examination import examine
from wolfspider.store.repair.journal_anew import Needs
from wolfspider.store.repair.repair import repair
from wolfspider.store.repair.repair_plan import finish
from wolfspider.store.sqlite import create, open_run
from wolfspider.store.view import RunView
from wolfspider.testing.rehearsal import START, Hamlet, Rehearsal, address

ARCHIVE = "warc/00000.warc.gz"
KILLED = """
import sys
from pathlib import Path
from wolfspider.store.repair.repair import repair
from tests.store.test_repair import needs
repair(Path(sys.argv[1]), needs)
"""


PIPED = """
import sys
from pathlib import Path
from wolfspider.core.errors import Problem
from wolfspider.store.repair.examination import examine
from wolfspider.store.repair.repair import repair
from wolfspider.store.view import RunView
from tests.store.test_repair import needs
for look in (examine, RunView, lambda folder: repair(folder, needs)):
    try:
        look(Path(sys.argv[1]))
    except Problem as problem:
        print(problem)
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def needs(about: object, info: dict[str, str]) -> Needs:
    return Needs(lambda page: Verdict(1.0, True, {}), lambda url: True, 1 << 24, set(), info or {"software": "test"})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    Rehearsal(store, pages=20).run(12, snapshots=4)
    store.close()
    return tmp_path / "run"


def pages(folder: Path) -> dict[str, bytes]:
    view = RunView(folder)
    return {row.final_url: view.body(row) for row in view.pages()}


def half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGES = {
    "database": lambda folder: half(folder / "run.db"),
    "no database": lambda folder: (folder / "run.db").unlink(),
    "archive": lambda folder: half(folder / ARCHIVE),
    "no description": lambda folder: (folder / "run.json").unlink(),
    "snapshots": lambda folder: [half(path) for path in (folder / "snapshots").iterdir()],
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("failpoint", ["repair-made", "repair-planned", "repair-moving", "repair-moved"])
def test_killed_anywhere_the_next_repair_ends_as_if_never_killed(failpoint: str, damage: str, run: Path) -> None:
    DAMAGES[damage](run)
    undisturbed = shutil.copytree(run, run.with_name("undisturbed"))
    told = repair(undisturbed, needs)
    words = [sys.executable, "-c", KILLED, str(run)]
    environment = {**ENVIRONMENT, VARIABLE: failpoint}
    died = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    if failpoint != "repair-made":
        for opening in (open_run, RunView):
            with pytest.raises(BadInput, match="was not finished"):
                opening(run)
        assert [(one.part, one.code) for one in examine(run)] == [("repair", DATABASE)]
    again = repair(run, needs)
    assert (again.code, again.rebuilt, again.torn) == (told.code, told.rebuilt, told.torn)
    assert [one.part for one in again.findings] == [one.part for one in told.findings]
    assert len(again.told()) == len(told.told()) and (again.aside is None) == (told.aside is None)
    assert examine(run) == [] and pages(run) == pages(undisturbed)
    assert not (run / ".repair").exists() and not (run / PLAN).exists()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_repaired_run_is_its_owners_alone(damage: str, run: Path) -> None:
    DAMAGES[damage](run)
    repair(run, needs)
    assert [path for path in (run, *run.rglob("*")) if path.stat().st_mode & 0o077] == []


def test_what_was_damaged_is_moved_aside_and_never_deleted(run: Path) -> None:
    DAMAGES["database"](run)
    DAMAGES["archive"](run)
    before = {name: (run / name).read_bytes() for name in ("run.db", ARCHIVE, "shelf")}
    repaired = repair(run, needs)
    assert repaired.aside is not None and repaired.code == 10
    assert {name: (repaired.aside / name).read_bytes() for name in before} == before
    assert repair(run, needs).findings == []


def test_without_a_database_every_page_of_the_archive_is_there(run: Path) -> None:
    whole = pages(run)
    (run / "run.db").unlink()
    repaired = repair(run, needs)
    assert repaired.rebuilt is not None and repaired.rebuilt.found == repaired.rebuilt.kept >= len(whole)
    assert whole.items() <= pages(run).items()


def test_damaged_records_cost_their_pages_alone_and_the_journal_is_kept(run: Path) -> None:
    whole = pages(run)
    with sqlite3.connect(run / "run.db") as connection:
        (offset,) = connection.execute("SELECT offset FROM pages ORDER BY seq LIMIT 1").fetchone()
    damage_byte(run, offset + 40)
    repaired = repair(run, needs)
    assert repaired.rebuilt is not None and not repaired.rebuilt.anew and repaired.rebuilt.lost == 1
    assert len(pages(run)) == len(whole) - 1 and pages(run).items() <= whole.items()
    store = open_run(run)
    rehearsal = Rehearsal(store, pages=20)
    assert rehearsal.crawl.spent, "it goes on where it was"
    store.close()


def test_the_new_database_is_whole_before_it_is_closed(run: Path) -> None:
    whole = pages(run)
    with sqlite3.connect(run / "run.db") as connection:
        (offset,) = connection.execute("SELECT offset FROM pages ORDER BY seq LIMIT 1").fetchone()
    damage_byte(run, offset + 40)
    with pytest.MonkeyPatch.context() as monkeypatch:
        unheard(monkeypatch)
        assert repair(run, needs).lost == 1
    assert examine(run) == [] and len(pages(run)) == len(whole) - 1


def test_on_a_full_disk_no_row_is_given_up_and_the_next_repair_has_them_all(run: Path) -> None:
    DAMAGES["snapshots"](run)
    _damage(run, "UPDATE visits SET note = 'x' WHERE id = 1")
    with pytest.MonkeyPatch.context() as monkeypatch:
        full_at(monkeypatch, "INSERT OR IGNORE INTO held")
        with pytest.raises(DiskFull):
            repair(run, needs)
    repaired = repair(run, needs)
    assert repaired.rebuilt is not None and repaired.rebuilt.kept and not repaired.rebuilt.found
    assert examine(run) == []


def test_a_record_that_is_no_page_costs_no_page_and_is_told(run: Path) -> None:
    whole = pages(run)
    with sqlite3.connect(run / "run.db") as connection:
        (behind,) = connection.execute("SELECT offset + length FROM pages ORDER BY seq LIMIT 1").fetchone()
    damage_byte(run, behind + 20)  # of a request
    repaired = repair(run, needs)
    assert repaired.lost == 0 and repaired.torn and repaired.code == 10
    told = " ".join(repaired.told())
    assert "no page that it knew is lost" in told and "whatever they held is lost" in told
    assert pages(run) == whole


def damage_byte(run: Path, at: int) -> None:
    data = bytearray((run / ARCHIVE).read_bytes())
    data[at] ^= 0xFF
    (run / ARCHIVE).write_bytes(data)


def test_a_database_that_is_older_than_the_archive_is_mended_from_it(run: Path) -> None:
    whole = pages(run)
    with closing(sqlite3.connect(run / "run.db")) as connection:
        for table in ("log", "visits", "pages", "landings", "held", "events", "snapshots"):
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
    repaired = repair(run, needs)
    assert repaired.code == 0 and repaired.rebuilt is not None and repaired.rebuilt.kept >= len(whole)
    assert whole.items() <= pages(run).items() and examine(run) == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM held WHERE url NOT IN (SELECT final_url FROM pages)",
        "DELETE FROM held WHERE url IN (SELECT final_url FROM pages WHERE url <> final_url)",
        "UPDATE OR REPLACE held SET url = 'http://host0.test/0'",
    ],
)
def test_every_page_is_held_at_its_own_addresses_whatever_became_of_their_rows(run: Path, sql: str) -> None:
    whole = pages(run)
    _damage(run, sql)
    assert repair(run, needs).code == 0
    assert pages(run) == whole and examine(run) == []
    with closing(sqlite3.connect(run / "run.db")) as connection:
        both = "SELECT url, seq FROM pages UNION SELECT final_url, seq FROM pages EXCEPT SELECT url, page FROM held"
        assert connection.execute(both).fetchall() == []


@pytest.mark.parametrize("damage", ["UPDATE likes SET offset = (SELECT offset FROM pages)", ""])
def test_a_page_that_describes_the_topic_is_known_by_its_content(tmp_path: Path, damage: str) -> None:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    for number in (1, 2):
        store.like(Hamlet().fetch(address(number), START, {}))
    Rehearsal(store, pages=20).run(12, snapshots=4)
    bodies = [fetch.body for fetch in store.liked()]
    store.close()
    if damage:
        _damage(tmp_path / "run", damage)
    else:
        data = (tmp_path / "run" / ARCHIVE).read_bytes()
        (tmp_path / "run" / ARCHIVE).write_bytes(data[:50] + bytes(7) + data[50:])  # the head, and all behind it
    assert repair(tmp_path / "run", needs).lost == 0
    store = open_run(tmp_path / "run")
    assert [fetch.body for fetch in store.liked()] == bodies
    store.close()


def test_a_journal_that_is_to_begin_anew_takes_all_pages_from_the_archive(run: Path) -> None:
    whole = pages(run)
    with closing(sqlite3.connect(run / "run.db")) as connection:
        connection.execute("UPDATE held SET score = 0.123 WHERE page IS NOT NULL")
        connection.execute("UPDATE pages SET title = 'changed'")
        connection.commit()
    assert repair(run, needs).findings == []
    repaired = repair(run, needs, anew=True)
    assert repaired.code == 0 and repaired.rebuilt is not None and repaired.rebuilt.anew
    assert pages(run) == whole and examine(run) == []
    assert {(row.score, row.title == "changed") for row in RunView(run).pages()} == {(1.0, False)}
    store = open_run(run)
    Rehearsal(store, pages=20).run(3)
    store.close()


@pytest.mark.parametrize("name", ["run.db", "run.db-wal", "lock", "shelf", "inbox.db"])
def test_a_pipe_in_the_place_of_a_file_is_a_sentence(name: str, run: Path) -> None:
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
    words = [sys.executable, "-c", PIPED, str(run)]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{run / name} is no plain file; remove it."] * 3


@pytest.mark.parametrize("name", [".repair", ARCHIVE])
def test_a_link_is_told_as_one(name: str, run: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (run / name).rename(elsewhere) if (run / name).exists() else elsewhere.mkdir()
    (run / name).symlink_to(elsewhere)
    (run / "shelf").write_bytes(b"damaged")
    for look in (examine, lambda folder: repair(folder, needs)):
        with pytest.raises(BadInput, match="is a link to elsewhere"):
            look(run)


def test_a_plan_that_takes_the_database_away_is_finished_all_the_same(run: Path) -> None:
    whole = pages(run)
    plan = {"aside": "damaged-1", "moves": [["run.db", "damaged-1/run.db"]], "forget": True}
    (run / PLAN).write_text(json.dumps(plan))
    repaired = repair(run, needs)
    assert not (run / PLAN).exists() and repaired.findings and whole.items() <= pages(run).items()


def test_a_plan_of_a_stranger_moves_nothing_elsewhere(run: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (run / "link").symlink_to(tmp_path)
    for source, target in (("../precious", "x"), (str(precious), "x"), ("link/precious", "x"), ("run.db", "../x")):
        plan = {"aside": "damaged-1", "moves": [[source, target]], "forget": False}
        (run / PLAN).write_text(json.dumps(plan))
        with pytest.raises(BadInput, match="no plan of a repair"):
            finish(run)
    assert precious.read_text() == "precious" and not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "moves",
    [
        [["link", "new"], ["new/precious", "x"]],
        [["link", "new"], ["run.json", "new/x"]],
        [["run.db", "old"], ["database", "run.db"]],
    ],
)
def test_a_plan_of_a_stranger_that_first_moves_a_link_moves_nothing_elsewhere(
    run: Path, tmp_path: Path, moves: list[list[str]]
) -> None:
    precious = tmp_path / "precious"
    with closing(sqlite3.connect(precious)) as connection:
        connection.execute("CREATE TABLE snapshots (seq)")
        connection.execute("INSERT INTO snapshots VALUES (1)")
        connection.commit()
    before = precious.read_bytes()
    (run / "link").symlink_to(tmp_path)
    (run / "database").symlink_to(precious)
    (run / PLAN).write_text(json.dumps({"aside": "damaged-1", "moves": moves, "forget": True}))
    with pytest.raises(BadInput, match=r"no plan of a repair|is a link to elsewhere"):
        finish(run)
    assert precious.read_bytes() == before and not (tmp_path / "x").exists()


@pytest.mark.parametrize("taken", [0, 300])
def test_records_behind_bytes_that_were_put_in_or_taken_out_are_found_again(run: Path, taken: int) -> None:
    known = pages(run)
    data = (run / ARCHIVE).read_bytes()
    (run / ARCHIVE).write_bytes(data[:1200] + bytes(0 if taken else 300) + data[1200 + taken :])
    repaired = repair(run, needs)
    assert repaired.rebuilt is not None and repaired.rebuilt.lost <= 2 and examine(run) == []
    left = pages(run)
    assert len(left) >= len(known) - 2 and left.items() <= known.items()
    open_run(run).close()


def _salvaged(run: Path) -> int:
    with closing(sqlite3.connect(run / "run.db")) as connection:
        (count,) = connection.execute("SELECT value FROM counters WHERE name = 'salvaged'").fetchone()
    return int(count)


def _damage(run: Path, sql: str) -> None:
    with closing(sqlite3.connect(run / "run.db")) as connection:
        connection.execute(sql)
        connection.execute("INSERT OR REPLACE INTO hosts VALUES ('damaged', '{')")
        connection.commit()


def test_a_second_repair_knows_of_all_downloads_before_the_first(run: Path) -> None:
    (run / "run.db").unlink()
    repair(run, needs)
    spent = _salvaged(run)
    _damage(run, "DELETE FROM hosts")
    repair(run, needs)
    assert _salvaged(run) == spent >= len(pages(run)) > 0


def test_a_page_is_a_download_though_its_landing_cannot_be_read(run: Path) -> None:
    _damage(run, "UPDATE landings SET how = x'00'")
    repair(run, needs)
    assert _salvaged(run) >= len(pages(run)) > 0


def test_a_run_without_its_description_is_not_begun_anew(run: Path) -> None:
    whole = pages(run)
    (run / "run.json").unlink()
    before = (run / "run.db").read_bytes()
    with pytest.raises(BadInput, match=r"run\.json is missing.*wolfspider repair"):
        create(run, {"settings": {}}, info={"software": "test"})
    assert (run / "run.db").read_bytes() == before
    repair(run, needs)
    assert pages(run) == whole


def test_a_repair_says_which_parts_were_damaged(run: Path, tmp_path: Path) -> None:
    (run / "run.json").unlink()
    assert repair(run, needs).told()[0] == f"{run} is repaired. What was damaged: run.json."
    assert repair(run, needs, anew=True).told()[0] == f"{run} is repaired.", "a new journal was asked for, no more"
    with pytest.raises(BadInput, match="nowhere is not a run: there is no such folder"):
        repair(tmp_path / "nowhere", needs)
    with pytest.raises(BadInput, match="nowhere is not a run: there is no such folder"):
        RunView(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    for look in (RunView, lambda path: repair(path, needs)):
        with pytest.raises(BadInput, match="file is not a run: it is a file, and a run is a folder"):
            look(tmp_path / "file")


def test_pages_that_ask_not_to_be_indexed_are_told_apart_as_status_does(run: Path) -> None:
    with closing(sqlite3.connect(run / "run.db")) as connection, connection:
        connection.execute("UPDATE pages SET robots = 'noindex' WHERE seq = (SELECT MAX(seq) FROM pages)")
        (offset,) = connection.execute("SELECT offset FROM pages ORDER BY seq LIMIT 1").fetchone()
    damage_byte(run, offset + 40)
    told, count = repair(run, needs).told(), RunView(run).summary().count
    pages = f"{count.pages} page{'s' * (count.pages != 1)}"
    assert f"It has {pages} and 1 more that asks not to be indexed; 1 page is lost." in told and count.hidden == 1


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A run with a label that a person gave and one of a program, which no inbox holds."""
    folder = tmp_path / "labelled"
    store = create(folder, {"settings": {}}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    append_command(folder, Label(address(0), True), "somebody")
    rehearsal.run(6)
    rehearsal.crawl.command(Label(address(1), True), rehearsal.crawl.now)
    rehearsal.run(6, snapshots=4)
    store.close()
    return folder


def test_a_repair_that_loses_labels_says_so(labelled: Path) -> None:
    again = f"Give labels again by: wolfspider label {labelled}"
    assert f"1 label is lost, and 1 kept. {again}" in repair(labelled, needs, anew=True).told()


def test_a_repair_that_cannot_know_whether_labels_are_lost_says_so(labelled: Path) -> None:
    with (labelled / "run.db").open("r+b") as file:
        file.write(bytes(100))
    repaired = repair(labelled, needs)
    assert repaired.rebuilt is not None and repaired.rebuilt.labels_lost is None
    assert any(sentence.startswith("It knows of 1 label; if there were more") for sentence in repaired.told())
