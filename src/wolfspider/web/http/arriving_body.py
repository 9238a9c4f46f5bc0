"""One body as it comes: raw, decoded, and where it ends.

A body that is cut ends at the same byte in whatever pieces it came: it is decoded in blocks that are counted from its
beginning, and the limits, of which one is a ratio of what came out to what went in, are looked at after each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wolfspider.web.http.inflate import Inflater

_BLOCK = 1 << 14


@dataclass(slots=True)
class ArrivingBody:
    """What has come of one body: raw, decoded, and why it ends where it ends."""

    _inflater: Inflater
    _most: int  # bytes that are kept of it
    _came: bytearray = field(default_factory=bytearray)  # one block each: pieces of many bodies would lie in between
    _decoded: bytearray = field(default_factory=bytearray)
    _read: int = 0  # bytes of what came that have been decoded
    cut: str = ""

    def take(self, chunk: bytes) -> None:
        room = self._most - self.size
        if len(chunk) > room:
            chunk, self.cut = chunk[:room], "length"
        self._came += chunk
        self._decode(self.size - self.size % _BLOCK)

    def finish(self) -> None:
        """Nothing more comes."""
        self._decode(self.size)

    def _decode(self, end: int) -> None:
        while self._read < end and not self._inflater.full:
            block = bytes(self._came[self._read : min(self._read + _BLOCK, end)])
            self._read += len(block)
            piece = self._inflater.feed(block)
            if self._inflater.changes:
                self._decoded += piece
        if self._inflater.full:
            del self._came[self._read :]
            self.cut = "length"

    @property
    def size(self) -> int:
        return len(self._came)

    @property
    def taken(self) -> int:
        """What it takes in memory."""
        return self.size + (self._inflater.size if self._inflater.changes else 0)

    def outlook(self, chunk: bytes = b"") -> int:
        """How many bytes it may take more with this chunk, or by its end."""
        unread = self.size - self._read + len(chunk)
        return len(chunk) + (self._inflater.outlook(unread) if unread and self._inflater.changes else 0)

    @property
    def whole(self) -> bool:
        return not self.cut and self._inflater.whole

    def ended(self) -> tuple[bytes, bytes]:
        """All of it, as it came and decoded. How much is read before a damage depends on the pieces that are decoded at
        a time, so a damaged body is decoded once more, in the way it is read from the archive."""
        self.finish()
        if not self._inflater.changes:
            del self._came[self._inflater.size :]  # the two are one
        raw = bytes(self._came)
        self._came.clear()
        if self._inflater.broken:
            return raw, self._inflater.salvaged(raw)
        return raw, bytes(self._decoded) if self._inflater.changes else raw
