"""What the keeper of an island remembers: links that other islands found and that lie in its territory, the best first;
and how far it has read its own pages for links of theirs.

A link is kept once, however often it comes, so a message that is sent again after a crash does no harm. Of a site only
some links are kept: they are ways in, and the island finds the rest itself.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from wolfspider.core.errors import BadInput
from wolfspider.files.disk import open_to_write
from wolfspider.store.damage import Damaged, trouble

OF_SITE = 10  # links of one site that are kept
AT_FIRST, IN_TEN = 20, 10  # links that an island is told of at once, and then one for each so many downloads
LONGEST = 2000  # characters of an address
MOST = 100_000  # links that wait
_MAKE = (
    "CREATE TABLE IF NOT EXISTS links (url TEXT PRIMARY KEY, site TEXT, score REAL, told INTEGER) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS by_site ON links (site)",
    "CREATE INDEX IF NOT EXISTS by_score ON links (told, score DESC, url)",
    "CREATE TABLE IF NOT EXISTS sent (site TEXT PRIMARY KEY, links INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
)
DROP_WORST = "DELETE FROM links WHERE url = (SELECT url FROM links WHERE told = 0 ORDER BY score, url DESC LIMIT 1)"
_COUNTED = "INSERT INTO sent VALUES (?, 1) ON CONFLICT (site) DO UPDATE SET links = links + 1"

Handed = tuple[str, float]  # address, and the score of the page that has the link


def examine(path: Path) -> None:
    """Is such a file sound, also while a fleet is at work? BadInput says what is wrong."""
    if not path.is_file() or path.is_symlink():
        raise BadInput(f"{path} is no file.")
    with _in_words(path), closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        if (told := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise ValueError(told)
        for table in ("links", "sent"):
            connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()  # noqa: S608
        for (value,) in connection.execute("SELECT value FROM notes"):
            int(value)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """What SQLite says within, as a sentence."""
    try:
        yield
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:  # the last two: a note that is no number
        problem = trouble(path, error, "cannot be written")
        if isinstance(problem, Damaged):
            advice = "Remove it: the fleet makes another, and links between islands are handed over again."
            raise BadInput(f"{path} is damaged: {error}. {advice}") from error
        raise problem from error


class HandedLinks:
    def __init__(self, path: Path) -> None:
        self._path = path
        os.close(open_to_write(path))
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            with self.errors_in_words():
                self._connection.execute("PRAGMA journal_mode = WAL")
                for statement in _MAKE:
                    self._connection.execute(statement)
                # Counted once, and kept up with from here: a turn of the fleet asks for them, however many there are.
                self._waiting, self._told = self._count(0), self._count(1)
        except BaseException:
            self.close()
            raise

    def errors_in_words(self) -> AbstractContextManager[None]:
        return _in_words(self._path)

    def close(self) -> None:
        self._connection.close()

    def _count(self, told: int) -> int:
        return int(self._connection.execute("SELECT COUNT(*) FROM links WHERE told = ?", (told,)).fetchone()[0])

    # Links for this island

    def take(self, links: Iterable[tuple[str, str, float]]) -> None:
        """Keep links (address, site, score), the best that there is room for."""
        execute = self._connection.execute
        execute("BEGIN")
        waiting = self._waiting
        for url, site, score in links:
            (of_site,) = execute("SELECT COUNT(*) FROM links WHERE site = ?", (site,)).fetchone()
            if of_site < OF_SITE and len(url) <= LONGEST:
                waiting += execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?, 0)", (url, site, score)).rowcount
            if waiting > MOST:
                waiting -= execute(DROP_WORST).rowcount
        execute("COMMIT")
        self._waiting = waiting

    def due(self, spent: int, idle: bool) -> list[str]:
        """Links that the island should be told of now: at first some, then one for so many downloads, the best first;
        again some if it has nothing left to do."""
        count = AT_FIRST if idle else min(AT_FIRST, AT_FIRST + spent // IN_TEN - self.told())
        return self.best(count) if count > 0 else []

    def best(self, count: int) -> list[str]:
        """Of those that the island was not told of yet."""
        rows = self._connection.execute(
            "SELECT url FROM links WHERE told = 0 ORDER BY score DESC, url LIMIT ?", (count,)
        )
        return [url for (url,) in rows]

    def tell(self, urls: Iterable[str]) -> None:
        self._connection.execute("BEGIN")
        told = self._connection.executemany(
            "UPDATE links SET told = 1 WHERE url = ? AND told = 0", ((url,) for url in urls)
        ).rowcount
        self._connection.execute("COMMIT")
        self._told += told
        self._waiting -= told

    def waiting(self) -> int:
        return self._waiting

    def told(self) -> int:
        return self._told

    # Links for others

    def may_send(self, site: str) -> bool:
        row = self._connection.execute("SELECT links FROM sent WHERE site = ?", (site,)).fetchone()
        return row is None or row[0] < OF_SITE

    def arrived(self, sites: Iterable[str], through: int) -> None:
        """Links to these sites are with their owners, and pages up to this one need not be read again."""
        self._connection.execute("BEGIN")
        self._connection.executemany(_COUNTED, ((site,) for site in sites))
        self.note("read", through)
        self._connection.execute("COMMIT")

    # Numbers

    def note(self, name: str, value: int) -> None:
        self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))

    def noted(self, name: str) -> int:
        row = self._connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0
