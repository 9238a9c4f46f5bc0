"""Whatever moment a process or a machine dies at, the run opens again, consistent, with nothing promised lost."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from wolfspider.core import codec
from wolfspider.core.errors import Problem
from wolfspider.engine.entries import GrantEntry
from wolfspider.files.disk import DiskFull
from wolfspider.files.failpoints import NAMES, VARIABLE
from wolfspider.store import archive_reader
from wolfspider.store.damage import DATABASE, PAGES_LOST, Damaged
from wolfspider.store.repair.examination import examine
from wolfspider.store.schema import NAMES as TABLES
from wolfspider.store.sqlite import create, open_run
from wolfspider.store.view import RunView
from wolfspider.testing.rehearsal import START, Hamlet, Rehearsal, address

CHILD = Path(__file__).with_name("child.py")
# What a run of a few steps never reaches: it fills no file of the archive, writes no index, has no network or hands.
ELSEWHERE = (
    "run-",
    "hand-",
    "archive-before-rotation",
    "archive-rotated",
    "recover-before-aside",
    "repair-",
    "shelf-cut",
    "rows-",
    "index-",
)

ARCHIVE = "warc/00000.warc.gz"
LEFT = [  # shares of archive, WAL and shelf that a dead machine leaves
    *[(1, 1, 1), (0.9, 1, 1), (0.5, 1, 1), (0.01, 1, 1), (0, 1, 1), (1, 0.9, 1), (1, 0.5, 1), (0.6, 0.7, 1)],
    *[(1, 1, 0.5), (1, 1, 0), (0.7, 1, 0.3)],
]


def child(folder: Path, failpoint: str = "", steps: int = 12) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, VARIABLE: failpoint} if failpoint else dict(os.environ)
    command = [sys.executable, str(CHILD), str(folder), str(steps)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def resumed(folder: Path) -> Rehearsal:
    """Opened, played again and brought to its end; every record and row is then looked at."""
    store = open_run(folder)
    try:
        rehearsal = Rehearsal(store, pages=20)
        rehearsal.run()
        assert rehearsal.crawl.spent == 20
    finally:
        store.close()
    health = archive_reader.check(folder / "warc")
    assert health.damage == ()
    view = RunView(folder)
    assert all(view.body(row) for row in view.pages())
    return rehearsal


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """How the crawl ends that nobody kills."""
    store = create(tmp_path_factory.mktemp("whole") / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run()
    store.close()
    return codec.store(rehearsal.state())


@pytest.mark.slow
@pytest.mark.parametrize("failpoint", [name for name in NAMES if not name.startswith(ELSEWHERE)])
def test_a_process_killed_anywhere_loses_nothing_it_told_of(
    failpoint: str, tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]
) -> None:
    folder = tmp_path / "run"
    if failpoint.startswith("recover"):
        child(folder, "archive-written:7")
        died = child(folder, failpoint)
    else:
        died = child(folder, failpoint if failpoint.startswith("create") else f"{failpoint}:4")
    assert died.returncode == -signal.SIGKILL, died.stderr
    told = set(died.stdout.split())
    if not (folder / "run.json").exists():
        assert failpoint == "create-before-rename" and not told
        assert child(folder, steps=2).returncode == 0
    rehearsal = resumed(folder)
    assert codec.store(rehearsal.state()) == undisturbed
    assert told <= {row.final_url for row in RunView(folder).pages()}


def copied(run: Path, to: Path) -> Path:
    """The files as they lie on the disk at this moment. The lock is not what is copied."""
    to.mkdir()
    subprocess.run(["cp", "-r", f"{run}/.", str(to)], check=True)  # another process: SQLite's locks stay
    return to


@pytest.mark.slow
def test_a_machine_that_dies_leaves_a_run_that_opens(tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]) -> None:
    """What the disk was not told to keep is lost in part: the end of the archive, of the WAL, of the shelf. A snapshot
    tells it to keep the archive."""
    for steps, snapshots in ((14, 5), (14, 0)):
        store = create(tmp_path / f"run{snapshots}", {}, info={"software": "test"})
        Rehearsal(store, pages=20).run(steps, snapshots=snapshots)
        kept = {ARCHIVE: _synced(store.folder)}
        sizes = {name: (store.folder / name).stat().st_size for name in (ARCHIVE, "run.db-wal", "shelf")}
        for number, left in enumerate(LEFT):
            copy = copied(store.folder, tmp_path / f"copy{snapshots}.{number}")
            for (name, size), share in zip(sizes.items(), left, strict=True):
                os.truncate(copy / name, kept.get(name, 0) + int((size - kept.get(name, 0)) * share))
            assert codec.store(resumed(copy).state()) == undisturbed
        store.close()


def _synced(folder: Path) -> int:
    """How far the disk was told to keep the archive."""
    with sqlite3.connect(f"file:{folder}/run.db?mode=ro", uri=True) as connection:
        (noted,) = connection.execute("SELECT value FROM meta WHERE name = 'synced'").fetchone()
    return int(noted.split()[1])


def _files(folder: Path) -> dict[str, bytes]:
    names = (path for path in folder.rglob("*") if path.is_file() and path.name not in ("lock", "run.db-shm"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in names if not path.name.startswith("run.db")}


@pytest.mark.parametrize("left", [0.5, 0.99])
def test_what_no_crash_explains_is_refused_and_nothing_is_changed(left: float, tmp_path: Path) -> None:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    Rehearsal(store, pages=20).run(12, snapshots=4)
    store.close()
    path = tmp_path / "run" / ARCHIVE
    os.truncate(path, int(path.stat().st_size * left))
    before, told = _files(tmp_path / "run"), list[str]()
    with pytest.raises(Damaged, match=r"pages? that landed .* would be lost.*wolfspider repair"):
        open_run(tmp_path / "run", remark=told.append)
    assert _files(tmp_path / "run") == before and told == []
    assert {one.code for one in examine(tmp_path / "run")} == {PAGES_LOST}


def test_what_a_crash_has_cost_is_told_before_it_is_dropped(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(8, snapshots=4)
    rehearsal.run(3)
    store.close()
    path = tmp_path / "run" / ARCHIVE
    size = path.stat().st_size
    assert _synced(tmp_path / "run") < size - 10
    os.truncate(path, size - 10)
    sizes = list[int]()
    open_run(tmp_path / "run", remark=lambda sentence: sizes.append(path.stat().st_size)).close()
    assert sizes == [size - 10], "it is told before anything is cut"
    resumed(tmp_path / "run")


def test_an_older_copy_of_the_database_does_not_cost_the_pages_that_came_since(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(3)
    copy = copied(tmp_path / "run", tmp_path / "copy")
    rehearsal.run(3)
    rehearsal.crawl.now += 1000.0
    rehearsal.run(3)
    store.close()
    shutil.copy(tmp_path / "run" / ARCHIVE, copy / ARCHIVE)
    with pytest.raises(Damaged, match="an older copy"):
        open_run(copy)
    assert (copy / ARCHIVE).read_bytes() == (tmp_path / "run" / ARCHIVE).read_bytes()


def test_an_emptied_database_does_not_cost_the_archive(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    Rehearsal(store, pages=20).run(8)
    store.close()
    with sqlite3.connect(tmp_path / "run" / "run.db") as connection:
        for table in sorted(TABLES - {"meta"}):
            connection.execute(f"DELETE FROM {table}")
    before = _files(tmp_path / "run")
    with pytest.raises(Damaged, match=r"emptied or replaced.*wolfspider repair"):
        open_run(tmp_path / "run")
    assert {one.code for one in examine(tmp_path / "run")} == {DATABASE}
    assert _files(tmp_path / "run") == before


def test_a_page_that_describes_the_topic_and_was_not_committed_is_dropped(tmp_path: Path) -> None:
    """The one answer that may lie in the archive before the journal begins."""
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    store.like(Hamlet().fetch(address(1), START, {}))
    copy = copied(tmp_path / "run", tmp_path / "copy")
    store.like(Hamlet().fetch(address(10), START, {}))  # by a redirect
    store.close()
    shutil.copy(tmp_path / "run" / ARCHIVE, copy / ARCHIVE)
    assert examine(copy) == []
    resumed(copy)


def test_a_journal_that_ends_within_a_record_is_refused_and_nothing_is_cut(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    Rehearsal(store, pages=20).run(12, snapshots=4)
    store.close()
    data = (tmp_path / "run" / ARCHIVE).read_bytes()
    (tmp_path / "run" / ARCHIVE).write_bytes(data[:1200] + bytes(300) + data[1200:])
    before = _files(tmp_path / "run")
    with pytest.raises(Damaged, match=r"lies within a record.*wolfspider repair"):
        open_run(tmp_path / "run")
    assert _files(tmp_path / "run") == before
    assert PAGES_LOST in {one.code for one in examine(tmp_path / "run")}


@pytest.mark.parametrize("behind", [b"\x1f", b"\x1f\x8b\x08torn", bytes(5_000)])
def test_what_a_dead_machine_leaves_behind_the_journal_is_cut(behind: bytes, tmp_path: Path) -> None:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    Rehearsal(store, pages=20).run(6)
    store.close()
    with (tmp_path / "run" / ARCHIVE).open("ab") as file:
        file.write(behind)
    assert resumed(tmp_path / "run").crawl.spent == 20
    assert examine(tmp_path / "run") == []


@pytest.mark.parametrize("failpoint", ["rows-before-cut", "rows-cut"])
def test_killed_while_the_journal_forgets_lost_records_it_opens(
    failpoint: str, tmp_path: Path, undisturbed: tuple[str, dict[str, bytes]]
) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(8, snapshots=4)
    rehearsal.run(3)
    store.close()
    os.truncate(path := tmp_path / "run" / ARCHIVE, path.stat().st_size - 10)
    died = child(tmp_path / "run", failpoint)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert codec.store(resumed(tmp_path / "run").state()) == undisturbed


def test_a_turn_that_was_not_committed_is_dropped_however_long_after_the_last_one_it_came(tmp_path: Path) -> None:
    """As when a run is resumed days later, and the disk fills up before its first commit."""
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(6)
    copy = copied(tmp_path / "run", tmp_path / "copy")
    rehearsal.crawl.now += 100_000.0
    rehearsal.run(1)
    store.close()
    shutil.copy(tmp_path / "run" / ARCHIVE, copy / ARCHIVE)
    assert examine(copy) == []
    resumed(copy)


def test_a_run_of_an_earlier_version_goes_by_the_times_of_its_journal(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    Rehearsal(store, pages=20).run(12)
    store.close()
    with sqlite3.connect(tmp_path / "run" / "run.db") as connection:
        connection.execute("DELETE FROM meta WHERE name IN ('synced', 'owner')")
    path = tmp_path / "run" / ARCHIVE
    whole = path.read_bytes()
    os.truncate(path, len(whole) // 2)
    with pytest.raises(Damaged, match="would be lost"):
        open_run(tmp_path / "run")
    path.write_bytes(whole[:-10])
    resumed(tmp_path / "run")


def test_a_wal_whose_end_is_garbage_opens(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {"settings": {}}, info={"software": "test"})
    Rehearsal(store, pages=20).run(6)
    copy = copied(tmp_path / "run", tmp_path / "copy")
    store.close()
    size = (copy / "run.db-wal").stat().st_size
    with (copy / "run.db-wal").open("r+b") as file:
        file.seek(size - 5000)
        file.write(random.Random(1).randbytes(4000))
    assert resumed(copy).crawl.spent == 20
    assert examine(copy) == []


def test_a_lost_record_takes_rows_and_snapshots_behind_it_along(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(10, snapshots=4)
    rehearsal.run(2)
    store.close()
    path = tmp_path / "run" / ARCHIVE
    os.truncate(path, path.stat().st_size - 10)
    store = open_run(tmp_path / "run")
    last = store.journal.last
    store.close()
    with sqlite3.connect(tmp_path / "run" / "run.db") as connection:
        for table in ("visits", "pages", "landings", "held", "events", "snapshots"):
            (newest,) = connection.execute(f"SELECT IFNULL(MAX(seq), 0) FROM {table}").fetchone()
            assert newest <= last, table
    resumed(tmp_path / "run")


def _mounted(path: Path, size: str) -> bool:
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], capture_output=True)
    return done.returncode == 0


def test_a_full_disk_stops_the_run_and_damages_nothing(tmp_path: Path) -> None:
    small = tmp_path / "small"
    if not _mounted(small, "2m"):
        pytest.skip("no right to mount a small disk")
    try:
        store = create(small / "run", {}, info={"software": "test"})
        rehearsal = Rehearsal(store, pages=20)
        rehearsal.run(3)
        ballast = small / "ballast"
        with pytest.raises(DiskFull, match="Make space"):
            _run_until_full(rehearsal, ballast)
        with pytest.raises(Problem, match="full"):
            store.write(GrantEntry(0, True))
        store.close()
        ballast.unlink()
        resumed(small / "run")
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


def _run_until_full(rehearsal: Rehearsal, ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    for _ in range(100):
        rehearsal.step()
        rehearsal.snapshot()


LIMITED = """
import resource, sys
from pathlib import Path
from wolfspider.core.errors import Problem
from wolfspider.testing.rehearsal import START, Hamlet, Rehearsal, address
from wolfspider.store.sqlite import create
from wolfspider.web.page.html import parse
store = create(Path(sys.argv[1]), {}, info={})
rehearsal = Rehearsal(store, pages=20)
rehearsal.run(3)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    for _ in range(100):
        rehearsal.step()
        rehearsal.snapshot()
except Problem as problem:
    print(problem)
"""


@pytest.mark.parametrize("limit", [2_000, 9_000, 150_000])
def test_a_file_that_may_not_grow_stops_the_run_and_damages_nothing(limit: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "-c", LIMITED, str(run), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "esume" in done.stdout, done.stderr
    resumed(run)


def test_a_vanished_folder_is_a_sentence(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    rehearsal.run(3)
    shutil.rmtree(tmp_path / "run")
    with pytest.raises(Problem, match="can no longer be written"):
        rehearsal.snapshot()
