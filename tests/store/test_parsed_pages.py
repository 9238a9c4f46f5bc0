"""Pages as they were parsed, kept for a resume: it need not parse them, and does if they are damaged or gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.store import page_reader, parsed_pages
from wolfspider.store.parsed_pages import NAMES, ParsedPages
from wolfspider.store.sqlite import create, open_run
from wolfspider.testing.rehearsal import Rehearsal
from wolfspider.web.page.main_text import read_page


def page(number: int) -> Page:
    return Page(f"http://a.test/{number}", f"http://a.test/{number}", words=("spider", "паук") * (1 + number % 5))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Killed in mid-crawl."""
    store = create(tmp_path / "run", {}, info={"software": "test"})
    Rehearsal(store).run(25, snapshots=10)
    store.close()
    return tmp_path / "run"


def resumed(run: Path) -> object:
    store = open_run(run)
    rehearsal = Rehearsal(store)
    state = rehearsal.state()
    store.close()
    return repr(state["crawl"]["fields"])


def test_a_resume_parses_no_page_again_that_came_since_the_snapshot(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: set[float] = set()

    def noted(fetch: Fetch, **how: bool) -> Page | Failure:
        parsed.add(fetch.at)
        return read_page(fetch, **how)

    monkeypatch.setattr(page_reader, "read_page", noted)
    store = open_run(run)
    (snapshot,) = store.turn.one("SELECT MAX(seq) FROM snapshots")
    assert sum(1 for _ in store.past().entries) > 5
    new = {at for (at,) in store.turn.connection.execute("SELECT at FROM pages WHERE seq > ?", (snapshot,))}
    assert new and not new & parsed
    store.close()


@pytest.mark.parametrize("what", ["gone", "empty", "garbage", "torn", "folder"])
def test_without_them_it_ends_in_the_same_state(run: Path, what: str) -> None:
    before = resumed(run)
    for name in NAMES:
        path = run / "snapshots" / name
        data = path.read_bytes()
        path.unlink()
        if what == "folder":
            path.mkdir()
        elif what != "gone":
            path.write_bytes({"empty": b"", "garbage": b"\xff" * 1000, "torn": data[: len(data) // 2]}[what])
    assert resumed(run) == before


@settings(deadline=None, max_examples=50)
@given(count=some.integers(1, 20), at=some.integers(0, 10**6), flip=some.integers(1, 255))
def test_a_byte_that_is_another_gives_the_page_that_was_kept_or_none(
    tmp_path_factory: pytest.TempPathFactory, count: int, at: int, flip: int
) -> None:
    folder = tmp_path_factory.mktemp("parsed")
    kept = ParsedPages(folder)
    for number in range(1, count + 1):
        kept.keep(number, page(number))
    kept.flush()
    kept.close()
    data = bytearray((folder / NAMES[0]).read_bytes())
    data[at % len(data)] ^= flip
    (folder / NAMES[0]).write_bytes(data)
    again = ParsedPages(folder)
    assert all(again.get(number) in (None, page(number)) for number in range(1, count + 1))
    again.close()


def test_pages_are_kept_until_the_snapshot_behind_them_is_saved_and_no_longer(tmp_path: Path) -> None:
    kept = ParsedPages(tmp_path)
    for number in range(1, 10):
        kept.keep(number, page(number))
        if number in (3, 6):
            kept.turn_over()
    kept.flush()
    kept.close()
    again = ParsedPages(tmp_path)
    assert [number for number in range(1, 10) if again.get(number)] == [4, 5, 6, 7, 8, 9]
    again.keep(10, page(10))
    again.flush()
    again.close()
    assert ParsedPages(tmp_path).get(10) == page(10)


def test_they_take_no_more_of_the_disk_than_they_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed_pages, "LARGEST", 2_000)
    kept = ParsedPages(tmp_path)
    for number in range(100):
        kept.keep(number, page(number))
        kept.flush()
    assert sum((tmp_path / name).stat().st_size for name in NAMES) <= 2_000
    kept.close()
