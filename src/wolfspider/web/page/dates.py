"""When a page says it was published.

Pages tell it in many places and few of them well. They are asked in this order: meta tags, JSON-LD, `<time>` elements,
the address. JSON-LD is searched, not parsed: one key is wanted, and what cannot be nested cannot be nested too deep. A
date before the web or after the day after tomorrow is no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

EARLIEST = 631_152_000.0  # 1990
_TOLERANCE = 2 * 86_400.0  # clocks and time zones of others

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
_IN_JSON = re.compile(r'"(?:datePublished|dateCreated)"\s*:\s*"([^"\\]{4,64})"')
_IN_URL = re.compile(
    r"[/_-]((?:19|20)\d\d)[/_-](0[1-9]|1[0-2])[/_-](0[1-9]|[12]\d|3[01])(?=[/._?-]|$)"  # /2018/10/29/ and -2018-10-29-
    r"|[/_-]((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[/._?-]|$)"
)


def published(meta: Mapping[str, str], json: Iterable[str], times: Iterable[str], url: str, at: float) -> float | None:
    """The first believable date in order of trust. `at` is when the page was looked at, 0 if nobody knows."""
    told = [meta[name] for name in META_NAMES if name in meta]
    told += [found[1] for text in json if (found := _IN_JSON.search(text))]
    if in_url := _IN_URL.search(url.partition("://")[2]):
        times = (*times, "-".join(filter(None, in_url.groups())))
    dates = (believable(seconds(text), at) for text in (*told, *times))
    return next((date for date in dates if date is not None), None)


def believable(date: float | None, at: float) -> float | None:
    return None if date is None or date < EARLIEST or (at and date > at + _TOLERANCE) else date


def seconds(text: str) -> float | None:
    """Seconds since 1970 of a date in ISO 8601, in English or as in mail; without a zone it is taken as UTC."""
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
        date = parsedate_to_datetime(text)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    month, day = _MONTHS.index((match[1] or match[4])[:3].lower()) + 1, int(match[2] or match[3])
    hour, minute, second = int(match[6] or 0), int(match[7] or 0), min(59, int(match[8] or 0))
    if half := match[9]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a clock with twelve")
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    return datetime(int(match[5]), month, day, hour, minute, second, tzinfo=_zone(match[10] or "Z"))


def _zone(text: str) -> timezone:
    if text[0] not in "+-":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[3:].lstrip(":") or 0))
    return timezone(-offset if text[0] == "-" else offset)
