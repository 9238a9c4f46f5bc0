"""A bench that records: a folder for each crawl, which can be benched in turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wolfspider.bench.run.runner import Bench, run
from wolfspider.web.worlds.recording.playback import LOOKS, SUMMARY, read_recording
from wolfspider.web.worlds.recording.replayed import RecordedCrawl
from wolfspider.web.worlds.world import open_web


@pytest.fixture
def bench(tiny: str, tmp_path: Path) -> Bench:
    return Bench((tiny,), ("random",), pages=6, jobs=1, topics=("spiders",), record=str(tmp_path / "rec"))


def test_a_single_crawl_is_recorded_in_the_folder_that_was_named(bench: Bench, tmp_path: Path) -> None:
    (row,) = run(bench).rows
    recording = read_recording(tmp_path / "rec")
    assert len(recording.times) == row["downloads"] == 6
    assert (recording.web, recording.size) == (row["web"], 50)
    assert recording.kept_states().states.any()


def test_each_of_several_crawls_has_a_folder(bench: Bench, tmp_path: Path) -> None:
    rows = run(replace(bench, strategies=("random", "breadth-first"), repeats=2, jobs=2)).rows
    names = {f"tiny-spiders-{strategy}-{repeat}" for strategy in ("random", "breadth-first") for repeat in (0, 1)}
    assert {folder.name for folder in (tmp_path / "rec").iterdir()} == names
    assert [row["error"] for row in rows] == [None] * 4


def test_a_recording_can_be_benched(bench: Bench, tmp_path: Path) -> None:
    (there,) = run(replace(bench, judge="oracle")).rows
    world = open_web(str(tmp_path / "rec"))
    assert isinstance(world, RecordedCrawl)
    assert world.tasks()["spiders"].relevant <= set(world.graph(world.end).urls)
    again = replace(bench, webs=(str(tmp_path / "rec"),), record=None, judge="oracle", start=world.end)
    (row,) = run(replace(again, strategies=("breadth-first",), pages=20)).rows
    assert row["error"] is None
    assert 0 < row["found"][-1][1] <= there["relevant"]


def test_a_recording_that_is_there_is_not_touched_but_half_a_one_begins_anew(bench: Bench, tmp_path: Path) -> None:
    run(bench)
    whole = (tmp_path / "rec" / LOOKS).read_bytes()
    (row,) = run(bench).rows
    assert "has a recording already" in row["error"]
    assert (tmp_path / "rec" / LOOKS).read_bytes() == whole
    (tmp_path / "rec" / SUMMARY).unlink()
    (row,) = run(bench).rows
    assert row["error"] is None
    assert len(read_recording(tmp_path / "rec").times) == 6


def test_a_bench_that_was_kept_is_not_recorded_again(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    rows = run(bench, out).rows
    assert run(bench, out).rows == rows
    assert run(replace(bench, record=str(tmp_path / "other")), out).rows[0]["error"] is None
    assert (tmp_path / "other" / SUMMARY).exists()
