from __future__ import annotations

import contextlib
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from wolfspider.core import codec, events
from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.core.model import Capture, Fetch, Link, Page, Visit
from wolfspider.engine.entries import GrantEntry, LandEntry, ProposeEntry
from wolfspider.store.base import Store
from wolfspider.store.folder import about_run, is_run
from wolfspider.store.inbox import answer_to, append_command
from wolfspider.store.page_reader import BYTES_AT_HAND
from wolfspider.store.repair.examination import examine
from wolfspider.store.row_codec import packed_page, signed, unpacked_page, unsigned
from wolfspider.store.schema import FORMAT
from wolfspider.store.sqlite import SqliteStore, create, open_run
from wolfspider.store.view import RunView
from wolfspider.testing.rehearsal import Rehearsal, address
from wolfspider.testing.store_conformance import URL, Hand, answer

FIXTURES = Path(__file__).with_name("fixtures")


def position(view: RunView) -> int:
    """Of the last entry of the journal."""
    with view.moment() as connection:
        return int(connection.execute("SELECT MAX(seq) FROM log").fetchone()[0])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = create(tmp_path / "run", {"topic": "spiders"}, info={"software": "test"})
    yield made
    made.close()


def hand_of(store: Store) -> Hand:
    hand = Hand(store)
    hand.begin()
    return hand


# The folder


def test_a_run_says_what_it_is_and_is_its_owners_alone(store: SqliteStore) -> None:
    said = json.loads((store.folder / "run.json").read_text())
    assert said["format"] == FORMAT and said["about"] == {"topic": "spiders"} == about_run(store.folder)
    assert said["created"].endswith("+00:00") and said["wolfspider"]
    hand = hand_of(store)
    hand.bring(answer(URL, "words"))
    store.commit()
    store.snapshot({"a": 1})
    for path in [store.folder, *store.folder.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_store_is_a_store(store: SqliteStore) -> None:
    typed: Store = store
    assert typed.about == {"topic": "spiders"}


def test_a_run_is_not_made_twice(store: SqliteStore) -> None:
    with pytest.raises(Problem, match="resume it"):
        create(store.folder, {}, info={})


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    mode = tmp_path.stat().st_mode
    with pytest.raises(Problem, match=r"holds 'thesis\.txt'"):
        create(tmp_path, {}, info={})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"] and tmp_path.stat().st_mode == mode


def test_a_lost_archive_does_not_take_the_log_along(store: SqliteStore) -> None:
    hand_of(store).bring(answer(URL, "words"))
    store.commit()
    store.close()
    kept = (store.folder / "warc" / "00000.warc.gz").rename(store.folder.with_name("kept"))
    with pytest.raises(BadInput, match="missing"):
        open_run(store.folder)
    kept.rename(store.folder / "warc" / "00000.warc.gz")
    again = open_run(store.folder)
    assert len(list(again.past().entries)) == 3
    again.close()


def test_a_second_owner_is_refused(store: SqliteStore) -> None:
    with pytest.raises(Problem, match=f"process {os.getpid()} on "):
        open_run(store.folder)
    store.write(GrantEntry(0, True))  # the first is not disturbed


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    assert not is_run(tmp_path)
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(BadInput, match="not a run"):
            open_run(folder)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(BadInput, match="damaged"):
        open_run(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"format": 1, "about": {}}))
    with pytest.raises(BadInput, match=r"run\.db is missing"):
        open_run(tmp_path)
    (tmp_path / "run.db").write_bytes(b"this is no database " * 100)
    with pytest.raises(BadInput, match="damaged"):
        open_run(tmp_path)
    (tmp_path / "run.db").write_bytes(b"")
    with pytest.raises(BadInput, match="no database of a run"):
        open_run(tmp_path)


@pytest.mark.parametrize("place", ["description", "database"])
def test_a_newer_format_is_refused_with_both_numbers(store: SqliteStore, place: str) -> None:
    store.close()
    if place == "description":
        said = json.loads((store.folder / "run.json").read_text())
        (store.folder / "run.json").write_text(json.dumps({**said, "format": FORMAT + 6}))
    else:
        with sqlite3.connect(store.folder / "run.db") as connection:
            connection.execute(f"PRAGMA user_version = {FORMAT + 6}")
    for opening in (lambda: open_run(store.folder), lambda: RunView(store.folder)):
        with pytest.raises(BadInput, match=f"format {FORMAT + 6}, .* up to {FORMAT} "):
            opening()


@pytest.mark.parametrize("name", ["run.db", "lock", "warc", "shelf", "snapshots", "run.json"])
def test_links_that_lead_elsewhere_are_refused(store: SqliteStore, name: str, tmp_path: Path) -> None:
    store.close()
    (store.folder / name).rename(tmp_path / "elsewhere")
    (store.folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput):
        open_run(store.folder)
    with pytest.raises(BadInput):
        RunView(store.folder)


def test_a_folder_with_a_planted_link_is_not_made_a_run(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.db").symlink_to(tmp_path / "precious")
    with pytest.raises(BadInput, match="link"):
        create(tmp_path / "run", {}, info={})
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_disk_that_is_read_only_is_a_sentence(tmp_path: Path) -> None:
    run = tmp_path / "disk" / "run"
    run.parent.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(run.parent)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a disk")
    try:
        store = create(run, {}, info={"software": "test"})
        Rehearsal(store).run(3)
        store.close()
        subprocess.run(["mount", "-o", "remount,ro", str(run.parent)], check=True)
        with pytest.raises(Problem, match="Read-only"):
            open_run(run)
        with pytest.raises(Problem, match="Read-only"):
            create(run.parent / "other", {}, info={})
        assert position(RunView(run)) > 0  # it can still be read
    finally:
        subprocess.run(["umount", "-l", str(run.parent)], check=False)


def test_nothing_is_written_outside_the_run(tmp_path: Path) -> None:
    store = create(tmp_path / "run", {}, info={"software": "test"})
    hand = hand_of(store)
    for path in ("../../../etc/x", "%2e%2e/%2e%2e/y", "CON", "a" * 300, "ü\u202e", "x\x00y"):
        hand.bring(answer(f"http://a.test/{path}", "words"))
    store.commit()
    store.snapshot({})
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    names = {str(path.relative_to(tmp_path / "run")) for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert {name for name in names if not name.startswith("snapshots/")} <= {
        *("run.json", "run.db", "run.db-wal", "run.db-shm", "lock", "shelf", "warc/00000.warc.gz"),
    }


@pytest.mark.parametrize(
    "left", ["run.db", "run.db-journal", "run.db-wal", "run.db-shm", "run.json.part", ".run.json.part", "lock"]
)
def test_what_a_run_left_that_was_killed_while_it_was_made_is_no_obstacle(left: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.db").touch()  # always there when SQLite makes its files
    (folder / left).write_bytes(b"" if left == "lock" else b"torn")
    store = create(folder, {}, info={"software": "test"})
    hand_of(store).bring(answer("http://a.test/", "words"))
    store.commit()
    store.close()
    assert RunView(folder).summary().downloads == 1


def test_a_run_of_every_older_format_opens(tmp_path: Path) -> None:
    kept = sorted(FIXTURES.glob("format-*.tar.gz"))
    assert len(kept) == FORMAT
    for path in kept:
        with tarfile.open(path) as archive:
            archive.extractall(tmp_path / path.stem, filter="data")
        assert not [one for one in examine(tmp_path / path.stem / "run") if one.part == "run.db"]
        store = open_run(tmp_path / path.stem / "run")
        rehearsal = Rehearsal(store)
        assert rehearsal.crawl.spent > 10
        rehearsal.run()
        assert rehearsal.crawl.spent == 40
        store.close()
        assert RunView(tmp_path / path.stem / "run").summary().downloads == 40


# Pages, as they were


@pytest.mark.parametrize("encoding", ["", "gzip", "br"])
def test_a_page_is_recalled_as_it_was(store: SqliteStore, encoding: str) -> None:
    text = "<html lang=de><title>Über Spinnen</title><p>" + "Die Spinne spinnt Seide. " * 30 + "<a href=/x>паук</a>"
    body = text.encode()
    raw = {"": body, "gzip": gzip.compress(body), "br": brotli.compress(body)}[encoding]
    pairs = (
        ("Content-Type", "text/html"),
        ("X-Robots-Tag", "noindex"),
        ("Last-Modified", "Mon, 03 Nov 2025 00:00:00 GMT"),
    )
    pairs += (("Content-Encoding", encoding),) if encoding else ()
    capture = Capture("http://b.test/ziel", 1.79e9, 200, pairs, raw, "192.0.2.1")
    headers = {name.lower(): value for name, value in pairs}
    fetch = Fetch(
        URL, "http://b.test/ziel", 200, headers, body[:700], None, 0.3, 1.79e9, (URL,), captures=(capture,), cut=True
    )
    page = hand_of(store).bring(fetch)
    assert isinstance(page, Page) and page.robots and page.modified and page.near >= 0
    store.commit()
    store.close()
    again = open_run(store.folder)
    assert [entry.result for entry in again.past().entries if isinstance(entry, LandEntry)] == [page]
    hand_of(again).bring(fetch)
    held = again.recall(URL)
    assert held is not None and held.result == page
    assert again.validators(URL) == {}, "the copy is one of another address"
    assert again.validators("http://b.test/ziel") == {"last-modified": "Mon, 03 Nov 2025 00:00:00 GMT"}
    again.close()
    (row,) = RunView(store.folder).pages()
    assert (row.near, row.digest, row.title, row.hops) == (page.near, page.digest, page.title, (URL,))
    assert RunView(store.folder).body(row) == body[:700]


def test_a_page_without_a_body_is_kept_itself(store: SqliteStore) -> None:
    page = Page(URL, URL, "Parsed", ("some", "words"), (Link(URL, "a", block=(0, 2)),), near=(1 << 64) - 1, at=3.0)
    hand = hand_of(store)
    hand.land(hand.send(URL), Fetch(URL, URL, 200, at=3.0, page=page), page)
    store.commit()
    store.close()
    again = open_run(store.folder)
    assert [entry.result for entry in again.past().entries if isinstance(entry, LandEntry)] == [page]
    again.close()
    (row,) = RunView(store.folder).pages()
    assert row.near == (1 << 64) - 1 and row.place is None
    with pytest.raises(BadInput, match="never archived"):
        RunView(store.folder).body(row)


def test_what_a_source_answers_is_in_the_log_alone(store: SqliteStore) -> None:
    page = Page("leap:x", "leap:x", links=(Link(URL),))
    hand = hand_of(store)
    hand.land(hand.send("leap:x", "source"), None, page)
    store.commit()
    store.close()
    again = open_run(store.folder)
    assert [entry.result for entry in again.past().entries if isinstance(entry, LandEntry)] == [page]
    again.close()
    assert list(RunView(store.folder).pages()) == []


def test_a_held_page_lands_as_the_copy_that_was_recalled(store: SqliteStore) -> None:
    """Between the recall and the landing a newer copy may come."""
    hand = hand_of(store)
    old = hand.bring(answer(URL, "old words"))
    visit = hand.send(URL, "held")
    hand.bring(answer(URL, "new words", at=9.0))
    hand.land(visit, None, old)
    store.commit()
    store.close()
    again = open_run(store.folder)
    landed = [entry.result for entry in again.past().entries if isinstance(entry, LandEntry)]
    assert landed[0] == landed[2] == old != landed[1]
    again.close()


def test_texts_of_strangers_are_bounded_and_never_break_a_row(store: SqliteStore) -> None:
    hand = hand_of(store)
    wild = "\ud800 \x00 " + "x" * 100_000
    page = Page(URL, URL, wild, description=wild, at=1.0)
    visit = Visit(0, Link(URL, wild), wild[:50], "", {"nan": float("nan"), "long": wild, ("a", 1): {2}})
    store.write(ProposeEntry(1.0, 1, (), ("out",), (0,)))
    store.hear(events.Went(1.0, visit, "out"))
    hand.land(visit, Fetch(URL, URL, 200, at=1.0, page=page), page)
    store.hear(events.Noted(1.0, "odd", {"inf": float("inf"), "text": wild}))
    store.commit()
    (row,) = RunView(store.folder).pages()
    assert len(row.title) <= 2000
    (visited,) = RunView(store.folder).visits_of(URL)
    assert visited.note == {"too_long": visited.note["too_long"]}


@given(
    some.builds(
        Page,
        url=some.text(),
        final_url=some.text(),
        words=some.lists(some.text("ab é ")).map(tuple),
        near=some.integers(0, 2**64 - 1),
    )
)
def test_pages_are_packed_and_unpacked(page: Page) -> None:
    page = replace(page, counts_=None, links=tuple(Link(*link) for link in page.links))
    assert unpacked_page(packed_page(page)) == page


@given(some.integers(0, 2**64 - 1))
def test_signatures_fit_into_sqlite(number: int) -> None:
    assert unsigned(signed(number)) == number and -(2**63) <= signed(number) < 2**63


# Others


def test_commands_of_others_are_answered(store: SqliteStore) -> None:
    number = append_command(store.folder, events.SetLimit("pages", 5), "a person")
    other = append_command(store.folder, events.SetLimit("slots", -5), "a person")
    assert answer_to(store.folder, number) is None
    rehearsal = Rehearsal(store)
    rehearsal.step()
    obeyed, refused = answer_to(store.folder, number), answer_to(store.folder, other)
    assert obeyed is not None and obeyed["problem"] == "" and obeyed["old"] == 40
    assert refused is not None and "at least 1" in refused["problem"]
    assert rehearsal.crawl.limits.pages == 5


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 50_000, '{"~value": ["Page", []]}', '{"~helper": ["Frontier", {}]}', '"pause"', "null"]
)
def test_what_is_no_command_is_refused_and_the_run_goes_on(store: SqliteStore, text: str) -> None:
    with sqlite3.connect(store.folder / "run.db") as connection:
        connection.execute("INSERT INTO commands (at, who, data) VALUES (1, 'x', ?)", (text,))
    number = append_command(store.folder, events.SetLimit("pages", 5), "a person")
    rehearsal = Rehearsal(store)
    rehearsal.step()
    said = answer_to(store.folder, 1)
    assert said is not None and said["kind"] == "Refused"
    assert answer_to(store.folder, number) is not None
    rehearsal.run(5)
    store.close()
    again = open_run(store.folder)
    Rehearsal(again).run()
    again.close()


@pytest.mark.parametrize(
    "command", [events.SetTopic(("\x1b]0;x\x07",)), events.Label("host\x9b", good=True), events.Exclude("a\x00b")]
)
def test_a_command_with_control_characters_is_refused(store: SqliteStore, command: events.Command) -> None:
    """By a sentence to its sender; what another program wrote there, by an answer."""
    with pytest.raises(Problem, match="The command has control characters"):
        append_command(store.folder, command, "a person")
    with sqlite3.connect(store.folder / "run.db") as connection:
        values = (codec.store(command)[0],)
        connection.execute("INSERT INTO commands (at, who, data) VALUES (1, 'x', ?)", values)
    Rehearsal(store).step()
    said = answer_to(store.folder, 1)
    assert said is not None and said["kind"] == "Refused"


def flood(store: SqliteStore, count: int) -> None:
    row = codec.store(events.SetLimit("pages", 40))[0]
    append_command(store.folder, events.SetLimit("pages", 40), "a person")
    with contextlib.closing(sqlite3.connect(store.folder / "inbox.db")) as connection, connection:
        sql = "INSERT INTO commands (at, who, data) VALUES (1, 'x', ?)"
        connection.executemany(sql, ((row,) for _ in range(count - 1)))


def test_of_a_flood_of_commands_a_thousand_are_taken_and_the_others_are_told(store: SqliteStore) -> None:
    """Whoever comes while so many wait is told at once. When all are answered, commands are taken as before."""
    rehearsal = Rehearsal(store)
    rehearsal.step()
    flood(store, 5_000)
    with pytest.raises(Busy, match="5,000 commands wait for this run already"):
        append_command(store.folder, events.Pause(), "a person")
    for _ in range(6):
        rehearsal.step()
    answers = [answer_to(store.folder, number) for number in (1, 1_000, 1_001, 5_000)]
    assert [answer and answer["kind"] for answer in answers] == ["Obeyed", "Obeyed", "Refused", "Refused"]
    assert "More than 1,000 commands waited" in (answers[3] or {})["problem"]
    number = append_command(store.folder, events.SetLimit("pages", 39), "a person")
    rehearsal.step()
    assert (answer_to(store.folder, number) or {})["kind"] == "Obeyed"


def test_commands_that_were_taken_and_not_obeyed_are_taken_again_after_a_crash(store: SqliteStore) -> None:
    """Also where something that is no command came behind them."""
    append_command(store.folder, events.SetLimit("pages", 39), "a person")
    with sqlite3.connect(store.folder / "inbox.db") as connection:
        connection.execute("INSERT INTO commands (at, who, data) VALUES (1, 'x', 'nonsense')")
    flood(store, 3_000)
    assert [number for number, _ in store.commands()] == [1]
    store.commit()
    store.close()
    again = open_run(store.folder)
    assert [number for number, _ in again.commands()] == [1]
    again.close()


def test_a_command_too_long_is_refused(store: SqliteStore) -> None:
    with pytest.raises(Problem, match="too long"):
        append_command(store.folder, events.SetTopic(("x" * 2_000_000,)), "x")
    with sqlite3.connect(store.folder / "run.db") as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO commands (at, who, data) VALUES (1, 'x', ?)", ("x" * 2_000_000,))


def test_a_run_is_read_while_it_is_written(store: SqliteStore) -> None:
    rehearsal = Rehearsal(store)
    rehearsal.run(10)
    view = RunView(store.folder)
    pages = view.pages()
    first = next(pages)
    before = position(view)
    rehearsal.run(20)
    rest = list(pages)
    assert position(view) > before
    assert len(rest) + 1 < len(list(view.pages())), "one moment of the run, however long it takes"
    assert first.number < rest[0].number
    rehearsal.run()
    summary = view.summary()
    assert summary.downloads == 40 and summary.ended == "budget" and summary.started == 1_000_000.0
    assert summary.pages == len(list(view.pages())) and summary.hosts > 1
    assert summary.relevant == len(list(view.pages(relevant=True)))
    assert summary.failures["timeout"] > 0
    assert list(view.pages(since=1e12)) == []


def test_a_view_knows_pages_visits_and_landings_by_address(store: SqliteStore) -> None:
    hand = hand_of(store)
    hand.bring(answer(URL, "old words"), 0.1)
    hand.bring(answer(URL, "new words", at=7.0), 0.9)
    hand.bring(answer(URL, "gone", status=404))
    store.commit()
    view = RunView(store.folder)
    row = view.page(URL)
    assert row is not None and row.score == 0.9 and view.body(row) == b"new words"
    assert [visit.id for visit in view.visits_of(URL)] == [0, 1, 2]
    assert [landing.failure for landing in view.landings_of(URL)] == [None, None, "status"]
    assert view.page("http://nowhere.test/") is None
    assert [row.score for row in view.pages()] == [0.9]
    assert [kind for _, kind, _ in view.events()] == ["Began"]


def test_a_failure_is_archived_too(store: SqliteStore) -> None:
    hand_of(store).bring(answer(URL, "not here, and here is why", status=404))
    store.commit()
    assert store._archive.end().offset > 0


READER = """
import sys
from pathlib import Path
from wolfspider.store.view import RunView
print(len(list(RunView(Path(sys.argv[1])).pages())))
"""


def test_a_run_whose_owner_died_can_be_read(tmp_path: Path) -> None:
    child = Path(__file__).with_name("child.py")
    environment = {**os.environ, "WOLFSPIDER_FAILPOINT": "turn-committed:9"}
    subprocess.run([sys.executable, str(child), str(tmp_path / "run"), "20"], env=environment, timeout=60, check=False)
    reader = [sys.executable, "-c", READER, str(tmp_path / "run")]
    assert int(subprocess.run(reader, capture_output=True, text=True, timeout=60, check=True).stdout) > 0


# Playing again


def test_a_run_that_ended_goes_on(store: SqliteStore) -> None:
    """Ended is no part of the journal: it does not come again, and does not get in the way."""
    rehearsal = Rehearsal(store, pages=10)
    rehearsal.run()
    store.snapshot(rehearsal.state())
    store.close()
    for pages in (20, 30):
        again = open_run(store.folder)
        rehearsal = Rehearsal(again)
        rehearsal.crawl.command(events.SetLimit("pages", pages), rehearsal.crawl.now)
        rehearsal.run()
        assert rehearsal.crawl.spent == pages
        again.close()
    ended = [data["downloads"] for _, _, data in RunView(store.folder).events("Ended")]
    assert ended == [10, 20, 30]


@settings(max_examples=15, deadline=None)
@given(some.lists(some.sampled_from(["step", "snapshot", "die", "torn"]), max_size=25))
def test_any_life_ends_the_same(tmp_path_factory: pytest.TempPathFactory, life: list[str]) -> None:
    folder = tmp_path_factory.mktemp("life") / "run"
    store = create(folder, {}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=15)
    for deed in life:
        if deed == "step":
            rehearsal.run(3)
        elif deed == "snapshot" and rehearsal.crawl.flights:
            rehearsal.snapshot()
        elif deed in ("die", "torn"):
            if deed == "torn":
                rehearsal.land_one(rehearsal.crawl.now + 1)
            store.close()
            store = open_run(folder)
            rehearsal = Rehearsal(store, pages=15)
    rehearsal.run()
    assert rehearsal.crawl.spent == 15
    state = rehearsal.crawl.strategy.state()
    store.close()
    assert (state["gain"], state["proposed"]) == _undisturbed(tmp_path_factory)


_KNOWN: dict[str, tuple[float, int]] = {}


def _undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, int]:
    if not _KNOWN:
        store = create(tmp_path_factory.mktemp("whole") / "run", {}, info={"software": "test"})
        rehearsal = Rehearsal(store, pages=15)
        rehearsal.run()
        store.close()
        state = rehearsal.crawl.strategy.state()
        _KNOWN["x"] = (state["gain"], state["proposed"])
    return _KNOWN["x"]


def test_credits_of_a_turn_that_was_lost_are_paid_again(store: SqliteStore) -> None:
    """A credit is told before the turn it is paid for is written. If that turn is cut off, nothing is told twice."""
    rehearsal = Rehearsal(store)
    rehearsal.run(8)
    told = len(list(RunView(store.folder).events("Credited")))
    seq = store.turn.connection.execute("SELECT MAX(seq) FROM log WHERE kind = 'land'").fetchone()[0]
    store.turn.connection.execute("DELETE FROM log WHERE seq > ?", (seq,))
    store.turn.connection.execute("DELETE FROM visits WHERE seq > ?", (seq,))
    store.turn.connection.execute("DELETE FROM events WHERE seq > ?", (seq,))
    store.close()
    again = open_run(store.folder)
    Rehearsal(again).step()
    credits = [(data["visit"], data["reason"], data["due"]) for _, _, data in RunView(store.folder).events("Credited")]
    assert len(credits) == len(set(credits)) and len(credits) >= told
    again.close()


def test_the_disk_is_told_from_another_thread_while_the_run_goes_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wolfspider.store.database.LARGE_WAL", 0)  # so that every call moves the WAL too
    over = threading.Event()
    troubles: list[BaseException] = []

    def tend() -> None:
        while not over.is_set():
            try:
                store.sync()
            except BaseException as trouble:
                troubles.append(trouble)
                return

    thread = threading.Thread(target=tend)
    thread.start()
    rehearsal = Rehearsal(store)
    rehearsal.run(snapshots=10)
    over.set()
    thread.join()
    assert troubles == [] and rehearsal.crawl.spent == 40
    store.close()
    store.sync()  # too late, and harmless
    again = open_run(store.folder)
    assert Rehearsal(again).crawl.spent == 40
    again.close()


def test_an_unchanged_page_that_is_not_at_hand_is_kept_itself(store: SqliteStore) -> None:
    hand = hand_of(store)
    page = Page(URL, URL, "From elsewhere", digest="x", at=2.0)
    said = Capture(URL, 3.0, 304, (), b"")
    hand.land(hand.send(URL, fresh=True), Fetch(URL, URL, 304, at=3.0, captures=(said,)), page)
    store.commit()
    store.close()
    again = open_run(store.folder)
    assert [entry.result for entry in again.past().entries if isinstance(entry, LandEntry)] == [page]
    again.close()


def test_large_pages_are_not_all_kept_at_hand(store: SqliteStore) -> None:
    hand = hand_of(store)
    page = Page(URL, URL, words=("wolf",) * 100_000, digest="x", at=2.0)
    for number in range(60):
        url = f"{URL}{number}"
        page = replace(page, url=url, final_url=url)
        hand.land(hand.send(url, fresh=True), Fetch(url, url, 200, at=2.0, page=page), page)
        store.commit()
    at_hand = store._intake._pages._at_hand
    assert BYTES_AT_HAND // 2 < at_hand.bytes <= BYTES_AT_HAND and 0 < len(at_hand) < 60
    assert (held := store.recall(f"{URL}0")) and isinstance(held.result, Page) and len(held.result.words) == 100_000


def test_outcomes_of_held_visits_are_landings_too(store: SqliteStore) -> None:
    rehearsal = Rehearsal(store)
    rehearsal.run(30)
    hows = {landing.how for number in range(60) for landing in RunView(store.folder).landings_of(address(number))}
    assert {"out", "held"} <= hows


def test_nothing_can_be_written_after_trouble(store: SqliteStore) -> None:
    hand = hand_of(store)
    store.commit()
    os.close(store._archive._handle)
    with pytest.raises(Problem, match="can no longer be written"):
        hand.bring(answer(URL, "words"))
    store._archive._handle = os.open(os.devnull, os.O_WRONLY)
    with pytest.raises(Problem, match="can no longer be written"):
        hand.bring(answer(URL, "words"))
