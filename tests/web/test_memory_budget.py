"""All downloads share one budget of bytes: it is kept, nobody waits for ever, and waiting is charged to nobody."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.loopback import Loopback, http, serving

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.http.client import Answer, Client
from wolfspider.web.http.guard import Guard
from wolfspider.web.memory_budget import (
    EACH,
    FIRST,
    HAND,
    MEGABYTE,
    PROCESS,
    SMALLEST,
    MemoryBudget,
    MemoryClaim,
    enough,
    holding,
    least,
    parsing,
)
from wolfspider.web.page.html import MOST_BYTES

SMALL = PROCESS + 20 * MEGABYTE  # a budget with room for one page of a megabyte, or so


def within(seconds: float, test: Callable[[], object]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(test(), seconds)  # type: ignore[arg-type]

    asyncio.run(bounded())


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), visits=st.integers(1, 40), memory=st.integers(0, 3 * SMALL))
def test_however_many_pages_come_the_budget_is_kept_and_all_of_them_get_done(
    seed: int, visits: int, memory: int
) -> None:
    budget, chance, done = MemoryBudget(memory), random.Random(seed), list[int]()
    redirects = 0

    def check() -> None:
        """Where all is held by visits under way, the oldest goes on although others have bodies of redirects."""
        assert 0 <= budget.held <= budget.total + redirects * FIRST

    async def pause() -> None:
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)

    async def visit(number: int) -> None:
        nonlocal redirects
        claim = budget.claim()
        await pause()
        await claim.begin()
        left = budget.need - FIRST
        for _ in range(chance.randrange(6)):
            size = chance.randint(0, left)
            await claim.grow(size)
            check()
            used = chance.randint(0, size)
            claim.hold(used)
            left -= used
            await pause()
            if chance.random() < 0.1:
                redirects += 1
                claim.settle(min(claim.bytes, FIRST))  # a redirect: it waits for another host
                await pause()
                await claim.begin()
                left = min(left, budget.need - claim.bytes)
        claim.settle(chance.randint(0, claim.bytes))
        await pause()
        claim.release()
        done.append(number)

    async def test() -> None:
        await asyncio.gather(*(visit(number) for number in range(visits)))

    within(60, test)
    assert sorted(done) == list(range(visits)) and budget.held == 0


def test_one_that_is_alone_never_waits_and_a_claim_of_nobody_has_no_bounds() -> None:
    async def test() -> None:
        budget = MemoryBudget(0)
        claim = budget.claim()
        await claim.begin()
        await claim.grow(10 * budget.need)
        claim.release()
        await MemoryClaim().grow(10**12)
        assert claim.waited == 0.0 and budget.held == 0

    within(20, test)


def test_a_visit_that_is_cancelled_while_it_waits_leaves_nothing_behind() -> None:
    async def test() -> None:
        budget = MemoryBudget(SMALL)
        first, second, third = (budget.claim() for _ in range(3))
        await first.grow(budget.total - 1)
        waits = asyncio.create_task(second.grow(1000))
        await asyncio.sleep(0)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        second.release()
        first.release()
        await third.grow(budget.total)
        third.release()
        assert budget.held == 0 and not budget._waiting and not budget._growing

    within(20, test)


def test_hands_and_pages_at_hand_are_part_of_the_budget_and_a_page_it_is_too_small_for_is_cut() -> None:
    usual, shared = MemoryBudget(), MemoryBudget(hands=2)
    assert usual.largest == MOST_BYTES
    assert usual.total - 2 * HAND - 3 * shared.total in range(3)
    assert usual.total + usual.at_hand + usual.queued + PROCESS == 512 * MEGABYTE
    small = MemoryBudget(SMALL)
    assert SMALLEST < small.largest < MOST_BYTES and small.need <= small.total
    assert MemoryBudget(0).largest == SMALLEST
    assert MemoryBudget(SMALL, largest=1000).largest == 1000
    assert MemoryBudget(2000 * MEGABYTE, largest=50_000_000).largest == 50_000_000


@pytest.mark.parametrize(("memory", "hands"), [(512, 0), (512, 1), (512, 2), (1024, 4), (200, 0), (least(8), 8)])
def test_many_small_pages_come_while_one_answer_takes_for_ever(memory: int, hands: int) -> None:
    """A slow server must not keep the others of its hand waiting, however large a page may be."""

    async def test() -> None:
        budget = MemoryBudget(memory * MEGABYTE, hands)
        slow, others = budget.claim(), [budget.claim() for _ in range(8)]
        await slow.begin()
        for _ in range(3):
            for claim in others[: 2 if budget.largest < 2 * SMALLEST else 8]:
                await claim.begin()
                await claim.grow(20_000)
                claim.hold(20_000)
            assert all(claim.waited == 0.0 for claim in others)
            for claim in others:
                claim.release()
        slow.release()
        assert budget.held == 0

    within(20, test)


@pytest.mark.parametrize("memory", [400, EACH])
def test_small_pages_come_while_many_large_ones_come_slowly(memory: int) -> None:
    """Those that wait for room keep what they have."""

    async def test() -> None:
        budget = MemoryBudget(memory * MEGABYTE)
        slow = [budget.claim() for _ in range(28)]
        for claim in slow:
            if claim.grown(FIRST):
                claim.hold(FIRST)
        growing = [claim for claim in slow if claim.bytes]
        while growing:
            growing = [claim for claim in growing if claim.bytes < MOST_BYTES and claim.grown(8_000)]
            for claim in growing:
                claim.hold(8_000)
        assert sum(claim.must_wait(8_000) for claim in slow) > len(slow) / 2, "they hold all they can have"
        for _ in range(3):
            small = [budget.claim() for _ in range(2)]
            for claim in small:
                await claim.begin()
                await claim.grow(20_000)
            assert all(claim.waited == 0.0 for claim in small)
            for claim in small:
                claim.release()
        for claim in slow:
            claim.release()
        assert budget.held == 0

    within(20, test)


@given(st.integers(0, 64), st.integers(SMALLEST, 50_000_000))
def test_what_is_called_enough_for_a_page_is_enough_and_hardly_less_would_be(hands: int, largest: int) -> None:
    megabytes = enough(hands, largest)
    assert MemoryBudget(megabytes * MEGABYTE, hands, largest).largest == largest
    less = MemoryBudget((megabytes - 2) * MEGABYTE, hands, largest)
    assert less.largest < largest or less.largest == SMALLEST


def test_by_default_there_is_enough_for_the_largest_pages_and_the_least_is_for_the_smallest() -> None:
    assert least(0) == 130 and least(1) == 213
    for hands in (0, 1, 2, 8, 64):
        assert SMALLEST <= MemoryBudget(least(hands) * MEGABYTE, hands).largest < 2 * SMALLEST
        assert MemoryBudget(EACH * (hands + 1) * MEGABYTE, hands).largest == MOST_BYTES


def test_a_body_that_is_its_own_capture_is_counted_once() -> None:
    body = b"x" * 1000
    assert holding(Fetch("http://a/", "http://a/", 200, body=body), Failure("type")) == 1000
    assert parsing(Fetch("http://a/", "http://a/", 200, body=body)) > 1000
    assert parsing(Fetch("http://a/", "http://a/", 200, page=Page("http://a/", "http://a/"))) == 0


@pytest.mark.parametrize("packed", [False, True])
def test_a_download_that_finds_no_room_waits_and_the_deadline_waits_too(packed: bool) -> None:
    """The clock of the loop is put forward by an hour while the download waits."""
    body = random.Random(1).randbytes(3_000_000)
    answer = http(gzip.compress(body), Content_Encoding="gzip") if packed else http(body)

    async def test() -> None:
        loop, budget = asyncio.get_running_loop(), MemoryBudget(SMALL)
        usual, hours = loop.time, [0.0]
        loop.time = lambda: usual() + hours[0]  # type: ignore[method-assign]
        other, claim = budget.claim(), budget.claim()
        await other.grow(budget.total - 500_000 - FIRST)
        other.settle()  # a page that has not landed yet
        guard = Guard(allow_private=True)
        async with Loopback(serving(lambda head: answer)) as server, Client(guard, "test") as client:
            await claim.begin()
            download = asyncio.create_task(client.get(server.url(), claim=claim))
            while not budget._waiting:
                assert not download.done()
                await asyncio.sleep(0)
            hours[0] += 3600.0
            for _ in range(100):
                await asyncio.sleep(0)
            assert not download.done() and budget.held <= budget.total
            other.release()
            got = await download
        assert isinstance(got, Answer) and got.body == body and not got.cut
        assert got.seconds < 3600.0 <= claim.waited
        assert claim.bytes == FIRST + len(got.capture.body) + (len(body) if packed else 0)

    within(3600 + 60, test)
