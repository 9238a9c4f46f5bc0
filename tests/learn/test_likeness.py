"""How like pages are: the paper's equations, by golden vectors and against plain computation."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec, text
from wolfspider.core.model import Link, Page
from wolfspider.learn import likeness
from wolfspider.learn.likeness import Collection, Likeness, Numbered, kept_words, link_keys, links_alike

ALPHABET = ["silk", "spider", "web", "loom", "thread", "wolf"]
TEXTS = st.lists(st.sampled_from(ALPHABET), max_size=12)


def page(words: str, *urls: str) -> Page:
    return Page("http://a.test/", "http://a.test/", words=tuple(words.split()), links=tuple(map(Link, urls)))


def bag(words: list[str]) -> Counter[str]:
    return Counter(text.phrases(words))


def test_golden_vector_of_links() -> None:
    x, y = link_keys([Link("a"), Link("b"), Link("c")]), link_keys([Link("b"), Link("c"), Link("d")])
    assert links_alike(x, y) == pytest.approx(0.5)
    assert links_alike(link_keys([]), link_keys([])) == 0.0


def test_golden_vector_of_a_weight() -> None:
    """tf 3, N 10, df 2, two words: 3 ln 10."""
    collection = Collection()
    wanted = collection.indexed(["wolf", "spider"], link_keys([]))
    for number in range(10):
        words = ["wolf", "spider"] if number < 2 else ["loom"]
        collection.count(collection.indexed(words, link_keys([])))
    numbers = dict(zip(names_of(wanted), collection.rarity(wanted.numbers), strict=True))
    assert 3 * numbers["wolf spider"] == pytest.approx(6.907755)
    assert numbers["wolf"] == pytest.approx(math.log(5))


def names_of(indexed: likeness.Indexed) -> list[str]:
    keys = text.phrase_keys(["wolf", "spider"])
    return [text.phrases(["wolf", "spider"])[place] for place in np.argsort(keys)]


def test_golden_vector_of_an_index() -> None:
    """(1, 2, 0) and (0, 2, 1) are alike by 4/6."""
    x, y = {"a": 1.0, "b": 2.0}, {"b": 2.0, "c": 1.0}
    assert text.tanimoto(x, y) == pytest.approx(4 / 6)


@given(TEXTS, TEXTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_scores_are_those_of_the_equations(liked: list[str], other: list[str], fetched: list[list[str]]) -> None:
    collection, measure, printed = Collection(), Likeness(), Likeness(printed=True)
    mine = collection.indexed(liked, link_keys([Link("http://x.test/")]))
    for one in (measure, printed):
        one.like(liked, mine)
    for words in [liked, *fetched]:
        collection.count(collection.indexed(words, link_keys([])))
    theirs = collection.indexed(other, link_keys([Link("http://x.test/"), Link("http://y.test/")]))
    df = Counter(term for words in [liked, *fetched] for term in bag(words))
    n = 1 + len(fetched)

    def weights(words: list[str]) -> dict[str, float]:
        return {t: times * math.log(n / max(df[t], 1) * (t.count(" ") + 1)) for t, times in bag(words).items()}

    x, y = weights(liked), weights(other)
    common = sum(x[term] * y[term] for term in x if term in y)
    squares = sum(weight**2 for weight in (*x.values(), *y.values()))
    (score,), (as_printed,) = measure.scores([theirs], collection), printed.scores([theirs], collection)
    assert score.terms == pytest.approx(common / (squares - common) if squares > common else 0.0, abs=1e-9)
    assert as_printed.terms == pytest.approx(common / (squares + common) if squares + common else 0.0, abs=1e-9)
    assert score.links == pytest.approx(0.5)
    assert score.total == pytest.approx((score.terms + score.links) / 2)


def test_a_page_is_wholly_like_itself_and_as_printed_by_a_third() -> None:
    for printed, wanted in ((False, 1.0), (True, 1 / 3)):
        collection, measure = Collection(), Likeness(printed)
        mine = collection.indexed(["wolf", "spider"], link_keys([]))
        measure.like(["wolf", "spider"], mine)
        for words in (["wolf", "spider"], ["loom"]):
            collection.count(collection.indexed(words, link_keys([])))
        assert measure.scores([mine], collection)[0].terms == pytest.approx(wanted)


def test_the_score_is_the_mean_over_what_is_liked() -> None:
    collection, measure = Collection(), Likeness()
    for words in (["wolf", "spider"], ["loom", "thread"]):
        indexed = collection.indexed(words, link_keys([]))
        measure.like(words, indexed)
        collection.count(indexed)
    same = collection.indexed(["loom", "thread"], link_keys([]))
    assert measure.scores([same], collection)[0].terms == pytest.approx(0.5)


def test_stop_words_are_gone_before_phrases_are_made() -> None:
    assert kept_words(["the", "web", "of", "the", "spider"]) == ["web", "spider"]
    assert "web spider" in text.phrases(kept_words(["the", "web", "of", "the", "spider"]))


@given(st.lists(st.sampled_from(ALPHABET), max_size=30))
def test_keys_name_phrases_and_say_how_long_they_are(words: list[str]) -> None:
    keys, names = text.phrase_keys(words).tolist(), text.phrases(words)
    assert len(keys) == len(names)
    assert len({*zip(keys, names, strict=True)}) == len({*keys}) == len({*names})
    assert [key & 3 for key in keys] == [name.count(" ") + 1 for name in names]


@given(st.lists(st.lists(st.integers(1, 400), max_size=40), max_size=8))
def test_keys_have_one_number_each_in_the_order_in_which_they_come(batches: list[list[int]]) -> None:
    numbered, plain = Numbered(), dict[int, int]()
    for batch in batches:
        keys = np.unique(np.array(batch, np.uint64))
        new = keys[numbered.find(keys) < 0]
        numbered.add(new)
        for key in new.tolist():
            plain[key] = len(plain)
        assert numbered.find(keys).tolist() == [plain[key] for key in keys.tolist()]
    again = Numbered(numbered.by_number())
    known = np.array([*plain], np.uint64)
    assert again.find(known).tolist() == numbered.find(known).tolist() == [*plain.values()]
    assert numbered.find(np.array([1000], np.uint64)).tolist() == [-1]


def test_recent_keys_are_put_in_order_with_the_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "RECENT", 3)
    numbered = Numbered()
    for first, last in pairwise(range(0, 200, 5)):
        keys = np.arange(first, last, dtype=np.uint64)[::-1] * np.uint64(7919) % np.uint64(1009)
        numbered.add(np.sort(keys))
    assert sorted(numbered.find(numbered.by_number()).tolist()) == list(range(195))


def test_what_finds_no_number_counts_as_a_term_that_no_other_page_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def squares() -> float:
        collection = Collection()
        for words in (["wolf", "spider"], ["loom", "thread", "loom"]):
            indexed = collection.indexed(words, link_keys([]))
            collection.count(indexed)
        return collection.square(indexed, collection.rarity(indexed.numbers))

    whole = squares()
    monkeypatch.setattr(likeness, "TERMS", 4)
    assert squares() == pytest.approx(whole)


def test_only_so_many_words_and_links_of_a_page_are_read() -> None:
    collection = Collection()
    words = " ".join(f"w{number}" for number in range(likeness.WORDS + 500))
    indexed = collection.read(page(words, *(f"http://a.test/{number}" for number in range(likeness.LINKS + 50))))
    assert len(indexed.numbers) == 3 * likeness.WORDS - 3
    assert len(indexed.links) == likeness.LINKS


def test_state_is_stored_and_goes_on_the_same() -> None:
    collection, measure = Collection(), Likeness()
    mine = collection.read(page("wolf spider hunts silk", "http://x.test/"))
    measure.like(["wolf", "spider", "hunts", "silk"], mine)
    collection.count(mine)
    collection.count(collection.read(page("loom thread", "http://y.test/")))
    again, same = codec.load(*codec.store([collection, measure]))
    for one, by in ((collection, measure), (again, same)):
        one.count(one.read(page("wolf loom")))
        (score,) = by.scores([one.read(page("wolf spider loom"))], one)
        assert score.terms > 0 and score == measure.scores([collection.read(page("wolf spider loom"))], collection)[0]
    assert codec.store([again, same]) == codec.store([collection, measure])


def test_matched_terms_and_telling_words_are_those_of_liked_pages() -> None:
    collection, measure = Collection(), Likeness()
    words = kept_words(["the", "wolf", "spider", "and", "the", "silk", "wolf"])
    measure.like(words, collection.indexed(words, link_keys([])))
    for other in ("wolf", "wolf", "wolf", "loom"):
        collection.count(collection.indexed([other], link_keys([])))
    found = measure.matched(collection.read(page("a wolf spider is at the loom")), collection)
    assert {*found} == {"wolf", "spider", "wolf spider"} and found[0] == "wolf spider"
    assert {*measure.telling(collection, 9)} == {"wolf", "spider", "silk"}
    assert measure.telling(collection, 1) in (["spider"], ["silk"])  # wolf is known on another page
