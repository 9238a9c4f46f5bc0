"""Writing WARC 1.1: one gzip member for each record, so that a reader can start at any of them.

The same records give the same bytes: identifiers are made from the content, and no clock is read.

An answer is stored as it came: its headers, and its body still compressed where it was. Only the transfer coding is
gone, since bodies are put together before they get here. Content-Length stands as the server said it, even when the
body was cut (`WARC-Truncated` says so): readers go by the length of the record. The request that an answer came for is
a record of its own behind it, without headers that could hold a secret: none is sent, but the archive does not rely on
that. Every record has a digest of its block, by which other readers see whether it is whole.

Packing is most of the work. It is done by igzip, in a third of the time that zlib takes at its fastest, and smaller;
what came compressed gains nothing by it, and loses next to nothing.
"""

from __future__ import annotations

import hashlib
import uuid
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from isal import isal_zlib

from wolfspider.core.model import Capture

_LEVEL = 1  # of igzip: the one above it takes longer, and saves a twentieth
_ANSWER, _REQUEST = (f"application/http; msgtype={kind}" for kind in ("response", "request"))
_SECRET = frozenset(("authorization", "proxy-authorization", "cookie"))  # headers that are never written
_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_BASE_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_TEN_BITS = [first + second for first in _BASE_32 for second in _BASE_32]
_NO_BREAKS = str.maketrans("\r\n\0", "   ")


class _Packed(NamedTuple):
    """A record as a gzip member, and the name by which others refer to it."""

    name: str
    data: bytes


class HeldCopy(NamedTuple):
    """The copy of a page that a server said still holds (304)."""

    url: str
    at: float


def info(date: float, fields: Mapping[str, str], name: str = "") -> bytes:
    """The first record of a file: who wrote it, and of what."""
    named = {"WARC-Filename": name} if name else {}
    return _member("warcinfo", date, {**named, "Content-Type": "application/warc-fields"}, _block(fields)).data


def response(capture: Capture) -> bytes:
    """An HTTP answer as it came: a redirect keeps its Location."""
    return _response(capture).data


def revisit(capture: Capture, held: HeldCopy) -> bytes:
    """That the copy at hand still holds, and which copy that is."""
    return _revisit(capture, held).data


def exchange(capture: Capture, held: HeldCopy | None = None, digest: str = "") -> tuple[bytes, bytes]:
    """An answer, and the request it came for; the latter is empty where it is not known. `digest`: of the body, if the
    caller knows it."""
    answer = _response(capture, digest) if held is None else _revisit(capture, held)
    return answer.data, _request(capture, answer.name) if capture.asked else b""


def _response(capture: Capture, digest: str = "") -> _Packed:
    named = {
        **_named(capture),
        "WARC-Payload-Digest": digest or digest_of(capture.body),
        **({"WARC-Truncated": capture.cut} if capture.cut else {}),
        "Content-Type": _ANSWER,
    }
    return _member("response", capture.at, named, _http_head(capture), capture.body)


def _request(capture: Capture, answer: str) -> bytes:
    kept = [pair for pair in capture.asked if pair[0].lower() not in _SECRET]
    path = capture.url.partition("://")[2].partition("/")[2]
    named = {**_named(capture), "WARC-Concurrent-To": answer, "Content-Type": _REQUEST}
    return _member("request", capture.at, named, _head(f"GET /{path} HTTP/1.1", kept)).data


def _revisit(capture: Capture, held: HeldCopy) -> _Packed:
    named = {
        **_named(capture),
        "WARC-Profile": _NOT_MODIFIED,
        "WARC-Refers-To-Target-URI": held.url,
        "WARC-Refers-To-Date": moment(held.at),
        "Content-Type": _ANSWER,
    }
    return _member("revisit", capture.at, named, _http_head(capture))


def metadata(url: str, date: float, fields: Mapping[str, str]) -> bytes:
    """What is to be said of an address beside its answers."""
    named = {"WARC-Target-URI": url, "Content-Type": "application/warc-fields"}
    return _member("metadata", date, named, _block(fields)).data


def digest_of(*parts: bytes) -> str:
    """As other readers know it."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    number = int.from_bytes(digest.digest(), "big")
    return "sha1:" + "".join([_TEN_BITS[number >> place & 1023] for place in range(150, -1, -10)])  # in base 32


@lru_cache(maxsize=4)
def moment(date: float) -> str:
    """A WARC-Date, to the microsecond. An answer and its request have the same."""
    return datetime.fromtimestamp(date, UTC).isoformat().removesuffix("+00:00") + "Z"


def _named(capture: Capture) -> dict[str, str]:
    return {"WARC-Target-URI": capture.url} | ({"WARC-IP-Address": capture.address} if capture.address else {})


def _http_head(capture: Capture) -> bytes:
    kept = [pair for pair in capture.headers if pair[0].lower() != "transfer-encoding"]
    return _head(f"HTTP/1.1 {capture.status} {_REASONS.get(capture.status, 'Unknown')}", kept)


def _member(kind: str, date: float, fields: Mapping[str, str], head: bytes, body: bytes = b"") -> _Packed:
    """A record. The digest of its block is among what its identifier is made from, so all of its content is."""
    day = moment(date)
    fields = {**fields, "WARC-Block-Digest": digest_of(head, body)}
    identity = hashlib.blake2b(_bytes(f"{kind}/{day}/{fields}/"), digest_size=16)
    name = f"<urn:uuid:{uuid.UUID(bytes=identity.digest(), version=4)}>"
    first = {"WARC-Type": kind, "WARC-Record-ID": name, "WARC-Date": day}
    named = {**first, **fields, "Content-Length": str(len(head) + len(body))}
    record = b"".join((_head("WARC/1.1", named.items()), head, body, b"\r\n\r\n"))
    return _Packed(name, isal_zlib.compress(record, _LEVEL, zlib.MAX_WBITS | 16))


def _head(first: str, pairs: Iterable[tuple[str, str]]) -> bytes:
    return _bytes(first + "\r\n" + _lines(pairs) + "\r\n")


def _block(fields: Mapping[str, str]) -> bytes:
    return _bytes(_lines(fields.items()))


def _bytes(text: str) -> bytes:
    """As they came: what was no UTF-8 in a header was read as lone surrogates, and becomes the same bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _lines(pairs: Iterable[tuple[str, str]]) -> str:
    """One line for each. A break inside a name or value would begin a line of its own choosing: it becomes a blank."""
    lines = [f"{name}: {value}\r\n" for name, value in pairs]
    text = "".join(lines)
    if text.count("\n") == text.count("\r") == len(lines) and "\0" not in text:
        return text
    return "".join([f"{line[:-2].translate(_NO_BREAKS)}\r\n" for line in lines])
