"""Judges: from the words of a page to a verdict."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.codec import load, store
from wolfspider.core.errors import Problem
from wolfspider.core.model import Link, Page, Verdict
from wolfspider.core.text import window, words
from wolfspider.core.topic import Topic
from wolfspider.learn import likeness
from wolfspider.policy.judges import DEFAULT_JUDGE, EVERYTHING, JUDGES, LISTED, make_judge
from wolfspider.policy.judges.judge import Unlearning, bend, scored
from wolfspider.policy.judges.keyword_judges import Coverage, Keywords, scaled_cosine
from wolfspider.policy.judges.learning_judge import Learner
from wolfspider.policy.judges.likeness_judge import Alike
from wolfspider.policy.room import BrokenContract
from wolfspider.policy.topic_words import Similarity, keyword_cosine, topic_weights

VOLCANOES = Topic(("volcano", "lava", "magma chamber"), "Eruptions of volcanoes and what they leave")
ON_TOPIC = (
    "The volcano erupted at dawn. Lava ran down the slopes; under it a magma chamber had filled for years. Ash fell."
    " Lava reached the sea, and the volcano fell silent."
)
OFF_TOPIC = (
    "The committee met on Tuesday to discuss the budget of the library and the opening hours of the reading room."
)


def page(text: str, url: str = "http://a.test/") -> Page:
    return Page(url, url, words=tuple(words(text)))


def crawl(count: int = 40) -> list[Page]:
    """Every fourth page on topic, none like another."""
    texts = (ON_TOPIC if number % 4 == 0 else OFF_TOPIC for number in range(count))
    return [
        page(f"{text} page number{number} part{number % 7}", f"http://a.test/{number}")
        for number, text in enumerate(texts)
    ]


CHOOSY = [name for name in JUDGES if name != EVERYTHING]


@pytest.mark.parametrize(
    ("frequencies", "expected"), [((2, 1), 0.948683), ((5, 0), 0.707107), ((7,), 1.0), ((0, 0), 0.0), ((), 0.0)]
)
def test_keyword_cosine_of_the_paper(frequencies: tuple[int, ...], expected: float) -> None:
    assert keyword_cosine(frequencies) == pytest.approx(expected, abs=1e-6)
    assert scaled_cosine(frequencies) == pytest.approx(expected, abs=1e-6)


def test_keywords_counts_phrases_as_phrases() -> None:
    judge = Keywords(Topic(("world war", "battle")))
    assert judge.score(page("the world war and the battle")).evidence["words"] == ["world war", "battle"]
    apart = judge.score(page("a war of the world and a battle"))
    assert apart.evidence == {"raw": 0.707107, "words": ["battle"]}
    assert not apart.relevant


def test_one_keyword_is_all_or_nothing() -> None:
    judge = Keywords(Topic(("linux",)))
    assert judge.score(page("linux " + "other " * 5000)).score == 1.0
    assert judge.score(page("unix")).score == 0.0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.001, 0.999))
def test_bending_is_monotone_with_the_border_at_one_half(one: float, other: float, border: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= bend(low, border) <= bend(high, border) <= 1
    assert bend(border, border) == 0.5
    assert (bend(one, border) >= 0.5) == (one >= border)


@pytest.mark.parametrize("name", JUDGES)
@given(
    texts=st.lists(st.lists(st.sampled_from([*words(ON_TOPIC + OFF_TOPIC), "vulkan", "日本"]), max_size=30), max_size=8)
)
def test_every_verdict_keeps_the_contract(name: str, texts: list[list[str]]) -> None:
    judge = make_judge(name, VOLCANOES)
    for text in texts:
        verdict = judge.score(Page("http://a.test/", "http://a.test/", words=tuple(text)))
        assert 0 <= verdict.score <= 1
        assert verdict.relevant == (verdict.score >= 0.5)
        assert "raw" in verdict.evidence
        json.dumps(verdict.evidence)


@pytest.mark.parametrize("name", CHOOSY)
@pytest.mark.parametrize("topic", [Topic(), Topic(("...", "")), Topic(liked=(page(""),))])
def test_an_empty_topic_or_page_is_no_error(name: str, topic: Topic) -> None:
    judge = make_judge(name, topic)
    assert not judge.score(page("")).relevant
    assert not judge.score(page(OFF_TOPIC)).relevant


@pytest.mark.parametrize("name", CHOOSY)
def test_pages_on_topic_score_higher(name: str) -> None:
    judge = make_judge(name, VOLCANOES)
    scores = [judge.score(seen).score for seen in crawl()]
    on, off = scores[20::4], [score for number, score in enumerate(scores[20:]) if number % 4]
    assert min(on) > max(off)
    assert min(on) >= 0.5 > max(off)


@pytest.mark.parametrize("name", JUDGES)
def test_restored_it_goes_on_as_if_never_stopped(name: str) -> None:
    pages = crawl()
    judge = make_judge(name, VOLCANOES)
    for seen in pages[:20]:
        judge.score(seen)
    judge.learn(pages[0], True)
    judge.learn(pages[1], False)
    stored = store(judge.state())
    expected = [judge.score(seen) for seen in pages[20:]]
    again = make_judge(name, VOLCANOES)
    again.restore(load(*stored))
    assert [again.score(seen) for seen in pages[20:]] == expected


@pytest.mark.parametrize("name", JUDGES)
def test_a_state_is_a_copy(name: str) -> None:
    pages = crawl()
    judge = make_judge(name, VOLCANOES)
    judge.score(pages[0])
    state = judge.state()
    before = store(state)
    judge.score(pages[1])
    judge.learn(pages[1], True)
    assert store(state) == before


@pytest.mark.parametrize(
    ("keyword", "on", "off"),
    [
        (
            "Vulkan",
            "Die Vulkane der Eifel: ein Vulkan, der ausbricht, ist selten.",
            "Der Rat der Stadt tagt am Dienstag.",
        ),
        ("вулкан", "Вулканы Камчатки: каждый вулкан извергает лаву.", "Совет города собирается во вторник."),
        ("火山", "日本の火山は多い。富士山は火山である。", "市議会は火曜日に開かれ、予算を審議した。"),
        ("화산", "백두산은 화산이다. 화산은 위험하다.", "시의회는 화요일에 열린다."),
    ],
    ids=["german", "russian", "japanese", "korean"],
)
@pytest.mark.parametrize("name", ["context", "classifier", "coverage", "tfidf", "keywords"])
def test_from_words_to_score_in_other_languages(name: str, keyword: str, on: str, off: str) -> None:
    judge = make_judge(name, Topic((keyword,)))
    for number in range(10):
        judge.score(page(f"{off} {number}"))
    good, bad = judge.score(page(on)), judge.score(page(off))
    assert good.score > bad.score
    assert good.relevant
    assert not bad.relevant


def test_a_long_keyword_without_blanks_needs_all_its_pairs() -> None:
    judge = Coverage(Topic(("人工知能",)))
    assert judge.score(page("人工知能の研究")).evidence["words"] == ["人工 工知 知能"]
    assert judge.score(page("人工の湖と知能")).evidence["words"] == []


def test_short_words_of_a_description_are_glue_but_keywords_are_not() -> None:
    weights = topic_weights(Topic(("art", "paint"), "The art of painting by brush, and 美術"))
    assert weights == {("art",): 1.5, ("paint",): 1.5, ("brush",): 0.5, ("美術",): 0.5}


def test_liked_pages_lend_their_words() -> None:
    judge = Coverage(Topic(liked=(page("obsidian " * 5 + "flows of the obsidian"),)))
    assert judge.score(page("obsidian")).score > judge.score(page("granite")).score == 0


@pytest.mark.parametrize("name", ["classifier", "likeness", "context"])
def test_a_label_up_lifts_pages_like_it(name: str) -> None:
    liked = page("basalt columns and pumice beds on the island", "http://a.test/liked")
    like_it = page("pumice beds beside basalt columns", "http://a.test/like")
    plain, taught = make_judge(name, VOLCANOES), make_judge(name, VOLCANOES)
    for seen in crawl():
        plain.score(seen)
        taught.score(seen)
    taught.learn(liked, True)
    assert taught.score(like_it).score > plain.score(like_it).score


def test_a_label_down_sinks_pages_like_it() -> None:
    advert = "volcano lava magma chamber cocktails happy hour bar"
    plain, taught = Learner(VOLCANOES), Learner(VOLCANOES)
    for seen in crawl():
        plain.score(seen)
        taught.score(seen)
    taught.learn(page(advert), False)
    like_it = page("lava cocktails in the volcano bar, happy hour daily")
    assert taught.score(like_it).score < plain.score(like_it).score - 0.05


def test_it_teaches_itself_words_that_go_with_the_topic() -> None:
    judge = Learner(VOLCANOES)
    for seen in crawl(80):
        judge.score(seen)
    without_keywords = "erupted at dawn down the slopes ash fell"
    assert judge.score(page(without_keywords)).evidence["raw"] > judge.score(page(OFF_TOPIC)).evidence["raw"] + 0.2
    assert judge.score(page(without_keywords)).evidence["coverage"] == 0


def glued() -> list[Page]:
    """A crawl in which function words and short ones are the surest sign of a page on topic."""
    glue, other = f"Were they whom it was for? {ON_TOPIC}", OFF_TOPIC.replace("The", "A").replace("the", "a")
    return [
        page(text, f"http://a.test/{number}") for number, text in enumerate([glue, other, OFF_TOPIC, OFF_TOPIC] * 10)
    ]


def test_words_that_say_nothing_are_never_named_as_telling_and_count_as_before() -> None:
    judge = Learner(VOLCANOES)
    verdicts = [judge.score(seen) for seen in glued()]
    assert verdicts[-4].evidence["telling"] == ["volcano", "lava", "fell"]  # "it" and "for" weigh more
    assert verdicts[-4].score == 0.9801560485879166
    assert sum(verdict.score for verdict in verdicts) == pytest.approx(11.067142262102834, abs=1e-12)


def test_where_no_word_is_telling_none_is_named() -> None:
    judge = Learner(Topic(("it",)))
    for seen in glued():
        judge.score(seen)
    found = judge.score(page("it " * 50))
    assert found.relevant and "telling" not in found.evidence


def test_what_was_learnt_serves_another_run_of_the_same_topic_only() -> None:
    judge = Learner(VOLCANOES)
    for seen in crawl():
        judge.score(seen)
    learned = load(*store(judge.learned()))
    heir, stranger, newborn = Learner(VOLCANOES), Learner(Topic(("library",))), Learner(Topic(("library",)))
    heir.inherit(learned)
    stranger.inherit(learned)
    expected = judge.score(page(ON_TOPIC))
    assert heir.score(page(ON_TOPIC)) == expected
    assert stranger.score(page(ON_TOPIC)) == newborn.score(page(ON_TOPIC))


def linked(text: str, *addresses: str, url: str = "http://a.test/") -> Page:
    return Page(url, url, words=tuple(words(text)), links=tuple(map(Link, addresses)))


class TestLikeness:
    """The judge of that name; the measure itself has its own tests."""

    def test_the_first_liked_page_takes_the_place_of_the_made_up_one(self) -> None:
        judge = Alike(VOLCANOES)
        judge.score(page(OFF_TOPIC))
        judge.learn(page(ON_TOPIC), True)
        assert judge.score(page(ON_TOPIC)).evidence["terms"] == pytest.approx(1.0)
        assert judge.score(page("volcano")).evidence["terms"] < 0.5

    def test_half_is_what_a_page_says_and_half_where_it_links_to(self) -> None:
        judge = Alike(Topic(liked=(linked(ON_TOPIC, "http://b.test/", "http://c.test/"),)))
        judge.score(page(OFF_TOPIC))
        twin = judge.score(linked(ON_TOPIC, "http://b.test/", "http://c.test/"))
        assert (twin.score, twin.evidence["terms"], twin.evidence["links"]) == (1.0, 1.0, 1.0)
        other = judge.score(linked(OFF_TOPIC, "http://c.test/", "http://d.test/"))
        assert other.evidence["links"] == pytest.approx(1 / 3, abs=1e-6)
        assert other.evidence["raw"] == pytest.approx((other.evidence["terms"] + other.evidence["links"]) / 2, abs=1e-6)

    def test_a_made_up_page_links_nowhere(self) -> None:
        found = Alike(VOLCANOES).score(linked(ON_TOPIC, "http://b.test/"))
        assert found.evidence["links"] == 0

    def test_it_names_the_phrases_that_matched(self) -> None:
        judge = Alike(VOLCANOES)
        judge.score(page(OFF_TOPIC))
        matched = judge.score(page(ON_TOPIC)).evidence["words"]
        assert {"volcano", "magma chamber"} <= set(matched)
        assert judge.score(page(OFF_TOPIC)).evidence["words"] == []

    def test_the_mean_is_over_all_liked_pages(self) -> None:
        judge = Alike(Topic(liked=(page(ON_TOPIC), page(OFF_TOPIC))))
        for number in range(5):
            judge.score(page(f"other matters {number}"))
        assert judge.score(page(ON_TOPIC)).evidence["terms"] == pytest.approx(0.5, abs=0.05)

    def test_each_page_counts_once_and_liked_ones_from_the_start(self) -> None:
        liked = page(ON_TOPIC, "http://a.test/liked")
        judge = Alike(Topic(liked=(liked, liked, page(OFF_TOPIC, "http://a.test/other"))))
        counted = [judge.state()["collection"]["pages"]]
        for seen in (liked, page("pumice", "http://a.test/new")):
            judge.score(seen)
            counted.append(judge.state()["collection"]["pages"])
        assert counted == [2, 2, 3]

    def test_a_made_up_page_does_not_count(self) -> None:
        assert Alike(VOLCANOES).state()["collection"]["pages"] == 0

    def test_a_label_down_makes_no_example_and_there_are_never_too_many(self) -> None:
        judge = Alike(VOLCANOES)
        judge.learn(page(OFF_TOPIC), False)
        assert judge.score(page(OFF_TOPIC)).evidence["raw"] == 0
        for number in range(2 * Alike.MOST):
            judge.learn(page(f"pumice{number}"), True)
        assert len(judge.state()["likeness"]["inputs"]) == Alike.MOST

    def test_what_it_keeps_is_bounded_however_many_pages_there_are(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(likeness, "TERMS", 5_000)
        judge = Alike(VOLCANOES)
        sizes = set()
        for number in range(400):
            judge.score(page(" ".join(f"word{number}x{place}" for place in range(50)) + ON_TOPIC * (number % 2)))
            if number % 100 == 99:
                text, blobs = store(judge.state())
                sizes.add((len(text) // 100, sum(map(len, blobs.values()))))
        assert len(sizes) == 1
        assert sum(sizes.pop()) < 5_000 * 12 + 10_000
        full = [judge.score(page(text)).score for text in (ON_TOPIC, OFF_TOPIC)]
        assert full[0] > 0.5 > full[1]

    def test_it_goes_on_from_what_it_kept_when_full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(likeness, "TERMS", 50)
        pages = crawl()
        judge, again = Alike(VOLCANOES), Alike(VOLCANOES)
        for seen in pages[:20]:
            judge.score(seen)
        judge.learn(pages[0], True)
        again.restore(load(*store(judge.state())))
        assert [again.score(seen) for seen in pages[20:]] == [judge.score(seen) for seen in pages[20:]]


def test_the_oracle_pays_the_label() -> None:
    labels = {"http://a.test/1": True, "http://a.test/2": False}
    judge = make_judge("oracle", VOLCANOES, labels, lambda url: url.partition("://")[2])
    verdicts = [judge.score(page("", f"https://a.test/{number}")) for number in (1, 2, 3)]
    assert [(found.score, found.relevant) for found in verdicts] == [(1.0, True), (0.0, False), (0.0, False)]


def test_the_oracle_goes_by_where_a_page_was_in_the_end() -> None:
    judge = make_judge("oracle", VOLCANOES, {"http://a.test/new": True})
    assert judge.score(Page("http://a.test/old", "http://a.test/new")).relevant


def test_the_oracle_without_labels_says_where_it_works() -> None:
    with pytest.raises(Problem, match="in a bench only"):
        make_judge("oracle", VOLCANOES)


def test_an_unknown_judge_is_answered_with_the_nearest() -> None:
    with pytest.raises(Problem, match=r"There is no judge 'tfdif'\. Did you mean 'tfidf'\?"):
        make_judge("tfdif", VOLCANOES)


def test_every_judge_has_a_sentence_and_the_default_is_one_of_them() -> None:
    assert LISTED[0] == DEFAULT_JUDGE
    assert set(LISTED) < set(JUDGES)
    assert all(entry.sentence.endswith(".") and len(entry.sentence) > 20 for entry in JUDGES.values())


class TestSimilarity:
    near = Similarity(VOLCANOES)

    @given(st.text(max_size=60))
    def test_it_is_a_share_and_text_equals_its_words(self, text: str) -> None:
        value = self.near.of_text(text)
        assert 0 <= value <= 1
        assert value == self.near.of_words(words(text)) == self.near.of_text(text)

    @given(
        st.lists(st.one_of(st.text(max_size=20), st.sampled_from(("a volcano", "lava lava", "", "lamp"))), max_size=9)
    )
    def test_many_texts_are_read_as_one_by_one(self, texts: list[str]) -> None:
        assert self.near.of_texts(texts) == [self.near.of_text(text) for text in texts]

    def test_more_of_the_topic_is_nearer(self) -> None:
        assert self.near.of_text("Volcanoes") > self.near.of_text("Volcanoes and the budget") > 0
        assert self.near.of_text("Lava of a volcano") > self.near.of_text("Lava of a lamp")
        assert self.near.of_text("Home") == self.near.of_text("") == 0

    @given(
        st.lists(st.sampled_from(("volcano", "lava lamp", "a", "the sea", "eruptions", "")), max_size=120), st.data()
    )
    def test_the_contexts_of_a_page_are_read_as_one_by_one(self, texts: list[str], data: st.DataObject) -> None:
        links = []
        for number in range(data.draw(st.integers(0, 6))):
            at = data.draw(st.integers(0, len(texts)))
            links.append(Link(f"http://a.test/{number}", texts[at] if at < len(texts) else "", at))
        page = Page("http://a.test/", "http://a.test/", words=tuple(words(" ".join(texts))), links=tuple(links))
        for left, right in ((20, 20), (3, 0)):
            one_by_one = [self.near.of_words(window(page, link, left, right)) for link in links]
            assert self.near.of_contexts(page, left, right) == one_by_one

    def test_a_topic_without_words_is_near_nothing(self) -> None:
        assert Similarity(Topic()).of_text("anything") == 0


def test_scores_are_the_same_in_every_process() -> None:
    """Sets of words come in another order in every process; a sum in that order would show."""
    code = f"from test_judge import *; print({DIGITS})"
    scores = {_in_a_process(code, seed) for seed in "123"}
    assert len(scores) == 1
    assert len(scores.pop()) > 1000


DIGITS = (
    "[judge.score(seen).score.hex() for name in JUDGES for judge in [make_judge(name, VOLCANOES)] for seen in crawl()]"
)


def _in_a_process(code: str, seed: str) -> str:
    here = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([here, *sys.path])}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize(
    ("score", "evidence", "says"),
    [
        (float("nan"), {}, "a number from 0 to 1, not nan"),
        (float("inf"), {}, "a number from 0 to 1, not inf"),
        (1.5, {}, "a number from 0 to 1, not 1.5"),
        ("0.5", {}, "a number from 0 to 1, not '0.5'"),
        (0.5, [1, 2], "must be a dict, not [1, 2]"),
        (0.5, None, "must be a dict, not None"),
    ],
)
def test_a_verdict_that_cannot_be_kept_is_the_fault_of_its_judge(score: Any, evidence: Any, says: str) -> None:
    class Odd(Unlearning):
        def score(self, page: Page) -> Verdict:
            return Verdict(score, True, evidence)

    with pytest.raises(BrokenContract, match=re.escape(says)):
        scored(Odd(Topic()), Page("http://a.test/", "http://a.test/"))
