"""A category index: pages in a tree of categories, found by words and ranked by BM25, in one file.

building.py makes it; a file from elsewhere may be damaged or malicious.

    with Categories.open(Path("categories.sqlite")) as index:
        index.search("wolf spiders", category=index.find("biology"))      # [(address, title), ...], best first

It is a SQLite file. Words lie in an FTS5 table, which ranks by BM25 with k1 = 1.2 and b = 0.75; the rarity of a word is
counted over all pages of the index, also in a search of one category. Categories are numbered from the root down, each
before all below it, so that a category with all below it is a range of numbers.

The file is only read, its schema must be ours to the letter, nothing in it is run, and its tree is bounded. A sentence
says what is damaged.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple
from urllib.parse import quote

from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.text import folded, words
from wolfspider.files.program_name import shell_command

FORMAT = 1
APPLICATION = 0x776F6C66  # marks our files for SQLite's own tools
OFFERED = 14  # categories that are offered first, as many as Chen's spider had
OTHER = "other"  # the category of the smaller ones
MOST_CATEGORIES = 100_000
DEEPEST = 20
LONGEST_NAME = 400  # characters of a category's name: five words, as long as words may be
MOST_TERMS = 10  # of a category
LONGEST_TERMS = 1_000  # characters of them
LONGEST_PATHS = 20_000_000  # characters of all paths: each has the names of all categories above it
LARGEST_VALUE = 10_000_000  # bytes of anything in the file
MOST_RESULTS = 1_000
MOST_ASKED = 200  # words of a search

TABLES = {
    "about": "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "categories": (
        "CREATE TABLE categories (number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, last INTEGER NOT NULL,"
        " name TEXT NOT NULL, terms TEXT NOT NULL, pages INTEGER NOT NULL)"
    ),
    "pages": (
        "CREATE TABLE pages (number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT NOT NULL,"
        " category INTEGER NOT NULL)"
    ),
    "by_category": "CREATE INDEX by_category ON pages (category)",
    "texts": "CREATE VIRTUAL TABLE texts USING fts5(words, content='', tokenize='unicode61 remove_diacritics 0')",
}
SHADOWS = {  # the tables that FTS5 makes for the last
    "texts_data": "CREATE TABLE 'texts_data'(id INTEGER PRIMARY KEY, block BLOB)",
    "texts_idx": "CREATE TABLE 'texts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
    "texts_docsize": "CREATE TABLE 'texts_docsize'(id INTEGER PRIMARY KEY, sz BLOB)",
    "texts_config": "CREATE TABLE 'texts_config'(k PRIMARY KEY, v) WITHOUT ROWID",
}

_RANKED = (
    "SELECT p.url, p.title FROM texts JOIN pages p ON p.number = texts.rowid"
    " WHERE texts MATCH ? AND p.category BETWEEN ? AND ? ORDER BY bm25(texts), p.number LIMIT ?"
)
_UNRANKED = (
    "SELECT url, title FROM pages WHERE category BETWEEN ? AND ?"
    " AND number NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?) ORDER BY number LIMIT ?"
)
_IN_ORDER = "SELECT url, title FROM pages WHERE category BETWEEN ? AND ? ORDER BY number LIMIT ?"
_CATEGORIES = "SELECT number, parent, last, name, terms, pages FROM categories ORDER BY number LIMIT ?"


class OtherFormat(BadInput):
    """An index of an older or newer wolfspider."""


class SearchResult(NamedTuple):
    url: str
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    number: int
    last: int  # the last number of the categories below it; its own if there are none
    path: str  # names from the top down: "science/physics"; "" for all pages
    terms: tuple[str, ...]  # words that tell its pages from others, strongest first
    pages: int  # with those of the categories below it
    below: tuple[Category, ...] = ()

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def walk(self) -> Iterator[Category]:
        yield self
        for category in self.below:
            yield from category.walk()


class Categories:
    """An open index; `about` says what it was made from."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        with self._reading():
            _check_schema(connection, path)
            rows = connection.execute("SELECT name, value FROM about LIMIT 100")
            self.about: Mapping[str, str] = MappingProxyType({_text(name): _text(value) for name, value in rows})
            self._root = _tree(connection.execute(_CATEGORIES, (MOST_CATEGORIES + 1,)).fetchall())

    @classmethod
    def open(cls, path: Path) -> Categories:
        """BadInput says what is wrong with the file. Threads may take turns with the index."""
        if not path.is_file():
            raise BadInput(f"There is no file {path}. Make one by {_build()}")
        address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise BadInput(f"{path} cannot be read: {error}.") from error
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
            return cls(path, connection)
        except BaseException:
            connection.close()
            raise

    def __enter__(self) -> Categories:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def tree(self) -> Category:
        """All pages. Right below are the categories to be offered, largest first, and `other` with the smaller ones."""
        return self._root

    def find(self, name: str) -> Category:
        """A category by its path or its name; of several with that name, the highest in the tree."""
        wanted = folded(name).strip().strip("/")
        known = [category for category in self._root.walk() if category.path]
        named = [each for each in known if each.path == wanted] or [each for each in known if each.name == wanted]
        if not named:
            raise Problem(f"There is no category {name[:80]!r} in {self.path}.{_nearest(wanted, self._root, known)}")
        return min(named, key=lambda each: each.path.count("/"))

    def search(self, asked: str, most: int = MOST_RESULTS, category: Category | None = None) -> list[SearchResult]:
        """Pages with any of the words, best first; then the other pages of the category, as they were stored."""
        inside = category or self._root
        range_, most, wanted = (inside.number, inside.last), max(0, most), query(asked)
        with self._reading():
            if not wanted:
                return self._found(_IN_ORDER, (*range_, most))
            ranked = self._found(_RANKED, (wanted, *range_, most))
            return ranked + self._found(_UNRANKED, (*range_, wanted, most - len(ranked)))

    def examples(self, category: Category, most: int) -> list[SearchResult]:
        """The pages that fit the terms of the category best."""
        return self.search(" ".join(category.terms), most, category)

    def members(self) -> Iterator[tuple[str, int]]:
        """The address of every page, and the number of its category."""
        with self._reading():
            yield from self._connection.execute("SELECT url, category FROM pages ORDER BY number")

    def _found(self, sql: str, values: Sequence[object]) -> list[SearchResult]:
        return [SearchResult(_text(url), _text(title)) for url, title in self._connection.execute(sql, values)]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError, UnicodeError, _Unfit) as error:
            raise BadInput(f"{self.path} is damaged or no category index ({error}). {_anew()}") from error


def query(asked: str) -> str:
    """Any of these words, as a query of FTS5: each quoted, so that none of them is an operator."""
    return " OR ".join(f'"{word}"' for word in list(dict.fromkeys(words(asked)))[:MOST_ASKED])


def storable(text: str) -> str:
    """A text without halves of surrogate pairs, which cannot be stored, and without NULs, which end it for some."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


class _Unfit(ValueError):
    """Says what is wrong with a file."""


def _build() -> str:
    return f"`{shell_command('categories', 'build', 'WEB_OR_RUN')}`."


def _anew() -> str:
    return f"Make it anew by {_build()}"


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Our tables and nothing else: a view or a trigger could make a harmless query run for ever."""
    connection.execute("PRAGMA trusted_schema = OFF")
    marks = ("application_id", "user_version")
    application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in marks)
    if application != APPLICATION:
        raise _Unfit("it is a file of something else")
    if version != FORMAT:
        raise OtherFormat(
            f"{path} is a category index of format {version}, and this wolfspider reads {FORMAT}. {_anew()}"
        )
    there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL LIMIT 100").fetchall())
    if there != TABLES | SHADOWS:
        raise _Unfit("its tables are not those of an index")
    (sound,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if sound != "ok":
        raise _Unfit("its pages are inconsistent")


def _tree(rows: Sequence[tuple[Any, ...]]) -> Category:
    """Built from the last row to the first, so that the categories below another come before it."""
    if not 0 < len(rows) <= MOST_CATEGORIES:
        raise _Unfit("it has no categories, or too many")
    paths = _paths(rows)
    below: dict[int, list[Category]] = {}
    for number, parent, last, _, terms, pages in reversed(rows):
        inside = tuple(reversed(below.pop(number, [])))
        ends = [number, *(each.last for each in inside)]
        if last != ends[-1] or [each.number - 1 for each in inside] != ends[:-1] or not isinstance(pages, int):
            raise _Unfit("its categories are inconsistent")
        whole = Category(number, last, paths[number], _terms(terms), pages, inside)
        below.setdefault(parent, []).append(whole)
    return whole


def _paths(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    """The path of each category; its parent comes before it."""
    paths, depths, length = [""], [0], 0
    for place, (number, parent, _, name, *_) in enumerate(rows):
        if number != place or not isinstance(parent, int) or not (0 <= parent < place or place == parent + 1 == 0):
            raise _Unfit("its categories are not numbered as they should be")
        if not place:
            continue
        depths.append(depths[parent] + 1)
        if depths[place] > DEEPEST:
            raise _Unfit("its categories are too deep")
        paths.append(_name(name) if parent == 0 else f"{paths[parent]}/{_name(name)}")
        length += len(paths[place])
        if length > LONGEST_PATHS:
            raise _Unfit("its categories have names that are too long together")
    return paths


def _name(value: object) -> str:
    """The name of a category: not empty, and not like a path."""
    name = _text(value)
    if not 0 < len(name) <= LONGEST_NAME or "/" in name:
        raise _Unfit("a category in it has a name that none can have")
    return name


def _terms(value: object) -> tuple[str, ...]:
    text = _text(value)
    terms = tuple(text.split()) if len(text) <= LONGEST_TERMS else ()
    if len(text) > LONGEST_TERMS or len(terms) > MOST_TERMS:
        raise _Unfit("a category in it has too many terms")
    return terms


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Unfit("a value in it should be a text")
    return value


def _nearest(wanted: str, root: Category, known: Sequence[Category]) -> str:
    """The nearest name, or the names that are offered first."""
    nearest = closest(wanted, {each.path if "/" in wanted else each.name for each in known})
    offered = ", ".join(each.name for each in root.below)
    return nearest if nearest.startswith(" Did") else f" There are: {offered}." if offered else " It has none."
