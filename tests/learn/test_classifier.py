"""Evidence from words, the vocabulary it counts in, and the terms of a topic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.codec import load, store
from wolfspider.core.text import cosine, counted, tanimoto
from wolfspider.learn.classifier import Classifier
from wolfspider.learn.examples import Examples, damped
from wolfspider.learn.lexicon import Lexicon
from wolfspider.policy.topic_words import WeightedTerms, met

bags = st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(1, 9), max_size=8)


def taught(wanted: str, other: str, times: int = 5) -> Classifier:
    classifier = Classifier()
    for _ in range(times):
        classifier.add(classifier.numbers(wanted.split()), 1, 0)
        classifier.add(classifier.numbers(other.split()), 0, 1)
    return classifier


def evidence(classifier: Classifier, bag: dict[str, int]) -> float:
    return classifier.evidence(classifier.numbers(bag), list(bag.values())).mean


def test_a_word_of_wanted_pages_speaks_for_a_page_by_the_log_of_how_much_likelier_it_is() -> None:
    classifier = taught("lava the", "budget the")
    usual = 6 / 12
    expected = math.log((5 + 0.5 * usual) / 5.5) - math.log(1 / 7)
    assert evidence(classifier, {"lava": 1}) == pytest.approx(expected)
    assert evidence(classifier, {"budget": 1}) < 0
    assert abs(evidence(classifier, {"the": 1})) < 0.2


def test_it_is_a_mean_so_length_alone_changes_nothing() -> None:
    classifier = taught("lava ash", "budget hour")
    assert evidence(classifier, {"lava": 9, "ash": 9}) == pytest.approx(evidence(classifier, {"lava": 1, "ash": 1}))


def test_words_not_met_twice_say_nothing() -> None:
    classifier = taught("lava", "budget", times=1)
    assert evidence(classifier, {"lava": 1, "unheard": 4}) == 0
    assert evidence(taught("lava", "budget", times=2), {"lava": 1, "unheard": 1}) > 0
    assert evidence(Classifier(), {}) == 0


def test_pages_count_in_part() -> None:
    half = Classifier()
    for _ in range(10):
        half.add(half.numbers(["lava"]), 0.5, 0.5)
        half.add(half.numbers(["budget"]), 0, 1)
    assert 0 < evidence(half, {"lava": 1}) < evidence(taught("lava", "budget", 10), {"lava": 1})


@given(st.lists(st.tuples(bags, st.floats(0, 1)), max_size=12), bags)
def test_evidence_is_finite_and_its_parts_add_up(
    pages: list[tuple[dict[str, int], float]], bag: dict[str, int]
) -> None:
    classifier = Classifier()
    for words, share in pages:
        classifier.add(classifier.numbers(words), share, 1 - share)
    found = classifier.evidence(classifier.numbers(bag), list(bag.values()))
    assert math.isfinite(found.mean)
    assert found.mean == pytest.approx(float(found.words.sum()))
    assert len(found.words) == len(bag)


@given(st.lists(bags, max_size=20), bags)
def test_a_restored_classifier_is_the_same_also_when_words_were_forgotten(
    pages: list[dict[str, int]], bag: dict[str, int]
) -> None:
    one, other = Classifier(limit=9), Classifier(limit=9)
    for number, words in enumerate(pages):
        one.add(one.numbers(words), number % 2, 1 - number % 2)
    other.restore(load(*store(one.state())))
    assert evidence(one, bag) == evidence(other, bag)
    one.add(one.numbers(bag), 1, 0)
    other.add(other.numbers(bag), 1, 0)
    assert store(one.state()) == store(other.state())


class TestLexicon:
    def test_numbers_stay_and_figures_with_them(self) -> None:
        lexicon = Lexicon(sums=2)
        first = lexicon.numbers(["a", "b"])
        lexicon.add(first, 2, 0.5)
        again = lexicon.numbers(["c", "b"])
        assert again[1] == first[1]
        assert lexicon.sums(again).tolist() == [[0, 2], [0, 0.5]]
        assert lexicon.frequencies(["a", "c", "never"]).tolist() == [1, 0, 0]

    def test_idf_falls_with_the_pages_a_word_is_on(self) -> None:
        lexicon = Lexicon()
        for words in (["the", "lava"], ["the"], ["the"]):
            lexicon.add(lexicon.numbers(words))
        assert lexicon.idf(lexicon.numbers(["the", "lava"])) == pytest.approx([1.0, math.log(4 / 2) + 1])

    def test_it_grows_past_its_first_room(self) -> None:
        lexicon = Lexicon(sums=1)
        ids = lexicon.numbers([f"word{number}" for number in range(5000)])
        lexicon.add(ids, 3)
        assert lexicon.sums(ids).sum() == 15000

    @given(st.lists(st.lists(st.integers(0, 500), max_size=60, unique=True), max_size=40))
    def test_it_never_holds_more_than_its_limit(self, pages: list[list[int]]) -> None:
        lexicon = Lexicon(limit=100)
        for numbers in pages:
            ids = lexicon.numbers([f"word{number}" for number in numbers])
            lexicon.add(ids)
            assert len(set(ids.tolist())) == len(numbers)
            assert len(lexicon) <= 100

    def test_what_is_common_is_kept(self) -> None:
        lexicon = Lexicon(limit=50)
        for page in range(200):
            lexicon.add(lexicon.numbers(["the", f"once{page}", f"never again{page}"]))
        assert lexicon.frequencies(["the", "once3"]).tolist() == [200, 0]


class TestTerms:
    @pytest.mark.parametrize(
        ("own", "word", "expected"),
        [
            ("fossil", "fossils", True),
            ("crawl", "crawling", True),
            ("вулкан", "вулканы", True),
            ("crawl", "crawlspace", False),
            ("art", "arts", False),
            ("art", "art", True),
            ("fossils", "fossil", False),
            ("火山", "火山灰", False),
        ],
    )
    def test_a_word_meets_its_forms(self, own: str, word: str, expected: bool) -> None:
        assert met(own, word) == expected
        assert WeightedTerms({(own,): 1.0}).count({word: 2, "else": 5}) == [2 * expected]

    def test_forms_are_counted_together(self) -> None:
        assert WeightedTerms({("rock",): 1.0, ("rocks",): 1.0}).count({"rock": 1, "rocks": 2, "rocky": 4}) == [7, 2]

    def test_several_words_are_there_as_often_as_the_rarest(self) -> None:
        assert WeightedTerms({("world", "war"): 1.0, ("war",): 1.0}).count({"world": 5, "war": 2}) == [2, 2]
        assert WeightedTerms({("world", "war"): 1.0}).count({"world": 5}) == [0]

    @given(bags, st.lists(st.tuples(st.sampled_from("abcdefgh")), unique=True))
    def test_short_words_are_looked_up(self, bag: dict[str, int], terms: list[tuple[str]]) -> None:
        assert WeightedTerms(dict.fromkeys(terms, 1.0)).count(bag) == [bag.get(word, 0) for (word,) in terms]


class TestExamples:
    @given(st.lists(bags, min_size=1, max_size=4), st.lists(bags, max_size=6), bags)
    def test_its_products_make_the_cosine_and_tanimoto_of_plain_vectors(
        self, examples: list[dict[str, int]], before: list[dict[str, int]], bag: dict[str, int]
    ) -> None:
        compared = Examples([damped(example) for example in examples])
        for earlier in before:
            compared.compare(earlier)
        found = compared.compare(bag)
        frequencies = counted(word for page in (*before, bag) for word in page)
        pages = len(before) + 1

        def vector(of: dict[str, int]) -> dict[str, float]:
            idf = {word: math.log((1 + pages) / (1 + frequencies.get(word, 0))) + 1 for word in of}
            return {word: weight * idf[word] for word, weight in damped(of).items()}

        for place, example in enumerate(examples):
            x, y = vector(example), vector(bag)
            common, square = found.common[place], found.examples[place]
            norms = math.sqrt(square * found.page)
            union = square + found.page - common
            assert (common / norms if norms else 0.0) == pytest.approx(cosine(x, y))
            assert (common / union if union else 0.0) == pytest.approx(tanimoto(x, y))

    def test_a_later_example_knows_the_pages_before_it(self) -> None:
        early, late = Examples([{"lava": 1.0}]), Examples([])
        early.compare({"lava": 1, "ash": 1})
        late.compare({"lava": 1, "ash": 1})
        late.add({"lava": 1.0})
        ours, theirs = early.compare({"lava": 2}), late.compare({"lava": 2})
        assert np.array_equal(ours.common, theirs.common)
        assert np.array_equal(ours.examples, theirs.examples)
