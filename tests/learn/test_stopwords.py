"""Stop words: enough of them, spelled as pages spell them, and none that a page may be about."""

from __future__ import annotations

import pytest

from wolfspider.core.text import words
from wolfspider.learn import stopwords
from wolfspider.learn.stopwords import STOP_WORDS, present_participle, regular_past, third_person

TOPICAL = """
africa agriculture algebra algorithm animal art article atom author bank battle bird book building business car castle
cell century chemistry child church city class climate code computer computing country court crawler culture data death
design dinosaur disease dog earth economy education election element energy engine engineering english film fire fish
food fossil function game geology god gold government guide haven health history home horse house image industry island
kernel king language law learning library life light linux list love machine mammal man map market mathematics meaning
means measure medicine memory metal mine mineral model money mountain museum music name nature network news number
ocean paint paper park past people philosophy physics plant play player poem politics power president printing program
queen reading religion research right river rock run school science sea season show software song sound space species
spider sport star state story student study sun system teacher teaching team technology theatre thought time tool town
train training travel tree university version village volcano war water way web week wind woman word work world writing
year
"""

FORMS = """
achieve achieves achieved achieving
agree agrees agreed agreeing
apply applies applied applying
enjoy enjoys enjoyed enjoying
convey conveys conveyed conveying
discuss discusses discussed discussing
establish establishes established establishing
relax relaxes relaxed relaxing
listen listens listened listening
explain explains explained explaining
admit admits admitted admitting
occur occurs occurred occurring
prefer prefers preferred preferring
differ differs differed differing
pursue pursues pursued pursuing
"""

IRREGULAR = """
become becomes became becoming
begin begins began begun
choose chooses chose chosen choosing
forget forgets forgot forgotten forgetting
go goes went gone going
know knows knew known knowing
put puts putting
teach teaches taught
undergo undergoes underwent undergone undergoing
write writes wrote written
"""


def test_there_are_about_a_thousand() -> None:
    assert 900 <= len(STOP_WORDS) <= 1200


def test_each_is_one_word_as_pages_are_read() -> None:
    assert {word for word in STOP_WORDS if words(word) != [word]} == set()


def test_the_examples_of_the_paper_are_there() -> None:
    assert {"on", "in", "at", "this", "there", "calculate", "articulate", "teach", "listen"} <= STOP_WORDS


def test_nothing_a_page_may_be_about_is_among_them() -> None:
    assert STOP_WORDS & set(TOPICAL.split()) == set()


def test_a_sentence_of_glue_leaves_nothing() -> None:
    glue = "They couldn't have known, I don't think; we've already been told that it isn't theirs: you'll see why!"
    assert [word for word in words(glue) if word not in STOP_WORDS] == []


def test_what_a_sentence_is_about_is_left() -> None:
    sentence = "The river had been flooding the village, so that its people were moving to the mountains."
    left = [word for word in words(sentence) if word not in STOP_WORDS]
    assert left == ["river", "flooding", "village", "people", "moving", "mountains"]


@pytest.mark.parametrize("line", FORMS.strip().splitlines())
def test_regular_verbs_take_their_forms(line: str) -> None:
    verb, *forms = line.split()
    assert [third_person(verb), regular_past(verb), present_participle(verb)] == forms


@pytest.mark.parametrize("line", IRREGULAR.strip().splitlines())
def test_irregular_verbs_are_there_in_all_forms(line: str) -> None:
    assert set(line.split()) <= STOP_WORDS


def test_both_spellings_of_izing_verbs_are_there() -> None:
    assert {"realize", "realise", "realizes", "realises", "realized", "realising", "summarises"} <= STOP_WORDS


def test_no_form_is_spelled_by_the_wrong_rule() -> None:
    wrong = {"gived", "goed", "makeing", "admiting", "differred", "varys", "denyed", "knowed"}
    assert STOP_WORDS & wrong == set()


def test_no_word_is_written_down_twice() -> None:
    for wrapped in (stopwords._FUNCTION_WORDS, stopwords._REGULAR_VERBS):
        listed = wrapped.split()
        assert len(listed) == len(set(listed))
