from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.text import block_words, window, words
from wolfspider.web.page.html import addresses, directives, language, parse, plain_address, slow_plain_address
from wolfspider.web.page.urls import canonical

URL = "http://example.org/dir/page.html"


def fetch(body: str | bytes, content_type: str = "text/html; charset=utf-8", **headers: str) -> Fetch:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = body.encode() if isinstance(body, str) else body
    return Fetch(URL, URL, 200, {"content-type": content_type, **named}, data, at=1.6e9)


def page(body: str | bytes, content_type: str = "text/html; charset=utf-8", **headers: str) -> Page:
    result = parse(fetch(body, content_type, **headers))
    assert isinstance(result, Page), result
    return result


def links(body: str) -> list[tuple[str, str]]:
    return [(link.url.removeprefix("http://example.org"), link.anchor) for link in page(body).links]


# Failures


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (Fetch(URL, URL, failure=Failure("timeout", "30 s")), Failure("timeout", "30 s")),
        (Fetch(URL, URL, 404, body=b"<p>not here"), Failure("status", "404")),
        (Fetch(URL, URL, 503), Failure("status", "503")),
        (Fetch(URL, URL, 301), Failure("redirect", "301 without a target")),
        (Fetch(URL, URL, 200), Failure("empty", "no body")),
        (Fetch(URL, URL, 200, body=b" \r\n"), Failure("empty", "no body")),
        (Fetch(URL, URL, 200, {"content-type": "text/css"}, b"a{}"), Failure("type", "text/css")),
        (Fetch(URL, URL, 200, {}, b"\x00\x01"), Failure("type", "not text")),
    ],
)
def test_no_page(answer: Fetch, failure: Failure) -> None:
    assert parse(answer) == failure


def test_a_page_that_is_there_already() -> None:
    ready = Page(URL, URL, title="ready")
    assert parse(Fetch(URL, URL, page=ready)) is ready


SHELL = "<title>App</title><div id=root></div>"
PROGRAM = "<script src=/app.js></script>"


@pytest.mark.parametrize(
    "html",
    [
        SHELL + PROGRAM,
        SHELL + "<script type=module>run()</script>",
        SHELL + "<noscript>Please enable JavaScript, <a href=/help>really</a></noscript>",
        "<script>location = '/elsewhere'</script>",
        f"<head>{PROGRAM}</head><body style='display:none'>text <a href=/x>x</a>",
    ],
)
def test_a_page_that_shows_nothing_without_its_scripts_says_so(html: str) -> None:
    assert parse(fetch(html)) == Failure("script", "nothing to read without JavaScript")


@pytest.mark.parametrize(
    "html",
    [
        SHELL,
        SHELL + "<script type='application/ld+json'>{}</script>",
        SHELL + PROGRAM + "Loading",
        SHELL + PROGRAM + "<a href=/x></a>",
        SHELL + PROGRAM + "<img src=logo.png>",
        SHELL + PROGRAM + "<video src=film.mp4></video>",
        PROGRAM + "<meta http-equiv=refresh content='0;url=/x'>",
    ],
)
def test_a_page_that_shows_anything_is_a_page(html: str) -> None:
    assert isinstance(parse(fetch(html)), Page)


# Words


def test_what_is_read_and_what_is_not() -> None:
    found = page(
        """<!doctype html><html><head><title> The  Title </title><style>x{}</style><script>var a</script></head><body>
        <h1>Head<span>line</span></h1><p>One<br>two<!-- no -->three</p><script>no()</script><noscript>no</noscript>
        <svg><title>no</title><text>no</text></svg><template>no</template><div hidden>no</div>
        <div style="color:red; DISPLAY: none">no <a href="/bait">no</a></div><ul><li>four<li>five</ul>
        <textarea>six</textarea><iframe src="/frame">no</iframe></body></html>"""
    )
    assert found.title == "The Title"
    assert found.words == ("the", "title", "headline", "one", "twothree", "four", "five", "six")
    assert [link.url for link in found.links] == ["http://example.org/frame"]


def test_plain_text_is_a_page() -> None:
    found = page("Hello <a href=/x>World</a>", "text/plain")
    assert found.words == ("hello", "a", "href", "x", "world", "a")
    assert found.links == ()
    assert found.type == "text/plain"


GERMAN = "Über die Straße läuft ein großer Hund, und niemand weiß warum er es so eilig hat."
RUSSIAN = "Быстрая коричневая лиса прыгает через ленивую собаку, и ещё раз."
JAPANESE = "日本語のページを読む。カタカナとひらがなと漢字が混ざっている文章です。"


@pytest.mark.parametrize(
    ("text", "label", "tongue"),
    [
        (GERMAN, "windows-1252", "de"),
        (GERMAN, "utf-8", "de"),
        (RUSSIAN, "windows-1251", "ru"),
        (RUSSIAN, "koi8-r", "ru"),
        (JAPANESE, "shift_jis", "ja"),
        (JAPANESE, "euc-jp", "ja"),
        (JAPANESE, "iso-2022-jp", "ja"),
        (JAPANESE, "utf-8", "ja"),
    ],
)
@pytest.mark.parametrize("told_by", ["header", "meta", "http-equiv"])
def test_from_bytes_to_words_in_other_tongues(text: str, label: str, tongue: str, told_by: str) -> None:
    meta = {
        "header": "",
        "meta": f'<meta charset="{label}">',
        "http-equiv": f'<meta http-equiv="Content-Type" content="text/html; charset={label}">',
    }[told_by]
    html = f"<html><head>{meta}<title>{text[:12]}</title></head><body><p>{text}</p><a href='/x'>{text[:5]}</a></body>"
    header = f"text/html; charset={label}" if told_by == "header" else "text/html"
    found = page(html.encode(label), header)
    assert found.title == text[:12].strip()
    assert found.words == (*words(found.title), *words(text), *words(text[:5]))
    assert found.links[0].anchor == text[:5].strip()
    assert found.language == tongue


def test_utf8_and_windows_1252_without_a_word_about_it() -> None:
    assert page(GERMAN.encode(), "text/html").words == tuple(words(GERMAN))
    assert page(GERMAN.encode("cp1252"), "text/html").words == tuple(words(GERMAN))


# Links


def test_links_are_resolved_and_cleaned() -> None:
    assert links(
        """<a href="a.html">A</a> <a href="../b?utm_source=x#frag"> B
        b </a> <a href="HTTP://Example.org:80/c">C</a><a href="mailto:x@y">no</a><a href="javascript:x()">no</a>
        <a href="">no</a><a href="#top">no</a><a name="here">no</a><a href="http://[">no</a>
        <map><area href="/d" alt="D"></map>"""
    ) == [("/dir/a.html", "A"), ("/b", "B b"), ("/c", "C"), ("/d", "D")]


STEPS = """
    a .. . / ? # x=1 http: https: // \\ : b.html @ ä mailto: ; & [ %2e
    http://w-w.h.ex/ .xn--a -~_/ X.ex/ h.0x1/ 1.2 :80/
"""
BASES = """
    http://h/ http://h http://h/a/b/c.html https://h/a/b/?x=/y/z http://h/a?b#c/d http://h/a/b/;p=1/ http://h:81/x/y
    http://u:p@h/a/b http://h/a//b// http://h?x/y http://h#x/y http://h/ä/ü http://h/a/b\\c
"""
hrefs = (
    st.lists(st.sampled_from([*STEPS.split(), " ", "\t", "\x01"]), min_size=1, max_size=5)
    .map("".join)
    .filter(str.strip)
)


@given(st.lists(hrefs.map(str.strip), max_size=5), st.sampled_from(BASES.split()))
def test_what_is_remembered_is_what_would_be_found(links: list[str], base: str) -> None:
    assert addresses(links, base) == [canonical(link, base) for link in links]


@pytest.mark.parametrize("size", [100, 201, 8_150, 8_192, 100_000])
def test_long_links_lead_no_further_than_short_ones(size: int) -> None:
    links = ["a" * size, "/" + "a" * size, "http://h.ex/" + "a" * size]
    for base in ("http://h.ex/x/y", f"http://h.ex/{'x' * 8_100}/y"):
        assert addresses(links, base) == [canonical(link, base) for link in links]


@given(st.text("aZ0_~-./#:? \u00e9", max_size=8), st.sampled_from(["", "../", "../../", "../../../", "/"]))
def test_addresses_that_need_no_parser_are_told_alike(names: str, before: str) -> None:
    for folder in ("http://h/", "http://h/a/b/", "https://h.ex/a//"):
        href = before + names
        address = plain_address(href, folder)
        assert address == slow_plain_address(href, folder)
        assert not address or address == canonical(href, folder)


def test_steps_up_need_no_parser() -> None:
    assert plain_address("../../c.html#d", "http://h/a/b/") == "http://h/c.html"
    assert plain_address("../../../c.html", "http://h/a/b/") == "http://h/c.html"
    assert plain_address("../c/", "http://h/a//b/") == "http://h/a//c/"


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("c", "http://h/a/c"),
        ("?q=1", "http://h/a/b?q=1"),
        ("../c", "http://h/c"),
        ("/c", "http://h/c"),
        ("http:c", "http://h/a/c"),
        ("mailto:c", None),
    ],
)
def test_seen_from_a_page(href: str, address: str | None) -> None:
    assert addresses([href, href], "http://h/a/b") == [address, address]


def test_the_first_base_counts() -> None:
    assert links('<base target=x><base href="/other/"><base href="/no/"><a href="a">A</a>') == [("/other/a", "A")]
    assert links('<base href="data:x"><a href="a">A</a>') == [("/dir/a", "A")]


def test_one_link_for_an_address_and_the_first_text_wins() -> None:
    found = page('<a href="/x"><img src=i></a> zero <a href="/y">Y</a> <a href="/x">first</a> <a href="/x">second</a>')
    assert [(link.url[-2:], link.anchor, link.rank) for link in found.links] == [("/x", "first", 0), ("/y", "Y", 1)]
    assert found.words[found.links[0].at] == "first"


def test_pictures_speak_for_links_without_text() -> None:
    found = page('<p>one <a href="/x"><img alt="a red"><img alt="fox"></a> <a href="/y">text<img alt="no"></a></p>')
    assert [link.anchor for link in found.links] == ["a red fox", "text"]
    assert found.words == ("one", "a", "red", "fox", "text")


def test_refresh_frames_and_rel() -> None:
    html = """<meta http-equiv=Refresh content="5; URL='/next'"><a href=/x rel="NoFollow  ugc">x</a>
        <iframe src=/i></iframe>"""
    assert [(link.url[18:], link.rel) for link in page(html).links] == [
        ("/next", "refresh"),
        ("/x", "nofollow ugc"),
        ("/i", "frame"),
    ]
    assert [link.url[18:] for link in page("<frameset><frame src=/f></frameset>").links] == ["/f"]


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/a", "/a"),
        ("3, /a", "/a"),
        ('1; Url = "/a" x', "/a"),
        ("/a", ""),
        ("5", ""),
        ("5;", ""),
        ("1;/a;b", "/a;b"),
    ],
)
def test_refresh_targets(content: str, target: str) -> None:
    found = page(f"<meta http-equiv=refresh content='{content}'>text").links
    assert [link.url[18:] for link in found] == ([target] if target else [])


def test_place_block_and_path() -> None:
    found = page(
        """<title>Title</title><div class="nav top" id=menu><ul><li><a href=/a>Alpha</a></li><li>beta</li></ul>
        <p>one two three four five six seven eight nine ten</p></div><p>no <a href=/b>more</a></p>"""
    )
    first, second = found.links
    assert (first.at, first.path) == (1, "html/body/div.nav.top#menu/ul/li/a")
    assert first.block == (1, 13)
    assert block_words(found, first) == found.words[1:13]
    assert second.block == (1, 15)  # the body; no smaller element says enough
    assert window(found, second, 2, 2) == ("ten", "no", "more")
    assert found.words[second.at] == "more"


def test_many_links_are_cut() -> None:
    found = page("".join(f"<a href=/{i}>x</a>" for i in range(6000)))
    assert len(found.links) == 5000
    assert [link.rank for link in found.links] == list(range(5000))


# What a page says of itself


def test_notes() -> None:
    found = page(
        """<html lang="de-AT"><meta name=Description content=" What   it is "><link rel="x canonical" href="/c?b=1&a=2">
        <meta property="article:published_time" content="2018-10-29T12:00:00+01:00">
        <meta name=robots content="NoFollow">
        <meta name=googlebot content=noindex><p>Text</p>""",
        x_robots_tag="noarchive, otherbot: noindex, nosnippet",
        last_modified="Mon, 29 Oct 2018 12:00:00 GMT",
    )
    assert found.description == "What it is"
    assert found.canonical == "http://example.org/c?a=2&b=1"
    assert found.published == 1540810800
    assert found.modified == 1540814400
    assert found.robots == ("noarchive", "nofollow")
    assert found.language == "de"
    assert (found.at, found.status, found.charset, found.truncated) == (1.6e9, 200, "utf-8", False)


def test_dates_of_json_and_of_articles_only() -> None:
    json = '<script type="application/ld+json">{"@graph":[{"datePublished":"2018-10-29"}]}</script>'
    assert page(json + "x").published == 1540771200
    assert page("<time datetime=2018-10-29>x</time>").published is None
    assert page("<article><p><time datetime=2018-10-29>x</time>").published == 1540771200
    assert page("<article><time datetime=2018-10-28>x</time><time datetime=2018-10-29 pubdate>").published == 1540771200


def test_digest_and_signature() -> None:
    one, two = page("<p>a b c d"), page("<p >a b c d")
    assert one.digest != two.digest
    assert one.near == two.near != 0
    assert one.digest == page("<p>a b c d").digest
    assert one.size == 10


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["noindex, NOFOLLOW"], ("nofollow", "noindex")),
        (["none"], ("nofollow", "noindex", "none")),
        (["otherbot: noindex, nofollow"], ()),
        (["otherbot: noindex, wolfspider: nofollow"], ("nofollow",)),
        (["max-snippet:20, noindex"], ("max-snippet:20", "noindex")),
        (["", " , "], ()),
    ],
)
def test_directives(texts: list[str], expected: tuple[str, ...]) -> None:
    assert directives(*texts) == expected


def test_language() -> None:
    assert language("en-US", GERMAN) == "en"
    assert language("zh_TW", "") == "zh"
    assert language("", GERMAN) == "de"
    assert language("english", RUSSIAN) == "ru"
    assert language("", "too short") == ""


# Anything at all


def check(found: Page | Failure) -> None:
    """What is true of every page: it asserts, for the tests below."""
    if isinstance(found, Failure):
        return
    count = len(found.words)
    seen = set()
    for rank, link in enumerate(found.links):
        assert isinstance(link, Link)
        assert link.rank == rank
        assert 0 <= link.at <= count
        assert 0 <= link.block[0] <= link.block[1] <= count
        spoken = words(link.anchor)
        assert not spoken or found.words[link.at] == spoken[0]
        assert len(link.anchor) <= 300
        assert len(link.path) <= 300
        assert link.path
        assert link.url not in seen
        seen.add(link.url)
    assert all(found.words)


PIECES = """
    <a_href=/x> <a_href="/y"_class="c_d"> </a> <p> </p> <div> </div> <table> <td> <b> </b> <img_alt="pic_ture"> <title>
    </title> <base_href=//z/> <area_href=/w_alt=q> <script> </script> <!-- --> <svg> <select> <option> <template>
    <frameset> <form> <meta_http-equiv=refresh_content="1;/r"> <body_hidden> <math> <mi> <ul> <li> <style> <plaintext>
    <textarea> <time_pubdate> one two _ &amp; &#0; &#xD800; \x00 \xff ä 日本語 \u00ad \u0301 →
    <iframe_src=/f> <a_href=/v><img_alt="→">
"""
pieces = st.sampled_from([piece.replace("_", " ") for piece in PIECES.split()])


@given(st.lists(pieces | st.text(max_size=5), max_size=40).map("".join))
@example("<a href=/x>\u0301a</a>")
@example("<a href=/x><title>one</title>two</a>")
@example("<a href=/x>one<table><td><a href=/y>two</a>three</table></a>")
@settings(max_examples=300, deadline=None)
def test_words_and_links_agree(html: str) -> None:
    check(parse(fetch(html)))


@given(st.binary(max_size=400), st.sampled_from(["text/html", "", "text/plain", "text/html; charset=utf-16be"]))
@settings(deadline=None)
def test_no_bytes_are_too_strange(body: bytes, content_type: str) -> None:
    check(parse(fetch(body, content_type)))
    check(parse(fetch(b"<html>" + body, content_type)))


HOSTILE = {
    "nested": "b'<div>' * 100_000 + b'deep'",
    "nested inline": "b'<span>' * 100_000 + b'</x>' * 100_000",
    "nested formatting": "b'<b><i><p>' * 50_000",
    "nested links": "b'<a href=x><div>' * 50_000",
    "nested tables": "b'<table><tr><td>' * 50_000",
    "mixed ends": "b'<div></span>' * 100_000",
    "one long attribute": "b'<a href=\"' + b'x' * 50_000_000 + b'\">x</a>'",
    "many attributes": "b'<a ' + b' '.join(b'a%d=1' % i for i in range(200_000)) + b'>x'",
    "many attributes of an end": "b'<p></p ' + b' '.join(b'a%d=1' % i for i in range(200_000)) + b'>x'",
    "many attributes, brackets quoted": "b'<a ' + b' '.join(b'a%d=\">\"' % i for i in range(200_000)) + b'>x'",
    "many attributes, stray quotes": "b'=\" <a ' + b' '.join(b'a%d=\">=\"' % i for i in range(200_000)) + b'>x'",
    "many attributes, both quotes": "b'\" <a ' + b' '.join(b'a%d= \\'<b \">\\'' % i for i in range(200_000)) + b'>x'",
    "many attributes, many times": "(b'<a ' + b' '.join(b'a%d' % i for i in range(290)) + b'>x') * 7_000",
    "many bodies": "b''.join(b'<body a%d=1>' % i for i in range(100_000))",
    "many links": "b''.join(b'<a href=/%d>y</a> ' % i for i in range(1_000_000))",
    "many options": "b'<select><button><selectedcontent></button>' + b'<option selected>x' * 14_000",
    "long title": "b'<title>' + b'word ' * 2_000_000",
    "long text": "b'<p>' + b'w ' * 20_000_000",
    "long word": "b'<p>' + b'w' * 20_000_000",
    "zeros": "b'<p>' + bytes(20_000_000)",
    "heaped marks": "b'<p>' + 'a\\u0300\\u0316'.encode() + '\\u0300\\u0316'.encode() * 1_000_000",
    "unclosed comment": "b'<!--' * 2_000_000",
    "deep json": "b'<script type=application/ld+json>' + b'[' * 5_000_000",
    "long meta": "b'<meta name=robots content=\"' + b'a,' * 5_000_000 + b'\">x'",
    "utf-16": "b'\\xff\\xfe' + ('<div>' * 100_000).encode('utf-16-le')",
    "crowded behind a comment": "b'<!-- <a x=\" --><p ' + b' '.join(b'a%d' % i for i in range(200_000)) + b'>x\">'",
    "tags within names": "b'<a' * 19_000 + b'x' * 9_000_000",
    "tags within values": "b'<a/x=' * 19_000 + b'x' * 9_000_000",
    "tags within tags": "b'<a x=\"' * 19_000 + b'<a ' * 900 + b'y=z ' * 2_000_000",
    "lone brackets": "b'<' * 10_000_000",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_neither_crash_nor_hang(name: str) -> None:
    """In a process of its own with bounded time and memory, for a crash of the parser would take the tests with it."""
    code = (
        "from wolfspider.core.model import Fetch, Page\nfrom wolfspider.web.page.html import parse\n"
        f"body = {HOSTILE[name]}\n"
        "page = parse(Fetch('http://h/', 'http://h/', 200, {'content-type': 'text/html'}, body, at=1.6e9))\n"
        "assert isinstance(page, Page) and len(page.links) <= 5000 and len(page.title) <= 1000"
    )

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, preexec_fn=bounded, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def test_what_was_cut_on_the_way_says_so() -> None:
    for content_type in ("text/html", "text/plain"):
        whole = fetch("<p>one two", content_type)
        assert page(whole.body, content_type).truncated is False
        found = parse(replace(whole, cut=True))
        assert isinstance(found, Page) and found.truncated


def test_what_was_cut_says_so() -> None:
    assert page(b"<p>" + b"<b>x</b>" * 10_000).truncated
    assert page(b"<p>" + b"x" * 10_000_000).truncated
    assert page("<p>" + "word " * 500_000).truncated
    assert not page(b"<p>" + b"<b>x</b>" * 9_000).truncated


def test_a_script_that_looks_like_a_crowded_tag_is_no_loss() -> None:
    script = "<script>for (i = 0; i<n; i++) {" + "a = b / c; " * 5_000 + "}</script>"
    found = page(f"<p>before</p>{script}<p>after <a href=/x>link</a></p>")
    assert found.words == ("before", "after", "link")
    crowded = "<a href=/y " + " ".join(f"a{i}='>'" for i in range(10_000)) + ">"
    assert page(f"<p>before</p>{crowded}<p>after</p>").words == ("before", "after")


def test_values_may_hold_brackets() -> None:
    value = "".join(f"<b title='{i}'>{i} / {i}</b> " for i in range(3_000))
    found = page(f'<p data-html="{value}">one <a title="x > y" href="/x">two</a></p>' + "<p>three</p>" * 10)
    assert found.words[:3] == ("one", "two", "three")
    assert [link.anchor for link in found.links] == ["two"]


def test_equals_signs_and_quotes_in_a_text_are_only_text() -> None:
    text = "<p>one <a href=/x>two</a> three</p>" * 1_500
    found = page(f"<p><code>'='</code></p>{text}<p>that's all</p>")
    assert len(found.words) == 3 * 1_500 + 3
    assert len(found.links) == 1
    assert not found.truncated


SNIPPETS = """
    = ' " =' =" '=' "=" < > / </ that's a<b <p> </p> <b_title='x> <i_x="y"> <b_title="a'>b"> <a_href=/x> </a> <br/>
    <script> </script> <!-- --> one two _ &lt;
"""
snippets = st.sampled_from([snippet.replace("_", " ") for snippet in SNIPPETS.split()])


@given(st.lists(snippets, max_size=40).map(" ".join))
@settings(max_examples=200, deadline=None)
def test_bounds_take_nothing_from_pages_within_them(html: str) -> None:
    """A page too short to be bounded, and the same one long enough."""
    html = f"shown {html}"
    short = page(f"{html} end")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wolfspider.web.page.taming.HARMLESS", 0)
        patch.setattr("wolfspider.web.page.html.LARGE", 0)
        bounded = page(f"{html} end")
    assert (bounded.words, bounded.links, bounded.truncated) == (short.words, short.links, False)


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "text/plain; charset=utf-8"])
def test_words_are_bounded_though_characters_are_few(content_type: str) -> None:
    found = page("\ufdfa" * 600_000, content_type)
    assert len(found.words) == 500_000
    assert found.truncated


def test_long_texts_are_read_without_seams() -> None:
    text = "eins zwei drei größer " * 10_000
    assert page(text, "text/plain; charset=utf-8").words == tuple(words(text))


def test_directives_of_several_meta_tags_are_joined() -> None:
    html = "<meta name=robots content=noarchive><meta name=ROBOTS content='nofollow'><meta name=wolfspider content=x>t"
    assert page(html).robots == ("noarchive", "nofollow", "x")


# Real pages


@pytest.mark.parametrize("web", ["wiki-small", "docs-small", "news-small"])
def test_recorded_pages(web: str) -> None:
    corpora = os.environ.get("WOLFSPIDER_CORPORA")
    if not corpora:
        pytest.skip("set WOLFSPIDER_CORPORA to the folder of recorded webs")
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    path = Path(corpora) / web / f"{web}.warc.gz"
    with path.open("rb") as stream:
        for record in islice(ArchiveIterator(stream, record_types=WarcRecordType.response), 100):
            url = record.headers["WARC-Target-URI"]
            headers = {name.lower(): value for name, value in record.http_headers}
            found = parse(Fetch(url, url, 200, headers, record.reader.read(), at=2e9))
            assert isinstance(found, Page)
            check(found)
            assert found.words
            assert not found.truncated


def test_the_map_of_a_picture_may_be_hidden_and_its_links_work() -> None:
    html = """<p>Some words to read.</p><img src=plan.png usemap="#plan" alt="Plan">
        <div style="display:none"><map name=plan><area href="/hall" alt="Hall"><area href="/yard" alt="Yard"></map>
        <a href="/hidden">no</a></div><map name=other style="display: none"><area href="/attic" alt="Attic"></map>"""
    found = [(link.url.rsplit("/", 1)[1], link.anchor) for link in page(html).links]
    assert found == [("hall", "Hall"), ("yard", "Yard"), ("attic", "Attic")]
