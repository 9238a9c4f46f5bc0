"""A synthetic web written out: the recorded copy answers as the original does."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.core.errors import Problem
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic, write
from wolfspider.web.worlds.synthetic.newsroom import HOUR

WORLD = Synthetic.parse("synthetic:pages=1000,seed=5,topics=8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("written")
    write(WORLD, folder / "web")
    return Recorded(folder / "web", folder / "cache")


def test_the_copy_has_the_same_links_and_tasks(copy: Recorded) -> None:
    first, second = WORLD.graph(WORLD.start), copy.graph(copy.start)
    assert copy.warnings == []
    edges = [
        {(g.urls[a], g.urls[b]) for a, b in zip(g.sources().tolist(), g.targets.tolist(), strict=True)}
        for g in (first, second)
    ]
    calendars = {edge for edge in edges[1] if "/cal/" in edge[1]}
    assert edges[1] - calendars == edges[0]
    assert set(second.urls) >= set(first.urls)
    assert dict(copy.tasks()) == WORLD.tasks()


def test_looks_at_the_copy_end_where_they_would(copy: Recorded) -> None:
    later = WORLD.start + 1
    for page in range(0, 1000, 17):
        url = WORLD.addresses.url(page)
        answer, fetch = WORLD.page_answer(page), copy.look(url, later)
        assert (fetch.status, fetch.final_url) == (answer.status, url)
        if fetch.page is not None:
            assert copy.body(url, later) == answer.body


def test_redirects_are_kept_as_redirects(copy: Recorded) -> None:
    ways = [copy.url(number) for number in range(len(copy)) if "/go/" in copy.url(number)]
    assert ways
    for url in ways[:50]:
        fetch = copy.look(url, WORLD.start)
        assert fetch.hops[0] == url
        assert (fetch.failure is not None and fetch.failure.kind == "redirect") == url.endswith(("x", "y"))


def test_a_limited_copy_hangs_together(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    assert write(WORLD, tmp_path, limit=120, progress=lambda done, total: seen.append((done, total))) == 120
    assert seen[-1] == (120, 120)
    copy = Recorded(tmp_path, tmp_path / "cache")
    stored = {copy.url(number) for number in range(len(copy))}
    assert len(stored) == 120
    for task in copy.tasks().values():
        assert set(task.relevant) <= stored
    graph = copy.graph(copy.start)
    assert graph.m > graph.n / 2


def test_nothing_half_written_is_left_and_nothing_is_overwritten(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(WORLD, tmp_path, progress=stop)
    assert list(tmp_path.iterdir()) == []
    write(WORLD, tmp_path, limit=10)
    with pytest.raises(Problem, match="already"):
        write(WORLD, tmp_path, limit=10)


def test_the_same_web_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(Synthetic(WORLD.params), tmp_path / name, limit=60)
    assert (tmp_path / "one/web.warc.gz").read_bytes() == (tmp_path / "two/web.warc.gz").read_bytes()


def test_news_is_written_as_versions_at_their_times(tmp_path: Path) -> None:
    world = Synthetic.parse("synthetic:pages=1000,seed=5,topics=8,news=1,mischief=0")
    assert world.news is not None
    write(world, tmp_path, limit=700)
    copy = Recorded(tmp_path, tmp_path / "cache")
    news = world.news
    moments = [news.room.origin + hour * HOUR for hour in (1, 2)]
    for now in moments:
        assert copy.body(news.site, now) == news.answer("/", now).body
    assert copy.body(news.site, moments[0]) != copy.body(news.site, moments[1])
    url, published = news.url(3), news.archive.times[3]
    assert copy.look(url, published - 1).status == 404
    assert copy.body(url, published + 1) == news.answer("/" + url.removeprefix(news.site), published + 1).body
