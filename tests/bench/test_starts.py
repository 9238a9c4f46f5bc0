"""The two kinds of page to start from."""

from __future__ import annotations

import pytest

from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.cell import opened
from wolfspider.bench.run.starts import ADDRESS, LISTED, STARTS, bm25, directory, results, start_of
from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.core.topic import Task
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.synthetic import Synthetic

WEB = "synthetic:pages=1000,topics=8,seed=3"


@pytest.fixture(scope="module")
def web() -> Synthetic:
    world = opened(WEB, None)
    assert isinstance(world, Synthetic)
    return world


@pytest.fixture(scope="module")
def task(web: Synthetic) -> Task:
    return next(iter(web.tasks().values()))


def test_bm25_prefers_what_says_rare_words_often_in_few_words() -> None:
    bags = [{"a": 1, "b": 1}, {"a": 1}, {"a": 1}, {"a": 3}, {}]
    scores = bm25(bags, [10, 10, 20, 10, 10], ["a", "b"])
    assert scores[0] > scores[3] > scores[1] > scores[2] > scores[4] == 0


def test_a_directory_of_a_computed_web_is_the_first_seed(web: Synthetic, task: Task) -> None:
    assert directory(web, task) == task.seeds[0]


def test_results_are_ten_different_pages_that_say_the_keywords(web: Synthetic, task: Task) -> None:
    found = results(web, task.topic.keywords)
    assert len({result.url for result in found}) == LISTED
    relevant = sum(key(result.url) in set(map(key, task.relevant)) for result in found)
    assert relevant > LISTED / 2  # an eighth of the pages are of this topic
    results.cache_clear()
    assert results(web, task.topic.keywords) == found


def test_the_results_are_a_page_with_links_beside_the_web(web: Synthetic, task: Task) -> None:
    start = start_of("results", web, task, web)
    page = parse(start.looks.look(start.url, web.start))
    assert isinstance(page, Page)
    assert [link.url for link in page.links] == [result.url for result in results(web, task.topic.keywords)]
    assert not web.owns("search.invalid")
    assert start.within(ADDRESS)
    assert not start.within("http://search.invalid/other")
    assert start.looks.look(task.seeds[0], web.start) == web.look(task.seeds[0], web.start)


@pytest.mark.parametrize("kind", STARTS)
def test_a_start_never_fails(web: Synthetic, task: Task, kind: str) -> None:
    start = start_of(kind, web, task, web)
    assert start.within(start.url)
    moments = [web.start + 600.0 * spell for spell in range(200)]
    assert all(isinstance(parse(start.looks.look(start.url, now)), Page) for now in moments)


def test_an_unknown_kind_of_start_is_named(web: Synthetic, task: Task) -> None:
    with pytest.raises(Problem, match="directory, results"):
        start_of("portal", web, task, web)
