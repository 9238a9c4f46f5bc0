"""Self-organising maps: each step as the textbook has it, and trees of categories that part what is planted."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from wolfspider.core.model import Page
from wolfspider.core.text import counts
from wolfspider.learn import som
from wolfspider.learn.corpus import Corpus, gathered

PLANTED = 6
FALLING = [1 / rank for rank in range(1, 21)]  # as words are: a few often, many rarely
STOP = frozenset({"the", "of"})


def quiet(done: int, known: int) -> None:
    pass


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def planted(pages: int, topics: int = PLANTED, seed: int = 1, below: int = 0) -> tuple[Corpus, list[int]]:
    """Pages that draw most of their words from those of one topic, and of one of the topics below it, if there are."""
    chance = random.Random(seed)
    made, truth = [], []
    for number in range(pages):
        topic = chance.randrange(topics)
        own = [f"topic{topic}word{one}" for one in range(20)]
        part = f"topic{topic}part{chance.randrange(below)}" if below else f"topic{topic}"
        parts = [f"{part}word{one}" for one in range(20)]
        drawn = chance.choices(own, FALLING, k=40) + chance.choices(parts, FALLING, k=20)
        drawn += chance.choices([f"common{one}" for one in range(300)], k=20)
        made.append(Page(f"http://a.test/{number}", "", words=("the", "of", "12", "x", *drawn)))
        truth.append(topic)
    return gathered(made), truth


def textbook(rows: sparse.csr_array, side: int, generator: np.random.Generator) -> np.ndarray:
    """The rule as it is written down, on whole vectors."""
    dense = rows.toarray()
    nodes = (generator.random((dense.shape[1], side * side)) * som.SMALL).T
    total = som.STEPS * len(dense)
    places = np.array([divmod(node, side) for node in range(side * side)], float)
    for step, document in enumerate(generator.integers(len(dense), size=total)):
        share = step / (total - 1)
        radius = side * (som.RADII[0] + share * (som.RADII[1] - som.RADII[0]))
        rate = som.RATES[0] + share * (som.RATES[1] - som.RATES[0])
        away = dense[document] - nodes
        winner = (away**2).sum(axis=1).argmin()
        near = np.exp(-((places - places[winner]) ** 2).sum(axis=1) / (2 * radius * radius))
        nodes = nodes + rate * near[:, None] * away
    return nodes


def test_the_quick_map_is_the_map_of_the_textbook() -> None:
    rows = som.weighed(planted(80)[0].counts)
    quick, slow = som.train(rows, 4, rng()), textbook(rows, 4, rng())
    assert quick == pytest.approx(slow, rel=1e-9, abs=1e-12)
    away = ((rows.toarray()[:, None, :] - slow[None]) ** 2).sum(axis=2)
    assert som.winners(rows, quick).tolist() == away.argmin(axis=1).tolist()


def test_all_steps_are_told() -> None:
    told: list[int] = []
    som.train(som.weighed(planted(77)[0].counts), 3, rng(), told.append)
    assert sum(told) == som.STEPS * 77


def test_neighbours_with_the_same_label_are_a_region() -> None:
    grid = np.array([[1, 1, 2], [3, 1, 2], [1, 3, 2]])
    found = som.regions(grid.ravel(), 3).reshape(3, 3)
    assert found[0, 0] == found[0, 1] == found[1, 1]
    assert found[0, 2] == found[1, 2] == found[2, 2]
    assert len({found[0, 0], found[0, 2], found[1, 0], found[2, 0], found[2, 1]}) == 5  # corners do not touch


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple), max_size=30))
def test_no_two_regions_beside_each_other_have_one_name(terms: list[tuple[str, ...]]) -> None:
    names = som.named(terms)
    assert len(set(names)) == len(terms)
    assert all(name.startswith(told[0]) for name, told in zip(names, terms, strict=True))


def test_only_maps_below_the_first_are_smaller() -> None:
    assert [som.side_for(n, 1) for n in (1, 5000)] == [10, 10]
    assert [som.side_for(n, 2) for n in (1, 101, 500, 5000)] == [2, 3, 7, 10]


def test_planted_topics_are_found() -> None:
    corpus, truth = planted(600)
    tree = som.grow(corpus, STOP, rng(), quiet)
    right = sum(
        max(np.bincount([truth[document] for document in region.documents], minlength=PLANTED)) for region in tree.below
    )
    assert right / 600 > 0.95
    largest = tree.below[:PLANTED]
    assert len({region.name.partition("word")[0] for region in largest}) == PLANTED
    assert all("topic" in region.name for region in largest)


def test_large_regions_have_regions_below_them() -> None:
    corpus, _ = planted(900, topics=3, below=3)
    tree = som.grow(corpus, STOP, rng(), quiet)
    crowded = [region for region in tree.below if region.documents.size > som.CROWD]
    assert crowded and all(len(region.below) > 1 for region in crowded)


def depth(region: som.Region) -> int:
    return 1 + max(map(depth, region.below)) if region.below else 0


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 150), st.integers(1, 4), st.integers(0, 1000))
def test_a_tree_parts_its_documents(pages: int, topics: int, seed: int) -> None:
    tree = som.grow(planted(pages, topics, seed)[0], STOP, rng(seed), quiet)
    assert tree.documents.tolist() == list(range(pages)) and depth(tree) <= som.LAYERS
    for region in tree.walk():
        inside = [document for below in region.below for document in below.documents.tolist()]
        assert len(set(inside)) == len(inside) and set(inside) <= set(region.documents.tolist())
        sizes = [below.documents.size for below in region.below]
        assert sizes == sorted(sizes, reverse=True) and all(sizes)
        assert len({below.name for below in region.below}) == len(region.below)
        assert not {"the", "of", "12", "x"} & set(region.terms)


def test_the_same_seed_gives_the_same_tree() -> None:
    def told(seed: int) -> list[tuple[str, tuple[str, ...], list[int]]]:
        tree = som.grow(planted(200)[0], STOP, rng(seed), quiet)
        return [(region.name, region.terms, region.documents.tolist()) for region in tree.walk()]

    assert told(3) == told(3) != told(4)


@pytest.mark.parametrize("words", [(), ("the", "of"), ("spider", "silk")])
def test_documents_that_cannot_be_told_apart_are_in_no_category(words: tuple[str, ...]) -> None:
    pages = [Page(f"http://a.test/{number}", "", words=words) for number in range(120)]
    tree = som.grow(gathered(pages), STOP, rng(), quiet)
    assert tree.below == () and tree.documents.size == 120


def test_documents_without_terms_stay_above() -> None:
    pages = [Page(f"http://a.test/{n}", "", words=("spider", "silk") if n % 2 else ("rose", "leaf")) for n in range(40)]
    tree = som.grow(gathered([*pages, Page("http://a.test/empty", "")]), STOP, rng(), quiet)
    assert sum(region.documents.size for region in tree.below) == 40
    assert all(40 not in region.documents for region in tree.below)


def test_progress_ends_where_all_is_done() -> None:
    told: list[tuple[int, int]] = []
    som.grow(planted(300, topics=2, below=2)[0], STOP, rng(), lambda done, known: told.append((done, known)))
    assert told[-1][0] == told[-1][1] >= som.STEPS * 300
    assert all(done <= known for done, known in told) and told == sorted(told)


def test_chinese_is_told_apart_by_single_characters_too() -> None:
    page = Page("http://a.test/", "", words=("猫", "x", "7"))
    assert [word for word in counts(page) if som._tells(word, STOP)] == ["猫"]
