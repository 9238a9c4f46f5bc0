"""What stays of a page after it is forgotten, taken out as well: its words in what was learned, and the texts of links.

What a run has learned is in numbers by words, and a vocabulary lists words in the order in which they came: it can be
read like sentences. So a word that no other page of the run has gets another name, one that says nothing and is no
word; its figures stay. The text of a link that was found on the page becomes blanks of the same length, on the shelf,
where every other link must stay in its place.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core import codec
from wolfspider.core.errors import BadInput
from wolfspider.core.text import words
from wolfspider.files.disk import open_to_write
from wolfspider.store.archive_reader import RecordPlace
from wolfspider.store.database import connect_beside
from wolfspider.store.folder import Places, about_run
from wolfspider.store.page_reader import body_at
from wolfspider.store.row_codec import unpacked_page
from wolfspider.store.shelf import blanked
from wolfspider.web.page import charset

_PAGES = "SELECT seq, url, final_url, hops, at, file, offset, length, body, headers, packed FROM pages ORDER BY seq"
_WORD = re.compile(r"[^\W_]+")
_LINK, _ANCHOR = "Link", 1  # where a stored link has its text


class Unlearned(NamedTuple):
    """What is to go: addresses whose pages go, and words that are on no other page."""

    urls: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def out_of(self, state: Any) -> Any:
        """The state of a crawl without them."""
        if not self.urls:
            return state
        tree, arrays = codec.pack(state)
        return codec.unpack(_Renaming(self).of(tree), arrays)

    def out_of_rows(self, connection: sqlite3.Connection) -> None:
        """The texts of links that were followed, and what strategies told of their work, without them."""
        if not self.urls:
            return
        renaming = _Renaming(self)
        connection.create_function("renamed", 1, renaming.text, deterministic=True)
        connection.create_function("renamed_json", 1, renaming.json, deterministic=True)
        connection.create_function("on_forgotten", 1, self.urls.__contains__, deterministic=True)
        connection.execute("UPDATE visits SET anchor = '' WHERE on_forgotten(source)")
        connection.execute("UPDATE visits SET anchor = renamed(anchor), note = renamed_json(note) WHERE TRUE")
        connection.execute("UPDATE events SET data = renamed_json(data) WHERE TRUE")


def unlearned(run: Path, chosen: Callable[[tuple[str, ...], float], bool]) -> Unlearned:
    """What goes with the pages that are chosen, but no word that a person asked for. Reads all pages of the run."""
    places, urls, gone = Places.of(run), set[str](), set[str]()
    with closing(connect_beside(places.database)) as connection:
        for row, names in _rows(connection, chosen, True):
            urls.update(names)
            gone.update(_words(places.archive, *row))
        for row, _ in _rows(connection, chosen, False) if gone else ():
            gone.difference_update(_words(places.archive, *row))
        gone.difference_update(_asked(run, connection))
    return Unlearned(frozenset(urls), frozenset(gone))


def _asked(run: Path, connection: sqlite3.Connection) -> set[str]:
    """The words of the topic, and of those that it was changed to."""
    settings = about_run(run).get("settings", {})
    told = [settings.get("topic", ""), settings.get("description", "")]
    for (data,) in connection.execute("SELECT data FROM events WHERE kind = 'Obeyed'"):
        command = json.loads(data).get("command", {})
        if command.get("kind") == "SetTopic":
            told += [command.get("keywords", ""), command.get("description", "")]
    return {word for part in told for word in words(str(part))}


def blank_shelf(shelf: Path, new: Path, urls: Collection[str]) -> bool:
    """Copy a shelf without the texts of links that were found at these addresses. Was there one?"""
    found = list(blanked(shelf, urls)) if shelf.is_file() else []
    if found:
        with open(open_to_write(new), "r+b") as copy:
            with shelf.open("rb") as old:
                shutil.copyfileobj(old, copy)
            for place, data in found:
                copy.seek(place)
                copy.write(data)
            copy.flush()
            os.fsync(copy.fileno())
    return bool(found)


def _rows(
    connection: sqlite3.Connection, chosen: Callable[[tuple[str, ...], float], bool], wanted: bool
) -> Iterator[tuple[tuple[Any, ...], tuple[str, ...]]]:
    for _, url, final_url, hops, at, *row in connection.execute(_PAGES):
        names = (url, final_url, *json.loads(hops))
        if chosen(names, at) == wanted:
            yield tuple(row), names


def _words(
    archive: Path, file: int | None, offset: int, length: int, size: int, headers: str, packed: bytes | None
) -> set[str]:
    """Those of a page with all its markup, which is more than it shows, and much quicker to find."""
    found = set(unpacked_page(packed).words) if packed else set[str]()
    if file is not None:
        try:
            body = body_at(archive, RecordPlace(file, offset, length), size)
        except BadInput:  # it is damaged, and nobody can read it any more
            return found
        found.update(words(charset.decoded(json.loads(headers).get("content-type", ""), body)[0]))
    return found


class _Renaming:
    """Walks through stored state. Only what can be told from the names of its parts is changed: words in lists, one a
    line; texts of several words; texts of links; and words with a number each, if it is that of a forgotten page."""

    def __init__(self, unlearned: Unlearned) -> None:
        self._urls, self._gone = unlearned.urls, unlearned.words
        self._names: dict[str, str] = {}

    def of(self, tree: Any, within: bool = False) -> Any:
        """`within`: is this what was kept of a forgotten page?"""
        if isinstance(tree, str):
            return self._text(tree, within)
        if isinstance(tree, list):
            return [self.of(part, within) for part in tree]
        if not isinstance(tree, dict):
            return tree
        if "~value" in tree:
            kind, parts = tree["~value"]
            return {"~value": [kind, self._value(kind, parts, within)]}
        if "~helper" in tree:
            kind, state = tree["~helper"]
            return {"~helper": [kind, self.of(state, within)]}
        counted = within and all(isinstance(part, int | float) for part in tree.values())
        return {
            self._name(name) if counted else name: self.of(part, within or name in self._urls or name == "title")
            for name, part in tree.items()
        }

    def text(self, text: str | None) -> str | None:
        return text and _WORD.sub(self._word, text)

    def json(self, text: str | None) -> str | None:
        try:
            return text and json.dumps(self.of(json.loads(text)))
        except (ValueError, RecursionError):  # damaged, which is for others to tell
            return text

    def _value(self, kind: str, parts: list[Any], within: bool) -> list[Any]:
        renamed = [self.of(part, within) for part in parts]
        if kind == _LINK and isinstance(parts[_ANCHOR], str):
            renamed[_ANCHOR] = self.text(parts[_ANCHOR])
        return renamed

    def _text(self, text: str, within: bool) -> str:
        if "\n" in text:
            return "\n".join(map(self._name, text.split("\n")))
        if "://" in text or not (within or " " in text):
            return text  # an address, or a name that has a meaning here
        return _WORD.sub(self._word, text)

    def _word(self, found: re.Match[str]) -> str:
        return found[0] if self._gone.isdisjoint(words(found[0])) else self._name(found[0], gone=True)

    def _name(self, word: str, gone: bool = False) -> str:
        if not gone and word not in self._gone:
            return word
        return self._names.setdefault(word, f"\ufffd{secrets.token_hex(6)}")
