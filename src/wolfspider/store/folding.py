"""The log of a run that goes on for months, folded: what nobody needs to resume the run, or to explain it, is dropped.

A run is resumed from its newest snapshots, and needs of its journal what came after them. Of pages that are looked at
again and again, people ask about the first look and the last. So of what is older than a while, and than the snapshots,
these stay: what a person said, how sessions ended, every copy of every page, and the first and the last look at each
address. What is counted over the whole run is counted before. All of it is one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from wolfspider.files.lock import Lock
from wolfspider.store.damage import writing
from wolfspider.store.database import connect
from wolfspider.store.folder import Places

FOLDED = "folded"  # in the table meta: the last entry of the journal that may be missing, and what was counted

_UPTO = (
    "SELECT MIN((SELECT IFNULL(MIN(seq), 0) - 1 FROM snapshots), (SELECT IFNULL(MAX(seq), 0) FROM log WHERE at < ?), ?)"
)
_STEPS = (
    # Landings that are neither the first nor the last at their address, nor younger.
    (
        "CREATE TEMP TABLE kept AS SELECT MIN(seq) AS seq, url FROM landings GROUP BY url"
        " UNION SELECT MAX(seq), url FROM landings GROUP BY url"
    ),
    (
        "CREATE TEMP TABLE gone AS SELECT seq, n, visit, cost FROM landings WHERE seq <= :upto"
        " AND seq NOT IN (SELECT seq FROM kept)"
    ),
    "DELETE FROM visits WHERE seq <= :upto AND id IN (SELECT visit FROM gone) AND id NOT IN (SELECT visit FROM pages)",
    "DELETE FROM landings WHERE (seq, n) IN (SELECT seq, n FROM gone)",
    (
        "DELETE FROM held WHERE seq <= :upto AND seq NOT IN (SELECT seq FROM kept)"
        " AND EXISTS (SELECT 1 FROM held k WHERE k.url = held.url AND k.seq > held.seq AND k.seq <= :upto)"
    ),
    (
        "DELETE FROM log WHERE seq > 1 AND seq <= :upto AND kind NOT IN ('begin', 'command')"
        " AND seq NOT IN (SELECT MAX(seq) FROM log WHERE end IS NOT NULL GROUP BY file)"
    ),
    "DELETE FROM events WHERE seq <= :upto AND kind NOT IN ('Obeyed', 'Ended', 'Refused')",
)


class Folded(NamedTuple):
    upto: int = 0  # entries of the journal up to this one may be missing
    downloads: int = 0  # of landings that were dropped


def folded(connection: sqlite3.Connection) -> Folded:
    """What was dropped of a run so far."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (FOLDED,)).fetchone()
    return Folded(*json.loads(row[0])) if row else Folded()


def fold(run: Path, before: float, upto: int) -> int:
    """Drop what came before a time, and up to an entry of the journal that its readers have read. How many rows went.
    Nobody else may own the run."""
    places = Places.of(run)
    lock = Lock(places.lock)
    try:
        with writing(places.database), closing(connect(places.database)) as connection:
            return _fold(connection, before, upto)
    finally:
        lock.release()


def _fold(connection: sqlite3.Connection, before: float, upto: int) -> int:
    connection.execute("BEGIN IMMEDIATE")
    known = folded(connection)
    (last,) = connection.execute(_UPTO, (before, upto)).fetchone()
    if last <= known.upto:
        connection.execute("ROLLBACK")
        return 0
    rows = 0
    for step in _STEPS:
        dropped = connection.execute(step, {"upto": last} if ":upto" in step else {}).rowcount
        rows += max(0, dropped) if step.startswith("DELETE") else 0
    (spent,) = connection.execute("SELECT IFNULL(SUM(cost), 0) FROM gone").fetchone()
    told = json.dumps(Folded(last, known.downloads + int(spent)))
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (FOLDED, told))
    connection.execute("DROP TABLE kept")
    connection.execute("DROP TABLE gone")
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return rows
