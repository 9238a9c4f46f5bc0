"""Which source decides a result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wolfspider.bench import source

CRAWLS = "wolfspider.bench.crawls"


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


def test_the_cell_of_a_crawl_depends_on_its_strategy_and_on_nothing_that_draws() -> None:
    found = source.closure(CRAWLS, "best-first")
    assert {"wolfspider.crawl", "wolfspider.web.synthetic.links", "wolfspider.strategies.best_first"} <= found
    assert not found & {"wolfspider.strategies.shark", "wolfspider.bench.svg", "wolfspider.bench.page"}
    assert not any(name.startswith("wolfspider.bench.papers") for name in found)


def test_a_module_from_elsewhere_has_its_name() -> None:
    assert source.source_of("json.decoder").startswith("json.decoder ")
    assert source.closure("json.decoder") == set()
