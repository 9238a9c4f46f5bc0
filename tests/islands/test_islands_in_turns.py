"""Islands that take turns, so many at a time for each machine: a machine that joins brings more of them to work."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.islands.island_web import IslandWeb
from tests.islands.test_islands import check, settings

from hunting_ground import SEED, TOPIC
from wolfspider.cli import main
from wolfspider.core.events import EndReason
from wolfspider.drivers.cluster.ray_home import ENVIRONMENT
from wolfspider.islands import fleet
from wolfspider.islands.fleet import FleetHead, open_fleet, opened_fleet
from wolfspider.islands.keeper import IslandOrder, IslandReport
from wolfspider.islands.keepers_on_ray import KeepersOnRay
from wolfspider.islands.lease_ledger import LeaseLedger
from wolfspider.store.fleet_folder import about_fleet


class Isles:
    """Islands that spend five downloads in a turn, or what their pace is, as long as they may, and have so much work
    each."""

    def __init__(self, work: Sequence[int], machines: int = 1, paces: Sequence[int] = ()) -> None:
        self.paces = paces or [5] * len(work)
        self.work, self.spent, self.limits = list(work), [0] * len(work), [0] * len(work)
        self.there, self.placed = machines, list[int]()
        self.most = 0  # at work in the last turn

    def turns(self, orders: Sequence[bytes]) -> list[bytes | None]:
        self.most = 0
        return [self._turn(number, IslandOrder.of(order).limit).to_bytes() for number, order in enumerate(orders)]

    def _turn(self, number: int, limit: int) -> IslandReport:
        self.limits[number] = max(limit, self.spent[number])
        running = self.spent[number] < min(limit, self.work[number])
        self.most += running
        self.spent[number] = min(self.spent[number] + self.paces[number], self.limits[number], self.work[number])
        wants = self.spent[number] < self.work[number]
        if not wants:
            self.limits[number] = self.spent[number]
        return IslandReport(self.spent[number], self.limits[number], running, wants)

    def machines(self) -> int:
        return self.there

    def place(self, number: int, at_work: Collection[int], most: int) -> None:
        assert number not in at_work and len(at_work) < most * self.there
        self.placed.append(number)

    def close(self) -> None:
        pass


def test_all_islands_take_turns_and_never_more_than_may_are_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "EVERY", 0.0)
    isles, seen = Isles([1000] * 6, machines=2), list[int]()
    head = FleetHead(tmp_path, 6, isles, LeaseLedger(900, [0] * 6), lambda _: seen.append(isles.most), per_machine=2)
    assert head.run() == EndReason.BUDGET
    assert sum(isles.spent) == 900 and min(isles.spent) > 100
    assert max(seen) == 4 and set(isles.placed) == set(range(6))


def test_an_island_that_has_nothing_left_makes_room_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "EVERY", 0.0)
    isles = Isles([7, 0, 30, 500])
    assert FleetHead(tmp_path, 4, isles, LeaseLedger(5000, [0] * 4), per_machine=1).run() == EndReason.DONE
    assert isles.spent == isles.work


def test_an_island_that_dawdles_gives_back_its_lease_when_its_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("wolfspider.islands.fleet.time.monotonic", lambda: now[0])
    isles = Isles([100_000] * 3, paces=[0, 5, 5])  # the first makes no download at all
    head = FleetHead(tmp_path, 3, isles, LeaseLedger(4000, [0] * 3), per_machine=1)
    for _ in range(3000):
        now[0] += 1.0
        head.turn()
        assert isles.most <= 1 and sum(head.ledger.limits) <= 4000
    assert isles.spent[0] == 0 and min(isles.spent[1:]) > 1000


def test_a_machine_that_joins_brings_more_islands_to_work_and_one_that_leaves_fewer(tmp_path: Path) -> None:
    isles = Isles([10_000] * 9)
    head = FleetHead(tmp_path, 9, isles, LeaseLedger(50_000, [0] * 9), per_machine=2)

    def at_work_with(machines: int) -> int:
        isles.there = machines
        for _ in range(300):
            head.turn()
        return isles.most

    assert [at_work_with(machines) for machines in (1, 2, 4, 1, 0)] == [2, 4, 8, 2, 0]


@pytest.mark.slow
def test_islands_that_take_turns_spend_exactly_their_budget_politely(tmp_path: Path) -> None:
    at_work: list[int] = []

    def look(reports: Sequence[IslandReport]) -> None:
        at_work.append(sum(report.running for report in reports))

    with IslandWeb().served() as web:
        with opened_fleet(tmp_path / "fleet", settings(web, 90), 3, tell=look, per_machine=1) as head:
            assert head.run() == EndReason.BUDGET
        assert max(at_work) == 1 and sum(report.spent > 0 for report in head.reports) > 1
        check(web, tmp_path / "fleet", 90, killed=0)


@pytest.mark.slow
def test_on_ray_a_machine_that_joins_gets_islands_that_waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two machines that are raylets of this one. The second joins in mid-crawl."""
    pytest.importorskip("ray")
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    from ray.cluster_utils import Cluster

    plain: dict[str, Any] = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args=plain, shutdown_at_exit=False)
    at_work: dict[int, int] = {1: 0, 2: 0}
    machines: set[str] = set()

    def look(reports: Sequence[IslandReport]) -> None:
        assert isinstance(head.home, KeepersOnRay)
        there = head.home.machines()
        running = [number for number, report in enumerate(reports) if report.running]
        at_work[there] = max(at_work[there], len(running))
        machines.update(head.home._at[number] for number in running)
        if there == 1 and sum(report.spent for report in reports) > 20:
            cluster.add_node(**plain)

    try:
        with IslandWeb(seconds=0.1).served() as web:
            parts = (tmp_path / "fleet", settings(web, 150), 4, cluster.address, look, 1)
            with opened_fleet(*parts) as head:
                assert head.run() == EndReason.BUDGET
            check(web, tmp_path / "fleet", 150, killed=0)
    finally:
        cluster.shutdown()
    assert (at_work, len(machines)) == ({1: 1, 2: 2}, 2)


def test_how_many_are_at_work_is_kept_with_the_fleet_and_is_of_no_use_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = ["crawl", SEED, "--topic", TOPIC, "--via", "127.0.0.1:1", "--per-machine", "2"]
    assert main([*begun, "--out", str(tmp_path / "run")]) == 2
    assert "--per-machine is for a fleet" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    kept = []
    for given in (2, None, 3, None, 0):
        open_fleet(tmp_path / "fleet", settings(IslandWeb(), 10), 3, given)
        kept.append(about_fleet(tmp_path / "fleet")["per_machine"])
    assert kept == [2, 2, 3, 3, 0]
