"""A recorded crawl, crawled again: what was there is there, when it was there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wolfspider import events
from wolfspider.bench.cell import Cell, Delayed, new_crawl
from wolfspider.drive import simulate
from wolfspider.judge import DEFAULT_JUDGE
from wolfspider.model import Failure, Link, Page, Verdict
from wolfspider.store.recording import Recorder
from wolfspider.topic import Topic
from wolfspider.web.replay import Replay
from wolfspider.web.synthetic import Synthetic
from wolfspider.web.world import Looks, World

NEWS = "synthetic:pages=2000,news=1"
SPAN = (1_000.0, 1_100.0)


class Lengths:
    """A state that can be told from the page at once."""

    size = 2

    def of(self, page: Page) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.array([len(page.links) / 10_000, len(page.title) / 10_000], np.float32)


class ByDigest:
    """A judge that needs no words: a page is as good as its digest says."""

    def __init__(self, topic: Topic) -> None:
        pass

    def score(self, page: Page) -> Verdict:
        score = int(hashlib.sha256(page.digest.encode()).hexdigest()[:4], 16) / 0xFFFF
        return Verdict(score, score >= 0.5)

    def learn(self, page: Page, label: bool) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Any) -> None:
        pass

    learned = state
    inherit = restore


def told(event: events.Event) -> tuple[Any, ...] | None:
    """What of an event a replay must give again."""
    if not isinstance(event, events.Landed):
        return None
    outcome = event.outcome
    visit, result = outcome.visit, outcome.result
    if isinstance(result, Page):
        shown = tuple(link.url for link in result.links)
        result = (result.final_url, result.digest, result.title, result.published, result.modified, shown, result.at)
    ways = (event.at, outcome.seconds, event.how, visit.id, visit.link.url, visit.agent, visit.source)
    return (*ways, outcome.downloads, result, outcome.verdict and outcome.verdict.score)


def crawled(
    world: World, looks: Looks, strategy: str, *listeners: Callable[[events.Event], None], **wanted: Any
) -> list[tuple[Any, ...]]:
    """All landings of a crawl from the news site's home page; `seeds`, `start`, `pages`, `slots`."""
    task = next(iter(Synthetic.parse(NEWS).tasks().values()))
    cell = Cell(NEWS, NEWS, "topic", strategy, 0, wanted.get("pages", 300), DEFAULT_JUDGE, world.start)
    crawl = new_crawl(replace(cell, slots=wanted.get("slots", 1)), task, world, looks)
    crawl.judge_of = ByDigest
    crawl.judge = ByDigest(task.topic)
    log: list[tuple[Any, ...]] = []
    crawl.listen(lambda event: log.append(kept) if (kept := told(event)) else None)
    for listener in listeners:
        crawl.listen(listener)
    crawl.begin([Link(url) for url in task.seeds], now=world.start)
    simulate(crawl, looks, start=world.start)
    return log


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "news"
    world = Synthetic.parse(NEWS)
    with Recorder(folder, Lengths(), web=world.name) as recorder:
        crawled(world, world, "random", recorder, pages=400)
    return folder


@pytest.mark.parametrize("strategy", ["best-first", "random", "breadth-first"])
@pytest.mark.parametrize("slots", [1, 5])
def test_a_crawl_of_its_own_recording_is_the_crawl_that_was_recorded(tmp_path: Path, strategy: str, slots: int) -> None:
    world = Synthetic.parse(NEWS)
    with Recorder(tmp_path, Lengths(), web=world.name) as recorder:
        there = crawled(world, world, strategy, recorder, slots=slots)
    again = Replay(tmp_path)
    assert crawled(again, again, strategy, slots=slots) == there
    assert sum(log[7] for log in there) == 300
    assert any(isinstance(log[8], Failure) for log in there)


@pytest.mark.parametrize("latency", [None, "mean"])
def test_where_every_answer_takes_the_same_time_the_mean_is_that_time(tmp_path: Path, latency: str | None) -> None:
    world = Synthetic.parse(NEWS)
    slow = Delayed(world, 0.7)
    with Recorder(tmp_path, Lengths()) as recorder:
        there = crawled(world, slow, "random", recorder, slots=3)
    again = Replay(tmp_path, latency=latency)
    assert again.mean_seconds == 0.7
    assert crawled(again, again, "random", slots=3) == there
