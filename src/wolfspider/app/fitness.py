"""Is this machine fit for a crawl? Each look at it gives a sentence, and what to do where something is amiss."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.core.plain_text import plainly
from wolfspider.files.compiled_parts import compiled_parts
from wolfspider.files.disk import megabytes_free
from wolfspider.files.lock import Lock
from wolfspider.web.http.connections import handles, most_connections
from wolfspider.web.http.lookups import Lookups
from wolfspider.web.memory_budget import EACH, least

FINE, POOR, BAD = "fine", "poor", "bad"  # all is well; a crawl works, but less well; a crawl would fail
SUPPORTED = ((3, 11), (3, 13))  # the oldest and the newest Python that it was tested with
RELEASED = 1_790_000_000  # seconds since 1970: no clock that is right is behind this
SKEW = 60.0  # seconds that the clock of a disk may differ
EXTRAS = {  # a module of each, by which it is known to be there
    "pdf": "pypdf",
    "text": "resiliparse",
    "dates": "dateparser",
    "parquet": "pyarrow",
    "search": "tantivy",
    "mcp": "mcp",
    "dashboard": "starlette",
    "cluster": "ray",
}
NAMES = "name server"
SLOW = 2.0  # seconds for a name
MARKS = {FINE: "+", POOR: "~", BAD: "!"}


@dataclass(frozen=True, slots=True)
class Look:
    """What was looked at, how it is, and what to do about it."""

    what: str
    state: str
    says: str
    advice: str = ""


def examine(folder: Path, name: str) -> list[Look]:
    """`folder`: where runs are to lie. `name`: a host that the name server should know."""
    return [
        python(),
        compiled(),
        extras(),
        disk(folder),
        writing(folder),
        file_handles(),
        memory(),
        clock(),
        lookup(name),
    ]


def report(looks: list[Look]) -> dict[str, Any]:
    return {"version": __version__, "fit": not failed(looks), "looks": [asdict(look) for look in looks]}


def failed(looks: list[Look]) -> bool:
    return any(look.state == BAD for look in looks)


def verdict(looks: list[Look]) -> str:
    """In a sentence. Without a name server some crawls work."""
    bad = {look.what for look in looks if look.state == BAD}
    if bad == {NAMES}:
        return "A crawl of hosts by their names would fail here. One of IP addresses works, and so does one with --via."
    return "A crawl would fail here." if bad else "This machine is fit for a crawl."


def python() -> Look:
    oldest, newest = ((".".join(map(str, version))) for version in SUPPORTED)
    says = f"wolfspider {__version__} on Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}"
    if SUPPORTED[0] <= sys.version_info[:2] <= SUPPORTED[1]:
        return Look("versions", FINE, says)
    return Look("versions", POOR, says, f"It was tested on Python {oldest} to {newest}: prefer one of these.")


def compiled() -> Look:
    parts = compiled_parts()
    if parts.missing:
        says = f"not there, so that a page takes more time: {', '.join(parts.missing)}"
        return Look("compiled parts", POOR, says, "Install a wheel, or a C compiler and then wolfspider again.")
    if parts.broken:
        says = f"there, but they cannot be loaded, so that a page takes more time: {', '.join(parts.broken)}"
        return Look("compiled parts", POOR, says, "Install wolfspider again, for this Python.")
    if parts.old:
        says = f"compiled before their sources were changed: {', '.join(parts.old)}"
        return Look("compiled parts", POOR, says, "Install wolfspider again, or compile it anew.")
    return Look("compiled parts", FINE, f"all are there: {', '.join(parts.current)}")


def extras() -> Look:
    missing = [name for name, module in EXTRAS.items() if find_spec(module) is None]
    if not missing:
        return Look("extras", FINE, f"all are there: {', '.join(EXTRAS)}")
    advice = f"If you want them: pip install 'wolfspider[{','.join(missing)}]'."
    return Look(
        "extras", FINE, f"not installed, and needed only for what they are called after: {', '.join(missing)}", advice
    )


def disk(folder: Path) -> Look:
    free, floor = megabytes_free(folder), Settings().disk_floor
    says = f"{free:,.0f} MB free where {folder} would lie"
    if free < floor:
        return Look(
            "disk", BAD, says, f"A crawl wants {floor:,} MB (--disk-floor): make space, or choose another --out."
        )
    if free < 4 * floor:
        return Look("disk", POOR, says, "A page takes about 10 to 50 KB: that is little space for a long crawl.")
    return Look("disk", FINE, says)


def writing(folder: Path) -> Look:
    """A run needs a database with a write-ahead log and a lock, which some network drives do not have."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
    what = "writing"
    try:
        with tempfile.TemporaryDirectory(prefix=".wolfspider-doctor-", dir=there) as made:
            here = Path(made)
            Lock(here / "lock").drop()
            with sqlite3.connect(here / "run.db") as database:
                (mode,) = database.execute("PRAGMA journal_mode = WAL").fetchone()
                database.execute("CREATE TABLE page (url TEXT)")
            database.close()
            behind = time.time() - (here / "run.db").stat().st_mtime
    except (OSError, sqlite3.Error, Problem) as error:
        advice = "Runs must lie in a folder of a local disk that you may write to: name one by --out."
        return Look(what, BAD, f"{there}: {getattr(error, 'strerror', None) or error}", advice)
    if mode != "wal":
        return Look(what, BAD, f"{there}: SQLite cannot keep a write-ahead log there", "Choose a local disk by --out.")
    if abs(behind) > SKEW:
        advice = "Prefer a local disk: ages of files would be wrong."
        return Look(what, POOR, f"{there}: its clock differs by {behind:,.0f} s from that of this machine", advice)
    return Look(what, FINE, f"database, lock and write-ahead log work in {there}")


def file_handles() -> Look:
    slots, most = Settings().slots, most_connections()
    says = f"{handles():,} file handles, enough for {most:,} connections"
    if most >= 4 * slots:
        return Look("file handles", FINE, says)
    return Look("file handles", POOR, says, "Raise the limit, such as by: ulimit -n 4096")


def memory() -> Look:
    wanted, there = EACH, _memory_available()
    takes = f"{wanted} MB (--memory), and as much for each of its --hands"
    if there is None:
        return Look("memory", FINE, f"this system does not tell how much is free; a crawl takes up to {takes}")
    says = f"{there:,} MB available, of which a crawl takes up to {takes}"
    if there >= 2 * wanted:
        return Look("memory", FINE, says)
    return Look("memory", POOR, says, f"Close other programs, or lower --memory ({least(0)} at least).")


def _memory_available() -> int | None:
    """Megabytes."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def clock() -> Look:
    now = time.time()
    says = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count() or 1} cores"
    if now >= RELEASED:
        return Look("clock", FINE, says)
    return Look("clock", BAD, says, "The clock is behind: set it. Certificates would be refused, and dates be wrong.")


def lookup(name: str) -> Look:
    began = time.monotonic()
    try:
        found = asyncio.run(_addresses(name))
    except (OSError, UnicodeError, TimeoutError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        advice = "See /etc/resolv.conf, or your network's settings."
        return Look(NAMES, BAD, f"{name} has no address: {reason}", advice)
    says = f"{name} has {len(found)} addresses" if len(found) > 1 else f"{name} has an address"
    if time.monotonic() - began > SLOW:
        return Look(NAMES, POOR, f"{says}, after more than {SLOW:g} s", "A crawl of many hosts would be slow.")
    return Look(NAMES, FINE, says)


async def _addresses(name: str) -> set[str]:
    return set(await Lookups()(name))


def told(looks: list[Look]) -> Iterator[str]:
    """A line for each look, and one for what to do."""
    width = max(len(look.what) for look in looks)
    for look in looks:
        yield f"{MARKS[look.state]} {look.what:{width}}  {plainly(look.says, 300)}"
        if look.advice:
            yield f"  {'':{width}}  {look.advice}"
