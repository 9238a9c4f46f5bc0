"""Events as plain JSON: every kind and every field is in docs/events.md, and nothing else is."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from wolfspider.app.event_json import SEEDS, told
from wolfspider.core import events
from wolfspider.core.model import Credit, Failure, Link, Outcome, Page, Verdict, Visit

DOCS = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
VISIT = Visit(3, Link("http://a.test/", "an anchor"), "agent", "http://b.test/", {"score": math.inf, "parts": (1, 2)})
PAGE = Page("http://a.test/", "http://a.test/", title="\x1b[31m\n\ud800", words=("a",))
COMMANDS = (
    events.SetParam("gamma", 0.5),
    events.SetTopic(("a",), "b"),
    events.SetLimit("pages", 5),
    events.Pause(),
    events.Resume(),
    events.Finish(),
    events.Stop(),
    events.AddSeeds(("http://a.test/",)),
    events.Label("http://a.test/", True),
    events.Exclude("a.test"),
    events.Include("a.test"),
)
EVENTS = (
    events.Began(1.0, (Link("http://a.test/"),), 10),
    events.Went(1.0, VISIT, "out"),
    events.Landed(1.0, Outcome(VISIT, PAGE, Verdict(0.7, True, {}), 1, 0.5, 1.0, False), "out", 1),
    events.Landed(1.0, Outcome(VISIT, PAGE, None, 1, 0.5, 1.0, False), "out", 1),
    events.Landed(1.0, Outcome(VISIT, Failure("status", "404"), None, 1, 0.5, 1.0, False), "out", 2),
    events.Postponed(1.0, VISIT, Failure("timeout", "no answer in time")),
    events.Credited(1.0, Credit(3, "agent", 1.0, "new", 2.0)),
    events.Noted(1.0, "birth", {"energy": math.nan}),
    *(events.Obeyed(1.0, command, old=0.25) for command in COMMANDS),
    events.Ended(1.0, "done", 10),
    events.Gauge(1.0, "fetching", 4, {"turn": 9}, 3.0, frontier=812, downloads=5, budget=10, left=math.inf),
)


def documented() -> dict[str, set[str]]:
    sections = re.findall(r"^## ([a-z]+)\n(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    return {name: set(re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE)) for name, text in sections}


def test_every_kind_of_event_and_command_is_tried_here() -> None:
    assert {type(event).__name__ for event in EVENTS} == {kind.__name__ for kind in events.Event.__subclasses__()}
    assert {type(one).__name__ for one in COMMANDS} == {kind.__name__ for kind in events.Command.__subclasses__()}


def test_every_kind_and_every_field_is_documented_and_nothing_else() -> None:
    fields: dict[str, set[str]] = {}
    for event in EVENTS:
        shown = told(event)
        fields.setdefault(shown["event"], set()).update(shown.keys() - {"event", "at"})
    assert fields == documented()


def test_every_command_is_named_in_the_documentation() -> None:
    line = next(line for line in DOCS.splitlines() if line.startswith("| `command` |"))
    assert set(re.findall(r"`([a-z]+)`", line)) - {"command"} == {type(one).__name__.lower() for one in COMMANDS}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_is_a_line_of_json_that_any_reader_takes(event: events.Event) -> None:
    line = json.dumps(told(event), allow_nan=False)
    assert line.isascii() and "\n" not in line
    assert json.loads(line)["at"] == 1.0


def test_a_crawl_of_a_million_starting_points_names_some() -> None:
    links = tuple(Link(f"http://a.test/{number}") for number in range(SEEDS + 5))
    shown = told(events.Began(1.0, links, 10))
    assert len(shown["seeds"]) == SEEDS and shown["starts"] == SEEDS + 5
