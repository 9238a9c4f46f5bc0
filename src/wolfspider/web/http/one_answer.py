"""A connection that hears one answer for each request, and not a byte more, however the bytes are cut into reads.

aiohttp's parser takes what one read brought in one go. Where that is a whole answer and something behind it (a
Content-Length a few bytes too short), it finds the second thing wrong and forgets the first, so that the same answer is
a page or none, as the network pleases. Here a head is parsed before anything that follows it, a body ends where its
head says (browsers cut it there, too), and what comes behind the end is dropped together with the connection, so that
it never becomes the next answer. A body that breaks the rules of its transfer ends there; what came before is kept, and
so it is where the connection is torn.
"""

from __future__ import annotations

import re
from typing import Any

from wolfspider.web.http.http_library import RawResponseMessage, ResponseHandler, aiohttp

_NO_BREAK = re.compile(rb"[^\r\n]")
_AT_START = re.compile(rb"\r?\n")  # of a read: perhaps the end of an empty line that began in the one before
_EMPTY_LINE = re.compile(rb"\n\r?\n")


class OneAnswer(ResponseHandler):
    _head = True  # is the answer's head still to come, or to end?
    _begun = False  # has some of a head come?
    _left: int | None = 0  # bytes of the body to come; None: it ends with its last chunk, or with the connection
    _body: aiohttp.StreamReader | None = None
    _ends = False  # did the last read end where a chunked body may end, after an empty line?

    def set_response_params(self, **params: Any) -> None:
        """A request goes out: what comes from now on is its answer."""
        self._head, self._begun, self._left, self._body = True, False, 0, None
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        if self._parser is None or self._upgraded:
            return super().data_received(data)  # nothing was asked for, or it is no longer HTTP
        start = self._take_head(data) if self._head else 0
        if not self._head and (start < len(data) or not data):
            self._take_body(data[start:])
        return None

    def feed_data(self, data: tuple[RawResponseMessage, aiohttp.StreamReader], size: int = 0) -> None:
        """A head has been read. Only the first one is given to what waits for the answer."""
        message, body = data
        if not self._head:
            return self.force_close()
        super().feed_data(data, size)
        self._begun = False
        if not 100 <= message.code < 200 or message.code == 101:
            self._head, self._body = False, body
            self._left = 0 if body.is_eof() else _length(message)
        return None

    def connection_lost(self, exc: BaseException | None) -> None:
        """A body that ends with its connection has ended only if the server closed it: what was torn is not all."""
        if exc is not None and self._left is None and self._body is not None and not self._body.is_eof():
            self._body.set_exception(aiohttp.ClientPayloadError("The connection was lost."))
        super().connection_lost(exc)

    def _take_head(self, data: bytes) -> int:
        """Where in this read the head ended."""
        start = 0
        while self._head and start < len(data) and self._exception is None:
            if not self._begun:
                first = _NO_BREAK.search(data, start)
                start = first.start() if first else len(data)
            found = (None if start else _AT_START.match(data)) or _EMPTY_LINE.search(data, max(start - 1, 0))
            end = found.end() if found else len(data)
            if start < end:
                self._begun = True
                super().data_received(data[start:end])
            start = end
        return start

    def _take_body(self, data: bytes) -> None:
        kept = data if self._left is None else data[: self._left]
        surplus = len(kept) < len(data)
        if self._left is not None:
            self._left -= len(kept)
        elif data:
            self._ends = data in (b"\n", b"\r\n") or data.endswith((b"\n\n", b"\n\r\n"))
        if surplus:
            self.force_close()
        if kept or not data:
            super().data_received(kept)
        self._look_at_the_end()

    def _look_at_the_end(self) -> None:
        body = self._body
        if body is None:
            return
        if not body.is_eof():
            if self._exception is not None and body.exception() is None:
                body.set_exception(aiohttp.ClientPayloadError("The body breaks the rules of its transfer."))
            return
        if self._left is None:
            self._left = 0
            if not self._ends:
                self.force_close()
        if self._should_close and self.transport is not None:
            self.transport.close()


def _length(message: RawResponseMessage) -> int | None:
    """The bytes that a body has by its head. The parser has looked at the number."""
    said = message.headers.get("Content-Length")
    return None if message.chunked or said is None else int(said)


def unread(content: aiohttp.StreamReader) -> bytes:
    """What had come before a connection broke and nobody had read: aiohttp itself then tells of the error alone."""
    return content._read_nowait(-1)
