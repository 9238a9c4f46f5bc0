from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Fetch, Page
from wolfspider.web.page import date_words, dates
from wolfspider.web.page.dates import published
from wolfspider.web.page.html import parse

DAY = datetime(2018, 10, 29, tzinfo=UTC).timestamp()
NOW = DAY + 10 * 86_400


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    yield
    for kept in (date_words._read, date_words._reader, date_words._kind):
        kept.cache_clear()


def of(text: str, language: str = "") -> float | None:
    return published({"date": text}, [], [], "", NOW, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("29 Οκτωβρίου 2018", "el"),
        ("29 Οκτωβρίου 2018", ""),
        ("2018. október 29., hétfő", "hu-HU"),
        ("29 octombrie 2018", "ro"),
        ("29 октомври 2018 г.", "bg"),
        ("29 أكتوبر 2018", "ar"),
        ("29 Tháng 10, 2018", "vi"),
        ("29 Οκτωβρίου 2018", "en"),  # a template that names the wrong language
        ("29 Οκτωβρίου 2018", "no such language"),
        ("29 Οκτωβρίου 2018", "xx"),
    ],
)
def test_words_of_other_languages_are_read_by_the_library(text: str, language: str) -> None:
    pytest.importorskip("dateparser")
    assert dates.seconds(text) is None, "which our own table does not have"
    assert of(text, language) == DAY


@pytest.mark.parametrize(
    "text",
    [
        "hace 3 días",
        "3 days ago, 2018",
        "χθες 12:30 2018",
        "Οκτωβρίου 2018",
        "29 Οκτωβρίου",
        "Le 10/11/2018",
        "29 Οκτωβρίου 1970",
        "29 Νοεμβρίου 2018",
        "29 ตุลาคม 2561",
        "29 Οκτωβρίου 2018" + "!" * 100,
        "page 12 of 2018 pages",
        "Οκτ 2018 29 2018 29",
    ],
)
def test_what_is_no_whole_day_in_words_is_no_date(text: str) -> None:
    pytest.importorskip("dateparser")
    assert of(text) is None


def test_a_year_of_another_calendar_is_none_even_if_nobody_knows_when_the_page_was_read() -> None:
    pytest.importorskip("dateparser")
    assert published({"date": "29 ตุลาคม 2561"}, [], [], "", 0.0, "th") is None


@given(st.text(max_size=70) | st.from_regex(r"\A[0-9]{1,2} \w{1,9} [0-9]{4}.{0,20}\Z"), st.text(max_size=5))
def test_no_text_is_too_strange(text: str, language: str) -> None:
    date = of(text, language)
    assert date is None or isinstance(date, float)


def test_a_date_does_not_depend_on_what_was_read_before() -> None:
    pytest.importorskip("dateparser")
    first = of("5 mar 2018")
    for language in ("fr", "hu", "tr", "el"):
        of("29 Οκτωβρίου 2018", language)
    date_words._read.cache_clear()
    assert of("5 mar 2018") == first


def test_the_library_is_asked_last_and_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(text: str, language: str) -> float | None:
        asked.append(text)
        return None

    monkeypatch.setattr(dates, "date_in_words", counted)
    words = [f"{day} Οκτωβρίου 2018" for day in range(1, 30)]
    assert published({"date": words[0]}, [], ["2018-10-29"], "", NOW) == DAY
    assert published({"date": words[0]}, [], [], "http://h/2018/10/29/x", NOW) == DAY
    assert asked == [], "somebody else tells it"
    assert published({"date": words[0]}, [], words[1:], "", NOW) is None
    assert asked == words[: date_words.MOST_ASKED]


def test_the_language_of_a_page_is_that_of_its_dates() -> None:
    pytest.importorskip("dateparser")
    html = '<html lang="el"><head><meta name="date" content="29 Οκτωβρίου 2018"><title>x</title></head><body>x</body>'
    page = parse(Fetch("http://h/", "http://h/", 200, {"content-type": "text/html"}, html.encode(), at=NOW))
    assert isinstance(page, Page) and page.published == DAY


def test_without_the_extra_there_is_no_date(monkeypatch: pytest.MonkeyPatch) -> None:
    date_words._kind.cache_clear()
    date_words._reader.cache_clear()
    date_words._read.cache_clear()
    monkeypatch.setitem(sys.modules, "dateparser.date", None)
    assert of("29 Οκτωβρίου 2018", "el") is None
    assert of("29. Oktober 2018", "de") == DAY
