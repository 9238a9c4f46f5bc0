"""The folder of a run: where its parts lie, and run.json, which says what the run is."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider import __version__
from wolfspider.core.errors import BadInput, Problem
from wolfspider.files.disk import no_link, no_plain_file, open_to_read, whole_file
from wolfspider.files.failpoints import reach
from wolfspider.store import schema
from wolfspider.store.damage import damaged, repair_command

_LARGEST = 1 << 24  # bytes of a description
INBOX = ("inbox.db", "inbox.db-wal", "inbox.db-shm", "inbox.db-journal")
_BESIDE = ("run.db-shm", "run.db-journal", *INBOX[1:])  # SQLite's own; a journal only until the database has its log

PLAN = "repair.json"  # there while a repair moves parts (repair/repair_plan.py)
WORK = ".repair"  # the folder where a repair makes new ones
FORGOTTEN = "forgotten.json"  # what the run forgot, beside run.db (repair/forgotten_list.py)
SEARCH_INDEX = "search.db"  # the texts of pages, made by the first search (export/run_search.py)
INDEX_FILES = tuple(f"{SEARCH_INDEX}{ending}" for ending in ("", "-journal", "-wal", "-shm"))
REPORT = "report.html"
_SIGNS = (("run.json", "run.db", "warc"), ("fleet.json", "islands", "keepers"))  # of the folder of a run, of a fleet
TEACHER_LEDGER = "teacher.db"  # what a teacher was asked (teacher_ledger.py)
REQUISITES = "requisites.db"  # images, styles and scripts of relevant pages (requisites.py)
DERIVED = (*INDEX_FILES, REPORT, f".{REPORT}.part")  # copies of what pages say, which can be made anew
FORGETTING = ".forgotten-"  # how a folder begins that holds what a run forgets, until it is deleted
_UNFINISHED = (".run.json.part", "run.json.part")  # as it was called in earlier versions


class Places(NamedTuple):
    """Where the parts of a run lie."""

    folder: Path
    description: Path
    database: Path
    wal: Path
    lock: Path
    archive: Path
    shelf: Path
    snapshots: Path
    inbox: Path  # made by the first command of another process

    @classmethod
    def of(cls, folder: Path) -> Places:
        names = ("run.json", "run.db", "run.db-wal", "lock", "warc", "shelf", "snapshots", "inbox.db")
        return cls(folder, *(folder / name for name in names))


def make(places: Places) -> None:
    """Make a folder that only its owner may read, with nothing else in it."""
    try:
        places.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_run(places.folder):
            raise Problem(f"{places.folder} is a run already: resume it, or choose another folder.")
        # Leftovers of a run that was killed while it was made are no obstacle.
        ours = {path.name for path in places[2:]} | {*_BESIDE, *_UNFINISHED}
        if other := sorted(set(os.listdir(places.folder)) - ours):
            raise Problem(
                f"{places.folder} holds {other[0]!r} and is no run: choose an empty folder, or one to be made."
            )
        places.folder.chmod(0o700)
    except OSError as error:
        raise Problem(f"{places.folder} cannot be made: {error.strerror}.") from error
    refuse_links_and_pipes(places)


def clear(places: Places) -> None:
    """Remove leftovers of a run that was killed while it was made, under the lock: nothing of them was promised."""
    if is_run(places.folder):
        raise Problem(f"{places.folder} is a run already: resume it, or choose another folder.")
    refuse_fleet(places.folder)
    if _has_begun(places):
        raise damaged(places.folder, "run.json is missing")
    for leftover in (places.database, places.wal, places.inbox, *(places.folder / name for name in _BESIDE)):
        leftover.unlink(missing_ok=True)
    places.snapshots.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(places.database, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))


def _has_begun(places: Places) -> bool:
    """Is there more than a run that was killed while it was made leaves behind?"""
    archive = (path.lstat().st_size for path in places.archive.glob("*.warc.gz"))
    return any(archive) or any(places.snapshots.glob("[0-9]*.snapshot"))  # what is inherited has no number


def remove_derived(folder: Path) -> None:
    """The next search, or the next report, makes them anew."""
    for name in DERIVED:
        with contextlib.suppress(IsADirectoryError):  # none of ours
            (folder / name).unlink(missing_ok=True)


def remove_forgotten(folder: Path) -> None:
    """Delete what a forgetting that was killed had taken out already. Only when no plan is left to be finished."""
    for path in folder.glob(f"{FORGETTING}*"):
        if not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)


def refuse_inside(folder: Path, out: Path) -> None:
    """What is told of a run does not go among its files, nor among those of another. The report has a place there, and
    goes with the page."""
    if _place_of(out) != folder.resolve() / REPORT:
        refuse_among_files(out, "--out", folder)


def refuse_among_files(out: Path, option: str, folder: Path | None = None) -> None:
    """What a person wants written does not go among the files of a run or a fleet, this one (`folder`, which may be
    made yet) or another: it could replace one of them, and a copy of a page would outlive its forgetting."""
    inside, place = folder and folder.resolve(), _place_of(out)
    for above in (place, *place.parents):
        if above == inside or _looks_like_a_run(above):
            shown = folder if above == inside else above
            raise Problem(f"{out} would lie in {shown}, among the files of a run: name a place elsewhere by {option}.")


def _place_of(out: Path) -> Path:
    return out.parent.resolve() / out.name


def _looks_like_a_run(folder: Path) -> bool:
    """Or like a fleet: two of its parts are there. It may be a damaged one."""
    return any(sum(os.path.lexists(folder / name) for name in names) >= 2 for names in _SIGNS)


def is_run(folder: Path) -> bool:
    return os.path.lexists(folder / "run.json")


def refuse_links_and_pipes(places: Places, *others: Path) -> None:
    """Through a link, files elsewhere would be written; and opening a pipe would wait for ever."""
    for path in (*places[1:], *(places.folder / name for name in (*_BESIDE, WORK, PLAN, FORGOTTEN)), *others):
        if path.is_symlink():
            raise no_link(path)
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise no_plain_file(path)


def refuse_wrong_kinds(places: Places) -> None:
    """Damaged, if a folder stands where a file belongs, or a file where a folder does: nothing is changed before."""
    for path in (places.database, places.wal, places.shelf):
        if path.is_dir():
            raise damaged(places.folder, f"{path.name} in it is a folder and no file")
    for path in (places.archive, places.snapshots):
        if path.is_file():
            raise damaged(places.folder, f"{path.name} in it is a file and no folder")


def describe(places: Places, about: Mapping[str, Any]) -> None:
    """The last step of making a run: from here on it is one."""
    said = {
        "format": schema.FORMAT,
        "wolfspider": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "about": about,
    }
    with whole_file(places.description, failpoint="create-before-rename") as file:
        file.write(json.dumps(said, indent=2, ensure_ascii=False).encode() + b"\n")
    reach("create-done")


def no_folder(path: Path) -> str:
    return "it is a file, and a run is a folder" if path.is_file() else "there is no such folder"


def refuse_fleet(folder: Path) -> None:
    """What is for one run takes no fleet, and says so."""
    if os.path.lexists(folder / "fleet.json"):
        raise BadInput(
            f"{folder} is a fleet, and this is for one run: name an island of it, such as {folder}/islands/1."
        )


def about_run(folder: Path) -> dict[str, Any]:
    """The settings of a run, if its format is known here."""
    path = folder / "run.json"
    if os.path.lexists(folder / PLAN):
        raise BadInput(f"A repair of {folder} was not finished. Finish it by: {repair_command(folder)}")
    if not folder.is_dir() or not is_run(folder):
        if os.path.lexists(folder / "run.db"):
            raise damaged(folder, "run.json is missing")
        refuse_fleet(folder)
        missing = "there is no run.json in it" if folder.is_dir() else no_folder(folder)
        raise BadInput(f"{folder} is not a run: {missing}.")
    try:
        with os.fdopen(open_to_read(path), "rb") as file:
            said = json.loads(file.read(_LARGEST))
        version, about = int(said["format"]), said["about"]
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise damaged(path, "it is no description of a run") from error
    schema.refuse_newer(path, version)
    if not isinstance(about, dict):
        raise damaged(path, "it does not say what the run is about")
    return about
