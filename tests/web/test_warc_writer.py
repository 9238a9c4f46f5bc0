"""What is written is WARC 1.1 as others read it."""

from __future__ import annotations

import base64
import hashlib
import random
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from fastwarc.warc import ArchiveIterator
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Capture
from wolfspider.web.warc.reader import read, scan
from wolfspider.web.warc.writer import HeldCopy, exchange, info, metadata, response, revisit


def written(*responses: tuple[str, float, int, dict[str, str], bytes]) -> bytes:
    captures = [Capture(url, at, status, tuple(headers.items()), body) for url, at, status, headers, body in responses]
    return b"".join([info(0.0, {"software": "a test"}), *map(response, captures)])


PAGE = ("http://a.test/", 1_110_153_600.25, 200, {"content-type": "text/html"}, b"<p>one</p>")
MOVED = ("http://a.test/old", 1_110_153_600.0, 301, {"location": "http://a.test/"}, b"")


def members(data: bytes) -> list[bytes]:
    """What each gzip member of a file inflates to."""
    found = []
    while data:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        found.append(inflater.decompress(data))
        assert inflater.eof
        data = inflater.unused_data
    return found


def fields(record: bytes) -> dict[str, str]:
    lines = record.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    assert lines[0] == "WARC/1.1"
    return dict(line.split(": ", 1) for line in lines[1:])


def test_every_record_is_a_gzip_member_with_its_fields() -> None:
    records = members(written(PAGE, MOVED))
    named = [fields(record) for record in records]
    assert [(f["WARC-Type"], f.get("WARC-Target-URI"), f["WARC-Date"]) for f in named] == [
        ("warcinfo", None, "1970-01-01T00:00:00Z"),
        ("response", PAGE[0], "2005-03-07T00:00:00.250000Z"),
        ("response", MOVED[0], "2005-03-07T00:00:00Z"),
    ]
    assert len({f["WARC-Record-ID"] for f in named}) == 3
    for record, f in zip(records, named, strict=True):
        block = record.partition(b"\r\n\r\n")[2]
        assert len(block) == int(f["Content-Length"]) + 4 and block.endswith(b"\r\n\r\n")


def test_the_answer_stands_there_as_it_came_and_its_digest_fits() -> None:
    _, page, moved = members(written(PAGE, MOVED))
    assert page.endswith(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>one</p>\r\n\r\n")
    assert b"HTTP/1.1 301 Moved Permanently\r\nlocation: http://a.test/\r\n" in moved
    # sha1 of b"<p>one</p>", base32, as `sha1sum` and RFC 4648 have it
    digest = base64.b32encode(hashlib.sha1(b"<p>one</p>").digest()).decode()
    assert fields(page)["WARC-Payload-Digest"] == f"sha1:{digest}"


@given(st.binary(max_size=500), st.integers(200, 599), st.integers(0, 2**31))
def test_our_reader_gives_back_what_was_written(body: bytes, status: int, date: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "web.warc.gz"
        path.write_bytes(written(("http://a.test/x?y=1", float(date), status, {"content-type": "text/plain"}, body)))
        notes: list[str] = []
        (entry,) = scan(path, notes)
        assert (entry.url, entry.date, entry.status, notes) == ("http://a.test/x?y=1", float(date), status, [])
        response = read(path, entry.offset, entry.length)
        assert response is not None
        assert (response.status, response.headers, response.body) == (status, {"content-type": "text/plain"}, body)


def test_a_body_that_came_compressed_hardly_grows() -> None:
    body = random.Random(1).randbytes(10_000)
    packed = Capture("http://a.test/", 1.0, 200, (("content-encoding", "br"),), body)
    assert len(response(packed)) < 10_500
    assert members(response(packed))[0].endswith(body + b"\r\n\r\n")


def test_the_same_record_has_the_same_name_and_another_another() -> None:
    base = Capture("http://a.test/", 1.0, 200, (("a", "b"),), b"body", "127.0.0.1")
    others = [
        Capture("http://a.test/x", 1.0, 200, (("a", "b"),), b"body", "127.0.0.1"),
        Capture("http://a.test/", 2.0, 200, (("a", "b"),), b"body", "127.0.0.1"),
        Capture("http://a.test/", 1.0, 404, (("a", "b"),), b"body", "127.0.0.1"),
        Capture("http://a.test/", 1.0, 200, (("a", "c"),), b"body", "127.0.0.1"),
        Capture("http://a.test/", 1.0, 200, (("a", "b"),), b"ydob", "127.0.0.1"),
        Capture("http://a.test/", 1.0, 200, (("a", "b"),), b"body", "127.0.0.1", "time"),
    ]
    names = [fields(members(response(capture))[0])["WARC-Record-ID"] for capture in (base, base, *others)]
    assert names[0] == names[1] and len(set(names)) == 1 + len(others)


def test_a_request_stands_behind_its_answer_without_what_could_be_a_secret() -> None:
    sent = (("Host", "a.test"), ("User-Agent", "x"), ("Cookie", "KEY"), ("AUTHORIZATION", "KEY"))
    capture = Capture("http://a.test/x?y=1", 1.0, 200, (), b"body", "127.0.0.1", asked=sent)
    unchanged = Capture("http://a.test/", 1.0, 304, (), b"", asked=(*sent, ("Proxy-Authorization", "KEY")))
    for answer, request in (exchange(capture), exchange(unchanged, HeldCopy("http://a.test/", 0.5))):
        (first,), (second,) = members(answer), members(request)
        named = fields(second)
        assert named["WARC-Type"] == "request" and named["WARC-Concurrent-To"] == fields(first)["WARC-Record-ID"]
        assert named["WARC-Target-URI"] == fields(first)["WARC-Target-URI"] and b"KEY" not in second
    assert members(exchange(capture)[1])[0].endswith(
        b"GET /x?y=1 HTTP/1.1\r\nHost: a.test\r\nUser-Agent: x\r\n\r\n\r\n\r\n"
    )
    assert exchange(Capture("http://a.test/", 1.0, 200, (), b"body"))[1] == b""


def test_every_record_has_a_digest_of_its_block_that_another_reader_verifies(tmp_path: Path) -> None:
    capture = Capture("http://a.test/", 1.0, 200, (("a", "b"),), b"body", asked=(("Host", "a.test"),))
    written = (
        info(1.0, {"software": "a test"}),
        *exchange(capture),
        *exchange(capture, HeldCopy("http://a.test/", 0.5)),
        metadata("http://a.test/", 2.0, {"via": "b"}),
    )
    (tmp_path / "all.warc.gz").write_bytes(b"".join(written))
    with (tmp_path / "all.warc.gz").open("rb") as file:
        kinds = [record.headers["WARC-Type"] for record in ArchiveIterator(file, parse_http=False, verify_digests=True)]
        file.seek(0)
        verified = [record.verify_block_digest() for record in ArchiveIterator(file, parse_http=False)]
    assert kinds == ["warcinfo", "response", "request", "revisit", "request", "metadata"] and all(verified)


def test_what_else_there_is_to_say_has_records_of_its_own() -> None:
    unchanged = Capture("http://a.test/", 100.0, 304, (("ETag", "x"),), b"", "::1")
    named = [
        fields(members(record)[0])
        for record in (
            info(1.0, {"software": "a test"}, name="00000.warc.gz"),
            metadata("http://a.test/", 2.0, {"via": "b"}),
            revisit(unchanged, HeldCopy("http://a.test/", 50.0)),
        )
    ]
    assert [f["WARC-Type"] for f in named] == ["warcinfo", "metadata", "revisit"]
    assert named[0]["WARC-Filename"] == "00000.warc.gz" and named[1]["WARC-Target-URI"] == "http://a.test/"
    assert named[2]["WARC-Refers-To-Date"] == "1970-01-01T00:00:50Z" and named[2]["WARC-IP-Address"] == "::1"


@given(st.text(), st.text(), st.text())
def test_no_text_of_a_stranger_makes_a_second_field(name: str, value: str, url: str) -> None:
    (record,) = members(response(Capture(url, 1.0, 200, ((f"x{name}", value),), b"body")))
    head, _, block = record.partition(b"\r\n\r\n")
    assert head.count(b"\n") == head.count(b"\r") == 8 and block.endswith(b"\r\n\r\nbody\r\n\r\n")
    assert block.partition(b"\r\n\r\n")[0].count(b"\n") == 1
