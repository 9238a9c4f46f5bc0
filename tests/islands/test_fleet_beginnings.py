"""How a fleet begins in a folder: once, whoever else wants that folder at the same moment."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.islands.island_web import IslandWeb

from hunting_ground import SEED, TOPIC
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.files.lock import Lock
from wolfspider.islands.fleet import check_fleet, open_fleet, opened_fleet
from wolfspider.islands.island_process import settings_for
from wolfspider.store.fleet_folder import about_fleet
from wolfspider.store.folder import is_run
from wolfspider.store.sqlite import create

BEGIN = """
import sys
from pathlib import Path
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.core.errors import Busy
from wolfspider.islands.fleet import opened_fleet
print("ready", flush=True)
sys.stdin.readline()
try:
    with opened_fleet(Path(sys.argv[1]), Settings(urls=("http://a.test/",), topic="a", via=sys.argv[2]), 2) as head:
        head.turn()
        print("begun", flush=True)
        sys.stdin.readline()
except Busy as busy:
    print(busy, flush=True)
"""


@pytest.fixture
def via() -> Iterator[str]:
    """A server for all addresses, which says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_of_several_heads_that_begin_a_fleet_at_the_same_moment_one_does(tmp_path: Path, via: str) -> None:
    command = [sys.executable, "-c", BEGIN, str(tmp_path / "fleet"), via]
    heads = [subprocess.Popen(command, stdin=-1, stdout=-1, text=True, bufsize=1) for _ in range(4)]
    pipes = [(head.stdin, head.stdout) for head in heads if head.stdin and head.stdout]
    assert [out.readline() for _, out in pipes] == ["ready\n"] * 4
    for into, _ in pipes:
        into.write("go\n")
    told = sorted(out.readline() for _, out in pipes)
    for head in heads:
        head.communicate(timeout=60)
    assert told[-1] == "begun\n"
    assert all("fleet is in use by process" in line for line in told[:-1]), told
    assert [head.returncode for head in heads] == [0] * 4
    about_fleet(tmp_path / "fleet")


def test_a_folder_that_another_head_has_just_taken_is_left_as_it_is(tmp_path: Path, via: str) -> None:
    begun = Settings(urls=(SEED,), topic=TOPIC, via=via)
    taken = Lock(tmp_path / "lock")
    with pytest.raises(Busy, match="is in use by process"), opened_fleet(tmp_path, begun, 2):
        pass
    assert os.listdir(tmp_path) == ["lock"]
    taken.release()
    (tmp_path / "letters.txt").touch()
    (tmp_path / "lock").unlink()
    with pytest.raises(Problem, match=r"holds 'letters.txt'"), opened_fleet(tmp_path, begun, 2):
        pass
    assert os.listdir(tmp_path) == ["letters.txt"]
    with (
        pytest.raises(Problem, match="cannot be made: Not a directory"),
        opened_fleet(tmp_path / "letters.txt" / "fleet", begun, 2),
    ):
        pass


def test_no_run_is_made_where_a_fleet_began_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = Settings(urls=(SEED,), topic=TOPIC)
    monkeypatch.setattr("wolfspider.store.folder.make", lambda places: open_fleet(places.folder, begun, 2))
    with pytest.raises(BadInput, match="is a fleet"):
        create(tmp_path / "both", {"settings": {}}, info={"software": "test"})
    assert not is_run(tmp_path / "both")


def test_a_fleet_is_resumed_as_it_was_begun_or_not_at_all(tmp_path: Path) -> None:
    first = Settings(urls=(SEED,), topic=TOPIC)
    about = open_fleet(tmp_path / "fleet", first, 3)
    assert open_fleet(tmp_path / "fleet", first, 3) == about
    begin_an_island(tmp_path / "fleet", first)
    with pytest.raises(Problem, match=r"begun otherwise .islands was 3.\. Resume it by .* or name another folder"):
        open_fleet(tmp_path / "fleet", first, 4)
    with pytest.raises(Problem, match=rf"begun otherwise .topic was '{TOPIC}'"):
        open_fleet(tmp_path / "fleet", Settings(urls=(SEED,), topic="bread"), 3)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letters.txt").touch()
    with pytest.raises(Problem, match=r"holds 'letters.txt'"):
        open_fleet(tmp_path / "other", first, 3)


def begin_an_island(fleet: Path, settings: Settings) -> None:
    (fleet / "islands").mkdir(exist_ok=True)
    create(fleet / "islands" / "1", {"settings": settings.to_json()}, info={"software": "test"}).close()


def test_a_fleet_none_of_whose_islands_has_begun_pins_no_settings(tmp_path: Path, via: str) -> None:
    """Its cluster did not answer, say."""
    first = Settings(urls=(SEED,), topic=TOPIC, via=via)
    pytest.importorskip("ray")
    with pytest.raises(Problem, match="no Ray cluster"), opened_fleet(tmp_path / "fleet", first, 3, "127.0.0.1:1"):
        pass
    (tmp_path / "fleet" / "keepers").mkdir(exist_ok=True)
    (tmp_path / "fleet" / "budget.json").write_text('{"budget": 9, "limits": [9, 0, 0]}')
    with opened_fleet(tmp_path / "fleet", replace(first, topic="bread"), 2, given=["topic"]) as head:
        assert (head.count, head.ledger.limits) == (2, [0, 0])
    assert about_fleet(tmp_path / "fleet")["settings"]["topic"] == "bread"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--islands 4", "A watch is one crawl and has no islands"),
        ("--islands=4", "A watch is one crawl and has no islands"),
        ("--islands 4 --cluster auto", "A watch is one crawl and has no islands"),
        ("--config watch.toml", "A watch has no territory"),
        ("--out fleet", "a fleet watches nothing"),
    ],
)
def test_a_watch_has_no_islands_and_no_territory_and_says_so(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("watch.toml").write_text('territory = "1/2"\n')
    open_fleet(Path("fleet"), Settings(urls=(SEED,), topic=TOPIC), 2)
    assert main(["watch", SEED, "--via", "127.0.0.1:1", *words.split()]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert sorted(os.listdir()) == ["fleet", "watch.toml"]


def test_islands_watch_nothing() -> None:
    with pytest.raises(Problem, match="--watch does not work with --islands"):
        check_fleet(Settings(urls=(SEED,), topic=TOPIC, watch=True), 2)


def test_the_same_command_again_undoes_no_budget_that_was_raised_since(tmp_path: Path, via: str) -> None:
    begun, told = Settings(urls=(SEED,), topic=TOPIC, via=via, pages=120), list[str]()

    def budget(given: Settings, names: tuple[str, ...] = ("pages",), again: bool = False) -> int:
        told.clear()
        with opened_fleet(tmp_path / "fleet", given, 2, given=names, again=again, remark=told.append) as head:
            return head.ledger.budget

    assert budget(begun, again=True) == 120 and not told
    assert budget(replace(begun, pages=400)) == 400  # wolfspider resume --pages 400
    assert budget(begun, again=True) == 400
    (line,) = told
    assert line.startswith("pages stays 400: it was changed since the run was begun with 120. Change it back by: ")
    assert line.endswith(f"resume {tmp_path / 'fleet'} --pages 120")
    assert budget(begun, ()) == 400  # wolfspider resume
    assert budget(begun) == 120  # as it says
    assert budget(replace(begun, pages=60), again=True) == 60


def test_an_island_moves_the_limits_that_its_fleet_moves_and_keeps_what_was_steered(tmp_path: Path) -> None:
    begun = Settings(urls=(SEED,), topic=TOPIC, pages=50, slots=4, max_mb=10)
    now = replace(begun, pages=900, slots=9, max_mb=20, tries=7)
    assert settings_for(tmp_path / "island", now, ["slots"]) == now
    create(tmp_path / "island", {"settings": begun.to_json()}, info={"software": "test"}).close()
    assert settings_for(tmp_path / "island", now, ["slots", "pages"]) == replace(begun, slots=9, tries=7)


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--preset archive", "an island of a fleet asks those of its own alone: leave --requisites away, or give"),
        ("--preset corpus", "An island of a fleet sends its requests itself: leave --hands away, or give --hands 0"),
        ("--feed http://a.test/f", "an island of a fleet asks those of its own alone: leave --feed away."),
        ("--per-hour 1", "--per-hour 1 cannot be shared by 2 islands"),
        ("--chance 0.1", "--chance does not work with --islands"),
    ],
)
def test_what_a_fleet_refuses_is_told_in_its_words_and_before_a_dry_run(
    words: str, told: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["crawl", SEED, "--topic", TOPIC, "--via", "127.0.0.1:1", "--islands", "2", "--out", str(tmp_path / "f")]
    assert main([*command, *words.split(), *more]) == 2
    assert told in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_a_dry_run_lists_the_islands(capsys: pytest.CaptureFixture[str]) -> None:
    with IslandWeb().served() as web:
        command = ["crawl", SEED, "--topic", TOPIC, "--via", f"127.0.0.1:{web.port}", "--disk-floor", "0", "--dry-run"]
        assert main([*command, "--islands", "2", "--per-machine", "1"]) == 0
        told = capsys.readouterr().out.splitlines()
        assert main([*command, "--per-machine", "1"]) == 2
    assert {"  islands = 2  (command line)", "  per_machine = 1  (command line)"} <= set(told)
