"""A recorded crawl, crawled again: what was there is there, when it was there."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wolfspider.bench.run.cell import Cell, new_crawl
from wolfspider.core import events
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Credit, Failure, Link, Outcome, Page, Verdict, Visit, host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Scope
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Recollection, simulate
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.learn.page_states import open_states
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.testing.web_conformance import WORLD_CHECKS
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.parsed_once import Delayed
from wolfspider.web.worlds.recording.recorder import Recorder
from wolfspider.web.worlds.recording.replayed import RecordedCrawl, opened
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import Looks, World, open_web

NEWS = "synthetic:pages=2000,news=1"
WORLD = Synthetic.parse(NEWS)
TASK = next(iter(WORLD.tasks().values()))


class Lengths:
    """A state that can be told from the page at once."""

    size = 2

    def of(self, page: Page) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.array([len(page.links) / 10_000, len(page.title) / 10_000], np.float32)


class ByDigest:
    """A judge that needs no words: a page is as good as its digest says."""

    def __init__(self, topic: Topic) -> None:
        pass

    def score(self, page: Page) -> Verdict:
        score = int(hashlib.sha256(page.digest.encode()).hexdigest()[:4], 16) / 0xFFFF
        return Verdict(score, score >= 0.5)

    def learn(self, page: Page, label: bool) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Any) -> None:
        pass

    learned = state
    inherit = restore


def told(event: events.Event) -> tuple[Any, ...] | None:
    """What of an event a replay must give again."""
    if not isinstance(event, events.Landed):
        return None
    outcome = event.outcome
    visit, result = outcome.visit, outcome.result
    if isinstance(result, Page):
        shown = tuple(link.url for link in result.links)
        result = (result.final_url, result.digest, result.title, result.published, result.modified, shown, result.at)
    ways = (event.at, outcome.seconds, event.how, visit.id, visit.link.url, visit.agent, visit.source)
    return (*ways, outcome.downloads, result, outcome.verdict and outcome.verdict.score)


def crawled(
    world: World, looks: Looks, strategy: str, *listeners: Callable[[events.Event], None], **wanted: Any
) -> list[tuple[Any, ...]]:
    """All landings of a crawl from the news site's home page; `wanted` is of its Cell."""
    cell = Cell(NEWS, NEWS, "topic", strategy, 0, wanted.pop("pages", 300), DEFAULT_JUDGE, world.start)
    crawl = new_crawl(replace(cell, **wanted), TASK, world, looks)
    crawl.judge_of = ByDigest
    crawl.judge = ByDigest(TASK.topic)
    log: list[tuple[Any, ...]] = []
    crawl.listen(lambda event: log.append(kept) if (kept := told(event)) else None)
    for listener in listeners:
        crawl.listen(listener)
    crawl.begin([Link(url) for url in TASK.seeds], now=world.start)
    simulate(crawl, looks, start=world.start)
    return log


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "news"
    with Recorder(folder, Lengths(), web=WORLD.name) as recorder:
        crawled(WORLD, WORLD, "random", recorder, pages=400)
    return folder


@pytest.mark.parametrize("strategy", ["best-first", "random", "breadth-first"])
@pytest.mark.parametrize("slots", [1, 5])
def test_a_crawl_of_its_own_recording_is_the_crawl_that_was_recorded(tmp_path: Path, strategy: str, slots: int) -> None:
    with Recorder(tmp_path, Lengths(), web=WORLD.name) as recorder:
        there = crawled(WORLD, WORLD, strategy, recorder, slots=slots)
    again = RecordedCrawl(tmp_path)
    assert crawled(again, again, strategy, slots=slots) == there
    assert sum(log[7] for log in there) == 300
    assert any(isinstance(log[8], Failure) for log in there)


class Polling(Strategy):
    """Looks at what it knows again and again, and sends all that it gets."""

    name = "polling"

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.known: list[str] = []
        self.seeds(seeds)

    def seeds(self, links: Sequence[Link]) -> None:
        self.known += [link.url for link in links]

    def propose(self, room: Room, now: float) -> list[Visit]:
        links = [Link(self.rng.choice(self.known)) for _ in range(20)]
        return [
            self.visit(link, fresh=True, agent=f"{now:.0f}") for link in links if room.free and room.take(link, True)
        ]

    def observe(self, outcome: Outcome) -> tuple[int, ...]:
        if outcome.page is None:
            return ()
        self.known = list(dict.fromkeys([*self.known, *(link.url for link in outcome.page.links)]))[:40]
        return (outcome.visit.id,)


def polled(world: World, looks: Looks, *listeners: Callable[[events.Event], None]) -> list[Any]:
    """Three hundred looks at forty pages that change."""
    scope = Scope(within=lambda url: world.owns(host_of(url)))
    strategy = Polling(Topic(("news",)), Polling.Params(), generator(1), Shelf())
    crawl = Crawl(strategy, ByDigest, Recollection(looks), Limits(300, 3), scope=scope)
    log: list[Any] = []
    crawl.listen(lambda event: log.append(kept) if (kept := told(event)) else None)
    crawl.listen(lambda event: log.append(event) if isinstance(event, events.Credited) else None)
    for listener in listeners:
        crawl.listen(listener)
    crawl.begin([Link(TASK.seeds[0])], now=world.start)
    simulate(crawl, looks, start=world.start)
    return log


def test_pages_that_change_are_replayed_as_they_changed_and_paid_as_they_were_paid(tmp_path: Path) -> None:
    slow = Delayed(WORLD, 300.0)  # so that there is news
    with Recorder(tmp_path, Lengths()) as recorder:
        there = polled(WORLD, slow, recorder)
    again = RecordedCrawl(tmp_path)
    assert polled(again, again) == there
    contents: dict[str, set[str]] = {}
    for url, digest in zip(again.recording.addresses, again.recording.digests, strict=True):
        contents.setdefault(again.recording.urls[url], set()).add(digest)
    assert max(map(len, contents.values())) > 3, "nothing has changed while it was recorded"
    paid = [event for event in there if isinstance(event, events.Credited) and event.credit.reason == "new"]
    assert len(paid) == len(again.rewarded) > 0


def test_a_fleet_of_foragers_lives_again_on_what_it_saw(tmp_path: Path) -> None:
    """Its states come from the recording, since replayed pages have no words."""
    slow = Delayed(WORLD, 60.0)
    with Recorder(tmp_path, open_states("default", "calibrated"), web=WORLD.name) as recorder:
        there = crawled(WORLD, slow, "foragers", recorder, pages=400, slots=4)
    again = RecordedCrawl(tmp_path)
    assert crawled(again, again, "foragers", pages=400, slots=4, settings={"model": str(tmp_path)}) == there
    assert again.rewarded


@pytest.mark.parametrize("latency", [None, "mean"])
def test_where_every_answer_takes_the_same_time_the_mean_is_that_time(tmp_path: Path, latency: str | None) -> None:
    slow = Delayed(WORLD, 0.7)
    with Recorder(tmp_path, Lengths()) as recorder:
        there = crawled(WORLD, slow, "random", recorder, slots=3)
    again = RecordedCrawl(tmp_path, latency=latency)
    assert again.mean_seconds == 0.7
    assert crawled(again, again, "random", slots=3) == there


# Pages appear and change when they were seen to


class Written:
    """A recording made by hand, look by look."""

    def __init__(self, folder: Path) -> None:
        self.recorder, self.visits = Recorder(folder, Lengths()), 0

    def look(
        self, url: str, shown: str | Failure, at: float, *links: str, final: str = "", seconds: float = 0.5
    ) -> int:
        self.visits += 1
        visit, end = Visit(self.visits, Link(url)), at + seconds
        result: Page | Failure = shown if isinstance(shown, Failure) else page(final or url, shown, links, at, url)
        self.recorder(events.Went(at, visit, "out"))
        self.recorder(events.Landed(end, Outcome(visit, result, None, 1, seconds, end), "out", self.visits))
        return self.visits


def page(final: str, digest: str, links: Sequence[str], at: float, url: str = "") -> Page:
    shown = tuple(Link(link, rank=rank) for rank, link in enumerate(links))
    return Page(url or final, final, f"Title {digest}", (), shown, 100, digest, at=at)


def shown(world: World, url: str, now: float) -> str | Failure:
    fetch = world.look(url, now)
    result = parse(fetch)
    assert (fetch.url, fetch.at) == (url, now)
    assert fetch.seconds > 0
    if isinstance(result, Failure):
        return result
    assert (result.url, result.at, result.final_url) == (url, now, fetch.final_url)
    return result.digest


def test_a_page_is_there_from_its_first_look_and_changes_with_its_next(tmp_path: Path) -> None:
    written = Written(tmp_path)
    written.look("http://a/", "one", 10.0, "http://a/x", "http://a/y")
    written.look("http://a/", "one", 20.0, "http://a/x", "http://a/y", seconds=2.0)
    written.look("http://a/", "two", 30.0, "http://a/z")
    written.look("http://a/", Failure("status", "503"), 40.0, seconds=9.0)
    written.look("http://a/", "two", 50.0, "http://a/z")
    written.recorder.close()
    world = RecordedCrawl(tmp_path)
    missing, broken = Failure("status", "404"), Failure("status", "503")
    times = (9.9, 10.0, 19.9, 20.0, 29.9, 30.0, 40.0, 49.9, 50.0, 99.0)
    seen = [missing, "one", "one", "one", "one", "two", broken, broken, "two", "two"]
    assert [shown(world, "http://a/", now) for now in times] == seen
    assert [world.look("http://a/", now).seconds for now in times[1:8]] == [0.5, 0.5, 2.0, 2.0, 0.5, 9.0, 9.0]
    assert [link.url for link in world.look("http://a/", 31.0).page.links] == ["http://a/z"]  # type: ignore[union-attr]
    assert [link.rank for link in world.look("http://a/", 15.0).page.links] == [0, 1]  # type: ignore[union-attr]
    assert [shown(world, url, 99.0) for url in ("http://a/x", "http://b/")] == [missing, missing]
    assert (world.start, world.end) == (10.0, 50.5)
    assert world.look("http://a/", 40.0).status == 503


def test_where_a_redirect_led_is_there_by_both_names(tmp_path: Path) -> None:
    written = Written(tmp_path)
    written.look("http://a/old", "one", 10.0, final="http://a/new")
    written.look("http://a/new", "two", 20.0, seconds=3.0)
    written.look("http://a/old", "two", 20.0, final="http://a/new", seconds=7.0)
    written.recorder.close()
    world = RecordedCrawl(tmp_path)
    assert [shown(world, "http://a/new", now) for now in (9.0, 10.0, 20.0)] == [Failure("status", "404"), "one", "two"]
    fetch = world.look("http://a/old", 15.0)
    assert (fetch.final_url, fetch.hops) == ("http://a/new", ("http://a/old",))
    assert world.look("http://a/new", 25.0).seconds == 3.0, "a request for the page itself waits for it alone"
    assert world.graph(25.0).urls == ["http://a/new"]


def test_every_spelling_of_an_address_is_answered(tmp_path: Path) -> None:
    written = Written(tmp_path)
    written.look("http://a.test/x?a=1&b=2", "one", 10.0)
    written.recorder.close()
    world = RecordedCrawl(tmp_path)
    for url in ("https://a.test/x?a=1&b=2", "http://A.test/x?b=2&a=1", "http://a.test/x?a=1&b=2#top"):
        fetch = world.look(url, 11.0)
        assert (shown(world, url, 11.0), fetch.final_url, fetch.hops) == ("one", "http://a.test/x?a=1&b=2", ())
    assert shown(world, "no address", 11.0) == Failure("status", "404")
    assert (world.owns("a.test"), world.owns("b.test")) == (True, False)


@pytest.mark.parametrize(
    ("latency", "seconds"), [(None, [1.0, 4.0, 2.5]), ("mean", [2.5, 2.5, 2.5]), (0.25, [0.25, 0.25, 0.25])]
)
def test_an_answer_takes_what_it_took_or_what_is_wanted(
    tmp_path: Path, latency: float | str | None, seconds: list[float]
) -> None:
    written = Written(tmp_path)
    written.look("http://a/", "one", 10.0, seconds=1.0)
    written.look("http://b/", Failure("timeout"), 10.0, seconds=4.0)
    written.recorder.close()
    world = RecordedCrawl(tmp_path, latency=latency)
    assert [world.look(url, 11.0).seconds for url in ("http://a/", "http://b/", "http://nowhere/")] == seconds


versions = st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["one", "two", "three", ""])), min_size=1, max_size=9)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions, st.integers(-1, 31), st.integers(0, 31))
def test_the_next_change_is_where_looks_say_that_it_is(
    tmp_path_factory: pytest.TempPathFactory, looks: list[tuple[int, str]], since: int, more: int
) -> None:
    folder = tmp_path_factory.mktemp("changes")
    written = Written(folder)
    for at, digest in sorted(dict(looks).items()):
        written.look("http://a/", digest or Failure("timeout"), 100.0 + at)
    written.recorder.close()
    world = RecordedCrawl(folder)
    # Whole seconds are all there is here; a failure shows no content, so the last content stands.
    seen: list[str | None] = []
    for second in range(-1, 70):
        result = shown(world, "http://a/", 100.0 + second)
        seen.append(result if isinstance(result, str) else seen[-1] if seen else None)
    later = (second for second in range(since + 1, since + more + 1) if seen[second + 1] != seen[second])
    first = next(later, None)
    expected = None if first is None else 100.0 + first
    assert world.changed("http://a/", 100.0 + since, 100.0 + since + more) == expected
    assert world.changed("http://b/", 0.0, 999.0) is None


def test_what_was_rewarded_is_known(tmp_path: Path) -> None:
    written = Written(tmp_path)
    paid, known = written.look("http://a/", "one", 10.0), written.look("http://b/", "two", 11.0)
    for visit, reason in ((paid, "new"), (known, "known")):
        written.recorder(events.Credited(12.0, Credit(visit, "", 99.0, reason, 12.0)))
    written.recorder.close()
    world = RecordedCrawl(tmp_path)
    assert world.rewarded == {("http://a/", "one")}
    assert world.states.of(page("http://b/", "two", (), 0.0)).tolist() == pytest.approx([0.0, 9 / 10_000])


# As a World


@pytest.mark.parametrize("rule", WORLD_CHECKS)
@pytest.mark.parametrize("rewired", [None, 1])
def test_a_replay_conforms_at_its_end(recorded: Path, rule: str, rewired: int | None) -> None:
    world = RecordedCrawl(recorded, rewired=rewired)
    world.start = world.end  # before, there is nothing yet
    WORLD_CHECKS[rule](world)


def test_the_graph_grows_and_has_what_pages_show(recorded: Path) -> None:
    world = RecordedCrawl(recorded)
    half, whole = world.graph((world.start + world.end) / 2), world.graph(world.end)
    assert 0 < half.n < whole.n
    assert set(half.urls) <= set(whole.urls)
    for node, url in enumerate(whole.urls):
        page = world.look(url, world.end).page
        assert page is not None
        places = {link.url for link in page.links} & set(whole.urls) - {url}
        assert places <= {whole.urls[target] for target in whole.out(node).tolist()}


# Options


def test_a_folder_with_options_opens_as_the_web_it_names(recorded: Path, tmp_path: Path) -> None:
    plain, mean = open_web(str(recorded)), open_web(f"{recorded}#latency=mean")
    rewired, again = open_web(f"{recorded}#rewired=2,latency=0.5"), open_web(f"{recorded}#rewired=2,latency=0.5")
    assert all(isinstance(web, RecordedCrawl) for web in (plain, mean, rewired))
    assert (plain.name, rewired.name) == ("news", "news#rewired=2,latency=0.5")
    assert len({web.digest() for web in (plain, mean, rewired, again)}) == 3
    assert rewired.look(rewired.name, 0.0).seconds == 0.5
    odd = tmp_path / "with#sign"
    recorded.rename(odd)
    try:
        assert open_web(str(odd)).name == "with#sign"
        assert open_web(f"{odd.parent}/with#sign").digest() == plain.digest()
    finally:
        odd.rename(recorded)


@pytest.mark.parametrize(
    "options", ["rewired=x", "rewired=-1", "latency=slow", "latency=-1", "latency=nan", "speed=1", "x"]
)
def test_options_that_are_none_are_refused(recorded: Path, options: str) -> None:
    with pytest.raises(Problem):
        opened(recorded, options)


def test_a_recording_without_a_download_is_refused(tmp_path: Path) -> None:
    Recorder(tmp_path, Lengths()).close()
    with pytest.raises(BadInput, match="has no download"):
        RecordedCrawl(tmp_path)
    with pytest.raises(BadInput, match="There is no recording in"):
        RecordedCrawl(tmp_path / "none")


# Rewired


def edges(world: RecordedCrawl) -> dict[tuple[str, str], float]:
    """Every link that any version shows, self-loops apart, and when it is first shown."""
    kept, found = world.recording, {}
    for at, result in sorted(zip(kept.times, kept.results, strict=True)):
        if result >= 0:
            url = kept.urls[kept.addresses[result]]
            page = world.look(url, at).page
            assert page is not None
            for link in page.links:
                found.setdefault((url, link.url), at)
    return {edge: at for edge, at in found.items() if edge[0] != edge[1]}


def test_rewiring_keeps_degrees_times_and_pages_and_changes_who_links_to_whom(recorded: Path) -> None:
    plain, rewired = RecordedCrawl(recorded), RecordedCrawl(recorded, rewired=7)
    before, after = edges(plain), edges(rewired)
    assert len(after) == len(before)
    for end in (0, 1):
        assert sorted(edge[end] for edge in after) == sorted(edge[end] for edge in before)
    known = {}
    for (_, target), at in before.items():
        known[target] = min(at, known.get(target, math.inf))
    for at, address in zip(plain.recording.times, plain.recording.asked, strict=True):
        known[plain.recording.urls[address]] = min(at, known.get(plain.recording.urls[address], math.inf))
    assert all(at >= known[target] for (_, target), at in after.items())
    assert len(before.keys() & after.keys()) < len(before) / 2
    url = plain.recording.urls[0]
    one, other = plain.look(url, plain.end).page, rewired.look(url, plain.end).page
    assert one is not None and other is not None
    assert (one.digest, one.title, one.published, len(one.links)) == (
        *(other.digest, other.title, other.published),
        len(other.links),
    )


def test_the_same_seed_rewires_alike_and_another_does_not(recorded: Path) -> None:
    assert edges(RecordedCrawl(recorded, rewired=7)) == edges(RecordedCrawl(recorded, rewired=7))
    assert edges(RecordedCrawl(recorded, rewired=7)) != edges(RecordedCrawl(recorded, rewired=8))


def test_hosts_of_links_belong_to_the_web(recorded: Path) -> None:
    world = RecordedCrawl(recorded)
    assert all(world.owns(host_of(url)) for url in world.recording.urls)
