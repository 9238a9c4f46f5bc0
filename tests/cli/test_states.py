"""`wolfspider states`: a model learned from a web and measured on one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wolfspider.bench.measure.state_models import Sample, check, opened
from wolfspider.cli import main
from wolfspider.learn.page_states import StateModel
from wolfspider.web.worlds.world import open_web

WEB = "synthetic:pages=1000,topics=16"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WOLFSPIDER_DEBUG", raising=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("states") / "new" / "mine.npz"
    assert (
        main(["states", "build", WEB, "--out", str(out), "--classes", "16", "--words", "3000", "--pages", "400"]) == 0
    )
    return out


def test_a_model_is_built(built: Path) -> None:
    model = StateModel.from_bytes(built.read_bytes())
    assert model.size == 16 and len(model.words) == 3000
    assert list(built.parent.iterdir()) == [built]


def test_the_same_command_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.npz"
    command = ["states", "build", WEB, "--out", str(again), "--classes", "16", "--words", "3000", "--pages", "400"]
    call = [sys.executable, "-m", "wolfspider", *command]
    subprocess.run(call, check=True, env={**os.environ, "PYTHONHASHSEED": "7"}, timeout=100, capture_output=True)
    assert again.read_bytes() == built.read_bytes()


def test_a_model_is_measured(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["states", "check", WEB, "--model", str(built), "--pages", "300", "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == "" and 0 < found["pages"] <= 300
    assert found["used"] < found["known"] and found["known_beyond_stop"] > 0.3
    assert found["distinct_calibrated"] > 0.9 >= found["distinct_faithful"]
    assert 1 / 17 < found["largest_posterior"] < 1


def test_the_model_that_ships_is_measured_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["states", "check", WEB, "--pages", "50"]) == 0
    out = capsys.readouterr().out
    assert "words known" in out and "distinct states, calibrated" in out


def test_states_alone_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["states"]) == 0
    assert "Usage: wolfspider states" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["build", WEB, "--out", "x", "--classes", "1"], 2, "--classes must be between 2 and 500, not 1."),
        (["build", WEB, "--out", "x", "--words", "9"], 2, "--words must be between"),
        (["build", WEB, "--out", "x", "--pages", "0"], 2, "--pages must be at least 1, not 0."),
        (["check", WEB, "--model", "nowhere.npz"], 3, "No states can be read from nowhere.npz"),
        (["check", "nowhere/"], 3, "There is no web at"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: list[str],
    code: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["states", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == "" and says in err and len(err.splitlines()) == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.parametrize("web", ["docs-small", "news-small"])
def test_the_model_that_ships_keeps_its_promise_on_real_webs(corpora: Path, tmp_path: Path, web: str) -> None:
    world = open_web(str(corpora / web), tmp_path)
    found = check(world, opened("default"), Sample(20_000), lambda done, total: None)
    assert found.known >= 0.6 and found.known_beyond_stop >= 0.6
    assert found.distinct_calibrated >= 0.3
