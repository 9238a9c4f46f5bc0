"""A category index: what is found and in which order, what hostile words and damaged files do, and how it is made."""

from __future__ import annotations

import math
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_web import SMALL
from wolfspider.cli import main
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page
from wolfspider.core.text import LONGEST, words
from wolfspider.learn import corpus
from wolfspider.learn.som import Region
from wolfspider.store.categories import index as categories
from wolfspider.store.categories.building import Origin, build, drawn, offered, run_origin, web_origin
from wolfspider.store.categories.index import (
    DEEPEST,
    LONGEST_NAME,
    MOST_ASKED,
    OFFERED,
    Categories,
    Category,
    query,
)
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.world import open_web

TOPICS = ("spider", "bread", "violin")
EVIL = "\x1b]0;owned\x07 \u202e \ud800 \0 <script> ' OR 1=1; DROP TABLE pages;--"
GENERATED = (
    "UPDATE sqlite_master SET sql = 'CREATE TABLE ''texts_config''(k PRIMARY KEY, v, w AS (k || v)) WITHOUT ROWID'"
    " WHERE name = 'texts_config'"
)
Aside = Callable[[Any], Any]


def pages(count: int, seed: int = 1) -> list[Page]:
    """Every page is about one of the topics, the i-th about the topic i modulo their number."""
    chance = random.Random(seed)
    falling = [1 / rank for rank in range(1, 16)]
    made = []
    for number in range(count):
        topic = TOPICS[number % len(TOPICS)]
        own = [topic, *(f"{topic}{letter}" for letter in "abcdefghijklmn")]
        drawn_words = chance.choices(own, falling, k=30) + chance.choices(["table", "water", "house", "sun"], k=6)
        url = f"http://{topic}.test/{number}"
        made.append(Page(url, url, f"{topic} {number}", tuple(drawn_words)))
    return made


def origin(found: Sequence[Page | None], name: str = "hand-made") -> Origin:
    def read(progress: Callable[[int, int], object]) -> Iterator[Page | None]:
        for done, page in enumerate(found, 1):
            progress(done, len(found))
            yield page

    return Origin(name, "its digest", read)


PAGES = pages(240)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("categories") / "new" / "categories.sqlite"
    build(origin(PAGES), out, seed=1)
    return out


@pytest.fixture(scope="module")
def index(path: Path) -> Iterator[Categories]:
    with Categories.open(path) as opened:
        yield opened


# What is found


def bm25(
    texts: Sequence[Sequence[str]], asked: Sequence[str], text: Sequence[str], k1: float = 1.2, b: float = 0.75
) -> float:
    mean, total = sum(map(len, texts)) / len(texts), 0.0
    for word in asked:
        having, often = sum(word in other for other in texts), text.count(word)
        rare = max(1e-6, math.log((len(texts) - having + 0.5) / (having + 0.5)))
        total += rare * often * (k1 + 1) / (often + k1 * (1 - b + b * len(text) / mean))
    return total


def test_pages_come_in_the_order_of_bm25(index: Categories) -> None:
    asked = ("spiderb", "breadc", "water")
    texts = {page.url: page.words for page in PAGES}
    scores = [bm25(list(texts.values()), asked, texts[url]) for url, _ in index.search(" ".join(asked))]
    ranked = [score for score in scores if score > 0]
    assert len(ranked) > 100 and ranked == pytest.approx(sorted(ranked, reverse=True))
    assert not any(scores[len(ranked) :]) and len(scores) == len(PAGES)


def test_pages_without_any_of_the_words_come_last_as_they_were_stored(index: Categories) -> None:
    found = [url for url, _ in index.search("violin")]
    without = [page.url for page in PAGES if "violin" not in page.words]
    assert found[-len(without) :] == without and sorted(found) == sorted(page.url for page in PAGES)


def test_no_words_give_all_pages_as_they_were_stored(index: Categories) -> None:
    assert [url for url, _ in index.search(" ?! ")] == [page.url for page in PAGES]


def test_no_more_is_found_than_is_asked_for(index: Categories) -> None:
    for most in (0, 1, 100, 1000):
        assert len(index.search("violin water", most)) == min(most, len(PAGES))
    assert index.search("violin", 1)[0].title.startswith("violin")


def test_a_category_is_searched_alone(index: Categories) -> None:
    for category in index.tree().walk():
        found = index.search("spider bread", category=category)
        assert len(found) == category.pages
    bread = index.find("bread")
    assert all("bread.test" in url for url, _ in index.search("spider", category=bread))


@given(st.text(max_size=60) | st.sampled_from(['"', "a AND", "NOT", "words : x", "NEAR(a b)", "^a*", "{", EVIL]))
def test_no_words_are_an_operator(index: Categories, asked: str) -> None:
    assert len(index.search(asked)) == len(PAGES)


def test_a_search_of_many_words_is_cut(index: Categories) -> None:
    asked = " ".join(f"word{number}" for number in range(5000))
    assert query(asked).count(" OR ") == MOST_ASKED - 1
    assert len(index.search(asked)) == len(PAGES)


# The tree


def test_the_tree_has_what_was_planted(index: Categories) -> None:
    root = index.tree()
    assert root.path == "" and root.pages == len(PAGES)
    about = {next(topic for topic in TOPICS if category.name.startswith(topic)) for category in root.below}
    assert about == set(TOPICS)
    for category in root.walk():
        assert category.last == category.number + sum(1 for _ in category.walk()) - 1
        assert sum(below.pages for below in category.below) <= category.pages


def test_pages_of_a_category_are_about_the_same(index: Categories) -> None:
    homes: dict[int, list[str]] = {}
    for url, category in index.members():
        homes.setdefault(category, []).append(url.split(".")[0])
    assert sum(max(map(home.count, home)) for home in homes.values()) / len(PAGES) > 0.95


def test_examples_have_what_a_category_is_named_for(index: Categories) -> None:
    assert all("bread" in title for _, title in index.examples(index.find("bread"), 3))


def test_a_category_is_found_by_name_and_by_path(index: Categories) -> None:
    for category in index.tree().walk():
        if category.path:
            assert index.find(category.path) is category
            assert index.find(f" /{category.path.upper()}/ ") is category
            assert index.find(category.name).name == category.name


def test_a_category_that_is_not_there_is_answered_by_the_nearest(index: Categories) -> None:
    with pytest.raises(Problem, match="Did you mean 'bread'"):
        index.find("braed")
    with pytest.raises(Problem, match="There are: "):
        index.find("quantum electrodynamics")


def region(name: str, *documents: int) -> Region:
    return Region(name, (name,), np.array(documents))


def test_the_largest_regions_are_offered_and_the_others_are_below_other() -> None:
    below = tuple(region(f"r{number}", number) for number in range(20))
    tree = offered(Region("", (), np.arange(20), below))
    assert tree.below[:OFFERED] == below[:OFFERED]
    (other,) = tree.below[OFFERED:]
    assert other.name == "other" and other.below == below[OFFERED:] and other.documents.tolist() == [*range(14, 20)]
    assert offered(Region("", (), np.arange(5), below[:5])).below == below[:5]


def test_a_region_that_is_called_other_is_not_taken_for_the_others() -> None:
    below = (region("other", 0), *(region(f"r{number}", number) for number in range(1, 20)))
    names = [each.name for each in offered(Region("", (), np.arange(20), below)).below]
    assert len(names) == len(set(names)) == OFFERED + 1


# Making one


def test_it_says_what_it_was_made_from(index: Categories, path: Path) -> None:
    assert index.about == {"origin": "hand-made", "digest": "its digest", "pages": "240", "seed": "1"}
    assert os.listdir(path.parent) == [path.name]


def test_what_should_not_or_cannot_be_indexed_is_left_out_and_counted(tmp_path: Path) -> None:
    hidden = Page("http://a.test/hidden", "http://a.test/hidden", words=("secret",), robots=("noindex",))
    again = Page("http://a.test/again", PAGES[0].final_url, words=("once", "more"))
    built = build(
        origin([*PAGES[:50], hidden, again, None, Page("http://e.test/", "http://e.test/")]), tmp_path / "x", 0
    )
    assert (built.pages, built.withheld, built.unread) == (50, 1, 2)
    assert "50 pages in" in built.told() and "1 more left out" in built.told() and "2 could not be read" in built.told()
    with Categories.open(tmp_path / "x") as index:
        assert len(index.search("secret")) == 50


def test_hostile_titles_addresses_and_words_are_kept_as_text(tmp_path: Path) -> None:
    evil = [
        Page("u", f"http://e.test/{number}/{EVIL}", EVIL * 1000, ("spider", *words(EVIL), "\ud800", "a" * 64))
        for number in range(20)
    ]
    build(origin([*evil, *PAGES[:20]], EVIL), tmp_path / "x", 0)
    with Categories.open(tmp_path / "x") as index:
        found = index.search("owned")[:20]
        assert all("e.test" in url and len(title) <= 2000 and "\0" not in title for url, title in found)
        assert "owned" in index.about["origin"]


@pytest.mark.parametrize("found", [[], [None], [Page("http://a.test/", "http://a.test/")]])
def test_nothing_is_made_of_nothing(tmp_path: Path, found: list[Page | None]) -> None:
    with pytest.raises(BadInput, match="has no pages with words"):
        build(origin(found), tmp_path / "x", 0)
    assert os.listdir(tmp_path) == []


def test_a_few_pages_that_are_the_same_have_no_categories(tmp_path: Path) -> None:
    page = Page("http://a.test/", "http://a.test/", "one", ("spider", "silk"))
    build(origin([page]), tmp_path / "x", 0)
    with Categories.open(tmp_path / "x") as index:
        assert index.tree().below == () and index.search("silk") == [("http://a.test/", "one")]
        with pytest.raises(Problem, match="It has none"):
            index.find("spider")


@pytest.mark.parametrize(("room", "seen"), [(1, 1), (10**9, 40)])
def test_pages_that_there_is_no_room_for_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, seen: int
) -> None:
    monkeypatch.setattr(corpus, "MOST_COUNTS", room)
    built = build(origin(PAGES[:40]), tmp_path / "x", 0)
    assert (built.pages, built.seen, built.offered) == (seen, seen, 40)
    assert ("Only the first 1 of 40 were looked at" in built.told()) == (seen < 40)


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), sqlite3.OperationalError("Input/output error")])
def test_what_cannot_be_read_is_not_told_as_what_cannot_be_written(tmp_path: Path, error: Exception) -> None:
    def breaks(progress: object) -> Iterator[Page]:
        yield from PAGES[:10]
        raise error

    with pytest.raises(BadInput, match=r"^the web cannot be read: Input/output error\.$"):
        build(Origin("the web", "", breaks), tmp_path / "x", 0)
    assert os.listdir(tmp_path) == []


def test_an_index_of_another_format_is_not_told_as_something_else(path: Path, tmp_path: Path) -> None:
    newer = edited(path, tmp_path, "PRAGMA user_version = 2")
    refused(newer, "is a category index of format 2, and this wolfspider reads 1. Make it anew")
    with pytest.raises(Problem, match="a category index of another format: delete it"):
        build(origin(PAGES[:3]), newer, 0)


def test_what_fails_leaves_what_was_there(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "categories.sqlite"
    shutil.copy(path, out)
    before = out.read_bytes()

    def breaks(progress: object) -> Iterator[Page]:
        yield from PAGES[:10]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(Origin("broken", "", breaks), out, 0)
    assert out.read_bytes() == before and os.listdir(tmp_path) == [out.name]
    build(origin(PAGES[:30]), out, 0)
    with Categories.open(out) as index:
        assert index.tree().pages == 30


def test_nothing_of_anybody_else_is_written_over(tmp_path: Path) -> None:
    mine = tmp_path / "thesis.txt"
    mine.write_text("years of work")
    with pytest.raises(Problem, match="is no category index"):
        build(origin(PAGES), mine, 0)
    assert mine.read_text() == "years of work"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match="cannot be written"):
        build(origin(PAGES[:3]), tmp_path / "file" / "x", 0)


def told(path: Path) -> list[Any]:
    with Categories.open(path) as index:
        return [[each.path, each.terms, each.pages] for each in index.tree().walk()] + list(index.members())


def test_the_same_seed_gives_the_same_categories(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build(origin(PAGES), tmp_path / name, seed)
    assert told(tmp_path / "a") == told(tmp_path / "b") != told(tmp_path / "c")


def test_progress_is_told(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    build(origin(PAGES[:40]), tmp_path / "x", 0, lambda *one: heard.append(one))
    assert ("reading", 40, 40) in heard
    assert heard[-1][0] == "learning" and heard[-1][1] == heard[-1][2] >= 400


def test_pages_are_drawn_by_chance_and_stay_in_order() -> None:
    assert list(drawn(5, 5, 1)) == [0, 1, 2, 3, 4]
    some = drawn(1000, 50, 1)
    assert len(set(some)) == 50 and list(some) == sorted(some) == list(drawn(1000, 50, 1)) != list(drawn(1000, 50, 2))


# Where pages come from


def test_a_web_becomes_an_index(tmp_path: Path) -> None:
    world = open_web("synthetic:pages=1000,topics=16")
    built = build(web_origin(world, 300, 1), tmp_path / "x", 1)
    assert 250 < built.pages <= 300 and built.pages + built.unread + built.withheld <= 300
    with Categories.open(tmp_path / "x") as index:
        assert index.about["digest"] == world.digest() and index.about["origin"] == world.name
        assert all(world.look(url, world.start).status == 200 for url, _ in index.search("", 20))


def test_a_web_that_is_too_large_is_refused() -> None:
    with pytest.raises(Problem, match="too large to be looked through"):
        web_origin(open_web("synthetic:pages=300000"), 100, 1)


def test_a_run_becomes_an_index(tmp_path: Path, aside: Aside) -> None:
    via = f"127.0.0.1:{aside(serve(SMALL)).port}"
    hasty = ["--delay=0", "--adapt=0", "--tries=1", "--disk-floor=0", "--quiet"]
    run = tmp_path / "run"
    assert main(["crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, *hasty, "--out", str(run)]) == 0
    there = {row.final_url: row.title for row in RunView(run).pages() if "noindex" not in row.robots}
    built = build(run_origin(run, 1000, 0), tmp_path / "x", 0)
    assert built.pages == len(there) > 3
    with Categories.open(tmp_path / "x") as index:
        assert dict(index.search("")).keys() == there.keys()
        assert index.about["origin"] == "run"
    assert build(run_origin(run, 2, 0), tmp_path / "y", 0).pages <= 2


# Files that others made, or that are damaged


def edited(path: Path, folder: Path, *statements: str) -> Path:
    copy = folder / "edited.sqlite"
    shutil.copy(path, copy)
    connection = sqlite3.connect(copy)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return copy


def refused(path: Path, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        Categories.open(path)


def test_what_is_no_index_is_refused(path: Path, tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", "There is no file")
    refused(tmp_path, "There is no file")
    for name, content in (("empty", b""), ("text", b"hello " * 1000), ("cut", path.read_bytes()[:5000])):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, "is damaged or no category index")
    connection = sqlite3.connect(tmp_path / "foreign")
    connection.execute("CREATE TABLE pages (url)")
    connection.close()
    refused(tmp_path / "foreign", "a file of something else")


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (["PRAGMA user_version = 2"], "of format 2"),
        (["DROP TABLE pages", "CREATE VIEW pages AS SELECT 1"], "its tables are not"),
        (["CREATE VIEW more AS SELECT 1"], "its tables are not"),
        (["CREATE TRIGGER t AFTER UPDATE ON pages BEGIN SELECT 1; END"], "its tables are not"),
        (["PRAGMA writable_schema = 1", GENERATED], "its tables are not"),
        (["DELETE FROM categories"], "no categories"),
        (["UPDATE categories SET name = '' WHERE number = 1"], "a name that none can have"),
        (["UPDATE categories SET name = 'a/b' WHERE number = 1"], "a name that none can have"),
        ([f"UPDATE categories SET name = '{'x' * (LONGEST_NAME + 1)}' WHERE number = 1"], "a name that none can have"),
        ([f"UPDATE categories SET terms = '{'x' * 2000}' WHERE number = 1"], "too many terms"),
        ([f"UPDATE categories SET terms = '{'x ' * 20}' WHERE number = 1"], "too many terms"),
        (["UPDATE categories SET parent = number WHERE number = 1"], "not numbered"),
        (["UPDATE categories SET parent = 'x' WHERE number = 1"], "not numbered"),
        (["DELETE FROM categories WHERE number = 1"], "not numbered"),
        (["UPDATE categories SET last = 100000 WHERE number = 1"], "inconsistent"),
        (["UPDATE categories SET name = x'ff00' WHERE number = 1"], "a value in it should be a text"),
        (["UPDATE categories SET pages = 'many' WHERE number = 1"], "inconsistent"),
        (["UPDATE about SET value = x'00'"], "a value in it should be a text"),
    ],
)
def test_an_index_that_was_tampered_with_is_refused(
    path: Path, tmp_path: Path, statements: list[str], why: str
) -> None:
    refused(edited(path, tmp_path, *statements), why)


def test_categories_that_are_too_deep_are_refused(path: Path, tmp_path: Path) -> None:
    deep = DEEPEST + 5
    rows = [f"INSERT INTO categories VALUES ({n}, {n - 1}, {deep - 1}, 'a', '', 0)" for n in range(deep)]
    refused(edited(path, tmp_path, "DELETE FROM categories", *rows), "too deep")
    empty = (row.replace("'a'", "''") for row in rows)
    refused(edited(path, tmp_path, "DELETE FROM categories", *empty), "a name that none can have")


def test_names_that_are_too_long_together_are_refused(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long name above many categories is in the path of each of them."""
    monkeypatch.setattr(categories, "LONGEST_PATHS", 10_000)
    wide = 60
    rows = [f"INSERT INTO categories VALUES (0, -1, {wide}, '', '', 0)"]
    rows.append(f"INSERT INTO categories VALUES (1, 0, {wide}, '{'x' * LONGEST_NAME}', '', 0)")
    rows += [f"INSERT INTO categories VALUES ({n}, 1, {n}, 'a', '', 0)" for n in range(2, wide + 1)]
    refused(edited(path, tmp_path, "DELETE FROM categories", *rows), "too long together")


def test_the_longest_names_and_terms_that_are_made_can_be_read(tmp_path: Path) -> None:
    """Five words as long as words may be."""
    long = [f"{letter}{'x' * (LONGEST - 1)}" for letter in "abcdefgh"]
    made = [
        Page(f"http://a.test/{n}", f"http://a.test/{n}", "", (*random.Random(n).sample(long, 5), long[0]))
        for n in range(60)
    ]
    build(origin(made), tmp_path / "x", 0)
    with Categories.open(tmp_path / "x") as index:
        assert max(len(" ".join(each.terms)) for each in index.tree().walk()) == 5 * LONGEST + 4 <= LONGEST_NAME


def test_pages_that_were_tampered_with_are_told_when_they_are_found(path: Path, tmp_path: Path) -> None:
    tampered = edited(path, tmp_path, "UPDATE pages SET title = x'ff'")
    with Categories.open(tampered) as index, pytest.raises(BadInput, match="is damaged or no category index"):
        index.search("spider")


def trouble_with(path: Path) -> str:
    try:
        with Categories.open(path) as index:
            assert all(len(index.search(asked)) <= 1000 for asked in ("", "spider bread violin water"))
            assert isinstance(index.tree(), Category) and list(index.members())
    except BadInput as error:
        return str(error)
    return ""


def test_damage_is_told_wherever_it_is(path: Path, tmp_path: Path) -> None:
    """Either it is seen, or it does not matter; nothing else comes of it."""
    whole, chance, copy = path.read_bytes(), random.Random(5), tmp_path / "copy"
    seen = []
    for _ in range(60):
        damaged = bytearray(whole)
        at = chance.randrange(len(whole) - 200)
        damaged[at : at + 200] = chance.randbytes(200)
        copy.write_bytes(damaged)
        seen.append(trouble_with(copy))
    assert len([*filter(None, seen)]) > 20
    assert all("Make it anew" in trouble for trouble in seen if trouble)
