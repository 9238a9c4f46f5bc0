from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wolfspider.core.model import host_of
from wolfspider.web.page.urls import LONGEST, canonical, looks_like_file


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("http://example.org:443/a", "http://example.org:443/a"),
        ("http://example.org:8080/a", "http://example.org:8080/a"),
        ("http://example.org/a/b/../c/./d", "http://example.org/a/c/d"),
        ("http://example.org/../../a", "http://example.org/a"),
        ("http://example.org/%2e%2e/a%2Eb", "http://example.org/a.b"),
        ("http://example.org/a#b", "http://example.org/a"),
        ("http://example.org/a?#b", "http://example.org/a"),
        ("http://example.org/a?b=2&a=1&b=1", "http://example.org/a?a=1&b=2&b=1"),
        ("http://example.org/a?&&b&a=&", "http://example.org/a?a=&b"),
        ("http://example.org/%7euser/%e4%f6", "http://example.org/~user/%E4%F6"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://example.org/%%34%31", "http://example.org/%2541"),
        ("http://example.org/a%2fb%3Fc", "http://example.org/a%2Fb%3Fc"),
        ("http://example.org/a?q=%41%26", "http://example.org/a?q=A%26"),
    ],
)
def test_one_spelling(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/a?utm_source=x&UTM_Medium=y",
        "http://example.org/a?PHPSESSID=123",
        "http://example.org/a?sid=1&gclid=2&fbclid=3",
        "http://example.org/a;jsessionid=0A1B2C",
        "http://example.org/a;JSESSIONID=0A1B2C?utm_campaign=z",
        "http://example.org/a;%6asessionid=1",
        "http://user:secret@example.org/a",
        "http://a@b@example.org/a",
        "http://@example.org/a",
    ],
)
def test_sessions_campaigns_and_passwords_are_taken_off(url: str) -> None:
    assert canonical(url) == "http://example.org/a"


def test_only_whole_keys_are_idle() -> None:
    url = "http://example.org/a;jsessionidx=1?side=1&utm=2&xsid=3"
    assert canonical(url) == url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http:0x7f.1", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0177.0.0.01/", "http://127.0.0.1/"),
        ("http://1.2.3/", "http://1.2.0.3/"),
        ("http://１２７.０.０.１/", "http://127.0.0.1/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://[0:0:0:0:0:0:0:1]:80/", "http://[::1]/"),
        ("http://example.org\\a\\..\\b", "http://example.org/b"),
        ("\\\\example.org\\a", None),
        ("http:\\\\example.org/a", "http://example.org/a"),
        ("http:///example.org/a", "http://example.org/a"),
        (" \t http://exa\nmple.org/a\tb \r\n", "http://example.org/ab"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/a\x00b\x7f", "http://example.org/a%00b%7F"),
        ("http://Bücher.example/ä?ö=ü", "http://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://ex%41mple.org/", "http://example.org/"),
        ("http://example.org:/", "http://example.org/"),
        ("http://example.org:0080/", "http://example.org/"),
        ("http://example.org:65536/", None),
        ("http://example.org:x/", None),
        ("http://exa mple.org/", None),
        ("http://exa<mple.org/", None),
        ("http://1.2.3.256/", None),
        ("http://[::1/", None),
        ("http://", None),
        ("http://%00/", None),
        ("", None),
        ("a/b", None),
        ("//example.org/", None),
        ("mailto:someone@example.org", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("ftp://example.org/", None),
        ("data:text/html,x", None),
        ("http://example.org/\ud800", None),
    ],
)
def test_as_browsers_read_them(url: str, expected: str | None) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("d", "http://h/a/b/d"),
        ("./d?x", "http://h/a/b/d?x"),
        ("../d", "http://h/a/d"),
        ("/d", "http://h/d"),
        ("//other/d", "http://other/d"),
        ("?x=1", "http://h/a/b/c?x=1"),
        ("#top", "http://h/a/b/c?q=1"),
        ("", "http://h/a/b/c?q=1"),
        ("https:d", "https://d/"),
        ("http:d", "http://h/a/b/d"),
        ("mailto:x@y", None),
    ],
)
def test_relative_to_a_base(url: str, expected: str | None) -> None:
    assert canonical(url, "http://h/a/b/c?q=1") == expected


def test_a_base_that_is_none() -> None:
    assert canonical("a", "nonsense") is None
    assert canonical("a", "data:text/plain,x") is None


def test_too_long_before_or_after() -> None:
    assert canonical("http://h/" + "a" * (LONGEST - 9)) is not None
    assert canonical("http://h/" + "a" * (LONGEST - 8)) is None
    assert canonical("http://h/" + "ä" * (LONGEST // 2)) is None
    assert canonical("http://h/" + "a" * 100_000) is None


def test_a_session_mark_may_hide_a_step_up() -> None:
    assert canonical("http://h/a/b/..;jsessionid=1/c") == "http://h/a/c"
    assert canonical("http://h/..;jsessionid=1") == "http://h/"


PIECES = """
    http: https: // / \\ . .. %2e %2E %25 % %3 %41 %00 ? & = # ; ;jsessionid=1 ;jsessionid sid=1 utm_x= @ : :80 [ ]
    user:pw@ example.org EXAMPLE.org 127.1 0x7f 例え ß \x00 \u00ad \u3002 ' " < + ~ a b z=1 a=2 \ud800
"""
pieces = st.sampled_from([*PIECES.split(), "\t", "\n", " "])
nasty = st.lists(pieces | st.text(max_size=3), max_size=12).map("".join)


@given(st.one_of(nasty, nasty.map("http://h/".__add__), nasty.map("http://".__add__), st.text()))
@example("http://h/%2e;jsessionid=1/x")
@example("http://h/;jsessionid=1;jsessionid=2")
@example("http://h/;jsession;jsessionid=1id=2")
def test_canonical_is_its_own_canonical_form(url: str) -> None:
    for once in (canonical(url), canonical(url, "http://base.example/a/b?c")):
        if once is not None:
            assert canonical(once) == once
            assert once.isascii()
            assert once.isprintable()
            assert " " not in once
            assert "#" not in once
            assert "@" not in host_of(once)
            assert host_of(once)


@pytest.mark.parametrize(
    "ending", ["jpg", "PNG", "pdf", "zip", "tar.gz", "css", "js", "mp4", "docx", "xml", "rss", "woff2"]
)
def test_files(ending: str) -> None:
    assert looks_like_file(f"http://example.org/a/b.{ending}")
    assert looks_like_file(f"http://example.org/a/b.{ending}?v=1.html")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "http://example.zip/",
        "http://example.org/a.zip/",
        "http://example.org/a.html",
        "http://example.org/a.htm?f=x.jpg",
        "http://example.org/a.php",
        "http://example.org/a.asp",
        "http://example.org/a.txt",
        "http://example.org/jpg",
        "http://example.org/.css",
        "http://example.org/v1.2",
    ],
)
def test_pages(url: str) -> None:
    assert not looks_like_file(url)
