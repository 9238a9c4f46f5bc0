"""Pages of a run are found by their words, whatever is asked and whatever became of the index."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Problem
from wolfspider.export.run_search import search_run
from wolfspider.store.folder import SEARCH_INDEX
from wolfspider.store.view import RunView

ENDLESS = (
    "ALTER TABLE taken RENAME TO other; CREATE VIEW taken AS WITH RECURSIVE n(x) AS"
    " (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS number, '' AS digest FROM n"
)


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def urls(run: Path, *words: str, relevant: bool = False, limit: int = 100) -> list[str]:
    return [hit.final_url for hit in search_run(run, words, limit, relevant)]


def test_pages_are_found_by_all_words_of_their_title_and_text(run: Path) -> None:
    (good, *_) = search_run(run, ["good", "wolf"])
    assert good.title == "Good" and good.final_url == "http://a.test/good" and "wolf" in good.snippet.lower()
    assert good.fetched.endswith("Z") and 0.0 <= good.score <= 1.0


def test_a_page_that_is_exported_is_found_and_no_other(run: Path) -> None:
    exported = {row.final_url for row in RunView(run).pages() if "noindex" not in row.robots}
    assert set(urls(run, "wolf")) <= exported
    relevant = {row.final_url for row in RunView(run).pages(relevant=True)}
    assert set(urls(run, "wolf", relevant=True)) == set(urls(run, "wolf")) & relevant


def test_what_no_page_has_whole_is_found_in_parts(run: Path) -> None:
    assert urls(run, "wolf", "xylophone") == urls(run, "wolf")
    assert urls(run, "xylophone") == []


def test_several_words_in_one_are_a_phrase(run: Path) -> None:
    assert urls(run, "wolf spiders") and not urls(run, "spiders wolf")


def test_no_page_has_a_word_with_a_minus(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = urls(run, "wolf")
    assert "http://a.test/good" in found and urls(run, "wolf", "-good") == [
        url for url in found if url not in urls(run, "good")
    ]
    with pytest.raises(Problem, match="at least one word"):
        search_run(run, ["-wolf"])
    assert main(["search", str(run), "--", "wolf", "-good"]) == 0
    printed = capsys.readouterr().out
    assert "a.test/good" not in printed and "(fits " in printed and "relevant)" in printed


def test_at_most_as_many_as_wanted(run: Path) -> None:
    assert len(urls(run, "wolf", limit=1)) == 1 < len(urls(run, "wolf"))


@pytest.fixture(scope="module")
def searched(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(made, tmp_path_factory.mktemp("searched") / "run"))


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_whatever_is_asked_is_answered_or_refused_by_a_sentence(searched: Path, words: list[str]) -> None:
    if any(map(str.isalnum, "".join(words))):
        assert isinstance(search_run(searched, words), list)
    else:
        with pytest.raises(Problem, match="at least one word"):
            search_run(searched, words)


def test_no_question_is_a_piece_of_the_language_of_the_index(run: Path) -> None:
    for question in (
        'wolf" OR "',
        "wolf NOT",
        "title:wolf",
        "wolf*",
        "NEAR(wolf spiders)",
        "wolf\0spiders",
        "\ud800wolf",
    ):
        assert isinstance(search_run(run, [question]), list)


def test_pages_that_are_missing_are_taken_in_and_others_dropped(run: Path) -> None:
    before = urls(run, "wolf")
    with sqlite3.connect(run / SEARCH_INDEX) as index:
        index.execute("DELETE FROM pages WHERE rowid % 2")
        index.execute("DELETE FROM taken WHERE number % 2")
        index.execute("INSERT INTO pages (rowid, title, description, text) VALUES (9999, 'wolf', 'wolf', 'wolf')")
        index.execute("INSERT INTO taken VALUES (9999, 'of another run')")
    assert urls(run, "wolf") == before
    with sqlite3.connect(run / SEARCH_INDEX) as index:
        assert not index.execute("SELECT 1 FROM pages WHERE rowid = 9999").fetchall()


def test_after_a_repair_that_numbers_pages_anew_all_are_found(run: Path) -> None:
    before = sorted(urls(run, "wolf"))
    assert main(["repair", str(run), "--anew"]) == 0
    assert sorted(urls(run, "wolf")) == before


def test_the_order_of_times_does_not_matter(run: Path) -> None:
    before = sorted(urls(run, "wolf"))
    (run / SEARCH_INDEX).unlink()
    with sqlite3.connect(run / "run.db") as database:
        database.execute("UPDATE pages SET at = 253402300799.0 WHERE seq = (SELECT MIN(seq) FROM pages)")
    assert sorted(urls(run, "wolf")) == before


@pytest.mark.parametrize(
    "trick",
    [
        "CREATE TRIGGER endless AFTER INSERT ON taken BEGIN DELETE FROM taken; END",
        ENDLESS,
        "UPDATE pages_data SET block = x'00ffffffffffff' WHERE id > 10",
    ],
)
def test_an_index_of_a_strangers_making_is_made_anew(run: Path, trick: str) -> None:
    before = urls(run, "wolf")
    with sqlite3.connect(run / SEARCH_INDEX) as index:
        index.executescript(trick)
    assert urls(run, "wolf") == before


def test_pipes_beside_the_index_are_refused(run: Path) -> None:
    os.mkfifo(run / f"{SEARCH_INDEX}-journal")
    with pytest.raises(BadInput):
        search_run(run, ["wolf"])


@pytest.mark.parametrize("damage", [b"", b"no database" * 1000, None])
def test_an_index_that_cannot_be_used_is_made_anew(run: Path, damage: bytes | None) -> None:
    before = urls(run, "wolf")
    if damage is None:
        with sqlite3.connect(run / SEARCH_INDEX) as index:
            index.execute("PRAGMA user_version = 99")
    else:
        (run / SEARCH_INDEX).write_bytes(damage)
    assert urls(run, "wolf") == before


def test_the_index_belongs_to_its_owner_alone(run: Path) -> None:
    search_run(run, ["wolf"])
    assert (run / SEARCH_INDEX).stat().st_mode & 0o777 == 0o600


def test_links_are_not_followed(run: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (run / SEARCH_INDEX).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="link"):
        search_run(run, ["wolf"])
    assert (tmp_path / "elsewhere").read_bytes() == b"precious"


def test_a_folder_that_cannot_be_written_to_is_searched_all_the_same(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert urls(run, "wolf") and not (run / SEARCH_INDEX).exists()


def test_a_run_that_was_searched_is_still_whole(run: Path) -> None:
    search_run(run, ["wolf"])
    assert main(["check", str(run)]) == 0


def test_the_command_prints_pages_or_lines_of_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(run), "wolf", "spiders", "--json", "--limit", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2 and all(line["snippet"] and line["rank"] > 0 for line in lines)
    assert main(["search", str(run), "xylophone"]) == 0
    assert "No page has this." in capsys.readouterr().err


def test_how_well_pages_fit_is_told_against_the_best(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where most pages have a word, its rank is nearly nothing."""
    assert main(["search", str(run), "wolf"]) == 0
    fits = [float(number) for number in re.findall(r"\(fits ([0-9.]+);", capsys.readouterr().out)]
    assert len(fits) > 2 and fits == sorted(fits, reverse=True) and fits[0] == 1.0 and fits[-1] > 0.0


def test_what_is_neither_run_nor_index_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(tmp_path), "wolf"]) == 3
    assert "neither a run nor an index" in capsys.readouterr().err
