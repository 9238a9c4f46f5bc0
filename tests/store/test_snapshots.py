from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wolfspider.core import codec
from wolfspider.core.errors import BadInput
from wolfspider.learn.host_trust import HostTrust
from wolfspider.store import snapshots
from wolfspider.store.parsed_pages import NAMES
from wolfspider.store.sqlite import SqliteStore, create, open_run
from wolfspider.testing.rehearsal import Rehearsal


@given(some.text(), some.dictionaries(some.text(max_size=5), some.binary(max_size=50), max_size=4))
def test_what_is_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, text: str, arrays: dict[str, bytes]) -> None:
    folder = tmp_path_factory.mktemp("snapshots")
    name = snapshots.name_of(7, 3)
    saved = snapshots.save(folder, name, text, arrays)
    assert snapshots.load(folder / name, saved.digest) == (text, arrays)
    assert saved.bytes == (folder / name).stat().st_size
    assert (folder / name).stat().st_mode & 0o777 == 0o600


@given(place=some.integers(0, 400), value=some.integers(1, 255))
def test_one_wrong_byte_is_seen(tmp_path_factory: pytest.TempPathFactory, place: int, value: int) -> None:
    folder = tmp_path_factory.mktemp("snapshots")
    name = snapshots.name_of(1, 0)
    saved = snapshots.save(folder, name, "some text " * 20, {"a": b"12345678" * 20})
    data = bytearray((folder / name).read_bytes())
    data[place % len(data)] ^= value
    (folder / name).write_bytes(data)
    with pytest.raises(BadInput, match="damaged"):
        snapshots.load(folder / name, saved.digest)


@pytest.mark.parametrize("version", [1, 2])
def test_snapshots_of_earlier_versions_are_read(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "FORMAT", version)
    saved = snapshots.save(tmp_path, name := snapshots.name_of(7, 3), "text", {"a": b"1"})
    assert snapshots.load(tmp_path / name, saved.digest) == ("text", {"a": b"1"})


def test_a_snapshot_of_a_later_version_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "FORMAT", 3)
    saved = snapshots.save(tmp_path, name := snapshots.name_of(7, 3), "text", {})
    with pytest.raises(BadInput, match="its format is 3"):
        snapshots.load(tmp_path / name, saved.digest)


def run_with_snapshots(folder: Path) -> tuple[str, dict[str, bytes]]:
    store = create(folder, {}, info={"software": "test"})
    rehearsal = Rehearsal(store)
    rehearsal.run(12, snapshots=4)
    rehearsal.run(2)
    store.close()
    return codec.store(rehearsal.state())


def files(folder: Path) -> list[Path]:
    """The snapshots, and what one left unfinished."""
    return sorted(path for path in (folder / "snapshots").iterdir() if path.name not in NAMES)


def reopened(folder: Path) -> tuple[SqliteStore, int, tuple[str, dict[str, bytes]]]:
    """The store, where its snapshot stood, and the state it comes to."""
    store = open_run(folder)
    seq = store._start.seq
    return store, seq, codec.store(Rehearsal(store).state())


def test_the_last_two_are_kept(tmp_path: Path) -> None:
    run_with_snapshots(tmp_path / "run")
    assert len(files(tmp_path / "run")) == 2


@pytest.mark.parametrize("damage", ["torn", "gone", "empty", "pickle", "link", "folder"])
def test_a_damaged_snapshot_falls_back_to_the_one_before(damage: str, tmp_path: Path) -> None:
    state = run_with_snapshots(tmp_path / "run")
    older, newest = files(tmp_path / "run")
    harm(newest, damage, tmp_path / "owned")
    store, seq, again = reopened(tmp_path / "run")
    assert seq == int(older.name[:12]) and again == state
    store.close()
    assert not (tmp_path / "owned").exists()


def test_a_snapshot_that_is_dropped_is_told(tmp_path: Path) -> None:
    run_with_snapshots(tmp_path / "run")
    told: list[str] = []
    for said in ("", "1 of the snapshots"):
        open_run(tmp_path / "run", remark=told.append).close()
        assert [sentence.startswith(said) for sentence in told] == [True] * bool(said)
        files(tmp_path / "run")[-1].write_bytes(b"")


def harm(path: Path, damage: str, owned: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    if damage == "torn":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "pickle":
        path.write_bytes(f"cos\nmkdir\n(V{owned}\ntR.".encode())  # a pickle that makes a folder when it is loaded
    elif damage == "link":
        other = owned.with_name("data")
        other.write_bytes(data)
        path.symlink_to(other)
    elif damage == "folder":
        path.mkdir()


def test_without_any_snapshot_all_is_played_again(tmp_path: Path) -> None:
    state = run_with_snapshots(tmp_path / "run")
    for path in files(tmp_path / "run"):
        path.write_bytes(b"no longer")
    store, seq, again = reopened(tmp_path / "run")
    assert seq == 0 and again == state
    store.close()


def forge(run: Path, text: str) -> Path:
    """A newest snapshot of somebody who can write rows and files."""
    store = open_run(run)
    newest = files(run)[-1]
    forged = snapshots.save(newest.parent, newest.name, text, {})
    store.turn.connection.execute("UPDATE snapshots SET digest = ? WHERE file = ?", (forged.digest, newest.name))
    store.close()
    return newest


def test_a_tampered_snapshot_that_fits_its_digest_is_refused_too(tmp_path: Path) -> None:
    """Wrong data, perhaps, and still no code that is run."""
    state = run_with_snapshots(tmp_path / "run")
    newest = forge(tmp_path / "run", '{"~value": ["Popen", {}]}')
    store, seq, again = reopened(tmp_path / "run")
    assert again == state and seq < int(newest.name[:12])
    store.close()


def test_a_snapshot_whose_classes_are_not_loaded_is_not_taken_for_damaged(tmp_path: Path) -> None:
    state = run_with_snapshots(tmp_path / "run")
    forge(tmp_path / "run", '{"~helper": ["OfAnotherModule", {}]}')
    before, shelf = files(tmp_path / "run"), (tmp_path / "run" / "shelf").read_bytes()
    with pytest.raises(BadInput, match=r"is whole.*'OfAnotherModule'.*Import the module.*repair .*--anew"):
        open_run(tmp_path / "run")
    assert files(tmp_path / "run") == before and (tmp_path / "run" / "shelf").read_bytes() == shelf
    codec.helper(type("OfAnotherModule", (codec.StoredFields,), {}))
    try:
        store = open_run(tmp_path / "run")
        assert store._start.seq == int(before[-1].name[:12])
        store.close()
    finally:
        del codec.HELPERS["OfAnotherModule"]
    before[-1].unlink()
    store, _, again = reopened(tmp_path / "run")
    store.close()
    assert again == state


def test_whoever_opens_a_run_need_not_have_loaded_its_strategy() -> None:
    """In a process of its own, which has loaded none."""
    stored = codec.store(HostTrust())
    program = (
        "import json, sys; from wolfspider.store import snapshots; text, arrays = json.load(sys.stdin);"
        "assert not any('hunter' in name for name in sys.modules);"
        "print(type(snapshots.built(text, {name: bytes.fromhex(kept) for name, kept in arrays.items()})).__name__)"
    )
    text = json.dumps((stored[0], {name: kept.hex() for name, kept in stored[1].items()}))
    words = [sys.executable, "-c", program]
    told = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert told.stdout.strip() == "HostTrust", told.stderr


def test_a_name_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    run_with_snapshots(tmp_path / "run")
    outside = tmp_path / "precious.snapshot"
    outside.write_text("precious")
    store = open_run(tmp_path / "run")
    store.turn.connection.execute("UPDATE snapshots SET file = '../../precious.snapshot'")
    store.close()
    store, seq, _ = reopened(tmp_path / "run")
    store.close()
    assert seq == 0 and outside.read_text() == "precious"


def test_what_was_left_unfinished_is_tidied_away(tmp_path: Path) -> None:
    run_with_snapshots(tmp_path / "run")
    folder = tmp_path / "run" / "snapshots"
    (folder / f"{snapshots.name_of(99, 0)}.part").write_text("half")
    (folder / snapshots.name_of(98, 0)).write_text("never committed")
    (folder / "notes.txt").write_text("not ours")
    open_run(tmp_path / "run").close()
    assert len(files(tmp_path / "run")) == 3 and (folder / "notes.txt").exists()
