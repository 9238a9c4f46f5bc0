"""One request without a body over a connection of the guard: its head is written at once, and what comes is a head and
a stream.

aiohttp's session looks at cookies, proxies, passwords, redirects and middlewares with each request. A crawl has none of
them, and they took longer than all the rest of a request. Its connector, parser and streams are used as they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache

import yarl

from wolfspider.web.http.connections import FewConnections
from wolfspider.web.http.guard import Target
from wolfspider.web.http.http_library import RawResponseMessage, ResponseHandler, aiohttp

_LONGEST_LINE = 16_384  # of a head: a long cookie that we ignore is no reason to lose a page
_MOST_HEADERS = 200
_CHUNK = 1 << 17
_ORIGINS = 256  # of which it is remembered how a connection is asked for

Headers = tuple[tuple[str, str], ...]


class Arriving:
    """An answer whose head is here. Its connection goes back when its body has ended."""

    __slots__ = ("_connection", "asked", "content", "message", "peer")

    def __init__(
        self, connection: aiohttp.connector.Connection, asked: Headers, message: RawResponseMessage, peer: str
    ) -> None:
        self._connection, self.asked, self.message, self.peer = connection, asked, message, peer

    @property
    def status(self) -> int:
        return self.message.code

    def begin(self, content: aiohttp.StreamReader) -> None:
        self.content = content
        content.on_eof(self._ended)

    def _ended(self) -> None:
        protocol = self._connection.protocol
        if protocol is not None and not protocol.upgraded:
            self._connection.release()

    def close(self) -> None:
        """Whatever is still to come is not wanted."""
        self._connection.close()


class Sender:
    """To be made inside a running loop. `usual`: headers of every request; `connect`: seconds until there must be a
    connection."""

    def __init__(self, connector: FewConnections, usual: Mapping[str, str], connect: float) -> None:
        self._connector = connector
        self._usual = tuple(usual.items())
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect)
        self._to = lru_cache(_ORIGINS)(_to)

    async def get(
        self, target: Target, headers: Mapping[str, str] | None, via: tuple[str, int] | None = None
    ) -> Arriving:
        """`via`: where the one server is that answers for every address."""
        to = self._to("http", *via) if via is not None else self._to(target.scheme, target.host, target.port)
        asked = self._asked(target.authority if via is not None else _authority(target), headers)
        try:
            connection = await self._connector.connect(to, [], self._timeout)
        except TimeoutError as error:
            raise aiohttp.ConnectionTimeoutError from error
        try:
            protocol: ResponseHandler = connection.protocol
            protocol.set_response_params(
                read_until_eof=True,
                auto_decompress=False,
                read_bufsize=_CHUNK,
                max_line_size=_LONGEST_LINE,
                max_field_size=_LONGEST_LINE,
                max_headers=_MOST_HEADERS,
            )
            transport = protocol.transport
            if not isinstance(transport, asyncio.Transport) or transport.is_closing():
                raise ConnectionResetError("it was closed before anything was asked")
            peer = transport.get_extra_info("peername")
            transport.write(_head(target.rest, asked))
            message, content = await protocol.read()
            while 100 <= message.code < 200 and message.code != 101:
                message, content = await protocol.read()
            arriving = Arriving(connection, asked, message, peer[0] if peer else "")
            arriving.begin(content)
        except BaseException:
            connection.close()
            raise
        return arriving

    def _asked(self, host: str, headers: Mapping[str, str] | None) -> Headers:
        """A header of this request takes the place of the usual one."""
        if not headers:
            return (("Host", host), *self._usual)
        named = {pair[0].lower(): pair for pair in (*self._usual, *headers.items())}
        return (("Host", host), *named.values())


def _to(scheme: str, host: str, port: int) -> aiohttp.ClientRequest:
    """All that a connector looks at of a request."""
    name = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return aiohttp.ClientRequest("GET", yarl.URL(f"{scheme}://{name}:{port}/", encoded=True))


def _authority(target: Target) -> str:
    """The dot at the end of a full name is for name servers."""
    return target._replace(host=target.host.rstrip(".")).authority if target.host.endswith(".") else target.authority


def _head(rest: str, asked: Headers) -> bytes:
    lines = [f"GET {rest} HTTP/1.1", *[f"{name}: {value}" for name, value in asked], "\r\n"]
    head = "\r\n".join(lines)
    if head.count("\n") != len(asked) + 2 or head.count("\r") != len(asked) + 2:
        raise ValueError("a line of the request is more than one")
    return head.encode("ascii")
