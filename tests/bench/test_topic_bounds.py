"""The bounds of a topic are kept, but not longer than the code that computed them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from wolfspider.bench.run import source
from wolfspider.bench.run.kept import Kept
from wolfspider.bench.run.topic_bounds import Limit, Limits
from wolfspider.core.model import Fetch
from wolfspider.core.topic import Task, Topic
from wolfspider.graphs.graph import Graph
from wolfspider.web.worlds.world import World

PAGES = [f"http://a.example/{n}" for n in range(3)]
TASK = Task(Topic(), (PAGES[0],), frozenset({PAGES[0], PAGES[2]}))


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


def limit(kept: Kept, tell: Callable[[str], None]) -> Limit:
    """From a web in which each page links to the next."""
    _forget()
    world = SimpleNamespace(
        name="line",
        has_skeleton=True,
        digest=lambda: "line",
        graph=lambda now: Graph.from_edges(PAGES, [0, 1], [1, 2]),
        look=lambda url, now: Fetch(url, url, 200),
    )
    return Limits(cast(World, world), 0.0, 3, kept, tell).of(TASK)


@pytest.mark.parametrize(
    ("changed", "again"),
    [("bench/run/topic_bounds.py", True), ("bench/measure/bounds.py", True), ("bench/draw/report.py", False)],
)
def test_bounds_are_computed_again_when_their_code_changes(
    copy: Path, tmp_path: Path, changed: str, again: bool
) -> None:
    kept, told = Kept(tmp_path / "kept"), list[str]()
    kept.prepare()
    first = limit(kept, told.append)
    assert first == Limit(2, 2, [[1, 1], [3, 2]], [[1, 1], [3, 2]])
    assert limit(kept, told.append) == first
    assert len(told) == 1
    with (copy / changed).open("a") as file:
        file.write("\n# changed\n")
    assert limit(kept, told.append) == first
    assert len(told) == 1 + again
