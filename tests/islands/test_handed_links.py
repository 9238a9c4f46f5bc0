"""Links that islands hand to each other: however many there are, a turn of the fleet looks at few."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.islands import handed_links
from wolfspider.islands.handed_links import AT_FIRST, OF_SITE, HandedLinks


def test_links_are_counted_as_they_come_and_go_and_after_a_restart(tmp_path: Path) -> None:
    links = HandedLinks(tmp_path / "1.db")
    links.take((f"http://a{n}.test/", f"a{n}.test", n / 100) for n in range(50))
    links.take([("http://a1.test/", "a1.test", 1.0)])  # again
    links.take((f"http://b.test/{n}", "b.test", 0.0) for n in range(2 * OF_SITE))
    assert (links.waiting(), links.told()) == (50 + OF_SITE, 0)
    due = links.due(0, idle=False)
    assert due == [f"http://a{n}.test/" for n in range(49, 49 - AT_FIRST, -1)]
    links.tell(due)
    links.tell(due)
    assert (links.waiting(), links.told()) == (30 + OF_SITE, AT_FIRST)
    links.close()
    again = HandedLinks(tmp_path / "1.db")
    assert (again.waiting(), again.told()) == (30 + OF_SITE, AT_FIRST)
    again.close()


def test_the_best_links_are_found_without_a_look_at_all(tmp_path: Path) -> None:
    links = HandedLinks(tmp_path / "1.db")
    asked: list[str] = []
    links._connection.set_trace_callback(asked.append)
    links.waiting()
    links.told()
    assert asked == []
    links.best(20)
    links._connection.set_trace_callback(None)
    (plan,) = links._connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}").fetchall()
    assert "SEARCH links USING COVERING INDEX by_score (told=?)" in plan[3]
    links.close()


def test_a_full_queue_drops_the_worst_that_wait_and_never_one_that_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handed_links, "MOST", 3)
    links = HandedLinks(tmp_path / "1.db")
    links.take((f"http://a{n}.test/", f"a{n}.test", n / 10) for n in range(1, 5))
    assert links.best(9) == ["http://a4.test/", "http://a3.test/", "http://a2.test/"]
    links.tell(["http://a4.test/"])
    links.take([("http://none.test/", "none.test", float("nan")), ("http://a2.test/", "a2.test", 0.9)])  # again
    links.take([("http://b.test/", "b.test", 0.25), ("http://c.test/", "c.test", 0.2)])  # as good as the worst
    assert links.best(9) == ["http://a3.test/", "http://b.test/", "http://a2.test/"]
    assert (links.waiting(), links.told()) == (3, 1)
    links.close()
    again = HandedLinks(tmp_path / "1.db")
    assert (again.waiting(), again.told()) == (3, 1)
    again.close()


def test_the_worst_is_found_without_a_look_at_all(tmp_path: Path) -> None:
    links = HandedLinks(tmp_path / "1.db")
    plan = links._connection.execute(f"EXPLAIN QUERY PLAN {handed_links.DROP_WORST}").fetchall()
    assert not any("SCAN" in row[3] or "TEMP B-TREE" in row[3] for row in plan)
    links.close()
