"""Building a category index from the pages of a web or of a run.

Pages are read one by one, their words go to the index, and counts of the words become the tree of categories
(learn/som.py).

    build(web_origin(world, 20_000, seed=0), Path("categories.sqlite"), seed=0, progress=print)

The file appears under its name when it is whole, and not at all if anything fails. Pages that ask not to be indexed are
left out. The tree has the largest regions of the first map right below its root, and the smaller ones below `other`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xxhash

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page, hidden
from wolfspider.core.randomness import generator
from wolfspider.core.text import clipped
from wolfspider.files.disk import replacing
from wolfspider.learn.corpus import gathered
from wolfspider.learn.som import Region, grow
from wolfspider.learn.stopwords import STOP_WORDS
from wolfspider.store.categories.index import (
    APPLICATION,
    FORMAT,
    OFFERED,
    OTHER,
    TABLES,
    Categories,
    OtherFormat,
    storable,
)
from wolfspider.store.view import RunView, pages_of
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import LARGEST, World

MOST_PAGES = 200_000
MOST_WORDS = 5_000  # of a page; they say what it is about

Progress = Callable[[str, int, int], object]  # what is done, how much of it, of how much


class Origin(NamedTuple):
    """Where pages come from."""

    name: str
    digest: str  # of the web, or of the pages of the run
    pages: Callable[[Callable[[int, int], object]], Iterator[Page | None]]  # None where one could not be read


@dataclass
class Built:
    """The result of a build."""

    pages: int = 0
    withheld: int = 0  # pages that ask not to be indexed
    unread: int = 0  # addresses without a page, and pages without words
    categories: int = 0
    seen: int = 0  # addresses that were looked at
    offered: int = 0  # addresses that there were
    _taken: set[str] = field(default_factory=set, repr=False)

    def told(self) -> str:
        parts = [f"{self.pages:,} page{'s' * (self.pages != 1)} in {self.categories:,} categories."]
        if self.withheld:
            parts.append(f"{self.withheld:,} more left out, asking not to be indexed (noindex).")
        if self.unread:
            parts.append(f"{self.unread:,} could not be read.")
        if self.seen < self.offered:
            parts.append(
                f"Only the first {self.seen:,} of {self.offered:,} were looked at: there is no room for the words of "
                "more. Fewer --pages are drawn from all of them."
            )
        return " ".join(parts)

    def takes(self, page: Page | None) -> bool:
        """Does a page belong in the index? Each does once; count it."""
        if page is None or not page.words:
            self.unread += 1
            return False
        if hidden(page.robots):
            self.withheld += 1
            return False
        if page.final_url in self._taken:
            return False
        self._taken.add(page.final_url)
        self.pages += 1
        return True


def web_origin(world: World, most: int, seed: int) -> Origin:
    """A web as it is in the end; of more than `most` pages a random sample of that size."""
    if not world.has_skeleton:
        raise Problem(f"{world.name} is too large to be looked through: take one of at most {LARGEST:,} pages.")
    at = world.whole

    def pages(progress: Callable[[int, int], object]) -> Iterator[Page | None]:
        urls = world.graph(at).urls
        numbers = drawn(len(urls), most, seed)
        for done, number in enumerate(numbers, 1):
            fetch = world.look(urls[number], at)
            page = fetch.page or parse(fetch)
            progress(done, len(numbers))
            yield page if isinstance(page, Page) else None

    return Origin(world.name, world.digest(), pages)


def run_origin(folder: Path, most: int, seed: int) -> Origin:
    """The pages of a run at this moment, while it may go on; of more than `most` a random sample of that size."""
    view = RunView(folder)
    count, whole = 0, xxhash.xxh3_128()
    for row in view.pages():
        count += 1
        whole.update(f"{row.final_url}\t{row.digest}\n".encode("utf-8", "surrogatepass"))

    def pages(progress: Callable[[int, int], object]) -> Iterator[Page | None]:
        numbers = drawn(count, most, seed)
        chosen = frozenset(numbers)
        try:
            with view.moment() as connection:
                rows = (row for at, row in enumerate(islice(pages_of(connection), count)) if at in chosen)
                for done, row in enumerate(rows, 1):
                    progress(done, len(numbers))
                    yield view.parsed(row)
        except sqlite3.Error as error:
            raise BadInput(f"{folder} cannot be read: {error}.") from error

    return Origin(folder.resolve().name, whole.hexdigest(), pages)


def drawn(count: int, most: int, seed: int) -> Sequence[int]:
    """The numbers of the sampled pages, in order."""
    return range(count) if count <= most else sorted(generator(seed, "categories").sample(range(count), most))


def quietly(what: str, done: int, count: int) -> None:
    pass


def build(origin: Origin, out: Path, seed: int, progress: Progress = quietly) -> Built:
    """Make an index, in place of an older one if there is one."""
    _refuse_others(out)
    built = Built()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(out) as path:
            _fill(path, origin, seed, progress, built)
    except (OSError, sqlite3.OperationalError) as error:
        raise Problem(f"{out} cannot be written: {getattr(error, 'strerror', None) or error}.") from error
    return built


def _refuse_others(out: Path) -> None:
    if out.is_file():
        try:
            Categories.open(out).close()
        except OtherFormat as error:
            raise Problem(
                f"{out} is there already, a category index of another format: delete it, or choose another name."
            ) from error
        except BadInput as error:
            raise Problem(
                f"{out} is there already and is no category index, or a damaged one: choose another name."
            ) from error


def _fill(path: Path, origin: Origin, seed: int, progress: Progress, built: Built) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")  # if anything fails, this file is thrown away
        connection.execute("BEGIN")
        for sql in TABLES.values():
            connection.execute(sql)
        corpus = gathered(_stored(connection, origin, progress, built))
        if not built.pages:
            raise BadInput(f"{origin.name} has no pages with words: there is nothing to make categories of.")
        random = np.random.default_rng(seed)
        root = offered(grow(corpus, STOP_WORDS, random, lambda done, count: progress("learning", done, count)))
        built.categories = _place(connection, root)
        about = {"origin": origin.name, "digest": origin.digest, "pages": built.pages, "seed": seed}
        rows = [(name, storable(str(value))) for name, value in about.items()]
        connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
        connection.execute("INSERT INTO texts (texts) VALUES ('optimize')")
        connection.execute("COMMIT")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    finally:
        connection.close()


def _stored(connection: sqlite3.Connection, origin: Origin, progress: Progress, built: Built) -> Iterator[Page]:
    """The pages that belong in the index, each stored on its way to be counted."""

    def seen(done: int, count: int) -> None:
        built.seen, built.offered = done, count
        progress("reading", done, count)

    for number, page in enumerate(islice(filter(built.takes, _read(origin, seen)), MOST_PAGES)):
        assert page is not None
        row = (number, storable(page.final_url), storable(clipped(page.title)))
        connection.execute("INSERT INTO pages (number, url, title, category) VALUES (?, ?, ?, 0)", row)
        text = storable(" ".join(page.words[:MOST_WORDS]))
        connection.execute("INSERT INTO texts (rowid, words) VALUES (?, ?)", (number, text))
        yield page


def _read(origin: Origin, progress: Callable[[int, int], object]) -> Iterator[Page | None]:
    """Failures of reading the origin are not taken for failures of writing the index."""
    try:
        yield from origin.pages(progress)
    except (OSError, sqlite3.Error) as error:
        raise BadInput(f"{origin.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def offered(root: Region) -> Region:
    """The tree with all but the largest regions of the first map below a region called `other`."""
    small = root.below[OFFERED:]
    if not small:
        return root
    name = OTHER if all(region.name != OTHER for region in root.below) else f"{OTHER} categories"
    together = Region(name, (), np.concatenate([region.documents for region in small]), small)
    return Region(root.name, root.terms, root.documents, (*root.below[:OFFERED], together))


def _place(connection: sqlite3.Connection, root: Region) -> int:
    """Number the categories from the root down, and give each page the lowest it is in. Returns how many are below the
    root."""
    rows: list[tuple[int, int, int, str, str, int]] = []

    def number(region: Region, parent: int) -> int:
        """Returns the last number of the categories below the region."""
        mine = last = len(rows)
        rows.append((mine, parent, mine, region.name, " ".join(region.terms), region.documents.size))
        homes[region.documents] = mine
        for below in region.below:
            last = number(below, mine)
        rows[mine] = (*rows[mine][:2], last, *rows[mine][3:])
        return last

    homes = np.zeros(root.documents.size, np.int64)
    number(root, -1)
    connection.executemany("INSERT INTO categories VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.executemany(
        "UPDATE pages SET category = ? WHERE number = ?", zip(homes.tolist(), range(homes.size), strict=True)
    )
    return len(rows) - 1
