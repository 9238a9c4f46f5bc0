"""The shelf in a file is the shelf in memory, and outlives the process."""

from __future__ import annotations

import errno
import math
import os
import random
import signal
import stat
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Link
from wolfspider.files.disk import DiskFull
from wolfspider.files.failpoints import VARIABLE
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.link_shelf import Record, Shelf
from wolfspider.store import shelf as shelf_module
from wolfspider.store.shelf import DiskShelf

texts = st.text(max_size=30)
numbers = st.integers(0, 2**40)
urls = st.one_of(
    texts,
    st.sampled_from(
        ["", "/", "/x", "//x", "http://a.test/", "http://a.test/x/y", "http://a.test:80/", "http://a.testx/"]
    ),
)
links = st.builds(
    Link, urls, texts, numbers, st.tuples(numbers, numbers), st.sampled_from(["", "html/a", "html/b"]), numbers, texts
)
plain = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False), st.text(max_size=9)
    ),
    lambda inside: st.one_of(
        st.lists(inside, max_size=3),
        st.lists(inside, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=5), st.integers(0, 99)), inside, max_size=3),
    ),
    max_leaves=6,
)
sources = st.sampled_from(["", "http://a.test/", "http://a.test/x/", "leap:a", "/", "http://"])
records = st.builds(Record, links, sources, plain)


def page_links(page: int, count: int) -> list[Link]:
    rng = random.Random(page)
    paths = [f"html/body/div#main/ul.list{kind}/li/a" for kind in range(4)]
    return [
        Link(
            f"https://www{rng.randrange(3)}.site{page % 50}.example/archive/{rng.randrange(10**9)}/article-{n}.html",
            f"The title of article {n}",
            n * 7,
            (n * 7, n * 7 + 12),
            rng.choice(paths),
            n,
        )
        for n in range(count)
    ]


def exactly(value: object) -> str:
    """Tells 1 from 1.0 and True, and (1,) from [1]."""
    return repr(value)


@given(st.lists(st.one_of(records, st.sampled_from(["flush", "again"])), max_size=30))
def test_what_is_put_is_got_wherever_it_lies(steps: list[Record | str]) -> None:
    with TemporaryDirectory() as where:
        path = Path(where) / "shelf"
        shelf = DiskShelf(path)
        kept: list[tuple[int, Record]] = []
        for step in steps:
            if step == "flush":
                shelf.flush()
            elif step == "again":
                shelf.flush()
                shelf.close()
                shelf = DiskShelf(path, len(shelf))
            elif isinstance(step, Record):
                kept.append((shelf.put(step), step))
            for place, record in kept:
                assert exactly(shelf.get(place)) == exactly(record)
        assert all(before[0] < after[0] for before, after in pairwise(kept))
        shelf.close()


@given(st.lists(records, min_size=1, max_size=20), st.data())
def test_cut_back_it_goes_on_as_if_the_rest_had_never_been(put: list[Record], data: st.DataObject) -> None:
    with TemporaryDirectory() as where:
        shelf = DiskShelf(Path(where) / "shelf")
        kept: list[tuple[int, Record]] = []
        lengths = [0]
        for record in put:
            kept.append((shelf.put(record), record))
            lengths.append(len(shelf))
            if data.draw(st.booleans()):
                shelf.flush()
        length = data.draw(st.sampled_from(lengths))
        shelf.cut(length)
        assert len(shelf) == length
        kept = [(place, record) for place, record in kept if place < length]
        kept += [(shelf.put(record), record) for record in put]
        for place, record in kept:
            assert exactly(shelf.get(place)) == exactly(record)
        shelf.close()


def test_a_large_shelf_is_read_in_any_order(tmp_path: Path) -> None:
    shelf = DiskShelf(tmp_path / "shelf")
    kept: list[tuple[int, Record]] = []
    for page in range(300):
        for link in page_links(page, 1 if page % 10 else 400):
            record = Record(
                link, f"https://www1.site{page % 50}.example/", None if page % 3 else ("x" * page * 100, page)
            )
            kept.append((shelf.put(record), record))
    assert len(shelf) > (1 << 20) < (tmp_path / "shelf").stat().st_size  # flushed by itself, and not all of it yet
    random.Random(3).shuffle(kept)
    assert all(shelf.get(place) == record for place, record in kept)
    shelf.close()


def test_links_of_one_page_share_what_they_have_in_common(tmp_path: Path) -> None:
    shelf = DiskShelf(tmp_path / "shelf")
    alone = 0
    for page in range(20):
        for link in page_links(page, 100):
            record = Record(link, f"https://www1.site{page % 50}.example/the/page/that/showed/it.html", None)
            alone += len(repr(tuple(record)))
            shelf.put(record)
    assert len(shelf) < alone / 2
    shelf.close()


def test_a_frontier_works_alike_on_either_shelf(tmp_path: Path) -> None:
    class Open:
        free, newly_ready, thrifty = 1, (), False

        def allows(self, url: str) -> bool:
            return True

        def take(self, link: Link, fresh: bool = False) -> bool:
            return True

    disk = DiskShelf(tmp_path / "shelf")
    one, other = Frontier(Shelf(), 500), Frontier(disk, 500)
    rng = random.Random(5)
    for page in range(40):
        links_of_page = page_links(page % 30, 30)
        scores = [rng.random() for _ in links_of_page]
        for frontier in (one, other):
            frontier.extend(links_of_page, scores, f"http://p{page}.test/", (page, 0.5))
        for _ in range(5):
            assert one.pop(Open()) == other.pop(Open())
        if page % 7 == 0:
            disk.flush()
    assert list(one.items()) == list(other.items())
    disk.close()


def test_after_a_crash_it_is_cut_to_the_length_that_was_noted(tmp_path: Path) -> None:
    path = tmp_path / "shelf"
    shelf = DiskShelf(path)
    first = Record(Link("http://a.test/1"), "http://a.test/", None)
    place = shelf.put(first)
    shelf.flush()
    shelf.sync()
    noted = len(shelf)
    shelf.put(Record(Link("http://a.test/2"), "http://a.test/", None))
    shelf.flush()
    shelf.close()
    again = DiskShelf(path, noted)
    assert len(again) == noted == path.stat().st_size and again.get(place) == first
    assert again.put(first) > place
    again.close()
    with pytest.raises(BadInput, match="is lost"):
        DiskShelf(path, 10**6)
    anew = DiskShelf(path)
    assert len(anew) == 0 == path.stat().st_size
    anew.close()


CHILD = """
import sys
from pathlib import Path
from wolfspider.policy.link_shelf import Record
from wolfspider.core.model import Link
from wolfspider.store.shelf import DiskShelf
shelf = DiskShelf(Path(sys.argv[1]))
for number in range(100):
    shelf.put(Record(Link(f"http://a.test/{number}"), "http://a.test/", number))
    shelf.flush()
    print(len(shelf), flush=True)
"""


@pytest.mark.parametrize("point", ["shelf-before-flush:5", "shelf-torn:5", "shelf-flushed:5"])
def test_killed_while_flushing_nothing_noted_is_lost(tmp_path: Path, point: str) -> None:
    path = tmp_path / "shelf"
    run = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        env={**os.environ, VARIABLE: point},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    lengths = [0, *map(int, run.stdout.split())]
    assert len(lengths) == 5
    shelf = DiskShelf(path, lengths[-1])
    expected = DiskShelf(tmp_path / "other")
    for number in range(4):
        place = expected.put(Record(Link(f"http://a.test/{number}"), "http://a.test/", number))
        expected.flush()
        assert shelf.get(place) == expected.get(place)
    shelf.close()
    expected.close()


@given(st.data())
def test_damaged_bytes_are_refused_or_plain_data(data: st.DataObject) -> None:
    with TemporaryDirectory() as where:
        path = Path(where) / "shelf"
        shelf = DiskShelf(path)
        places = [shelf.put(Record(link, "http://a.test/", [1, (2,)])) for link in page_links(1, 5)]
        shelf.flush()
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 5))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(content)
        for place in [*places, 0, data.draw(st.integers(-10, len(content) + 10))]:
            try:
                record = shelf.get(place)
            except BadInput:
                continue
            assert isinstance(record.link.url, str) and isinstance(record.link.path, str)
            assert all(isinstance(number, int) for number in (record.link.at, *record.link.block, record.link.rank))
        shelf.close()


def test_what_is_not_plain_or_too_large_is_refused_and_leaves_the_shelf_whole(tmp_path: Path) -> None:
    shelf = DiskShelf(tmp_path / "shelf")
    good = Record(Link("http://a.test/"), "http://a.test/", math.inf)
    place = shelf.put(good)
    for extra, error in (
        ({1, 2}, TypeError),
        (Link("x"), TypeError),
        (2**70, TypeError),
        ("x" * 2**24, ValueError),
    ):
        with pytest.raises(error):
            shelf.put(Record(Link("http://a.test/2", path="html/a"), "http://a.test/", extra))
        with pytest.raises(error):
            shelf.put(Record(Link("http://a.test/2"), "http://b.test/", extra))
    assert shelf.get(shelf.put(good)) == good == shelf.get(place)
    other = Record(Link("http://a.test/3", path="html/a"), "http://a.test/", None)
    assert shelf.get(shelf.put(other)) == other == shelf.get(shelf.put(other))
    shelf.close()


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf, real = DiskShelf(tmp_path / "shelf"), os.pwrite
    kept = [
        (shelf.put(record), record) for record in (Record(link, "http://a.test/", None) for link in page_links(1, 50))
    ]

    def full(handle: int, data: bytes, offset: int) -> int:
        if len(data) <= 100:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data[:-100], offset)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(DiskFull, match="Make space"):
            shelf.flush()
    assert (tmp_path / "shelf").stat().st_size == 0
    assert all(shelf.get(place) == record for place, record in kept)
    shelf.flush()
    assert (tmp_path / "shelf").stat().st_size == len(shelf)
    assert all(shelf.get(place) == record for place, record in kept)
    shelf.close()


def test_it_belongs_to_its_owner_and_follows_no_links(tmp_path: Path) -> None:
    DiskShelf(tmp_path / "shelf").close()
    assert stat.S_IMODE((tmp_path / "shelf").stat().st_mode) == 0o600
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    with pytest.raises(BadInput, match="is a link to elsewhere"):
        DiskShelf(tmp_path / "link")
    assert (tmp_path / "victim").read_bytes() == b"precious"


def test_a_link_that_is_asked_for_again_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = DiskShelf(tmp_path / "shelf")
    record = Record(Link("http://a.test/x", "x", 1, (0, 9), "html/a", 0), "http://a.test/", None)
    places = [shelf.put(record._replace(extra=number)) for number in range(shelf_module.AT_HAND + 1)]
    read: list[int] = []
    monkeypatch.setattr(shelf, "_read", lambda place, was=shelf._read: read.append(place) or was(place))
    assert [shelf.get(place) for place in (*places[:2], *places[:2])] == [shelf.get(place) for place in places[:2]] * 2
    assert read == places[:2]
    for place in (*places[2:], places[0]):  # as many as are at hand, and one more
        assert shelf.get(place) == record._replace(extra=places.index(place))
    assert len(read) == len(places) + 1
    shelf.close()
