"""A crawl that ends when it is enough: by the share that is found, or when the yield has ended; moved, replayed,
restored."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from wolfspider.app.settings import worded
from wolfspider.app.steering import as_typed
from wolfspider.core import codec
from wolfspider.core.events import EndReason, Obeyed, SetLimit, SetTopic
from wolfspider.core.limits import DRY, Limits
from wolfspider.core.model import Fetch, Link
from wolfspider.core.params import parameters
from wolfspider.core.topic import Topic
from wolfspider.drivers.simulated import Simulation, simulate, simulated_crawl
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.entries import Entry
from wolfspider.engine.replay import replay
from wolfspider.policy import prospects
from wolfspider.policy.room import Room
from wolfspider.strategies import strategy_named
from wolfspider.terminal.steering_words import told_of

PAGES, GOOD, FAN = 1_500, 150, 8
START = "http://a.test/0"


class Web:
    """Page n shows the pages 8n + 1 to 8n + 8: breadth-first they come in order. The first ones are relevant."""

    def __init__(self, good: int = GOOD) -> None:
        self.good = good

    def look(self, url: str, now: float) -> Fetch:
        number = int(url.rpartition("/")[2])
        shown = range(FAN * number + 1, min(FAN * number + FAN + 1, PAGES))
        links = "".join(f'<a href="/{page}">x</a>' for page in shown)
        words = "wolf spiders" if number < self.good else "bread and butter"
        body = f"<p>{words} {random.Random(url).random()}</p>{links}".encode()
        return Fetch(url, url, 200, {"content-type": "text/html"}, body, seconds=0.5, at=now)


def crawl_of(journal: Callable[[Entry], None] | None = None, **limits: float) -> Crawl:
    strategy = strategy_named("breadth-first").new(Topic(("wolf spiders",)), random.Random(1))
    most = Limits(**{"pages": 10_000, **limits})  # type: ignore[arg-type]
    return simulated_crawl(strategy, "coverage", Web(), most, journal=journal)


def run(crawl: Crawl, **options: Any) -> EndReason:
    return simulate(crawl, Web(), start=0.0, seeds=[START], **options).reason


@pytest.mark.parametrize("until", [DRY, 0.9])
def test_it_ends_when_it_is_enough_and_not_before(until: float) -> None:
    crawl = crawl_of(until=until)
    assert run(crawl) == EndReason.ENOUGH
    assert crawl.prospects.found == GOOD and GOOD < crawl.spent < PAGES - 200
    spent = crawl.spent
    assert Simulation(crawl, Web()).run().reason == EndReason.ENOUGH and crawl.spent == spent, "it is enough still"
    crawl.limits.until = 0.0
    assert Simulation(crawl, Web()).run().reason == EndReason.DONE and crawl.spent == PAGES


def test_without_it_a_crawl_goes_on_to_its_end() -> None:
    crawl = crawl_of()
    assert run(crawl) == EndReason.DONE and crawl.spent == PAGES
    outlook = crawl.prospects.outlook
    assert outlook is not None and outlook.lately == 0 and outlook.coming < 0.5


def test_a_person_may_ask_for_it_while_the_crawl_runs() -> None:
    crawl = crawl_of()
    assert run(crawl, commands=[(500.0, SetLimit("until", DRY))]) == EndReason.ENOUGH
    assert 990 <= crawl.spent < PAGES


@pytest.mark.parametrize(
    ("given", "value"), [("dry", DRY), ("90%", 0.9), ("0.9", 0.9), (0.9, 0.9), ("never", 0.0), ("99 %", 0.99)]
)
def test_it_may_be_a_word_or_a_share(given: object, value: float) -> None:
    assert parameters(Limits)["until"].read(given) == pytest.approx(value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("90", "Did you mean 90%?"),
        ("wet", "one of dry, never"),
        ("x%", "90%"),
        ("0%", "more than 0% and less than 100%, or dry or never, not 0%."),
        ("100%", "more than 0% and less than 100%, or dry or never, not 100%."),
        ("101%", "more than 0% and less than 100%, or dry or never, not 101%."),
        ("-5%", "more than 0%"),
    ],
)
def test_what_it_may_not_be_is_told_with_what_was_meant(given: str, says: str) -> None:
    with pytest.raises(Exception, match="until must be") as error:
        parameters(Limits)["until"].read(given)
    assert says in str(error.value)


@pytest.mark.parametrize("written", ["dry", "never", "90%", "99.5%", "7%"])
def test_it_is_told_as_it_was_written(written: str) -> None:
    until = parameters(Limits)["until"]
    assert until.told(until.read(written)) == written
    assert worded("until", until.read(written)) == written
    assert as_typed(SetLimit("until", until.read(written))) == f"limit until={written}"
    assert as_typed(SetLimit("delay", 2.0)) == "limit delay=2" and as_typed(SetLimit("pages", 900)) == "limit pages=900"
    told = told_of(Obeyed(0.0, SetLimit("until", until.read(written)), 0.9))
    assert told == f"Obeyed: limit until={written} (was 90%)"


def test_another_topic_begins_anew_and_says_nothing_of_what_is_left() -> None:
    crawl = crawl_of()
    run(crawl, commands=[(100.0, SetTopic(("bread butter",)))])
    outlook = crawl.prospects.outlook
    assert outlook is not None and outlook.lately == 100 and outlook.unfound is None


def outlooks(crawl: Crawl) -> list[Any]:
    told: list[Any] = []
    crawl.listen(lambda event: told.append((crawl.spent, crawl.prospects.outlook)))
    return told


def test_a_journal_gives_the_same_figures_again() -> None:
    entries: list[Entry] = []
    first, second = crawl_of(entries.append, until=0.9), crawl_of(until=0.9)
    said, again = outlooks(first), outlooks(second)
    run(first)
    replay(second, entries, Room())
    assert again == said[: len(again)] and again[-1][1] == first.prospects.outlook


def restored(first: Crawl, second: Crawl, **changed: Any) -> Crawl:
    state: dict[str, Any] = codec.load(*codec.store(first.state()))
    second.strategy.shelf = second.shelf = first.shelf
    second.restore({name: value for name, value in {**state, **changed}.items() if value is not None})
    return second


def test_a_run_that_an_earlier_rule_ended_is_replayed_as_it_was_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a share of very few pages could end a crawl. What is in the journal holds, whatever rule came later."""
    few, entries = Web(good=3), list[Entry]()
    first = crawl_of(entries.append, until=0.9)
    with monkeypatch.context() as before:
        before.setattr(prospects, "FEWEST", 1)
        assert simulate(first, few, start=0.0, seeds=[START]).reason == EndReason.ENOUGH
    assert first.prospects.found == 3 and first.spent < 700
    replayed, kept = crawl_of(until=0.9), crawl_of(until=0.9)
    replay(replayed, entries, Room())
    assert replayed.spent == first.spent and replayed.prospects.outlook == first.prospects.outlook
    for crawl in (replayed, restored(first, kept)):
        assert Simulation(crawl, few, start=first.now).run().reason == EndReason.DONE and crawl.spent == PAGES


@pytest.mark.parametrize("after", [60, 140, 400])
def test_restored_it_says_the_same(after: int) -> None:
    whole, first, second = crawl_of(until=DRY), crawl_of(until=DRY, pages=after), crawl_of(until=DRY)
    run(whole)
    run(first)
    restored(first, second).limits.pages = 10_000
    assert Simulation(second, Web(), start=first.now).run().reason == EndReason.ENOUGH
    assert second.spent == whole.spent and second.prospects.outlook == whole.prospects.outlook
    assert codec.store(second.prospects.state()) == codec.store(whole.prospects.state())


def test_a_run_from_before_says_what_is_coming_but_not_what_is_left() -> None:
    first, second = crawl_of(pages=200), crawl_of()
    run(first)
    limits = {name: value for name, value in vars(first.limits).items() if name != "until"} | {"pages": 800}
    restored(first, second, prospects=None, limits=limits)
    assert Simulation(second, Web(), start=first.now).run().reason == EndReason.BUDGET
    outlook = second.prospects.outlook
    assert outlook is not None and outlook.lately == 0 and outlook.unfound is None
    second.limits.until, second.limits.pages = 0.5, 10_000
    assert not second.prospects.enough(0.5) and second.prospects.enough(DRY)


def test_questions_to_sources_are_no_pages() -> None:
    crawl = crawl_of()
    crawl.prospects.landed(Link("search:wolf spiders"), _page(), relevant=True, downloads=1)
    assert crawl.prospects.downloads == crawl.prospects.found == 0


def _page() -> Any:
    from wolfspider.web.page.html import parse

    return parse(Web().look(START, 0.0))
