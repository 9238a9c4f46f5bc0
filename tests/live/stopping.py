"""What the tests of stopped crawls share: a death at any step, the same crawl again until it is done, and all that can
be compared in the end."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from wolfspider.app.hunt import Hunt
from wolfspider.app.run_folder import settings_of
from wolfspider.core import codec
from wolfspider.core.model import Failure, Page
from wolfspider.engine.entries import BeginEntry, Entry, LandEntry, PostponeEntry, ProposeEntry
from wolfspider.export.exporting import export
from wolfspider.files import failpoints
from wolfspider.store.row_codec import unpacked_entry
from wolfspider.store.sqlite import open_run

TIMES = ("fetched", "warc_file", "warc_offset", "warc_length")  # fields of an export that differ from run to run


class Died(BaseException):
    """Nothing that the crawl could take for trouble of its own."""


class Death:
    """Stands where a fail-point is armed. Dies at a step, whatever it is; or at the end of the turn in which a visit
    came back. Dead is dead: no step after that is done."""

    def __init__(self, steps: int = 0) -> None:
        self.steps, self.landed, self.dead = steps, False, False

    def reach(self, name: str, last_deed: Callable[[], object] | None) -> None:
        self.landed = self.landed or name == "run-landed"
        self.steps -= 1
        due = self.steps == 0 or (self.steps < 0 and self.landed and name == "run-sent")
        if due and last_deed is not None:
            last_deed()
        self.dead = self.dead or due
        if self.dead:
            raise Died(name)

    def __enter__(self) -> Death:
        failpoints._armed = self  # type: ignore[assignment]
        return self

    def __exit__(self, *_: object) -> None:
        failpoints._armed = None


def log_of(folder: Path) -> list[Any]:
    """What happened, without times, and without what comes when somebody waits: turns in which nothing was proposed,
    and visits that were postponed."""
    with closing(sqlite3.connect(f"file:{folder}/run.db?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT seq, kind, data FROM log ORDER BY seq").fetchall()
        pages = dict(database.execute("SELECT seq, final_url || ' ' || digest FROM pages").fetchall())
    return [said for seq, kind, data in rows if (said := _entry(unpacked_entry(kind, data), pages)) is not None]


def _entry(entry: Entry, pages: dict[int, str]) -> Any:
    match entry:
        case ProposeEntry():
            return ("propose", entry.visits) if entry.visits else None
        case LandEntry():
            told: Any = entry.result
            return ("land", entry.visit, pages[told] if isinstance(told, int) else told)
        case PostponeEntry():
            return None
        case BeginEntry():
            return ("begin", entry.seeds)
    return entry


class recalled:  # noqa: N801  (used like a function)
    """The store of a run and its crawl, played again from the log and its last snapshot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> tuple[Any, Any]:
        hunt = Hunt(settings_of(self.folder), self.folder)
        self.store = open_run(self.folder)
        found = hunt.recalled(self.store)
        assert found is not None
        return self.store, found[0]

    def __exit__(self, *_: object) -> None:
        self.store.close()


def learned(crawl: Any) -> dict[str, Any]:
    """What strategy and judge know, and what was spent."""
    return {
        "strategy": codec.store(crawl.strategy.state()),
        "judge": codec.store(crawl.judge.state()),
        "spent": crawl.spent,
    }


def exported(folder: Path) -> list[dict[str, Any]]:
    out = io.BytesIO()
    export(folder, "jsonl", None, stdout=out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def final_state(folder: Path) -> dict[str, Any]:
    """All that must be the same whether a run was stopped or not: what was learned and spent, the log, the pages as
    they are read from the archive with words and links, the pages exported."""
    with closing(sqlite3.connect(f"file:{folder}/run.db?mode=ro", uri=True)) as database:
        held = [url for (url,) in database.execute("SELECT DISTINCT url FROM held ORDER BY url")]
        failures = database.execute("SELECT url, failure, detail FROM landings WHERE page IS NULL").fetchall()
    with recalled(folder) as (store, crawl):
        state = {**learned(crawl), "pages": {url: _timeless(store.recall(url).result) for url in held}}
    return {**state, "failures": failures, "log": log_of(folder), "exported": exported(folder)}


def _timeless(result: Page | Failure) -> Any:
    if isinstance(result, Failure):
        return tuple(result)
    return {name: getattr(result, name) for name in _FIELDS}


_FIELDS = [name for name in Page.__slots__ if name not in ("at", "counts_")]


def differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """What is not the same, short enough to be read."""
    for name, value in one.items():
        if value != other[name]:
            yield f"{name}: {_where(value, other[name])}"


def _where(one: Any, other: Any) -> str:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return "; ".join(f"{key}: {_where(one[key], other[key])}" for key in one if one[key] != other[key])
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return "; ".join(
            f"[{place}] {_where(*pair)}"
            for place, pair in enumerate(zip(one, other, strict=True))
            if pair[0] != pair[1]
        )
    return f"{one!r:.600} is {other!r:.600} now"


def from_the_log_alone(folder: Path) -> dict[str, Any]:
    """What was learned and spent when the whole log is played again. The run has no snapshots after that."""
    with closing(sqlite3.connect(folder / "run.db")) as database, database:
        database.execute("DELETE FROM snapshots")
    for path in (folder / "snapshots").iterdir():
        path.unlink()
    with recalled(folder) as (_, crawl):
        return learned(crawl)
