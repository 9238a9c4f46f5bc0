"""Pages in the forms of other tools, read back by them: what a page says harms none of them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wolfspider
from small_web import EVIL
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Problem
from wolfspider.export.export_tally import Exported
from wolfspider.export.exported_page import FIELDS
from wolfspider.export.exporting import export
from wolfspider.export.harmless_text import xml_text
from wolfspider.export.markdown_sink import harmless_markdown, slug
from wolfspider.export.search_sink import search
from wolfspider.export.selection import EVERYTHING, Filters
from wolfspider.export.sinks import usual_format

ATOM, GRAPHML = "{http://www.w3.org/2005/Atom}", "{http://graphml.graphdrawing.org/xmlns}"


def into(run: Path, form: str, out: Path, filters: Filters = EVERYTHING, **options: Any) -> Exported:
    return export(run, form, out, filters, stdout=io.BytesIO(), **options)


def lines(run: Path, **options: Any) -> list[dict[str, Any]]:
    out = io.BytesIO()
    export(run, "jsonl", None, stdout=out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_signals_and_the_canonical_address_are_told(made: Path) -> None:
    found = next(line for line in lines(made) if line["final_url"] == "http://a.test/hostile")
    assert found["tdm"] == {"tdm-reservation": "1"} and found["canonical"] == "http://a.test/h"


def test_the_main_text_takes_the_place_of_the_text_where_it_is_asked_for(made: Path) -> None:
    pytest.importorskip("resiliparse")
    whole, main_only = lines(made), lines(made, main_text=True)
    assert [line["final_url"] for line in whole] == [line["final_url"] for line in main_only]
    start = {line["final_url"]: line["text"] for line in main_only}["http://a.test/"]
    assert "carries its young" in start


def test_the_ending_of_the_file_says_the_format_where_none_is_named(made: Path, tmp_path: Path) -> None:
    for name, options in (("p.csv", []), ("named", ["--format", "csv"])):
        assert main(["export", str(made), "--out", str(tmp_path / name), "--quiet", *options]) == 0
    assert (tmp_path / "p.csv").read_bytes() == (tmp_path / "named").read_bytes()
    files = ("P.WARC.GZ", "a.b.wacz", "pages.jsonl", "pages", "csv")
    assert [usual_format(Path("x.csv") / file) for file in files] == ["warc", "wacz", "jsonl", "jsonl", "jsonl"]
    assert usual_format(None) == usual_format(Path("-")) == usual_format(Path("p.dat")) == "jsonl"
    with pytest.raises(Problem, match=r"What format is \.cvs\? Did you mean '\.csv'\? Or name one by --format\."):
        usual_format(Path("pages.cvs"))


def test_a_format_that_is_named_stands_above_the_ending_of_the_file(made: Path, tmp_path: Path) -> None:
    assert main(["export", str(made), "--format", "jsonl", "--out", str(tmp_path / "p.csv"), "--quiet"]) == 0
    assert json.loads((tmp_path / "p.csv").read_bytes().splitlines()[0])["final_url"]


# Markdown


def test_a_folder_of_texts_with_front_matter(made: Path, tmp_path: Path) -> None:
    told = into(made, "markdown", tmp_path / "texts")
    files = sorted((tmp_path / "texts").rglob("*.md"))
    assert len(files) == told.pages == len(lines(made))
    assert [path.parent.name for path in files] == ["0000"] * len(files)
    for path, line in zip(files, lines(made), strict=True):
        assert re.fullmatch(r"\d{7}[a-z0-9-]*\.md", path.name)
        _, front, text = path.read_text(encoding="utf-8").split("---\n", 2)
        told_in_front = dict(entry.split(": ", 1) for entry in front.splitlines())
        assert json.loads(told_in_front["title"]) == line["title"]
        assert json.loads(told_in_front["final_url"]) == line["final_url"]
        assert text.strip() and "![x](" not in text and "\n<" not in text


@given(st.text() | st.sampled_from([EVIL, "../../etc/passwd <script>", "..", "CON", "a/b", "Ünï cödé"]))
def test_whatever_a_title_is_the_name_of_its_file_is_harmless(title: str) -> None:
    assert re.fullmatch(r"(-[a-z0-9]+)*", slug(title)) and len(slug(title)) <= 61


@given(st.text(alphabet="![]()<>`:ab \n"))
def test_no_text_becomes_an_image_or_markup(text: str) -> None:
    shown = harmless_markdown(text)
    assert shown.replace("\\", "") == text.replace("\\", "")
    assert "![" not in shown and "](" not in shown and not re.search(r"(?<!\\)[<`]", shown)


# XML


def test_a_feed_is_whole_xml_whatever_titles_hold(made: Path, tmp_path: Path) -> None:
    into(made, "atom", tmp_path / "feed.xml", Filters(relevant=True))
    feed = ElementTree.parse(tmp_path / "feed.xml").getroot()
    entries = feed.findall(f"{ATOM}entry")
    assert feed.find(f"{ATOM}title").text == "wolf spiders"  # type: ignore[union-attr]
    assert [entry.findtext(f"{ATOM}id") for entry in entries] == [
        line["final_url"] for line in lines(made) if line["relevant"]
    ]
    for entry in (feed, *entries):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+Z", entry.findtext(f"{ATOM}updated") or "")
        assert entry.findtext(f"{ATOM}title") and entry.findtext(f"{ATOM}id")


def test_a_graph_has_the_links_between_pages_and_no_others(made: Path, tmp_path: Path) -> None:
    into(made, "graphml", tmp_path / "links.graphml")
    graph = ElementTree.parse(tmp_path / "links.graphml").getroot().find(f"{GRAPHML}graph")
    assert graph is not None
    names = {
        node.get("id"): {data.get("key"): data.text for data in node}["url"] for node in graph.findall(f"{GRAPHML}node")
    }
    assert sorted(map(str, names.values())) == sorted(line["final_url"] for line in lines(made))
    edges = [(names[edge.get("source")], names[edge.get("target")]) for edge in graph.findall(f"{GRAPHML}edge")]
    assert len(edges) == len(set(edges))
    assert ("http://a.test/", "http://a.test/good") in edges and ("http://a.test/good", "http://a.test/") in edges
    assert ("http://b.test/", "http://b.test/rolls") in edges and not any("gone" in str(edge) for edge in edges)


@given(st.text())
def test_any_text_can_stand_in_xml(text: str) -> None:
    parsed = ElementTree.fromstring(f'<a b="{xml_text(text)}">{xml_text(text)}</a>'.encode("utf-8", "replace"))
    assert parsed.tag == "a" and len(parsed) == 0


# Parquet


def test_parquet_is_read_by_others_and_has_every_field(made: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    told = into(made, "parquet", tmp_path / "data")
    table = parquet.read_table(tmp_path / "data" / "data")
    wanted = lines(made)
    assert tuple(table.column_names) == FIELDS and table.num_rows == told.pages == len(wanted)
    for name in ("final_url", "title", "text", "score", "relevant", "depth", "warc_offset", "robots", "canonical"):
        assert table.column(name).to_pylist() == [line[name] for line in wanted]
    assert [json.loads(text) for text in table.column("tdm").to_pylist()] == [line["tdm"] for line in wanted]
    assert table.column("fetched").to_pylist()[0].isoformat() == wanted[0]["fetched"].replace("Z", "+00:00")


def test_a_second_after_the_time_of_its_card_no_page_is_exported_twice(made: Path, tmp_path: Path) -> None:
    """As docs/corpus.md says of a crawl that had stopped."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    into(made, "parquet", tmp_path / "data")
    (told,) = re.findall(r" as of (\S+)\.\n", (tmp_path / "data" / "README.md").read_text(encoding="utf-8"))
    at = datetime.fromisoformat(told).timestamp()
    assert lines(made) and lines(made, filters=Filters(since=at + 1)) == []


def test_parquet_is_read_by_duckdb(made: Path, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    into(made, "parquet", tmp_path / "data", Filters(relevant=True))
    sql = f"SELECT count(*), count(text), min(score) FROM '{tmp_path}/data/data/*.parquet' WHERE relevant"
    with duckdb.connect() as connection:
        pages, texts, least = connection.execute(sql).fetchone()
    assert pages == texts == sum(line["relevant"] for line in lines(made)) and least >= 0.5


def test_the_dataset_card_says_where_the_data_is(made: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    into(made, "parquet", tmp_path / "data")
    _, front, text = (tmp_path / "data" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    head = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in front.splitlines())}
    (config,) = head["configs"]
    (files,) = config["data_files"]
    assert files["split"] == "train" and list((tmp_path / "data").glob(files["path"]))
    assert head["language"] == ["en"] and head["size_categories"] == ["n<1K"] and "wolf spiders" in text


def test_an_empty_export_is_a_table_without_rows(made: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    into(made, "parquet", tmp_path / "data", Filters(languages=("xx",)))
    assert parquet.read_table(tmp_path / "data" / "data").num_rows == 0


# WACZ


def test_a_wacz_has_its_parts_with_their_digests(made: Path, tmp_path: Path) -> None:
    told = into(made, "wacz", tmp_path / "pages.wacz")
    with zipfile.ZipFile(tmp_path / "pages.wacz") as file:
        assert file.testzip() is None
        package = json.loads(file.read("datapackage.json"))
        for part in package["resources"]:
            data = file.read(part["path"])
            assert part["bytes"] == len(data) and part["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert file.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
        index = file.read("indexes/index.cdx").decode().splitlines()
        head, *pages = map(json.loads, file.read("pages/pages.jsonl").decode().splitlines())
    assert index == sorted(index) and len(index) == len(pages) == told.pages
    assert head["format"] == "json-pages-1.0" and {one["url"] for one in pages} == {
        line["final_url"] for line in lines(made)
    }
    into(made, "wacz", tmp_path / "again.wacz")
    assert (tmp_path / "again.wacz").read_bytes() == (tmp_path / "pages.wacz").read_bytes()


# Search


def test_pages_can_be_searched(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tantivy", reason="tantivy is not installed")
    index = str(tmp_path / "index")
    into(made, "tantivy", tmp_path / "index")
    assert main(["search", index, "flour", "dough", "--json"]) == 0
    hits = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {hit["final_url"] for hit in hits} == {"http://b.test/", "http://b.test/rolls"}
    assert "Bread is baked" in hits[0]["snippet"] and hits[0]["relevant"] is False and hits[0]["rank"] > 0
    assert main(["search", index, "title:rolls"]) == 0
    assert "http://b.test/rolls" in capsys.readouterr().out
    assert main(["search", index, 'text:"']) in (0, 2) and main(["search", index, "nosuchword"]) == 0
    with pytest.raises(BadInput, match="neither a run nor an index to search in"):
        search(tmp_path, "x")


# All of them


@pytest.mark.parametrize(("form", "module"), [("parquet", "pyarrow"), ("tantivy", "tantivy")])
def test_without_its_library_a_format_is_a_sentence(
    made: Path, tmp_path: Path, form: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Problem, match=rf"needs {module}, which is not installed. Install it by: pip install"):
        into(made, form, tmp_path / "out")
    assert os.listdir(tmp_path) == []


# Python


def test_results_are_the_same_as_those_of_an_export(made: Path) -> None:
    assert list(wolfspider.results(made)) == lines(made)
    best = list(wolfspider.results(made, relevant=True, best=2, languages=("en",)))
    assert len(best) == 2 and best[0]["score"] >= best[1]["score"]


def test_results_as_tables_of_others(made: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pages = wolfspider.results(made, relevant=True)
    titles = [page["title"] for page in pages]
    assert pages.arrow().column("title").to_pylist() == titles
    if pytest.importorskip("pandas", reason="pandas is not installed"):
        assert list(pages.pandas()["title"]) == titles
    if pytest.importorskip("polars", reason="polars is not installed"):
        assert pages.polars()["title"].to_list() == titles


def test_what_a_notebook_shows_is_text_and_no_markup_of_the_pages(made: Path) -> None:
    shown = wolfspider.results(made)._repr_html_()
    assert "&lt;script&gt;" in shown and "<script" not in shown and "\x1b" not in shown and "\u202e" not in shown
    assert ElementTree.fromstring(f"<div>{shown}</div>").find("table") is not None


def test_without_its_library_a_table_is_a_sentence(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(Problem, match=r"needs polars, which is not installed. Install it by: pip install polars"):
        wolfspider.results(made).polars()


def test_an_archive_is_not_written_on_a_screen(made: Path) -> None:
    for form in ("warc", "wacz"):
        with pytest.raises(Problem, match=f"The format {form} is no text for a screen: name a file by --out FILE"):
            export(made, form, None, stdout=io.BytesIO(), on_screen=True)
    out = io.BytesIO()
    assert export(made, "jsonl", None, stdout=out, on_screen=True).pages == len(out.getvalue().splitlines())


@pytest.mark.parametrize("given", ["english", "e", "12", "日本"])
def test_a_language_is_a_code(made: Path, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(made), "--lang", given]) == 2
    assert "--lang is a code of two letters such as en, de or zh" in capsys.readouterr().err
    assert main(["export", str(made), "--lang", "EN-gb", "--quiet"]) == 0
