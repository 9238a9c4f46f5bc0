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
    now: float  # by the clock of the run
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
    now: float  # by the clock of the run
    speed: float  # at which that passes: 1, unless the web has a time of its own
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


class Saying(TypedDict):
    """A command in the words of `wolfspider steer`."""

    verb: Text
    words: list[Text]


class CommandMark(TypedDict):
    """A command, drawn as a line; `undo` is what takes it back, where something does."""

    at: float
    downloads: int
    text: str
    before: str
    problem: str
    who: str
    number: int | None
    undo: Saying | None


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
    kind: Literal["accepted", "rejected", "fetched", "failed", "all"]
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
    label: bool | None
    why: str


class Hosts(TypedDict):
    hosts: list[HostLine]
    all: int
    with_pages: int
    note: str


class FailureLine(TypedDict):
    kind: str
    reason: str
    count: int
    text: str
    what_to_do: str


class Failures(TypedDict):
    failures: list[FailureLine]


# The queue


class QueueQuery(TypedDict, total=False):
    host: Text
    limit: Limit


class QueueLine(TypedDict):
    """A link that waits; `score` is what the strategy thinks of it."""

    url: str
    host: str
    anchor: str
    score: float | None
    source: str


class QueueShown(TypedDict):
    """The best first, as it was written down `at`; `note` says why there is none. `under_way`: addresses of visits that
    are out, or wait for their hosts."""

    links: list[QueueLine]
    all: int
    whole: bool
    at: float | None
    note: str
    under_way: list[str]
    all_under_way: int


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
