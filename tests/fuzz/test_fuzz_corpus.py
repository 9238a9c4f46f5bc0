"""Every input of the corpus again: the seeds of `make fuzz`, and all that ever broke a reader."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.fuzz import fuzzing
from tests.fuzz.fuzz_targets import TARGETS

MOST = 1_000_000  # bytes of the corpus, for it is part of every clone


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_of_the_corpus_breaks_its_target(name: str) -> None:
    inputs = fuzzing.corpus(name)
    assert inputs
    for data in inputs:
        TARGETS[name](data)


def test_the_corpus_is_small_and_each_folder_has_a_target() -> None:
    assert {path.name for path in fuzzing.CORPUS.iterdir()} == set(TARGETS)
    assert sum(path.stat().st_size for path in fuzzing.CORPUS.rglob("*")) < MOST


def raises(data: bytes) -> None:
    assert b"<" not in data


def dies(data: bytes) -> None:
    if b"<" in data:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("broken", [raises, dies])
def test_an_input_that_breaks_a_target_is_found_and_saved(
    broken: fuzzing.Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The time is only a bound: the first such input ends it."""
    monkeypatch.setitem(TARGETS, "text", broken)
    (found,) = fuzzing.fuzz(["text"], seed=1, seconds=60, jobs=1)
    fuzzing.told(found, tmp_path)
    (path,) = (tmp_path / "text").iterdir()
    assert b"<" in path.read_bytes()
    assert f"--replay {path}" in capfd.readouterr().out
    assert broken is dies or path.read_bytes() == b"<"
