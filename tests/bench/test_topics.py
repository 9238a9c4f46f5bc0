"""The topics of a bench fit its web, and their bounds are kept no longer than the code that computed them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from wolfspider.bench.run import source
from wolfspider.bench.run.result_cache import ResultCache
from wolfspider.bench.run.topics import TopicBounds, WebBounds, tasks_of
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Fetch
from wolfspider.core.topic import Task, Topic
from wolfspider.graphs.graph import Graph
from wolfspider.web.worlds.world import World, open_web

PAGES = [f"http://a.example/{n}" for n in range(3)]
TASK = Task(Topic(), (PAGES[0],), frozenset({PAGES[0], PAGES[2]}))


@pytest.fixture
def world(tiny: str) -> World:
    return open_web(tiny)


def topics(path: Path, **changes: object) -> Path:
    given = {"keywords": ["x"], "seeds": ["http://a.test/"], "relevant": []} | changes
    path.write_text(json.dumps({"one": given}))
    return path


def test_a_file_replaces_the_topics_of_the_web(world: World, tmp_path: Path) -> None:
    same = ["https://A.test:443/two#end", "http://a.test/two", "http://a.test/one?utm_source=x"]
    tasks = tasks_of(world, topics(tmp_path / "t.json", relevant=same), (), world.start)
    assert list(tasks) == ["one"]
    assert {url.partition("://")[2] for url in tasks["one"].relevant} == {"a.test/two", "a.test/one"}
    assert len(tasks["one"].relevant) == 2


def test_halves_go_by_the_places_in_the_whole_list(world: World, tmp_path: Path) -> None:
    given = {"keywords": ["x"], "seeds": ["http://a.test/"], "relevant": []}
    path = tmp_path / "t.json"
    path.write_text(json.dumps(dict.fromkeys(["d", "a", "c", "b", "e"], given)))

    def names(half: str | None, *wanted: str) -> list[str]:
        return list(tasks_of(world, path, wanted, world.start, half=half))

    assert (names(None), names("choose"), names("report")) == (["d", "a", "c", "b", "e"], ["d", "c", "e"], ["a", "b"])
    assert names("report", "b", "c", "d") == ["b"]
    with pytest.raises(Problem, match=r"None of these topics of .* is in the half 'report': c, e"):
        names("report", "c", "e")


def test_seeds_that_are_missing_are_told(world: World, tmp_path: Path) -> None:
    told: list[str] = []
    seeds = ["http://a.test/", "http://a.test/nowhere"]
    tasks_of(world, topics(tmp_path / "t.json", seeds=seeds), (), world.start, told.append)
    assert len(told) == 1 and "http://a.test/nowhere is not in the web tiny" in told[0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"seeds": ["http://a.test/nowhere"]},
            "none of its seeds is in the web tiny at 2020-01-01 00:00 UTC: http://a.test/nowhere",
        ),
        ({"seeds": ["a.test"]}, "'a.test' is no http or https address"),
        ({"relevant": ["mailto:x@a.test"]}, "'mailto:x@a.test' is no http or https address"),
    ],
)
def test_what_cannot_work_is_a_sentence(
    world: World, tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        tasks_of(world, topics(tmp_path / "t.json", **changes), (), world.start)


def test_a_web_without_topics_asks_for_some(tiny: str) -> None:
    Path(tiny, "topics.json").unlink()
    world = open_web(tiny)
    with pytest.raises(BadInput, match="--topics FILE"):
        tasks_of(world, None, (), world.start)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """All of the source, in a place where it may be changed."""
    whole = tmp_path / "wolfspider"
    shutil.copytree(source.ROOT, whole, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(source, "ROOT", whole)
    _forget()
    yield whole
    _forget()


def _forget() -> None:
    source.source_of.cache_clear()
    source._imported.cache_clear()


def known(cache: ResultCache, tell: Callable[[str], None]) -> TopicBounds:
    """From a web in which each page links to the next."""
    _forget()
    world = SimpleNamespace(
        name="line",
        has_skeleton=True,
        digest=lambda: "line",
        graph=lambda now: Graph.from_edges(PAGES, [0, 1], [1, 2]),
        look=lambda url, now: Fetch(url, url, 200),
    )
    return WebBounds(cast(World, world), 0.0, 3, cache, tell).of(TASK)


@pytest.mark.parametrize(
    ("changed", "again"),
    [("bench/run/topics.py", True), ("bench/measure/bounds.py", True), ("bench/draw/report.py", False)],
)
def test_bounds_are_computed_again_when_their_code_changes(
    copy: Path, tmp_path: Path, changed: str, again: bool
) -> None:
    cache, told = ResultCache(tmp_path / "bounds"), list[str]()
    cache.prepare()
    first = known(cache, told.append)
    assert first == TopicBounds(2, 2, [[1, 1], [3, 2]], [[1, 1], [3, 2]])
    assert known(cache, told.append) == first
    assert len(told) == 1
    with (copy / changed).open("a") as file:
        file.write("\n# changed\n")
    assert known(cache, told.append) == first
    assert len(told) == 1 + again
