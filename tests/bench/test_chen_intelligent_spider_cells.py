"""What is searched for, where leaps lead to, and what is measured of a search."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wolfspider.bench.experiment import Form, Row
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.papers.chen_intelligent_spider.cases import (
    CASES,
    COMPUTED,
    ENOUGH,
    FEW,
    OWN_SITE,
    SHARES,
    case_of,
    category_of,
    index_of,
    is_listed,
    settings,
)
from wolfspider.bench.papers.chen_intelligent_spider.cells import (
    BEST_FIRST,
    COOL_ANNEALING,
    COOL_HYBRID,
    FEW_SPIDERS,
    GENETIC,
    HOT_ANNEALING,
    HOT_HYBRID,
    JUDGED,
    OUTPUTS,
    SPIDERS,
    UNLEAPING,
    OwnSite,
    Yardstick,
    ground_of,
    measured,
    searched,
    seen,
)
from wolfspider.bench.run.cell import inside, opened, tasks_in
from wolfspider.core.model import Link, Page, host_of
from wolfspider.learn.likeness import Collection, Likeness, kept_words

WEB = "synthetic:pages=1200,seed=77"
ROUNDED = 1e-4  # what a spider shows of its scores


@pytest.fixture(scope="module", autouse=True)
def one_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Of these tests alone; the index in it is made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WOLFSPIDER_CACHE", str(tmp_path_factory.mktemp("cache")))
        index_of.cache_clear()
        yield
    index_of.cache_clear()


def setting(study: str = CASES, case: int = 1, liked: int = 2, **more: Any) -> dict[str, Any]:
    where = {"study": study, "web": WEB, "web_name": WEB, "kind": COMPUTED, "case": case, "turn": 0}
    return {**where, "strategy": "spider", "liked": liked, "budget": 150, "rounds": 1, "cool": False, **more}


def untimed(row: Row) -> Row:
    spiders = {
        name: {field: value for field, value in each.items() if field not in ("user", "system")}
        for name, each in row["spiders"].items()
    }
    return {**row, "spiders": spiders}


# Cases


@pytest.mark.parametrize("quick", [True, False])
def test_settings_are_plain_all_different_and_forty_of_each_kind(quick: bool) -> None:
    found = settings(Form(quick))
    texts = [json.dumps(one, sort_keys=True) for one in found]
    assert [json.loads(text) for text in texts] == found and len(set(texts)) == len(texts)
    assert [sum(one["study"] == study for one in found) for study in (CASES, FEW)] == [40, 40]
    assert {one["liked"] for one in found} == {1, 2, 3}


def test_recorded_webs_that_are_there_have_cases_too(tmp_path: Path) -> None:
    assert settings(Form(False, tmp_path)) == settings(Form())
    for name in ("wiki", "docs", "news"):
        (tmp_path / name).mkdir()
    found = [one for one in settings(Form(False, tmp_path)) if one["kind"] != COMPUTED]
    assert sum(one["study"] == CASES for one in found) == 40
    assert {one["web_name"] for one in found if one["study"] == FEW} == {"docs"}


@pytest.mark.parametrize("study", [CASES, FEW])
def test_liked_pages_carry_the_topic_are_not_in_the_index_and_have_links_as_wanted(study: str) -> None:
    case = case_of(setting(study))
    assert case is not None and len({page.final_url for page in case.liked}) == 2
    allows = inside(opened(WEB, None))
    for page in case.liked:
        assert key(page.url) in {key(url) for url in case.task.relevant}
        assert not is_listed(page.url) and not is_listed(page.final_url)
        assert all(allows(link.url) for link in page.links)
        assert (len({link.url for link in page.links}) < ENOUGH) == (study == FEW)
    assert case_of(setting(study)) == case


def test_a_web_without_such_pages_gives_a_row_without_spiders(tiny: str) -> None:
    """None of its pages has five links, but one that carries no topic."""
    row = measured(setting(CASES, web=tiny, web_name="tiny", kind="recorded"))
    assert row["spiders"] == {} and row["topic"] is None


def test_one_page_in_three_is_in_the_index_whatever_its_scheme() -> None:
    urls = [f"http://a.test/{number}" for number in range(3000)]
    assert 900 < sum(map(is_listed, urls)) < 1100
    assert all(is_listed(url) == is_listed(url.replace("http:", "https:")) for url in urls)


@pytest.mark.slow
def test_the_index_holds_these_pages_and_no_others() -> None:
    listed = [url for url, _ in index_of(WEB).members()]
    assert len(listed) > 200 and all(map(is_listed, listed))


def test_the_category_is_that_of_most_of_the_best_results() -> None:
    index, task = index_of(WEB), next(iter(tasks_in(WEB).values()))
    chosen = category_of(index, task.topic.keywords)
    homes = dict(index.members())
    best = [homes[found.url] for found in index.search(" ".join(task.topic.keywords), 10)]
    counts = [sum(each.number <= home <= each.last for home in best) for each in index.tree().below]
    assert chosen in index.tree().below or not any(counts)
    assert sum(chosen.number <= home <= chosen.last for home in best) == max(counts)


# Searches


@pytest.fixture(scope="module")
def row() -> Row:
    found = measured(setting())
    return json.loads(json.dumps(found, allow_nan=False))  # type: ignore[no-any-return]


def test_all_spiders_search_for_the_same_and_are_measured_alike(row: Row) -> None:
    assert set(row["spiders"]) == {*SPIDERS, JUDGED, UNLEAPING}
    for name, each in row["spiders"].items():
        assert 0 < len(each["outputs"]) <= OUTPUTS and 0 <= each["fitness"] <= 1
        assert each["downloads"] > 0 and each["seconds"] > 0
        if name != JUDGED:
            assert each["user"] >= 0 and each["system"] >= 0 and each["generations"] == len(each["curve"])
            assert each["curve"][-1] == pytest.approx(each["own"], abs=ROUNDED)
            scores = [output["own"] for output in each["outputs"]]
            assert each["own"] == pytest.approx(sum(scores) / len(scores), abs=ROUNDED)


@pytest.mark.slow
def test_a_case_is_searched_the_same_again_but_for_the_time(row: Row) -> None:
    assert untimed(measured(setting())) == untimed(row)


def test_outputs_are_none_of_the_liked_pages_and_leaps_lead_into_the_index(row: Row) -> None:
    case = case_of(setting())
    assert case is not None
    for each in row["spiders"].values():
        urls = [output["url"] for output in each["outputs"]]
        assert len(set(urls)) == len(urls) and not {page.final_url for page in case.liked} & set(urls)
        assert all(output["listed"] for output in each["outputs"] if output["origin"] == "leap")
        assert all(
            output["topic"] == (key(output["url"]) in map(key, case.task.relevant)) for output in each["outputs"]
        )


def test_only_who_may_leap_does(row: Row) -> None:
    def leaps(name: str) -> int:
        return sum(output["origin"] == "leap" for output in row["spiders"][name]["outputs"])

    assert leaps(BEST_FIRST) == leaps(UNLEAPING) == leaps(JUDGED) == 0
    assert row["spiders"][GENETIC]["downloads"] > row["spiders"][UNLEAPING]["downloads"]


def test_best_first_with_the_judge_has_the_downloads_of_the_genetic_spider(row: Row) -> None:
    most = row["spiders"][GENETIC]["downloads"] + 2
    judged = row["spiders"][JUDGED]
    assert judged["downloads"] <= most
    scores = [output["own"] for output in judged["outputs"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
def test_annealing_may_begin_cooler_and_then_ends_earlier() -> None:
    found = measured(setting(liked=1, cool=True))["spiders"]
    assert {COOL_ANNEALING, COOL_HYBRID, HOT_ANNEALING, HOT_HYBRID} < set(found)
    assert found[COOL_ANNEALING]["generations"] <= 7  # 0.002 times 0.9 to the seventh is below 0.001


def test_a_start_page_is_wholly_like_itself_so_its_fitness_tells_how_many_are_liked() -> None:
    one, two = (case.liked for case in (case_of(setting(liked=1)), case_of(setting(liked=2))) if case)
    assert Yardstick(one, []).scores(one) == [pytest.approx(1.0)]
    assert all(0.5 <= score < 0.75 for score in Yardstick(two, []).scores(two))


def test_cases_of_few_links_have_two_spiders_and_the_judge() -> None:
    found = measured(setting(FEW, liked=1))
    assert set(found["spiders"]) == {*FEW_SPIDERS, JUDGED} and all(links < ENOUGH for links in found["links"])


def test_on_the_own_site_no_link_leads_away_and_the_cases_are_the_same() -> None:
    plain, home = (case_of(setting(study, liked=1)) for study in (FEW, OWN_SITE))
    assert plain is not None and plain == home
    found = measured(setting(OWN_SITE, liked=1))
    assert set(found["spiders"]) == {*FEW_SPIDERS, JUDGED}
    ground, _ = ground_of(setting(OWN_SITE, liked=1), plain)
    assert isinstance(ground.looks, OwnSite)
    pages = [ground.looks.look(url, ground.world.start).page for url in sorted(plain.task.relevant)[:30]]
    shown = [page for page in [*pages, *ground.case.liked] if page is not None]
    assert len(shown) > 5
    assert all({host_of(link.url) for link in page.links} <= {host_of(page.final_url)} for page in shown)


def test_with_another_share_the_index_is_another_and_the_genetic_spider_is_alone() -> None:
    found = measured(setting(SHARES, liked=1, every=10))
    assert set(found["spiders"]) == {GENETIC, JUDGED}
    listed = {output["listed"] for output in found["spiders"][GENETIC]["outputs"] if output["origin"] == "leap"}
    assert listed <= {True}


# The yardstick


def page(url: str, words: str, *links: str) -> Page:
    return Page(url, url, words, words=tuple(words.split()), links=tuple(map(Link, links)))


def test_the_yardstick_counts_all_pages_once_and_scores_like_the_spider() -> None:
    liked = [page("http://a.test/", "wolf spiders hunt", "http://a.test/x", "http://a.test/y")]
    others = [page("http://a.test/1", "wolf spiders jump", "http://a.test/x"), page("http://a.test/2", "green harbour")]
    collection, likeness = Collection(), Likeness()
    terms = [collection.read(each) for each in (*liked, *others)]
    for each in terms:
        collection.count(each)
    likeness.like(kept_words(liked[0].words), terms[0])
    expected = [score.total for score in likeness.scores(terms[1:], collection)]
    assert Yardstick(liked, others).scores(others) == pytest.approx(expected)
    assert expected[0] > expected[1] == 0


def test_a_spider_alone_on_the_yardstick_has_its_own_scores() -> None:
    """N and df are then those that it had itself in the end."""
    case = case_of(setting())
    assert case is not None
    ground, _ = ground_of(setting(), case)
    search = searched(ground, BEST_FIRST, {})
    liked = {each.final_url for each in case.liked}
    pages = [seen(search, url, ground.scope) for url in search.memory.pages if url not in liked]
    scores = Yardstick(case.liked, pages).scores([seen(search, each.url, ground.scope) for each in search.outputs])
    assert scores == pytest.approx([each.own for each in search.outputs], abs=ROUNDED)
