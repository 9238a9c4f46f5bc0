"""What leaps are answered with: the best results in scope, whoever finds them; and what a real site says it has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.searxng import Plain, Reply, Service, Site, served

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Failure, Page
from wolfspider.core.text import words
from wolfspider.engine.contracts import Service as Asked
from wolfspider.engine.contracts import Source
from wolfspider.web.seeds.leaps import MOST, MOST_WORDS, Leaps, SitemapLeaps, linked, rank, words_in
from wolfspider.web.seeds.search import Searches, everything


def search_of(
    results: list[tuple[str, str]], asked: list[tuple[str, int]]
) -> Callable[[str, int], list[tuple[str, str]]]:
    def search(text: str, most: int) -> list[tuple[str, str]]:
        asked.append((text, most))
        return results[:most]

    return search


def urls_of(result: Page | Failure) -> list[str]:
    assert isinstance(result, Page), result
    return [link.url for link in result.links]


# What is at hand


def test_a_leap_is_answered_by_a_page_of_results_best_first() -> None:
    asked: list[tuple[str, int]] = []
    found = [("http://a.test/2", "Two"), ("http://b.test/1", "One")]
    page = Leaps(search_of(found, asked), everything).look("leap:Wolf spiders, wolf", 5.0)
    assert isinstance(page, Page) and (page.url, page.at, page.type) == ("leap:Wolf spiders, wolf", 5.0, "")
    assert [(link.url, link.anchor, link.rank, link.rel) for link in page.links] == [
        ("http://a.test/2", "Two", 0, "leap"),
        ("http://b.test/1", "One", 1, "leap"),
    ]
    assert asked == [("wolf spiders", MOST)]


def test_results_out_of_scope_make_room_for_others() -> None:
    found = [(f"http://{'in' if number > 4999 else 'out'}.test/{number}", "") for number in range(7000)]
    leaps = Leaps(search_of(found, []), lambda url: url.startswith("http://in."))
    assert urls_of(leaps.look("leap:spiders", 0.0)) == [f"http://in.test/{number}" for number in range(5000, 6000)]


def test_an_index_found_damaged_in_mid_crawl_is_a_failure_and_no_end() -> None:
    def search(text: str, most: int) -> list[tuple[str, str]]:
        raise BadInput("It is damaged.")

    assert Leaps(search, everything).look("leap:spiders", 0.0) == Failure("source", "It is damaged.")


def test_nothing_found_is_a_failure_that_says_so() -> None:
    result = Leaps(search_of([], []), everything).look("leap:", 0.0)
    assert isinstance(result, Failure) and result.kind == "source"


def test_an_index_of_strangers_names_addresses_and_nothing_else() -> None:
    strange = [
        ("javascript:alert(1)", ""),
        ("leap:again", ""),
        ("file:///etc/passwd", ""),
        ("", ""),
        ("HTTP://A.test:80/x/../y#part", "\ud800 two\nlines\x1b[31m" + "x" * 10_000),
        ("http://a.test/y", "the same"),
    ]
    (link,) = linked(strange, everything)
    assert (
        link.url == "http://a.test/y" and link.anchor.encode() and "\n" not in link.anchor and len(link.anchor) < 2000
    )


@given(st.text(max_size=300))
def test_any_words_make_a_leap(text: str) -> None:
    asked = words_in(f"leap:{text}")
    assert len(set(asked)) == len(asked) <= MOST_WORDS and set(asked) <= set(words(text))


def test_a_leap_asks_for_so_many_words_at_most() -> None:
    assert len(words_in("leap:" + " ".join(f"w{number}" for number in range(10_000)))) == MOST_WORDS


@given(st.lists(st.sampled_from(["wolf", "spiders", "bread", "hunt"]), max_size=4, unique=True))
def test_addresses_with_more_of_the_words_come_first_and_others_keep_their_order(asked: list[str]) -> None:
    urls = [
        f"http://a.test/{name}"
        for name in ("bread", "wolf-spiders", "x", "Wolf_Bread.html", "sp%69ders", "wolfspiders")
    ]
    counts = [[word in words(url.replace("%69", "i")) for word in asked].count(True) for url in urls]
    ranked = rank(urls, asked)
    assert ranked == [url for _, url in sorted(zip(counts, urls, strict=True), key=lambda pair: -pair[0])]


# What a site says it has


def sitemap_of(*urls: str) -> Reply:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return Reply(f"<urlset>{entries}</urlset>".encode(), "application/xml")


def ask(source: Asked, *leaps: str) -> list[Page | Failure]:
    async def all_of_them() -> list[Page | Failure]:
        return list(await asyncio.gather(*(source.ask(url, 7.0) for url in leaps)))

    return asyncio.run(asyncio.wait_for(all_of_them(), 30))


def site_leaps(sitemap: str, allows: Callable[[str], bool] = everything) -> SitemapLeaps:
    return SitemapLeaps(Plain, Plain, sitemap, allows)


def test_leaps_to_what_a_site_says_it_has_read_it_once() -> None:
    site = Site()
    with served(site) as home:
        pages = [f"{home}/bread", f"{home}/wolf/spiders", f"{home}/spiders", "http://elsewhere.test/spiders"]
        site.files["/map.xml"] = sitemap_of(*pages)
        source = site_leaps(f"{home}/map.xml", lambda url: not url.endswith("/bread"))
        assert isinstance(source, Asked) and source.network
        both, one = ask(source, "leap:wolf spiders", "leap:spiders")
        assert urls_of(both) == [f"{home}/wolf/spiders", f"{home}/spiders"]
        assert urls_of(one) == [f"{home}/wolf/spiders", f"{home}/spiders"]
    assert site.asked == ["/map.xml"]


def test_a_host_alone_stands_for_the_sitemaps_its_robots_txt_names() -> None:
    site = Site()
    with served(site) as home:
        site.files["/robots.txt"] = Reply(f"Sitemap: {home}/map.xml".encode(), "text/plain")
        site.files["/map.xml"] = sitemap_of(f"{home}/a")
        assert urls_of(ask(site_leaps(f"{home}/"), "leap:x")[0]) == [f"{home}/a"]


def test_a_sitemap_that_is_not_there_is_a_failure_and_is_asked_for_again() -> None:
    site = Site()
    with served(site) as home:
        source = site_leaps(f"{home}/map.xml")
        (failed,) = ask(source, "leap:spiders")
        assert isinstance(failed, Failure) and failed.kind == "source" and "404" in failed.detail
        site.files["/map.xml"] = sitemap_of(f"{home}/spiders")
        assert urls_of(ask(source, "leap:spiders")[0]) == [f"{home}/spiders"]


def test_who_is_not_on_the_network_gets_no_sitemap() -> None:
    source: Source = site_leaps("http://a.test/map.xml")
    assert isinstance(source.look("leap:x", 0.0), Failure)


# A search service under the name of leaps


def test_a_search_service_answers_leaps_too() -> None:
    service = Service([{"url": "https://example.org/1", "title": "One"}])
    with served(service) as home:
        (page,) = ask(Searches(Plain, home, 10), "leap:wolf spiders")
        assert urls_of(page) == ["https://example.org/1"] and "q=wolf%20spiders" in service.asked[0]


@pytest.mark.parametrize("leap", ["leap:", "leap: \t", "leap:" + "\U0001f577" * 5000])
def test_a_search_for_nothing_or_too_much_is_a_failure(leap: str) -> None:
    with served(Service()) as home:
        (failed,) = ask(Searches(Plain, home, 10), leap)
    assert isinstance(failed, Failure) and failed.kind == "source"
