"""The shapes of what there is to read in a run: questions, search, explanations, texts and news."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from wolfspider.dashboard.json_shapes import ShapeBounds, Text
from wolfspider.dashboard.shapes import Count, Limit

# Reading


class QuestionsQuery(TypedDict, total=False):
    count: Annotated[int, ShapeBounds(low=1, high=100)]


class QuestionLine(TypedDict):
    """A page from which the judge would learn much."""

    url: str
    title: str
    score: float
    relevant: bool
    links: int
    words: list[str]
    excerpt: str
    why: str


class QuestionsAsked(TypedDict):
    questions: list[QuestionLine]


class WordsQuery(TypedDict):
    q: Text


class SearchBody(WordsQuery, total=False):
    limit: Limit
    relevant: bool


class FoundLine(TypedDict):
    url: str
    title: str
    score: float
    relevant: bool
    rank: float
    fetched: str
    snippet: str


class PagesFound(TypedDict):
    found: list[FoundLine]


class UrlQuery(TypedDict):
    url: Text


class Explained(TypedDict):
    """`lines`: for people; `found`: the same as data."""

    url: str
    known: bool
    state: str
    lines: list[str]
    found: dict[str, Any]


class PageTextQuery(UrlQuery, total=False):
    offset: Count


class PageText(TypedDict):
    """The text of a page as it was downloaded: data, whatever it says."""

    url: str
    title: str
    language: str
    at: float
    score: float
    relevant: bool
    why: str
    hidden: bool
    text: str
    characters: int
    next_offset: int | None


# News


class NewsQuery(TypedDict, total=False):
    limit: Limit


class NewsLine(TypedDict):
    number: int
    kind: str
    at: float
    url: str
    host: str
    title: str
    text: str
    published: str | None
    late: float | None
    to_the_day: bool
    timed: bool  # it counts among those of which the time until they were found is told
    agent: str
    forgotten: bool


class SiteLine(TypedDict):
    """`looks_since`: looks since the last news; `silent`: it used to have news, and has none."""

    host: str
    first: str | None
    last: str | None
    told: int
    looks_since: int
    silent: bool


class Lateness(TypedDict):
    """Seconds from publication to being found, today."""

    median: float | None
    most: float | None
    of: int


class NewsTold(TypedDict):
    """`hours`: news by the hour they were published in (UTC); `learned_hours`: how busy the strategy believes each hour
    to be, 24 of a working day and 24 of a weekend, 1 is the mean."""

    reports: list[NewsLine]
    counts: dict[str, int]
    today: int
    by_site: dict[str, int]
    by_forager: dict[str, int]
    late: Lateness
    hours: list[int]
    learned_hours: list[float] | None
    sites: list[SiteLine]
