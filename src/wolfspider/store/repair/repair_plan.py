"""The plan of a repair, RUN/repair.json: the moves that put new parts in the places of damaged ones, and what the
repair has to tell. The next repair finishes what it finds there."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_read, sync_folder, whole_file
from wolfspider.files.failpoints import reach
from wolfspider.files.program_name import shell_command
from wolfspider.store.damage import DATABASE, PAGES_LOST, UNREADABLE, Damaged, repair_command, trouble
from wolfspider.store.folder import (
    FORGETTING,
    PLAN,
    WORK,
    Places,
    refuse_links_and_pipes,
    remove_derived,
    remove_forgotten,
)
from wolfspider.store.repair.examination import Finding
from wolfspider.store.repair.journal_kept import Rebuilt

_LARGEST_PLAN = 1 << 24  # bytes
_LONGEST = 1_000  # characters of a sentence
WANTED_ANEW = Finding("run.db", DATABASE, "A new journal was asked for.")  # nothing need be damaged


@dataclass
class Repaired:
    """What became of a run."""

    folder: Path
    findings: list[Finding]
    aside: Path | None = None  # where the damaged parts are
    rebuilt: Rebuilt | None = None  # None: pages and journal were whole
    torn: int = 0  # bytes of the archive that are no records

    @property
    def lost(self) -> int:
        """Pages."""
        return 0 if self.rebuilt is None else self.rebuilt.lost

    @property
    def code(self) -> int:
        return PAGES_LOST if self.lost or self.torn else 0

    def after(self, earlier: Repaired | None) -> Repaired:
        """This repair, when an earlier one was finished first."""
        if earlier is None:
            return self
        rebuilt = self.rebuilt or earlier.rebuilt
        if self.rebuilt is not None and rebuilt is not None:
            rebuilt.lost += earlier.lost
            if rebuilt.labels_lost is not None and earlier.rebuilt is not None:
                before = earlier.rebuilt.labels_lost
                rebuilt.labels_lost = None if before is None else rebuilt.labels_lost + before
        findings, torn = [*earlier.findings, *self.findings], self.torn + earlier.torn
        return Repaired(self.folder, findings, self.aside or earlier.aside, rebuilt, torn)

    def told(self) -> list[str]:
        if not self.findings:
            return [f"{self.folder} is whole: there is nothing to repair."]
        parts = ", ".join(dict.fromkeys(one.part for one in self.findings if one != WANTED_ANEW))
        sentences = [f"{self.folder} is repaired." + f" What was damaged: {parts}." * bool(parts)]
        if self.rebuilt is not None:
            sentences += self._told(self.rebuilt)
        if self.aside is not None:
            sentences.append(f"What it replaced is in {self.aside}; remove it when you do not need it any more.")
        return sentences

    def _told(self, rebuilt: Rebuilt) -> Iterator[str]:
        found = f", {rebuilt.found:,} of them read from the archive" if rebuilt.found else ""
        lost = f"{_pages(rebuilt.lost)} {'is' if rebuilt.lost == 1 else 'are'} lost"
        asks = "asks" if rebuilt.hidden == 1 else "ask"
        more = f" and {rebuilt.hidden:,} more that {asks} not to be indexed" if rebuilt.hidden else ""
        yield f"It has {_pages(rebuilt.kept)}{found}{more}; {lost if rebuilt.lost else 'no page that it knew is lost'}."
        if self.torn:
            yield f"{self.torn:,} bytes of the archive were no whole records; whatever they held is lost."
        if rebuilt.anew:
            yield (
                "Its journal begins anew: when it is resumed, it starts from its starting points, takes the pages it "
                "has without a download, and learns from them again."
            )
        elif rebuilt.lost:
            again = f"its journal begins anew, by: {repair_command(self.folder)} --anew"
            yield f"When it is resumed, it does not ask for the lost pages again. It does if {again}"
        if rebuilt.rows:
            yield f"Tables of the database that could not be read as a whole: {', '.join(rebuilt.rows)}."
        again = f"again by: {shell_command('label', self.folder)}"
        if rebuilt.labels_lost is None:
            yield f"It knows of {_labels(rebuilt.labels)}; if there were more, they are lost. Give labels {again}"
        elif rebuilt.labels_lost:
            are = "is" if rebuilt.labels_lost == 1 else "are"
            yield f"{_labels(rebuilt.labels_lost)} {are} lost, and {rebuilt.labels:,} kept. Give labels {again}"


def _pages(number: int) -> str:
    return f"{number:,} page{'s' * (number != 1)}"


def _labels(number: int) -> str:
    return f"{number:,} label{'s' * (number != 1)}"


@dataclass
class RepairPlan:
    aside: str  # the folder for damaged parts
    moves: list[tuple[str, str]] = field(default_factory=list)
    forget: bool = False  # the rows of snapshots
    discard: bool = False  # delete the folder for damaged parts in the end: somebody asked for that

    def away(self, run: Path, name: str) -> None:
        if os.path.lexists(run / name):
            self.moves.append((name, f"{self.aside}/{name}"))

    def replace(self, run: Path, name: str) -> None:
        """What was not there is not moved away: when moves are made again, the new one is in its place."""
        self.away(run, name)
        self.moves.append((f"{WORK}/{name}", name))

    def write(self, repaired: Repaired) -> None:
        rebuilt = None if repaired.rebuilt is None else asdict(repaired.rebuilt)
        report = {"findings": repaired.findings, "rebuilt": rebuilt, "torn": repaired.torn}
        with whole_file(repaired.folder / PLAN) as file:
            file.write(json.dumps({**asdict(self), "report": report}).encode())


def finish(run: Path) -> Repaired | None:
    """Make the moves that were planned and not made yet; what the repair has to tell, if there was one to finish."""
    if not os.path.lexists(run / PLAN):
        return None
    plan, repaired = _read(run)
    for number, (source, target) in enumerate(plan.moves):
        with _no_plan(run):  # the moves before this one may have put a link where there was none
            _within(run, source), _within(run, target)
        if os.path.lexists(run / source) and not os.path.lexists(run / target):
            (run / target).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.rename(run / source, run / target)
        if number == len(plan.moves) // 2:
            reach("repair-moving")
    refuse_links_and_pipes(Places.of(run))
    if plan.forget:
        _forget_snapshots(run / "run.db")
    for changed in (run / "warc", run / plan.aside, run):
        if changed.is_dir():
            sync_folder(changed)
    reach("repair-moved")
    (run / PLAN).unlink()
    reach("repair-unplanned")
    shutil.rmtree(run / WORK, ignore_errors=True)
    remove_derived(run)
    if plan.discard and plan.aside.startswith(FORGETTING):
        remove_forgotten(run)
    elif (run / plan.aside).is_dir():  # otherwise what was damaged was missing
        repaired.aside = run / plan.aside
    return repaired


def _forget_snapshots(database: Path) -> None:
    """A database that is missing or damaged has none, and is found when the run is examined next."""
    try:
        if database.is_file():
            with closing(sqlite3.connect(database, isolation_level=None)) as connection:
                connection.execute("DELETE FROM snapshots")
    except sqlite3.DatabaseError as error:
        if not isinstance(problem := trouble(database, error, "cannot be opened"), Damaged):
            raise problem from error


def _read(run: Path) -> tuple[RepairPlan, Repaired]:
    with _no_plan(run), os.fdopen(open_to_read(run / PLAN), "rb") as file:
        said = json.loads(file.read(_LARGEST_PLAN))
        moves = [(_within(run, source), _within(run, target)) for source, target in said["moves"]]
        plan = RepairPlan(_within(run, said["aside"]), moves, bool(said["forget"]), bool(said.get("discard")))
        return plan, _report(run, said.get("report"))


def _report(run: Path, said: Any) -> Repaired:
    """A plan of an earlier version has none."""
    if said is None:
        return Repaired(run, [Finding("repair", 0, "A repair was not finished.")])
    findings = [Finding(str(part), int(code), str(text)[:_LONGEST]) for part, code, text in said["findings"]]
    rebuilt = None
    if (of := said["rebuilt"]) is not None:
        rows = {str(name): int(number) for name, number in of["rows"].items()}
        rebuilt = Rebuilt(
            int(of["kept"]), int(of["found"]), int(of["lost"]), rows, bool(of["anew"]), int(of.get("hidden", 0))
        )
        lost = of.get("labels_lost", 0)
        rebuilt.labels, rebuilt.labels_lost = int(of.get("labels", 0)), None if lost is None else int(lost)
    return Repaired(run, findings, None, rebuilt, int(said["torn"]))


@contextmanager
def _no_plan(run: Path) -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise BadInput(f"{run / PLAN} is no plan of a repair ({error}): remove it.") from error


def _within(run: Path, name: Any) -> str:
    """A name of something in the run, not through a link: a run may come from a stranger."""
    parts = PurePath(str(name)).parts
    if not parts or ".." in parts or PurePath(str(name)).is_absolute():
        raise ValueError(f"{name!r:.100} leads elsewhere")
    if any(run.joinpath(*parts[:depth]).is_symlink() for depth in range(1, len(parts))):
        raise ValueError(f"{name!r:.100} leads through a link")
    return str(name)
