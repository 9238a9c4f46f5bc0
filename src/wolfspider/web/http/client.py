"""One request, one answer. No redirects, no cookies, no passwords, and never an exception: what goes wrong has a name.

Everything a server can do to keep a crawler busy ends here. The whole request has a deadline. Once a body has been
coming for a while it must have come at a minimum rate: with every chunk the clock is set to the moment at which the
bytes so far would be too few, so a body that drips is given up and one that flows costs nothing extra. Bytes are
counted as they come and again as they are decoded, and reading stops where either is enough.

A body that is not all there is kept and marked (`cut`): "length" when it was longer than is kept, "time" when the
deadline came, "disconnect" when the server hung up or broke the rules of the transfer. Too slow is a failure.

    nobody there            dns, connect, tls (expired, self-signed, unknown issuer, wrong name ...)
    there, but no answer    timeout, slow, connect (it hung up, or what came is no HTTP), size (a giant head)
    answered                encoding (the body cannot be decoded)
    never asked             blocked, scheme (see web/http/guard.py)
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import yarl

from wolfspider.core.errors import Problem
from wolfspider.core.model import Capture, Failure
from wolfspider.web.http.arriving_body import ArrivingBody
from wolfspider.web.http.connections import NO_HANDLE, OUT_OF_TOUCH, NoHandle, OutOfTouch
from wolfspider.web.http.guard import FRESH, Guard, Refused, Target, target
from wolfspider.web.http.http_library import HttpProcessingError, LineTooLong, RawResponseMessage, aiohttp
from wolfspider.web.http.inflate import broken, inflater
from wolfspider.web.http.one_answer import unread
from wolfspider.web.http.sending import Arriving, Sender
from wolfspider.web.memory_budget import MemoryClaim

ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5"
ENCODINGS = "gzip, deflate, br, zstd"
_REDIRECT = 1 << 16  # bytes of a redirect's body that are kept: nobody reads it
_NEVER = frozenset(("authorization", "proxy-authorization", "cookie", "host", "content-length", "transfer-encoding"))
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
_VALUE = re.compile(r"[\t -~]*", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of a server's time and bytes one request may take."""

    raw: int = 20_000_000  # bytes of a body as they come
    body: int = 10_000_000  # bytes of it decoded
    deadline: float = 60.0  # seconds for all of it
    connect: float = 15.0  # seconds for look-up, connection and TLS
    patience: float = 10.0  # seconds of a body before its rate counts
    slowest: float = 500.0  # bytes a second


@dataclass(frozen=True, slots=True)
class Answer:
    capture: Capture  # for the archive: as it came
    headers: Mapping[str, str]  # names in lower case, repeated ones joined by ", "
    body: bytes  # decoded
    seconds: float
    cut: bool  # the body is only the beginning

    @property
    def status(self) -> int:
        return self.capture.status


class Client:
    """To be made and closed inside a running loop. `limit`: connections at once, 0 for any number; `tls`: what to
    trust instead of what the system trusts."""

    def __init__(
        self,
        guard: Guard,
        agent: str,
        caps: Caps = Caps(),  # noqa: B008  (it is frozen)
        clock: Callable[[], float] = time.time,
        *,
        limit: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if not agent or not _VALUE.fullmatch(agent):
            raise Problem(f"{agent!a} cannot be sent as the name of this crawler. Use printable ASCII characters.")
        self.guard = guard
        self.caps = caps
        self.clock = clock
        self._connector = guard.connector(limit, tls)
        self._usual = {"User-Agent": agent, "Accept": ACCEPT, "Accept-Encoding": ENCODINGS}
        self._sender = Sender(self._connector, self._usual, caps.connect)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._connector.close()

    def keep_connections(self, most: int) -> None:
        """How many connections there may be, those kept alive included."""
        self._connector.most = most

    def only_while(self, may_send: Callable[[], bool]) -> None:
        """Asked when there is a connection, just before a request is written; if not, the failure is `waiting`."""
        self._connector.may_send = may_send

    async def get(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        deadline: float | None = None,
        most: int | None = None,
        claim: MemoryClaim | None = None,
    ) -> Answer | Failure:
        """What this address answers, redirects and errors too, within `deadline` seconds, of the decoded body at most
        `most` bytes. While there is no room for more of the body, as `claim` says, the time stands still."""
        if isinstance(wanted := target(url), Failure):
            return wanted
        if refused := self.guard.refuses_target(wanted) or _wrong_header(headers):
            return refused
        exchange = _Exchange(
            self, wanted.url, self.caps.deadline if deadline is None else deadline, claim or MemoryClaim()
        )
        try:
            async with exchange.limit:
                return await exchange.run(wanted, headers, self.caps.body if most is None else most)
        except aiohttp.ConnectionTimeoutError:
            return Failure("connect", f"no connection within {self.caps.connect:g} s")
        except TimeoutError:
            return exchange.out_of_time()
        except Exception as error:
            return failure_of(error)
        finally:
            if exchange.response is not None:
                exchange.response.close()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], deadline: float) -> int | Failure:
        """Hand something to a service that the person named: the status of its answer. No redirect is followed."""
        if isinstance(wanted := target(url), Failure):
            return wanted
        if refused := self.guard.refuses_target(wanted) or _wrong_header(headers):
            return refused
        address = yarl.URL(wanted.url, encoded=True)
        session = aiohttp.ClientSession(
            headers=self._usual,
            connector=self._connector,
            connector_owner=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
        )
        try:
            async with (
                asyncio.timeout(deadline),
                session,
                session.post(address, data=body, headers=headers, allow_redirects=False) as response,
            ):
                return response.status
        except TimeoutError:
            return Failure("timeout", f"no answer within {deadline:g} s")
        except Exception as error:
            return failure_of(error)

    async def send(self, wanted: Target, headers: Mapping[str, str] | None) -> Arriving:
        """Sent once more only where a connection kept alive was lost (the server hung up before it could answer) or
        brought what belongs to the answer before (bytes beyond its length, which came late)."""
        FRESH.set(False)
        try:
            return await self._sender.get(wanted, headers, self.guard.via)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError, HttpProcessingError):
            if FRESH.get():
                raise
        return await self._sender.get(wanted, headers, self.guard.via)


class _Exchange:
    """One request under way, and what has come of its answer."""

    __slots__ = (
        "_at",
        "_began",
        "_body",
        "_came",
        "_claim",
        "_client",
        "_end",
        "_headers",
        "_url",
        "limit",
        "response",
    )

    def __init__(self, client: Client, url: str, seconds: float, claim: MemoryClaim) -> None:
        self._client = client
        self._claim = claim
        self._url = url
        self._at = client.clock()
        self._began = asyncio.get_running_loop().time()
        self._end = self._began + seconds
        self._came: tuple[tuple[str, str], ...] = ()
        self._headers: dict[str, str] = {}
        self._body: ArrivingBody | None = None
        self.limit = asyncio.timeout_at(self._end)
        self.response: Arriving | None = None

    async def run(self, wanted: Target, headers: Mapping[str, str] | None, most: int) -> Answer | Failure:
        self.response = await self._client.send(wanted, headers)
        self._came, self._headers = _headers(self.response.message)
        undoing = inflater(self._headers.get("content-encoding", ""), most)
        if isinstance(undoing, Failure):
            return undoing
        self._body = ArrivingBody(undoing, _REDIRECT if 300 <= self.response.status < 400 else self._client.caps.raw)
        if self.response.status != 101:  # a server that changes the protocol unasked sends no body to read
            await self._stream(self.response.content, self._body)
        return self._answer(self.response, self._body)

    def out_of_time(self) -> Failure | Answer:
        """The deadline leaves what has come, also what came while nobody looked: it may be all. What came too slowly is
        not worth having: the host will do so again."""
        if (when := self.limit.when()) is not None and when < self._end:
            return Failure("slow", f"less than {self._client.caps.slowest:,.0f} bytes a second")
        if self.response is not None and self._body is not None:
            self._body.take(unread(self.response.content))
        if self.response is None or self._body is None or not self._body.size:
            return Failure("timeout", f"no answer within {self._end - self._began:g} s")
        if not self.response.content.is_eof() or self.response.content.exception() is not None:
            self._body.cut = self._body.cut or "time"
        return self._answer(self.response, self._body)

    async def _stream(self, content: aiohttp.StreamReader, body: ArrivingBody) -> None:
        caps = self._client.caps
        began = asyncio.get_running_loop().time()
        try:
            while not body.cut and not content.at_eof():
                if content.total_bytes == body.size:  # nothing is there yet: until when may it take?
                    allowed = min(self._end, began + max(caps.patience, body.size / caps.slowest))
                    if allowed != self.limit.when():
                        self.limit.reschedule(allowed)
                chunk, before = await content.readany(), body.taken
                began += await self._make_room(body.outlook(chunk))
                body.take(chunk)
                self._claim.hold(body.taken - before)
            if not body.cut and (lost := content.exception()) is not None:
                raise lost
            before = body.taken
            await self._make_room(body.outlook())
            body.finish()
            self._claim.hold(body.taken - before)
        except (aiohttp.ClientError, ConnectionError):
            body.take(unread(content))
            if not body.size:
                raise
            body.cut = body.cut or "disconnect"

    async def _make_room(self, size: int) -> float:
        """Seconds that were waited for it. Nobody but we can help it, so the deadline is put off for as long."""
        if self._claim.grown(size):
            return 0.0
        self.limit.reschedule(None)
        waited = self._claim.waited
        await self._claim.grow(size)
        if waited := self._claim.waited - waited:
            self._began += waited
            self._end += waited
            self.limit.reschedule(self._end)
        return waited

    def _answer(self, response: Arriving, body: ArrivingBody) -> Answer | Failure:
        raw, decoded = body.ended()
        if raw and not decoded and not body.whole:
            return broken(self._headers.get("content-encoding", ""))
        come = (response.status, self._came, raw, response.peer, body.cut, response.asked)
        capture = Capture(self._url, self._at, *come)
        seconds = asyncio.get_running_loop().time() - self._began
        return Answer(capture, self._headers, decoded, seconds, not body.whole)


def _headers(message: RawResponseMessage) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """As they came, transfer coding apart, and as they are asked for."""
    values = list(message.headers.values())
    if not "".join(values).isprintable():
        values = list(map(_harmless, values))
    names = [name.decode("latin-1") for name, _ in message.raw_headers]  # aiohttp spells them as it likes
    came = tuple(zip(names, values, strict=True))
    joined = {name.lower(): value for name, value in came}
    if len(joined) < len(came):
        for name in joined:
            joined[name] = ", ".join(value for key, value in came if key.lower() == name)
    if "transfer-encoding" in joined:
        came = tuple(pair for pair in came if pair[0].lower() != "transfer-encoding")
    return came, joined


def _harmless(value: str) -> str:
    """UTF-8, else byte by byte; what could end a line or move a cursor becomes a blank."""
    if not value.isprintable():
        data = value.encode("utf-8", "surrogateescape")
        try:
            value = data.decode()
        except UnicodeDecodeError:
            value = data.decode("latin-1")
    return _CONTROL.sub(" ", value)


def _wrong_header(headers: Mapping[str, str] | None) -> Failure | None:
    """What is told to us by servers (an ETag, say) may be sent back, but never as more than one header."""
    for name, value in (headers or {}).items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            return Failure("blocked", "a header with characters that cannot be sent")
        if name.lower() in _NEVER:
            return Failure("blocked", f"{name} is never sent")
    return None


_CERTIFICATES = {
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    18: "the certificate is self-signed",
    19: "the certificate is self-signed",
    20: "the issuer of the certificate is unknown",
    21: "the issuer of the certificate is unknown",
    23: "the certificate is revoked",
    62: "the certificate is for another name",
    64: "the certificate is for another name",
}


def failure_of(error: BaseException) -> Failure:
    """The name of what went wrong, found in an exception or in what caused it."""
    causes = [error]
    while len(causes) < 10 and (cause := causes[-1].__cause__ or causes[-1].__context__):
        causes.append(cause)
    for cause in causes:
        match cause:
            case Refused():
                return cause.failure
            case NoHandle():
                return NO_HANDLE
            case OutOfTouch():
                return OUT_OF_TOUCH
            case ssl.SSLError():
                return Failure("tls", _tls(causes))
            case LineTooLong():
                return Failure("size", "the head of the answer is too large")
            case TimeoutError() if cause.errno is None:
                return Failure("timeout", "no answer in time")
    match causes[0]:
        case aiohttp.ClientConnectorError() as lost:
            return Failure("connect", os.strerror(lost.errno).lower() if lost.errno else "no connection")
        case HttpProcessingError() | aiohttp.ClientResponseError():
            return Failure("connect", "what came is no HTTP")
        case aiohttp.ClientError() | OSError():
            return Failure("connect", "the server hung up")
    return Failure("connect", f"an unexpected {type(error).__name__}")


def _tls(causes: Sequence[BaseException]) -> str:
    """aiohttp wraps the errors of ssl in some of its own, which are of the same kinds and know less."""
    for cause in causes:
        if code := getattr(cause, "verify_code", 0):
            return _CERTIFICATES.get(code, "the certificate does not hold")
        if reason := getattr(cause, "reason", ""):
            return str(reason).lower().replace("_", " ")
    return "no TLS connection"
