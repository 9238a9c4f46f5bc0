"""A fleet of islands, for real: processes that crawl a served web, killed in mid-crawl, with one budget."""

from __future__ import annotations

import gc
import html
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.islands.island_web import IslandWeb

from hunting_ground import SEED, TOPIC
from wolfspider.app import steering
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.core.events import Ended, EndReason, Gauge, SetLimit
from wolfspider.core.model import host_of
from wolfspider.core.territory import owner_of
from wolfspider.export.export_tally import Exported
from wolfspider.export.exporting import export
from wolfspider.export.results import results
from wolfspider.export.run_search import search_run
from wolfspider.export.selection import Filters
from wolfspider.files.disk import DiskFull
from wolfspider.files.lock import Lock
from wolfspider.islands import keeper as keeper_module
from wolfspider.islands.fleet import FleetHead, check_fleet, open_fleet, opened_fleet, settings_of_island
from wolfspider.islands.keeper import MOST_DEATHS, IslandOrder, IslandReport, Keeper
from wolfspider.islands.keepers_on_ray import KeepersOnRay
from wolfspider.islands.lease_ledger import LeaseLedger
from wolfspider.report.run_page import report
from wolfspider.store.fleet_folder import BUDGET, STANDING, about_fleet, describe_fleet, run_of, runs_in, standing_of
from wolfspider.store.page_count import PageCount
from wolfspider.store.sqlite import create, open_run
from wolfspider.store.view import RunView
from wolfspider.terminal import fleet_standing
from wolfspider.terminal.standing import RunEnd, resume_command

DELAY = 0.05
SLOTS = 4


def settings(web: IslandWeb, pages: int) -> Settings:
    return Settings(
        urls=(SEED,),
        topic=TOPIC,
        via=f"127.0.0.1:{web.port}",
        pages=pages,
        delay=DELAY,
        adapt=0.0,
        slots=SLOTS,
        disk_floor=0,
    )


def check(web: IslandWeb, folder: Path, pages: int, killed: int) -> None:
    """What must hold whoever was killed: the budget to the last download, each host with one owner and its rests, no
    page twice; asked for twice is at most what was on its way when somebody was killed."""
    views = [RunView(run) for run in runs_in(folder)]
    assert sum(view.summary().downloads for view in views) == pages
    assert web.impolite(DELAY) == []
    asked = Counter((answered.host, answered.path) for answered in web.pages())
    assert sum(asked.values()) - len(asked) <= killed * SLOTS
    held = [page.final_url for view in views for page in view.pages()]
    assert len(held) == len(set(held))
    for view in views:
        island = int(view.folder.name) - 1
        assert {owner_of(host, len(views)) for host in view.hosts()} <= {island}


@pytest.mark.slow
def test_a_killed_island_goes_on_and_the_fleet_spends_exactly_its_budget(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill_one(reports: Sequence[IslandReport]) -> None:
        at_work = [report for report in reports if report.running and report.spent > 5]
        if not killed and at_work:
            killed.append(at_work[0].pid)
            os.kill(at_work[0].pid, signal.SIGKILL)

    with IslandWeb().served() as web:
        with opened_fleet(tmp_path / "fleet", settings(web, 150), 3, tell=kill_one) as head:
            assert head.run() == EndReason.BUDGET
        assert killed and sum(report.deaths for report in head.reports) == 1
        assert sum(report.spent > 0 for report in head.reports) > 1
        check(web, tmp_path / "fleet", 150, killed=1)
    read_as_one(tmp_path / "fleet", tmp_path / "pages.jsonl")


def read_as_one(fleet: Path, out: Path) -> None:
    """Every command that reads a run gives the pages of all islands, each once."""
    pages = [page for run in runs_in(fleet) for page in RunView(run).pages()]
    exported = export(fleet, "jsonl", out, stdout=sys.stdout.buffer)
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert exported.pages == len(told) == len(pages)
    assert {page["final_url"] for page in told} == {page.final_url for page in pages}
    assert all((fleet / page["warc_file"]).parent.is_dir() for page in told)
    out.unlink()
    assert export(fleet, "jsonl", out, Filters(best=7), stdout=sys.stdout.buffer).pages == 7
    best = [json.loads(line)["score"] for line in out.read_text().splitlines()]
    assert best == sorted((page.score for page in pages), reverse=True)[:7]
    hits = search_run(fleet, ["burrow"], limit=1000)
    assert len({owner_of(host_of(hit.final_url), 3) for hit in hits}) > 1
    assert len(list(results(fleet))) == len(pages)
    status = fleet_standing.status(fleet)
    assert (status["pages"], status["downloads"]) == (len(pages), 150)
    assert sum(island["pages"] for island in status["islands"]) == len(pages)
    page = report(fleet, time.time())
    best = max(pages, key=lambda page: page.score)
    assert f"of {len(pages)} pages, for 150 downloads." in page and best.final_url in page
    assert run_of(fleet, best.final_url).name == str(owner_of(best.host, 3) + 1)
    assert any("150 of 150 downloads" in line for line in fleet_standing.lines(fleet, time.time()))


@pytest.mark.slow
def test_after_the_head_was_killed_the_same_command_resumes_all_islands(tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    with IslandWeb(seconds=0.1).served() as web:
        words = ["--topic", TOPIC, "--via", f"127.0.0.1:{web.port}", "--pages", "120", "--delay", str(DELAY)]
        words += ["--adapt", "0", "--slots", str(SLOTS), "--disk-floor", "0", "--islands", "3", "--out", str(folder)]
        command = [sys.executable, "-m", "wolfspider", "crawl", SEED, *words]
        first = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while len(web.pages()) < 30 and time.monotonic() < until:
            time.sleep(0.05)
        first.kill()
        first.wait()
        again = subprocess.run(command, capture_output=True, text=True, timeout=90)
        assert again.returncode == 0, again.stderr
        assert "The budget is spent: 120 downloads." in again.stderr
        assert f"resume {folder} --pages 240" in again.stderr and f"export {folder} --relevant" in again.stderr
        assert "hosts" in again.stderr and "failures: " in again.stderr
        assert again.stderr.splitlines()[-2:] == fleet_standing.lines(folder, time.time())[-2:]
        check(web, folder, 120, killed=3)


@pytest.mark.slow
@pytest.mark.parametrize("lost", [False, True])
def test_a_budget_that_is_lowered_or_whose_ledger_is_lost_is_kept_to(tmp_path: Path, lost: bool) -> None:
    folder = tmp_path / "fleet"

    def end_soon(reports: Sequence[IslandReport]) -> None:
        if sum(report.spent > 5 for report in reports) > 1:
            head.end = "drain"

    with IslandWeb(seconds=0.1).served() as web:
        with opened_fleet(folder, settings(web, 400), 3, tell=end_soon) as head:
            assert head.run() == EndReason.INTERRUPTED
        spent = fleet_standing.status(folder)["downloads"]
        assert spent + 10 < sum(head.ledger.limits)
        if lost:
            (folder / BUDGET).unlink()
        with opened_fleet(folder, settings(web, spent + 10), 3) as head:
            assert head.run() == EndReason.BUDGET
        check(web, folder, spent + 10, killed=0)


@pytest.mark.slow
def test_a_fleet_that_a_limit_ended_says_so_and_goes_on_when_the_limit_is_raised(tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    with IslandWeb(seconds=0.1).served() as web:
        with opened_fleet(folder, replace(settings(web, 120), max_time=2.0), 2) as head:
            assert head.run() == EndReason.TIME
        assert fleet_standing.status(folder)["downloads"] < 120
        with opened_fleet(folder, replace(settings(web, 120), max_time=0.0), 2) as head:
            assert head.run() == EndReason.BUDGET
        check(web, folder, 120, killed=0)


@pytest.mark.slow
def test_on_ray_an_actor_that_dies_is_replaced_and_its_island_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    killed: list[int] = []

    def kill_one(reports: Sequence[IslandReport]) -> None:
        assert isinstance(head.home, KeepersOnRay)
        at_work = [number for number, report in enumerate(reports) if report.running and report.spent > 5]
        if not killed and at_work:
            killed.append(at_work[0])
            head.home.kill(at_work[0])

    with IslandWeb().served() as web:
        with opened_fleet(tmp_path / "fleet", settings(web, 120), 3, cluster="local", tell=kill_one) as head:
            assert head.run() == EndReason.BUDGET
        assert killed and head.lost == 1
        check(web, tmp_path / "fleet", 120, killed=1)


def test_an_island_that_cannot_begin_again_is_given_up_and_not_started_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its run says why it ended the last time, which is not why it ended now."""
    monkeypatch.setattr(keeper_module, "_FIRST_REST", 0.0)
    monkeypatch.setattr(Keeper, "_look_at_end", lambda self: ended(self, EndReason.BUDGET))
    keeper = keeper_that_starts(tmp_path, monkeypatch, "print('No.'); raise SystemExit(3)")
    order = IslandOrder(50).to_bytes()
    until = time.monotonic() + 30
    while (report := IslandReport.of(keeper.turn(order))).wants and time.monotonic() < until:
        time.sleep(0.02)
    keeper.close()
    assert (report.wants, report.deaths, report.trouble) == (False, MOST_DEATHS, "No.")


def test_an_island_whose_disk_is_full_ends_as_such_and_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Keeper, "_look_at_end", lambda self: ended(self, EndReason.BUDGET))
    keeper = keeper_that_starts(tmp_path, monkeypatch, "print('Full.'); raise SystemExit(7)")
    order = IslandOrder(50).to_bytes()
    until = time.monotonic() + 30
    while (report := IslandReport.of(keeper.turn(order))).wants and time.monotonic() < until:
        time.sleep(0.02)
    keeper.close()
    assert (report.why, report.deaths, report.trouble) == (EndReason.DISK, 0, "Full.")


def test_an_island_that_ends_before_it_reads_a_word_leaves_no_pipe_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Keeper, "_look_at_end", lambda self: ended(self, EndReason.BUDGET))
    keeper = keeper_that_starts(tmp_path, monkeypatch, "raise SystemExit(7)", waits=True)
    order = IslandOrder(50).to_bytes()
    until = time.monotonic() + 30
    while IslandReport.of(keeper.turn(order)).wants and time.monotonic() < until:
        time.sleep(0.02)
    keeper.close()
    gc.collect()  # since Python 3.13 a pipe with words that nobody took fails the test here


def ended(keeper: Keeper, why: EndReason) -> None:
    keeper._report = keeper._report._replace(why=why, running=False, pid=0)


def keeper_that_starts(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str, waits: bool = False) -> Keeper:
    """A keeper whose island is a process that does this. `waits`: it has ended before a word is said to it."""
    popen = subprocess.Popen

    def started(command: Sequence[str], **how: object) -> object:
        process = popen([sys.executable, "-c", program], **how)  # type: ignore[call-overload]
        if waits:
            process.wait()
        return process

    monkeypatch.setattr(subprocess, "Popen", started)
    begun = Settings(urls=(SEED,), topic=TOPIC, via="127.0.0.1:1")
    return Keeper(folder, 0, open_fleet(folder, begun, 1)["name"], begun)


def test_what_passes_between_head_and_keeper_is_the_same_on_both_sides() -> None:
    order = IslandOrder(50, [("http://a.test/\udc80", 0.5)], 7, "drain")
    report = IslandReport(3, 50, True, why="budget", links=[("http://b.test/", 1.0)], read=9, more=True)
    assert (IslandOrder.of(order.to_bytes()), IslandReport.of(report.to_bytes())) == (order, report)


def test_parts_of_a_limit_of_the_whole_fleet_never_add_up_to_more(tmp_path: Path) -> None:
    whole = Settings(urls=(SEED,), topic=TOPIC, via="127.0.0.1:1", max_mb=10, per_hour=10)
    part = settings_of_island(whole, 4)
    assert (part.max_mb, part.per_hour) == (2.5, 2)
    assert settings_of_island(replace(whole, max_mb=0, per_hour=0), 4).per_hour == 0
    check_fleet(whole, 10)
    with pytest.raises(Problem, match="--per-hour 10 cannot be shared by 11 islands"):
        check_fleet(whole, 11)


class NoKeepers:
    """Islands that have nothing to do, and why."""

    def __init__(self, *why: str) -> None:
        self.why = why or ("", "")

    def turns(self, orders: Sequence[bytes]) -> list[bytes | None]:
        return [IslandReport(why=why).to_bytes() for why in self.why]

    def machines(self) -> int:
        return 1

    def place(self, number: int, at_work: Collection[int], most: int) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize(("why", "reason"), [(("done", "disk"), EndReason.DISK), (("done", "waiting"), EndReason.DONE)])
def test_a_fleet_tells_what_ended_islands_that_could_go_on(
    tmp_path: Path, why: tuple[str, str], reason: EndReason
) -> None:
    assert FleetHead(tmp_path, 2, NoKeepers(*why), LeaseLedger(10, [0, 0])).run() == reason


def test_how_a_fleet_stands_is_written_through_no_link_and_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    for name in (STANDING, f".{STANDING}.part"):
        (tmp_path / name).symlink_to(tmp_path / "mine")
    assert FleetHead(tmp_path, 2, NoKeepers(), LeaseLedger(10, [0, 0])).run() == EndReason.DONE
    assert (tmp_path / "mine").read_text() == "precious"
    assert standing_of(tmp_path)["budget"] == 10
    (tmp_path / STANDING).unlink()
    os.mkfifo(tmp_path / STANDING)
    FleetHead(tmp_path, 2, NoKeepers(), LeaseLedger(20, [0, 0])).turn()
    assert standing_of(tmp_path)["budget"] == 20


def test_a_damaged_note_of_a_keeper_or_a_full_disk_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Settings(urls=(SEED,), topic=TOPIC, via="127.0.0.1:1")
    name = open_fleet(tmp_path, begun, 2)["name"]
    (tmp_path / "keepers").mkdir()
    (tmp_path / "keepers" / "1.db").write_bytes(b"junk" * 5000)
    with pytest.raises(BadInput, match=r"1\.db is damaged: .* Remove it"):
        Keeper(tmp_path, 0, name, begun)
    (tmp_path / "keepers" / "2.db-wal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Problem, match="cannot be written"):
        Keeper(tmp_path, 1, name, begun)
    (tmp_path / "keepers" / "2.db-wal").unlink()
    keeper = Keeper(tmp_path, 1, name, begun)
    keeper._links._connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(DiskFull):
        keeper.turn(IslandOrder(0, [(f"http://a{n}.test/{'x' * 1900}", 1.0) for n in range(100)]).to_bytes())
    keeper.close()


@pytest.mark.parametrize(
    "change", [{"name": None}, {"islands": True}, {"islands": 0}, {"settings": []}, {"per_machine": -1}]
)
def test_a_fleet_that_does_not_say_what_it_is_is_damaged(tmp_path: Path, change: dict[str, object]) -> None:
    describe_fleet(tmp_path, {"islands": 2, "name": "a", "settings": {}, **change})
    with pytest.raises(BadInput, match="is damaged"):
        about_fleet(tmp_path)


def test_what_is_for_one_run_says_what_to_name_of_a_fleet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "fleet"
    open_fleet(folder, Settings(urls=(SEED,), topic=TOPIC), 3)
    begin_islands(folder)
    for command in (["forget", "--down-to", "1"], ["repair"], ["steer", "pause"]):
        assert main([command[0], str(folder), *command[1:]]) == 3
        assert f"name an island of it, such as {folder}/islands/1" in capsys.readouterr().err
    assert main(["cluster", "status", str(folder)]) == 2
    assert f"wolfspider status {folder}" in capsys.readouterr().err
    assert f"check {folder}/islands/1. " in Exported(folder, damaged=1).told()


def test_an_island_is_not_crawled_beside_its_fleet_nor_given_more_than_its_lease(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet, island = tmp_path / "fleet", tmp_path / "fleet" / "islands" / "1"
    begun = Settings(urls=(SEED,), topic=TOPIC, disk_floor=0)
    with IslandWeb().served() as web:
        begun = replace(begun, via=f"127.0.0.1:{web.port}", territory="1/2", pages=5)
        open_fleet(fleet, replace(begun, territory=""), 2)
        create(island, {"settings": begun.to_json()}, info={"software": "test"}).close()
        (tmp_path / "link").symlink_to(island)
        again = ["--topic", TOPIC, "--via", begun.via, "--disk-floor", "0", "--territory", "1/2"]
        for words in (
            ["resume", island],
            ["resume", island, "--pages", "99"],
            ["resume", tmp_path / "link"],
            ["crawl", SEED, *again, "--out", island],
            ["crawl", SEED, *again, "--out", fleet / "islands" / "2"],
        ):
            assert main([*map(str, words), "--quiet"]) == 2
            told = capsys.readouterr().err
            assert "is an island of a fleet" in told and f"resume {fleet}`" in told
        for limit in ("pages=99", "max-mb=1", "per-hour=9"):
            assert main(["steer", str(island), "limit", limit]) == 2
            told = capsys.readouterr().err
            assert f"resume {fleet} --{limit.partition('=')[0]} N`" in told
        assert web.pages() == []
    assert not (fleet / "islands" / "2").exists()
    assert steering.command_for(island, "limit", ["slots=2"]) == SetLimit("slots", 2)


def test_islands_that_are_gone_or_have_not_begun_are_told(tmp_path: Path) -> None:
    open_fleet(tmp_path, Settings(urls=(SEED,), topic=TOPIC), 3)
    (tmp_path / "islands").mkdir()
    create(tmp_path / "islands" / "1", {"settings": {}}, info={"software": "test"}).close()
    (tmp_path / STANDING).write_text(json.dumps({"islands": [{"spent": 9}, {"spent": 9}, {"spent": 0}]}))
    *_, second, third = fleet_standing.lines(tmp_path, time.time())
    assert (second, third) == ("Island 2, gone: there is no run in its folder.", "Island 3 has not begun.")


def begin_islands(folder: Path) -> None:
    about = {"settings": about_fleet(folder)["settings"]}
    (folder / "islands").mkdir()
    for number in ("1", "2"):
        create(folder / "islands" / number, about, info={"software": "test"}).close()


def fleet_that_ended(folder: Path, why: str, **keeper: object) -> None:
    """Of two islands, which downloaded nothing."""
    open_fleet(folder, Settings(urls=(SEED,), topic=TOPIC, max_mb=3), 2)
    begin_islands(folder)
    (folder / STANDING).write_text(json.dumps({"why": why, "budget": 9, "islands": [keeper, {}]}))


@pytest.mark.parametrize(
    ("why", "keeper", "more"),
    [
        ("budget", {}, [" --pages 2"]),
        ("bytes", {}, [" --max-mb 6"]),
        ("interrupted", {}, [""]),
        ("done", {}, []),
        ("done", {"deaths": 5, "trouble": "No."}, [""]),
        ("", {}, []),
    ],
)
def test_a_fleet_that_ended_says_why_and_how_it_goes_on(
    tmp_path: Path, why: str, keeper: dict[str, object], more: list[str]
) -> None:
    fleet_that_ended(tmp_path, why, **keeper)
    told = fleet_standing.lines(tmp_path, time.time())
    resume = f"resume {tmp_path}"
    assert [line.partition(resume)[2] for line in told[1:] if resume in line] == more
    assert (resume in told[0]) == (not why)
    assert fleet_standing.status(tmp_path)["ended"] == (why or None)
    if why:
        assert [line for line in fleet_standing.ending(tmp_path) if line not in told] == []
        assert all(html.escape(line) in report(tmp_path, time.time()) for line in told[1:2])


def test_an_island_names_the_command_of_its_fleet(tmp_path: Path) -> None:
    fleet_that_ended(tmp_path, "budget")
    island = tmp_path / "islands" / "1"
    end = RunEnd(island, "budget", 58, PageCount(3, 1, 0, 0))
    assert end.why() == "What its fleet let it download is spent: 58 downloads."
    step, *_ = end.next_steps()
    assert step.endswith(f"status {tmp_path}")
    assert resume_command(island, pages=116).endswith(f"resume {tmp_path}")


def test_what_an_earlier_session_told_of_itself_is_not_how_an_island_stands_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was killed a moment after it wrote that down, or pages were forgotten since."""
    keeper = keeper_that_starts(tmp_path, monkeypatch, "import sys; sys.stdin.read()")
    store = create(tmp_path / "islands" / "1", {"settings": {}}, info={"software": "test"})
    store.gauge(Gauge(at=100.0, pages=30, relevant=4))
    store.commit()
    first = IslandReport.of(keeper.turn(IslandOrder(50).to_bytes()))
    store.gauge(Gauge(at=101.0, pages=1, relevant=1))
    store.commit()
    store.close()
    then = IslandReport.of(keeper.turn(IslandOrder(50).to_bytes()))
    keeper.close()
    assert (first.running, first.pages, first.relevant) == (True, 0, 0)
    assert (then.running, then.pages, then.relevant) == (True, 1, 1)


@pytest.mark.parametrize(
    ("running", "ended", "told", "doing"),
    [
        (True, "budget", {"wants": True}, "waiting for a lease"),
        (True, "done", {"wants": True, "waiting": 3}, "waiting for a lease"),
        (True, "done", {}, "waiting for links that others find"),
        (True, "time", {}, "ended: time"),
        (True, "", {"deaths": 5, "trouble": "No."}, "given up"),
        (False, "done", {}, "ended: done"),
        (False, "", {"wants": True}, "not at work"),
    ],
)
def test_an_island_that_waits_has_not_ended(
    tmp_path: Path, running: bool, ended: str, told: dict[str, object], doing: str
) -> None:
    fleet_that_ended(tmp_path, "", **told)
    if ended:
        store = open_run(tmp_path / "islands" / "1")
        store.hear(Ended(1.0, EndReason(ended), 0))
        store.commit()
        store.close()
    head = Lock(tmp_path / "lock") if running else None
    lines = fleet_standing.lines(tmp_path, time.time())
    assert f"Island 1, {doing}: 0 downloads, 0 relevant of 0 pages from 0 hosts" in lines
    if head is not None:
        head.release()


def test_a_fleet_is_checked_island_by_island(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "fleet"
    fleet_that_ended(folder, "budget")
    assert main(["check", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{run} is whole." for run in runs_in(folder)]
    broken = folder / "islands" / "2" / "run.db"
    broken.write_bytes(b"junk" * 5000)
    assert main(["check", str(folder), "--json"]) > 0
    told = json.loads(capsys.readouterr().out)
    assert (told["whole"], [island["whole"] for island in told["islands"]]) == (False, [True, False])
    (folder / "islands" / "1" / "run.json").unlink()
    assert main(["check", str(folder)]) > 0
    assert f"repair {folder}/islands/1" in capsys.readouterr().out


@pytest.mark.slow
def test_a_host_is_forgotten_wherever_it_is_in_a_fleet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "fleet"
    with IslandWeb().served() as web, opened_fleet(folder, settings(web, 60), 2) as head:
        head.run()
    for run in runs_in(folder):
        host = sorted(RunView(run).hosts())[0]
        assert main(["explain", str(folder), f"http://{host}/"]) == 0
        assert f"Its site belongs to the island {run}." in capsys.readouterr().out
        taken = Lock(folder / "lock")
        assert main(["forget", str(folder), host]) == Busy.code
        taken.release()
        assert main(["forget", str(folder), host]) == 0
        told = capsys.readouterr().out
        assert f"Forgot {host}: " in told and "No page of this host is asked for again" in " ".join(told.split())
        assert host not in RunView(run).hosts()
    assert main(["forget", str(folder)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2, "each once, though each island keeps both out"
    assert main(["forget", str(folder), "nowhere.test"]) == 0
    assert "holds nothing of nowhere.test" in capsys.readouterr().out
