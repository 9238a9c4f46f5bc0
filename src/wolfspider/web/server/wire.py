"""HTTP/1.1 on the wire, as the server of webs needs it: the head of a request read, the head of an answer written.

Whoever asks may be hostile. What is no plain GET or HEAD for a path on a host gets the status of its refusal.
"""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from typing import NamedTuple

from wolfspider.web.server.replies import Reply, reason

MOST_LINE = 8 << 10  # bytes of a request line
MOST_HEAD = 32 << 10
NO_BODY = frozenset((204, 304))
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
_STEP_UP = re.compile(r"(?:^|/)(?:\.|%2e){2}(?:/|$)", re.IGNORECASE)
_TARGET = re.compile(rb"/[!-~\x80-\xff]*")
_REFUSALS = frozenset(("q=0", "q=0.0", "q=0.00", "q=0.000"))


class Request(NamedTuple):
    host: str
    path: str
    head_only: bool
    stays: bool  # the connection may be used again
    headers: dict[bytes, bytes]  # names in lower case

    def header(self, name: bytes) -> str:
        return self.headers.get(name, b"").decode("latin-1")


def read_request(head: bytes) -> Request | int:
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
    return Request(host, path, method == b"HEAD", stays, headers)


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


def reset(transport: asyncio.BaseTransport) -> None:
    """End a connection as a crashed server does: the client sees a reset, not an end."""
    plug = transport.get_extra_info("socket")
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert isinstance(transport, asyncio.WriteTransport)
    transport.abort()


def head_of(reply: Reply, body: bytes, form: str, stays: bool) -> bytes:
    lines = [b"HTTP/1.1 %d %s\r\n" % (reply.status, reason(reply.status).encode()), reply.fields]
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
