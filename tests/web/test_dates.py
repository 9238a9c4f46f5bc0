from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.web.page.dates import EARLIEST, published, seconds

DAY = datetime(2018, 10, 29, tzinfo=UTC).timestamp()
NOW = DAY + 10 * 86_400
NOON = DAY + 12 * 3600


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2018-10-29", DAY),
        ("2018/10/29", DAY),
        ("20181029", DAY),
        ("2018-10-29T12:00Z", NOON),
        ("2018-10-29 12:00:00", NOON),
        ("2018-10-29T12:00:00.123456+00:00", NOON),
        ("2018-10-29T14:00:00+0200", NOON),
        ("2018-10-29T07:30:00-04:30", NOON),
        ("  2018-10-29T12:00:60Z", NOON + 59),
        ("Mon, 29 Oct 2018 12:00:00 GMT", NOON),
        ("Mon, 29 Oct 2018 13:00:00 +0100", NOON),
        ("29 Oct 2018 12:00:00", NOON),
        ("2018-10-29T17:00:00+05", NOON),
        ("October 29, 2018", DAY),
        ("29 Oct 2018", DAY),
        ("Monday, 29 October 2018", DAY),
        ("Oct. 29, 2018 12:00 pm", NOON),
        ("October 29, 2018 at 12:00 a.m.", DAY),
        ("29 October 2018, 5:00 PM +05", NOON),
        ("1 January 2020", 1577836800),
        ("March 5, 2019 4:30 pm", 1551803400),
        ("October 32, 2018", None),
        ("October 29, 2018 13:00 pm", None),
        ("Octopus 29, 2018", None),
        ("2018-13-29", None),
        ("2018-10-29T25:00", None),
        ("2018-10-29T12:00+99:99", None),
        ("0000-00-00", None),
        ("201810291200", None),
        ("yesterday", None),
        ("29. Oktober 2018", DAY),
        ("Montag, 29. Oktober 2018, 12:00 Uhr", NOON),
        ("29 octobre 2018 à 12h00", NOON),
        ("lunes, 29 de octubre de 2018", DAY),
        ("29 de outubro de 2018 às 12:00", NOON),
        ("29 ottobre 2018", DAY),
        ("29 okt. 2018", DAY),
        ("29. lokakuuta 2018 klo 12.00", NOON),
        ("29 października 2018", DAY),
        ("29. října 2018", DAY),
        ("29 октября 2018, 12:00", NOON),
        ("29 жовтня 2018", DAY),
        ("29 Ekim 2018", DAY),
        ("1er août 2018", 1533081600),
        ("5 März 2018", 1520208000),
        ("5 ARALIK 2018", 1543968000),
        ("29.10.2018 12:00", NOON),
        ("2018年10月29日", DAY),
        ("2018년 10월 29일 12:00", NOON),
        ("32. Oktober 2018", None),
        ("29.13.2018", None),
        ("29 oktopus 2018", None),
        ("", None),
        ("9" * 1000, None),
    ],
)
def test_seconds(text: str, expected: float | None) -> None:
    assert seconds(text) == expected


@given(st.text() | st.from_regex(r"[0-9]{4}.[0-9]{2}.[0-9]{2}.*"))
def test_no_text_is_too_strange(text: str) -> None:
    date = seconds(text)
    assert date is None or isinstance(date, float)


def test_order_of_trust() -> None:
    meta = {"date": "2018-10-04", "article:published_time": "2018-10-01"}
    json = ['{"@type":"X"}', '{"a": [{"datePublished" : "2018-10-02T00:00:00Z"}]}']
    times, url = ["2018-10-03"], "http://h/2018/10/05/x"

    def day(date: float | None) -> int:
        assert date is not None
        return datetime.fromtimestamp(date, UTC).day

    assert day(published(meta, json, times, url, NOW)) == 1
    assert day(published({"date": "2018-10-04"}, json, times, url, NOW)) == 4
    assert day(published({"date": "soon"}, json, times, url, NOW)) == 2
    assert day(published({}, [], times, url, NOW)) == 5
    assert day(published({}, [], times, "http://h/x", NOW)) == 3
    assert published({}, [], [*times, "2018-10-05T09:00Z"], url, NOW) == DAY - 24 * 86_400 + 9 * 3600, "of that day"
    assert day(published({}, [], times, "http://h/1980/10/05/x", NOW)) == 3
    assert published({}, [], [], "http://h/", NOW) is None


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://h/2018/10/29/title", True),
        ("http://h/articles/2018-10-29-title/", True),
        ("http://h/title-20181029.html", True),
        ("http://h/2018-10-29", True),
        ("http://h/2018/10/", False),
        ("http://h/12018/10/299", False),
        ("http://h/2018/13/29/", False),
        ("http://h/20181029123456", False),
    ],
)
def test_dates_in_addresses(url: str, found: bool) -> None:
    assert published({}, [], [], url, NOW) == (DAY if found else None)


def test_unbelievable_dates_are_passed_over() -> None:
    assert published({"date": "1970-01-01", "pubdate": "2018-10-29"}, [], [], "", NOW) == DAY
    assert published({"date": "1989-12-31"}, [], [], "", NOW) is None
    assert published({"date": "2018-11-10"}, [], [], "", NOW) == DAY + 12 * 86_400
    assert published({"date": "2018-11-11"}, [], [], "", NOW) is None
    assert published({"date": "2018-11-11"}, [], [], "", 0.0) == DAY + 13 * 86_400
    assert seconds("1990-01-01") == EARLIEST


def test_deep_json_is_only_searched() -> None:
    deep = '{"a":' * 100_000 + '{"datePublished":"2018-10-29"'
    assert published({}, [deep], [], "", NOW) == DAY
