"""Which source decides a result."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from wolfspider.bench.run import source

CRAWLS = "wolfspider.bench.run.crawls"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package in which cell imports part, part imports the strategies, and page nothing and nobody."""
    (tmp_path / "strategies").mkdir()
    texts = {
        "cell.py": "import json\nfrom wolfspider.part import thing\n",
        "part.py": "def late():\n    import wolfspider.strategies\n",
        "page.py": "",
        "strategies/__init__.py": "",
        "strategies/shark.py": "from wolfspider import cell  # a circle\n",
        "strategies/best_first.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(source, "ROOT", tmp_path)
    _forget()
    yield tmp_path
    _forget()


def _forget() -> None:
    source.source_of.cache_clear()
    source._imported.cache_clear()


def digest(strategy: str = "") -> str:
    _forget()
    return source.source_of("wolfspider.cell", strategy)


def test_what_is_imported_anywhere_counts(small: Path) -> None:
    assert source.closure("wolfspider.cell", "best-first") == {
        f"wolfspider.{name}" for name in ("cell", "part", "strategies", "strategies.best_first")
    }


@pytest.mark.parametrize(
    ("file", "matters"),
    [
        ("cell.py", True),
        ("part.py", True),
        ("strategies/shark.py", True),
        ("strategies/best_first.py", False),
        ("page.py", False),
    ],
)
def test_a_change_matters_where_it_can(small: Path, file: str, matters: bool) -> None:
    before = digest("shark")
    with (small / file).open("a") as text:
        text.write("# changed\n")
    assert (digest("shark") != before) is matters


def test_without_a_strategy_all_count(small: Path) -> None:
    before = digest()
    (small / "strategies" / "best_first.py").write_text("# changed\n")
    assert digest() != before


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """All of the source, in a place where it may be changed."""
    whole = tmp_path / "wolfspider"
    shutil.copytree(source.ROOT, whole, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(source, "ROOT", whole)
    yield whole
    _forget()


@pytest.fixture(scope="session")
def before() -> tuple[str, ...]:
    """What every copy gives as long as nothing is changed."""
    return digests()


def digests() -> tuple[str, ...]:
    _forget()
    crawls = (source.source_of("wolfspider.bench.run.cell", strategy) for strategy in ("shark", "breadth-first"))
    return (*crawls, source.source_of("wolfspider.bench.measure.bounds"))


@pytest.mark.parametrize(
    ("changed", "which"),
    [
        ("strategies/shark.py", (True, False, False)),
        ("strategies/breadth_first.py", (False, True, False)),
        ("policy/frontier.py", (True, True, False)),
        ("bench/run/cell.py", (True, True, False)),
        ("web/page/html.py", (True, True, True)),
        ("bench/measure/bounds.py", (False, False, True)),
        ("bench/draw/report.py", (False, False, False)),
    ],
)
def test_what_a_bench_keeps_is_reached_by_changes_that_matter(
    before: tuple[str, ...], copy: Path, changed: str, which: tuple[bool, ...]
) -> None:
    with (copy / changed).open("a") as file:
        file.write("\n# changed\n")
    assert tuple(a != b for a, b in zip(before, digests(), strict=True)) == which


@pytest.mark.parametrize(
    ("library", "which"),
    [
        ("numpy", (True, True, True)),
        ("selectolax", (True, True, True)),
        ("scipy", (True, True, True)),
        ("rich", (False, False, False)),
    ],
)
def test_another_version_of_a_library_is_another_source_where_it_is_used(
    before: tuple[str, ...], library: str, which: tuple[bool, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = source._version
    monkeypatch.setattr(source, "_version", lambda name: "0.0" if name == library else installed(name))
    assert tuple(a != b for a, b in zip(before, digests(), strict=True)) == which
    _forget()


def test_every_library_has_a_version() -> None:
    used = source.libraries(source.closure("wolfspider.cli") | source.closure(CRAWLS))
    assert {"ada_url", "fasttext", "numpy", "selectolax", "typer"} <= used
    newer = {"compression"}  # part of Python from 3.14 on
    assert all(source._version(name) for name in used - newer)
    assert source._version("not_installed") == ""


def test_a_strategy_that_has_no_file_of_its_own_depends_on_all(small: Path) -> None:
    before = digest("two-in-one")
    (small / "strategies" / "shark.py").write_text("")
    assert digest("two-in-one") != before


def test_the_cell_of_a_crawl_depends_on_its_strategy_and_on_nothing_that_draws() -> None:
    found = source.closure(CRAWLS, "best-first")
    assert {
        "wolfspider.engine.crawl",
        "wolfspider.web.worlds.synthetic.links",
        "wolfspider.strategies.best_first",
    } <= found
    assert not found & {"wolfspider.strategies.shark", "wolfspider.bench.draw.svg", "wolfspider.bench.draw.page"}
    assert not any(name.startswith("wolfspider.bench.papers") for name in found)


def test_a_module_from_elsewhere_has_its_name() -> None:
    assert source.source_of("json.decoder").startswith("json.decoder ")
    assert source.closure("json.decoder") == set()
