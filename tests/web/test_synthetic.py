"""The synthetic web as a World: the same answer in any order, addresses both ways, all mischief, known truth."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.measure.bounds import FAR, nodes, off_topic_distance
from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.core.params import parameters
from wolfspider.testing.web_conformance import WORLD_CHECKS
from wolfspider.web.page.html import parse
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.synthetic import Synthetic, WebParams
from wolfspider.web.worlds.synthetic.bulk import Bulk
from wolfspider.web.worlds.synthetic.links import LinkPlace
from wolfspider.web.worlds.synthetic.sites import Census, Fate, Kind

WEB = Synthetic.parse("synthetic:pages=20000,seed=3")
CALM = Synthetic.parse("synthetic:pages=20000,seed=3,mischief=0")
MILLION = Synthetic.parse("synthetic:pages=1000000,seed=1")
NOW = WEB.start


def parsed(world: Synthetic, url: str, now: float = NOW) -> Page:
    page = parse(world.look(url, now))
    assert isinstance(page, Page), (url, page)
    return page


def find(world: Synthetic, wanted: Callable[[int, int], bool]) -> int:
    """The first page that is so, by page and host."""
    return next(page for page in range(world.params.pages) if wanted(page, world.sites.host(page)))


def steady(world: Synthetic, page: int, host: int) -> bool:
    return not world.trouble.failing(host) and world.trouble.failure(host, page, NOW) is None


# Parameters


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("synthetic:page=5000", "Did you mean 'pages'"),
        ("synthetic:pages=10", "synthetic:pages=10: pages must be at least 1,000"),
        ("synthetic:pages=1e5", "must be a whole number"),
        ("synthetic:pages=20000000", "at most"),
        ("synthetic:hard", "has no value"),
        ("synthetic:seed=1,seed=2", "twice"),
        ("synthetic:topics=20", "multiple of 8"),
        ("synthetic:pages=1000,topics=128", "too few"),
        ("synthetic:rewired=1,pages=200001", "held in memory"),
        ("synthetic:seeds=warm", "is one of"),
        ("artificial:pages=5000", "synthetic:KEY=VALUE"),
    ],
)
def test_every_mistake_is_a_sentence(spec: str, says: str) -> None:
    with pytest.raises(Problem, match=says):
        Synthetic.parse(spec)


def test_a_name_gives_the_same_web_again() -> None:
    for spec in ("synthetic", "synthetic:", "synthetic:pages=3000,hard=1,seeds=cold"):
        world = Synthetic.parse(spec)
        assert Synthetic.parse(world.name).params == world.params
    assert WebParams().spec() == "synthetic:pages=50000,seed=1"
    webs = [Synthetic.parse(f"synthetic:pages=3000,{more}") for more in ("seed=1", "seed=2", "hard=1", "mischief=0")]
    assert len({world.digest() for world in webs}) == 4


# The same answer, always


def sample_digest(spec: str, order: int) -> str:
    world = Synthetic.parse(spec)
    pages = random.Random(5).sample(range(world.params.pages), 40)
    looks = {}
    for page in sorted(pages, key=lambda page: page * order):
        fetch = world.look(world.addresses.url(page), world.start)
        looks[page] = (fetch.final_url, fetch.status, fetch.body, f"{fetch.seconds:.9f}", fetch.failure)
    return hashlib.sha256(repr(sorted(looks.items())).encode()).hexdigest()


def test_pages_are_the_same_in_any_order_and_in_any_process() -> None:
    spec = "synthetic:pages=20000,seed=3"
    here = sample_digest(spec, 1)
    assert here == sample_digest(spec, -1)
    code = f"import runpy; print(runpy.run_path({__file__!r})['sample_digest']({spec!r}, 1))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert there.stdout.split()[-1] == here


def test_another_seed_is_another_web() -> None:
    assert sample_digest("synthetic:pages=20000,seed=3", 1) != sample_digest("synthetic:pages=20000,seed=4", 1)


@pytest.mark.parametrize(
    "spec",
    ["pages=20000,seed=3", "pages=20000,seed=4,hard=1,mischief=0", "pages=1000,links=7", "pages=3000,topics=8"],
)
def test_one_page_and_the_bulk_agree_on_every_edge(spec: str) -> None:
    world = Synthetic.parse(f"synthetic:{spec}")
    skeleton = Bulk(world.links).skeleton()
    pages = random.Random(1).sample(range(world.params.pages), min(1000, world.params.pages))
    for page in [*pages, *(world.sites.starts[host] for host in world.sites.special)]:
        row = skeleton.targets[skeleton.starts[page] : skeleton.starts[page + 1]].tolist()
        assert [target for target, _ in world.links.of(page)] == row


def test_one_page_and_the_census_agree_on_every_label() -> None:
    census, sites = Census(WEB.sites), WEB.sites
    pages = np.arange(0, 20_000, 3)
    hosts = census.host(pages)
    table = [column.tolist() for column in (pages, hosts, census.topic(pages, hosts), census.fate(pages, hosts))]
    kinds = census.page_kind(pages, hosts).tolist()
    for page, host, topic, fate, kind in zip(*table, kinds, strict=True):
        assert (sites.host(page), sites.topic(page, host), sites.fate(page, host)) == (host, topic, fate)
        assert sites.page_kind(page, host) == kind


# Addresses


@given(st.integers(0, 999_999))
def test_an_address_leads_back_to_its_page(page: int) -> None:
    url = MILLION.addresses.url(page)
    assert MILLION.page_of(url) == page
    assert MILLION.page_of(url.replace("http:", "https:")) == page
    assert canonical(url) == url
    assert MILLION.owns(url.split("/")[2])


@given(st.text(alphabet="abdefgihjklo./-?=0123456789", max_size=30))
def test_nonsense_is_answered_not_raised(path: str) -> None:
    host = WEB.addresses.host_name(5)
    for url in (
        f"http://{host}/{path}",
        f"http://{path}/",
        f"http://[{path}",
        path,
        f"http://{host}/\ud800{path}",
        f"http://www.{path}.test/go/0000000x",
    ):
        fetch = WEB.look(url, NOW)
        assert fetch.failure is not None or fetch.status == 200


def test_addresses_are_distinct() -> None:
    assert len({WEB.addresses.url(page) for page in range(20_000)}) == 20_000


def test_a_wrong_slug_is_led_to_the_right_one_and_a_wrong_host_is_not() -> None:
    page = find(CALM, lambda page, host: page - CALM.sites.starts[host] > 9)
    url = CALM.addresses.url(page)
    site, section, name = url.rsplit("/", 2)
    fetch = CALM.look(f"{site}/x/wrong-{name.rpartition('-')[2]}", NOW)
    assert (fetch.final_url, fetch.status, len(fetch.hops)) == (url, 200, 1)
    other = CALM.addresses.host_name(CALM.sites.host(page) + 1)
    assert CALM.look(f"http://{other}/{section}/{name}", NOW).status == 404


def test_http_and_https_are_one_page() -> None:
    url = CALM.addresses.url(77)
    secure = CALM.look(url.replace("http:", "https:"), NOW)
    assert (secure.final_url, secure.body) == (url, CALM.look(url, NOW).body)


def test_hosts_of_others_are_not_ours() -> None:
    assert not WEB.owns("www.python.org")
    assert not WEB.owns("example")
    assert WEB.look("http://www.python.org/", NOW).status == 404


# What a page looks like


def test_a_page_shows_its_links_as_the_skeleton_has_them() -> None:
    for page in random.Random(2).sample(range(20_000), 60):
        shown = {link.url for link in parsed(CALM, CALM.addresses.url(page)).links}
        assert shown == {CALM.addresses.url(target) for target, _ in CALM.links.of(page)}


def test_the_path_of_tags_tells_where_a_link_stands() -> None:
    expected = {
        LinkPlace.NAV: "div.nav#menu/ul/li/a",
        LinkPlace.COPY: "div.related/ul/li/a",
        LinkPlace.WIDE: "div.footer/a",
    }
    seen = set()
    for page in range(2_000, 2_200):
        places = {CALM.addresses.url(target): place for target, place in CALM.links.of(page)}
        if not {LinkPlace.OWN, LinkPlace.TOPIC} & set(places.values()):
            continue
        for link in parsed(CALM, CALM.addresses.url(page)).links:
            ending = expected.get(LinkPlace(places[link.url]))
            if ending is not None:
                assert link.path.endswith(ending)
                seen.add(ending)
    assert seen == set(expected.values())


def test_a_page_says_its_date_title_and_language() -> None:
    page = parsed(CALM, CALM.addresses.url(1234))
    assert page.published == CALM.printer.published(1234)
    assert page.modified == page.published
    assert page.published < CALM.start
    assert 4 <= len(page.title.split()) <= 8


def test_words_tell_the_topic() -> None:
    """Pages share more words with others of their topic than with pages of a topic far away."""
    sites = CALM.sites
    own, far = sites.host_in(3, 0, 0), sites.host_in(35, 0, 0)

    def bag(host: int, first: int) -> set[str]:
        pages = (sites.starts[host] + place for place in range(first, first + 30))
        return {
            w
            for p in pages
            if sites.topic(p, host) == sites.host_topic(host)
            for w in parsed(CALM, CALM.addresses.url(p)).words
        }

    one, two, other = bag(own, 20), bag(own, 60), bag(far, 20)
    assert len(one & two) / len(one | two) > 1.2 * len(one & other) / len(one | other)


def test_most_anchors_quote_the_target() -> None:
    quoted = total = 0
    for page in range(3_000, 3_300):
        for link in parsed(CALM, CALM.addresses.url(page)).links:
            target = CALM.page_of(link.url)
            if target is not None and "nav" not in link.path:
                total += 1
                quoted += set(link.anchor.split()) <= set(CALM.addresses.card(target).title)
    assert 0.5 < quoted / total < 0.75


# Mischief


def test_dead_pages_are_gone_for_ever() -> None:
    page = find(WEB, lambda p, h: WEB.sites.fate(p, h) == Fate.GONE and steady(WEB, p, h))
    fetch = WEB.look(WEB.addresses.url(page), NOW)
    assert fetch.status == 404 and fetch.failure is not None and fetch.failure.lasting


def test_soft_failures_say_200_and_look_alike_on_a_host() -> None:
    census = Census(WEB.sites)
    pages = np.arange(20_000)
    hosts = census.host(pages)
    soft = pages[census.fate(pages, hosts) == Fate.SOFT]
    assert 0.005 < soft.size / 20_000 < 0.013
    bodies: dict[int, set[bytes]] = {}
    for page in soft.tolist():
        answer = WEB.page_answer(page)
        assert answer.status == 200
        bodies.setdefault(WEB.sites.host(page), set()).add(answer.body)
    assert all(len(different) == 1 for different in bodies.values())


def test_some_documents_are_no_html() -> None:
    page = find(WEB, lambda p, h: WEB.sites.fate(p, h) == Fate.DOCUMENT and steady(WEB, p, h))
    failure = parse(WEB.look(WEB.addresses.url(page), NOW))
    assert not isinstance(failure, Page) and failure.kind == "type"


def test_redirects_arrive_and_loops_are_told() -> None:
    hops = set()
    for page in range(20_000):
        host = WEB.sites.host(page)
        for target, _ in WEB.links.of(page):
            way = WEB.printer.redirect(page, target) if WEB.sites.host(target) != host else ""
            if way and steady(WEB, WEB.sites.starts[host], host):
                address = f"http://{WEB.addresses.host_name(host)}/go/{WEB.addresses.code(target)}{way}"
                fetch = WEB.look(address, NOW)
                if way == "x":
                    assert fetch.failure is not None and fetch.failure.kind == "redirect"
                else:
                    assert fetch.final_url == WEB.addresses.url(target)
                    assert len(fetch.hops) == "abc".index(way) + 1
                hops.add(way)
        if hops == set("abcx"):
            return
    pytest.fail(f"only these ways were found: {hops}")


def test_a_trap_has_no_end_and_leads_nowhere_else() -> None:
    host = next(h for h, kind in WEB.sites.special.items() if kind == Kind.TRAP and steady(WEB, WEB.sites.starts[h], h))
    home = parsed(WEB, WEB.addresses.url(WEB.sites.starts[host]))
    months = [link.url for link in home.links if "/cal/" in link.url]
    assert len(months) == 1
    url, signatures = months[0], set()
    for _ in range(30):
        page = parsed(WEB, url)
        signatures.add(page.near)
        assert all("/cal/" in link.url for link in page.links)
        url = next(link.url for link in page.links if link.anchor == "next")
    assert url.endswith("/cal/2007/9")
    assert all((a ^ b).bit_count() <= 8 for a in signatures for b in signatures)


def test_copies_by_session_are_the_same_page() -> None:
    host = next(h for h, kind in WEB.sites.special.items() if kind == Kind.TRAP)
    bodies = [WEB.page_answer(page).body for page in range(WEB.sites.starts[host], WEB.sites.starts[host + 1])]
    assert any(b"?sid=" in body for body in bodies)
    url = CALM.addresses.url(50)
    assert CALM.look(f"{url}?sid=1", NOW).body == CALM.look(url, NOW).body


def test_a_mirror_shows_the_words_of_its_original_under_other_names() -> None:
    checked = 0
    for host in (h for h, kind in WEB.sites.special.items() if kind == Kind.MIRROR):
        page = WEB.sites.starts[host]
        original, other = WEB.sites.original(page, host)
        if not (steady(WEB, page, host) and steady(WEB, original, other)):
            continue
        mirror, first = parsed(WEB, WEB.addresses.url(page)), parsed(WEB, WEB.addresses.url(original))
        assert mirror.words == first.words
        assert mirror.final_url != first.final_url
        checked += 1
    assert checked


def test_failures_pass() -> None:
    failed = [page for page in range(0, 20_000, 7) if WEB.trouble.failure(WEB.sites.host(page), page, NOW) is not None]
    assert 0.01 < len(failed) / (20_000 / 7) < 0.05
    for page in failed:
        fetch = WEB.look(WEB.addresses.url(page), NOW)
        assert fetch.failure is not None and not fetch.failure.lasting
        tries = [WEB.trouble.failure(WEB.sites.host(page), page, NOW + 600.0 * k) for k in range(1, 30)]
        assert None in tries


def test_some_hosts_are_slow_and_most_are_not() -> None:
    seconds = sorted(WEB.trouble.seconds(host, WEB.sites.starts[host], 4_000) for host in range(WEB.sites.hosts))
    assert 0.2 < seconds[len(seconds) // 2] < 1.0
    assert seconds[-1] > 5 * seconds[len(seconds) // 2]
    assert CALM.look(CALM.addresses.url(9), NOW).seconds == pytest.approx(0.3, abs=0.02)


def test_robots_close_a_section_on_few_hosts() -> None:
    closed = 0
    for host in range(WEB.sites.hosts):
        rules = WEB.look(f"http://{WEB.addresses.host_name(host)}/robots.txt", NOW).body.decode()
        assert rules.startswith("User-agent: *\nDisallow:")
        section = rules.split("Disallow:")[1].strip()
        closed += bool(section)
        assert not section or WEB.addresses.page_at(host, section) is not None
    assert 0.02 < closed / WEB.sites.hosts < 0.09


def test_without_mischief_every_page_answers() -> None:
    assert all(CALM.page_answer(page).status == 200 for page in range(0, 20_000, 97))
    assert not {Kind.MIRROR, Kind.TRAP} & set(CALM.sites.special.values())
    assert CALM.look(f"http://{CALM.addresses.host_name(3)}/cal/2005/3", NOW).status == 404


# The contract


@cache
def checked(more: str) -> Synthetic:
    """A web that keeps its graph, which the checks ask for again and again."""
    world = Synthetic.parse(f"synthetic:pages=2000,topics=16{more}")
    world.start = world.end  # what is relevant on a news site is mostly still to come when a crawl begins
    world.graph = cache(world.graph)  # type: ignore[method-assign]
    return world


@pytest.mark.parametrize("check", WORLD_CHECKS)
@pytest.mark.parametrize("more", ["", ",hard=1,seeds=relevant", ",mischief=0,news=1", ",rewired=1,seeds=cold"])
def test_it_is_a_world(check: str, more: str) -> None:
    WORLD_CHECKS[check](checked(more))


# Truth


@pytest.mark.parametrize("seeds", ["directory", "relevant", "cold"])
def test_what_is_relevant_can_be_reached_from_the_seeds(seeds: str) -> None:
    world = Synthetic.parse(f"synthetic:pages=20000,seed=3,seeds={seeds}")
    graph = world.graph(NOW)
    index = graph.index()
    tasks = world.tasks()
    assert len(tasks) == 5
    for name, task in tasks.items():
        assert task.topic.name == name and len(set(task.topic.keywords)) == 5 and task.topic.description
        relevant = np.zeros(graph.n, dtype=bool)
        relevant[nodes(index, task.relevant)] = True
        assert relevant.sum() == len(task.relevant) > 100
        assert all(url in index for url in task.seeds)
        distance = off_topic_distance(graph, nodes(index, task.seeds), relevant)
        assert np.mean(distance[relevant] < FAR) > 0.7


def test_relevant_pages_are_on_topic_inner_originals_that_answer() -> None:
    for task in WEB.tasks().values():
        topics = set()
        for url in task.relevant:
            page = WEB.page_of(url)
            assert page is not None
            host = WEB.sites.host(page)
            topics.add(WEB.sites.topic(page, host))
            assert page > WEB.sites.starts[host] and WEB.sites.fate(page, host) == Fate.PAGE
            assert WEB.sites.page_kind(page, host) == Kind.ORDINARY
        assert len(topics) == 1


def test_seeds_by_default_are_a_directory_of_the_topic_and_a_page_of_another() -> None:
    for task in WEB.tasks().values():
        pages = [page for url in task.seeds if (page := WEB.page_of(url)) is not None]
        kinds = [WEB.sites.page_kind(page, WEB.sites.host(page)) for page in pages]
        assert kinds[0] in (Kind.DIRECTORY, Kind.PORTAL) and kinds[1] == Kind.ORDINARY
        assert not set(task.seeds) & task.relevant


def test_keywords_stand_on_relevant_pages_and_seldom_on_others() -> None:
    task = next(iter(CALM.tasks().values()))
    keywords = set(task.topic.keywords)

    def share(urls: list[str]) -> float:
        return float(np.mean([bool(keywords & set(parsed(CALM, url).words)) for url in urls]))

    relevant = sorted(task.relevant)[:60]
    others = [CALM.addresses.url(page) for page in range(0, 20_000, 300)]
    assert share(relevant) > 0.9 > 0.5 > share([url for url in others if url not in task.relevant])


def test_the_graph_has_the_pages_that_answer_and_follows_redirects() -> None:
    graph = WEB.graph(NOW)
    assert {WEB.page_answer(page).status for page in map(WEB.page_of, graph.urls[::199]) if page is not None} == {200}
    number = graph.urls.index(WEB.addresses.url(0))
    gone = {t for t, _ in WEB.links.of(0) if WEB.sites.fate(t, WEB.sites.host(t)) in (Fate.GONE, Fate.DOCUMENT)}
    linked = {WEB.addresses.url(t) for t, _ in WEB.links.of(0) if t not in gone and WEB.printer.redirect(0, t) != "x"}
    assert {graph.urls[node] for node in graph.out(number)} == linked


def test_a_rewired_web_serves_the_links_of_its_graph() -> None:
    world = Synthetic.parse("synthetic:pages=2000,topics=16,mischief=0,rewired=1")
    graph = world.graph(world.start)
    for page in range(0, 2_000, 101):
        url = world.addresses.url(page)
        shown = {link.url for link in parsed(world, url).links}
        assert shown == {graph.urls[node] for node in graph.out(graph.urls.index(url))}


# Size


@pytest.mark.sampled(4)
def test_a_million_pages_cost_little_until_they_are_looked_at() -> None:
    tracemalloc.start()
    try:
        world = Synthetic.parse("synthetic:pages=1000000,seed=8")
        for page in random.Random(8).sample(range(1_000_000), 50):
            assert world.look(world.addresses.url(page), world.start).final_url == world.addresses.url(page)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_every_parameter_has_its_line_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "synthetic.md").read_text(encoding="utf-8")
    for name, about in parameters(WebParams).items():
        default = int(about.default) if isinstance(about.default, bool) else about.default
        assert f"| `{name}` | {default} |" in page
        assert all(f"`{choice}`" in page for choice in about.choices)
