"""The islands of a fleet on the dashboard, and their figures for Prometheus."""

from __future__ import annotations

import json
from pathlib import Path

from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.metrics import metrics
from wolfspider.dashboard.workers import workers
from wolfspider.store.fleet_folder import ISLANDS, STANDING, describe_fleet

ISLAND = {"spent": 30, "lease": 50, "deaths": 2, "pages": 28, "relevant": 9, "rate": 1.5, "node": "a\nb", "waiting": 4}


def fleet(folder: Path, said: object) -> RunDesk:
    (folder / ISLANDS).mkdir(parents=True)
    describe_fleet(folder, {"islands": 2, "name": "x", "settings": {}})
    (folder / STANDING).write_text(json.dumps(said))
    return RunDesk(folder / ISLANDS)


def test_each_island_is_told_with_its_lease_and_its_deaths(tmp_path: Path) -> None:
    desk = fleet(tmp_path / "fleet", {"at": 5.0, "budget": 200, "free": 100, "lost": 1, "islands": [ISLAND, {}]})
    told = workers(desk)
    assert (told["budget"], told["free"], told["lost"], told["running"]) == (200, 100, 1, False)
    first, second = told["workers"]
    assert (first["downloads"], first["lease"], first["restarts"], first["links"]) == (30, 50, 2, 4)
    assert (first["machine"], first["run"], first["alive"]) == ("a b", "", False)
    assert second["downloads"] == 0
    lines = metrics(desk).splitlines()
    assert 'wolfspider_island_lease{island="1"} 50' in lines
    assert 'wolfspider_island_restarts{island="1"} 2' in lines
    assert "wolfspider_fleet_free 100" in lines
    assert not any("http" in line for line in lines)


def test_a_folder_of_runs_has_no_workers_and_strange_files_do_no_harm(tmp_path: Path) -> None:
    assert workers(RunDesk(tmp_path))["at"] is None
    assert "island" not in metrics(RunDesk(tmp_path))
    strange: list[object] = [[], {"islands": "many"}, {"islands": [1, {"spent": "x", "node": ["a"]}], "at": 1e400}]
    for number, said in enumerate(strange):
        told = workers(fleet(tmp_path / str(number), said))
        assert all(each["downloads"] == 0 for each in told["workers"])
