"""Dates in the words of some two hundred languages, where our own reading finds none.

dateparser knows the words, an extra that is imported when the first such date comes. It takes a hundred times as long
as our own reading, so it is asked few times for a page, for short texts that have a day, a year and a word. A date in
numbers alone is left to our own reading, for nobody can tell what 10/11/2026 is. Nothing depends on today, on the time
zone of this machine or on pages that were read before: the same text is always the same date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

MOST_ASKED = 2  # texts of a page
LONGEST, MOST_PARTS = 64, 16  # characters of a text, and its words and numbers: many take long
LATEST = 4_102_444_800.0  # 2100: a later year is of another calendar
_COULD_BE = re.compile(r"(?=.*(?<!\d)\d{4}(?!\d))(?=.*(?<!\d)\d{1,2}(?!\d))(?=.*[^\W\d_])", re.DOTALL)
_PART = re.compile(r"\d+|[^\W\d_]+")
_IN_NUMBERS = re.compile(r"\d\s?[./-]\s?\d{1,2}\s?[./-]\s?\d")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?![a-z])", re.IGNORECASE)
_SETTINGS = {
    "PARSERS": ["absolute-time"],  # "yesterday" is another day whenever it is read
    "REQUIRE_PARTS": ["day", "month", "year"],
    "TIMEZONE": "UTC",
    "TO_TIMEZONE": "UTC",
    "RETURN_AS_TIMEZONE_AWARE": True,
}

Reader = Callable[[str], Any]


def could_be(text: str) -> bool:
    if len(text) > LONGEST or len(_PART.findall(text)) > MOST_PARTS:
        return False
    return bool(_COULD_BE.match(text)) and not _IN_NUMBERS.search(text)


def date_in_words(text: str, language: str) -> float | None:
    """Seconds since 1970, read in the language of the page (such as "pt-BR"), or else in any. None without the extra,
    and for whatever dateparser makes of strange texts."""
    named = _LANGUAGE.match(language)
    date = _read(text, named[0].lower()) if named else None
    return _read(text, "") if date is None else date


@lru_cache(maxsize=1024)
def _read(text: str, language: str) -> float | None:
    if (reader := _reader(language)) is None:
        return None
    try:
        found = reader(text).date_obj
        date = LATEST if found is None else float(found.timestamp())
    except Exception:  # strange texts make it raise nearly anything
        return None
    return date if date < LATEST else None


@cache
def _kind() -> Any:
    try:
        from dateparser.date import DateDataParser
    except ImportError:
        return None
    return DateDataParser


@lru_cache(maxsize=64)
def _reader(language: str) -> Reader | None:
    """None without the extra, and for a language that it does not know."""
    if (kind := _kind()) is None:
        return None
    try:
        made = kind(languages=[language] if language else None, try_previous_locales=False, settings=_SETTINGS)
    except ValueError:
        return None
    return made.get_date_data  # type: ignore[no-any-return]
