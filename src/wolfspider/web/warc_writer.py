"""Writing WARC 1.1: one gzip member for each record, so that a reader can start at any of them.

The same records give the same bytes: identifiers are made from the content, and no clock is read.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import BinaryIO

_LEVEL = 6


class WarcWriter:
    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.records = 0

    def info(self, date: float, fields: Mapping[str, str]) -> None:
        """The first record of a file: who wrote it, and of what."""
        block = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()
        self._record("warcinfo", date, {"Content-Type": "application/warc-fields"}, block)

    def response(self, url: str, date: float, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """An HTTP answer as it came: a redirect keeps its Location."""
        lines = [f"HTTP/1.1 {status} {_reason(status)}", *(f"{name}: {value}" for name, value in headers.items())]
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        named = {
            "WARC-Target-URI": url,
            "WARC-Payload-Digest": "sha1:"
            + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode(),
            "Content-Type": "application/http; msgtype=response",
        }
        self._record("response", date, named, head + body)

    def _record(self, kind: str, date: float, fields: Mapping[str, str], block: bytes) -> None:
        day = datetime.fromtimestamp(date, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").replace(".000000Z", "Z")
        identity = hashlib.blake2b(f"{kind}/{day}/{fields}/".encode() + block, digest_size=16).digest()
        named = {
            "WARC-Type": kind,
            "WARC-Record-ID": f"<urn:uuid:{uuid.UUID(bytes=identity, version=4)}>",
            "WARC-Date": day,
            **fields,
            "Content-Length": str(len(block)),
        }
        head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in named.items()) + "\r\n"
        self.file.write(gzip.compress(head.encode() + block + b"\r\n\r\n", _LEVEL, mtime=0))
        self.records += 1


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
