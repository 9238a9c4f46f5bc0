"""Links that islands hand to each other: however many there are, a turn of the fleet looks at few."""

from __future__ import annotations

from pathlib import Path

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
