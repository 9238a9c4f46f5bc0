"""What is written is WARC 1.1 as others read it."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory

from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.web.warc import read, scan
from wolfspider.web.warc_writer import WarcWriter


def written(*responses: tuple[str, float, int, dict[str, str], bytes]) -> bytes:
    file = io.BytesIO()
    writer = WarcWriter(file)
    writer.info(0.0, {"software": "a test"})
    for response in responses:
        writer.response(*response)
    assert writer.records == 1 + len(responses)
    return file.getvalue()


PAGE = ("http://a.test/", 1_110_153_600.25, 200, {"content-type": "text/html"}, b"<p>one</p>")
MOVED = ("http://a.test/old", 1_110_153_600.0, 301, {"location": "http://a.test/"}, b"")


def test_another_reader_finds_records_with_digests_that_fit() -> None:
    records = []
    for record in ArchiveIterator(io.BytesIO(written(PAGE, MOVED)), record_types=WarcRecordType.any_type):
        if record.record_type == WarcRecordType.response:
            assert record.verify_payload_digest()
        records.append((record.record_type, record.headers.get("WARC-Target-URI"), record.headers.get("WARC-Date")))
    assert records == [
        (WarcRecordType.warcinfo, None, "1970-01-01T00:00:00Z"),
        (WarcRecordType.response, PAGE[0], "2005-03-07T00:00:00.250000Z"),
        (WarcRecordType.response, MOVED[0], "2005-03-07T00:00:00Z"),
    ]


def test_every_record_is_a_gzip_member_of_its_own() -> None:
    data = written(PAGE, MOVED)
    assert data.count(b"\x1f\x8b\x08") >= 3
    assert gzip.decompress(data).count(b"WARC/1.1\r\n") == 3
    assert len({part.split(b"\r\n")[0] for part in gzip.decompress(data).split(b"WARC-Record-ID: ")[1:]}) == 3


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
