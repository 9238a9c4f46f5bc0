"""A run that somebody else made joins no cluster of theirs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from wolfspider import resume
from wolfspider.app.settings import Settings
from wolfspider.app.strange_runs import resumed_with
from wolfspider.cli import main
from wolfspider.core.errors import Problem
from wolfspider.store.fleet_folder import describe_fleet

THEIRS = "203.0.113.7:6379"
SETTINGS = {"topic": "spiders", "urls": ["http://a.test/"], "via": "127.0.0.1:1", "cluster": THEIRS}


def run_of_theirs(folder: Path) -> None:
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"format": 1, "about": {"settings": SETTINGS}}), encoding="utf-8")


def fleet_of_theirs(folder: Path) -> None:
    folder.mkdir()
    describe_fleet(folder, {"islands": 2, "name": "theirs", "settings": SETTINGS})


@pytest.mark.parametrize("make", [run_of_theirs, fleet_of_theirs])
def test_a_cluster_elsewhere_is_joined_only_if_the_person_names_it_now(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("wolfspider.drivers.cluster.ray_home._answers", asked.append)
    make(tmp_path / "theirs")
    assert main(["resume", str(tmp_path / "theirs")]) == 2
    assert f"begun on the Ray cluster at '{THEIRS}'" in capsys.readouterr().err
    assert asked == []


def test_programs_name_it_again_as_well(tmp_path: Path) -> None:
    run_of_theirs(tmp_path / "theirs")
    with pytest.raises(Problem, match="name it again by --cluster"):
        resume(tmp_path / "theirs")


def test_a_cluster_of_this_machine_is_joined_again() -> None:
    there = Settings(topic="spiders", cluster="auto")
    assert resumed_with(there, {"pages": 7}) == {**there.to_json(), "pages": 7}
    assert resumed_with(Settings(topic="spiders", cluster=THEIRS), {"cluster": ""})["cluster"] == ""
