"""Where leaps go, as people name it: what is opened, what is told, and what is wrong with a name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live import leaper

from small_web import SMALL
from wolfspider.app import leaping
from wolfspider.app.settings import Settings
from wolfspider.cli import main
from wolfspider.cli.options import MORE
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page
from wolfspider.engine.contracts import Service
from wolfspider.store.categories import word_index
from wolfspider.store.categories.building import build, web_origin
from wolfspider.store.categories.index import Categories
from wolfspider.strategies import all_strategies
from wolfspider.web.seeds.search import everything
from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.world import Web, open_web

LEAPER = f"{leaper.__file__}:Leaper"
LIKED = tuple(f"http://example.org/{number}" for number in range(21))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Categories of a small synthetic web."""
    path = tmp_path_factory.mktemp("leaping") / "categories.sqlite"
    build(web_origin(open_web("synthetic:pages=1000,mischief=0"), 300, 0), path, 0, lambda *step: None)
    return path


def opened(**settings: Any) -> leaping.Leaping:
    made = leaping.opened(Settings(**settings), lambda sentence: None)
    assert made is not None
    return made


def nowhere() -> Web:
    raise AssertionError("nobody is to be asked")


def found(made: leaping.Leaping, words: str) -> list[str]:
    source = made.source(everything, nowhere, nowhere)
    page = source.look(f"leap:{words}", 1.0)
    made.close()
    assert isinstance(page, Page) and not source.network and page.at == 1.0
    return [link.url for link in page.links]


def test_who_names_nothing_does_not_leap() -> None:
    assert leaping.opened(Settings(), lambda sentence: None) is None


def test_an_index_without_a_category_is_searched_as_a_whole(index: Path) -> None:
    with Categories.open(index) as whole:
        count, words = whole.tree().pages, " ".join(whole.tree().below[0].terms[:3])
        best = [each.url for each in whole.search(words, 10)]
    made = opened(leaps=str(index))
    assert str(index) in made.told and f"{count:,} pages" in made.told
    urls = found(made, words)
    assert urls[:10] == best and len(urls) == count


def test_a_category_is_searched_alone(index: Path) -> None:
    with Categories.open(index) as whole:
        category = whole.tree().below[-1]
        inside = {each.url for each in whole.search("", 1000, category)}
    made = opened(leaps=str(index), category=category.path)
    assert category.path in made.told and f"the {category.pages:,} pages" in made.told
    assert set(found(made, "anything")) == inside and len(inside) == category.pages


def test_a_category_alone_is_one_of_the_index_at_hand(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Categories.open(index) as whole:
        name = whole.tree().below[0].name
    monkeypatch.chdir(index.parent)
    assert str(index) in opened(category=name).told


def test_a_category_that_is_not_there_is_told_with_those_that_are(index: Path) -> None:
    with Categories.open(index) as whole:
        name = whole.tree().below[0].name
    with pytest.raises(Problem, match=f"Did you mean '{name}'"):
        opened(leaps=str(index), category=name + "x")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"leaps": "nowhere.sqlite"}, "wolfspider categories build"),
        ({"category": "spiders"}, r"There is no .*categories\.sqlite.*wolfspider categories build"),
        ({"leaps": "."}, "is a folder and no run"),
        ({"leaps": "noise"}, "no category index"),
        ({"leaps": "http://example.org/"}, "sitemap:URL or search:URL"),
        ({"leaps": "sitemap:ftp://example.org/"}, "http"),
        ({"leaps": "search:"}, "address"),
        ({"leaps": "sitemap:example.org", "category": "spiders"}, "sitemap:example.org has none"),
        ({"leaps": "search:example.org", "category": "spiders"}, "search:example.org has none"),
    ],
)
def test_a_mistake_is_a_sentence(
    settings: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noise").write_bytes(b"noise" * 1000)
    with pytest.raises(Problem, match=said):
        opened(**settings)


def test_services_are_asked_and_not_looked_at() -> None:
    for leaps in ("sitemap:example.org", "search:example.org"):
        made = opened(leaps=leaps)
        source = made.source(everything, nowhere, nowhere)
        assert "https://example.org/" in made.told and isinstance(source, Service) and source.network
        made.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, []),
        ({"strategy": "shark", "leaps": "x"}, ["shark never leaps.*leap: spider-genetic, spider-hybrid"]),
        ({"strategy": "shark", "category": "x"}, ["shark never leaps"]),
        ({"strategy": "spider-annealing", "leaps": "x"}, ["spider-annealing never leaps"]),
        ({"strategy": "spider-genetic", "leaps": "x"}, []),
        ({"strategy": "spider-genetic"}, ["spider-genetic has no leaps: name .* by --leaps"]),
        ({"strategy": "spider-hybrid"}, ["spider-hybrid has no leaps"]),
        ({"strategy": LEAPER, "leaps": "x"}, []),
        ({"strategy": LEAPER}, []),
        ({"strategy": "spider-best-first", "like": LIKED[:20]}, []),
        ({"strategy": "spider-best-first", "like": LIKED[:20] * 2}, []),
        ({"strategy": "spider-best-first", "like": LIKED}, ["the first 20 that you like, not with all 21"]),
        ({"strategy": "shark", "like": LIKED}, []),
    ],
)
def test_what_a_strategy_does_nothing_with_or_lacks_is_said(settings: dict[str, Any], said: list[str]) -> None:
    told = list(leaping.remarks(Settings(**settings)))
    assert len(told) == len(said) and all(map(re.search, said, told))


# On the command line


def test_help_says_which_strategies_leap() -> None:
    assert set(all_strategies()) >= set(leaping.leapers()) != set()
    assert set(re.findall(r"[a-z]+-[a-z-]+", MORE["leaps"])) == set(leaping.leapers())


def test_a_crawl_that_never_leaps_says_so_as_it_begins(
    index: Path, tmp_path: Path, aside: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    via = f"127.0.0.1:{aside(serve(SMALL)).port}"
    words = ["crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, "--delay", "0", "--disk-floor", "0"]
    words += ["--leaps", str(index), "--strategy", "shark", "--out", str(tmp_path / "run"), "--pages"]
    assert main([*words, "2"]) == 0
    assert capsys.readouterr().err.startswith("shark never leaps, so --leaps")
    assert main([*words, "3"]) == 0
    assert "shark never leaps" not in capsys.readouterr().err, "it was said when the run began"


def test_a_dry_run_tells_where_leaps_go(
    index: Path, tmp_path: Path, aside: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    via = f"127.0.0.1:{aside(serve(SMALL)).port}"
    words = ["crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, "--delay", "0", "--pages", "3"]
    assert main([*words, "--leaps", str(index), "--dry-run"]) == 0
    assert f"pages of {index}." in capsys.readouterr().out
    assert main([*words, "--leaps", str(index), "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert str(index) in told["leaps"] and told["settings"]["leaps"] == {"value": str(index), "origin": "command line"}
    assert main([*words, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["leaps"] is None


def test_a_folder_that_is_a_run_has_no_categories(
    tmp_path: Path,
    aside: Callable[[Any], Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    via = f"127.0.0.1:{aside(serve(SMALL)).port}"
    words = ["crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, "--delay", "0", "--pages", "3"]
    assert main([*words, "--out", str(tmp_path / "run"), "--disk-floor", "0", "--quiet"]) == 0
    told: list[str] = []
    made = leaping.opened(Settings(leaps=str(tmp_path / "run")), told.append)
    assert made is not None and "3 pages of the run" in made.told and "Reading the pages" in told[0]
    made.close()
    with monkeypatch.context() as little:
        little.setattr(word_index, "MOST_TEXT", 10)
        made = leaping.opened(Settings(leaps=str(tmp_path / "run")), told.append)
    assert made is not None and "the first 1 pages of" in told[-1] and "no room" in told[-1]
    made.close()
    with pytest.raises(Problem, match="has none"):
        opened(leaps=str(tmp_path / "run"), category="spiders")
    (tmp_path / "run" / "run.db").write_bytes(b"damage" * 1000)
    with pytest.raises(BadInput, match="is damaged: file is not a database"):
        opened(leaps=str(tmp_path / "run"))
    capsys.readouterr()
