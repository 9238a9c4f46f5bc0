"""The compiled reader of plain pages says what the tree says, or hands the page over."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core import text as words_in
from wolfspider.testing.mutated_markup import mutated, told
from wolfspider.web.page import charset, html
from wolfspider.web.page.markup_tree import tree_of
from wolfspider.web.page.taming import tamed
from wolfspider.web.page.tree_walk import read_tree
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import open_web

read_plain = pytest.importorskip(
    "wolfspider.web.page.plain_markup", reason="the reader of plain pages was not compiled here"
).read_plain

PLAIN = [
    "<!doctype html><title>A &amp; b</title><p>One <b>two</b> three<p>four",
    "<html lang=de><head><title>T</title><meta name=description content='x &lt; y'></head><body class='a b' id=c>text",
    "<ul><li>one<li>two <a href=/x>three</a><ul><li>four</ul></ul>",
    "<dl><dt>a<dd>b<dt>c<dd>d</dl>",
    "<table><tr><td>a<td><a href=x>b</a><tr><th>c</table>d",
    "<!doctype html><p>one<table><tbody><tr><td>two</td></tr></tbody></table>",
    "<p>one<table><tr><td>two</table>",  # without a doctype the table stays in the paragraph
    "<table><caption>c</caption><colgroup><col><col></colgroup><tr><td><table><tr><td>in</table></table>",
    "<div hidden>not <a href=/h>this</a></div>but this<span style='display: NONE'>nor this</span>",
    "<svg viewBox='0 0 1 1'><title>no</title><g><path d=m /></g><svg><use /></svg></svg>after",
    "<a href=/p><img alt='a picture'></a><a href='#top'>up</a><a href=' /q?a=1&b=2 ' rel='NoFollow x'>q</a>",
    "<pre>\n  two\n lines</pre><textarea>\nkept</textarea><select><option>a<option selected>b</select>",
    "<body><script>if (a<b) '<p>no</p>'</script><style>p{}</style><noscript><p>no</noscript>yes",
    "<script type='application/ld+json'>{\"a\": 1}</script><article><time datetime=2020-01-01>then</time></article>",
    "<h1>one<h2>two</h2>three</h1><form><input><button>go</button></form></div></p>",
    "one<!-- two --->three<!-->four-->five</>eight</ nine>ten < eleven <3",
    "<?xml version='1.0'?><!doctype html><?style?><html><?a<!--><head><title>T</title></head><?b?><body>one",
    "<pre>&gt; one\n&#65;",
    "<p>&nbsp;&copy;&copy &notit; &#65;&#x42; &lt;b&gt; AT&T",
    "<p>ten words of text that stand around <a href=1>a link</a> and one more word</p><iframe src=/f></iframe>",
    "<custom-element-with-a-long-name>in <o:p>it</o:p></custom-element-with-a-long-name>",
    "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><body><div>one</body></html>two",
    "<p>one</p></body> <!-- behind the body --> </html> <!-- behind all --> ",
    "<form><select><optgroup label=x><option>one<option>two<optgroup><option>three</optgroup></select></form>four",
]

HANDED_OVER = [
    "<b>one<p>two</b>three</p>",  # would be opened again
    "<table>moved<tr><td>x</table>",
    "<a href=1>one<a href=2>two</a>",
    "<div><b>one</div>two",
    "<math><mi>x</math>",
    "<frameset><frame src=x></frameset>",
    "one<?php two ?>three",
    "one<?ph<!-->two",  # a comment, though it begins like an instruction
    "<p>&#0;&#128;",
    "nul\0",
    "<meta charset=x",  # does not end
    "",
    "<title>only</title>",
    "<map hidden><area href=/x></map>",
    "<a href=/x><area href=/y>one</a>",  # the area ends the link
    "<option><a href=/x>&amp;</html></head></option>&amp;<pre></iframe>",  # outside a <select>
    "</b><option><a href=/x></option></select></br></caption></tbody></dd><code>one<hr><object><nobr>",
    "</form><option></h<img><selead></</custom><</h1></option>custom>ect>",
    "<tex</text<tex</textarea>n selected>btarea>kep<<option s<select><option>a<optioelected>b</option>aselect>",
    "<optgroup><option>one</optgroup>two",
    "<pre>&NewLine;one",  # a line break right behind the tag is none, however it is written
    "<pre>&#10one",
    "<pre></>\none",
    "<!doctype><!doctype html><p><table><tr><td><a href=/x>",  # the first one counts
    "<p>one</p></body> <!-- behind the body --> two",
    "<p>one</p></body> <!-- behind the body --></html> two",
    "</e><!doctype html><p><table><tr><td>one",  # comes too late to be obeyed
]

_TAGS = """
    b i p div ul ol li table tr td th tbody caption form select option h1 h2 span svg title pre script head body html dl
    dt dd button object noscript section article iframe textarea x-y a custom font nobr label code br hr img input
    optgroup ruby rt template colgroup col area map meta math noframes datalist BODY Li
"""
_NAMES = _TAGS.split()
_SINGLE = ["<a href=/x>", '<a href="#">', "<div id=m class='a b'>", "<p hidden>", "<img alt=pic>", "<time datetime=1>"]
_SINGLE += ["<area href=/y>", "<p style=display:none>", "<div a='<' A=1 =x/>", "<a href='?a&copy=1&amp'rel=x>", "<li/>"]
_TEXTS = ["<!--c-->", "<!doctype html>", "<?x?>", "</>", "<", "&amp;", "&copy", "&#65;", "é", " ", "\n", "one"]
_TEXTS += [
    "<!>",
    "<!-->",
    "<!-- a -- b --!>",
    "<![CDATA[a]]>",
    "&#10",
    "&NewLine;",
    "&amp",
    "\r\n",
    "\f",
    "\x0b",
    "\u3000",
]
_TEN = "ten words in a row that make up a whole block"
_PIECES = st.sampled_from(
    [*(f"<{name}>" for name in _NAMES), *(f"</{name}>" for name in _NAMES), *_SINGLE, *_TEXTS, _TEN]
)


def agrees(text: str) -> bool:
    """Was it read, as the tree says? False if it was handed over."""
    plain = read_plain(text)
    if plain is None:
        return False
    assert told(plain) == told(read_tree(tree_of(tamed(text, False))))
    return True


@pytest.mark.parametrize("text", PLAIN)
def test_plain_pages_are_read_as_the_tree_is(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize("text", HANDED_OVER)
def test_what_is_not_plain_is_handed_over(text: str) -> None:
    assert read_plain(text) is None


@settings(max_examples=500)
@given(st.lists(_PIECES, max_size=30).map("".join))
def test_any_markup_is_read_as_the_tree_is_or_handed_over(text: str) -> None:
    agrees(text)


@given(st.lists(st.sampled_from([b"<p>one", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xef\xbf\xbd", b"\xff"]), max_size=6))
def test_the_bytes_that_came_are_read_only_where_they_are_the_text(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    for content_type in ("text/html", "text/html; charset=utf-8", "text/html; charset=latin1"):
        text, codec = charset.decoded(content_type, body)
        octets = html._unchanged(body, text, codec)
        assert octets is None or octets.decode() == text
    assert html._unchanged(b"one", "one", "utf-8") == b"one"


_STRANGE = st.text(
    "aZ0 .<&;é\u00c9\u00bd\u00ad\ufb01\ufdfa\u2019\u00a0Жßİ日\u0301\U0001d400\U0001f600\x1f\x0b\x7f", max_size=12
)


@given(st.lists(_STRANGE, min_size=1, max_size=8), st.sampled_from(["<b>", "<p>", "&shy;", "&fjlig;", "<a href=/x>"]))
def test_strange_letters_are_read_as_the_tree_reads_them(texts: list[str], between: str) -> None:
    agrees("<body>" + between.join(texts))


@pytest.mark.parametrize(
    "text", ["wörd " * 30_000, "<p>one wörd and more" * 8_000, "<p>" + "\ufdfa" * 60_000, "\xbd" * 9_000]
)
def test_long_pages_are_read_as_the_tree_reads_them(text: str) -> None:
    assert agrees("<body>" + text)


@given(st.lists(st.lists(st.sampled_from(["the", "wolf", "eats", "日本", "a\u0301b"])), max_size=8), st.booleans())
def test_words_are_counted_right_though_other_texts_are_read_meanwhile(texts: list[list[str]], counting: bool) -> None:
    """As by another thread, when this one comes to characters that depend on their neighbours."""
    others = ["the", "wolf", *map(str, range(20_000))]  # they take the slots of all words

    def cleaned(text: str) -> bytes:
        (words_in.words_and_more if counting else words_in.words_of)([" ".join(others)])
        return words_in.cleaned(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wolfspider.web.page.plain_passages.cleaned", cleaned)
        reading = read_plain("<body>" + "".join(f"<p>{' '.join(words)}" for words in texts))
    spoken = [word for words in texts for word in words_in.words(" ".join(words))]
    assert reading.counts is None or list(reading.counts.items()) == list(words_in.counted(spoken).items())


def test_a_page_that_would_be_cut_is_handed_over() -> None:
    crowded = "<script>'<a " + " ".join(f"b{n}=1" for n in range(400)) + ">'</script>" + "<p>word" * 5000
    assert read_plain(crowded) is None
    assert read_plain("<p>word" * 30_000) is None


def test_deep_and_crowded_tags_are_handed_over() -> None:
    assert read_plain("<div>" * 5000) is None
    assert read_plain("<p " + "a=1 " * 500 + ">x") is None


@pytest.mark.slow
def test_5000_mutated_pages_are_read_as_their_trees_are_or_handed_over() -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    world = open_web("synthetic:seed=3,pages=1000")
    assert isinstance(world, Synthetic)
    pages = [world.record(world.addresses.url(page), world.start).body.decode() for page in range(500)] + PLAIN
    read = sum(agrees(mutated(pages[number % len(pages)], rng)) for number in range(5000))
    assert read > 500
