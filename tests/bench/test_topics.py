from __future__ import annotations

import json
from pathlib import Path

import pytest

from wolfspider.bench.run.topics import tasks_of
from wolfspider.core.errors import BadInput
from wolfspider.web.worlds.world import World, open_web


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
