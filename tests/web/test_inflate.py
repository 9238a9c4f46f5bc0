"""Encodings come undone exactly, torn ones as far as they go, and no bomb gets past the limit or into memory."""

from __future__ import annotations

import gzip
import itertools
import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache, partial

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core.model import Failure
from wolfspider.store.page_reader import LARGEST
from wolfspider.web.http.inflate import HIGHEST_RATIO, SMALL, Inflater, inflated, inflater

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST = 10_000_000
TEXT = b"".join(b"<p>the %d. line of a page like any other</p>\n" % n for n in range(4000))


def raw_deflate(data: bytes) -> bytes:
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return squeezer.compress(data) + squeezer.flush()


Encode = Callable[[bytes], bytes]
ENCODERS: list[tuple[str, Encode]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", partial(brotli.compress, quality=5)),
    ("zstd", zstd.compress),
    ("identity", bytes),
    ("", bytes),
]
COMPRESSED = [pair for pair in ENCODERS if pair[1] is not bytes]
MANY = ["gzip", "deflate", "raw deflate", "br", "zstd"]
each_encoding = pytest.mark.parametrize(("name", "encode"), ENCODERS)
each_compression = pytest.mark.parametrize(("name", "encode"), COMPRESSED)


def undoing(encoding: str, most: int = MOST) -> Inflater:
    made = inflater(encoding, most)
    assert isinstance(made, Inflater)
    return made


@each_encoding
def test_a_body_comes_back_as_it_was(name: str, encode: Encode) -> None:
    assert inflated(encode(TEXT), name, MOST) == (TEXT, False)
    assert inflated(encode(b""), name.upper(), MOST) == (b"", False)


@each_encoding
@given(data=st.binary(max_size=3000), step=st.integers(1, 200))
def test_it_comes_back_in_whatever_pieces_it_came(name: str, encode: Encode, data: bytes, step: int) -> None:
    body, stream = encode(data), undoing(name)
    assert b"".join(stream.feed(body[at : at + step]) for at in range(0, len(body), step)) == data
    assert stream.whole


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "br, gzip"])
@given(junk=st.binary(max_size=300))
def test_garbage_is_a_failure_or_a_cut_body_never_an_exception(name: str, junk: bytes) -> None:
    result = inflated(junk, name, 10_000)
    assert isinstance(result, Failure) or len(result[0]) <= 10_000


@each_compression
@given(at=st.integers(0, 200), byte=st.integers(1, 255))
def test_a_flipped_byte_never_raises(name: str, encode: Encode, at: int, byte: int) -> None:
    body = bytearray(encode(TEXT[:5000]))
    body[at % len(body)] ^= byte
    result = inflated(bytes(body), name, MOST)
    assert isinstance(result, Failure) or len(result[0]) <= MOST


@each_compression
def test_a_torn_body_gives_what_was_there_and_says_so(name: str, encode: Encode) -> None:
    noise = b"".join(zlib.crc32(b"%d" % n).to_bytes(4) for n in range(100_000))
    body = encode(noise)
    decoded, cut = inflated(body[: len(body) // 2], name, MOST)
    assert cut and noise.startswith(decoded) and len(decoded) > 50_000
    torn = inflated(body[:1], name, MOST)
    assert isinstance(torn, Failure) and torn.kind == "encoding"


def test_a_wrong_checksum_at_the_end_does_not_cost_a_short_page() -> None:
    noise = b"".join(zlib.crc32(b"%d" % n).to_bytes(4) for n in range(2000))
    for name, body in (("gzip", gzip.compress(noise)), ("deflate", zlib.compress(noise))):
        decoded, cut = inflated(body[:-4] + b"\0\1\2\3", name, MOST)
        assert cut and decoded == noise


@each_compression
@given(at=st.integers(0, 20_000), byte=st.integers(1, 255), step=st.integers(1, 20_000))
def test_whatever_pieces_a_damaged_body_came_in_all_that_was_read_is_found_again(
    name: str, encode: Encode, at: int, byte: int, step: int
) -> None:
    body = bytearray(encode(b"".join(b"%x " % zlib.crc32(b"%d" % n) for n in range(4000))))
    body[at % len(body)] ^= byte
    stream = undoing(name)
    came = b"".join(stream.feed(bytes(body[place : place + step])) for place in range(0, len(body), step))
    again = inflated(bytes(body), name, MOST)
    assert came == b"" if isinstance(again, Failure) else again[0].startswith(came)


CHAINS = [*itertools.product(MANY, MANY)]
BODY = b"".join(b"%x " % zlib.crc32(b"%d" % n) for n in range(6000)) + bytes(30_000) + TEXT[:20_000]


@cache
def chained(inner: str, outer: str) -> bytes:
    """A body in two encodings, the first of which has a field of zeros, so that much of it comes in a few bytes."""
    encoders = {"raw deflate": raw_deflate, **dict(reversed(COMPRESSED))}
    packed = encoders[inner](BODY)
    if inner == "gzip":
        packed = packed[:3] + b"\x04" + packed[4:10] + (20_000).to_bytes(2, "little") + bytes(20_000) + packed[10:]
    return encoders[outer](packed)


def fed(stream: Inflater, body: bytes, step: int) -> tuple[bytes, bytes]:
    """As a client reads it, in pieces of that size until the limit: what came, and what is made of it."""
    decoded, at = [b""], 0
    while at < len(body) and not stream.full:
        decoded.append(stream.feed(body[at : at + step]))
        at += step
    return body[:at], stream.salvaged(body[:at]) if stream.broken else b"".join(decoded)


@pytest.mark.parametrize(("inner", "outer"), CHAINS)
@given(
    at=st.integers(0, 200_000),
    byte=st.integers(0, 255),
    deep=st.booleans(),
    step=st.sampled_from([1, 37, 1460, 65_536, 1_000_000]) | st.integers(1, 70_000),
    most=st.integers(1, len(BODY) + 1000),
)
@settings(max_examples=25)
def test_a_body_in_two_encodings_is_read_from_the_archive_as_it_came_whatever_was_wrong_with_it(
    inner: str, outer: str, at: int, byte: int, deep: bool, step: int, most: int
) -> None:
    """Damaged in the outer stream or in the inner one, before or behind the limit."""
    encoding = f"{inner}, {outer}".replace("raw ", "")
    body = bytearray(chained(inner, outer))
    if deep:
        body = bytearray(inflated(bytes(body), outer.removeprefix("raw "), MOST)[0])
    body[at % len(body)] ^= byte
    packed = {"raw deflate": raw_deflate, **dict(reversed(COMPRESSED))}[outer](body) if deep else bytes(body)
    raw, came = fed(undoing(encoding, most), packed, step)
    again = inflated(raw, encoding, len(came), max(len(came), LARGEST))
    assert came == (b"" if isinstance(again, Failure) else again[0])


@pytest.mark.parametrize(("name", "encode"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
@pytest.mark.parametrize("garbage", [b"X", b"\n"])  # a frame of zstd that is to be skipped may begin with an X
def test_behind_something_that_is_no_member_nothing_is_read_whatever_pieces_it_came_in(
    name: str, encode: Encode, garbage: bytes
) -> None:
    first, second = encode(TEXT[:500]) + garbage, encode(TEXT[500:1000])
    for step in (1, 7, len(first), 1_000_000):
        stream = undoing(name)
        assert fed(stream, first + second, step)[1] == TEXT[:500]
        assert inflated(first + second, name, MOST) == (TEXT[:500], not stream.whole)


def test_a_damaged_body_has_no_more_than_the_ratio_allows_live_and_from_the_archive() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = packer.compress(bytes(HIGHEST_RATIO * 4000)) + packer.flush(zlib.Z_FULL_FLUSH)
    body += b"\x07" * (4000 - 50 - len(body))  # no kind of block: the damage
    assert len(body) * HIGHEST_RATIO > SMALL
    for step in (100, 1460, 65_536):
        raw, came = fed(undoing("gzip"), body, step)
        assert inflated(raw, "gzip", len(came), LARGEST)[0] == came
        assert len(came) <= max(SMALL, HIGHEST_RATIO * len(raw))


@each_encoding
def test_the_limit_is_exact(name: str, encode: Encode) -> None:
    body = encode(TEXT[:5000])
    assert inflated(body, name, 5000) == (TEXT[:5000], False)
    assert inflated(body, name, 4999) == (TEXT[:4999], True)


def test_several_members_and_frames_are_one_body() -> None:
    parts = [TEXT[at : at + 5000] for at in range(0, 100_000, 5000)]
    for name, encode in (("gzip", gzip.compress), ("zstd", zstd.compress)):
        assert inflated(b"".join(map(encode, parts)), name, MOST) == (TEXT[:100_000], False)


@pytest.mark.parametrize(("name", "encode"), [pair for pair in COMPRESSED if pair[0] != "br"])
def test_what_follows_the_end_and_is_none_of_it_is_left_alone(name: str, encode: Encode) -> None:
    for rest in (b"\0" * 100, b"<!-- served in 3 ms -->"):
        assert inflated(encode(TEXT) + rest, name, MOST) == (TEXT, False)


def test_two_encodings_are_undone_the_last_first() -> None:
    assert inflated(gzip.compress(brotli.compress(TEXT)), "br, gzip", MOST) == (TEXT, False)
    assert inflated(gzip.compress(gzip.compress(TEXT)), "gzip,identity ,gzip", MOST) == (TEXT, False)


@pytest.mark.parametrize("name", ["compress", "gzip, br, zstd", "deflate\r\nX: y", "utf-8", "gzip;q=1", "\x1b[2J"])
def test_an_unknown_encoding_or_a_long_chain_has_a_name(name: str) -> None:
    result = inflated(b"abc", name, MOST)
    assert isinstance(result, Failure) and result.kind == "encoding"
    assert result.detail.isprintable() and len(result.detail) < 100


@cache
def zeros(name: str, size: int) -> bytes:
    """A bomb: so many zeros, squeezed as hard as the encoding can without taking long."""
    block = 1 << 22
    if name in ("br", "zstd"):
        squeezer = brotli.Compressor(quality=1) if name == "br" else zstd.ZstdCompressor(level=1)
        feed = squeezer.process if name == "br" else squeezer.compress
        end = squeezer.finish if name == "br" else squeezer.flush
        return b"".join([*(feed(bytes(block)) for _ in range(size // block)), end()])
    bits = {"gzip": 31, "deflate": 15, "raw deflate": -15}[name]
    packer = zlib.compressobj(1, zlib.DEFLATED, bits)
    return b"".join([*(packer.compress(bytes(block)) for _ in range(size // block)), packer.flush()])


@pytest.mark.parametrize("name", MANY)
def test_a_decompression_bomb_stops_at_the_limit_and_never_fills_memory(name: str) -> None:
    bomb = zeros(name, 1 << 27)
    tracemalloc.start()
    try:
        decoded, cut = inflated(bomb, name.removeprefix("raw "), MOST)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert cut and len(decoded) <= MOST and not any(decoded[:100])
    assert peak < 4 * MOST


@pytest.mark.parametrize("name", MANY)
def test_a_tiny_body_that_stands_for_millions_stops_at_the_ratio(name: str) -> None:
    bomb = zeros(name, 1 << 23)[:100]
    decoded, cut = inflated(bomb, name.removeprefix("raw "), MOST)
    assert cut and len(decoded) <= max(SMALL, HIGHEST_RATIO * len(bomb))


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_chain_of_bombs_stops_between_its_encodings(name: str) -> None:
    """The outer stream gives much, of which the inner one makes nothing at all."""
    encoders = dict(COMPRESSED)
    nested = encoders[name](zeros(name, 1 << 27))
    assert len(inflated(nested, f"{name}, {name}", MOST)[0]) <= MOST
    began = time.process_time()
    empty = gzip.compress(b"")
    nothing = inflated(encoders[name](empty * 600_000), f"gzip, {name}", MOST)
    assert isinstance(nothing, Failure)
    assert time.process_time() - began < 30


def test_a_thousand_members_in_a_row_are_enough() -> None:
    for name, empty in (("gzip", gzip.compress(b"")), ("zstd", zstd.compress(b""))):
        first = {"gzip": gzip.compress, "zstd": zstd.compress}[name](b"first")
        assert inflated(first + empty * 100_000, name, MOST) == (b"first", True)


def test_a_zstd_frame_that_claims_a_huge_window_is_refused() -> None:
    window = (31 - 10) << 3  # two gigabytes, in the descriptor of a frame
    frame = b"\x28\xb5\x2f\xfd" + bytes([0x00, window]) + b"\x01\x00\x00"
    assert isinstance(inflated(frame, "zstd", MOST), Failure)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_ten_gigabytes_in_ten_megabytes_leave_the_process_small(name: str) -> None:
    """What the allocators of the libraries hold is seen by the system only, so another process is measured."""
    program = f"""
import resource, sys
sys.path.insert(0, {str(__file__.rpartition("/")[0])!r})
from test_inflate import zeros
from wolfspider.web.http.inflate import inflater
block = zeros({name!r}, 1 << 28)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
repeated = {name!r} in ("gzip", "zstd")
for most in (10_000_000, 1 << 40):
    stream, size = inflater({name.removeprefix("raw ")!r}, most), 0
    for _ in range(40 if repeated else 1):
        for at in range(0, len(block), 1 << 12):
            size += len(stream.feed(block[at:at + (1 << 12)]))
    print(size, stream.full)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    limited, unlimited, grown = done.stdout.splitlines()
    assert limited == "10000000 True" or int(limited.split()[0]) <= 10_000_000
    assert int(unlimited.split()[0]) > 0
    assert int(grown) < 60_000  # KiB
