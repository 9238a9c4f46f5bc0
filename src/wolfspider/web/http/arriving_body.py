"""One body as it comes: raw, decoded, and where it ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from wolfspider.web.http.inflate import Inflater


@dataclass(slots=True)
class ArrivingBody:
    """What has come of one body: raw, decoded, and why it ends where it ends."""

    _inflater: Inflater
    _most: int  # bytes that are kept of it
    _came: bytearray = field(default_factory=bytearray)  # one block each: pieces of many bodies would lie in between
    _decoded: bytearray = field(default_factory=bytearray)
    cut: str = ""

    def take(self, chunk: bytes) -> None:
        room = self._most - self.size
        if len(chunk) > room:
            chunk, self.cut = chunk[:room], "length"
        self._came += chunk
        piece = self._inflater.feed(chunk)
        if self._inflater.changes:
            self._decoded += piece
        if self._inflater.full:
            self.cut = "length"

    @property
    def size(self) -> int:
        return len(self._came)

    @property
    def taken(self) -> int:
        """What it takes in memory."""
        return self.size + (self._inflater.size if self._inflater.changes else 0)

    def outlook(self, chunk: bytes) -> int:
        """How many bytes it may take more with this chunk."""
        return len(chunk) + (self._inflater.outlook(len(chunk)) if self._inflater.changes else 0)

    @property
    def whole(self) -> bool:
        return not self.cut and self._inflater.whole

    def ended(self) -> tuple[bytes, bytes]:
        """All of it, as it came and decoded. How much is read before a damage depends on the pieces that are decoded at
        a time, so a damaged body is decoded once more, in the way it is read from the archive."""
        raw = bytes(self._came)
        self._came.clear()
        if self._inflater.broken:
            return raw, self._inflater.salvaged(raw)
        return raw, bytes(self._decoded) if self._inflater.changes else raw[: self._inflater.size]
