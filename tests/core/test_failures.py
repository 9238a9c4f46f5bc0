"""Failures as people are told of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.failures import KINDS, MEANINGS, counted, in_words
from wolfspider.core.model import FAILURES, Failure


def test_every_failure_has_a_meaning_for_people() -> None:
    assert set(MEANINGS) == set(FAILURES)
    assert all(in_words(Failure(kind)) != kind for kind in FAILURES)


def test_every_failure_is_documented_in_these_words() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
    rows = [f"| `{kind}` | {phrase} | {meaning} |" for kind, (phrase, meaning) in KINDS.items()]
    assert [row for row in rows if row not in docs.splitlines()] == []


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (Failure("status", "404"), "404 Not Found"),
        (Failure("status", "503"), "503 Service Unavailable"),
        (Failure("status", "799"), "status 799"),
        (Failure("status", "304 for a page that is not at hand"), "304 Not Modified"),
        (Failure("status", "odd"), "error status"),
        (Failure("connect", "connection refused"), "connection refused"),
        (Failure("connect", ""), "no connection"),
        (Failure("dns", "no such name"), "no such name"),
        (Failure("tls", "the certificate has expired"), "the certificate has expired"),
        (Failure("robots", "disallowed by robots.txt"), "disallowed by robots.txt"),
        (Failure("timeout", "no answer within 30 s"), "no answer in time"),
        (Failure("type", "text/css"), "not a readable page"),
        (
            Failure("waiting", "robots.txt of a.test: connection refused"),
            "robots.txt could not be read (connection refused)",
        ),
        (
            Failure("waiting", "robots.txt of a.test: 503, asked for again later"),
            "robots.txt could not be read (503 Service Unavailable)",
        ),
        (Failure("waiting", "a.test is left alone for 71 s more"), "host left alone for now"),
        (Failure("excluded", "led to http://b.test/"), "out of scope"),
        (Failure("something new", ""), "something new"),
    ],
)
def test_a_failure_in_words(failure: Failure, words: str) -> None:
    assert in_words(failure) == words


def test_counts_are_told_largest_first_and_bounded() -> None:
    failures = {"a": 3, "404 Not Found": 1319, "b": 2, "connection refused": 12, "c": 1, "d": 3}
    assert counted(failures) == "1,319 x 404 Not Found, 12 x connection refused, 3 x a, 3 x d, 3 others"
    assert counted(failures, 5).endswith("2 x b, 1 other") and counted({"a": 1}) == "1 x a" and counted({}) == ""


@given(st.sampled_from(FAILURES), st.text(max_size=20))
def test_no_detail_is_too_strange(kind: str, detail: str) -> None:
    assert in_words(Failure(kind, detail))
