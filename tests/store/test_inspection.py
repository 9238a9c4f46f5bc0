"""A run looked at by others: its last whole snapshot, its shelf as it was then, and addresses like a given one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import wolfspider
from small_web import SMALL
from wolfspider.app.past_runs import glimpse
from wolfspider.core.errors import BadInput
from wolfspider.core.model import Link
from wolfspider.policy.link_shelf import Record
from wolfspider.store import inspection
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Ended twice, so that it has two snapshots."""

    async def main() -> None:
        async with serve(SMALL) as served:
            settings = {"topic": "wolf spiders", "via": f"127.0.0.1:{served.port}", "delay": 0.0, "adapt": 0.0}
            for pages in (1, 2):
                made = wolfspider.crawl("http://a.test/", out=tmp_path / "run", pages=pages, disk_floor=0, **settings)
                await asyncio.wait_for(made.run(), 60)

    asyncio.run(main())
    return tmp_path / "run"


def test_the_newest_snapshot_that_is_whole_is_taken(run: Path) -> None:
    view = RunView(run)
    newest = inspection.last_snapshot(view)
    assert newest is not None
    files = sorted((run / "snapshots").glob("0*"))
    assert len(files) == 2
    files[-1].write_bytes(files[-1].read_bytes()[:-40])
    older = inspection.last_snapshot(view)
    assert older is not None and older.seq < newest.seq
    files[0].unlink()
    assert inspection.last_snapshot(view) is None
    with glimpse(view) as seen:
        assert seen is None


def test_nothing_of_a_run_that_is_looked_at_changes(run: Path) -> None:
    def content() -> dict[str, bytes]:
        """Whatever lies there, but for the empty files that SQLite puts beside a database that is read."""
        return {str(path): path.read_bytes() for path in run.rglob("*") if path.is_file() and "db-" not in path.name}

    before = content()
    with glimpse(RunView(run)) as seen:
        assert seen is not None
        found = seen.strategy.explain("http://a.test/evil") or seen.strategy.explain("http://a.test/good")
        assert found["source"] == "http://a.test/"
        with pytest.raises(TypeError, match="read-only"):
            seen.strategy.shelf.put(Record(Link("http://x.test/"), "", None))
        with pytest.raises(TypeError, match="read-only"):
            seen.strategy.shelf.cut(0)
    assert content() == before


def test_a_shelf_that_is_gone_is_told(run: Path) -> None:
    (run / "shelf").unlink()
    with pytest.raises(BadInput, match="cannot be read"), glimpse(RunView(run)):
        pass


def test_addresses_like_one_that_is_unknown(run: Path) -> None:
    view = RunView(run)
    assert inspection.neighbours(view, "http://a.test/x")[0].startswith("http://a.test/")
    assert inspection.neighbours(view, "http://nothing-like-it.example/") == []


def test_what_is_known_of_a_host(run: Path) -> None:
    view = RunView(run)
    (rules,) = inspection.host_rows(view, "http://a.test")
    assert "Disallow: /forbidden" in rules["rules"][0]
    assert inspection.host_rows(view, "http://nobody.test") == []
