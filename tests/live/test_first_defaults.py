"""Runs keep the parameters they began with, whatever the defaults become.

`fixtures/first-defaults.tar.gz` has two runs, stopped in the middle, from a time when the papers' values were the
defaults and run.json did not name parameters: `Hosts(3, 12)` from http://h0.test/, 15 of 30 downloads.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, Told, go_on, hunt

from wolfspider import Settings
from wolfspider.app.assemble import first_params, params_of
from wolfspider.core.errors import BadInput
from wolfspider.core.params import chosen
from wolfspider.strategies.energy.knowledge import EnergyParams
from wolfspider.strategies.lafc import LafcParams
from wolfspider.strategies.shark import SharkParams
from wolfspider.strategies.tagpath_bandit import TagpathBanditParams
from wolfspider.web.server.serve import serve

OLD = Path(__file__).with_name("fixtures") / "first-defaults.tar.gz"
PRINTED: dict[str, dict[str, Any]] = {
    "lafc": {"control": 0.8, "similarity": "restricted", "fallback": "none"},
    "energy": {"agents": 200, "most": 250, "least": 50},
}
KINDS = {"lafc": LafcParams, "energy": EnergyParams}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with tarfile.open(OLD) as archive:
        archive.extractall(tmp_path / "old", filter="data")
    return tmp_path / "old"


def params(told: Told) -> dict[str, Any]:
    assert told.hunt is not None and told.hunt.crawl is not None
    return vars(told.hunt.crawl.strategy.params)


@pytest.mark.parametrize("replayed", ["since its snapshot", "from the start"])
@pytest.mark.parametrize("name", PRINTED)
def test_a_run_from_before_keeps_to_the_papers(name: str, replayed: str, old: Path) -> None:
    """Replay compares what it computes with the journal: with other parameters it would refuse to go on."""
    if replayed == "from the start":
        shutil.rmtree(old / name / "snapshots")

    async def main() -> Told:
        async with serve(Hosts(3, 12)) as server:
            return await go_on(old / name, via=f"127.0.0.1:{server.port}")

    told = asyncio.run(main())
    assert told.downloads == 30 and PRINTED[name].items() <= params(told).items()


@pytest.mark.parametrize("name", PRINTED)
def test_a_run_that_learns_from_one_from_before_has_the_defaults_of_now(name: str, old: Path, tmp_path: Path) -> None:
    async def main() -> Told:
        async with serve(Hosts(3, 12)) as server:
            given: dict[str, Any] = {"strategy": name, "learned_from": str(old / name), "judge": "classifier"}
            return await hunt(server.port, "http://h0.test/", out=tmp_path / "new", pages=20, **given)

    told = asyncio.run(main())
    assert told.downloads > 0 and params(told) == vars(KINDS[name]())
    kept = json.loads((tmp_path / "new" / "run.json").read_text())["about"]["params"]
    assert kept == {key: str(value) for key, value in params(told).items()}


def test_parameters_are_those_that_run_json_names_and_the_papers_for_the_rest() -> None:
    settings = Settings(strategy="energy", set={"beta": "7"})
    assert params_of(settings, {"params": first_params(settings)}) == EnergyParams(beta=7.0)
    assert params_of(settings, {}) == EnergyParams(beta=7.0, **PRINTED["energy"])
    some = params_of(settings, {"params": {"agents": "7", "gone": "1"}})
    assert some == EnergyParams(**{**PRINTED["energy"], "agents": 7})
    with pytest.raises(BadInput, match=r"run\.json is damaged"):
        params_of(settings, {"params": ["agents"]})


def test_a_bandit_over_tag_paths_keeps_what_was_its_default() -> None:
    bandit = Settings(strategy="tagpath-bandit")
    before = params_of(bandit, {"params": {"start": "1", "pays": "page"}})
    assert before == TagpathBanditParams(start=1, pays="page")
    assert params_of(bandit, {"params": first_params(bandit)}) == chosen(TagpathBanditParams, {"letter": True})


def test_shark_never_had_the_papers_smell_before() -> None:
    assert params_of(Settings(strategy="shark"), {}) == SharkParams(smell=0.5)
    assert params_of(Settings(strategy="shark"), {"params": {"smell": "0.0"}}) == SharkParams(smell=0.0)
    by_letter = Settings(strategy="shark", set={"letter": "true"})
    assert params_of(by_letter, {"params": first_params(by_letter)}) == SharkParams(smell=0.0)
