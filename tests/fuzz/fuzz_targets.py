"""What is fuzzed: everything that reads bytes of strangers, each with what must hold whatever these bytes are.

A target takes one input, bytes of any kind, and raises if a promise is broken; its docstring is the promise. Where a
reader needs more than bytes, the first line of the input says the rest, such as a Content-Type.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import hashlib
import json
import math
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings, from_file
from wolfspider.core import codec
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import Command
from wolfspider.core.model import FAILURES, Capture, Failure, Fetch, Link, Page
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Rule
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import simulated_crawl
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.strategy import NoParams
from wolfspider.store import archive_reader, cdxj, row_codec, schema, snapshots
from wolfspider.store.shelf import DiskShelf
from wolfspider.strategies import all_strategies
from wolfspider.strategies.breadth_first import BreadthFirst
from wolfspider.testing.sketch import Sketch
from wolfspider.web.http import guard, robots
from wolfspider.web.http.inflate import inflated, inflater
from wolfspider.web.http.polite import retry_after
from wolfspider.web.page import charset, dates, html, packed
from wolfspider.web.page.bounded_text import MOST_WORDS
from wolfspider.web.page.page_reading import ANCHOR, MOST_LINKS, TITLE
from wolfspider.web.page.plaintext import MOST, readable
from wolfspider.web.page.urls import LONGEST, canonical
from wolfspider.web.seeds import feeds, search, sitemaps
from wolfspider.web.warc import reader, writer
from wolfspider.web.worlds.world import Request

Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {}

BASE = "http://fuzz.test/a/b?c=d"
AT = 1_790_000_000.0
MEMBER = b"\n=member=\n"  # between the parts of an input that become gzip members of one file
ADDRESSES = ("http://fuzz.test/", "http://fuzz.test/a/b?c=d", "http://fuzz.test/%C3%A9/*$")


def target(function: Target) -> Target:
    TARGETS[function.__name__] = function
    return function


@functools.cache
def folder() -> Path:
    """Where inputs lie that are read as files; removed when the process ends."""
    folder.kept = tempfile.TemporaryDirectory(prefix="fuzz-")  # type: ignore[attr-defined]
    return Path(folder.kept.name)  # type: ignore[attr-defined]


def headed(data: bytes) -> tuple[str, bytes]:
    """The first line, as a header has it, and the rest."""
    line, _, rest = data.partition(b"\n")
    return line[:1000].decode("utf-8", "surrogateescape"), rest


def is_canonical(url: str) -> bool:
    return canonical(url) == url and url.isascii() and url.isprintable() and len(url) <= LONGEST


# Pages


@target
def page(data: bytes) -> None:
    """Any answer is a page within its bounds or a named failure, always the same, and survives being stored."""
    kind, body = headed(data)
    headers = {"content-type": kind, "x-robots-tag": kind, "content-language": kind, "last-modified": kind}
    fetch = Fetch(BASE, BASE, 200, headers, body, at=AT)
    result = html.parse(fetch)
    assert html.parse(fetch) == result
    assert len(readable(body, kind)) <= MOST
    if isinstance(result, Page):
        _within_bounds(result)
        assert row_codec.unpacked_page(row_codec.packed_page(result)) == result
    else:
        assert result.kind in FAILURES
    assert packed.result_of(packed.unpacked(packed.packed(packed.parts_of(result))), BASE, AT) == result


def _within_bounds(page: Page) -> None:
    words = len(page.words)
    assert words <= MOST_WORDS and len(page.links) <= MOST_LINKS and len(page.title) <= TITLE
    assert len({link.url for link in page.links}) == len(page.links)
    for rank, link in enumerate(page.links):
        first, last = link.block
        assert is_canonical(link.url) and link.rank == rank
        assert 0 <= first <= last <= words and 0 <= link.at <= words
    assert not page.canonical or is_canonical(page.canonical)
    assert page.language == "" or (len(page.language) == 2 and page.language.isascii())
    assert page.published is None or dates.EARLIEST <= page.published < AT + 3 * 86_400
    assert 0 <= page.near < 1 << 64


@target
def text(data: bytes) -> None:
    """Any Content-Type and any bytes have a kind and a text; only charsets of browsers are used."""
    kind, body = headed(data)
    assert charset.kind_of(kind, body) in ("html", "text", "pdf", "")
    decoded, codec_name = charset.decoded(kind, body)
    assert len(decoded) <= max(1, len(body))
    assert charset.codec_of(kind) in (None, *charset._CODECS.values())
    assert codec_name in charset._CODECS.values()


@target
def address(data: bytes) -> None:
    """Any text is an address in its one spelling or none, and the guard decides on it without a look-up."""
    told = data[:20_000].decode("utf-8", "surrogatepass") if _is_text(data) else data[:20_000].decode("latin-1")
    for url in (canonical(told), canonical(told, BASE)):
        if url is not None:
            assert is_canonical(url)
            wanted = guard.target(url)
            assert isinstance(wanted, Failure) or guard.target(wanted.url) == wanted
            refused = guard.Guard().refuses(url)
            assert refused is None or refused.kind in FAILURES
    seconds = dates.seconds(told)
    assert seconds is None or math.isfinite(seconds)
    wait = retry_after({"retry-after": told}, AT)
    assert wait is None or wait >= 0
    try:
        rule = Rule.read(told)
    except Problem:
        return
    assert rule.matches("http://fuzz.test/a") in (True, False)


def _is_text(data: bytes) -> bool:
    try:
        data[:20_000].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


@target
def inflate(data: bytes) -> None:
    """Any body in any encodings gives at most so many bytes, the same in whatever pieces it comes."""
    encoding, body = headed(data)
    most = 100_000
    found = inflated(body, encoding, most)
    if isinstance(found, Failure):
        assert found.kind == "encoding"
        return
    assert len(found[0]) <= most
    if isinstance(undoing := inflater(encoding, most), Failure) or found[1]:
        return
    pieces = b"".join(undoing.feed(body[place : place + 7]) for place in range(0, len(body), 7))
    assert undoing.whole and pieces == found[0]


# What sites say of themselves


@target
def robots_txt(data: bytes) -> None:
    """Any bytes are a robots.txt: small, obeyed, and what we kept of it means the same when it is read again."""
    kept = robots.ours(data)
    assert robots.ours(kept.encode("utf-8", "surrogatepass")) == kept
    rules = robots.Rules(kept)
    assert 0 <= rules.delay <= robots.LONGEST_DELAY
    assert len(rules.sitemaps) <= robots.MOST_SITEMAPS
    again = robots.Rules(kept)
    for url in ADDRESSES:
        assert rules.allows(url) == again.allows(url)
        assert isinstance(rules.deciding(url), str)


@target
def sitemap(data: bytes) -> None:
    """Any bytes are a sitemap of so many canonical addresses."""
    kind, body = headed(data)
    sitemaps.is_sitemap(body, kind)
    found = sitemaps.entries(body, BASE, kind)
    assert len(found.urls) + len(found.nested) <= sitemaps.MOST_ENTRIES
    assert all(is_canonical(url) for url, _ in found.urls) and all(map(is_canonical, found.nested))
    assert all(changed is None or math.isfinite(changed) for _, changed in found.urls)


@target
def feed(data: bytes) -> None:
    """Any bytes are a feed of so many entries with canonical addresses, and any page names so many feeds."""
    kind, body = headed(data)
    feeds.is_feed(body, kind)
    found = feeds.entries(body, BASE, kind, AT)
    assert len(found.entries) <= feeds.MOST_ENTRIES
    for entry in found.entries:
        assert is_canonical(entry.url)
        assert len(entry.title) <= ANCHOR and len(entry.title.splitlines()) <= 1 and entry.title.encode()[:0] == b""
        assert entry.published is None or entry.published >= dates.EARLIEST
    named = feeds.feeds_of(body, BASE, kind)
    assert len(named) <= feeds.MOST_NAMED and all(map(is_canonical, named))


class OneAnswer:
    """A Web that always answers the same."""

    def __init__(self, status: int, body: bytes) -> None:
        self.status, self.body = status, body

    async def fetch(self, request: Request) -> Fetch:
        return Fetch(request.url, request.url, self.status, {}, self.body, at=AT)


@target
def search_answer(data: bytes) -> None:
    """Any answer of a search service gives canonical addresses, or a printable sentence that says why not."""
    status, body = headed(data)
    web = OneAnswer(int(status) if status.isascii() and status.isdecimal() and len(status) == 3 else 200, body)
    found = asyncio.run(search.search(web, "http://search.test/", "wolf spiders", 20))
    assert len(found.links) <= 20 and all(is_canonical(link.url) for link in found.links)
    assert found.links or found.problems
    assert all(sentence.isprintable() for _, sentence in found.problems)


# Files


def as_file(data: bytes, path: Path) -> Path:
    """An input that begins with `z` is packed first, each part as a gzip member; another is the file as it is."""
    if data[:1] == b"z":
        data = b"".join(gzip.compress(part, 1, mtime=0) for part in data[1:].split(MEMBER))
    path.write_bytes(data)
    return path


@target
def warc(data: bytes) -> None:
    """Any bytes are a WARC file of others: records lie one behind the other, and each is read or passed over."""
    path = as_file(data, folder() / "strange.warc")
    notes: list[str] = []
    end, size = 0, path.stat().st_size
    for entry in reader.scan(path, notes):
        assert end <= entry.offset < entry.offset + entry.length <= size + 4
        end = entry.offset + entry.length
        assert math.isfinite(entry.date)
        answer = reader.read(path, entry.offset, entry.length)
        assert answer is None or len(answer.body) <= reader.LARGEST_BODY
    assert len(notes) <= 50 and all("\n" not in note for note in notes)


@target
def archive(data: bytes) -> None:
    """Any bytes in the archive of a run are told as damage in sentences, and only BadInput is raised."""
    warcs = folder() / "warc"
    warcs.mkdir(exist_ok=True)
    path = as_file(data, warcs / archive_reader.name_of(0))
    health = archive_reader.check(warcs)
    assert all(isinstance(sentence, str) for sentence in health.damage)
    for offset, length, _ in archive_reader.members(path):
        with suppress(BadInput):
            archive_reader.read(warcs, archive_reader.RecordPlace(0, offset, length))
    cdxj.index_of(path).unlink(missing_ok=True)
    try:
        cdxj.index_archive(warcs)
    except BadInput:
        return
    for line in cdxj.index_of(path).read_bytes().splitlines():
        assert len(line.split(b" ", 2)) == 3


@target
def answer(data: bytes) -> None:
    """Any answer that was written to the archive is read from it as it came."""
    head, body = headed(data)
    name, _, value = head.partition(":")
    plain = dict.fromkeys(map(ord, "\r\n\x00"), " ")
    name, value = name.translate(plain).strip() or "x", value.translate(plain)
    if name.lower() == "transfer-encoding":
        return
    capture = Capture(BASE, AT, 200 + len(body) % 300, ((name, value),), body, "192.0.2.1", "")
    warcs = folder() / "answers"
    warcs.mkdir(exist_ok=True)
    record = writer.response(capture)
    (warcs / archive_reader.name_of(0)).write_bytes(record)
    assert archive_reader.read(warcs, archive_reader.RecordPlace(0, 0, len(record))) == capture
    assert not archive_reader.check(warcs).damage


@target
def snapshot(data: bytes) -> None:
    """Any bytes are a snapshot or BadInput; and what one holds is stored again as it was. An input that begins with `z`
    is the text of one, and its arrays."""
    if data[:1] == b"z":
        text, *arrays = data[1:].split(MEMBER)
        packed_text = zlib.compress(text, 1)
        lengths = {f"a{number}": len(array) for number, array in enumerate(arrays)}
        head = json.dumps({"format": snapshots.FORMAT, "text": len(packed_text), "arrays": lengths})
        data = head.encode() + b"\n" + packed_text + b"".join(arrays)
    all_strategies()  # what a snapshot may hold is registered by those that store it
    digest = hashlib.blake2b(data, digest_size=32)
    name = snapshots.name_of(1, 1)
    path = folder() / name
    path.write_bytes(data + digest.digest())
    try:
        state = snapshots.state_of(folder(), name, digest.hexdigest())
    except BadInput:
        return
    finally:
        path.unlink()
    try:
        stored = codec.store(state)
    except (TypeError, ValueError, AttributeError):
        return  # wrong data of a known kind, which a strategy refuses
    assert codec.store(codec.load(*stored)) == stored


@target
def shelf(data: bytes) -> None:
    """Any bytes of a shelf are links or BadInput, at every place."""
    path = folder() / "shelf"
    path.write_bytes(data)
    kept = DiskShelf(path, len(data))
    try:
        for place in range(min(len(data) + 2, 300)):
            try:
                found, source, _ = kept.get(place)
            except BadInput:
                continue
            assert isinstance(found, Link) and isinstance(source, str)
    finally:
        kept.close()


@target
def description(data: bytes) -> None:
    """Any run.json is a description of a run, or a sentence says what is wrong with it."""
    run = folder() / "run"
    run.mkdir(exist_ok=True)
    (run / "run.json").write_bytes(data)
    try:
        settings = settings_of(run)
    except Problem:
        return
    assert Settings.from_json(settings.to_json()) == settings


@target
def settings_file(data: bytes) -> None:
    """Any settings file has settings, or a sentence says what is wrong with it."""
    path = folder() / "settings.toml"
    path.write_bytes(data)
    try:
        given = from_file(path)
    except Problem:
        return
    settings = Settings(**given)
    assert Settings.from_json(settings.to_json()) == settings


# Commands


@target
def command(data: bytes) -> None:
    """Any row of commands is refused or is a command, which a crawl obeys or refuses by a sentence, and goes on."""
    said = data[: schema.LONGEST_COMMAND].decode("utf-8", "replace")
    try:
        found = row_codec.command_of(said)
    except Exception:  # as the inbox does, which refuses whatever is none
        return
    assert isinstance(found, Command)
    assert row_codec.command_of(codec.store(found)[0]) == found
    crawl = _crawl()
    said_of_it: list[object] = []
    crawl.listeners.append(said_of_it.append)
    crawl.command(found, 1.0)
    assert said_of_it
    codec.store(crawl.state())


def _crawl() -> Crawl:
    strategy = BreadthFirst(Topic(("spider",)), NoParams(), generator(1), Shelf())
    crawl = simulated_crawl(strategy, "keywords", Sketch(), Limits(50, slots=4))
    crawl.begin([Link("http://host0.test/0")], 0.0)
    return crawl
