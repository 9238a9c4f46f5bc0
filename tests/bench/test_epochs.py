"""Crawls that start from what the one before learned, on a web that is parsed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from wolfspider.bench.measure.metrics import charged
from wolfspider.bench.papers.akbari_lafc.cells import Epoch, epochs
from wolfspider.bench.run.cell import opened
from wolfspider.core.events import Event
from wolfspider.core.model import Failure, Page
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Task
from wolfspider.drivers.simulated import Recollection
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.policy.judges import make_judge
from wolfspider.policy.link_shelf import Shelf
from wolfspider.strategies import strategy_named
from wolfspider.strategies.lafc import Lafc
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.parsed_once import ParsedOnce
from wolfspider.web.worlds.synthetic import Synthetic


@pytest.fixture(scope="module")
def web() -> Synthetic:
    world = opened("synthetic:pages=2000,topics=8,seed=3", None)
    assert isinstance(world, Synthetic)
    return world


@pytest.fixture(scope="module")
def task(web: Synthetic) -> Task:
    return next(iter(web.tasks().values()))


def addresses(web: Synthetic) -> Sequence[str]:
    """Pages, copies of them, other spellings and what redirects."""
    pages = [web.addresses.url(page) for page in range(0, 2000, 80)]
    links = [
        link.url
        for page in (parse(web.look(url, web.start)) for url in pages)
        if isinstance(page, Page)
        for link in page.links
        if "/go/" in link.url or "?" in link.url
    ]
    return [*pages, *(f"{url}?sid=7" for url in pages[:10]), *links[:20]]


def test_what_is_kept_answers_as_the_web_does_at_any_moment(web: Synthetic) -> None:
    kept = ParsedOnce(web)
    failed = 0
    for moment in (web.start + 600.0 * spell for spell in range(5)):
        for url in addresses(web):
            answer, plain = kept.look(url, moment), web.look(url, moment)
            failed += plain.failure is not None
            assert replace(answer, body=b"", page=None) == replace(plain, body=b"", page=None)
            assert parse(answer) == parse(plain)
    assert failed  # some of them, at some moments
    assert 0 < len(kept) <= len(addresses(web))


def test_no_more_bytes_are_kept_than_wanted(web: Synthetic) -> None:
    few, all_of_them = ParsedOnce(web, most=100_000), ParsedOnce(web)
    for url in addresses(web):
        few.look(url, web.start)
        all_of_them.look(url, web.start)
    assert 0 < few.bytes <= 100_000 < all_of_them.bytes


def test_a_web_that_still_changes_is_kept_until_it_does() -> None:
    news = opened("synthetic:pages=2000,topics=8,seed=3,news=1", None)
    assert isinstance(news, Synthetic)
    assert news.news is not None
    kept, failed, digests = ParsedOnce(news), 0, set()
    for moment in (news.start + 300.0 * spell for spell in (*range(400), *range(0, 400, 50))):
        plain = parse(news.look(news.news.site, moment))
        assert parse(kept.look(news.news.site, moment)) == plain
        failed += isinstance(plain, Failure)
        digests.add(plain.digest if isinstance(plain, Page) else "")
    assert failed and len(digests) > 10 and len(kept) == 1


class Order:
    """The addresses in the order of the downloads."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def __call__(self, event: Event) -> None:
        landed = charged(event)
        if landed is not None:
            self.urls.append(landed.outcome.visit.link.url)


def repeated(
    web: Synthetic, task: Task, strategy: str, crawls: int, **given: object
) -> tuple[list[Epoch], list[Order]]:
    kept, orders = ParsedOnce(web), []

    def crawl_of(number: int) -> Crawl:
        kind = strategy_named(strategy)
        made = kind(task.topic, build(kind.Params, given), generator(number), Shelf())
        crawl = Crawl(made, judge_of("keywords"), Recollection(kept), Limits(60))
        orders.append(Order())
        crawl.listen(orders[-1])
        return crawl

    return list(epochs(crawl_of, kept, kept, task.seeds[:1], web.start, crawls)), orders


def judge_of(name: str) -> Callable[..., object]:
    return lambda topic: make_judge(name, topic)


def test_each_crawl_inherits_what_the_one_before_learned(web: Synthetic, task: Task) -> None:
    done, _ = repeated(web, task, "lafc", 3, control=0.3)
    sizes = [len(epoch.crawl.strategy.network) for epoch in done if isinstance(epoch.crawl.strategy, Lafc)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]
    assert [epoch.number for epoch in done] == [0, 1, 2]
    assert all(epoch.result.downloads <= 60 and epoch.network > 0 and epoch.processor > 0 for epoch in done)


def test_crawls_do_not_share_what_they_change(web: Synthetic, task: Task) -> None:
    one, _ = repeated(web, task, "lafc", 1, control=0.3)
    two, _ = repeated(web, task, "lafc", 2, control=0.3)
    first, again = one[0].crawl.strategy, two[0].crawl.strategy  # the second crawl left the first as it was
    assert isinstance(first, Lafc)
    assert isinstance(again, Lafc)
    assert first.network.state() == again.network.state()


def test_the_same_epochs_come_out_the_same(web: Synthetic, task: Task) -> None:
    runs = [[order.urls for order in repeated(web, task, "lafc", 2)[1]] for _ in range(2)]
    assert runs[0] == runs[1]


def test_a_crawl_begins_when_the_one_before_has_ended(web: Synthetic, task: Task) -> None:
    done, _ = repeated(web, task, "breadth-first", 2)
    assert done[1].result.at == pytest.approx(done[0].result.at + done[1].network)
