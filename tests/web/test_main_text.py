"""The main text of a page, without what stands around it."""

from __future__ import annotations

import resource
import socket
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import Problem
from wolfspider.testing.mutated_markup import mutated
from wolfspider.web.page import main_text as module
from wolfspider.web.page.main_text import DEEPEST, depth_bound, main_text
from wolfspider.web.page.markup_tree import tree_of
from wolfspider.web.page.plaintext import MOST, readable_markup

pytest.importorskip("resiliparse")

PARAGRAPHS = [
    "Wolf spiders are robust and agile hunters that live alone and hunt by sight, mostly on the ground.",
    "The female carries her egg sac behind her, and after the young have hatched they climb onto her back for weeks.",
    "Their eight eyes stand in three rows, and the two large ones in the middle shine in the beam of a lamp.",
]
MENU = "".join(f"<li><a href=/{n}>Section number {n}</a></li>" for n in range(20))
PAGE = f"""<!doctype html><title>Spiders</title><body>
<div id="cookie-notice"><p>We use cookies to personalise content. Accept all cookies or manage your choice.</p></div>
<nav><ul>{MENU}</ul></nav>
<article><h1>Wolf spiders</h1>{"".join(f"<p>{part}</p>" for part in PARAGRAPHS)}</article>
<aside class="related"><h3>Related</h3><ul>{MENU}</ul></aside>
<footer>All rights reserved.</footer>"""
TAGS = [
    "div",
    "span",
    "p",
    "table",
    "tr",
    "td",
    "ul",
    "li",
    "b",
    "a",
    "select",
    "option",
    "button",
    "dl",
    "dd",
    "section",
    "object",
]


def test_menus_cookie_notes_related_links_and_footers_are_left_out_and_paragraphs_stay_whole() -> None:
    assert main_text(PAGE, "http://a.test/") == "\n\n".join(["Wolf spiders", *PARAGRAPHS])


def test_a_line_break_ends_no_paragraph() -> None:
    broken = PAGE.replace("hunters that", "hunters<br>that").replace("egg sac", "egg<BR />sac")
    assert main_text(broken, "http://a.test/") == main_text(PAGE, "http://a.test/")


def test_a_page_that_is_a_list_of_links_keeps_its_text() -> None:
    page = f"<title>Links</title><body><div class='menu'><ul>{MENU}</ul></div>"
    assert main_text(page, "http://a.test/") == readable_markup(page) != ""


def test_no_connection_is_opened() -> None:
    """Not even by compiled code: nothing that needs a file handle can be opened meanwhile."""
    links = "<link rel=stylesheet href=http://b.test/a.css><img src=http://b.test/a.png><object data=http://b.test/>"
    strange = f"<!DOCTYPE html SYSTEM 'http://b.test/a.dtd'><base href=http://b.test/>{links}</object>{PAGE}"
    main_text(PAGE, "http://a.test/")  # loads the library
    usual, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            socket.socket()
        text = main_text(strange, "http://a.test/")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (usual, hard))
    assert PARAGRAPHS[0] in text and text == main_text(strange, "http://a.test/")


def test_without_the_extra_somebody_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    module._extractor.cache_clear()
    monkeypatch.setitem(sys.modules, "resiliparse.extract.html2text", None)
    with pytest.raises(Problem, match=r'pip install "wolfspider\[text\]" \(in a clone .*: make extras\)'):
        main_text(PAGE, "http://a.test/")


@pytest.mark.parametrize("unit", ["<div>", "<div><a href=x>hello</a>", "<ul><li>", "<table><tr><td>", "<section></b>"])
def test_pages_deeper_than_any_that_people_write_are_not_given_to_the_library(
    monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    monkeypatch.setattr(module, "_extractor", lambda: lambda html: pytest.fail("it was given to the library"))
    page = f"<body>{unit * (DEEPEST + 1)}<p>hello world</p>"
    assert "hello world" in main_text(page, "http://a.test/")


@pytest.mark.parametrize("text", ["", "\0", "<p>", "no markup", "<p>" + "word " * 1_000_000, "<p>a\0b</p>"])
def test_strange_pages_have_a_text_within_bounds(text: str) -> None:
    assert len(main_text(text, "")) <= MOST


@given(st.randoms(use_true_random=False))
def test_no_markup_makes_it_raise_or_grow(rng: object) -> None:
    assert len(main_text(mutated(PAGE, rng), "http://a.test/")) <= MOST  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(TAGS)), max_size=60))
def test_the_bound_of_the_depth_is_one(tags: list[tuple[bool, str]]) -> None:
    markup = "".join(f"</{name}>" if closes else f"<{name}>x" for closes, name in tags)
    assert _depth(markup) <= 5 * depth_bound(markup) + 8


def _depth(markup: str) -> int:
    deepest, level = 0, [tree_of(markup).root]
    while level:
        level = [child for node in level if node is not None for child in node.iter()]
        deepest += 1
    return deepest
