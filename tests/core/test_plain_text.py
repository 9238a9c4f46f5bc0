"""Nothing that a terminal obeys or XML forbids survives, and what people can read stays."""

from __future__ import annotations

import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wolfspider.core.errors import Problem
from wolfspider.core.plain_text import in_markup, plainly, refuse_controls

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
wild = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x9b\x9d\x07\x00\r\n\u2028\u2029[];m31\\" + BIDI)))


@given(wild)
@example("\x1b[31mred\x1b[0m")
@example("\x1b\x1b[[2J2J")
@example("\ud800 half a pair")
def test_nothing_a_terminal_obeys_survives(text: str) -> None:
    line = plainly(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line)
    assert not any(char in BIDI for char in line)
    assert len(line.splitlines()) <= 1
    line.encode("utf-8")


@given(wild)
def test_what_is_plain_stays_as_it_is(text: str) -> None:
    line = plainly(text)
    assert plainly(line) == line


@given(wild, st.integers(min_value=1, max_value=40))
def test_a_line_is_never_longer_than_asked_for(text: str, most: int) -> None:
    assert len(plainly(text, most)) <= most


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\x1b]0;renamed\x07Title", "Title"),
        ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("one\r\ntwo\tthree\u2028four", "one two three four"),
        ("evil\u202egnp.exe", "evilgnp.exe"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("日本語 – naïve", "日本語 – naïve"),
        ("[bold]not ours[/bold]", "[bold]not ours[/bold]"),
    ],
)
def test_examples(text: str, line: str) -> None:
    assert plainly(text) == line


def test_a_title_of_megabytes_is_cut() -> None:
    assert len(plainly("x" * 10_000_000)) == 300
    assert plainly("\x1b[" * 1_000_000) == ""


@given(wild)
@example("\x1b]0;x\x07")
@example("\x0b\uffff\ud800<\"'&>")
def test_markup_is_well_formed_and_has_no_controls(text: str) -> None:
    markup = in_markup(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in markup.replace("\n", ""))
    read = ElementTree.fromstring(f'<t a="{markup}">{markup}</t>')
    assert read.text is not None or not markup


@pytest.mark.parametrize("text", ["\x1b]0;x\x07", "wolf\x00spiders", "\x9b31m", "abc\u202e", "\x7f", "\ud800"])
def test_a_text_with_controls_is_refused_by_a_sentence(text: str) -> None:
    with pytest.raises(Problem, match=r"^The topic has control characters: .*Write it without them\.$") as caught:
        refuse_controls(text, "The topic")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["", "wolf spiders, habitats", "two\nlines", "a\tb", "می\u200cخواهم", "🧑\u200d🔬"])
def test_other_texts_are_not(text: str) -> None:
    refuse_controls(text, "The topic")
