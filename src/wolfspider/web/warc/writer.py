"""Writing WARC 1.1: one gzip member for each record, so that a reader can start at any of them.

The same records give the same bytes: identifiers are made from the content, and no clock is read.

An answer is stored as it came: its headers, and its body still compressed where it was. Only the transfer coding is
gone, since bodies are put together before they get here. Content-Length stands as the server said it, even when the
body was cut (`WARC-Truncated` says so): readers go by the length of the record.

Packing is most of the work. It is done by igzip, in a quarter of the time that zlib takes at its fastest, and smaller;
what came compressed gains nothing by it, and loses next to nothing.
"""

from __future__ import annotations

import base64
import hashlib
import uuid
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus

from isal import isal_zlib

from wolfspider.core.model import Capture

_LEVEL = 1  # of igzip: the one above it takes longer, and saves a twentieth
_ANSWER = "application/http; msgtype=response"
_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_NO_BREAKS = str.maketrans("\r\n\0", "   ")


def info(date: float, fields: Mapping[str, str], name: str = "") -> bytes:
    """The first record of a file: who wrote it, and of what."""
    named = {"WARC-Filename": name} if name else {}
    return _member("warcinfo", date, {**named, "Content-Type": "application/warc-fields"}, _block(fields), b"")


def response(capture: Capture) -> bytes:
    """An HTTP answer as it came: a redirect keeps its Location."""
    digest = hashlib.sha1(capture.body, usedforsecurity=False).digest()
    named = {
        **_named(capture),
        "WARC-Payload-Digest": "sha1:" + base64.b32encode(digest).decode(),
        **({"WARC-Truncated": capture.cut} if capture.cut else {}),
        "Content-Type": _ANSWER,
    }
    return _member("response", capture.at, named, _http_head(capture), capture.body)


def revisit(capture: Capture, held_url: str, held_at: float) -> bytes:
    """The server said that the copy at hand still holds (304): which copy that is."""
    named = {
        **_named(capture),
        "WARC-Profile": _NOT_MODIFIED,
        "WARC-Refers-To-Target-URI": held_url,
        "WARC-Refers-To-Date": moment(held_at),
        "Content-Type": _ANSWER,
    }
    return _member("revisit", capture.at, named, _http_head(capture), b"")


def metadata(url: str, date: float, fields: Mapping[str, str]) -> bytes:
    """What is to be said of an address beside its answers."""
    named = {"WARC-Target-URI": url, "Content-Type": "application/warc-fields"}
    return _member("metadata", date, named, _block(fields), b"")


def moment(date: float) -> str:
    """A WARC-Date, to the microsecond."""
    return datetime.fromtimestamp(date, UTC).isoformat().removesuffix("+00:00") + "Z"


def _named(capture: Capture) -> dict[str, str]:
    return {"WARC-Target-URI": capture.url} | ({"WARC-IP-Address": capture.address} if capture.address else {})


def _http_head(capture: Capture) -> bytes:
    kept = [pair for pair in capture.headers if pair[0].lower() != "transfer-encoding"]
    return _head(f"HTTP/1.1 {capture.status} {_REASONS.get(capture.status, 'Unknown')}", kept)


def _member(kind: str, date: float, fields: Mapping[str, str], head: bytes, body: bytes) -> bytes:
    """A record as a gzip member. What follows `head` is told by a digest among the fields, so that it need not be
    hashed twice for the identifier."""
    day = moment(date)
    identity = hashlib.blake2b(_bytes(f"{kind}/{day}/{fields}/") + head, digest_size=16)
    named = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{uuid.UUID(bytes=identity.digest(), version=4)}>",
        "WARC-Date": day,
        **fields,
        "Content-Length": str(len(head) + len(body)),
    }
    record = b"".join((_head("WARC/1.1", named.items()), head, body, b"\r\n\r\n"))
    return isal_zlib.compress(record, _LEVEL, zlib.MAX_WBITS | 16)


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
