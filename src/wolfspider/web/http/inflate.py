"""Content encodings undone, and never more than was asked for.

A few bytes may stand for gigabytes, and so may the bytes that these stand for. So a body is inflated in small pieces,
each handed on before the next is made, and three limits hold at every moment: the bytes that come out at the end, the
same number for what comes out in between (a chain has at most two encodings), and, for a body that is small, the ratio
of what comes out to what came in. What a frame of zstd may claim as its window, and the number of members that gzip
and zstd put in a row, are bounded too, because they cost memory and time without a byte coming out.

A stream that is torn or damaged gives what was there before the damage, as a browser shows it; `whole` tells.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import brotli

from wolfspider.core.model import Failure

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_ENCODINGS = 2
SMALL = 1 << 20  # bytes that may come out whatever the ratio
HIGHEST_RATIO = 400  # above that many bytes; what is written for readers stays below 100
_MOST_MEMBERS = 1000
_LARGEST_WINDOW = 23  # 8 MiB, the most that zstd over HTTP may ask for (RFC 9659)
_PIECE = 1 << 16  # bytes that go into a step, and about as many that come out of it
_STEP = 32  # bytes that go into a step where damage is near
_DAMAGE = (zlib.error, brotli.error, zstd.ZstdError, EOFError)
_FRAMES = frozenset((0x28, *range(0x50, 0x60)))  # how a frame of zstd begins, or one to be skipped
_GZIP = zlib.MAX_WBITS | 16


class _Stage(Protocol):
    """One encoding being undone."""

    @property
    def ended(self) -> bool:
        """Has the stream come to its own end?"""
        ...

    def pieces(self, data: bytes) -> Iterator[bytes]: ...


class _Gzip:
    """Any number of members in a row. What follows the last and is none is left alone."""

    def __init__(self) -> None:
        self.ended = False
        self._inflater = zlib.decompressobj(_GZIP)
        self._members = 1
        self._over = False  # something followed that is no member

    def pieces(self, data: bytes) -> Iterator[bytes]:
        more = bool(data) and not self._over
        while more:
            if self._inflater.eof and not self._next(data):
                return
            piece = self._inflater.decompress(data, _PIECE)
            self.ended = self._inflater.eof
            data = self._inflater.unused_data if self.ended else self._inflater.unconsumed_tail
            if piece:
                yield piece
            more = bool(data) or (len(piece) >= _PIECE and not self.ended)

    def _next(self, data: bytes) -> bool:
        if data[:1] != b"\x1f":
            self._over = True
            return False
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise EOFError
        self._inflater = zlib.decompressobj(_GZIP)
        return True


class _Deflate:
    """With its zlib head, as the standard says, or without, as some servers do."""

    def __init__(self) -> None:
        self.ended = False
        self._start = b""
        self._inflater: zlib._Decompress | None = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._inflater is None:
            data = self._start = self._start + data
            if len(data) < 2:
                return
            headed = data[0] & 15 == 8 and (data[0] << 8 | data[1]) % 31 == 0
            self._inflater = zlib.decompressobj(zlib.MAX_WBITS if headed else -zlib.MAX_WBITS)
        more = not self.ended
        while more:
            piece = self._inflater.decompress(data, _PIECE)
            data = self._inflater.unconsumed_tail
            self.ended = self._inflater.eof
            if piece:
                yield piece
            more = not self.ended and (bool(data) or len(piece) >= _PIECE)


class _Brotli:
    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()

    @property
    def ended(self) -> bool:
        return bool(self._decoder.is_finished())

    def pieces(self, data: bytes) -> Iterator[bytes]:
        more = bool(data) and not self.ended
        while more:
            piece = self._decoder.process(data, output_buffer_limit=_PIECE)
            data = b""
            if piece:
                yield piece
            more = not self.ended and (bool(piece) or not self._decoder.can_accept_more_data())


class _Zstd:
    """Any number of frames in a row. What follows the last and is none is left alone."""

    def __init__(self) -> None:
        self.ended = False
        self._frames = 0
        self._decoder = self._fresh()
        self._over = False  # something followed that is no frame

    def pieces(self, data: bytes) -> Iterator[bytes]:
        more = bool(data) and not self._over
        while more:
            if self._decoder.eof:
                if data[0] not in _FRAMES:
                    self._over = True
                    return
                self._decoder = self._fresh()
            piece = self._decoder.decompress(data, _PIECE)
            self.ended = self._decoder.eof
            data = self._decoder.unused_data if self.ended else b""
            if piece:
                yield piece
            more = bool(data) or not (self.ended or self._decoder.needs_input)

    def _fresh(self) -> zstd.ZstdDecompressor:
        self._frames += 1
        if self._frames > _MOST_MEMBERS:
            raise EOFError
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW})


_STAGES: dict[str, Callable[[], _Stage]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


class Inflater:
    """One body, fed as it comes. `full`: the limit is reached and there was more; `broken`: the stream is damaged."""

    def __init__(self, makers: Sequence[Callable[[], _Stage]], most: int, most_between: int | None = None) -> None:
        """`most`: bytes that may come out; as many may pass from one stage to the next, unless that is given."""
        self.full = False
        self.broken = False
        self._makers = makers
        self._stages = [make() for make in makers]
        self._most = most
        self._most_between = most if most_between is None else most_between
        self._raw = 0
        self._size = 0
        self._between = 0  # bytes that passed from one stage to the next

    @property
    def size(self) -> int:
        """Bytes that came out so far."""
        return self._size

    @property
    def changes(self) -> bool:
        """Is there an encoding to undo? If not, what comes out is what went in."""
        return bool(self._makers)

    def outlook(self, more: int) -> int:
        """How many bytes may come out if so many more go in."""
        return self._most_of(self._raw + more) - self._size

    @property
    def done(self) -> bool:
        """Nothing more will come out."""
        return self.full or self.broken

    @property
    def whole(self) -> bool:
        """Is all of it there, to its own end?"""
        return not self.done and (not self._raw or all(stage.ended for stage in self._stages))

    def feed(self, data: bytes) -> bytes:
        """What can be decoded with this much more of the body."""
        if self.done:
            return b""
        self._raw += len(data)
        if not self._stages:
            return self._kept(data)
        kept: list[bytes] = []
        try:
            for piece in self._through(data, 0):
                kept.append(self._kept(piece))
                if self.full:
                    break
        except _DAMAGE:
            self.broken = True
        return b"".join(kept)

    def salvaged(self, body: bytes) -> bytes:
        """All that lies before the damage in a body, to the byte, whatever pieces it was fed in. The encodings are
        undone one after the other: a byte of the outer stream may hold much of the inner one."""
        most = self._most_of(len(body))
        for place, maker in enumerate(self._makers, 1):
            body = _before_damage(maker, body, most if place == len(self._makers) else self._most_between)
        return body

    def _kept(self, piece: bytes) -> bytes:
        room = self._most_of(self._raw) - self._size
        self.full = len(piece) > room
        self._size += min(len(piece), room)
        return piece[:room] if self.full else piece

    def _most_of(self, raw: int) -> int:
        """Bytes that may come out of so many that came."""
        return min(self._most, max(SMALL, HIGHEST_RATIO * raw)) if self._makers else self._most

    def _through(self, data: bytes, place: int) -> Iterator[bytes]:
        """Small slices go in, because zlib copies what it has not come to yet."""
        stage, last = self._stages[place], place + 1 == len(self._stages)
        for start in range(0, len(data), _PIECE):
            for piece in stage.pieces(data[start : start + _PIECE]):
                if last:
                    yield piece
                    continue
                self._between += len(piece)
                if self._between > self._most_between:
                    self.full = True
                    return
                yield from self._through(piece, place + 1)


def _before_damage(maker: Callable[[], _Stage], body: bytes, most: int) -> bytes:
    """What one encoding gives before the damage: from the beginning, in steps that get smaller where the damage is.
    A checksum that is wrong at the end would else cost a short page."""
    good, kept = 0, [b""]
    for step in (_PIECE, _STEP, 1):
        again = Inflater([maker], most)
        again._raw = most  # the ratio was looked at before
        kept = [again.feed(body[:good])]
        while good < len(body) and not again.done:
            piece = again.feed(body[good : good + step])
            if not again.broken or step == 1:
                kept.append(piece)
                good += step
        if not again.broken:
            break
    return b"".join(kept)


def inflater(encoding: str, most: int, most_between: int | None = None) -> Inflater | Failure:
    """For a body with this Content-Encoding, at most so many bytes coming out."""
    if not encoding:
        return Inflater((), most)
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity", "none")]
    if len(names) > MOST_ENCODINGS:
        return Failure("encoding", f"{len(names)} encodings in a row")
    unknown = [name for name in names if name not in _STAGES]
    if unknown:
        return Failure("encoding", ascii(unknown[0][:40])[1:-1])
    return Inflater([_STAGES[name] for name in reversed(names)], most, most_between)


def inflated(body: bytes, encoding: str, most: int, most_between: int | None = None) -> tuple[bytes, bool] | Failure:
    """A whole body decoded, and whether it is cut: by the limit, or because the stream is torn or damaged."""
    undoing = inflater(encoding, most, most_between)
    if isinstance(undoing, Failure):
        return undoing
    decoded = undoing.feed(body)
    if undoing.broken:
        decoded = undoing.salvaged(body)
    if not decoded and not undoing.whole:
        return broken(encoding)
    return decoded, not undoing.whole


def broken(encoding: str) -> Failure:
    """Nothing of a body could be decoded."""
    return Failure("encoding", f"the body is no {ascii(encoding[:40])[1:-1]}")
