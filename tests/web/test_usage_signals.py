"""What pages say about text and data mining."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.web.page.usage_signals import SIGNALS, usage_signals


def test_headers_and_meta_tags_are_read_and_a_header_counts_first() -> None:
    html = '<meta name="TDM-Reservation" content=" 1 "><meta name=tdm-policy content="https://a.test/policy">'
    assert usage_signals({}, html) == {"tdm-reservation": "1", "tdm-policy": "https://a.test/policy"}
    told = usage_signals({"tdm-reservation": "0", "content-usage": "train-ai=n"}, html)
    assert told == {"tdm-reservation": "0", "content-usage": "train-ai=n", "tdm-policy": "https://a.test/policy"}


def test_a_page_that_writes_about_them_says_nothing() -> None:
    assert usage_signals({}, "<p>The header tdm-reservation is new.</p><!-- <meta name=tdm-policy content=x> -->") == {}


@given(st.text(), st.dictionaries(st.sampled_from(SIGNALS), st.text()))
def test_whatever_a_page_holds_the_answer_is_short_text(html: str, headers: dict[str, str]) -> None:
    told = usage_signals(headers, f"<meta name=content-usage content='{html}'>{html}")
    assert set(told) <= set(SIGNALS) and all(len(value) <= 1_000 for value in told.values())
