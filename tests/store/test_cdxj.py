"""The index is sorted, complete, and leads to the records."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Capture
from wolfspider.files.failpoints import VARIABLE
from wolfspider.store.archive import Archive
from wolfspider.store.archive_reader import RecordPlace, name_of, numbers
from wolfspider.store.cdxj import IndexLine, SortedLines, index_archive, line, lines_of, surt, write
from wolfspider.web.warc.writer import response

# Address and key as the tools of web archives have it.
KEYS = [
    ("http://example.com/", "com,example)/"),
    ("http://www.example.com/", "com,example)/"),
    ("http://www2.example.com/goo/", "com,example)/goo"),
    ("https://archive.org/goo/?a=2&b", "org,archive)/goo?a=2&b"),
    ("http://archive.org:8080/goo/", "org,archive:8080)/goo"),
    ("https://archive.org:443/goo", "org,archive)/goo"),
    ("http://192.168.1.254/info/", "254,1,168,192)/info"),
    ("http://example.com/app?item=Wroc%C5%82aw", "com,example)/app?item=wroc%c5%82aw"),
    ("http://a.b.example.co.uk/X/Y.html", "uk,co,example,b,a)/x/y.html"),
    ("http://evil.com/foo;", "com,evil)/foo;"),
    ("http://host/%25", "host)/%25"),
    ("http://[2001:db8::1]:8080/x", "[2001:db8::1]:8080)/x"),
    ("http://[2001:db8::1]/", "[2001:db8::1])/"),
    ("http://wwwx.test/", "test,wwwx)/"),
    ("leap:Some topic", "leap:some%20topic"),
]


@pytest.mark.parametrize(("url", "key"), KEYS)
def test_keys_are_those_of_other_tools(url: str, key: str) -> None:
    assert surt(url) == key


rows = st.builds(
    IndexLine,
    url=st.one_of(
        st.sampled_from([url for url, _ in KEYS]), st.text(max_size=30).map(lambda path: f"http://é.test/{path}")
    ),
    at=st.integers(0, 10**10).map(float),
    mime=st.text(max_size=10),
    status=st.integers(100, 999),
    digest=st.just("sha1:X"),
    length=st.integers(0, 10**9),
    offset=st.integers(0, 10**12),
    filename=st.just("00000.warc.gz"),
)


@given(st.lists(rows, max_size=40), st.integers(1, 50))
def test_lines_are_sorted_however_many_are_sorted_at_a_time(given_rows: list[IndexLine], at_a_time: int) -> None:
    with TemporaryDirectory() as where:
        path = Path(where) / "index.cdxj"
        assert write(path, iter(given_rows), at_a_time) == len(given_rows)
        lines = path.read_bytes().splitlines(keepends=True)
        assert lines == sorted(map(line, given_rows)) and os.listdir(where) == ["index.cdxj"]
        for found in lines:
            key, time, told = found.decode().split(" ", 2)
            assert key and len(time) == 14 and set(json.loads(told)) == set(IndexLine._fields) - {"at"}


def test_an_entry_leads_to_its_record(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "web", info={"software": "x"})
    kept = [
        Capture(f"http://a.test/{n}", 1.8e9 + n, 200, (("Content-Type", "text/html"),), b"x" * n) for n in (3, 1, 2)
    ]
    places = [archive.append(capture) for capture in kept]
    archive.close()
    entries = (
        IndexLine(
            capture.url,
            capture.at,
            "text/html",
            capture.status,
            "sha1:Y",
            place.length,
            place.offset,
            name_of(place.file),
        )
        for capture, place in zip(kept, places, strict=True)
    )
    write(tmp_path / "index.cdxj", entries)
    assert stat.S_IMODE((tmp_path / "index.cdxj").stat().st_mode) == 0o600
    found = [json.loads(text.split(" ", 2)[2]) for text in (tmp_path / "index.cdxj").read_text().splitlines()]
    assert [told["url"] for told in found] == ["http://a.test/1", "http://a.test/2", "http://a.test/3"]
    for told in found:
        place = RecordPlace(int(told["filename"][:5]), int(told["offset"]), int(told["length"]))
        assert archive.read(place).url == told["url"]


CHILD = """
import sys
from pathlib import Path
from wolfspider.store.cdxj import IndexLine, write
write(Path(sys.argv[1]), [IndexLine("http://new.test/", 1.0, "", 200, "", 1, 2, "f")])
"""


@pytest.mark.parametrize(("point", "there"), [("index-before-rename", b"old"), ("index-renamed", b"new")])
def test_killed_while_writing_there_is_the_old_index_or_the_new(tmp_path: Path, point: str, there: bytes) -> None:
    path = tmp_path / "index.cdxj"
    path.write_bytes(b"old")
    for _ in range(2):  # what a killed one left behind does not stop the next
        run = subprocess.run(
            [sys.executable, "-c", CHILD, str(path)],
            env={**os.environ, VARIABLE: point},
            capture_output=True,
            timeout=60,
        )
        assert run.returncode == -signal.SIGKILL and there in path.read_bytes()


def capture(number: int, status: int = 200) -> Capture:
    url = f"http://host{number}.test/page?b={number}"
    return Capture(url, 1.7e9 + number, status, (("Content-Type", "text/html; charset=utf-8"),), b"body %d" % number)


def test_each_line_leads_to_its_record(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "warc", info={"software": "test"}, largest=2000)
    for number in range(30):
        archive.append(capture(number, 301 if number % 7 == 0 else 200))
    archive.close()
    assert index_archive(tmp_path / "warc") == len(list((tmp_path / "warc").glob("*.warc.gz"))) > 1
    found = set()
    for made in (tmp_path / "warc").glob("*.cdxj"):
        lines = made.read_bytes().splitlines()
        assert lines == sorted(lines)
        for text in lines:
            key, date, told = text.decode().split(" ", 2)
            row = json.loads(told)
            assert key == surt(row["url"]) and len(date) == 14 and row["mime"] == "text/html"
            with (tmp_path / "warc" / row["filename"]).open("rb") as file:
                file.seek(int(row["offset"]))
                record = next(iter(ArchiveIterator(file)))
            assert record.headers["WARC-Target-URI"] == row["url"]
            assert record.headers["WARC-Payload-Digest"] == row["digest"]
            found.add(row["url"])
    assert found == {capture(number).url for number in range(30)}


def test_only_what_was_written_to_is_indexed_again(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "warc", info={})
    archive.append(capture(1))
    assert (index_archive(tmp_path / "warc"), index_archive(tmp_path / "warc")) == (1, 0)
    archive.append(capture(2))
    archive.close()
    later = (tmp_path / "warc" / "00000.cdxj").stat().st_mtime_ns + 1_000_000
    os.utime(tmp_path / "warc" / "00000.warc.gz", ns=(later, later))
    assert index_archive(tmp_path / "warc") == 1
    assert len((tmp_path / "warc" / "00000.cdxj").read_bytes().splitlines()) == 2


@pytest.mark.parametrize("most", [30_000_000, 8_000, 0])
def test_what_a_session_knows_of_its_records_is_what_the_archive_says(
    tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wolfspider.store.cdxj._KNOWN", most)
    folder, end = tmp_path / "warc", None
    for session in range(3):
        archive = Archive(folder, info={"software": "test"}, largest=4000, start=end)
        for number in range(20 * session, 20 * session + 20):
            archive.append(replace(capture(number, 301 if number % 7 == 0 else 200), at=1.7e9 + number / 7))
            archive.revisit(capture(number, 304), "http://a.test/", 1.0)
            archive.append(Capture(f"http://a.test/{number}", 5.0, 200, (("Server", "caf\udce9"),), b""))
            archive.append(Capture(f"http://a.test/{number}", 6.0, 200, (("Content-Type", "\0text\r\n/\udce9"),), b""))
        if session == 1:  # as a hand packs it
            archive.add(response(capture(99)), 6.0)
        for number in numbers(folder):
            assert sorted(map(line, lines_of(folder, number, archive.lines))) == sorted(
                map(line, lines_of(folder, number))
            )
        end = archive.end()
        archive.close()
    assert len(numbers(folder)) > 4
    assert bool(most) == any(archive.lines.of(number)[1] for number in numbers(folder))


def test_long_lines_are_sorted_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wolfspider.store.cdxj._MOST_BYTES", 10_000)
    given_lines = [b"%d %s\n" % (number * 7 % 100, 1_000 * b"x") for number in range(100)]
    with ExitStack() as open_files:
        lines = SortedLines(tmp_path, open_files)
        for text in given_lines:
            lines.add(text)
            assert sum(map(len, lines._lines)) < 12_000
        assert list(lines.merged()) == sorted(given_lines)


def test_long_addresses_and_types_do_not_fill_the_memory_with_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wolfspider.store.cdxj._KNOWN", 100_000)
    archive = Archive(tmp_path / "warc", info={"software": "test"}, largest=200_000)
    for number in range(300):
        odd = ("Content-Type", f"{number}/" + 16_000 * "x")
        archive.append(Capture(f"http://a.test/{number:08000}", 5.0, 200, (odd,), b""))
        for file in numbers(tmp_path / "warc"):
            held = archive.lines.of(file)[1]
            assert sum(len(row.url) + len(row.mime) for row in held) < 110_000
    index_archive(tmp_path / "warc", archive.lines)
    assert len(numbers(tmp_path / "warc")) == 1
    lines = (tmp_path / "warc" / "00000.cdxj").read_bytes().splitlines()
    assert len(lines) == 300 and all(len(line) < 2 * 8_000 + 1_000 for line in lines)
    archive.close()
