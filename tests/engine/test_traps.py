"""A crawl that avoids traps: on a site that has them all, replayed, restored, and by the letter without the rules."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.small_web import HTML, SPIDERS, SmallWeb, page

from wolfspider.app.assemble import traps_of
from wolfspider.app.settings import Settings
from wolfspider.core import codec, events
from wolfspider.core.limits import Limits
from wolfspider.core.model import Fetch, host_of
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Rule, Scope
from wolfspider.drivers.simulated import Simulation, simulate, simulated_crawl
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import Entry
from wolfspider.engine.replay import replay
from wolfspider.policy.room import Room
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.strategies import strategy_named
from wolfspider.testing.trap_site import HOST, TrapSite

SITE = TrapSite(7)
PAGES = 120


def crawl_of(
    strategy: str, avoid: bool = True, journal: Callable[[Entry], None] | None = None, slots: int = 1
) -> Crawl:
    return simulated_crawl(
        strategy_named(strategy).new(SITE.task().topic, random.Random(3)),
        "context",
        SITE,
        Limits(PAGES, slots, hurry=0.0),
        scope=Scope(within=lambda url: SITE.owns(host_of(url))),
        journal=journal,
        traps=TrapRules() if avoid else None,
    )


def visited(crawl: Crawl) -> list[str]:
    return downloaded(crawl, lambda: simulate(crawl, SITE, start=SITE.start, seeds=SITE.task().seeds))


def downloaded(crawl: Crawl, run: Callable[[], object]) -> list[str]:
    asked: list[str] = []

    def hear(event: events.Event) -> None:
        if isinstance(event, events.Landed) and event.outcome.downloads:
            asked.append(event.outcome.visit.link.url)

    crawl.listen(hear)
    run()
    return asked


def honest(asked: list[str]) -> int:
    return len({SITE.honest(url) for url in asked} - {None})


def test_traps_take_little_of_what_they_took() -> None:
    without, avoiding = (honest(visited(crawl_of("best-first", avoid))) for avoid in (False, True))
    assert avoiding > PAGES // 2 > 2 * without


def test_every_rest_is_noted_with_its_reason() -> None:
    crawl, notes = crawl_of("best-first"), list[events.Noted]()
    crawl.listen(lambda event: notes.append(event) if isinstance(event, events.Noted) else None)
    visited(crawl)
    rests = [note.data for note in notes if note.kind == "rest"]
    assert any(rest["pattern"] == "garden.test/calendar/#/#/#" and rest["wastes"] > 2 for rest in rests)
    spellings = [note.data for note in notes if note.kind == "spelling"]
    assert {"site": "https://garden.test", "same_as": f"http://{HOST}"} in spellings
    assert crawl.traps is not None
    assert "garden.test/calendar/#/#/# rests until" in crawl.traps.why(f"http://{HOST}/calendar/1999/9/9")


@pytest.mark.parametrize(("strategy", "slots"), [("shark", 1), ("breadth-first", 5), ("infospiders", 3)])
def test_a_journal_gives_the_same_crawl_again(strategy: str, slots: int) -> None:
    entries: list[Entry] = []
    first = crawl_of(strategy, journal=entries.append, slots=slots)
    visited(first)
    again = crawl_of(strategy, slots=slots)
    replay(again, entries, Room())
    assert again.traps is not None and first.traps is not None
    assert again.traps.state() == first.traps.state() and again.spent == first.spent


def test_stopped_and_restored_it_goes_on_as_if_never_stopped() -> None:
    whole = visited(crawl_of("shark"))
    first = crawl_of("shark")
    first.limits.pages = PAGES // 2
    half = visited(first)
    state = codec.load(*codec.store(first.state()))
    second = crawl_of("shark")
    second.strategy.shelf = second.shelf = first.shelf
    second.memory.restore(state["memory"])
    second.restore(state)
    second.limits.pages = PAGES
    assert half + downloaded(second, lambda: Simulation(second, SITE, start=first.now).run()) == whole


def test_a_site_that_is_seen_whole_ends_though_its_traps_have_no_end() -> None:
    crawl = crawl_of("breadth-first")
    crawl.scope.exclude(Rule.read("*/articles/*"))
    crawl.limits.pages = 5_000
    asked = visited(crawl)
    assert 30 < len(asked) < 400, "not for ever, and not at once"


def words(rng: random.Random, count: int) -> list[str]:
    return ["".join(rng.choices("abcdefghij", k=8)) for _ in range(count)]


def test_a_folder_of_dead_links_hides_no_page_behind_them() -> None:
    """Such as lists of which most are gone: the crawl is not over while it has downloads, and links into the folder."""
    rng = generator(5)
    hubs = [f"http://a.test/categories/{name}" for name in words(rng, 60)]
    there = {hub: f"http://a.test/news/{name}" for hub, name in zip(hubs[45:], words(rng, 15), strict=True)}
    web = SmallWeb(
        {"http://a.test/": page("Start", " ".join(words(rng, 50)), *hubs)}
        | {hub: page("List", " ".join(words(rng, 50)), news) for hub, news in there.items()}
        | {news: page("News", " ".join(words(rng, 50))) for news in there.values()},
        {},
    )
    assert reached(web, "breadth-first", avoid=False) == reached(web, "breadth-first") == web.pages.keys()


def reached(web: SmallWeb, strategy: str, avoid: bool = True) -> set[str]:
    """The pages that a crawl finds that ends by itself."""
    crawl = simulated_crawl(
        strategy_named(strategy).new(SITE.task().topic, random.Random(3)),
        "context",
        web,
        Limits(500, hurry=0.0),
        traps=TrapRules() if avoid else None,
    )
    asked = downloaded(crawl, lambda: simulate(crawl, web, start=web.start, seeds=["http://a.test/"]))
    return {url for url in asked if url in web.pages}


@pytest.mark.parametrize("strategy", ["hunter", "best-first", "shark"])
def test_articles_that_share_a_pattern_and_half_of_their_words_are_all_reached(strategy: str) -> None:
    """So it is on honest sites: numbered articles, the same menu on each."""
    rng = generator(6)
    menu, articles = " ".join(words(rng, 60)), [f"http://a.test/articles/{number}" for number in range(200)]
    lists = {f"http://a.test/lists/{at}": articles[at : at + 20] for at in range(0, 200, 20)}
    web = SmallWeb(
        {"http://a.test/": page("Start", menu, *lists)}
        | {url: page("List", menu, *shown) for url, shown in lists.items()}
        | {url: page("Article", f"{menu} {' '.join(words(rng, 60))}") for url in articles},
        {},
    )
    assert reached(web, strategy) == web.pages.keys()


def test_the_end_names_what_rests() -> None:
    crawl, ends = crawl_of("breadth-first"), list[events.Ended]()
    crawl.scope = Scope(within=lambda url: SITE.owns(host_of(url)) and "/articles/" not in url)
    crawl.limits.pages = 5_000
    crawl.listen(lambda event: ends.append(event) if isinstance(event, events.Ended) else None)
    visited(crawl)
    assert ends[-1].reason == events.EndReason.DONE and ends[-1].resting > 10
    assert ends[-1].pattern.startswith("garden.test/")


@pytest.mark.slow
def test_under_five_percent_of_a_thousand_downloads_go_to_traps() -> None:
    crawl = crawl_of("best-first")
    crawl.limits.pages = 1_000
    asked = visited(crawl)
    assert len(asked) == 1_000 and honest(asked) > 950


def test_the_letter_of_a_paper_and_earlier_runs_go_without() -> None:
    assert isinstance(traps_of(Settings(), {}), TrapRules)
    assert traps_of(Settings(set={"letter": "true"}), {}) is None and traps_of(Settings(traps="ignore"), {}) is None
    stored = {name: value for name, value in Settings().to_json().items() if name != "traps"}
    assert traps_of(Settings.from_json(stored), {}) is None


def test_a_run_keeps_the_edition_of_the_rules_that_it_was_begun_with() -> None:
    for about, edition in (({}, 1), ({"traps": 1}, 1), ({"traps": 2}, 2), ({"traps": "odd"}, TrapRules.EDITION)):
        rules = traps_of(Settings(), about)
        assert rules is not None and rules.edition == rules.rests.edition == rules.rests.pits.edition == edition


class Ticker(SmallWeb):
    """One page, on which a word changes each second."""

    def __init__(self) -> None:
        super().__init__({}, {})

    def look(self, url: str, now: float) -> Fetch:
        return Fetch(url, url, 200, {"content-type": HTML}, page("Now", f"{SPIDERS} {now:.0f}").encode(), at=now)


@pytest.mark.parametrize("edition", [1, TrapRules.EDITION])
def test_a_page_that_is_asked_for_again_is_no_copy_of_itself(edition: int) -> None:
    rules = TrapRules(edition)
    crawl = simulated_crawl(
        strategy_named("newshound").new(SITE.task().topic, random.Random(3)),
        "context",
        Ticker(),
        Limits(30, hurry=0.0),
        traps=rules,
    )
    asked = downloaded(crawl, lambda: simulate(crawl, Ticker(), start=1.7e9, seeds=["http://a.test/"]))
    assert len(asked) == 30 and bool(rules.rests.rows) == (edition == 1)
