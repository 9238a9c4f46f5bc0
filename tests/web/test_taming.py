"""Markup is bounded before a tree is made of it: no large page takes much memory, and ordinary ones stay the same."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page import taming
from wolfspider.web.page.html import parse
from wolfspider.web.page.markup_tree import tree_of
from wolfspider.web.page.taming import LARGE, MOST_ATTRIBUTES_IN_ALL, tamed

NAMES = [f"{a}{b}" for a in "abcdefghij" for b in "abcdefghijklmnopqrstuvwxyz"]
PARAGRAPHS = "<p>wolf" * 13_000
FILLING = "x" * LARGE


def many(tag: str, count: int) -> str:
    return "".join(tag.replace("?", str(number)) for number in range(count))


BOMBS: dict[str, Callable[[], str]] = {
    "elements": lambda: many("<b id=?>", 5_000) + PARAGRAPHS + FILLING,
    "elements with long attributes": lambda: many(f"<b id={'v' * 2_000}?>", 900) + PARAGRAPHS + FILLING,
    "elements whose ends do not count": lambda: many("<b id=?><object></b></object>", 1_700) + PARAGRAPHS + FILLING,
    "elements behind half a tag": lambda: '<!-- <a x=" --><p>' + many("<b id=?>", 5_000) + PARAGRAPHS + FILLING,
    "a link": lambda: f"<a {' '.join(NAMES)}>" + PARAGRAPHS + FILLING,
    "a link with a long address": lambda: f"<a href={'v' * 9_000}>" + PARAGRAPHS + FILLING,
    "elements in lines": lambda: "<span>" * 9_000 + many("<b id=?>", 1_500) + "</span>x" * 9_000 + FILLING,
    "elements around blocks": lambda: (
        many(f"<b {' '.join(NAMES)} i?>", 25) + "<div>" * 2_400 + "</b>" * 7_500 + FILLING
    ),
    "attributes": lambda: f"<p {' '.join(NAMES)}>wolf" * 12_000,
    "attributes without blanks": lambda: f"<p {'/'.join(NAMES)}>wolf" * 12_000,
    "attributes with quotes": lambda: ("<p " + "".join(f"{name}=''" for name in NAMES) + ">wolf") * 6_000,
}
ONE = """
import re, sys
from pathlib import Path
from tests.web.test_taming import BOMBS, page_of
from wolfspider.web.page.plaintext import readable

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

page_of("wolf " * 1000)
markup = BOMBS[sys.argv[1]]()
before = peak()
page = page_of(markup)
readable(markup.encode(), "text/html")
print(page.truncated, len(page.words), (peak() - before) // 1000000)
"""


def page_of(markup: str) -> Page | Failure:
    body = f"<html lang=en><body><p>{markup}".encode()
    return parse(Fetch("http://a/", "http://a/", 200, {"content-type": "text/html"}, body))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_large_page_takes_little_memory_whatever_its_markup_is(bomb: str) -> None:
    """Without the bound of the system, which does not hold where large pages are read."""

    def bounded() -> None:  # for the machine of whoever breaks this
        resource.setrlimit(resource.RLIMIT_AS, (2_500_000_000, 2_500_000_000))

    call, one_thread = [sys.executable, "-c", ONE, bomb], {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        call, capture_output=True, text=True, timeout=120, check=False, preexec_fn=bounded, env=one_thread
    )
    assert done.returncode == 0, done.stderr[-2000:]
    cut, words, megabytes = done.stdout.split()
    assert cut == "True" and int(words) > 0 and int(megabytes) < 300, done.stdout


def test_a_tag_that_is_too_much_costs_no_word_and_no_other_link() -> None:
    markup = many("<b id=?>", 5_000) + "<p>wolf <a href=/x>spider</a>" * 4_000 + "<p>end" + FILLING
    page, plain = page_of(markup), page_of("<p>wolf <a href=/x>spider</a>" * 4_000 + "<p>end" + FILLING)
    assert isinstance(page, Page) and isinstance(plain, Page)
    assert page.truncated and not plain.truncated
    assert (page.words, len(page.links)) == (plain.words, len(plain.links))


@pytest.mark.parametrize(
    "markup",
    [
        "<p>wolf <a class='a b' href=/p?>spider <b>?</b></a> <i title=?>lawn</i>",
        "<div><a href=/?><div><h3>wolf</h3><p>spider <em>?</em></p></div></a></div>",
        "<tr><td><font size=2 color=red>wolf<td><b>spider<td><a name=?>lawn</tr>",
        "<code class='x y' id=?><span class=pre>wolf</span></code><p>spider",
        "<p><strong><a href=/?>wolf</a></strong><br><small>spider <i class='fa fa-?'></i></small></p>",
    ],
)
def test_ordinary_large_pages_stay_as_they_are(markup: str) -> None:
    whole = f"<table>{many(markup, 1_500)}</table>{'wolf spider ' * 50_000}"
    assert tamed(whole, large=True) == whole


def test_a_page_may_have_many_attributes_and_no_more() -> None:
    a_tag = f"<p {' '.join(NAMES)}>"
    few, many_of_them = a_tag * 1_000, a_tag * 4_000
    assert tamed(few, large=True) == few
    cut = tamed(many_of_them, large=False)
    assert cut == many_of_them[: len(cut)] and MOST_ATTRIBUTES_IN_ALL * 0.9 < cut.count(" ") <= MOST_ATTRIBUTES_IN_ALL


PIECES = """
    <a_id=?> <b_id=?> <i_id=?_x_y=z> <font_id=?> <nobr_id=?> <u> <code> </a> </b> </i> </font> </nobr> </u> </code>
    <b_id=?>x</b> <i_id=?>x<span>y</span></i> <p> <div> <table> <td> <tr> <object> <span> <h1> <li> <select> <svg>
    <button> <template> <marquee> <caption> <math> <body> </p> </div> </table> </td> </object> </span> </select> </svg>
    </template> </button> <!-- --> <script> </script> <br> < " ' <b_title="<i_q='">x</b>'> x
"""
pieces = st.tuples(st.sampled_from(PIECES.split()), st.integers(0, 30))
texts = st.tuples(st.lists(pieces, max_size=60), st.integers(1, 6))


@given(texts, st.sampled_from([20_000, 200_000, 1_000_000]))
@settings(max_examples=200, deadline=None)
def test_whatever_is_not_closed_the_copies_of_it_are_bounded(
    drawn: tuple[list[tuple[str, int]], int], most: int
) -> None:
    parts, times = drawn
    text = "".join(piece.replace("_", " ").replace("?", str(number)) for piece, number in parts) * times
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taming, "HARMLESS", 0)
        patch.setattr(taming, "MOST_COPIED", most)
        tame = tamed(text, large=True)
    attributes = [node.attributes for node in tree_of(tame).css("*")]
    weight = sum(190 + sum(180 + len(name) + len(value or "") for name, value in one.items()) for one in attributes)
    own = 190 * (tame.count("<") + 4) + 181 * (tame.count(" ") + tame.count("=")) + len(tame)
    assert weight <= own + 2 * most


PIECES = """
    <a <div </p <B b c=d e='f' g="h" ' " = > / <body <html i<n <!-- é
"""


@given(st.lists(st.sampled_from([*PIECES.split(), " ", "\n", " x" * 301, " <i" * 20]), max_size=30))
def test_what_is_calm_stays_as_it_is(pieces: list[str]) -> None:
    is_calm = pytest.importorskip("wolfspider.web.page.plain_calm", reason="nothing is compiled here").is_calm
    text = "".join(pieces) + "\n" * 32_001
    if is_calm(text.encode(), len(text)):
        assert tamed(text, False) == text


def test_what_has_too_many_attributes_or_bodies_is_not_calm() -> None:
    is_calm = pytest.importorskip("wolfspider.web.page.plain_calm", reason="nothing is compiled here").is_calm
    assert is_calm(b"<p" + b" x" * 300 + b"><script>i<n</script>", 1000)
    assert not is_calm(b"<p" + b" x" * 301 + b">", 1000)
    assert not is_calm(b"<script>'<p" + b" x='>'" * 301, 10_000)
    assert not is_calm(b"<body x>" * 11, 1000)
