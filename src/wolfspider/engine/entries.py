"""The entries of a journal: one type for each call of a crawl whose outcome could differ another time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wolfspider.core.events import Command
from wolfspider.core.model import Failure, Link, Page


class BeginEntry(NamedTuple):
    seeds: tuple[Link, ...]
    now: float
    spent: int


class ProposeEntry(NamedTuple):
    """A turn: what the strategy was told, and what it proposed."""

    now: float
    free: int
    newly_ready: tuple[str, ...]
    answers: tuple[Any, ...]  # of the room, in order
    visits: tuple[int, ...]


class LandEntry(NamedTuple):
    visit: int
    result: Page | Failure
    now: float
    seconds: float


class PostponeEntry(NamedTuple):
    visit: int
    failure: Failure
    now: float


class GrantEntry(NamedTuple):
    visit: int
    granted: bool


class CommandEntry(NamedTuple):
    command: Command
    now: float


Entry = BeginEntry | ProposeEntry | LandEntry | PostponeEntry | GrantEntry | CommandEntry
KINDS: Mapping[str, type[Entry]] = {  # by the word that a run keeps them under
    "begin": BeginEntry,
    "propose": ProposeEntry,
    "land": LandEntry,
    "postpone": PostponeEntry,
    "grant": GrantEntry,
    "command": CommandEntry,
}
WORDS: Mapping[type[Entry], str] = {kind: word for word, kind in KINDS.items()}
