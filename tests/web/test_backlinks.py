"""Back-links of a web written by hand, of computed ones, and of addresses that nobody should ask for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.core.topic import Task
from wolfspider.engine.contracts import Source
from wolfspider.graphs.graph import Graph
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.backlinks import MOST, Backlinks
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import World

START = 1_000.0
HERE = "http://a.test/here"


class Linked(World):
    """A web of nothing but addresses and links. /moved leads to the first page."""

    name = "linked"
    start = START

    def __init__(self, urls: list[str], edges: list[tuple[int, int]]) -> None:
        self.urls, self.edges = urls, edges
        self.asked: list[float] = []  # when the links were read

    def look(self, url: str, now: float) -> Fetch:
        final = self.urls[0] if url.endswith("/moved") else url
        return Fetch(url, final, 404 if final == url else 200, seconds=1.0, at=now)

    def owns(self, host: str) -> bool:
        return True

    def graph(self, now: float) -> Graph:
        self.asked.append(now)
        return Graph.from_edges(self.urls, [tail for tail, _ in self.edges], [head for _, head in self.edges])

    def tasks(self) -> Mapping[str, Task]:
        return {}

    def digest(self) -> str:
        return ""


SMALL = Linked([HERE, "http://b.test/one", "https://c.test/two", "http://d.test/"], [(2, 0), (1, 0), (0, 3), (0, 0)])


def into(source: Source, url: str) -> list[str]:
    page = source.look(f"backlinks:{url}", START)
    assert isinstance(page, Page) and page.url == page.final_url == f"backlinks:{url}"
    return [link.url for link in page.links]


def test_an_answer_links_to_the_pages_that_link_there() -> None:
    source = Backlinks(SMALL, START)
    assert into(source, HERE) == ["http://b.test/one", "https://c.test/two"]
    assert into(source, "http://d.test/") == [HERE]
    assert into(source, "http://b.test/one") == []
    assert source.network, "it stands for a service, and asking costs a download"


def test_http_and_https_and_what_leads_there_are_one() -> None:
    source = Backlinks(SMALL, START)
    for spelling in (HERE.replace("http:", "https:"), "HTTP://A.test:80/here#part", "http://a.test/moved"):
        assert into(source, spelling) == into(source, HERE)


def test_the_web_is_read_once_and_only_if_somebody_asks() -> None:
    world = Linked(SMALL.urls, SMALL.edges)
    source = Backlinks(world, START)
    assert world.asked == []
    for now in (START, START + 5e6):
        source.look(f"backlinks:{HERE}", now)
    assert world.asked == [START]


@pytest.mark.parametrize("pages", [MOST, MOST + 1, 5 * MOST + 3])
def test_an_answer_is_bounded_and_drawn_from_all(pages: int) -> None:
    urls = [HERE, *(f"http://h{n}.test/" for n in range(pages))]
    found = into(Backlinks(Linked(urls, [(n, 0) for n in range(1, pages + 1)]), START), HERE)
    assert found == sorted(found, key=urls.index) and len(found) == len(set(found))
    assert MOST // 2 < len(found) <= MOST
    assert urls.index(found[-1]) > pages * 0.9, "the last ones are as welcome as the first"


def test_what_is_not_there_is_not_found() -> None:
    assert Backlinks(SMALL, START).look("backlinks:http://a.test/no", START) == Failure("status", "404")


@given(st.one_of(st.text(), st.from_regex(r"https?://[\x00-\x7f]{0,40}"), st.just("http://a.test/" + "x" * 100_000)))
def test_any_address_is_survived(address: str) -> None:
    found = Backlinks(SMALL, START).look(f"backlinks:{address}", START)
    assert isinstance(found, Page | Failure)


@pytest.mark.parametrize("address", ["", "backlinks:", "javascript:alert(1)", "http://[::1", "\ud800", "file:///etc"])
def test_garbage_is_not_found(address: str) -> None:
    assert Backlinks(SMALL, START).look(f"backlinks:{address}", START) == Failure("status", "404")


def test_on_a_computed_web_the_pages_it_names_do_link_there() -> None:
    world = Synthetic.parse("synthetic:pages=1000,mischief=0")
    source = Backlinks(world, world.start)
    (task, *_) = world.tasks().values()
    for target in sorted(task.relevant)[:3]:
        for linking in into(source, target)[:10]:
            page = parse(world.look(linking, world.start))
            assert isinstance(page, Page)
            ends = {world.look(link.url, world.start).final_url for link in page.links}
            assert world.look(target, world.start).final_url in ends
