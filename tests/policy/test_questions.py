"""Which pages a teacher is asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.events import Label, Landed, Obeyed
from wolfspider.core.model import Link, Outcome, Page, Route, Verdict, Visit
from wolfspider.policy import questions
from wolfspider.policy.questions import FIRST, LONGEST, Doubtful, Questions, chosen, due


def landed(number: int, score: float, links: int = 0, **evidence: object) -> Landed:
    url = f"http://h{number}.test/"
    page = Page(url, url, links=tuple(Link(f"http://x.test/{each}") for each in range(links)))
    verdict = Verdict(score, score >= 0.5, evidence)
    return Landed(0.0, Outcome(Visit(number, Link(url)), page, verdict, 1, 0.1, 0.0), Route.OUT, number)


def test_doubt_comes_first_and_links_decide_among_equal_doubts() -> None:
    sure, doubtful, hub = (
        Doubtful("http://a.test/", 0.95, 50),
        Doubtful("http://b.test/", 0.5, 3),
        Doubtful("http://c.test/", 0.5, 90),
    )
    assert chosen([sure, doubtful, hub], 3) == [hub, doubtful, sure]
    assert chosen([sure, doubtful, hub], 1) == [hub]


def test_ten_pages_of_one_list_are_not_asked_about_before_any_other() -> None:
    alike = [Doubtful(f"http://a.test/list/{number}", 0.5, 9) for number in range(10)]
    other = Doubtful("http://b.test/", 0.2, 9)
    assert other in chosen([*alike, other], 3)


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1), st.integers(0, 1000)), max_size=40), st.integers(0, 50))
def test_each_page_is_asked_about_once_and_never_one_beyond_doubt(
    pages: list[tuple[int, float, int]], count: int
) -> None:
    picked = chosen([Doubtful(f"http://a.test/{number}", score, links) for number, score, links in pages], count)
    assert len(picked) == len({each.url for each in picked}) <= count
    assert all(0 < each.score < 1 for each in picked)


def test_a_crawl_is_listened_to_and_what_has_a_label_is_not_asked_about() -> None:
    asked = Questions()
    for event in (landed(1, 0.5), landed(2, 0.4), landed(3, 1.0, label=True), landed(4, 0.45)):
        asked.hear(event)
    asked.hear(Obeyed(0.0, Label("http://h1.test/", True)))
    asked.hear(landed(4, 1.0, label=True))
    assert [each.url for each in iter(asked.take, None)] == ["http://h2.test/"]


def test_what_is_kept_is_bounded_and_the_best_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_KEPT", 10)
    asked = Questions()
    for number in range(100):
        asked.add(Doubtful(f"http://h{number}.test/", number / 200, 0))
        assert len(asked) <= 20
    best = asked.take()
    assert best is not None and best.url == "http://h99.test/"


@given(st.integers(1, 200), st.integers(1, 10_000))
def test_questions_are_spread_over_the_first_half_of_the_budget(most: int, budget: int) -> None:
    times = [due(number, most, budget) for number in range(most)]
    assert times == sorted(times) and times[0] == FIRST
    assert times[-1] <= max(FIRST, min(budget / 2, LONGEST))
