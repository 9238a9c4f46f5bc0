"""HTTP/1.1 on the wire, as the server of webs speaks it: one connection, its requests read and its answers written.

A client may be hostile. A request that is no plain GET or HEAD for a path on a host gets the status of its refusal.
"""

from __future__ import annotations

import asyncio
import re
import socket
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from wolfspider.web.server.replies import REASONS, Reply, plain_reply

if TYPE_CHECKING:
    from wolfspider.web.server.serve import Served

MOST_LINE = 8 << 10  # bytes of a request line
MOST_HEAD = 32 << 10
NO_BODY = frozenset((204, 304))
_STEP = 0.05  # seconds between two pieces of a body that is sent slowly
_FAREWELL = 1.0  # seconds for which a refused client is still heard
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
_STEP_UP = re.compile(r"(?:^|/)(?:\.|%2e){2}(?:/|$)", re.IGNORECASE)
_TARGET = re.compile(rb"/[!-~\x80-\xff]*")
_REFUSALS = frozenset(("q=0", "q=0.0", "q=0.00", "q=0.000"))


class LoggedRequest(NamedTuple):
    """One request, and what became of it."""

    host: str  # "" for a request that was refused
    path: str  # with the query
    arrived: float
    ended: float
    status: int  # 0 if there was no answer
    agent: str
    whole: bool  # was all of the answer handed to the network?
    fault: str  # of Faults, by name


class RequestHead(NamedTuple):
    host: str
    path: str
    head_only: bool
    stays: bool  # the connection may be used again
    headers: dict[bytes, bytes]  # names in lower case

    def header(self, name: bytes) -> str:
        return self.headers.get(name, b"").decode("latin-1")


def read_request(head: bytes) -> RequestHead | int:
    """What is asked for, or the status of the refusal."""
    line, *rest = head.split(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/"):
        return 400
    method, target, version = words
    if method not in (b"GET", b"HEAD"):
        return 405 if method.isalpha() else 400
    if version not in (b"HTTP/1.1", b"HTTP/1.0"):
        return 505
    headers = _headers(rest)
    if len(target) > MOST_LINE:
        return 414
    if headers is None or _TARGET.fullmatch(target) is None or b"#" in target:
        return 400
    if headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers:
        return 400
    host = headers.get(b"host", b"").decode("latin-1").lower().removesuffix(":80")
    path = target.decode("utf-8", "replace")
    if len(host) > 255 or _HOST.fullmatch(host) is None or _STEP_UP.search(path.partition("?")[0]):
        return 400
    wish = headers.get(b"connection", b"").lower()
    stays = b"close" not in wish and (version == b"HTTP/1.1" or b"keep-alive" in wish)
    return RequestHead(host, path, method == b"HEAD", stays, headers)


def _headers(lines: list[bytes]) -> dict[bytes, bytes] | None:
    """By name in lower case; None if a line is no header, or two say where to go."""
    headers: dict[bytes, bytes] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        name = name.lower()
        if not colon or not name or name.strip() != name or b"\0" in value or b"\n" in value or b"\r" in value:
            return None
        if name == b"host" and name in headers:
            return None
        headers[name] = value.strip()
    return headers


def accepts(text: str) -> frozenset[str]:
    """The encodings that an Accept-Encoding names and does not refuse."""
    named = (piece.partition(";") for piece in text.lower().split(","))
    return frozenset(name.strip() for name, _, weight in named if weight.replace(" ", "") not in _REFUSALS)


def head_of(reply: Reply, body: bytes, form: str, stays: bool) -> bytes:
    reason = REASONS.get(reply.status, "Unknown")
    lines = [b"HTTP/1.1 %d %s\r\n" % (reply.status, reason.encode()), reply.fields]
    if reply.status not in NO_BODY:
        lines.append(b"content-length: %d\r\n" % len(body))
    if reply.etag:
        lines.append(b"etag: %s\r\nvary: accept-encoding\r\n" % reply.etag)
    if form:
        lines.append(b"content-encoding: %s\r\n" % form.encode())
    if reply.status == 405:
        lines.append(b"allow: GET, HEAD\r\n")
    lines.append(b"\r\n" if stays else b"connection: close\r\n\r\n")
    return b"".join(lines)


class Connection(asyncio.Protocol):
    """One client: its requests one after another, each answered before the next is read."""

    transport: asyncio.Transport

    def __init__(self, served: Served) -> None:
        self.served = served
        self.buffer = bytearray()
        self.asked: RequestHead | None = None  # what is being answered
        # An answer ends when its last piece is handed over, so `sent` is taken just before: a client may be quick.
        self.heard = self.arrived = self.sent = time.monotonic()
        self.status, self.fault = 0, ""
        self.stalled = False  # the client does not read what it was sent
        self.refused = False  # nothing it says is listened to any more
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.served.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.served.connections.discard(self)
        if self.timer is not None:
            self.timer.cancel()
        self._done(whole=False)

    def pause_writing(self) -> None:
        self.stalled = True

    def resume_writing(self) -> None:
        self.stalled = False
        self._go_on()

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        self.heard = time.monotonic()
        self.buffer += data
        self._go_on()
        if len(self.buffer) > MOST_HEAD and not self.transport.is_closing():
            self.transport.pause_reading()

    def _go_on(self) -> None:
        """Answer what has been asked for, as far as it can be answered at once."""
        while self.asked is None and not (self.stalled or self.refused or self.transport.is_closing()):
            head = self._head()
            if head is None:
                break
            request = read_request(head)
            if isinstance(request, int):
                self._refuse(request)
            else:
                self._begin(request)
        if len(self.buffer) <= MOST_HEAD and not self.transport.is_closing():
            self.transport.resume_reading()

    def _head(self) -> bytes | None:
        """The next request, if all of it is there."""
        while self.buffer.startswith(b"\r\n"):
            del self.buffer[:2]
        end = self.buffer.find(b"\r\n\r\n", 0, MOST_HEAD + 4)
        if end < 0:
            if len(self.buffer) > MOST_LINE and self.buffer.find(b"\r\n", 0, MOST_LINE) < 0:
                self._refuse(414)
            elif len(self.buffer) > MOST_HEAD:
                self._refuse(431)
            return None
        head = bytes(self.buffer[:end])
        del self.buffer[: end + 4]
        return head

    def _refuse(self, status: int) -> None:
        """What is still on its way is heard out for a moment: to hang up on it would tear the refusal away as well."""
        now = time.monotonic()
        reply = plain_reply(status)
        self.refused = True
        self.buffer.clear()
        self.transport.write(head_of(reply, reply.body, "", stays=False) + reply.body)
        self.transport.write_eof()
        self._later(_FAREWELL, self.transport.abort)
        self.served.leaves(LoggedRequest("", "", now, now, status, "", True, ""))

    def _begin(self, request: RequestHead) -> None:
        self.asked, self.status, self.fault = request, 0, ""
        self.arrived = time.monotonic()
        self.served.enters(request.host)
        latency = self.served.latency(request.host)
        if latency > 0:
            self._later(latency, self._answer, request)
        else:
            self._answer(request)

    def _answer(self, request: RequestHead) -> None:
        url = f"http://{request.host}{request.path}"
        self.fault = self.served.fault(url)
        if self.fault == "resets":
            # As a crashed server does: the client sees a reset, not an end.
            plug = self.transport.get_extra_info("socket")
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
            return
        reply = self.served.reply(url, self.fault)
        if reply.silence:
            self._later(reply.silence / (self.served.manner.speed or 1.0), self.transport.abort)
            return
        if reply.unchanged(request.header(b"if-none-match"), request.header(b"if-modified-since")):
            reply = Reply(304, reply.fields, etag=reply.etag)
        body, form = self.served.coded(url, reply, request.header(b"accept-encoding"))
        self.status = reply.status
        head = head_of(reply, body, form, request.stays and self.fault != "cut")
        self._send(head, b"" if request.head_only or reply.status in NO_BODY else body)

    def _send(self, head: bytes, body: bytes) -> None:
        rate = self.served.faults.slow_rate if self.fault == "slow" else self.served.manner.rate
        if self.fault == "cut":
            body = body[: len(body) // 2]
        if rate and body:
            self.transport.write(head)
            self._trickle(memoryview(body), rate)
        else:
            self.sent = time.monotonic()
            self.transport.write(head + body)  # in Python 3.12, writelines would never call pause_writing
            self._done()

    def _trickle(self, rest: memoryview, rate: float) -> None:
        pause = max(_STEP, 1 / rate)
        size = max(1, round(rate * pause))
        if not self.stalled:
            self.sent = time.monotonic()
            self.transport.write(rest[:size])
            rest = rest[size:]
        if rest:
            self._later(pause, self._trickle, rest, rate)
        else:
            self._done()

    def _done(self, whole: bool = True) -> None:
        """Write the request down and be ready for the next."""
        request, self.asked = self.asked, None
        if request is None:
            return
        self.heard = time.monotonic()
        ended = self.sent if self.sent >= self.arrived else self.heard
        whole = whole and self.fault != "cut"
        facts = (self.arrived, ended, self.status, request.header(b"user-agent")[:500], whole, self.fault)
        self.served.leaves(LoggedRequest(request.host, request.path, *facts))
        if not request.stays or not whole:
            self.transport.close()

    def _later(self, seconds: float, call: Callable[..., None], *arguments: object) -> None:
        def now() -> None:
            self.timer = None
            call(*arguments)
            if self.asked is None:
                self._go_on()

        self.timer = asyncio.get_running_loop().call_later(seconds, now)
