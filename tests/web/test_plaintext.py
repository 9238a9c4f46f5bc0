"""The text of a page as people read it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.web.page.plaintext import MOST, readable


def text_of(html: str) -> str:
    return readable(html.encode(), "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<title>T</title><h1>Hello <b>big</b> world</h1><p>One.</p>", "Hello big world\n\nOne."),
        ("<p>One<br>two <a href=x>link</a>.</p>tail", "One two link.\n\ntail"),
        ("<ul><li>a</li><li>b</li></ul>", "a\n\nb"),
        ("<div>in<div>deeper</div>out</div>", "in\n\ndeeper\n\nout"),
        ("<p>un<b>brok</b>en</p>", "unbroken"),
        (
            "<p>One <!-- a remark -->sentence, <!-- and --><b>one<!-- more --></b> paragraph.</p>",
            "One sentence, one paragraph.",
        ),
        (
            "<p>Not <script>x()</script>parted <i hidden>no</i>by <img src=x>what <i style='display:none'>no</i>hides.",
            "Not parted by what hides.",
        ),
        ("<p>kept  \n as   one</p>", "kept as one"),
        ("<p>seen</p><script>x()</script><style>p{}</style><template>t</template><!-- c -->", "seen"),
        ("<p>seen</p><div hidden>no</div><p style='display: none'>no</p><noscript>no</noscript>", "seen"),
        ("<p>Größe, 蜘蛛 &amp; &lt;b&gt;</p>", "Größe, 蜘蛛 & <b>"),
        ("", ""),
    ],
)
def test_paragraphs_as_a_browser_shows_them(html: str, text: str) -> None:
    assert text_of(html) == text


def test_plain_text_keeps_its_paragraphs() -> None:
    assert readable(b"One\nline.\n\n\n\nAnother.", "text/plain") == "One line.\n\nAnother."


def test_what_is_no_text_has_none() -> None:
    assert readable(b"\x89PNG\r\n\x1a\n", "image/png") == ""
    assert readable(b"%PDF-1.7 nonsense", "application/pdf") == ""


def test_the_charset_is_that_of_the_header() -> None:
    assert readable("<p>Größe</p>".encode("latin-1"), "text/html; charset=iso-8859-1") == "Größe"


@pytest.mark.parametrize("html", ["<div>" * 200_000 + "x", "<b>" * 200_000 + "x", "<p " + "a=1 " * 200_000 + ">x"])
def test_a_page_made_to_be_slow_is_read_all_the_same(html: str) -> None:
    began = time.process_time()
    text_of(html)
    assert time.process_time() - began < 30


def test_a_text_has_an_end() -> None:
    assert len(text_of("<p>" + "word " * (MOST // 4) + "</p>")) <= MOST


@given(st.binary(max_size=2000))
def test_no_bytes_make_it_fail(body: bytes) -> None:
    assert "\n\n\n" not in readable(body, "text/html")
