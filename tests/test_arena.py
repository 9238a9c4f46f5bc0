"""The parts of benchmarks/arena.py: perturbed starts, results kept line by line, the link farm, and the page."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from wolfspider.core.errors import Problem
from wolfspider.core.model import Page, host_of
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import open_web

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
WEB = "synthetic:pages=1000,seed=7,mischief=0,topics=8"


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def module(name: str) -> Any:
    return importlib.import_module(name)


def small(arena: Any, starts: int = 2, farm: bool = False) -> list[Any]:
    size = arena.Size(25, starts, None, 1, (arena.DEFAULT_JUDGE,), (), others=False)
    web = module("arena_cells").ArenaWeb("farm:" * farm + WEB, None, 1)
    made: list[Any] = arena.planned(size, [web], arena.entries(["breadth-first", "best-first"]), ["serial"])
    return made


def crawls(portions: list[Any]) -> list[Any]:
    return [each for _, own in portions for each in own]


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    cost = ("seconds", "cpu", "pages_per_second", "peak_rss_mb")
    return [{name: value for name, value in row.items() if name not in cost} for row in rows]


def test_finished_crawls_are_kept_and_a_line_that_was_cut_is_computed_again(tmp_path: Path) -> None:
    arena, path = module("arena"), tmp_path / "arena.jsonl"
    made = small(arena)
    rows, interrupted = arena.run(made, arena.JsonLines(path), 1, 1)
    assert len(rows) == len(crawls(made)) and not interrupted and all(row["error"] is None for row in rows)
    whole = path.read_bytes()
    again, _ = arena.run(small(arena), arena.JsonLines(path), 1, 1)
    assert again == rows and path.read_bytes() == whole
    path.write_bytes(whole[:-40])  # as a kill leaves it
    mended, _ = arena.run(small(arena), arena.JsonLines(path), 1, 1)
    assert path.read_bytes().startswith(whole[:-40] + b"\n") and path.read_bytes().count(b"\n") == len(crawls(made)) + 1
    assert sorted(map(str, timeless(mended))) == sorted(map(str, timeless(rows)))


def test_an_interrupted_arena_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = module("arena")
    made = small(arena)
    kept = arena.JsonLines(tmp_path / "arena.jsonl")
    rows, interrupted = arena.run(made, kept, 1, hours=0)  # its time is over after the first crawl
    assert len(rows) == 1 and not interrupted
    assert arena.comparable(made, kept) == []  # the other strategy has not crawled this
    put = kept.put

    def interrupt(key: str, value: Any) -> None:
        put(key, value)
        raise KeyboardInterrupt

    monkeypatch.setattr(kept, "put", interrupt)
    rows, interrupted = arena.run(made, kept, 1, 1)
    assert len(rows) == 1 and interrupted
    rows, _ = arena.run(made, fresh := arena.JsonLines(tmp_path / "arena.jsonl"), 1, 1)
    assert len(rows) == len(crawls(made)) and all(fresh.get(each.key) for each in crawls(made))
    assert len(arena.comparable(made, fresh)) == len(rows)


def test_the_most_telling_portions_come_first_and_a_topic_of_every_web_before_the_next() -> None:
    arena, cells = module("arena"), module("arena_cells")
    size = arena.Size(25, 3, 2, 2, (arena.DEFAULT_JUDGE, arena.ORACLE), (40, 200, 5000), others=False)
    webs = [cells.ArenaWeb(WEB, None, 2), cells.ArenaWeb(WEB.replace("seed=7", "seed=8"), None, 2)]
    made = dict(arena.planned(size, webs, [cells.Entry("fish", "fish")], ["serial", "live-like"]))
    assert [*made] == [
        "first start, judge context",
        "first start, judge oracle",
        "2 more starts, judge context",
        "2 more starts, judge oracle",
        "longer crawls",
    ]
    assert [len(own) for own in made.values()] == [8, 4, 16, 8, 2]
    assert {each.cell.pages for each in made["longer crawls"]} == {200}  # 40 is on its way, 5,000 are not there
    first = [each.cell.web for each in made["first start, judge context"]]
    assert first == [webs[0].spec] * 2 + [webs[1].spec] * 2 + [webs[0].spec] * 2 + [webs[1].spec] * 2
    assert {each.cell.slots for each in made["2 more starts, judge oracle"]} == {1}
    assert {each.cell.slots for each in made["longer crawls"]} == {16}


def test_a_few_topics_are_spread_evenly_over_all() -> None:
    evenly = module("arena_cells").spread_evenly
    assert [evenly(range(22), 3), evenly(range(5), 3), evenly(range(2), 3), evenly(range(4), None)] == [
        [0, 7, 14],
        [0, 1, 3],
        [0, 1],
        [0, 1, 2, 3],
    ]


def test_a_start_changes_the_order_of_links_and_nothing_that_is_told_of_them() -> None:
    cells, world = module("arena_cells"), open_web(WEB)
    task = next(iter(world.tasks().values()))
    turned = cells.Reordered(world, 1)
    pages = [parse(world.look(url, world.start)) for url in sorted(task.relevant)[:20]]
    others = [turned.look(page.final_url, world.start).page for page in pages if isinstance(page, Page)]
    for page, other in zip(pages, others, strict=True):
        assert isinstance(page, Page) and sorted(page.links) == sorted(other.links) and page.words == other.words
    assert any(page.links != other.links for page, other in zip(pages, others, strict=True))


def test_seeds_are_left_out_only_if_the_others_lead_to_almost_all() -> None:
    cells = module("arena_cells")
    found = [*cells.places(cells.ArenaWeb(WEB, None, 3), 4, 50)]
    given = {place.on.task.topic.name: place.on for place in found if place.start == 0}
    for place in found:
        whole = given[place.on.task.topic.name]
        assert set(place.on.task.seeds) <= set(whole.task.seeds) and place.on.task.seeds
        assert place.on.bounds.reachable >= cells.ENOUGH * whole.bounds.reachable


def test_strategies_that_are_not_registered_are_named_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    made = module("arena").entries(["breadth-first", "no-such-strategy"])
    assert [entry.name for entry in made] == ["breadth-first"]
    assert "no-such-strategy" in capsys.readouterr().err


def test_a_strategy_and_a_judge_can_be_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """None of the others then, and the hunter, which has no paper, not by the letter of one either."""
    other = WEB.replace("seed=7", "seed=8")
    given = f"{WEB} --whole {other} --no-synthetic --topics 1 --pages 20 --starts 1 --out {tmp_path} --plan"
    monkeypatch.setattr("sys.argv", ["arena.py", *given.split(), "--strategy", "hunter", "--judge", "context"])
    assert module("arena").main() == 0
    portions = [line.split(",")[0:2] for line in capsys.readouterr().out.splitlines()]
    assert portions == [["first start", " judge context: 4 crawls"], ["all: 4 crawls; about 0 minutes"]]


def test_a_farm_has_its_pages_on_its_hosts_and_honest_pages_lead_to_it() -> None:
    farm, world = module("link_farm"), open_web(WEB)
    task = next(iter(world.tasks().values()))
    farmed = farm.Farmed(world, task)
    pages = [parse(farmed.look(url, world.start)) for url in sorted(task.relevant)]
    spam = [link for page in pages if isinstance(page, Page) for link in page.links if farm.DOMAIN in link.url]
    assert len(spam) == min(farm.HONEST, len(task.relevant))
    seen = {spam[0].url}
    for _ in range(3):
        for url in sorted(seen)[:20]:
            page = parse(farmed.look(url, world.start))
            assert isinstance(page, Page) and farmed.owns(host_of(url)) and url not in task.relevant
            assert set(task.topic.keywords) & set(page.words)
            assert all(farm.DOMAIN in link.url for link in page.links)
            seen |= {link.url for link in page.links}
    assert len({host_of(url) for url in seen}) <= farm.HOSTS
    assert farmed.visited <= seen


def test_the_page_has_tables_tests_and_the_farm(tmp_path: Path) -> None:
    arena, pages = module("arena"), module("arena_page")
    rows, _ = arena.run(small(arena, farm=True), arena.JsonLines(tmp_path / "arena.jsonl"), 1, 1)
    text = "\n".join(pages.page(rows, "best-first", 25, ["What was run."]))
    assert "best-first minus each other" in text and "Beside a link farm" in text
    assert pages.picture(rows, "serial", 25).startswith("<svg")
    assert all(row["farm"] is not None for row in rows)


def test_figures_after_fewer_downloads_come_from_the_same_crawl() -> None:
    cells = module("arena_cells")
    bounds = cells.TopicBounds(4, 4, [[1, 1], [2, 2], [3, 3], [4, 4]], [])
    found = [[2, 1], [4, 2], [8, 2]]
    assert cells.ratio(found, bounds, 2) == pytest.approx((0 + 1) / (1 + 2))
    assert cells.ratio(found, bounds, 4) == pytest.approx((0 + 1 + 1 + 2) / (1 + 2 + 3 + 4))
    assert cells.ratio(found, cells.TopicBounds(4), 4) is None


def test_an_ablation_compares_the_whole_with_what_is_left_without_each_part(tmp_path: Path) -> None:
    arena, pages = module("arena"), module("arena_page")
    with pytest.raises(SystemExit, match="no parameter 'off'"):
        arena.parts("breadth-first")
    assert [entry.settings for entry in arena.parts("fish", ["depth=1"])] == [{}, {"depth": "1"}]
    with pytest.raises(Problem, match="no parameter 'dpth'"):
        arena.parts("fish", ["dpth=1"])
    rows, _ = arena.run(small(arena, starts=1), arena.JsonLines(tmp_path / "arena.jsonl"), 1, 1)
    text = "\n".join(pages.ablation(rows, "best-first"))
    assert "| breadth-first | 1 |" in text and "synthetic webs" in text and "recorded webs" not in text
    assert arena.moved("synthetic:pages=20000,seed=102,hard=1", 100) == "synthetic:pages=20000,seed=2,hard=1"
