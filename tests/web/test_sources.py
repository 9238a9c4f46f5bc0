"""Where a crawl starts: what people type, lists, and all sources united."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.live_site import moved, visiting
from tests.web.loopback import http
from tests.web.searxng import ROBOTS, Plain, Reply, Service, Site, served

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Failure, Fetch
from wolfspider.web.http.live_web import Live
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds import sources
from wolfspider.web.seeds.gathered import Allows
from wolfspider.web.seeds.sources import Gathered, NamedStarts, address, from_file, gather, read_list
from wolfspider.web.worlds.world import Request


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.org", "https://example.org/"),
        (" EXAMPLE.org/a?b#c \n", "https://example.org/a?b"),
        ("http://example.org", "http://example.org/"),
        ("https://example.org:8443/x", "https://example.org:8443/x"),
        ("example.org:8080/p", "https://example.org:8080/p"),
        ("//example.org/x", "https://example.org/x"),
        ("<https://example.org/>", "https://example.org/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("1.2.3.4", "https://1.2.3.4/"),
        ("[2001:db8::1]", "https://[2001:db8::1]/"),
        ("localhost", "http://localhost/"),
        ("localhost:8080", "http://localhost:8080/"),
        ("shop.localhost/x", "http://shop.localhost/x"),
        ("127.0.0.1:99/x", "http://127.0.0.1:99/x"),
        ("[::1]:8", "http://[::1]:8/"),
        ("intranet:8000/a", "https://intranet:8000/a"),
        ("https://someone:secret@example.org/", "https://example.org/"),
        ("example.org/a?next=http://b.org/", "https://example.org/a?next=http://b.org/"),
    ],
)
def test_an_address_is_what_its_person_means(typed: str, meant: str) -> None:
    assert address(typed) == meant


@pytest.mark.parametrize(
    ("typed", "remedy"),
    [
        ("file:///home/me/page.html", "--allow-private"),
        ("kernel", "https://example.org"),
        ("linux kernel", "https://example.org"),
        ("", "https://example.org"),
        ("ftp://example.org/", "http and https, not ftp"),
        ("mailto:someone@example.org", "not mailto"),
        ("javascript:alert(1)", "not javascript"),
        ("data:text/html,x", "not data"),
        ("someone@example.org", "mail address"),
        ("/etc/hosts", "--seeds FILE"),
        ("./list.txt", "is a path"),
        ("~/list.txt", "is a path"),
        ("https://", "https://example.org"),
        ("https://exa mple.org/", "https://example.org"),
        ("https://example.org/a b", "https://example.org"),
        ("https://example.org:99999/", "https://example.org"),
        ("https://" + "x" * 10_000, "longer than an address"),
        ("..", "https://example.org"),
    ],
)
def test_what_is_no_address_is_told_with_the_remedy(typed: str, remedy: str) -> None:
    with pytest.raises(Problem) as told:
        address(typed)
    assert remedy in str(told.value) and len(str(told.value)) < 300


@pytest.mark.parametrize(
    "typed",
    [
        "ftp://me:secret@example.org/",
        "http://me:sec/secret@x y",
        "me:secret@example.org",
        "x://a:" + "secret" * 40 + "@b",
    ],
)
def test_no_message_shows_a_password(typed: str) -> None:
    with pytest.raises(Problem) as told:
        address(typed)
    assert "secret" not in str(told.value)


@given(st.text(max_size=60) | st.from_regex(r"[a-z]{1,5}[:./@\[\]\\ -]{0,3}[a-z0-9.]{0,9}[:/?#]?.{0,5}"))
def test_any_text_is_an_address_or_a_problem(typed: str) -> None:
    told = ""
    try:
        meant = address(typed)
    except Problem as problem:
        told = str(problem)
    assert told.isprintable()
    assert told or (canonical(meant) == meant and address(meant) == meant)


def test_a_list_has_an_address_a_line() -> None:
    text = "\ufeff# where to start\r\nexample.org\r\n\r\n  https://example.org/#top  # the same\nhttp://b.org/#x\texample\n"
    with pytest.raises(BadInput):
        read_list(text)
    assert read_list(text.replace("\texample", "")) == ["https://example.org/", "http://b.org/"]
    assert read_list("") == []


def test_a_wrong_line_is_told_by_its_number() -> None:
    with pytest.raises(BadInput, match=r"^Line 3: 'what is this' is no address"):
        read_list("example.org\n\nwhat is this\n")


def test_a_list_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_ADDRESSES", 10)
    with pytest.raises(BadInput, match="more than 10"):
        read_list("\n".join(f"example.org/{n}" for n in range(20)))


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(("a.org", "#", " ", "\r", "\x85", "\x00", "b.org/#"))).map("\n".join)
)
def test_any_list_is_read_or_a_problem(text: str) -> None:
    told, found = "", []
    try:
        found = read_list(text)
    except BadInput as problem:
        told = str(problem)
    assert not told or told.startswith("Line ")
    assert len(found) == len(set(found)) and all(canonical(url) == url for url in found)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_are_read_in_any_unicode(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes("bücher.example\r\nexample.org\r\n".encode(codec))
    assert from_file(path) == ["https://xn--bcher-kva.example/", "https://example.org/"]


def test_standard_input_is_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"example.org\n")))
    assert from_file("-") == ["https://example.org/"]


def test_files_that_cannot_be_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, told in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(BadInput, match=told):
            from_file(path)
    with pytest.raises(BadInput, match="cannot be read"):
        from_file("a\x00b")
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(BadInput, match="is no text"):
        from_file(tmp_path / "picture")
    (tmp_path / "list").write_text("a.org\nnot this\n")
    with pytest.raises(BadInput, match="list: Line 2"):
        from_file(tmp_path / "list")
    monkeypatch.setattr(sources, "MOST_BYTES", 5)
    with pytest.raises(BadInput, match="is larger than"):
        from_file(tmp_path / "list")


def rss(*urls: str) -> Reply:
    items = "".join(f"<item><title>T {url}</title><link>{url}</link></item>" for url in urls)
    return Reply(f"<rss><channel>{items}</channel></rss>".encode(), "application/rss+xml")


def urlset(*urls: str) -> Reply:
    return Reply(f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>".encode(), "text/xml")


def everything(url: str) -> bool:
    return True


def collect(site: Site, *addresses: str, allows: Allows = everything, **named: tuple[str, ...]) -> Gathered:
    """Paths of the site as starting points; what comes back is shortened to paths again."""
    with served(site) as home:
        full = {name: tuple(home + path for path in paths) for name, paths in named.items()}
        wanted = NamedStarts(tuple(home + path for path in addresses), **full)  # type: ignore[arg-type]
        found = asyncio.run(gather(Plain(), wanted, allows))
    links = [link._replace(url=link.url.removeprefix(home)) for link in found.links]
    return Gathered(links, found.requests, [(url.removeprefix(home), told) for url, told in found.problems])


def shown(found: Gathered) -> list[tuple[str, str]]:
    assert [link.rank for link in found.links] == list(range(len(found.links)))
    return [(link.url, link.rel) for link in found.links]


def test_addresses_alone_ask_nobody() -> None:
    site = Site()
    found = collect(site, "/b", "/a", "/b")
    assert shown(found) == [("/b", "seed"), ("/a", "seed")]
    assert site.asked == [] and found.requests == 0


def test_all_sources_are_united_in_order_and_without_duplicates() -> None:
    site = Site({"/s.xml": urlset("/a", "/b"), "/f": rss("/b", "/c")})
    service = Service([{"url": "https://found.example/", "title": "Found"}, {"url": "HOME/c"}])
    with served(site) as home, served(service) as searching:
        service.results[1]["url"] = home + "/c"
        wanted = NamedStarts((home + "/a",), (home + "/s.xml", home + "/dead.xml"), (home + "/f",), searching, "x")
        found = asyncio.run(gather(Plain(), wanted, everything))
    assert [(link.url.removeprefix(home), link.rel) for link in found.links] == [
        ("/a", "seed"),
        ("/b", "sitemap"),
        ("/c", "feed"),
        ("https://found.example/", "search"),
    ]
    assert found.links[2].anchor == "T /c" and found.links[3].anchor == "Found"
    assert found.requests == 5 and found.problems == [(home + "/dead.xml", "It answered with status 404.")]


def test_an_address_that_is_a_sitemap_or_feed_stands_for_what_it_names() -> None:
    site = Site(
        {"/sitemap.xml": urlset("/a", "/b"), "/feed": rss("/c"), "/sitemap.txt": Reply(b"no list", "text/plain")}
    )
    found = collect(site, "/first", "/sitemap.xml", "/feed", "/sitemap.txt", "/last")
    assert shown(found) == [
        ("/first", "seed"),
        ("/a", "sitemap"),
        ("/b", "sitemap"),
        ("/c", "feed"),
        ("/sitemap.txt", "seed"),
        ("/last", "seed"),
    ]
    assert site.asked == ["/sitemap.xml", "/feed", "/sitemap.txt"] and found.requests == 3  # each asked once


def test_a_page_under_the_address_of_a_feed_is_a_page() -> None:
    site = Site({"/feed": Reply(b"<!doctype html><title>Feed your cat</title>"), "/x.xml": Reply(b"<html/>")})
    found = collect(site, "/feed", "/x.xml", "/gone.rss", "/plain")
    assert shown(found) == [("/feed", "seed"), ("/x.xml", "seed"), ("/gone.rss", "seed"), ("/plain", "seed")]
    assert found.problems == []


def test_sitemaps_speak_for_their_own_hosts_unless_the_scope_names_others() -> None:
    site = Site({"/s.xml": urlset("/a", "https://elsewhere.example/")})
    with served(site) as home:
        kept = asyncio.run(gather(Plain(), NamedStarts(sitemaps=(home + "/s.xml",)), everything))
        far = asyncio.run(gather(Plain(), NamedStarts(sitemaps=(home + "/s.xml",), abroad=True), everything))
        beside = NamedStarts(("https://www.elsewhere.example/x",), (home + "/s.xml",))
        named = asyncio.run(gather(Plain(), beside, everything))
    assert len(kept.links) == 1 and len(kept.problems) == 1
    assert len(far.links) == 2 and len(named.links) == 3


def test_scope_holds_for_what_is_found_but_not_for_what_was_named() -> None:
    site = Site({"/s.xml": urlset("/a", "/no/a"), "/f": rss("/b", "/no/b")})
    found = collect(site, "/no/start", allows=lambda url: "/no/" not in url, sitemaps=("/s.xml",), feeds=("/f",))
    assert [link.url for link in found.links] == ["/no/start", "/a", "/b"]


def test_nothing_at_all_is_a_problem_that_names_each_source() -> None:
    site = Site({"/empty.xml": urlset()})
    with served(site) as home:
        wanted = NamedStarts(sitemaps=(home + "/empty.xml",), feeds=(home + "/gone",), service=home, words="x")
        with pytest.raises(Problem) as told:
            asyncio.run(gather(Plain(), wanted, everything))
    assert str(told.value) == (
        f"Nothing was found to start from. {home}/empty.xml: There is no address in it: it is no sitemap, or a damaged "
        f"one. {home}/gone: It answered with status 404. {home}/search?format=json&pageno=1&q=x: There is no search "
        "here: give the address of the service itself, as http://localhost:8080."
    )


def test_no_source_at_all_is_a_problem() -> None:
    with pytest.raises(Problem, match="give an address, or --seeds, --sitemap, --feed or --search"):
        asyncio.run(gather(Plain(), NamedStarts(), everything))


class Forbidding:
    """A Web that obeys the robots.txt of a SearXNG."""

    async def fetch(self, request: Request) -> Fetch:
        return Fetch(request.url, request.url, failure=Failure("robots"))


def test_the_search_service_is_asked_by_a_web_of_its_own() -> None:
    with served(Service([{"url": "https://example.org/"}])) as home:
        wanted = NamedStarts(service=home, words="x")
        found = asyncio.run(gather(Forbidding(), wanted, everything, services=Plain()))
        assert [link.url for link in found.links] == ["https://example.org/"] and found.requests == 2
        with pytest.raises(Problem, match="robots"):
            asyncio.run(gather(Forbidding(), wanted, everything))


def test_the_live_web_brings_all_of_it() -> None:
    """Through guard, robots.txt and politeness: the sitemap is allowed, a feed is not, and the service is a service."""
    found_by_search = json.dumps({"results": [{"url": "https://found.test/", "title": "Found"}]}).encode()
    replies = {
        "a.test/robots.txt": http(b"User-agent: *\nDisallow: /private/\n"),
        "a.test/sitemap.xml": moved("http://a.test/all.xml.gz"),
        "a.test/all.xml.gz": http(gzip.compress(urlset("/1", "http://b.test/2").body), Content_Type="application/gzip"),
        "a.test/private/rss": rss("/no").body,
        "b.test/rss": http(rss("/3").body),
        "s.test/robots.txt": http(ROBOTS),
        "s.test/search?format=json&pageno=1&q=x": http(found_by_search, Content_Type="application/json"),
    }
    wanted = NamedStarts(
        sitemaps=("http://a.test/sitemap.xml",),
        feeds=("http://a.test/private/rss", "http://b.test/rss"),
        service="http://s.test/",
        words="x",
        most=1,
        results=1,
    )

    async def main() -> Gathered:
        async with visiting(replies) as (live, _):
            services = Live(live.client, live.guard, live.polite, None)
            return await gather(live, wanted, everything, services)

    found = asyncio.run(main())
    assert [link.url for link in found.links] == ["http://a.test/1", "http://b.test/3", "https://found.test/"]
    assert found.requests == 3
    assert [url for url, _ in found.problems] == ["http://a.test/sitemap.xml", "http://a.test/private/rss"]
    assert "robots.txt" in found.problems[1][1]


class Counted:
    def __init__(self) -> None:
        self.asked = 0

    async def fetch(self, request: Request) -> Fetch:
        self.asked += 1
        return Fetch(request.url, request.url, 404)


def test_looks_are_bounded() -> None:
    web = Counted()
    many = NamedStarts(tuple(f"https://example.org/{n}.xml" for n in range(1000)))
    found = asyncio.run(gather(web, many, everything))
    assert len(found.links) == 1000 and web.asked == sources.MOST_LOOKS
    assert len(found.problems) == 1 and found.problems[0][0] == "https://example.org/200.xml"


def test_a_site_given_as_a_sitemap_stands_for_those_its_robots_file_names() -> None:
    robots = (
        "User-agent: *\nDisallow: /x\nSitemap: http://a.test/pages.xml\nSitemap: /more.xml\nSitemap: ftp://a.test/\n"
    )
    sitemap = "<urlset><url><loc>http://a.test/one</loc></url></urlset>"
    more = sitemap.replace("one", "two")
    bodies = {"http://a.test/robots.txt": robots, "http://a.test/pages.xml": sitemap, "http://a.test/more.xml": more}
    found = asyncio.run(gather(_Answers(bodies), NamedStarts(sitemaps=("http://a.test/",)), lambda url: True))
    assert [link.url for link in found.links] == ["http://a.test/one", "http://a.test/two"] and not found.problems


class _Answers:
    def __init__(self, bodies: dict[str, str]) -> None:
        self.bodies = bodies

    async def fetch(self, request: Request) -> Fetch:
        body = self.bodies.get(request.url)
        return Fetch(request.url, request.url, 404 if body is None else 200, {}, (body or "").encode())
