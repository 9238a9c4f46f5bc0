"""When a page says it was published.

Pages tell it in many places and few of them well. They are asked in this order: meta tags, JSON-LD, the address,
`<time>` elements. An address knows the day only: a `<time>` of that day is taken for it. JSON-LD is searched, not
parsed: one key is wanted, and what cannot be nested cannot be nested too deep. A date before the web or after the day
after tomorrow is no date. Only where none of them has a date that is read here, words of other languages are looked up
(date_words.py): that changes no date which is read without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from itertools import islice

from wolfspider.web.page.date_words import MOST_ASKED, could_be, date_in_words
from wolfspider.web.page.month_names import month_named

EARLIEST = 631_152_000.0  # 1990
_TOLERANCE = 2 * 86_400.0  # clocks and time zones of others
_HALF_A_DAY = 43_200.0  # by which the day of an address may begin earlier or later, wherever it was written

META_NAMES = (
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dc.date",
    "dcterms.date",
    "article_date_original",
    "publish-date",
    "publish_date",
    "pubdate",
    "date",
)
_ISO = re.compile(
    r"(\d{4})(?:-(\d{1,2})-(\d{1,2})|/(\d{1,2})/(\d{1,2})|(\d{2})(\d{2})(?!\d))"
    r"(?:(?:[T ]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?",
    re.IGNORECASE | re.ASCII,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_SPOKEN = re.compile(
    rf"(?:[a-z]{{3,9}},?\s+)?(?:{_MONTH}\s+(\d{{1,2}})|(\d{{1,2}})\s+{_MONTH}),?\s+(\d{{4}})"
    r"(?:,?\s+(?:at\s+)?(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$",
    re.IGNORECASE | re.ASCII,
)
_TIME = r"(?:\D{0,12}?(\d{1,2})[:.h](\d{2})(?!\d))?"
_ABROAD = re.compile(  # 17. November 2026, 17 de noviembre de 2026, 1er juin 2026
    rf"(?:^|\s)(\d{{1,2}})(?:\.|er|º|ª)?\s+(?:d[eio]\s+)?([^\W\d_]{{3,14}})\.?,?\s+(?:del?\s+)?(\d{{4}})(?!\d){_TIME}"
)
_DOTTED = re.compile(rf"(?:^|\s)(\d{{1,2}})\.\s?(\d{{1,2}})\.\s?(\d{{4}})(?!\d){_TIME}", re.ASCII)  # 17.11.2026
_EASTERN = re.compile(rf"(\d{{4}})\s?[年년]\s?(\d{{1,2}})\s?[月월]\s?(\d{{1,2}})\s?[日일]{_TIME}")  # 2026年11月17日
_IN_JSON = re.compile(r'"(?:datePublished|dateCreated)"\s*:\s*"([^"\\]{4,64})"')
_IN_URL = re.compile(
    r"[/_-]((?:19|20)\d\d)[/_-](0[1-9]|1[0-2])[/_-](0[1-9]|[12]\d|3[01])(?=[/._?-]|$)"  # /2018/10/29/ and -2018-10-29-
    r"|[/_-]((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[/._?-]|$)"
)


def published(
    meta: Mapping[str, str], json: Iterable[str], times: Sequence[str], url: str, at: float, language: str = ""
) -> float | None:
    """The first believable date in order of trust. `at` is when the page was looked at, 0 if nobody knows. `language`:
    as the page names it."""
    told = [meta[name] for name in META_NAMES if name in meta]
    told += [found[1] for text in json if (found := _IN_JSON.search(text))]
    for text in told:
        if (date := believable(seconds(text), at)) is not None:
            return date
    shown = [date for text in times if (date := believable(seconds(text), at)) is not None]
    in_url = _IN_URL.search(url.partition("://")[2])
    day = believable(seconds("-".join(filter(None, in_url.groups()))), at) if in_url else None
    if day is None:
        return shown[0] if shown else _in_words([*told, *times], at, language)
    return next((date for date in shown if day - _HALF_A_DAY <= date < day + 3 * _HALF_A_DAY), day)


def _in_words(texts: Iterable[str], at: float, language: str) -> float | None:
    for text in islice(filter(could_be, map(str.strip, texts)), MOST_ASKED):
        if (date := believable(date_in_words(text, language), at)) is not None:
            return date
    return None


def believable(date: float | None, at: float) -> float | None:
    return None if date is None or date < EARLIEST or (at and date > at + _TOLERANCE) else date


def seconds(text: str) -> float | None:
    """Seconds since 1970 of a date in ISO 8601, in words or as in mail; without a zone it is taken as UTC."""
    try:
        return _date(text[:64].strip()).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _date(text: str) -> datetime:
    if match := _ISO.match(text):
        year, month, day = int(match[1]), int(match[2] or match[4] or match[6]), int(match[3] or match[5] or match[7])
        hour, minute, second = int(match[8] or 0), int(match[9] or 0), min(59, int(match[10] or 0))
        return datetime(year, month, day, hour, minute, second, tzinfo=_zone(match[11] or "Z"))
    match = _SPOKEN.match(text)
    if match is None:
        if (date := _abroad(text)) is None:
            date = parsedate_to_datetime(text)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    month, day = _MONTHS.index((match[1] or match[4])[:3].lower()) + 1, int(match[2] or match[3])
    hour, minute, second = int(match[6] or 0), int(match[7] or 0), min(59, int(match[8] or 0))
    if half := match[9]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a clock with twelve")
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    return datetime(int(match[5]), month, day, hour, minute, second, tzinfo=_zone(match[10] or "Z"))


def _abroad(text: str) -> datetime | None:
    """A date as it is written in other languages than English."""
    if match := _EASTERN.search(text):
        year, month, day = match[1], int(match[2]), match[3]
    elif match := _DOTTED.search(text):
        day, month, year = match[1], int(match[2]), match[3]
    elif (match := _ABROAD.search(text)) and (named := month_named(match[2])):
        day, month, year = match[1], named, match[3]
    else:
        return None
    return datetime(int(year), month, int(day), int(match[4] or 0), int(match[5] or 0), tzinfo=UTC)


def _zone(text: str) -> timezone:
    if text[0] not in "+-":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[3:].lstrip(":") or 0))
    return timezone(-offset if text[0] == "-" else offset)
