"""The shapes of all answers of the dashboard, and of what may be asked of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from wolfspider.dashboard.json_shapes import ShapeBounds, Text

Count = Annotated[int, ShapeBounds(low=0, high=1 << 53)]
Limit = Annotated[int, ShapeBounds(low=1, high=1000)]


class NoQuestion(TypedDict):
    """Nothing is asked for beside the path."""


class ToldProblem(TypedDict):
    """Why something was not done, in a sentence."""

    problem: str


# Runs


class RunLine(TypedDict):
    """A run in the list of all."""

    name: str
    state: str
    reason: str
    since: float | None
    topic: str
    strategy: str
    downloads: int
    budget: int
    pages: int
    relevant: int
    harvest: float | None
    began: float | None
    running: bool
    watch: bool
    test: bool


class RunList(TypedDict):
    runs: list[RunLine]
    folder: str


class Advice(TypedDict):
    """Something to do next; `action` names what the page offers for it."""

    text: str
    action: dict[str, Any] | None


class Control(TypedDict):
    """A parameter or a limit that may be moved, and who set it."""

    name: str
    kind: str
    value: Any
    default: Any
    low: float | None
    high: float | None
    choices: list[str]
    live: bool
    help: str
    set_by: str
    set_at: float | None


class ScopeRule(TypedDict):
    allowed: bool
    rule: str
    set_by: str
    number: int | None


class RunState(TypedDict):
    """A run, as its first screen shows it."""

    name: str
    state: str
    reason: str
    reason_text: str
    lines: list[str]
    since: float | None
    now: float
    running: bool
    watch: bool
    test: bool
    gauge: dict[str, Any] | None
    status: dict[str, Any]
    advice: list[Advice]
    topic: str
    description: str
    liked: list[str]
    strategy: str
    strategy_help: str
    judge: str
    harvest: float | None
    params: list[Control]
    limits: list[Control]
    scope: list[ScopeRule]
    report: dict[str, Any]
    report_at: float | None


class Said(TypedDict):
    """The last lines that the process of a run has said."""

    said: str
    running: bool


# Curves


class AfterQuery(TypedDict, total=False):
    after: Count


class CommandMark(TypedDict):
    """A command, drawn as a line."""

    at: float
    downloads: int
    text: str
    before: str
    problem: str
    who: str
    number: int | None


class Series(TypedDict):
    """Columns over downloads, thinned to what a plot can show; the last point is exact."""

    downloads: list[int]
    at: list[float]
    pages: list[int]
    relevant: list[int]
    window: list[float | None]
    cumulative: list[float | None]
    frontier: list[int | None]
    rate: list[float | None]
    strategy: dict[str, list[float | None]]
    window_size: int
    chance: dict[str, float] | None  # what downloads drawn by chance have found: probes, relevant, rate, low, high
    marks: list[CommandMark]


# Pages


class PagesQuery(TypedDict, total=False):
    kind: Literal["accepted", "rejected", "failed", "all"]
    host: Text
    reason: Text
    before: Text
    limit: Limit


class PageLine(TypedDict):
    number: int
    url: str
    title: str
    score: float | None
    relevant: bool | None
    at: float | None
    host: str
    reasons: list[str]
    label: bool | None
    by_teacher: bool
    agent: str
    failure: str | None


class Pages(TypedDict):
    """The newest first; `next` is `before` of the next ones."""

    pages: list[PageLine]
    more: bool
    next: str | None


# Hosts and failures


class HostsQuery(TypedDict, total=False):
    sort: Literal["relevant", "fetched", "refused", "waiting", "host"]
    limit: Limit


class HostLine(TypedDict):
    host: str
    fetched: int
    relevant: int
    bytes: int
    refused: dict[str, int]
    waiting: int
    until: float | None
    why: str


class Hosts(TypedDict):
    hosts: list[HostLine]
    all: int
    note: str


class FailureLine(TypedDict):
    kind: str
    reason: str
    count: int
    text: str
    what_to_do: str


class Failures(TypedDict):
    failures: list[FailureLine]


# Commands


class Saying(TypedDict):
    """A command in the words of `wolfspider steer`."""

    verb: Text
    words: list[Text]


class CommandBody(Saying, total=False):
    confirm: bool


class UndoBody(TypedDict):
    number: Count


class CommandAnswer(TypedDict):
    """What came of a command. No answer: nobody runs the crawl, or it was busy."""

    number: int
    text: str
    obeyed: bool | None
    old: Any
    problem: str
    answer: str
    running: bool
    undo: Saying | None


class HistoryLine(TypedDict):
    number: int | None
    at: float
    downloads: int | None
    who: str
    text: str
    before: str
    obeyed: bool | None
    problem: str
    undo: Saying | None


class History(TypedDict):
    commands: list[HistoryLine]
    verbs: dict[str, str]


class Preview(TypedDict):
    """What a command would take away, as far as that is known."""

    removes: int | None
    left: int | None
    examples: list[str]
    hosts: dict[str, int]
    needs_confirm: bool
    text: str


# Starting


class StartBody(TypedDict, total=False):
    """A crawl to be started. Of the rest, everything is as the command line has it."""

    name: Text
    topic: Text
    description: Text
    liked: list[Text]
    seeds: list[Text]
    sitemaps: list[Text]
    feeds: list[Text]
    search: Text
    strategy: Text
    judge: Text
    pages: Annotated[int, ShapeBounds(low=1, high=10**9)]
    scope: Literal["anywhere", "hosts"]
    include: list[Text]
    exclude: list[Text]
    preset: Text
    contact: Text
    set: dict[str, str | float | bool]
    learned_from: Text
    limits: dict[str, str | float | bool]
    watch: bool
    test: bool


class CrawlPlan(TypedDict):
    """What would be started."""

    name: str
    pages: int
    strategy: str
    judge: str
    topic: str
    starts: list[str]
    include: list[str]
    remarks: list[str]
    command: str


class Started(TypedDict):
    name: str


class ResumeBody(TypedDict, total=False):
    pages: Annotated[int, ShapeBounds(low=1, high=10**12)]


class Choice(TypedDict):
    name: str
    sentence: str


class StrategyChoice(TypedDict):
    name: str
    sentence: str
    paper: str
    spider: bool
    params: list[Control]


class PresetChoice(TypedDict):
    name: str
    sentence: str
    settings: dict[str, Any]


class Choices(TypedDict):
    strategies: list[StrategyChoice]
    judges: list[Choice]
    presets: list[PresetChoice]
    scopes: list[Choice]
    limits: list[Control]
    defaults: dict[str, Any]
    test_pages: int


# Runs side by side


class RunsQuery(TypedDict):
    runs: Text


class ComparedRun(TypedDict):
    name: str
    series: Series


class RunsCompared(TypedDict):
    """`differ`: settings that are not the same in all runs, in the order of the runs."""

    runs: list[ComparedRun]
    differ: dict[str, list[Any]]


class RunQuery(TypedDict):
    run: Text


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


class SearchQuery(WordsQuery, total=False):
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
