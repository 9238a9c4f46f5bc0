"""The news site: the rhythm can be inverted, lists show the newest, articles appear, change and stay where they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Page
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.newsroom import DAY, HOUR, LISTS, SECTIONS, Rhythm

WORLD = Synthetic.parse("synthetic:pages=3000,seed=2,news=1,mischief=0")
assert WORLD.news is not None
NEWS = WORLD.news
RHYTHM = Rhythm()
NOON = WORLD.start + 2 * DAY + 12 * HOUR


def shown(url: str, now: float) -> Page:
    page = parse(WORLD.look(url, now))
    assert isinstance(page, Page), page
    return page


def articles(url: str, now: float) -> list[str]:
    return [link.url for link in shown(url, now).links if "/li/" in link.path and "nav" not in link.path]


@given(st.floats(0, 5e6), st.floats(0, 5e6))
def test_the_expected_number_rises_and_can_be_inverted(one: float, two: float) -> None:
    early, late = sorted((one, two))
    assert RHYTHM.expected(early) <= RHYTHM.expected(late)
    assert RHYTHM.when(RHYTHM.expected(one)) == pytest.approx(one, abs=1e-3)


@given(st.floats(0, 50_000))
def test_the_inverse_can_be_inverted(number: float) -> None:
    assert RHYTHM.expected(RHYTHM.when(number)) == pytest.approx(number, abs=1e-6)


def test_the_week_and_the_day_have_their_rhythm() -> None:
    assert RHYTHM.expected(7 * DAY) == pytest.approx(7 * 1200)
    assert RHYTHM.expected(DAY) == pytest.approx(1400)
    assert RHYTHM.expected(6 * DAY) - RHYTHM.expected(5 * DAY) == pytest.approx(700)
    assert max(range(24), key=lambda hour: RHYTHM.hourly[hour]) == 22


def test_a_smaller_site_has_the_same_rhythm() -> None:
    small = Rhythm(60)
    assert small.expected(7 * DAY) == pytest.approx(7 * 60)
    assert small.when(60) == pytest.approx(RHYTHM.when(1200))


def test_articles_come_in_order_at_the_rate_wanted() -> None:
    times = np.array(NEWS.archive.times)
    assert (np.diff(times) >= 0).all()
    assert times[0] >= NEWS.room.origin and times[-1] <= NEWS.room.end
    in_the_run = np.count_nonzero(times >= WORLD.start) / 18
    assert in_the_run == pytest.approx(1200, rel=0.06)
    hours = np.bincount((times % DAY // HOUR).astype(int), minlength=24)
    assert hours[22] > 2.5 * hours[10]


def test_large_sections_get_more_and_stories_go_on() -> None:
    archive = NEWS.archive
    counts = np.bincount(archive.lists, minlength=LISTS)
    assert counts[:10].sum() / counts.sum() == pytest.approx(0.33, abs=0.05)
    assert counts[-20:].min() > 0
    began = len(archive.by_story) / len(archive.times)
    assert 0.5 < began < 0.66
    assert max(map(len, archive.by_story.values())) > 20
    main = np.mean([archive.topics[n] == NEWS.room.main_topics[archive.lists[n]] for n in range(len(archive.times))])
    assert main == pytest.approx(0.8, abs=0.06)


def test_lists_show_the_newest_first() -> None:
    for list_ in (0, 7, 120):
        ids = [n for n in NEWS.archive.by_list[list_] if NEWS.archive.times[n] <= NOON]
        assert articles(NEWS.list_url(list_), NOON) == [NEWS.url(n) for n in ids[::-1][:30]]
    ids = [n for n in NEWS.archive.by_section[3] if NEWS.archive.times[n] <= NOON]
    assert articles(f"{NEWS.site}{NEWS.sections[3]}/", NOON) == [NEWS.url(n) for n in ids[::-1][:40]]


def test_the_home_page_shows_what_is_prominent_and_recent_and_all_sections() -> None:
    page = shown(NEWS.site, NOON)
    links = {link.url for link in page.links}
    assert {f"{NEWS.site}{section}/" for section in NEWS.sections} <= links
    numbers = {NEWS.url(n): n for n in range(NEWS.archive.count(NOON))}
    front = [numbers[url] for url in articles(NEWS.site, NOON)]
    assert len(front) == 40
    assert min(NEWS.archive.times[n] for n in front) > NOON - 12 * HOUR
    recent = [n for n in numbers.values() if NEWS.archive.times[n] > NOON - 12 * HOUR]
    least = min(NEWS.archive.ranks[n] for n in front)
    assert sum(NEWS.archive.ranks[n] > least for n in recent) == 39


def test_a_day_has_all_its_articles_and_tomorrow_none() -> None:
    begin = NOON - 12 * HOUR - DAY
    url = NEWS.day_url(begin)
    expected = [n for n, t in enumerate(NEWS.archive.times) if begin <= t < begin + DAY]
    assert set(articles(url, NOON)) == {NEWS.url(n) for n in expected}
    assert len(articles(NEWS.day_url(NOON), NOON)) < len(articles(NEWS.day_url(NOON), NOON + 6 * HOUR))
    assert WORLD.look(NEWS.day_url(NOON + DAY), NOON).status == 404
    assert WORLD.look(f"{NEWS.site}2005/13/41", NOON).status == 404


def test_a_list_changes_with_every_article_and_only_then() -> None:
    number = NEWS.archive.by_list[0][-5]
    url, moment = NEWS.list_url(0), NEWS.archive.times[number]
    before, after, later = (shown(url, moment + seconds).digest for seconds in (-0.01, 0.01, 0.02))
    assert before != after == later


def test_an_article_is_there_from_its_publication_on_with_its_date() -> None:
    number = NEWS.archive.count(NOON) - 1
    url, published = NEWS.url(number), NEWS.archive.times[number]
    assert WORLD.look(url, published - 1).status == 404
    page = shown(url, published + 1)
    assert page.published == pytest.approx(published, abs=1)
    assert shown(url, published + 10 * DAY).published == page.published


def test_revisions_change_the_digest_but_not_the_address() -> None:
    revised = 0
    for number in range(5_000, 5_040):
        published = NEWS.archive.times[number]
        ages = NEWS.room.revisions(number, 10 * DAY)
        assert ages == sorted(ages) and NEWS.room.revisions(number, 0.0) == []
        moments = [published + age for age in (0.0, *ages)]
        digests = [shown(NEWS.url(number), moment + 0.001).digest for moment in moments]
        assert len(set(digests)) == len(digests)
        if ages:
            just_before = shown(NEWS.url(number), moments[1] - 0.001)
            assert just_before.digest == digests[0]
            revised += 1
    assert revised > 25
    first_day = np.mean([len(NEWS.room.revisions(number, DAY)) for number in range(2_000)])
    assert first_day == pytest.approx(2.0, abs=0.15)


def test_articles_link_to_older_ones_and_out_of_the_site() -> None:
    for number in range(9_000, 9_020):
        published = NEWS.archive.times[number]
        page = shown(NEWS.url(number), published)
        older = {NEWS.url(n) for n in range(number)}
        links = {link.url for link in page.links}
        assert NEWS.site in links and NEWS.list_url(NEWS.archive.lists[number]) in links
        assert 5 <= len(links & older) <= 7
        outside = [url for url in links if not url.startswith(NEWS.site)]
        assert 1 <= len(outside) <= 2 and all(WORLD.page_of(url) is not None for url in outside)


def test_a_wrong_slug_is_led_to_the_article() -> None:
    url = NEWS.url(100)
    fetch = WORLD.look(f"{url.rpartition('/')[0]}/x-{url.rpartition('-')[2]}", NOON)
    assert (fetch.status, fetch.final_url, len(fetch.hops)) == (200, url, 1)


@given(st.text(alphabet="abegiko/-012", max_size=25))
def test_nonsense_is_a_404(path: str) -> None:
    assert WORLD.look(f"{NEWS.site}x{path}", NOON).status == 404
    assert WORLD.look(f"{NEWS.site}\ud800{path}", NOON).status == 404


def test_the_graph_grows_with_time_and_has_what_pages_show() -> None:
    early, late = WORLD.graph(WORLD.start), WORLD.graph(NOON)
    assert set(early.urls) < set(late.urls)
    index = late.index()
    for url in (NEWS.site, NEWS.list_url(5), NEWS.url(4_000)):
        seen = {link.url for link in shown(url, NOON).links if link.url in index and link.url != url}
        assert {late.urls[node] for node in late.out(index[url])} == seen


def test_tasks_want_articles_of_one_topic_from_the_home_page() -> None:
    tasks = WORLD.tasks()
    assert len(tasks) == 5
    numbers = {NEWS.url(number): number for number in range(len(NEWS.archive.times))}
    for task in tasks.values():
        assert task.seeds == (NEWS.site,)
        assert len({NEWS.archive.topics[numbers[url]] for url in task.relevant}) == 1
        assert len(task.relevant) > 100


def test_the_site_is_ours_and_only_there_with_news() -> None:
    assert WORLD.owns(NEWS.name)
    assert not Synthetic.parse("synthetic:pages=3000,seed=2").owns(NEWS.name)
    assert len({NEWS.list_url(list_) for list_ in range(LISTS)}) == LISTS == 10 * SECTIONS


CHANGING = (
    NEWS.site,
    *(f"{NEWS.site}{section}/" for section in NEWS.sections[:3]),
    *(NEWS.list_url(number) for number in (0, 5, 120, LISTS - 1)),
    *(NEWS.day_url(WORLD.start + days * DAY) for days in (-1, 0, 3, 17)),
    *(NEWS.url(number) for number in (0, 8_000, 9_000, 20_000)),
)


@given(st.sampled_from(CHANGING), st.floats(-2, 18), st.floats(0, 1))
def test_the_next_change_of_a_page_is_where_looks_say_that_it_is(url: str, days: float, share: float) -> None:
    since = WORLD.start + days * DAY
    content = WORLD.look(url, since).body
    change = WORLD.changed(url, since, math.inf)
    last = math.nextafter(change, 0) if change is not None else WORLD.end + DAY
    for now in (last, since + share * (last - since)):
        assert WORLD.look(url, now).body == content
    if change is not None:
        assert change > since
        assert WORLD.look(url, change).body != content
        assert WORLD.changed(url, since, change) == change
        assert WORLD.changed(url, since, last) is None


def test_what_is_no_page_of_the_news_never_changes() -> None:
    there = WORLD.graph(WORLD.start).urls[0]
    nowhere = (f"{NEWS.site}no/such/list/", f"{NEWS.site}2005/13/45", f"{NEWS.site}{NEWS.sections[0]}/x/y-00000")
    assert [WORLD.changed(url, WORLD.start, math.inf) for url in (there, *nowhere)] == [None] * 4


def test_an_article_by_another_path_changes_when_it_does() -> None:
    right = NEWS.url(9_000)
    wrong = right.replace(right.rpartition("/")[2], f"other-{right[-5:]}")
    assert WORLD.look(wrong, WORLD.end).final_url == right
    assert WORLD.changed(wrong, WORLD.start, math.inf) == WORLD.changed(right, WORLD.start, math.inf)
