from __future__ import annotations

import json

from wolfspider.bench.measure.folds import HOUR
from wolfspider.bench.measure.linked import Linked
from wolfspider.core.events import Began, Landed
from wolfspider.core.model import Link, Outcome, Page, Visit


def landed(visit: int, url: str, *links: str) -> Landed:
    page = Page(url, url, links=tuple(map(Link, links)), digest=f"{visit}", at=HOUR)
    return Landed(HOUR, Outcome(Visit(visit, Link(url), "a"), page, None, 1, 0.1, HOUR, False), "out", visit)


def test_degrees_are_of_the_links_that_were_looked_at() -> None:
    linked = Linked()
    for event in (
        Began(0.0, (), 10),
        landed(1, "http://n/1", "http://n/2", "http://n/3"),
        landed(2, "http://n/2", "http://n/3"),
    ):
        linked(event)
    row = linked.row()
    assert (row["pages"], row["links"]) == (2, 3)
    assert (row["into"]["values"], row["into"]["counts"]) == ([1, 2], [1, 1])
    assert (row["out_of"]["values"], row["out_of"]["counts"]) == ([1, 2], [1, 1])
    assert row["out_of"]["exponents"]["zeros"] == 1


def test_before_anything_was_read_there_are_no_estimates() -> None:
    row = json.loads(json.dumps(Linked().row(), allow_nan=False))
    assert row["into"]["exponents"]["raw"] is None
