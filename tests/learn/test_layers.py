"""Layers told apart on examples small enough to be worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learn.layers import Bag, Bayes, Relevancy, rarities, softmax

TARGET: Bag = {"spider": 3, "silk": 2}
NEAR: Bag = {"zoology": 2, "animals": 1}
FAR: Bag = {"university": 2, "faculty": 1}
GENERAL: Bag = {"car": 2, "road": 1}


def test_a_page_is_guessed_to_be_in_the_layer_it_is_like() -> None:
    model = Bayes([[TARGET] * 3, [NEAR] * 3, [FAR] * 3], [GENERAL] * 3)
    for place, bag in enumerate((TARGET, NEAR, FAR, GENERAL)):
        assert model.guess(bag, 0.3).layer == place
        assert sum(model.posteriors(bag)) == pytest.approx(1.0) and len(model.posteriors(bag)) == 4


def test_what_is_like_no_layer_is_rejected() -> None:
    model = Bayes([[TARGET], [NEAR]])
    unknown = {"bread": 4}
    assert model.posteriors(unknown) == [0.5, 0.5] and model.guess(unknown, 0.6) == (2, 0.5)
    mixed = {"spider": 1, "zoology": 1}
    assert model.guess(mixed, 0.9).layer == 2 and model.guess(mixed, 0.0).layer < 2
    assert model.guess(TARGET, 0.6).layer == 0


def test_of_general_pages_those_that_are_a_little_like_a_layer_are_told() -> None:
    model = Bayes([[TARGET], [NEAR]], [GENERAL])
    plain, mixed = model.guess(GENERAL, 0.0), model.guess({**GENERAL, "spider": 1}, 0.0)
    assert plain.layer == mixed.layer == 2 and plain.posterior < mixed.posterior < 0.5


def test_the_posterior_by_hand() -> None:
    """Two layers with a page each and two words in all, each layer two counts after smoothing plus one word."""
    model = Bayes([[{"a": 1}], [{"b": 1}]])
    likelier = 2 / 3  # (1 + 1) / (1 + 2)
    other = 1 / 3
    assert model.posteriors({"a": 5}) == pytest.approx([likelier, other])
    both = model.posteriors({"a": 1, "b": 1})
    assert both == pytest.approx([0.5, 0.5])


def test_only_the_best_terms_of_a_page_are_read() -> None:
    bags: list[Bag] = [{"usual": 1, "rare": 1}, {"usual": 1}, {"usual": 1}]
    model = Bayes([bags], terms=1)
    assert model.best({"usual": 2, "rare": 2, "never met": 9}) == ["rare"]
    assert model.best({"usual": 9, "rare": 1}) == ["usual"], "often enough makes up for being usual"


def test_rarity_is_the_idf_with_one_page_more() -> None:
    assert rarities([{"a": 5, "b": 1}, {"a": 1}]) == {"a": 1.0, "b": pytest.approx(math.log(3 / 2) + 1)}


def test_relevance_of_words_by_hand() -> None:
    """A word of the target counts 1, of layer 1 0.5, of a general page 0."""
    model = Relevancy([[{"spider": 2, "the": 2}], [{"list": 4, "the": 2}]], [{"the": 4, "car": 4}], alpha=0.5)
    assert model.words == {
        "spider": 1.0,  # 2 of 2
        "list": 0.5,  # 4 x 0.5 of 4
        "the": pytest.approx(3 / 8),  # 2 + 2 x 0.5 of 8
    }


def test_expected_relevancy_by_hand() -> None:
    model = Relevancy([[{"spider": 2, "the": 2}], [{"list": 4, "the": 2}]], [{"the": 4, "car": 4}], alpha=0.5)
    assert model.expected({"spider": 1, "list": 1}) == pytest.approx(0.75)
    assert model.expected({"spider": 1, "the": 2, "car": 1}) == pytest.approx((1 + 2 * 3 / 8) / 4)
    assert model.expected({"car": 3}) == model.expected({}) == 0.0
    assert model.expected_of_text("Spider, list!") == model.expected_of_text("spider list") == pytest.approx(0.75)


def test_the_words_that_are_read_are_the_most_telling() -> None:
    layers: list[list[Bag]] = [[{"spider": 5, "silk": 1, "the": 6}]]
    assert list(Relevancy(layers, [{"the": 60}], features=1).words) == ["spider"]
    assert "the" not in Relevancy(layers, [{"the": 60, "a": 60}], features=2).words


bags = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9), max_size=8)
layered = st.lists(st.lists(bags, max_size=3), min_size=1, max_size=4)


@given(layered, st.lists(bags, max_size=3), bags, st.floats(0, 1), st.integers(1, 5))
def test_any_layers_give_chances_and_shares(
    layers: list[list[Bag]], general: list[Bag], bag: Bag, share: float, few: int
) -> None:
    bayes = Bayes(layers, general, few)
    chances = bayes.posteriors(bag)
    assert sum(chances) == pytest.approx(1.0) and min(chances) >= 0
    layer, chance = bayes.guess(bag, share)
    assert 0 <= layer <= len(layers) and chance == max(chances[: len(layers)])
    relevancy = Relevancy(layers, general, share, few)
    assert len(relevancy.words) <= few
    assert all(0 <= relevance <= 1 + 1e-9 for relevance in relevancy.words.values())
    assert 0 <= relevancy.expected(bag) <= 1 + 1e-9


def test_softmax_survives_large_numbers() -> None:
    assert softmax([-1e6, -1e6]) == [0.5, 0.5] and softmax([1e6, -1e6]) == [1.0, 0.0] and softmax([]) == []
