"""Sitemaps, and the XML of strangers by which they come: every payload by its name, through the real reader."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.peak import cost_of_reading
from tests.web.searxng import Plain, Reply, Site, served

from wolfspider.core.model import Failure, Fetch
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds import bounded_formats, sitemaps
from wolfspider.web.seeds.gathered import Gathered
from wolfspider.web.seeds.sitemaps import Sitemap, entries, gather, is_sitemap
from wolfspider.web.worlds.world import Request

BASE = "https://example.org/sitemap.xml"
HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'


def urlset(*urls: str) -> bytes:
    return HEAD + b"<urlset>" + b"".join(f"<url><loc>{url}</loc></url>".encode() for url in urls) + b"</urlset>"


def index(*urls: str) -> bytes:
    inner = b"".join(f"<sitemap><loc>{url}</loc></sitemap>".encode() for url in urls)
    return HEAD + b"<sitemapindex>" + inner + b"</sitemapindex>"


def named(body: bytes) -> list[str]:
    return [url for url, _ in entries(body, BASE).urls]


def test_a_urlset_names_addresses_and_when_they_changed() -> None:
    body = HEAD + (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> https://example.org/a </loc>'
        b"<lastmod>2024-05-01</lastmod><priority>0.5</priority></url>"
        b"<url><loc><![CDATA[https://example.org/b?x=1&y=2]]></loc></url></urlset>"
    )
    assert entries(body, BASE) == Sitemap(
        [("https://example.org/a", 1714521600.0), ("https://example.org/b?x=1&y=2", None)], [], False
    )


def test_an_index_names_further_sitemaps() -> None:
    assert entries(index("https://example.org/1.xml", "/2.xml"), BASE) == Sitemap(
        [], ["https://example.org/1.xml", "https://example.org/2.xml"], False
    )


def test_a_plain_list_has_an_address_a_line() -> None:
    body = b"\xef\xbb\xbfhttps://example.org/a\r\n\r\nnonsense\nhttps://example.org/b\n"
    assert named(body) == ["https://example.org/a", "https://example.org/b"]


def test_prefixes_and_other_vocabularies_do_not_matter() -> None:
    body = (
        b'<s:urlset xmlns:s="x" xmlns:image="y"><s:url><s:loc>/a</s:loc>'
        b"<image:image><image:loc>https://example.org/picture.png</image:loc></image:image></s:url></s:urlset>"
    )
    assert named(body) == ["https://example.org/a"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1"])
def test_encodings_are_understood(codec: str) -> None:
    text = f'<?xml version="1.0" encoding="{codec}"?><urlset><url><loc>https://example.org/ä</loc></url></urlset>'
    assert named(text.encode(codec)) == ["https://example.org/%C3%A4"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("blanks before the declaration", b" \r\n" + urlset("https://example.org/a")),
        ("two byte order marks", b"\xef\xbb\xbf\xef\xbb\xbf" + urlset("https://example.org/a")),
        ("a bare ampersand", urlset("https://example.org/a?utm_source=x&utm_medium=y")),
        ("an entity of HTML", urlset("https://example.org/a").replace(b"</loc>", b"</loc><x>&nbsp;</x>")),
        ("control characters", urlset("https://example.org/a\x01\x0b")),
        ("an encoding that lies", urlset("https://example.org/a").replace(b"UTF-8", b"UTF-16")),
        ("an encoding nobody knows", urlset("https://example.org/a").replace(b"UTF-8", b"rot13")),
        ("a stranger's codec", urlset("https://example.org/a").replace(b"UTF-8", b"unicode_escape")),
        ("a document type without declarations", b'<!DOCTYPE urlset SYSTEM "http://evil/x.dtd">' + urlset("/a")[39:]),
        ("no end", urlset("https://example.org/a")[:-9] + b"<url><loc>https://example.org/b"),
        ("text behind the end", urlset("https://example.org/a") + b"<more>"),
        (
            "a closing tag that was never opened",
            urlset("https://example.org/a").replace(b"</urlset>", b"</x></urlset>"),
        ),
        ("a reference to no character", urlset("https://example.org/a&#0;")),
        ("compressed", gzip.compress(urlset("https://example.org/a"))),
        ("compressed and torn", gzip.compress(urlset("https://example.org/a"), 0)[:-12]),
    ],
)
def test_what_is_wrong_costs_no_more_than_it_must(name: str, body: bytes) -> None:
    assert named(body) == ["https://example.org/a"], name


@pytest.mark.parametrize("at", [65_530, 65_536, 65_540, 131_072])
def test_portions_tear_nothing(at: int) -> None:
    """Marks and references at the border between two portions are read as if there was none."""
    for shift in range(-14, 3):
        start = HEAD + b"<urlset><url><!--"
        filler = start + b"x" * (at + shift - len(start) - 8) + b"--><loc>"
        tail = "<![CDATA[https://example.org/ü&b]]>&amp;<![CDATA[&amp;]]]]>&c&lt;</loc></url></urlset>"
        assert named(filler + tail.encode()) == ["https://example.org/%C3%BC&b&&amp;]]&c%3C"]


def laughs() -> bytes:
    declared = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE u [<!ENTITY l0 "ha">{declared}]><urlset><url><loc>/&l9;</loc></url></urlset>'.encode()


def quadratic() -> bytes:
    return b'<!DOCTYPE u [<!ENTITY a "' + b"a" * 100_000 + b'">]><urlset><url><loc>' + b"&a;" * 100_000


BOMBS: dict[str, Callable[[], bytes]] = {
    "billion laughs": laughs,
    "quadratic blow-up": quadratic,
    "laughs without declarations": lambda: b"<urlset><url><loc>" + b"&lol9;" * 1_000_000 + b"</loc></url></urlset>",
    "external entity": lambda: (
        b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&x;</loc></url></urlset>'
    ),
    "external entity in an attribute": lambda: (
        b'<!DOCTYPE u [<!ENTITY x "y">]><urlset a="&x;"><url><loc>/a</loc></url></urlset>'
    ),
    "parameter entities": lambda: (
        b'<!DOCTYPE u [<!ENTITY % a SYSTEM "http://127.0.0.1:1/x.dtd">%a;]><urlset><url><loc>/a</loc></url></urlset>'
    ),
    "endless declarations": lambda: b"<!DOCTYPE u [" + b'<!ENTITY a "b">' * 500_000,
    "deep nesting": lambda: b"<urlset>" * 2_000_000,
    "one endless tag": lambda: b"<urlset " + b'a="b" ' * 4_000_000,
    "one endless attribute": lambda: b'<urlset a="' + b"x" * 20_000_000,
    "an endless comment": lambda: b"<urlset><!--" + b"x" * 20_000_000,
    "an endless instruction": lambda: b"<?x " + b"x" * 20_000_000,
    "an endless name": lambda: b"<" + b"x" * 20_000_000,
    "many namespaces": lambda: b"<urlset " + b"".join(b'xmlns:a%d="b" ' % n for n in range(60_000)) + b"/>",
    "many entries": lambda: b"<urlset>" + b"<url/>" * 3_000_000,
    "ampersands": lambda: b"<urlset><url><loc>" + b"&" * 2_000_000,
    "brackets": lambda: b"<urlset><url><loc><![CDATA[" + b"]" * 5_000_000,
    "marks that open": lambda: b"<urlset><url><loc>" + b"<![CDATA[" * 1_000_000,
    "zeros, compressed": lambda: gzip.compress(bytes(70_000_000), 1),
    "an endless list, compressed": lambda: gzip.compress(b"<urlset>" + b"<url><loc>/a</loc></url>" * 1_000_000, 1),
    "line breaks, compressed": lambda: gzip.compress(b"x\n" * 20_000_000 + b"\n" * 20_000_000, 1),
    "one endless line": lambda: b"https://example.org/" + b"x" * 20_000_000,
    "compressed twice": lambda: gzip.compress(gzip.compress(bytes(20_000_000))),
}


HARMLESS = (
    "one endless line",
    "laughs without declarations",
    "many namespaces",
    "compressed twice",
)  # read to their end, without effect


@pytest.mark.parametrize("name", BOMBS)
def test_no_payload_grows_or_reaches_out(name: str) -> None:
    found = entries(BOMBS[name](), BASE)
    assert len(found.urls) <= sitemaps.MOST_ENTRIES
    assert not any("passwd" in url or "root" in url for url, _ in found.urls)
    assert found.cut or name in HARMLESS


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_no_payload_takes_much(name: str, tmp_path: Path) -> None:
    megabytes, seconds = cost_of_reading("wolfspider.web.seeds.sitemaps", BOMBS[name](), tmp_path)
    assert megabytes < 200 and seconds < 20


def test_declarations_end_the_reading() -> None:
    for name in ("billion laughs", "external entity", "parameter entities", "external entity in an attribute"):
        assert entries(BOMBS[name](), BASE) == Sitemap([], [], True), name


@pytest.mark.parametrize("form", [urlset, lambda *urls: "\n".join(urls).encode(), index])
def test_entries_beyond_the_cap_are_cut(form: Callable[..., bytes]) -> None:
    found = entries(form(*(f"https://example.org/{n}" for n in range(sitemaps.MOST_ENTRIES + 5))), BASE)
    assert len(found.urls) + len(found.nested) == sitemaps.MOST_ENTRIES and found.cut


def test_only_http_addresses_come_out() -> None:
    bad = ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://example.org/", "http://a b/", "")
    assert named(urlset(*bad, "https://user:secret@example.org/a#b")) == ["https://example.org/a"]


def test_content_says_what_is_a_sitemap() -> None:
    assert is_sitemap(urlset("/a")) and is_sitemap(index("/a")) and is_sitemap(gzip.compress(urlset("/a")))
    assert is_sitemap(b"https://example.org/a\nhttps://example.org/b\n")
    assert not is_sitemap(b"<!doctype html><p>a page") and not is_sitemap(b"<rss/>") and not is_sitemap(b"")
    assert not is_sitemap(b"Some words about https://example.org/")


@given(st.binary(max_size=300) | st.binary(max_size=100).map(lambda more: urlset("/a", "b")[:-9] + more))
def test_any_bytes_are_read_without_complaint(body: bytes) -> None:
    for form in (body, gzip.compress(body)):
        found = entries(form, BASE)
        assert all(canonical(url) == url for url in [*found.nested, *(url for url, _ in found.urls)])
        assert is_sitemap(form) in (True, False)


@given(st.text("<>&;![]CDATA?/= ax\n\"'#0", max_size=200))
def test_any_markup_is_read_without_complaint(text: str) -> None:
    body = f"<urlset>{text}</urlset>".encode()
    reading = bounded_formats.XmlReading(body)
    depth = 0
    for event in reading:
        depth += 1 if isinstance(event, bounded_formats.Opened) else 0
        assert event.depth == depth
        depth -= 1 if isinstance(event, bounded_formats.Closed) else 0
    assert not reading.whole or depth == 0


def test_text_of_an_element_is_bounded_and_whole_with_its_children() -> None:
    events = list(bounded_formats.XmlReading(b"<a>1<b>2</b>3<c>" + b"x" * 50_000 + b"</c></a>"))
    texts = {event.name: event.text for event in events if isinstance(event, bounded_formats.Closed)}
    assert texts["b"] == "2" and texts["a"].startswith("123x")
    assert len(texts["c"]) == bounded_formats.LONGEST_TEXT == len(texts["a"])


@pytest.mark.slow
def test_elements_are_bounded() -> None:
    events = list(bounded_formats.XmlReading(b"<a>" + b"<b/>" * (bounded_formats.MOST_ELEMENTS + 10)))
    assert len(events) == 2 * bounded_formats.MOST_ELEMENTS - 1


def test_long_text_is_no_endless_tag() -> None:
    reading = bounded_formats.XmlReading(b"<a>" + b"x y " * 1_500_000 + b"<b/></a>")
    assert [event.name for event in reading] == ["a", "b", "b", "a"] and reading.whole


def collect(site: Site, *paths: str, allows: Callable[[str], bool] | None = None, most: int = 1000) -> Gathered:
    with served(site) as home:
        for path, reply in site.files.items():
            site.files[path] = reply._replace(body=reply.body.replace(b"HOME", home.encode()))
        permitted = allows or (lambda url: url.startswith(home))
        found = asyncio.run(gather(Plain(), [home + path for path in paths], permitted, most))
    links = [link._replace(url=link.url.removeprefix(home)) for link in found.links]
    return Gathered(links, found.requests, [(url.removeprefix(home), told) for url, told in found.problems])


def test_indexes_are_followed_and_redirects_too() -> None:
    site = Site(
        {
            "/sitemap.xml": Reply(status=301, headers={"Location": "/index.xml"}),
            "/index.xml": Reply(index("one.xml.gz", "HOME/two.txt"), "application/xml"),
            "/one.xml.gz": Reply(gzip.compress(urlset("/a", "/b")), "application/gzip"),
            "/two.txt": Reply(b"HOME/b\nHOME/c\n", "text/plain"),
        }
    )
    found = collect(site, "/sitemap.xml")
    assert [(link.url, link.rel, link.rank) for link in found.links] == [
        ("/a", "sitemap", 0),
        ("/b", "sitemap", 1),
        ("/c", "sitemap", 2),
    ]
    assert found.requests == 3 and found.problems == []


def test_cycles_end() -> None:
    site = Site({"/1.xml": Reply(index("/1.xml", "/2.xml")), "/2.xml": Reply(index("/1.xml", "/2.xml", "/3.xml"))})
    site.files["/3.xml"] = Reply(urlset("/a"))
    found = collect(site, "/1.xml", "/1.xml")
    assert site.asked == ["/1.xml", "/2.xml", "/3.xml"] and [link.url for link in found.links] == ["/a"]


def test_indexes_are_followed_three_deep() -> None:
    site = Site({f"/{n}.xml": Reply(index(f"/{n + 1}.xml")) for n in range(10)})
    found = collect(site, "/0.xml")
    assert len(site.asked) == sitemaps.DEEPEST == found.requests
    assert found.problems == [("/2.xml", "What it names was left out: sitemaps are followed 3 deep.")]


class Counted:
    """A Web that is an index of a thousand sitemaps, each with one address."""

    def __init__(self) -> None:
        self.asked = 0

    async def fetch(self, request: Request) -> Fetch:
        self.asked += 1
        body = urlset(f"/{self.asked}") if self.asked > 1 else index(*(f"/{n}.xml" for n in range(1000)))
        return Fetch(request.url, request.url, 200, {}, body)


def test_files_are_bounded_in_all() -> None:
    web = Counted()
    found = asyncio.run(gather(web, [BASE], lambda url: True, 1000))
    assert web.asked == found.requests == sitemaps.MOST_FILES
    assert found.problems == [(BASE, "501 sitemaps were left out: 500 are enough.")]


def test_other_hosts_need_consent() -> None:
    """As crawlee did not see to it: CVE-2026-46497."""
    site = Site(
        {
            "/s.xml": Reply(urlset("HOME/a", "http://169.254.169.254/latest/", "https://elsewhere.org/")),
            "/i.xml": Reply(index("http://169.254.169.254/s.xml", "/s.xml")),
        }
    )
    found = collect(site, "/i.xml")
    assert [link.url for link in found.links] == ["/a"] and found.requests == 2
    assert found.problems == [
        ("/i.xml", "1 further sitemaps lie on other hosts and were left out."),
        ("/s.xml", "2 of its addresses are out of scope: --include NAME takes a host in."),
    ]
    found = collect(site, "/s.xml", allows=lambda url: True)
    assert len(found.links) == 3


def test_dead_sitemaps_are_remarks() -> None:
    site = Site({"/a.xml": Reply(urlset("/a")), "/page": Reply(b"<!doctype html><p>Hello"), "/empty": Reply()})
    found = collect(site, "/gone.xml", "/page", "/empty", "/a.xml")
    assert [link.url for link in found.links] == ["/a"] and found.requests == 4
    assert found.problems == [
        ("/gone.xml", "It answered with status 404."),
        ("/page", "There is no address in it: it is no sitemap, or a damaged one."),
        ("/empty", "It answered with nothing."),
    ]


def test_no_more_than_wanted_are_taken_or_asked_for() -> None:
    site = Site({"/1.xml": Reply(urlset(*(f"/{n}" for n in range(100)))), "/2.xml": Reply(urlset("/z"))})
    assert len(collect(site, "/1.xml", "/2.xml", most=7).links) == 7 and site.asked == ["/1.xml"]


class Refusing:
    async def fetch(self, request: Request) -> Fetch:
        return Fetch(request.url, request.url, failure=Failure("robots"))


def test_what_was_never_asked_for_is_no_request() -> None:
    found = asyncio.run(gather(Refusing(), [BASE], lambda url: True, 10))
    assert found == Gathered([], 0, [(BASE, "It could not be read: its robots.txt forbids it to us.")])
