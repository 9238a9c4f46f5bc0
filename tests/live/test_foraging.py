"""Foragers over the network: their weblogs are fed by a search service while they work, and after a crash; another run
starts with what they have learned."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.live.hunting import HASTY, Told, assert_whole, crawl_command, finished, run, stored
from tests.web.searxng import ROBOTS, Reply, served

import wolfspider
from wolfspider.app.explain import why
from wolfspider.app.past_runs import glimpse
from wolfspider.core.model import Failure, Page
from wolfspider.files.failpoints import VARIABLE
from wolfspider.learn.page_states import KeptStates
from wolfspider.store.view import RunView
from wolfspider.terminal.explanation import lines

WORDS = "search:wolf spiders"


class Town:
    """A few pages nobody links to, and a search that finds another of them each time it is asked."""

    def __init__(self) -> None:
        self.base, self.searches, self.broken = "", 0, False

    def __call__(self, path: str) -> Reply:
        if path == "/robots.txt":
            return Reply(ROBOTS, "text/plain")
        if path.startswith("/search"):
            return self._found()
        text, more = "Wolf spiders hunt on the ground. " * 5, path.rstrip("/") + "/more"
        return Reply(f"<title>{path}</title><p>{text}</p><a href='{more}'>more</a>".encode())

    def _found(self) -> Reply:
        self.searches += 1
        if self.broken and self.searches > 1:
            return Reply(b"no", status=500)
        found = {"url": f"{self.base}/found{self.searches}", "title": "Found"}
        return Reply(json.dumps({"results": [found]}).encode(), "application/json")


@pytest.fixture
def town() -> Iterator[Town]:
    made = Town()
    with served(made) as base:
        made.base = base
        yield made


def forage(town: Town, out: Path, pages: int, **more: Any) -> Told:
    told = Told()
    settings: dict[str, Any] = {
        **HASTY,
        "topic": "wolf, spiders",
        "strategy": "foragers",
        "set": {"search_every": 1, "steps": 2, "pays": "new"},
        "search": town.base,
        "results": 1,
        "allow_private": True,
        "contact": "me@example.org",
        **more,
    }
    told.hunt = wolfspider.crawl(
        town.base, out=out, pages=pages, on_event=told.events.append, on_remark=told.remarks.append, **settings
    )
    return asyncio.run(finished(told))


def learned(folder: Path) -> list[dict[str, Any]]:
    """Weights and weblog of each forager."""
    with glimpse(RunView(folder)) as seen:
        assert seen is not None
        fleet: list[dict[str, Any]] = seen.strategy.learned()["fleet"]
        return fleet


def starts(folder: Path) -> set[str]:
    return {url for forager in learned(folder) for url, _ in forager["weblog"]}


def test_what_a_search_finds_is_where_a_forager_starts(town: Town, tmp_path: Path) -> None:
    told = forage(town, tmp_path / "run", 20)
    assert told.reason == "budget"
    assert town.searches > 2
    found = [landed.outcome for landed in told.landed if landed.outcome.visit.link.url == WORDS]
    assert all(isinstance(outcome.result, Page) and outcome.downloads == 1 for outcome in found)
    assert f"{town.base}/found2" in told.pages
    assert f"{town.base}/found2" in starts(tmp_path / "run")
    assert not any("search" in row.final_url for row in RunView(tmp_path / "run").pages())


def test_searches_are_played_again_from_the_log(town: Town, tmp_path: Path) -> None:
    """Without its snapshots a run must come back from its log alone, and the service is not asked for the same."""
    forage(town, tmp_path / "run", 12)
    before, asked = starts(tmp_path / "run"), town.searches
    for snapshot in (tmp_path / "run" / "snapshots").glob("0*"):
        snapshot.unlink()
    told = Told()
    told.hunt = wolfspider.resume(tmp_path / "run", on_event=told.events.append, pages=20)
    asyncio.run(finished(told))
    assert (told.reason, told.downloads) == ("budget", 20)
    landed = [event for event in told.landed if event.outcome.visit.link.url == WORDS]
    assert town.searches == asked + len(landed)
    assert before <= starts(tmp_path / "run")


def test_a_service_that_fails_costs_nothing_and_the_foragers_go_on(town: Town, tmp_path: Path) -> None:
    town.broken = True
    told = forage(town, tmp_path / "run", 10)
    assert told.reason == "budget"
    result = told.results[WORDS]
    assert isinstance(result, Failure)
    assert (result.kind, result.detail) == ("source", "It answered with status 500.")
    assert sum(landed.outcome.downloads for landed in told.landed if landed.outcome.visit.link.url == WORDS) == 0


def test_without_a_service_nothing_is_searched(town: Town, tmp_path: Path) -> None:
    told = forage(town, tmp_path / "run", 10, search="")
    assert told.reason == "budget"
    assert told.failures[WORDS] == "excluded"
    assert town.searches == 0


def test_another_run_starts_with_the_weblogs_and_weights_of_the_first(town: Town, tmp_path: Path) -> None:
    forage(town, tmp_path / "first", 30)
    first = learned(tmp_path / "first")
    assert sum(len(forager["weblog"]) for forager in first) > 5
    forage(
        town, tmp_path / "second", 1, learned_from=str(tmp_path / "first"), search="", set={"steps": 2, "pays": "new"}
    )
    second = learned(tmp_path / "second")
    assert len(second) == len(first)
    for old, new in zip(first, second, strict=True):
        assert (old["weights"] == new["weights"]).all()
        assert dict(old["weblog"]).items() <= dict(new["weblog"]).items()


def test_what_was_learned_with_another_model_is_a_problem(town: Town, tmp_path: Path) -> None:
    forage(town, tmp_path / "first", 3)
    other = tmp_path / "states.npz"
    other.write_bytes(KeptStates(["a", "b"], np.zeros((2, 7), np.float32)).to_bytes())
    with pytest.raises(wolfspider.Problem, match="for states of model"):
        forage(town, tmp_path / "second", 3, learned_from=str(tmp_path / "first"), set={"model": str(other)})


@pytest.mark.slow
def test_killed_again_and_again_foragers_and_their_searches_go_on(town: Town, tmp_path: Path) -> None:
    port, folder = int(town.base.rpartition(":")[2]), tmp_path / "run"
    town.base = "http://h.test"
    words = crawl_command(port, folder, "http://h.test/", pages=40, strategy="foragers", search="http://s.test")
    words += ["--set", "search_every=1", "--set", "steps=2", "--set", "slice=0.1", "--results", "1"]
    deaths = ["run-landed:9", "run-recalled", "run-sent:2", "turn-committed:4", "run-landed:5", "snapshot-committed"]
    lives = [run(words, env={VARIABLE: failpoint}) for failpoint in deaths]
    assert [life.returncode for life in lives] == [-signal.SIGKILL] * len(deaths)
    last = run(words)
    assert last.returncode == 0, last.stderr
    assert_whole(folder)
    assert sum(url.rpartition("/")[2].startswith("found") for url in stored(folder)) > 3


def test_an_address_is_explained_by_what_the_foragers_hold_of_it(town: Town, tmp_path: Path) -> None:
    seen = forage(town, tmp_path / "run", 12)
    told = why(tmp_path / "run", sorted(starts(tmp_path / "run") & set(seen.pages))[0])
    held = told["agents"]["held"]
    assert held and all("weblog" in about or "value" in about for about in held.values())
    assert any(name in line for line in lines(told) for name in held)
