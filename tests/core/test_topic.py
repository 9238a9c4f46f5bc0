"""Every mistake in a topics file is a sentence that names the topic and the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wolfspider.core import topic
from wolfspider.core.errors import BadInput
from wolfspider.core.topic import Task, Topic, load_tasks

GOOD = {
    "keywords": ["wolf spider"],
    "description": "They hunt.",
    "seeds": ["http://a.test/"],
    "relevant": ["http://a.test/1"],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "topics.json"


def write(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps({"spiders": GOOD | changes}), encoding="utf-8")


def test_tasks_are_read(file: Path) -> None:
    write(file)
    wanted = Topic(("wolf spider",), "They hunt.", name="spiders")
    assert load_tasks(file) == {"spiders": Task(wanted, ("http://a.test/",), frozenset({"http://a.test/1"}))}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"keywords": "wolf"}, "'keywords' must be a list of strings"),
        ({"seeds": [1]}, "'seeds' must be a list of strings"),
        ({"seeds": []}, "'seeds' is empty"),
        ({"description": None}, "'description' must be a string"),
        ({"keywords": ["spiders", "\x1b]0;x\x07"]}, "what is wanted has control characters"),
        ({"description": "about \x9b31m spiders"}, "what is wanted has control characters"),
        ({"keywords": [], "description": ""}, "neither 'keywords' nor 'description' has a word"),
        ({"keywords": [" ", "--", "?!"], "description": " \u2026 "}, "neither 'keywords' nor 'description' has a word"),
    ],
)
def test_a_mistake_names_the_topic_and_the_field(file: Path, changes: dict[str, Any], says: str) -> None:
    write(file, **changes)
    with pytest.raises(BadInput, match=f"topic 'spiders': {says}"):
        load_tasks(file)


@pytest.mark.parametrize("changes", [{"keywords": []}, {"description": ""}, {"keywords": ["蜘蛛"], "description": ""}])
def test_one_word_anywhere_is_enough(file: Path, changes: dict[str, Any]) -> None:
    write(file, **changes)
    assert set(load_tasks(file)) == {"spiders"}


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_said(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(BadInput, match="not valid JSON"):
        load_tasks(file)


def test_no_more_is_read_than_a_topics_file_may_hold(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic, "LARGEST", 1 << 20)
    write(file)
    file.write_bytes(file.read_bytes().ljust(1 << 20))
    assert set(load_tasks(file)) == {"spiders"}
    with file.open("ab") as more:
        more.write(b" ")
    with pytest.raises(BadInput, match="larger than 1 MiB"):
        load_tasks(file)


def test_a_file_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("There is no /dev/zero here.")
    monkeypatch.setattr(topic, "LARGEST", 1 << 20)
    with pytest.raises(BadInput, match="larger than 1 MiB"):
        load_tasks(endless)
