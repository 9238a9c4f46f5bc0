"""The door of the dashboard: who may come in, by which name, from which page, and with how much.

The dashboard can stop crawls and start them, and every page that a browser shows can send requests to this machine. So
a request must know the token that the person was given when the dashboard was started, must call the machine by its own
name (a page elsewhere whose name was bent to this machine does not), and a request that changes something must come
from our own page. Pages that we send run no script but our own files, and are shown in no frame of others.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 1 << 20  # bytes
_LONGEST_TARGET = 8192  # bytes of a path and its query
_METHODS = ("GET", "HEAD", "POST")
OPEN = ("/plots/plotly.min.js", "/plots/plots.js")  # a frame without an origin asks for them, and has no cookie
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
_SOON = 60  # seconds in which a browser comes that is sent here
_WHO = "Open the address that was printed when the dashboard was started: it has the token that lets you in."


def new_token() -> str:
    return secrets.token_urlsafe(32)


def cookie_name(port: int) -> str:
    """Browsers send a cookie to every port of a machine, so each dashboard has one of its own."""
    return f"wolfspider_token_{port}"


def opening(address: str) -> str:
    """The address that was printed, as a browser is sent there: for once and soon, since every user of a machine can
    read with what words its programs were started."""
    base, _, rest = address.partition("/?token=")
    token, mark, view = rest.partition("#")
    return f"{base}/?once={_pass(token.encode(), int(time.time()))}{mark}{view}"


def _pass(token: bytes, now: int) -> str:
    return f"{now}-{hmac.new(token, str(now).encode(), hashlib.sha256).hexdigest()}"


class Door:
    """`port`: that we are asked at; `app`: who answers if the door opens."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self._app, self._token, self._cookie = app, token.encode(), cookie_name(port)
        self._used: set[str] = set()  # what let somebody in once
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # nothing but HTTP is spoken here
        headers = _Headers(scope["headers"])
        outcome = self._refusal(scope, headers)
        if outcome is None and (given := self._login(scope)):
            outcome = (303, "", {"location": "/", "set-cookie": self._set_cookie(given)})
        if outcome is None and not self._knows_token(headers) and scope["path"] not in OPEN:
            outcome = (401, _WHO, {})
        if outcome is None:
            await self._app(scope, receive, _with_headers(send))
        else:
            await _answer(_with_headers(send), *outcome)

    def _refusal(self, scope: Scope, headers: _Headers) -> tuple[int, str, dict[str, str]] | None:
        """What is wrong with a request whoever sends it: status, sentence, headers."""
        method, origin = scope["method"], headers.one("origin")
        if headers.one("host") not in self._hosts:
            return 421, "Ask this machine by its own name: 127.0.0.1, localhost or [::1].", {}
        if method not in _METHODS:
            return 405, "GET and POST are understood here.", {"allow": ", ".join(_METHODS)}
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_TARGET:
            return 414, f"An address may have {_LONGEST_TARGET:,} bytes.", {}
        if origin is not None and origin not in self._origins and scope["path"] not in OPEN:
            return 403, "Requests from pages of others are not answered.", {}
        if method != "POST":
            return None
        if origin is None and not headers.one("authorization"):
            return 403, "A request that changes something says which page it comes from (Origin).", {}
        if (headers.one("content-type") or "").partition(";")[0].strip().lower() != "application/json":
            return 415, "What is sent here is JSON (Content-Type: application/json).", {}
        length = headers.one("content-length")
        if length is not None and not (length.isascii() and length.isdecimal()):
            return 400, "Content-Length is a number.", {}
        if length is not None and int(length[:20]) > LARGEST_BODY:
            return 413, f"A request may have {LARGEST_BODY:,} bytes.", {}
        return None

    def _login(self, scope: Scope) -> str:
        """The token, if the address is that which was printed or to which a browser was sent; else ""."""
        if scope["method"] != "GET" or scope["path"] != "/":
            return ""
        try:
            given = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=10)
        except ValueError:
            return ""
        known = self._is_token(given.get("token", [""])[0]) or self._lets_in_once(given.get("once", [""])[0])
        return self._token.decode() if known else ""

    def _lets_in_once(self, given: str) -> bool:
        moment = given.partition("-")[0]
        if given in self._used or not (moment.isascii() and moment.isdecimal() and len(moment) < 20):
            return False
        meant = _pass(self._token, int(moment)).encode()
        known = secrets.compare_digest(given.encode("utf-8", "replace"), meant)
        if not known or abs(time.time() - int(moment)) > _SOON:
            return False
        self._used.add(given)
        return True

    def _set_cookie(self, token: str) -> str:
        return f"{self._cookie}={token}; Path=/; HttpOnly; SameSite=Strict"

    def _knows_token(self, headers: _Headers) -> bool:
        scheme, _, bearer = (headers.one("authorization") or "").partition(" ")
        if scheme.lower() == "bearer":
            return self._is_token(bearer.strip())
        try:
            kept = SimpleCookie(headers.one("cookie") or "").get(self._cookie)
        except CookieError:
            return False
        return kept is not None and self._is_token(kept.value)

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode("utf-8", "replace"), self._token)


class _Headers:
    """Of a request, each of which counts only where it is there once."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = list(pairs)

    def one(self, name: str) -> str | None:
        """None if there is none; "" if there are several, which fits nowhere."""
        found = [value for key, value in self._pairs if key == name.encode()]
        return None if not found else found[0].decode("latin-1") if len(found) == 1 else ""


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in known]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return sent


async def _answer(send: Send, status: int, sentence: str, headers: dict[str, str]) -> None:
    body = json.dumps({"problem": sentence}).encode() if sentence else b""
    about = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close", **headers}
    pairs = [(name.encode(), value.encode()) for name, value in about.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
