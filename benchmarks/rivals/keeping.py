"""What wolfspider does with a page that other crawlers do not: it goes into a WARC file and SQLite, and is scored.

For crawlers that are compared like for like. Records are packed as wolfspider packs them, one gzip member each by
igzip, with the request behind the answer and digests of both; rows are committed a few dozen at a time. The score is
how much of the topic the words of a page cover, weighted by how often they occur. That is less than wolfspider does: it
learns what is relevant, knows near duplicates, and journals each step so that a killed crawl goes on.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
import sqlite3
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from isal import isal_zlib

TOGETHER = 32  # pages of one commit
_WORD = re.compile(r"\w+")
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, at REAL, status INTEGER, headers TEXT,
    size INTEGER, title TEXT, words INTEGER, links INTEGER, digest TEXT, score REAL, offset INTEGER, length INTEGER);
CREATE TABLE found (url TEXT PRIMARY KEY, page INTEGER NOT NULL) WITHOUT ROWID;
"""
_PAGE = "INSERT INTO pages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Keeper:
    def __init__(self, folder: Path, topic: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.topic = frozenset(_WORD.findall(topic.lower()))
        self.archive = (folder / "pages.warc.gz").open("wb")
        self.database = sqlite3.connect(folder / "pages.db", isolation_level=None)
        self.database.executescript(_TABLES)
        self.database.execute("BEGIN")
        self.waiting = 0

    def score(self, text: str) -> tuple[float, int]:
        """How much of the topic a text covers, and how many words it has."""
        words = _WORD.findall(text.lower())
        counts = Counter(filter(self.topic.__contains__, words))
        most = len(self.topic) * math.log1p(5)
        covered = sum(math.log1p(min(5, count)) for count in counts.values())
        return covered / most if most else 0.0, len(words)

    def keep(
        self,
        url: str,
        status: int,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        title: str,
        text: str,
        links: list[str],
    ) -> float:
        """Store a page and the links first seen on it; its score."""
        score, words = self.score(text)
        now, told = time.time(), "".join(f"{name}: {value}\r\n" for name, value in headers)
        head = f"HTTP/1.1 {status} OK\r\n{told}\r\n".encode()
        digest = _digest(body)
        answer = _record("response", url, now, head + body, f"WARC-Payload-Digest: {digest}\r\n")
        path = url.partition("://")[2].partition("/")[2]
        asked = _record("request", url, now, f"GET /{path} HTTP/1.1\r\n\r\n".encode())
        offset = self.archive.tell()
        self.archive.write(answer + asked)
        row = (url, now, status, told, len(body), title, words, len(links), digest, score, offset, len(answer))
        page = self.database.execute(_PAGE, row).lastrowid
        self.database.executemany("INSERT OR IGNORE INTO found VALUES (?, ?)", [(link, page) for link in links])
        self.waiting += 1
        if self.waiting >= TOGETHER:
            self.commit()
        return score

    def commit(self) -> None:
        self.archive.flush()
        self.database.execute("COMMIT")
        self.database.execute("BEGIN")
        self.waiting = 0

    def close(self) -> None:
        self.commit()
        self.archive.close()
        self.database.close()


def _digest(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def _record(kind: str, url: str, at: float, block: bytes, more: str = "") -> bytes:
    day = datetime.fromtimestamp(at, UTC).isoformat().removesuffix("+00:00") + "Z"
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nWARC-Date: {day}\r\n"
        f"WARC-Target-URI: {url}\r\n{more}WARC-Block-Digest: {_digest(block)}\r\n"
        f"Content-Type: application/http; msgtype={kind}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return isal_zlib.compress(b"".join((head.encode(), block, b"\r\n\r\n")), 1, zlib.MAX_WBITS | 16)
