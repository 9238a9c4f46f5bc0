"""Every answer of a run can be found by its index, by tools that know nothing of us."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fastwarc.warc import ArchiveIterator

from wolfspider.core.model import Capture
from wolfspider.store.archive import Archive
from wolfspider.store.cdxj import surt
from wolfspider.store.indexing import index


def capture(number: int, status: int = 200) -> Capture:
    url = f"http://host{number}.test/page?b={number}"
    return Capture(url, 1.7e9 + number, status, (("Content-Type", "text/html; charset=utf-8"),), b"body %d" % number)


def test_each_line_leads_to_its_record(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "warc", info={"software": "test"}, largest=2000)
    for number in range(30):
        archive.append(capture(number, 301 if number % 7 == 0 else 200))
    archive.close()
    assert index(tmp_path / "warc") == len(list((tmp_path / "warc").glob("*.warc.gz"))) > 1
    found = set()
    for made in (tmp_path / "warc").glob("*.cdxj"):
        lines = made.read_bytes().splitlines()
        assert lines == sorted(lines)
        for line in lines:
            key, date, told = line.decode().split(" ", 2)
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
    assert (index(tmp_path / "warc"), index(tmp_path / "warc")) == (1, 0)
    archive.append(capture(2))
    archive.close()
    later = (tmp_path / "warc" / "00000.cdxj").stat().st_mtime_ns + 1_000_000
    os.utime(tmp_path / "warc" / "00000.warc.gz", ns=(later, later))
    assert index(tmp_path / "warc") == 1
    assert len((tmp_path / "warc" / "00000.cdxj").read_bytes().splitlines()) == 2
