"""A body is the same in whatever pieces it arrives."""

from __future__ import annotations

import gzip
import random
import zlib
from itertools import cycle

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everything import LONG, SHORT, damaged
from wolfspider.core.model import Failure
from wolfspider.web.http.arriving_body import ArrivingBody
from wolfspider.web.http.inflate import inflated, inflater

NOISE = random.Random(1).randbytes(60_000)
BODIES = {
    "plain": ("", NOISE),
    "gzip": ("gzip", gzip.compress(NOISE + bytes(60_000))),
    "bomb": ("gzip", gzip.compress(b"<p>spiders hunt " + b" " * (1 << 23))),
    "bomb in two": ("gzip, gzip", gzip.compress(gzip.compress(b" " * (1 << 23)))),
    "bomb behind noise": ("deflate", zlib.compress(NOISE + b" " * (1 << 23))),
    "br": ("br", brotli.compress(NOISE + b" " * (1 << 22))),
    "short": ("gzip", SHORT),
    "damaged": ("gzip", damaged(LONG, 70_100)),
    "damaged at its end": ("gzip", damaged(SHORT, len(SHORT) - 6)),
    "cut": ("gzip", LONG[:50_000]),
    "garbage": ("gzip", NOISE),
    "more than is kept": ("", NOISE * 3),
}


def arrived(encoding: str, body: bytes, most: int, sizes: list[int]) -> tuple[bytes, bytes, str, bool]:
    undoing = inflater(encoding, most)
    assert not isinstance(undoing, Failure)
    arriving, start = ArrivingBody(undoing, 100_000), 0
    for size in cycle(sizes):
        if start >= len(body) or arriving.cut:
            break
        arriving.take(body[start : start + size])
        start += size
    raw, decoded = arriving.ended()
    return raw, decoded, arriving.cut, arriving.whole


@pytest.mark.parametrize("name", BODIES)
@settings(max_examples=8, deadline=None)
@given(
    sizes=st.lists(st.one_of(st.integers(1, 50), st.integers(1000, 200_000)), min_size=1, max_size=5),
    most=st.sampled_from([1000, 20_000, 10_000_000]),
)
def test_a_body_is_the_same_in_whatever_pieces_it_arrives(name: str, sizes: list[int], most: int) -> None:
    encoding, body = BODIES[name]
    found = arrived(encoding, body, most, sizes)
    assert found == arrived(encoding, body, most, [len(body)])
    if found[1]:  # and so it is when it is read from the archive
        assert inflated(found[0], encoding, most) == (found[1], not found[3]) or not encoding
