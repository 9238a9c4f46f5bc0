"""A news site with short lists: nothing is lost, archives have pages that stay, and without them nothing is changed."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.newsroom import DAY, HOUR
from wolfspider.web.worlds.synthetic.web_params import parse as parse_params

SPEC = "synthetic:pages=1000,seed=2,news=1,mischief=0,articles=60"
WORLD = Synthetic.parse(f"{SPEC},listed=10,older=3")
assert WORLD.news is not None
NEWS = WORLD.news
NOON = WORLD.start + 2 * DAY + 12 * HOUR
YESTERDAY = NOON - 12 * HOUR - DAY


def shown(url: str, now: float) -> Page:
    page = parse(WORLD.look(url, now))
    assert isinstance(page, Page), page
    return page


def articles(url: str, now: float) -> list[str]:
    return [link.url for link in shown(url, now).links if "/li/" in link.path and "nav" not in link.path]


def of_day(begin: float, now: float) -> list[str]:
    return [NEWS.url(n) for n, at in enumerate(NEWS.archive.times) if begin <= at < begin + DAY and at <= now]


def reached(links: dict[str, list[str]], start: str) -> set[str]:
    found, rim = {start}, [start]
    while rim:
        rim = [to for to in {to for url in rim for to in links.get(url, ())} if to not in found]
        found.update(rim)
    return found


@settings(deadline=None, max_examples=5)
@given(st.integers(1, 60), st.integers(0, 9), st.integers(10, 60), st.floats(-6, 18))
@example(10, 0, 23, 9.0)  # at midnight, when today has no article yet
def test_every_page_is_reached_from_the_front_page(listed: int, older: int, rate: int, days: float) -> None:
    world = Synthetic.parse(
        f"synthetic:pages=1000,seed=3,news=1,mischief=0,articles={rate},listed={listed},older={older}"
    )
    assert world.news is not None
    now = world.start + days * DAY
    links = {url: inside for url, inside, _ in world.news.skeleton(now)}
    articles = {world.news.url(number) for number in range(world.news.archive.count(now))}
    found = reached(links, world.news.site)
    assert articles <= found
    assert all(world.look(url, now).status == 200 for url in sorted(found)[:: max(1, len(found) // 20)] if url in links)


def test_no_list_shows_more_than_it_should() -> None:
    lists = {path: NEWS.sheet(path, NOON) for path in NEWS.list_paths(NOON)}
    lengths = [len(sheet.articles) for sheet in lists.values() if sheet is not None and not isinstance(sheet, str)]
    assert max(lengths) == 10 and len(lengths) > 280
    newest = [n for n in NEWS.archive.by_list[0] if NEWS.archive.times[n] <= NOON][::-1][:10]
    assert articles(NEWS.list_url(0), NOON) == [NEWS.url(n) for n in newest]


def test_a_day_shows_its_newest_articles_and_leads_to_the_others_page_by_page() -> None:
    url, whole = NEWS.day_url(YESTERDAY), of_day(YESTERDAY, NOON)
    assert articles(url, NOON) == whole[::-1][:10]
    seen, hops = set(articles(url, NOON)), 0
    while earlier := [link.url for link in shown(url, NOON).links if link.anchor == "earlier"]:
        url, hops = earlier[0], hops + 1
        seen |= set(articles(url, NOON))
    assert seen == set(whole) and hops == math.ceil((len(whole) - 10) / 10) and url.endswith("/1")


def test_a_page_of_the_archive_is_there_once_it_is_full_and_stays_as_it_is() -> None:
    first = NEWS.archive.count(YESTERDAY)
    url, full = f"{NEWS.day_url(YESTERDAY)}/2", NEWS.archive.times[first + 19]
    assert WORLD.look(url, math.nextafter(full, 0)).status == 404
    assert WORLD.look(url, full).body == WORLD.look(url, full + 10 * DAY).body
    assert articles(url, full) == of_day(YESTERDAY, full)[10:20][::-1]
    assert shown(url, full + DAY).published == pytest.approx(full, abs=1)


def test_there_is_no_page_beyond_the_last_and_none_where_lists_are_long() -> None:
    pages = len(of_day(YESTERDAY, NOON)) // 10
    statuses = [WORLD.look(f"{NEWS.day_url(YESTERDAY)}/{page}", NOON).status for page in (pages, pages + 1, 0, "01")]
    assert statuses == [200, 404, 404, 404]
    plain = Synthetic.parse(SPEC)
    assert plain.look(f"{NEWS.day_url(YESTERDAY)}/1", NOON).status == 404
    assert plain.changed(f"{NEWS.day_url(YESTERDAY)}/1", WORLD.start - DAY, math.inf) is None


def test_articles_link_to_as_many_older_ones_as_wanted() -> None:
    for older, related in ((0, 0), (3, 3), (7, 5), (14, 10)):
        news = Synthetic.parse(f"{SPEC},older={older}").news
        assert news is not None
        number = next(ids[-1] for ids in news.archive.by_list if len(ids) > 20)
        linked = news.sheet("/" + news.url(number).removeprefix(news.site), news.room.end)
        assert linked is not None and not isinstance(linked, str)
        assert related <= len(linked.articles) <= older and all(other < number for other in linked.articles)


CHANGING = (
    NEWS.site,
    f"{NEWS.site}{NEWS.sections[0]}/",
    NEWS.list_url(0),
    *(f"{NEWS.day_url(WORLD.start + days * DAY)}{page}" for days in (-1, 0, 5) for page in ("", "/1", "/3", "/40")),
)


@settings(deadline=None)
@given(st.sampled_from(CHANGING), st.floats(-2, 18), st.floats(0, 1))
def test_the_next_change_of_a_short_list_is_where_looks_say_that_it_is(url: str, days: float, share: float) -> None:
    since = WORLD.start + days * DAY
    content = WORLD.look(url, since).body
    change = WORLD.changed(url, since, math.inf)
    last = math.nextafter(change, 0) if change is not None else WORLD.end + DAY
    for now in (last, since + share * (last - since)):
        assert WORLD.look(url, now).body == content
    if change is not None:
        assert change > since and WORLD.look(url, change).body != content


@pytest.mark.parametrize(("given_", "says"), [("listed=-1", "at least 0"), ("listed=1001", "at most 1,000")])
def test_what_cannot_be_is_answered_by_a_sentence(given_: str, says: str) -> None:
    with pytest.raises(Problem, match=f"listed must be {says}, not .*"):
        parse_params(f"synthetic:news=1,{given_}")
    with pytest.raises(Problem, match="older must be at most 28, not 29"):
        parse_params("synthetic:news=1,older=29")


def test_the_name_of_a_web_says_how_long_its_lists_are_only_where_that_was_chosen() -> None:
    assert WORLD.name.endswith("articles=60,listed=10,older=3")
    assert "listed" not in Synthetic.parse(SPEC).name and "older" not in Synthetic.parse(SPEC).name
