"""The conformance suite for webs: what every World must hold, computed or recorded.

for name, check in WORLD_CHECKS.items(): check(world)        # raises Violation with a sentence
"""

from __future__ import annotations

from collections.abc import Callable

from wolfspider.core.model import Failure, Page, host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Nofollow
from wolfspider.graphs.graph import Graph
from wolfspider.testing.demands import demand
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World


def looks_are_pure(world: World) -> None:
    for url in _some(world):
        demand(world.look(url, world.start) == world.look(url, world.start), f"two looks at {url} differ")


def answers_carry_their_question(world: World) -> None:
    for url in _some(world):
        fetch = world.look(url, world.start)
        about = fetch.url == url and fetch.at == world.start and fetch.seconds > 0
        demand(about, f"the answer for {url} is not about it")


def unknown_is_not_found(world: World) -> None:
    host = host_of(_some(world)[0])
    for url in (f"http://{host}/no-such-page-here-9f8e7d", "http://no-such-host.invalid/"):
        result = parse(world.look(url, world.start))
        demand(isinstance(result, Failure) and result == Failure("status", "404"), f"{url} is {result!r}, not a 404")


def schemes_answer_alike(world: World) -> None:
    for url in _some(world):
        bare = url.split("://", 1)[1]
        one, other = (parse(world.look(f"{scheme}://{bare}", world.start)) for scheme in ("http", "https"))
        same = isinstance(one, Page) and isinstance(other, Page) and one.digest == other.digest
        demand(same or one == other, f"http and https answer differently for {bare}")


def graph_is_of_pages(world: World) -> None:
    graph = world.graph(world.start)
    demand(graph.n > 0, "the graph is empty")
    for url in _some_of(graph):
        demand(world.owns(host_of(url)), f"{url} is in the graph, its host is not in the web")


def links_are_in_the_graph(world: World) -> None:
    """What a crawler sees on a page is what the bounds are computed from."""
    graph = world.graph(world.start)
    index = graph.index()
    for url in _some_of(graph):
        page = parse(world.look(url, world.start))
        links = Nofollow.OBEY.links(page) if isinstance(page, Page) else ()
        seen = {index[link.url] for link in links if link.url in index} - {index[url]}
        missing = seen - set(graph.out(index[url]).tolist())
        demand(not missing, f"{url} shows links that the graph does not have: {[graph.urls[n] for n in missing][:3]}")


def tasks_can_be_done(world: World) -> None:
    index = world.graph(world.start).index()
    for name, task in world.tasks().items():
        demand(any(seed in index for seed in task.seeds), f"no seed of topic {name} is a page of the web")
        missing = task.relevant - index.keys()
        demand(not missing, f"{len(missing)} relevant pages of {name} are not in the web")


def _some(world: World) -> list[str]:
    return _some_of(world.graph(world.start))


def _some_of(graph: Graph, count: int = 25) -> list[str]:
    return [graph.urls[number] for number in generator(3).sample(range(graph.n), min(count, graph.n))]


WORLD_CHECKS: dict[str, Callable[[World], None]] = {
    check.__name__: check
    for check in (
        looks_are_pure,
        answers_carry_their_question,
        unknown_is_not_found,
        schemes_answer_alike,
        graph_is_of_pages,
        links_are_in_the_graph,
        tasks_can_be_done,
    )
}
