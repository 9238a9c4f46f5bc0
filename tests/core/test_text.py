from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wolfspider.core import marks, text
from wolfspider.core.model import Link, Page
from wolfspider.core.text import words

PANGRAM = "the quick brown fox jumps over the lazy dog while seven wizards quietly make toxic brew"


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("", []),
        ("The quick, brown FOX 2.0", ["the", "quick", "brown", "fox", "2", "0"]),
        ("don't snake_case e-mail", ["don", "t", "snake", "case", "e", "mail"]),
        ("Die Straße nach Köln – für 5 €", ["die", "strasse", "nach", "köln", "für", "5"]),
        ("Donau\u00addampf\u00adschiff", ["donaudampfschiff"]),
        ("Ko\u0308ln", ["köln"]),
        ("Быстрая ЛИСА, ещё раз", ["быстрая", "лиса", "ещё", "раз"]),
        ("日本語の本", ["日本", "本語", "語の", "の本"]),
        ("東京 2020 年", ["東京", "2020", "年"]),
        ("東京2020年 Tokyo", ["東京", "2020", "年", "tokyo"]),
        ("コンピューター", ["コン", "ンピ", "ピュ", "ュー", "ータ", "ター"]),
        ("ｺﾝﾋﾟｭｰﾀ ＡＢＣ１", ["コン", "ンピ", "ピュ", "ュー", "ータ", "abc1"]),
        ("「猫」、犬。", ["猫", "犬"]),
        ("대한민국 서울", ["대한", "한민", "민국", "서울"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("ﬁne ½", ["fine", "1", "2"]),
        ("\U00020000\U00020001\U00020002", ["\U00020000\U00020001", "\U00020001\U00020002"]),
    ],
)
def test_words(given_text: str, expected: list[str]) -> None:
    assert words(given_text) == expected


def test_long_words_are_cut_not_split() -> None:
    assert words("x" * 1000 + " y") == ["x" * text.LONGEST, "y"]
    assert words("ж" * 1000 + " y") == ["ж" * text.LONGEST, "y"]
    assert words("猫" * 1000) == ["猫猫"] * 999


@given(st.text())
def test_words_are_folded_bounded_and_stable(sample: str) -> None:
    found = words(sample)
    for word in found:
        assert 0 < len(word) <= text.LONGEST
        assert unicodedata.normalize("NFKC", word) == word
        assert words(word) == [word]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_both_paths_agree_on_ascii(sample: str) -> None:
    assert words(sample + " ж") == [*words(sample), "ж"]


def test_counts_are_kept_on_the_page() -> None:
    page = Page("u", "u", words=("a", "b", "a"))
    assert text.counts(page) == {"a": 2, "b": 1}
    assert text.counts(page) is text.counts(page)
    assert page == Page("u", "u", words=("a", "b", "a"))


def test_golden_similarities() -> None:
    assert text.tanimoto({"a": 1, "b": 2}, {"b": 2, "c": 1}) == pytest.approx(4 / 6)
    assert text.cosine({"a": 1, "b": 1}, {"a": 2, "b": 1}) == pytest.approx(0.948683, abs=1e-6)
    assert text.cosine({"a": 1, "b": 1}, {"a": 5}) == pytest.approx(0.707107, abs=1e-6)
    assert text.cosine({"a": 1}, {"a": 7}) == pytest.approx(1)


def test_nothing_is_like_nothing() -> None:
    assert text.cosine({}, {"a": 1}) == text.cosine({"a": 0.0}, {"a": 1}) == text.cosine({}, {}) == 0
    assert text.tanimoto({}, {}) == 0


bags = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 100), max_size=8)


@given(bags, bags)
def test_similarities_are_symmetric_and_bounded(x: dict[str, float], y: dict[str, float]) -> None:
    for measure in (text.cosine, text.tanimoto):
        assert measure(x, y) == pytest.approx(measure(y, x))
        assert -1e-9 <= measure(x, y) <= 1 + 1e-9
        assert measure(x, x) == pytest.approx(1 if x else 0)


@given(st.lists(st.text("abcé字\U0001d400", min_size=1, max_size=70), min_size=1, max_size=40))
def test_the_compiled_signature_is_the_same(found: list[str]) -> None:
    compiled = pytest.importorskip("wolfspider.core.signature", reason="nothing is compiled here").signature
    given_ = (" ".join(found).encode(), text._WEIGHTS, int(text._ODD), min(3, len(found)))
    assert compiled(*given_) == text.slow_signature(*given_)


@given(st.lists(st.text("abé字\u00bd \u0660.", max_size=80), min_size=1, max_size=30), st.integers(0, 3))
def test_the_compiled_words_are_the_same_and_counted(texts: list[str], again: int) -> None:
    compiled = pytest.importorskip("wolfspider.core.tokens", reason="nothing is compiled here").read_words
    given_ = ("\x1f".join(texts * (1 + again)).upper().encode(), text._BLANKED, 0x1F, text.LONGEST)
    found, before, size, *_ = text.slowly_parted(*given_)
    assert compiled(*given_, text._WEIGHTS, text._FACTOR, 0) == (found, before, size, None, None)
    spoken, places, total, bag, near = compiled(*given_, text._WEIGHTS, text._FACTOR, 3)
    assert (spoken, places, total) == (" ".join(found), before, len(found))
    assert list(bag.items()) == list(text.counted(found).items())
    assert near == (text.near_signature(found) if len(found) >= 3 else None)


def test_words_that_share_a_slot_are_counted_each() -> None:
    compiled = pytest.importorskip("wolfspider.core.tokens", reason="nothing is compiled here").read_words
    found = [f"w{number % 30_000:x}" for number in range(70_000)]
    given_ = (" ".join(found).encode(), text._BLANKED, 0x1F, text.LONGEST, text._WEIGHTS, text._FACTOR)
    assert compiled(*given_, 0)[0] == found
    spoken, _, _, bag, near = compiled(*given_, 3)
    assert spoken == " ".join(found) and list(bag.items()) == list(text.counted(found).items())
    assert near == text.near_signature(found)


def test_near_signature_is_near_for_near_texts_only() -> None:
    base = [f"{word}{i % 40}" for i, word in enumerate(PANGRAM.split() * 40)]
    edited = [*base[:300], "something", "else", *base[302:]]
    other = [f"other{i * 7 % 501}" for i in range(len(base))]
    signature = text.near_signature(base)
    assert 0 < signature < 1 << 64
    assert text.near_signature(tuple(base)) == signature
    assert (signature ^ text.near_signature(edited)).bit_count() <= 6
    assert (signature ^ text.near_signature(other)).bit_count() >= 16


def test_near_signature_is_the_same_on_every_machine() -> None:
    assert text.near_signature(PANGRAM.split()) == 0x3F732114412412C0
    assert text.near_signature([]) == 0


@given(st.lists(st.sampled_from("abcdef"), max_size=8))
def test_near_signature_of_short_texts(sample: list[str]) -> None:
    assert 0 <= text.near_signature(sample) < 1 << 64


@pytest.mark.parametrize("count", [1, 2, 3, 4, 256, 257, 258, 600, 64 * 255 + 2, 64 * 255 + 3])
def test_near_signature_is_the_vote_of_every_shingle(count: int) -> None:
    sample = [f"word{i * i % 97}" for i in range(count)]
    weights, odd, all_bits = text._WEIGHTS.tolist(), int(text._ODD), (1 << 64) - 1
    sums = [
        sum(octet * weights[place] for place, octet in enumerate(word.encode())) * odd & all_bits for word in sample
    ]
    hashes = [one ^ one >> 31 for one in sums]
    shingles = text._runs(np.array(hashes, np.uint64), min(3, len(hashes))).tolist()
    votes = [sum(shingle >> bit & 1 for shingle in shingles) for bit in range(64)]
    assert text.near_signature(sample) == sum(1 << bit for bit in range(64) if 2 * votes[bit] > len(shingles))


def test_near_signature_minds_the_order() -> None:
    assert text.near_signature(["a", "b", "c"]) != text.near_signature(["c", "b", "a"])


def test_window_and_block() -> None:
    page = Page("u", "u", words=tuple("abcdefghij"))
    link = Link("v", anchor="D e", at=3, block=(1, 8))
    assert text.window(page, link, 2, 1) == ("b", "c", "d", "e", "f")
    assert text.window(page, link) == page.words
    assert text.block_words(page, link) == tuple("bcdefgh")


strange = st.text("aB3 ._'’–é\u00adßİŉﬁ™½´µῌΣςЖё\u0301\ufe0f\u0e33ﾞ日本한각\U0001f600\x1f\x00\ud800", max_size=30)


@given(st.lists(strange | st.text(max_size=8), max_size=6))
@example(["a" * 64, "b" * 65 + " c", "ä" * 64])
def test_texts_read_as_one_have_the_words_they_have_alone(texts: list[str]) -> None:
    alone = [text.words(each) for each in texts]
    found, before = text.words_of(texts)
    assert found == [word for words in alone for word in words]
    assert before == [sum(map(len, alone[:n])) for n in range(len(texts) + 1)]


@given(strange | st.text())
def test_the_quick_way_to_words_is_no_other_way(sample: str) -> None:
    assert text.words(sample) == text._any_words(sample)


def test_every_character_is_a_word_or_none_both_ways() -> None:
    for code in range(0x3000):
        for sample in (chr(code), f"a{chr(code)}B", f"a {chr(code)}{chr(code)}b"):
            assert text.words(sample) == text._any_words(sample), ascii(sample)


def test_the_table_of_marks_is_that_of_its_version_of_unicode() -> None:
    if unicodedata.unidata_version != marks.VERSION:
        pytest.skip("this Python has another version of Unicode, and looks for the marks")
    assert marks.marks() == marks.looked_for()
