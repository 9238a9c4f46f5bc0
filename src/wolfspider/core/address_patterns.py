"""The pattern of an address: what is left of it when numbers, ids and values are folded.

    http://a.test/cal/2026/11          a.test/cal/#/#
    http://a.test/shop?color=3&size=7  a.test/shop?color&size
    http://a.test/a/b/a/b/a/b/c        a.test/a/b/c

Addresses that a program makes without end have few patterns: a calendar has one, and so have the pages of a shop with a
filter set. The folders of an address and its host are wider patterns.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WITH_DIGITS = re.compile(r"[A-Za-z]*+[0-9][0-9A-Za-z]*+")
_NUMBER = re.compile(r"[0-9]+")
_DIGIT_THEN_LETTER = re.compile(r"[0-9][A-Za-z]")
_ID = 6  # characters of an id that has letters and digits in it
_FOLDED = 300  # characters of a pattern
_READ = 2_000  # characters of a path


class AddressPattern(NamedTuple):
    """The patterns of an address, from the narrowest to the widest."""

    page: str
    folder: str  # of an address with a query, all that differ in the query alone
    top: str  # the first folder
    host: str


def pattern_of(url: str) -> AddressPattern:
    """Of a canonical address. http and https are alike, and so are hosts with www and without."""
    bare = (url.partition("://")[2] or url).removeprefix("www.")
    host, _, rest = bare.partition("/")
    path, _, query = rest.partition("?")
    *folders, name = _WITH_DIGITS.sub(_folded, path[:_READ]).split("/")
    named = [part for part in folders if part != "#"]
    if len(set(named)) < len(named):  # relative links that go wrong lead deeper and deeper
        folders = list(dict.fromkeys(named))
    folder = "/".join((host, *folders, ""))[:_FOLDED]
    page, top = f"{folder}{name}"[:_FOLDED], "/".join((host, *folders[:1], ""))[:_FOLDED]
    if not query:
        return AddressPattern(page, folder, top, host)
    names = "&".join(sorted({piece.partition("=")[0] for piece in query.split("&") if piece}))
    return AddressPattern(f"{page}?{names}"[:_FOLDED], f"{page}?", top, host)


def _folded(word: re.Match[str]) -> str:
    """`page12` is a page of many; in `3fa9c01b` not even the letters mean anything."""
    if len(word[0]) >= _ID and _DIGIT_THEN_LETTER.search(word[0]):
        return "#"
    return _NUMBER.sub("#", word[0])
