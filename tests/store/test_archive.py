"""What is appended is read back as it came, by us and by others, whatever tore the end of the file."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Capture, Page
from wolfspider.files.disk import DiskFull
from wolfspider.files.failpoints import VARIABLE
from wolfspider.store import archive_reader
from wolfspider.store.archive import Archive, ArchiveEnd
from wolfspider.store.archive_reader import RecordPlace, check, entries, name_of, read
from wolfspider.store.recovery import LOST, Recovery, recover_archive
from wolfspider.web.page.html import parse
from wolfspider.web.warc import writer
from wolfspider.web.worlds.recorded import Recorded

INFO = {"software": "wolfspider/test", "operator": "someone@example.test", "description": "a run", "config": "ab12"}
AT = 1_800_000_000.5

tokens = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_!#$", min_size=1, max_size=20)
values = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n\0"), max_size=60).map(str.strip)
headers = st.lists(st.tuples(tokens.filter(lambda name: name.lower() != "transfer-encoding"), values), max_size=8).map(
    tuple
)
captures = st.builds(
    Capture,
    url=st.sampled_from(["http://a.test/", "https://b.test:8443/x?y=%20z", "http://[::1]/~c"]),
    at=st.integers(0, 4 * 10**15).map(lambda micro: micro / 1e6),
    status=st.integers(100, 999),
    headers=headers,
    body=st.binary(max_size=3000),
    address=st.sampled_from(["", "127.0.0.1", "::1"]),
    cut=st.sampled_from(["", "length", "time", "disconnect"]),
    asked=headers,
)


def page(number: int, size: int = 300) -> Capture:
    body = f"<title>Page {number}</title><p>{'word ' * (size // 5)}</p><a href='/{number + 1}'>next</a>".encode()
    asked = (("Host", "a.test"),) if number % 2 else ()
    return Capture(f"http://a.test/{number}", AT + number, 200, (("Content-Type", "text/html"),), body, asked=asked)


@pytest.mark.parametrize(("chunk", "piece"), [(1, 1), (97, 13), (100, 100), (5_000, 100)])
def test_records_are_found_whatever_is_read_at_once(
    chunk: int, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = Archive(tmp_path / "warc", info=INFO)
    places = [archive.append(page(number, size=100 * number)) for number in range(6)]
    archive.close()
    expected = list(entries(tmp_path / "warc", 0))
    monkeypatch.setattr(archive_reader, "_CHUNK", chunk)
    monkeypatch.setattr(archive_reader, "_PIECE", piece)
    assert list(entries(tmp_path / "warc", 0)) == expected
    assert [entry.place for entry in expected] == places
    assert check(tmp_path / "warc").damage == ()


def filled(folder: Path, count: int, **options: int) -> tuple[list[RecordPlace], ArchiveEnd]:
    archive = Archive(folder, info=INFO, **options)  # type: ignore[arg-type]
    places = [archive.append(page(number)) for number in range(count)]
    archive.sync()
    archive.close()
    return places, archive.end()


@given(st.lists(captures, min_size=1, max_size=5), st.sampled_from([1, 500, 10**9]))
def test_any_answer_is_read_back_as_it_came(kept: list[Capture], largest: int) -> None:
    with TemporaryDirectory() as where:
        archive = Archive(Path(where), info=INFO, largest=largest)
        places = [archive.append(capture) for capture in kept]
        assert [archive.read(place) for place in places] == kept
        archive.close()
        health = check(Path(where))
        answers = len(kept) + sum(bool(capture.asked) for capture in kept)
        assert health.damage == () and health.records == answers + len({place.file for place in places})
        last = ArchiveEnd(places[-1].file, places[-1].offset + places[-1].length)
        assert archive.end() > last if kept[-1].asked else archive.end() == last


@given(st.lists(captures, min_size=1, max_size=5))
def test_another_reader_reads_the_same(kept: list[Capture]) -> None:
    with TemporaryDirectory() as where:
        archive = Archive(Path(where), info=INFO)
        for capture in kept:
            archive.append(capture)
        archive.close()
        with (Path(where) / name_of(0)).open("rb") as file:
            records = list(seen(file))
        assert records[0]["kind"] == WarcRecordType.warcinfo
        assert all(record["whole"] for record in records)
        requests = [record for record in records if record["kind"] == WarcRecordType.request]
        assert len(requests) == sum(bool(capture.asked) for capture in kept)
        answers = [record for record in records[1:] if record["kind"] != WarcRecordType.request]
        for record, capture in zip(answers, kept, strict=True):
            assert record["kind"] == WarcRecordType.response and record["url"] == capture.url
            assert record["status"] == str(capture.status) and record["body"] == capture.body
            assert record["sound"] and record["cut"] == (capture.cut or None)
            assert record["address"] == (capture.address or None)


def seen(file: object) -> Iterator[dict[str, object]]:
    """What FastWARC makes of a file; without content decoding, and with digests compared."""
    for record in ArchiveIterator(file, parse_http=False):
        kind = record.record_type
        found: dict[str, object] = {"kind": kind, "url": record.headers.get("WARC-Target-URI")}
        record.freeze()
        found["whole"] = record.verify_block_digest()
        found["cut"], found["address"] = record.headers.get("WARC-Truncated"), record.headers.get("WARC-IP-Address")
        if kind == WarcRecordType.response:
            record.parse_http()
            found["sound"] = record.verify_payload_digest()
            found["status"] = record.http_headers.status_line.split()[1]
            found["body"] = record.reader.read()
        yield found


def test_bytes_of_headers_that_are_no_text_come_back(tmp_path: Path) -> None:
    odd = b"caf\xe9 \xff".decode("utf-8", "surrogateescape")
    archive = Archive(tmp_path, info=INFO)
    capture = Capture("http://a.test/", AT, 200, (("X-Odd", odd), ("x-odd", "é")), b"")
    assert archive.read(archive.append(capture)) == capture
    archive.close()


def test_no_header_can_end_the_head_or_begin_another(tmp_path: Path) -> None:
    archive = Archive(tmp_path, info=INFO)
    evil = (("X-A", "1\r\nX-B: 2\r\n\r\n<script>"), ("X\n: C", "\0"), ("\ud800", "\udc00"))
    place = archive.append(Capture("http://a.test/\r\nWARC-Type: request", AT, 200, evil, b"body"))
    archive.close()
    again = read(tmp_path, place)
    assert again.body == b"body" and [name for name, _ in again.headers][:1] == ["X-A"] and len(again.headers) == 3
    assert check(tmp_path).damage == ()


def test_a_transfer_coding_is_gone_and_a_content_coding_stays(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    html = b"<title>Packed</title><p>some words of a page</p>"
    body = packer.compress(html) + packer.flush()
    given_headers = (("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"), ("Content-Type", "text/html"))
    archive = Archive(tmp_path / "web", info=INFO)
    place = archive.append(Capture("http://a.test/", AT, 200, given_headers, body))
    assert archive.read(place).headers == given_headers[1:] and archive.read(place).body == body
    archive.close()
    web = Recorded(tmp_path / "web", tmp_path / "cache")
    assert web.body("http://a.test/", AT) == html
    with (tmp_path / "web" / name_of(0)).open("rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response, auto_decode="content")
        assert [record.reader.read() for record in records] == [html]


def test_the_folder_is_a_web_that_gives_the_same_pages(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "web", info=INFO, largest=500)
    for number in range(20):
        archive.append(page(number))
    moved = Capture("http://a.test/old", AT, 301, (("Location", "/3"),), b"")
    archive.append(moved)
    archive.add(writer.metadata("http://a.test/3", AT, {"found": "by hand"}), AT)
    archive.revisit(Capture("http://a.test/3", AT + 100, 304, (("ETag", '"x"'),), b""), "http://a.test/3", AT + 3)
    archive.close()
    assert archive.end().file > 3 and check(tmp_path / "web").damage == ()
    web = Recorded(tmp_path / "web", tmp_path / "cache")
    assert web.warnings == [] and len(web) == 21
    for number in range(20):
        seen_page, kept = web.look(page(number).url, AT + 200).page, page(number)
        parsed = parse(web.record(kept.url, AT + 200))
        assert isinstance(parsed, Page) and seen_page is not None
        assert (seen_page.title, seen_page.words, seen_page.links) == (parsed.title, parsed.words, parsed.links)
        assert web.body(kept.url, AT + 200) == kept.body
    landed = web.look("http://a.test/old", AT + 200)
    assert landed.final_url == "http://a.test/3" and landed.status == 200


def test_a_304_names_the_copy_that_still_holds(tmp_path: Path) -> None:
    archive = Archive(tmp_path, info=INFO)
    answer = Capture("http://a.test/3", AT + 100, 304, (("ETag", '"x"'),), b"", "127.0.0.1")
    place = archive.revisit(answer, "http://a.test/3", AT)
    archive.close()
    assert read(tmp_path, place) == answer
    with (tmp_path / name_of(0)).open("rb") as file:
        (record,) = ArchiveIterator(file, record_types=WarcRecordType.revisit)
        assert record.headers["WARC-Refers-To-Target-URI"] == "http://a.test/3"
        assert record.headers["WARC-Refers-To-Date"] == "2027-01-15T08:00:00.500000Z"
        assert record.headers["WARC-Profile"].endswith("/revisit/server-not-modified")


def test_every_file_says_first_whose_it_is(tmp_path: Path) -> None:
    places, _ = filled(tmp_path, 5, largest=1)
    assert [place.file for place in places] == [0, 1, 2, 3, 4]
    for number in range(5):
        with (tmp_path / name_of(number)).open("rb") as file:
            first = next(iter(ArchiveIterator(file)))
            told = first.reader.read().decode()
            assert first.headers["WARC-Filename"] == name_of(number)
        assert told == "".join(f"{name}: {value}\r\n" for name, value in INFO.items())


def test_a_record_torn_at_any_byte_is_cut_off(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    places, _ = filled(folder, 3)
    path, whole = folder / name_of(0), (folder / name_of(0)).read_bytes()
    committed = ArchiveEnd(0, places[2].offset)
    for size in range(places[2].offset, len(whole) + 1):
        path.write_bytes(whole[:size])
        found = recover_archive(folder, committed)
        assert found == Recovery(committed, size - places[2].offset, ())
        assert path.stat().st_size == committed.offset
    archive = Archive(folder, info=INFO, start=committed)
    assert archive.append(page(2)) == places[2]  # and the same record gives the same bytes
    archive.close()
    assert path.read_bytes() == whole


def test_a_file_shorter_than_committed_tells_its_last_whole_record(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    places, end = filled(folder, 3)
    path, whole = folder / name_of(0), (folder / name_of(0)).read_bytes()
    ends = [places[0].offset, *(place.offset + place.length for place in places), places[2].offset]  # with its request
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        valid = max((place for place in ends if place <= size), default=0)
        assert recover_archive(folder, end).end == ArchiveEnd(0, valid)
        assert path.stat().st_size == valid
    path.unlink()
    assert recover_archive(folder, end).end == ArchiveEnd(0, 0)


def test_files_behind_the_committed_end_are_moved_aside(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    places, end = filled(folder, 4, largest=1)
    committed = ArchiveEnd(1, (folder / name_of(1)).stat().st_size)
    assert recover_archive(folder, committed) == Recovery(committed, 0, ("00002.0.warc.gz", "00003.0.warc.gz"))
    archive = Archive(folder, info=INFO, largest=1, start=committed)
    archive.append(page(7))
    archive.close()
    assert recover_archive(folder, committed).aside == ("00002.1.warc.gz",)
    assert sorted(os.listdir(folder)) == [name_of(0), name_of(1), LOST] and end.file == 3
    assert recover_archive(folder, ArchiveEnd(0, 0)).cut == places[0].offset + places[0].length


def test_writing_goes_on_only_where_the_archive_ends(tmp_path: Path) -> None:
    places, _ = filled(tmp_path, 2)
    for start in (None, ArchiveEnd(0, 0), ArchiveEnd(0, places[1].offset), ArchiveEnd(0, 10**6)):
        with pytest.raises(BadInput, match="recover it"):
            Archive(tmp_path, info=INFO, start=start)


def test_what_is_no_record_is_refused_by_a_sentence(tmp_path: Path) -> None:
    places, _ = filled(tmp_path, 2)
    path = tmp_path / name_of(0)
    for wrong in (
        RecordPlace(0, 0, places[0].offset),  # the warcinfo
        RecordPlace(0, places[0].offset + 1, places[0].length),
        RecordPlace(0, places[0].offset, places[0].length - 1),
        RecordPlace(0, places[0].offset, places[0].length + 1),
        RecordPlace(0, places[0].offset, 10**12),
        RecordPlace(0, 10**9, 100),
        RecordPlace(0, -5, 100),
        RecordPlace(7, 0, 100),
    ):
        with pytest.raises(BadInput, match=r"archive is damaged|00007\.warc\.gz cannot be read"):
            read(tmp_path, wrong)
    data = bytearray(path.read_bytes())
    data[places[0].offset + places[0].length // 2] ^= 0x40
    path.write_bytes(data)
    with pytest.raises(BadInput, match="damaged"):
        read(tmp_path, places[0])
    assert read(tmp_path, places[1]) == page(1)
    (sentence,) = check(tmp_path).damage
    assert f"at byte {places[0].offset:,}" in sentence


def test_a_bomb_in_the_archive_is_not_blown_up(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(130)) + packer.flush()
    (tmp_path / name_of(0)).write_bytes(bomb)
    with pytest.raises(BadInput, match="damaged"):
        read(tmp_path, RecordPlace(0, 0, len(bomb)))
    assert check(tmp_path).records == 0


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """The system writes no file beyond this size: what it can of a write, then an error."""
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_write_that_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    archive = Archive(tmp_path, info=INFO)
    first = archive.append(page(1))
    end = archive.end()
    with largest_file(end.offset + 50), pytest.raises(OSError, match="large"):
        archive.append(page(2))
    assert archive.end() == end and (tmp_path / name_of(0)).stat().st_size == end.offset
    second = archive.append(page(2))
    archive.close()
    assert (read(tmp_path, first), read(tmp_path, second)) == (page(1), page(2)) and check(tmp_path).damage == ()


def test_a_full_disk_is_said_and_nothing_is_torn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path, info=INFO)
    archive.append(page(1))
    end, real = archive.end(), os.pwrite

    def full(handle: int, data: bytes, offset: int) -> int:
        if len(data) <= 40:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data[: len(data) - 40], offset)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(DiskFull, match="Make space"):
            archive.append(page(2))
    assert archive.end() == end and check(tmp_path) == check(tmp_path)._replace(bytes=end.offset, damage=())
    assert archive.read(archive.append(page(2))) == page(2)
    archive.close()


def test_others_can_neither_read_nor_redirect_the_archive(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    filled(folder, 1)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / name_of(0)).stat().st_mode) == 0o600
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    other = tmp_path / "other"
    other.mkdir()
    (other / name_of(0)).symlink_to(victim)
    for reach in (
        lambda: Archive(other, info=INFO),
        lambda: recover_archive(other, ArchiveEnd(0, 0)),
        lambda: read(other, RecordPlace(0, 0, 8)),
    ):
        with pytest.raises(BadInput, match="is a link to elsewhere"):
            reach()
    assert victim.read_bytes() == b"precious"


def test_readers_read_while_the_owner_writes_and_another_thread_syncs(tmp_path: Path) -> None:
    archive = Archive(tmp_path, info=INFO, largest=4000)
    committed: list[tuple[RecordPlace, int]] = []
    troubles: list[str] = []
    done = threading.Event()

    def reader() -> None:
        while not done.is_set() or not committed:
            for place, number in committed[-3:]:
                if read(tmp_path, place) != page(number):
                    troubles.append(f"{place}")

    def syncer() -> None:
        while not done.is_set():
            archive.sync()

    threads = [threading.Thread(target=work) for work in (reader, reader, syncer)]
    for thread in threads:
        thread.start()
    committed.extend((archive.append(page(number)), number) for number in range(300))
    done.set()
    for thread in threads:
        thread.join()
    archive.close()
    assert troubles == [] and archive.end().file > 5


CHILD = """
import sys
from pathlib import Path
from wolfspider.core.model import Capture
from wolfspider.store.archive import Archive, ArchiveEnd
folder = Path(sys.argv[1])
archive = Archive(folder, info={"software": "x"}, largest=2000, start=ArchiveEnd(*map(int, sys.argv[2:4])))
for number in range(100):
    archive.append(Capture(f"http://a.test/{number}", 1.0, 200, (), bytes(str(number), "ascii") * 500))
    archive.sync()
    print(*archive.end(), flush=True)
"""


@pytest.mark.parametrize(
    "point", ["before-write:3", "torn:4", "torn:1", "written:5", "before-rotation", "rotated:2", "synced:3"]
)
def test_killed_at_any_step_nothing_acknowledged_is_lost(tmp_path: Path, point: str) -> None:
    folder = tmp_path / "web"
    filled(folder, 2)
    start = ArchiveEnd(0, (folder / name_of(0)).stat().st_size)
    run = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), *map(str, start)],
        env={**os.environ, VARIABLE: f"archive-{point}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    ends = [start, *(ArchiveEnd(*map(int, line.split())) for line in run.stdout.splitlines())]
    found = recover_archive(folder, ends[-1])
    assert found.end == ends[-1] and (found.cut or found.aside or point in ("before-write:3", "before-rotation"))
    health = check(folder)
    assert health.damage == () and all(before < after for before, after in pairwise(ends))
    Archive(folder, info=INFO, start=found.end).close()
