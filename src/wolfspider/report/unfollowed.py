"""What a crawl did not follow by rules of its own: patterns that rest, other spellings of its pages, budgets of hosts.

The crawl notes each when it comes about, and what was noted last holds. Links are not counted: one that is never
followed is written down nowhere.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from wolfspider.files.program_name import shell_command
from wolfspider.policy.budgets import Cap
from wolfspider.policy.pattern_rests import Rest

MOST = 40  # of each kind that are told
_READ = 10_000  # notes, the newest
_KIND = "CASE WHEN json_valid(data) THEN json_extract(data, '$.kind') END"  # others say that the run is damaged
_NOTED = (
    f"SELECT data FROM events WHERE kind = 'Noted' AND {_KIND} IN ('rest', 'spelling', 'cap')"  # noqa: S608
    " ORDER BY seq DESC, n DESC LIMIT ?"
)


class Unfollowed(NamedTuple):
    """Links of one kind."""

    what: str
    why: str
    to_do: str


def unfollowed(connection: sqlite3.Connection) -> list[Unfollowed]:
    """Of patterns those first that rest longest."""
    rests: dict[str, tuple[int, Unfollowed]] = {}
    spellings: dict[tuple[str, str], Unfollowed] = {}
    caps: dict[tuple[str, str], Unfollowed] = {}
    for (row,) in connection.execute(_NOTED, (_READ,)):
        with suppress(
            ValueError, TypeError, KeyError, AttributeError
        ):  # a strategy may mean something else by the word
            said = json.loads(row)
            data: Mapping[str, Any] = said["data"]
            if said["kind"] == "rest":
                rests.setdefault(str(data["pattern"]), (-int(data["until"]), _rest(Rest(**data))))
            elif said["kind"] == "cap":
                caps.setdefault((str(data["whose"]), str(data["limit"])), _spent(Cap(**data)))
            else:
                one = _spelling(data)
                spellings.setdefault((one.what, one.why), one)
    kinds = (list(caps.values()), [line for _, line in sorted(rests.values())], list(spellings.values()))
    return [line for kind in kinds for line in _at_most(kind)]


def _spent(cap: Cap) -> Unfollowed:
    raised = f"Raise it: {shell_command('steer')} RUN limit {cap.limit}=N. Resume the run if it is over."
    return Unfollowed(f"links to {cap.whose}", str(cap), raised)


def _rest(rest: Rest) -> Unfollowed:
    until = f"set aside until {rest.until:,} downloads are made, or a page of the kind says something new"
    return Unfollowed(
        f"links like {rest.pattern}",
        f"{rest.why}; {until}",
        "If these pages are wanted, begin a new run with --traps ignore.",
    )


def _spelling(data: Mapping[str, Any]) -> Unfollowed:
    nothing = "Nothing: each page is asked for once, by one spelling."
    if "mark" in data:
        why = f"pages are the same with “{data['mark']}” in the query and without"
        return Unfollowed(f"links to {data['site']} that differ in “{data['mark']}” alone", why, nothing)
    return Unfollowed(
        f"links to {data['site']}", f"pages are the same at {data['same_as']}, and asked for there", nothing
    )


def _at_most(lines: list[Unfollowed]) -> Iterable[Unfollowed]:
    more = len(lines) - MOST
    return [*lines[:MOST], Unfollowed(f"{more:,} more of the kind", "", "")] if more > 0 else lines
