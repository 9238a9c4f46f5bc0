"""What a fleet forgot stays out on every island, also on one that begins later; what is wrong with a fleet is told."""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.islands.test_islands import fleet_that_ended

from hunting_ground import SEED, TOPIC
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Problem
from wolfspider.islands.fleet import allow_handles, open_fleet, write_budget
from wolfspider.islands.fleet_check import examine_fleet
from wolfspider.islands.handed_links import HandedLinks
from wolfspider.islands.keeper import Keeper
from wolfspider.islands.lease_ledger import LeaseLedger
from wolfspider.store.fleet_folder import about_fleet
from wolfspider.store.sqlite import create

HOST, URL = "secret.test", "http://secret.test/page"


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Three islands, of which the first has begun."""
    folder = tmp_path / "fleet"
    open_fleet(folder, Settings(urls=(SEED,), topic=TOPIC, via="127.0.0.1:1"), 3)
    (folder / "islands").mkdir()
    begin(folder, 1)
    return folder


def begin(fleet: Path, number: int) -> frozenset[str]:
    """An island; and what it keeps out from its beginning."""
    about = {"settings": about_fleet(fleet)["settings"]}
    with closing(create(fleet / "islands" / str(number), about, info={"software": "test"})) as store:
        return store.forgotten()


def test_an_island_that_begins_later_keeps_out_what_the_fleet_forgot(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["forget", str(fleet), HOST]) == 0
    assert "No page of this host is asked for again" in " ".join(capsys.readouterr().out.split())
    assert begin(fleet, 2) == {HOST}
    settings = Settings.from_json(about_fleet(fleet)["settings"])
    keeper = Keeper(fleet, 2, about_fleet(fleet)["name"], settings)
    assert keeper._scope.forgot(URL) and keeper._own_scope.forgot(URL)
    keeper.close()
    assert main(["explain", str(fleet / "islands" / "2"), URL]) == 0
    assert HOST in capsys.readouterr().out
    assert main(["forget", str(fleet)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith(f"{HOST}: 0 pages")


def test_a_damaged_island_is_told_before_any_other_forgets(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(fleet, 2)
    (fleet / "islands" / "2" / "run.json").unlink()
    assert main(["forget", str(fleet), HOST]) == BadInput.code
    assert "repair" in (told := capsys.readouterr().err) and "islands/2" in told
    assert main(["forget", str(fleet / "islands" / "1")]) == 0
    assert "has forgotten nothing" in capsys.readouterr().out
    assert not (fleet / "forgotten.json").exists()


def test_forgetting_goes_through_no_link(fleet: Path, tmp_path: Path) -> None:
    begin(fleet, 2)
    shutil.move(fleet / "islands" / "2", tmp_path / "elsewhere")
    (fleet / "islands" / "2").symlink_to(tmp_path / "elsewhere")
    assert main(["forget", str(fleet), HOST]) == BadInput.code
    assert not (fleet / "forgotten.json").exists()


def cut_budget(fleet: Path) -> None:
    (fleet / "budget.json").write_text('{"budg')


def of_another_number(fleet: Path) -> None:
    write_budget(fleet, LeaseLedger(9, [1, 2, 3]))


def lost_island(fleet: Path) -> None:
    write_budget(fleet, LeaseLedger(9, [4, 5]))
    shutil.rmtree(fleet / "islands" / "2")


def one_too_many(fleet: Path) -> None:
    shutil.copytree(fleet / "islands" / "2", fleet / "islands" / "3")


def noted_wrongly(fleet: Path) -> None:
    (fleet / "keepers").mkdir()
    HandedLinks(fleet / "keepers" / "2.db").close()
    with closing(sqlite3.connect(fleet / "keepers" / "2.db")) as connection:
        connection.execute("INSERT INTO notes VALUES ('limit', 'abc')")
        connection.commit()


def cut_notes(fleet: Path) -> None:
    (fleet / "keepers").mkdir()
    (fleet / "keepers" / "1.db").write_bytes(b"SQLite format 3\0" + b"junk" * 500)


def wrong_settings(fleet: Path) -> None:
    said = json.loads((fleet / "fleet.json").read_text())
    said["about"]["limits"] = {"pages": "x"}
    (fleet / "fleet.json").write_text(json.dumps(said))


def cut_list(fleet: Path) -> None:
    (fleet / "forgotten.json").write_text('{"entries": [{"what": "a", "at": 1, "pages": 0, "keeps_out": "abc"}]')


@pytest.mark.parametrize(
    ("damage", "part"),
    [
        (cut_budget, "budget.json"),
        (of_another_number, "budget.json"),
        (lost_island, "islands"),
        (one_too_many, "islands"),
        (noted_wrongly, "keepers/2.db"),
        (cut_notes, "keepers/1.db"),
        (wrong_settings, "fleet.json"),
        (cut_list, "forgotten.json"),
    ],
)
def test_what_is_wrong_with_a_fleet_itself_is_found(
    damage: Callable[[Path], None], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "fleet"
    fleet_that_ended(folder, "budget")
    assert examine_fleet(folder) == []
    damage(folder)
    assert main(["check", str(folder), "--json"]) > 0
    told = json.loads(capsys.readouterr().out)
    assert not told["whole"] and [finding["part"] for finding in told["findings"]] == [part]
    assert str(folder) in told["findings"][0]["sentence"]


def test_a_note_that_is_no_number_is_damage(fleet: Path) -> None:
    noted_wrongly(fleet)
    with pytest.raises(BadInput, match=r"2\.db is damaged: .* Remove it"):
        Keeper(fleet, 1, about_fleet(fleet)["name"], Settings.from_json(about_fleet(fleet)["settings"]))


def test_handles_for_all_keepers_are_allowed_or_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: raised.append(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 4096))
    allow_handles(10)
    assert raised == []
    allow_handles(120)
    assert raised == [(820, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, resource.RLIM_INFINITY))
    allow_handles(1000)
    assert raised[1] == (6100, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 256))
    with pytest.raises(Problem, match="120 islands need about 820 open files"):
        allow_handles(120)
