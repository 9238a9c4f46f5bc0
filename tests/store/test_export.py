"""What is handed on of a run: each page once, none that asks not to be, in forms that other tools read."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import gzip
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

import wolfspider
from small_web import BREAD, EVIL, HTML, SMALL, SPIDERS, SmallWeb, page
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import Label
from wolfspider.export.export_tally import Exported
from wolfspider.export.exported_page import COLUMNS, FIELDS, SCHEMA
from wolfspider.export.exporting import export
from wolfspider.export.selection import Filters, Selection
from wolfspider.files.disk import whole_file
from wolfspider.store.folder import REPORT
from wolfspider.store.inbox import append_command
from wolfspider.store.row_codec import kept_headers
from wolfspider.store.view import RunView
from wolfspider.web.page.html import digest_of
from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.recorded import Recorded

DOCS = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
SETTINGS: dict[str, Any] = {"topic": "wolf spiders", "delay": 0.0, "adapt": 0.0, "tries": 1, "disk_floor": 0}


def crawled(folder: Path, web: SmallWeb = SMALL, **settings: Any) -> None:
    async def main() -> None:
        async with serve(web) as served:
            hunt = wolfspider.crawl(
                "http://a.test/", out=folder, via=f"127.0.0.1:{served.port}", **{**SETTINGS, **settings}
            )
            await asyncio.wait_for(hunt.run(), 60)

    asyncio.run(main())


def gone_on(folder: Path, **settings: Any) -> None:
    async def main() -> None:
        async with serve(SMALL) as served:
            await asyncio.wait_for(wolfspider.resume(folder, via=f"127.0.0.1:{served.port}", **settings).run(), 60)

    asyncio.run(main())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "run"
    crawled(folder)
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def written(folder: Path, form: str, *, raw: bool = False, **filters: Any) -> tuple[bytes, Exported]:
    out = io.BytesIO()
    told = export(folder, form, None, Filters(**filters), stdout=out, raw=raw)
    return out.getvalue(), told


def lines(folder: Path, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(folder, "jsonl", **options)[0].splitlines()]


# JSON lines


def test_a_line_has_all_fields_in_their_order_and_each_is_documented(made: Path) -> None:
    assert all(tuple(line) == FIELDS for line in lines(made))
    section = DOCS.partition("\n## JSON lines\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE)) == FIELDS


def test_each_page_is_there_once_by_its_final_address(made: Path) -> None:
    addresses = [line["final_url"] for line in lines(made)]
    assert len(addresses) == len(set(addresses))
    assert {"http://a.test/good", "http://a.test/deep", "http://b.test/"} <= set(addresses)
    assert "http://a.test/old" not in addresses and "http://a.test/gone" not in addresses


def test_a_page_that_asks_not_to_be_indexed_is_never_handed_on_and_that_is_said(made: Path) -> None:
    for form in ("jsonl", "csv", "warc"):
        data, told = written(made, form)
        assert b"/secret" not in (gzip.decompress(data).replace(b'href="/secret"', b"") if form == "warc" else data)
        assert told.withheld == 1 and "1 more left out, asking not to be indexed" in told.told()


def test_only_what_is_relevant(made: Path) -> None:
    everything, relevant = lines(made), lines(made, relevant=True)
    assert all(line["relevant"] for line in relevant)
    assert [line["url"] for line in relevant] == [line["url"] for line in everything if line["relevant"]]
    assert 0 < len(relevant) < len(everything)


def test_a_line_tells_what_the_page_says_and_where_it_was_found(made: Path) -> None:
    found = {line["final_url"]: line for line in lines(made)}
    good, start, deep = (found[f"http://a.test/{path}"] for path in ("good", "", "deep"))
    assert (good["title"], good["description"], good["status"], good["type"]) == (
        *("Good", "All about them.", 200),
        "text/html",
    )
    assert good["text"].split("\n\n")[:2] == ["Good", SPIDERS.strip()]
    assert (start["source"], start["depth"]) == ("", 0)
    assert (deep["source"], deep["anchor"], deep["depth"]) == ("http://a.test/good", "to deep", 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", good["fetched"])
    assert good["strategy"] == "hunter" and good["topic"] == "wolf spiders" and good["label"] is None
    assert re.fullmatch("[0-9a-f]{16}", good["near"]) and good["evidence"]["raw"] > 0
    assert found["http://a.test/notes"]["text"] == SPIDERS.strip()


def test_a_line_is_a_line_whatever_the_page_holds(made: Path) -> None:
    data, _ = written(made, "jsonl")
    assert len(data.decode().splitlines()) == data.count(b"\n")
    assert any(line["title"].startswith("\x1b]0;owned") or "red" in line["title"] for line in lines(made))


def test_where_a_page_lies_in_the_archive_is_where_it_lies(made: Path) -> None:
    for line in lines(made):
        data = (made / "warc" / line["warc_file"]).read_bytes()[line["warc_offset"] :][: line["warc_length"]]
        assert f"WARC-Target-URI: {line['final_url']}\r\n".encode() in gzip.decompress(data)


def test_the_word_of_a_person_stands_before_that_of_the_judge(run: Path) -> None:
    append_command(run, Label("http://b.test/", True), "test")
    append_command(run, Label("http://a.test/good", False), "test")
    gone_on(run)
    found = {line["final_url"]: line for line in lines(run)}
    assert found["http://b.test/"]["label"] is True and found["http://b.test/"]["score"] == 1
    assert found["http://a.test/good"]["label"] is False and not found["http://a.test/good"]["relevant"]
    assert "http://a.test/good" not in {line["final_url"] for line in lines(run, relevant=True)}
    assert found["http://a.test/good"]["why"] == "A person says that it is not relevant."


def test_an_export_is_one_moment_of_a_run_that_goes_on(tmp_path: Path) -> None:
    crawled(tmp_path / "run", pages=3)
    view = RunView(tmp_path / "run")
    with view.moment() as connection:
        pages = iter(Selection(view, connection))
        first = next(pages)
        gone_on(tmp_path / "run", pages=10)
        seen = [first, *pages]
    assert len(seen) <= 3 < len(lines(tmp_path / "run"))


def test_pages_are_taken_one_at_a_time(made: Path) -> None:
    view = RunView(made)
    with view.moment() as connection:
        pages = Selection(view, connection)
        next(iter(pages))
        assert pages.exported.pages == 1


def test_a_damaged_archive_costs_the_text_of_the_page_and_not_the_export(run: Path) -> None:
    hurt = next(line for line in lines(run) if line["final_url"] == "http://a.test/good")
    with (run / "warc" / hurt["warc_file"]).open("r+b") as file:
        file.seek(hurt["warc_offset"] + hurt["warc_length"] // 2)
        file.write(b"\0" * 20)
    found = {line["final_url"]: line for line in lines(run)}
    assert found["http://a.test/good"]["text"] is None and found["http://a.test/"]["text"]
    data, told = written(run, "warc")
    assert told.damaged == 1 and told.pages == len(found) - 1 and "damaged at 1" in told.told()
    assert b"WARC-Target-URI: http://a.test/deep\r\n" in gzip.decompress(data)


def test_what_the_second_version_of_the_fields_added(made: Path) -> None:
    found = {line["final_url"]: line for line in lines(made)}
    good, start, rolls = found["http://a.test/good"], found["http://a.test/"], found["http://b.test/rolls"]
    assert FIELDS.index("canonical") == FIELDS.index("robots") + 1 and FIELDS[-2] == "schema"
    assert good["schema"] == SCHEMA == 3 and good["canonical"] is None and isinstance(good["agent"], str)
    assert (good["parent"], start["parent"]) == ("http://a.test/", None)
    assert good["why"].startswith("Judged relevant: probability") and "wolf spiders" in good["why"]
    assert rolls["why"].startswith("Judged not relevant")
    assert rolls["near_duplicate_of"] == "http://b.test/" and start["near_duplicate_of"] is None
    assert good["tdm"] == {}


def test_the_third_version_says_of_each_page_whether_it_was_cut(run: Path) -> None:
    assert FIELDS[-1] == "truncated" and {line["truncated"] for line in lines(run)} == {False}
    with contextlib.closing(sqlite3.connect(run / "run.db", isolation_level=None)) as connection:
        connection.execute("UPDATE pages SET truncated = 1 WHERE final_url = 'http://a.test/good'")
    assert {line["final_url"] for line in lines(run) if line["truncated"]} == {"http://a.test/good"}
    rows = list(csv.DictReader(io.StringIO(written(run, "csv")[0].decode())))
    assert {row["final_url"]: row["truncated"] == "true" for row in rows} == {
        line["final_url"]: line["truncated"] for line in lines(run)
    }


SIGNALLING = """<html lang="en"><title>Spiders</title>
<meta property="article:published_time" content="2024-05-06T07:08:09Z">
<meta name="robots" content="noarchive"><link rel="canonical" href="/spiders?page=1">
<meta name="tdm-policy" content="https://a.test/policy">
<body><h1>Spiders</h1>"""


def test_every_field_of_a_page_with_a_redirect_a_twin_and_signals_is_right(tmp_path: Path) -> None:
    said = {"x-robots-tag": "noai", "tdm-reservation": "1", "content-usage": "train-ai=n"}
    body = f"{SIGNALLING}<p>{SPIDERS}</p></body>".encode()
    answer = (200, {"content-type": HTML, **said, "last-modified": "Tue, 07 May 2024 07:08:09 GMT"}, body)
    pages = {
        "http://a.test/": page("Start", BREAD, "/old", "/twin"),
        "http://a.test/new": answer,
        "http://a.test/twin": f"<title>Spiders</title><body><h1>Spiders</h1><p>{SPIDERS}</p> Twin.</body>",
    }
    crawled(tmp_path / "run", web=SmallWeb(pages, {"http://a.test/old": "http://a.test/new"}), strategy="breadth-first")
    found = {line["final_url"]: line for line in lines(tmp_path / "run")}
    line = found["http://a.test/new"]
    told = {name: line[name] for name in ("url", "canonical", "published", "modified", "status", "type", "language")}
    assert told == {
        "url": "http://a.test/old",
        "canonical": "http://a.test/spiders?page=1",
        "published": "2024-05-06T07:08:09Z",
        "modified": "2024-05-07T07:08:09Z",
        "status": 200,
        "type": "text/html",
        "language": "en",
    }
    assert sorted(line["robots"]) == ["noai", "noarchive"]
    signals = {name: said[name] for name in ("tdm-reservation", "content-usage")}
    assert line["tdm"] == {**signals, "tdm-policy": "https://a.test/policy"}
    assert (line["parent"], line["anchor"], line["depth"], line["agent"]) == ("http://a.test/", "to old", 1, "")
    assert line["near_duplicate_of"] is None and found["http://a.test/twin"]["near_duplicate_of"] == line["final_url"]
    assert (line["title"], line["charset"], line["size"]) == ("Spiders", "utf-8", len(body))
    assert line["digest"] == digest_of(body) and line["text"] == f"Spiders\n\n{SPIDERS.strip()}"


def test_signals_are_kept_however_many_other_headers_there_are() -> None:
    others = {f"x-{number:02}": "x" * 1_000 for number in range(20)}
    said = {"x-robots-tag": "noai", "tdm-reservation": "1", "content-usage": "train-ai=n"}
    assert said.items() <= kept_headers({**others, **said}).items()


# Which pages


def test_nearly_equal_pages_are_left_out_where_that_is_asked_for(made: Path) -> None:
    everything = lines(made)
    data, told = written(made, "jsonl", dedup=True)
    kept = [json.loads(line)["final_url"] for line in data.splitlines()]
    assert kept == [line["final_url"] for line in everything if line["near_duplicate_of"] is None]
    assert told.duplicates == len(everything) - len(kept) > 0 and "nearly equal" in told.told()


def test_the_best_come_first_and_no_more_than_asked_for(made: Path) -> None:
    by_score = sorted(lines(made), key=lambda line: -line["score"])
    for number in (1, 3, 100):
        best = lines(made, best=number)
        assert [line["final_url"] for line in best] == [line["final_url"] for line in by_score][:number]
    assert [line["near_duplicate_of"] for line in lines(made, best=2, dedup=True)] == [None, None]


def test_pages_of_a_language_and_since_a_time(made: Path) -> None:
    everything = lines(made)
    assert lines(made, languages=("en", "de")) == [line for line in everything if line["language"] in ("en", "de")]
    assert lines(made, languages=("xx",)) == []
    times = [page.at for page in RunView(made).pages() if not page.robots]
    assert len(lines(made, since=sorted(times)[-2])) == 2 and lines(made, since=max(times) + 1) == []


# Sinks


OWN_SINK = """
class Titles:
    def begin(self, about, out):
        self.out, self.number = out, 0
        out.write(about.topic.encode())

    def page(self, page):
        self.number += 1
        self.out.write(b"|" + page.fields["title"].encode())
        if page.fields["title"] == "Rolls" and FAILS:
            raise RuntimeError("no rolls")

    def end(self):
        self.out.write(b"|%d" % self.number)


class Folder(Titles):
    folder = True

    def begin(self, about, out):
        super().begin(about, (out / "titles").open("wb"))
"""


def own_sink(folder: Path, fails: bool = False) -> str:
    path = folder / f"own_{fails}.py"
    path.write_text(f"FAILS = {fails}\n{OWN_SINK}")
    return str(path)


def test_a_sink_in_a_file_of_ones_own(made: Path, tmp_path: Path) -> None:
    data, told = written(made, f"{own_sink(tmp_path)}:Titles", relevant=True)
    assert data.startswith(b"wolf spiders|Start|") and data.endswith(b"|%d" % told.pages)
    with pytest.raises(Problem, match="is a folder: say which by --out"):
        written(made, f"{own_sink(tmp_path)}:Folder")
    with pytest.raises(Problem, match="has 2: Folder, Titles"):
        written(made, own_sink(tmp_path))
    export(made, f"{own_sink(tmp_path)}:Folder", tmp_path / "out", stdout=io.BytesIO())
    assert (tmp_path / "out" / "titles").read_bytes().startswith(b"wolf spiders|")
    with pytest.raises(BadInput, match="is there already"):
        export(made, f"{own_sink(tmp_path)}:Folder", tmp_path / "out", stdout=io.BytesIO())


@pytest.mark.parametrize("kind", ["Titles", "Folder"])
def test_what_a_failing_sink_wrote_never_appears(made: Path, tmp_path: Path, kind: str) -> None:
    form = f"{own_sink(tmp_path, fails=True)}:{kind}"
    with pytest.raises(RuntimeError, match="no rolls"):
        export(made, form, tmp_path / "out", stdout=io.BytesIO())
    assert os.listdir(tmp_path) == ["own_True.py"]


def test_a_class_without_the_three_methods_is_no_sink(made: Path, tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text("class Half:\n    def begin(self, about, out):\n        pass\n")
    with pytest.raises(Problem, match="a class with the methods begin, page and end, and has none"):
        written(made, str(tmp_path / "half.py"))
    with pytest.raises(BadInput, match=r"There is no file nothing\.py, which should have a sink, "):
        written(made, "nothing.py")


def test_a_sink_of_an_installed_package(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brought.py").write_text(f"FAILS = False\n{OWN_SINK}")
    about = tmp_path / "brought-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[wolfspider.sinks]\ntitles = brought:Titles\nlacking = brought:Nothing\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert written(made, "titles")[0].startswith(b"wolf spiders|")
    with pytest.raises(Problem, match="'lacking' of brought:Nothing cannot be loaded"):
        written(made, "lacking")


# CSV


def table(folder: Path, **options: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(written(folder, "csv", **options)[0].decode(), newline="")))


def test_a_table_has_every_field_but_the_text(made: Path) -> None:
    rows = table(made)
    assert tuple(rows[0]) == COLUMNS and "text" not in COLUMNS
    assert [row["final_url"] for row in rows] == [line["final_url"] for line in lines(made)]
    assert {row["relevant"] for row in rows} == {"true", "false"} and json.loads(rows[0]["evidence"])


def test_a_spreadsheet_never_calculates_what_a_page_says(made: Path) -> None:
    def title(**options: Any) -> str:
        return next(row["title"] for row in table(made, **options) if row["final_url"] == "http://a.test/formula")

    assert title() == '\'=HYPERLINK("http://evil.test","click, please")'
    assert title(raw=True) == title()[1:]
    for row in table(made):
        assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for value in row.values())


def test_a_table_keeps_to_rfc_4180(made: Path) -> None:
    data, _ = written(made, "csv")
    assert data.endswith(b"\r\n") and b'"=HYPERLINK(' not in data
    assert b'"\'=HYPERLINK(""http://evil.test"",""click, please"")"' in data


def test_controls_of_terminals_and_turned_text_are_nowhere_in_lines_and_tables(made: Path) -> None:
    for form in ("jsonl", "csv"):
        text = written(made, form)[0].decode().replace("\r\n", "\n")
        assert all(char.isprintable() or char == "\n" for char in text)
    title = next(line["title"] for line in lines(made) if line["final_url"] == "http://a.test/evil")
    assert "\u202e" in title and "\u202e" in written(made, "csv", raw=True)[0].decode()


# WARC


def test_records_are_copied_byte_for_byte_and_say_why(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages.warc.gz"
    export(made, "warc", out, Filters(relevant=True), stdout=io.BytesIO())
    data, told = out.read_bytes(), lines(made, relevant=True)
    for line in told:
        original = (made / "warc" / line["warc_file"]).read_bytes()[line["warc_offset"] :][: line["warc_length"]]
        assert data.count(original) == 1
    with out.open("rb") as file:
        records = [(record.record_type, dict(record.headers), record.reader.read()) for record in ArchiveIterator(file)]
    assert records[0][0] == WarcRecordType.warcinfo and b"wolf spiders" in records[0][2]
    said = [block for kind, _, block in records if kind == WarcRecordType.metadata]
    assert len(said) == len(told) and all(b"relevant: true" in block and b"score: " in block for block in said)
    assert len(Recorded(out, tmp_path / "cache")) == len(told)


def test_the_index_beside_it_leads_to_the_records(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages.warc.gz"
    export(made, "warc", out, stdout=io.BytesIO())
    assert len({path.stat().st_mode for path in tmp_path.glob("pages.*")}) == 1  # what is handed on can be read alike
    index = (tmp_path / "pages.cdxj").read_text().splitlines()
    assert index == sorted(index) and len(index) == len(lines(made))
    for line in index:
        entry = json.loads(line.split(" ", 2)[2])
        record = gzip.decompress(out.read_bytes()[int(entry["offset"]) :][: int(entry["length"])])
        assert f"WARC-Target-URI: {entry['url']}\r\n".encode() in record and entry["filename"] == out.name
        assert f"WARC-Payload-Digest: {entry['digest']}".encode() in record


# Files


def test_the_same_run_gives_the_same_bytes(made: Path) -> None:
    for form in ("jsonl", "csv", "warc"):
        assert written(made, form)[0] == written(made, form)[0]


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "pages.jsonl"
    out.write_text("what was there before")
    with pytest.raises(AttributeError), whole_file(out) as file:
        file.half_of_it()  # type: ignore[attr-defined]
    assert out.read_text() == "what was there before" and os.listdir(tmp_path) == ["pages.jsonl"]


def test_a_link_to_elsewhere_is_replaced_and_never_written_through(made: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out.csv").symlink_to(tmp_path / "precious")
    export(made, "csv", tmp_path / "out.csv", stdout=io.BytesIO())
    assert (tmp_path / "precious").read_text() == "precious" and not (tmp_path / "out.csv").is_symlink()


def test_what_cannot_be_done_is_a_sentence(made: Path, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="Did you mean 'jsonl'"):
        export(made, "json", None, stdout=io.BytesIO())
    with pytest.raises(Problem, match="cannot be written"):
        export(made, "csv", tmp_path / "nowhere" / "out.csv", stdout=io.BytesIO())
    with pytest.raises(BadInput, match="is not a run"):
        export(tmp_path, "csv", None, stdout=io.BytesIO())


def test_the_evil_title_of_these_tests_is_evil() -> None:
    assert "\x1b" in EVIL and "\n" in EVIL and "\u202e" in EVIL


def test_what_a_killed_export_left_behind_is_removed_by_the_next_one(made: Path, tmp_path: Path) -> None:
    script = "import os, signal, sys, io; from pathlib import Path; from wolfspider.export import exporting, json_sink;"
    script += "json_sink.JsonLines.page = lambda sink, page: os.kill(os.getpid(), signal.SIGKILL);"
    script += "exporting.export(Path(sys.argv[1]), 'jsonl', Path(sys.argv[2]), stdout=io.BytesIO())"
    words = [sys.executable, "-c", script, str(made), str(tmp_path / "first.jsonl")]
    assert subprocess.run(words, timeout=60, check=False).returncode == -9
    (left,) = os.listdir(tmp_path)
    (tmp_path / ".notes.part").write_text("somebody else's")
    with whole_file(tmp_path / "another.csv", ending=".wolfspider-export"):  # it goes on while ours is made
        export(made, "jsonl", tmp_path / "second.jsonl", stdout=io.BytesIO())
    assert left not in os.listdir(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".notes.part", "another.csv", "second.jsonl"]


@pytest.mark.parametrize("command", [["export"], ["export", "--format", "markdown"], ["report"]])
@pytest.mark.parametrize("name", ["run.db", "run.json", "pages.jsonl", "warc/pages.jsonl", "../run/run.db"])
def test_nothing_is_written_among_the_files_of_the_run(
    command: list[str], name: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert main([*command, str(run), "--out", str(run / name)]) == 2
    assert "among the files of a run: name a place elsewhere by --out." in capsys.readouterr().err
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("sign", "beside"), [("run.json", "run.db"), ("run.db", "warc"), ("fleet.json", "keepers")])
def test_nothing_is_written_among_the_files_of_another_run_or_fleet(
    sign: str, beside: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    (other / "deeper").mkdir(parents=True)
    (other / sign).write_bytes(b"theirs")
    assert main(["export", str(run), "--out", str(other / "pages.jsonl")]) == 0  # a file of that name may be anybody's
    (other / "pages.jsonl").unlink()
    (other / beside).mkdir()
    capsys.readouterr()
    for place in (other / sign, other / "pages.jsonl", other / "deeper" / "pages.jsonl", other):
        for command in ("export", "report"):
            assert main([command, str(run), "--out", str(place)]) == 2
            assert f"would lie in {other}, among the files of a run" in " ".join(capsys.readouterr().err.split())
    assert (other / sign).read_bytes() == b"theirs"


def test_the_report_has_its_place_there_by_name_too(run: Path) -> None:
    assert main(["report", str(run), "--out", str(run / REPORT), "--quiet"]) == 0 and (run / REPORT).is_file()
