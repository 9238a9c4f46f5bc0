"""What a served web replies: the bare answers of a World, ready to be written, and what is done to them on purpose.

An answer is taken from the World once and kept, with each of its compressed forms, as long as it holds and there is
room. A recorded web no longer changes after its last record, so there it is kept for good; where time still passes, it
is kept for one tick of the clock.

`Faults` says which share of the addresses misbehaves, and how. Which address it is follows from the seed and the
address alone: the same question gets the same trouble, on every run, unless trouble is to be transient.
"""

from __future__ import annotations

import gzip
import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import xxhash

from wolfspider.core.errors import Problem, closest
from wolfspider.core.model import Fetch
from wolfspider.web.page.usage_signals import SIGNALS
from wolfspider.web.worlds.world import Servable

ENCODINGS = ("gzip", "br", "zstd")
MOST_KEPT = 256 << 20  # bytes of bodies that are kept ready
WRONG_TYPE = "image/png"
REASONS = {status.value: status.phrase for status in HTTPStatus}
_PASSED = (  # headers of a recorded answer that a reader may act on; the others spoke of a connection long gone
    "content-type",
    "content-language",
    "content-disposition",
    "last-modified",
    "link",
    "location",
    "refresh",
    "retry-after",
    "x-robots-tag",
    *SIGNALS,
)
_WORTH_PACKING = 200  # bytes
_OVERHEAD = 1000  # bytes that a kept reply takes beside its body


@dataclass(frozen=True, slots=True)
class Faults:
    """Shares of all addresses, each in [0, 1] and together at most 1. A robots.txt is always spared."""

    errors: float = 0.0  # answer 500
    missing: float = 0.0  # answer 404
    busy: float = 0.0  # answer 429 or 503, with Retry-After
    resets: float = 0.0  # end the connection before a word is said
    cut: float = 0.0  # end it in the middle of the body
    slow: float = 0.0  # send the body at `slow_rate`
    loops: float = 0.0  # redirect to themselves
    mistyped: float = 0.0  # say that a page is a picture
    seed: int = 0
    transient: bool = False  # asked once more, an address answers as it should
    retry_after: str = "1"  # what a busy address says, in seconds or as a date
    slow_rate: float = 1000.0  # bytes per second

    def __post_init__(self) -> None:
        shares = self.shares()
        if min(shares.values()) < 0 or sum(shares.values()) > 1 + 1e-9:
            raise Problem("The shares of faults must not be negative, and together they must not be more than 1.")
        if not self.slow_rate > 0:
            raise Problem("slow_rate is in bytes per second: give a number above 0.")
        if not self.retry_after.isprintable():
            raise Problem("retry_after must be one printable line: a number of seconds, or a date.")

    def shares(self) -> dict[str, float]:
        return {each.name: getattr(self, each.name) for each in fields(self)[:8]}

    def of(self, url: str) -> str:
        """The fault of this address by name; "" if it has none."""
        luck = xxhash.xxh3_64_intdigest(url.encode("utf-8", "replace"), self.seed & (2**64 - 1)) / 2**64
        for name, share in self.shares().items():
            if luck < share:
                return name
            luck -= share
        return ""


@dataclass(slots=True)
class Reply:
    """An answer, ready to be written."""

    status: int
    fields: bytes = b""  # its header lines, but for those that depend on how it is sent
    body: bytes = b""
    etag: bytes = b""
    modified: float | None = None
    at: float = 0.0  # when, in the time of its web
    silence: float = 0.0  # seconds in which nothing comes before the connection ends: a web's own timeout
    coded: dict[str, bytes] = field(default_factory=dict)  # the body in each form that was asked for

    def unchanged(self, none_match: str, modified_since: str) -> bool:
        """Does the copy that a reader has still hold?"""
        if self.status != 200:
            return False
        if none_match:
            tags = (tag.strip().removeprefix("W/") for tag in none_match.split(","))
            return any(tag == "*" or tag.encode() == self.etag.removeprefix(b"W/") for tag in tags)
        since = _seconds(modified_since)
        return self.modified is not None and since is not None and self.modified <= since

    def weight(self) -> int:
        return _OVERHEAD + len(self.body) + sum(map(len, self.coded.values()))


class Replies:
    """`robots` is said at every host in place of what the web itself says there."""

    def __init__(
        self, world: Servable, now: Callable[[], float], robots: str | None, most_kept: int = MOST_KEPT
    ) -> None:
        self.world, self._now = world, now
        typed = b"content-type: text/plain; charset=utf-8\r\n"
        self._robots = None if robots is None else Reply(200, typed, robots.encode())
        self._kept: OrderedDict[str, Reply] = OrderedDict()
        self._room = self._most = most_kept

    def of(self, url: str) -> Reply:
        if self._robots is not None and is_robots(url):
            return self._robots
        now = self._now()
        kept = self._kept.get(url)
        if kept is not None and (kept.at == now or kept.at >= self.world.settled):
            self._kept.move_to_end(url)
            return kept
        if kept is not None:
            self._room += self._kept.pop(url).weight()
        reply = self._kept[url] = _reply(bare(self.world, url, now), now)
        self._room -= reply.weight()
        self._make_room()
        return reply

    def coded(self, url: str, reply: Reply, encoding: str) -> bytes:
        """The body in this form; the plain one where it is not worth the trouble."""
        if len(reply.body) < _WORTH_PACKING:
            return reply.body
        packed = reply.coded.get(encoding)
        if packed is None:
            packed = reply.coded[encoding] = pack(encoding, reply.body)
            if self._kept.get(url) is reply:
                self._room -= len(packed)
                self._make_room()
        return packed

    def _make_room(self) -> None:
        while self._room < 0 and self._kept:
            self._room += self._kept.popitem(last=False)[1].weight()


def bare(world: Servable, url: str, now: float) -> Fetch:
    """One answer, redirects not followed. Where a redirect leads is what a look says, for that is how the web is
    crawled in simulation; a recorded header may be another spelling of it, or of an older version."""
    record = world.record(url, now)
    if not 300 <= record.status < 400:
        return record
    look = world.look(url, now)
    following = (*look.hops, look.final_url)[1:2]
    return replace(record, headers={**record.headers, "location": following[0]}) if following else record


def pack(encoding: str, body: bytes) -> bytes:
    if encoding == "gzip":
        return gzip.compress(body, 6, mtime=0)
    if encoding == "br":
        import brotli

        return bytes(brotli.compress(body, quality=5))
    if encoding == "zstd":
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return bytes(zstd.compress(body))
    raise Problem(f"{encoding!r} is no encoding that can be served.{closest(encoding, ENCODINGS)}")


def is_robots(url: str) -> bool:
    return url.endswith("/robots.txt") and url.count("/") == 3


def robots_text(delay: float | None = None, disallow: tuple[str, ...] = ()) -> str:
    """A robots.txt for everybody: so many seconds between visits, and where nobody may go."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in disallow or ("",))]
    return "\n".join([*lines, *([] if delay is None else [f"Crawl-delay: {delay:g}"]), ""])


def plain_reply(status: int, **more: str) -> Reply:
    """A short page that says its status."""
    said = f"{status} {REASONS.get(status, 'Unknown')}"
    body = f"<html><head><title>{said}</title></head><body><p>{said}</p></body></html>".encode()
    return Reply(status, _lines({"content-type": "text/html; charset=utf-8", **more}), body)


def mistyped(reply: Reply) -> Reply:
    """The same body under a type that it has not."""
    return Reply(reply.status, _lines({"content-type": WRONG_TYPE}), reply.body)


def _reply(fetch: Fetch, now: float) -> Reply:
    if not fetch.status:
        return Reply(0, silence=max(fetch.seconds, 0.001), at=now)
    if not 200 <= fetch.status <= 999:
        return plain_reply(502)
    headers = {name: fetch.headers[name] for name in _PASSED if name in fetch.headers}
    tag = b'W/"%s"' % xxhash.xxh3_128_hexdigest(fetch.body).encode() if fetch.status == 200 else b""
    modified = _seconds(headers.get("last-modified", ""))
    return Reply(fetch.status, _lines(headers), fetch.body, tag, modified, now)


def _lines(headers: dict[str, str]) -> bytes:
    """Header lines; a recorded value that would break one is left out."""
    kept = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items() if value.isprintable()]
    return "".join(kept).encode("utf-8", "replace")


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
