"""Feeds of every kind, and what strangers may do with them."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.peak import cost_of_reading
from tests.web.searxng import Plain, Reply, Site, served

from wolfspider.core.model import Fetch
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds import feeds
from wolfspider.web.seeds.bounded_formats import XmlReading
from wolfspider.web.seeds.feeds import Feed, FeedEntry, entries, feeds_of, gather, is_feed
from wolfspider.web.seeds.gathered import Gathered
from wolfspider.web.worlds.world import Request

BASE = "https://example.org/feeds/all"
MAY = 1714559400.0  # 2024-05-01 10:30 UTC

RSS_2 = b"""<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="m"><channel>
<title>The feed</title><link>https://example.org/</link><atom:link rel="self" href="https://example.org/feeds/all"/>
<item><title>First &amp;amp; &lt;b&gt;bold&lt;/b&gt;</title><link>https://example.org/1?a=1&b=2</link>
<pubDate>Wed, 01 May 2024 10:30:00 +0000</pubDate><guid isPermaLink="false">x1</guid>
<media:content url="https://cdn.example/x.mp4"><media:title>a film</media:title></media:content>
<source url="https://other.example/rss"><title>Another feed</title></source></item>
<item><media:title>not the title</media:title><title><![CDATA[Second & last]]></title>
<guid>https://example.org/2</guid></item>
<item><title>without an address</title></item>
</channel></rss>"""

RSS_1 = b"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d">
<channel rdf:about="x"><title>t</title><link>https://example.org/</link></channel>
<item rdf:about="https://example.org/1"><title>One</title><link>https://example.org/1</link>
<dc:date>2024-05-01T10:30:00Z</dc:date></item></rdf:RDF>"""

RSS_091 = b"""<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><item><title>Caf&eacute;</title><link>https://example.org/1</link></item></channel></rss>"""

ATOM = b"""<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/blog/">
<title>t</title><link rel="self" href="/atom.xml"/><link href="/"/>
<entry xml:base="2024/"><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <em>more</em></div></title>
<link rel="edit" href="edit/1"/><link rel="enclosure" href="1.mp3"/><link rel="alternate" type="text/html" href="one"/>
<updated>2024-05-01T12:30:00+02:00</updated>
<source><title>elsewhere</title><link href="https://elsewhere.example/"/></source></entry>
<entry><title>Two</title><link href="two"/><published>2030-01-01T00:00:00Z</published></entry></feed>"""

PREFIXED = b"""<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>One</a:title>
<a:link href="https://example.org/1"/><a:updated>2024-05-01T10:30:00Z</a:updated></a:entry></a:feed>"""

JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "items": [
            {"url": "/1", "title": "One", "date_published": "2024-05-01T10:30:00Z"},
            {"external_url": "https://other.example/2"},
            {"title": "without an address"},
            {"url": 7, "title": []},
            "nonsense",
        ],
    }
).encode()


def test_rss_2() -> None:
    assert entries(RSS_2, BASE) == Feed(
        [
            FeedEntry("https://example.org/1?a=1&b=2", "First & bold", MAY),
            FeedEntry("https://example.org/2", "Second & last", None),
        ]
    )


@pytest.mark.parametrize(
    ("body", "title", "date"), [(RSS_1, "One", MAY), (RSS_091, "Café", None), (PREFIXED, "One", MAY)]
)
def test_other_kinds_of_xml(body: bytes, title: str, date: float | None) -> None:
    assert entries(body, BASE) == Feed([FeedEntry("https://example.org/1", title, date)])


def test_atom_with_bases_and_many_links() -> None:
    assert entries(ATOM, "https://feeds.example/x", at=MAY) == Feed(
        [
            FeedEntry("https://example.org/blog/2024/one", "One more", MAY),
            FeedEntry("https://example.org/blog/two", "Two", None),  # nobody published it in 2030
        ]
    )


def test_json_feed() -> None:
    assert entries(JSON, BASE) == Feed(
        [FeedEntry("https://example.org/1", "One", MAY), FeedEntry("https://other.example/2", "", None)]
    )


@pytest.mark.parametrize("body", [RSS_2, RSS_1, RSS_091, ATOM, PREFIXED, JSON])
def test_content_says_what_is_a_feed(body: bytes) -> None:
    assert is_feed(body) and is_feed(b"\xef\xbb\xbf" + body)


@pytest.mark.parametrize(
    "body", [b"", b"<!doctype html><title>feed</title>", b"<urlset/>", b"{}", b"[]", b'{"version":1}']
)
def test_what_is_no_feed(body: bytes) -> None:
    assert not is_feed(body)
    assert entries(body, BASE).entries == []


@pytest.mark.parametrize("cut", range(200, len(RSS_2), 97))
def test_a_torn_feed_gives_what_came_before(cut: int) -> None:
    found = entries(RSS_2[:cut], BASE)
    assert found.cut and found.entries == entries(RSS_2, BASE).entries[: len(found.entries)]


def test_addresses_that_are_none_are_left_out() -> None:
    bad = ("javascript:alert(1)", "file:///etc/passwd", "data:,x", "http://", "http://exa mple.org/")
    items = "".join(f"<item><link>{url}</link><guid isPermaLink='false'>x</guid></item>" for url in bad)
    assert entries(f"<rss><channel>{items}</channel></rss>".encode(), BASE).entries == []


BOMBS: dict[str, Callable[[], bytes]] = {
    "billion laughs": lambda: b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><rss><channel><item><title>&b;',
    "external entity": lambda: (
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<rss><channel><item><title>&x;</title><link>/1</link></item></channel></rss>"
    ),
    "deep nesting": lambda: b"<rss>" + b"<channel>" * 1_000_000,
    "deep content": lambda: b"<feed><entry><content>" + b"<div>" * 500_000,
    "many bases": lambda: b"<feed>" + b'<entry xml:base="x/">' * 500_000,
    "many entries": lambda: b"<rss><channel>" + b"<item><link>/1</link></item>" * 300_000,
    "empty entries": lambda: b"<rss><channel>" + b"<item/>" * 1_000_000,
    "many links": lambda: b"<feed><entry>" + b'<link href="/1"/>' * 50_000,
    "a long title": lambda: b"<rss><channel><item><link>/1</link><title>" + b"&lt;b>" * 1_000_000,
    "a long feed": lambda: b"<rss><channel><item><link>/1</link></item>" + b" " * 11_000_000,
    "deep JSON": lambda: b'{"items": ' + b"[" * 1_000_000,
    "deep objects": lambda: b'{"a":' * 1_000_000,
    "a huge number": lambda: b'{"items": ' + b"9" * 3_000_000 + b"}",
    "a huge exponent": lambda: b'{"items": [{"url": 1e999999999}]}',
    "numbers that are none": lambda: b'{"items": [NaN, Infinity, -Infinity]}',
    "long JSON": lambda: b'{"items": [' + b"{}," * 4_000_000,
    "many small objects": lambda: b'{"items": [' + b",".join([b"[]"] * 300_000) + b"]}",
    "half a character": lambda: b'{"items": [{"url": "/1", "title": "\\ud800"}, {"url": "/\\udfff"}]}',
    "bytes that are no text": lambda: b'{"items": [{"url": "/\xff"}]}',
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_payload_grows_or_reaches_out(name: str) -> None:
    found = entries(BOMBS[name](), BASE)
    assert len(found.entries) <= feeds.MOST_ENTRIES
    for entry in found.entries:
        assert len(entry.title) <= 300 and "root:" not in entry.title
        entry.title.encode()  # no halves of characters


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_no_payload_takes_much(name: str, tmp_path: Path) -> None:
    megabytes, seconds = cost_of_reading("wolfspider.web.seeds.feeds", BOMBS[name](), tmp_path)
    assert megabytes < 200 and seconds < 20


@given(
    st.binary(max_size=300)
    | st.integers(0, len(ATOM)).flatmap(lambda at: st.binary(max_size=9).map(lambda more: ATOM[:at] + more + ATOM[at:]))
    | st.integers(0, len(JSON)).flatmap(lambda at: st.binary(max_size=9).map(lambda more: JSON[:at] + more + JSON[at:]))
)
def test_any_bytes_are_read_without_complaint(body: bytes) -> None:
    assert is_feed(body) in (True, False)
    assert all(canonical(entry.url) == entry.url for entry in entries(body, BASE).entries)
    assert all(canonical(url) == url for url in feeds_of(body, BASE))


PAGE = b"""<!doctype html><html><head><base href="/blog/"><title>t</title>
<link rel="stylesheet" type="text/css" href="x.css"><link rel="alternate" hreflang="de" href="/de">
<link rel="ALTERNATE home" type="application/rss+xml; charset=utf-8" href="feed.xml">
<link rel="alternate" type="application/atom+xml" href="//other.example/atom">
<link rel="alternate" type="application/atom+xml" href="javascript:alert(1)">
<link rel="alternate" type="application/rss+xml" href="feed.xml"></head>
<body><link rel="alternate" type="application/rss+xml" href="in-the-body.xml"></body></html>"""


def test_a_page_names_its_feeds() -> None:
    assert feeds_of(PAGE, "https://example.org/a/b") == [
        "https://example.org/blog/feed.xml",
        "https://other.example/atom",
    ]


def test_a_page_may_name_only_some_and_not_far_down() -> None:
    link = b'<link rel=alternate type=application/rss+xml href="/%d">'
    assert len(feeds_of(b"".join(link % n for n in range(1000)), BASE)) == feeds.MOST_NAMED
    assert feeds_of(b" " * 500_000 + link % 1, BASE) == []
    assert feeds_of(b"<div>" * 200_000 + link % 1, BASE) == []


def collect(site: Site, *paths: str, most: int = 1000) -> Gathered:
    with served(site) as home:
        found = asyncio.run(gather(Plain(), [home + path for path in paths], lambda url: "forbidden" not in url, most))
    links = [link._replace(url=link.url.removeprefix(home)) for link in found.links]
    return Gathered(links, found.requests, [(url.removeprefix(home), told) for url, told in found.problems])


def rss(*items: tuple[str, str]) -> Reply:
    inner = "".join(f"<item><title>{title}</title><link>{url}</link></item>" for url, title in items)
    return Reply(f"<rss><channel>{inner}</channel></rss>".encode(), "application/rss+xml")


def test_feeds_are_gathered_with_their_titles() -> None:
    site = Site(
        {
            "/old": Reply(status=302, headers={"Location": "/blog/rss"}),
            "/blog/rss": rss(("a", "An A"), ("/forbidden", "no"), ("https://elsewhere.example/", "Else")),
            "/2": rss(("/blog/a", "again"), ("/b", "B")),
        }
    )
    found = collect(site, "/old", "/gone", "/2")
    assert [(link.url, link.anchor, link.rel, link.rank) for link in found.links] == [
        ("/blog/a", "An A", "feed", 0),
        ("https://elsewhere.example/", "Else", "feed", 1),
        ("/b", "B", "feed", 2),
    ]
    assert found.requests == 3 and found.problems == [("/gone", "It answered with status 404.")]


def test_a_page_leads_to_its_feeds_but_no_further() -> None:
    named = b'<link rel="alternate" type="application/rss+xml" href="%s">'
    site = Site({"/": Reply(named % b"/rss" + named % b"/page"), "/rss": rss(("/a", "A"))})
    site.files["/page"] = Reply(named % b"/further")
    found = collect(site, "/")
    assert [link.url for link in found.links] == ["/a"] and site.asked == ["/", "/rss", "/page"]
    assert found.problems == [("/page", "It is no feed, and names none.")]


def test_no_more_than_wanted_are_taken_or_asked_for() -> None:
    site = Site({"/1": rss(*((f"/{n}", "") for n in range(50))), "/2": rss(("/z", ""))})
    assert len(collect(site, "/1", "/2", most=7).links) == 7 and site.asked == ["/1"]


class Counted:
    def __init__(self) -> None:
        self.asked = 0

    async def fetch(self, request: Request) -> Fetch:
        self.asked += 1
        return Fetch(request.url, request.url, 200, {}, b"<rss/>")


def test_feeds_are_bounded_in_all() -> None:
    web = Counted()
    found = asyncio.run(gather(web, [f"https://example.org/{n}" for n in range(1000)], lambda url: True, 10))
    assert web.asked == feeds.MOST_FEEDS and "200 feeds were read" in found.problems[-1][1]


def test_references_to_control_characters_do_not_end_a_feed() -> None:
    items = "".join(f"<item><title>t&#27;[31m &#x0; &#xD800; {n}</title><link>/{n}</link></item>" for n in range(3))
    feed = entries(f"<rss><channel>{items}<item><title><![CDATA[&#27;]]></title></item></channel></rss>".encode(), BASE)
    assert [entry.title for entry in feed.entries] == ["t [31m 0", "t [31m 1", "t [31m 2"] and not feed.cut


@pytest.mark.parametrize("ending", ["</rss>", "</wrong>", ""])
def test_a_feed_that_was_read_does_not_stay_in_memory(ending: str) -> None:
    gc.disable()
    try:
        reading = XmlReading(f"<rss>{'<item>x</item>' * 3}{ending}".encode())
        assert list(reading)
        gone = weakref.ref(reading)
        del reading
        assert gone() is None
    finally:
        gc.enable()
