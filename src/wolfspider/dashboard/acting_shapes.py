"""The shapes of what is done by the dashboard: commands, previews, undo, and crawls to start."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from wolfspider.dashboard.json_shapes import ShapeBounds, Text
from wolfspider.dashboard.shapes import Control, Count, Saying

# Commands


class CommandBody(Saying, total=False):
    confirm: bool


class NumberBody(TypedDict):
    number: Count


class UndoBody(NumberBody, total=False):
    confirm: bool


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
