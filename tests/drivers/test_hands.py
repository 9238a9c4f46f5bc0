"""Hands that are processes, piece by piece: their messages, their shares, and what the head remembers for them."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import random
import signal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.app.preflight import hand_count
from wolfspider.app.settings import Settings
from wolfspider.core.model import Capture, Fetch, PackedCapture
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.hand import HandProcess, _Step
from wolfspider.drivers.hands.hand_wire import Wire
from wolfspider.drivers.hands.local_hand import StartedHand
from wolfspider.web.http.client import Caps
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.polite import Manners, Polite
from wolfspider.web.http.web_plan import WebPlan
from wolfspider.web.memory_budget import HAND, MEGABYTE, PROCESS, SMALLEST, MemoryBudget, least
from wolfspider.web.worlds.world import Request

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
)


class Ends:
    """What a Wire is on: a transport that keeps what was written, and knows whether it was closed."""

    def __init__(self) -> None:
        self.written, self.closed = b"", False

    def write(self, data: bytes) -> None:
        self.written += data

    def abort(self) -> None:
        self.closed = True


def told(messages: list[list[Any]], cuts: list[int]) -> tuple[list[list[Any]], Ends]:
    """Messages that came out of a Wire, however what another one sent was cut into reads."""

    async def main() -> tuple[list[list[Any]], Ends]:
        heard: list[list[Any]] = []
        there, here = Ends(), Ends()
        sender, receiver = Wire(print, print), Wire(lambda *message: heard.append(list(message)), print)
        sender.connection_made(there)  # type: ignore[arg-type]
        receiver.connection_made(here)  # type: ignore[arg-type]
        for message in messages:
            sender.send(*message)
        await asyncio.sleep(0)
        data = there.written
        places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
        for start, end in itertools.pairwise(places):
            receiver.data_received(data[start:end])
        return heard, here

    return asyncio.run(main())


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(VALUES, max_size=4), max_size=6), st.lists(st.integers(0, 10**6), max_size=8))
def test_messages_come_as_they_were_sent_however_they_are_cut(messages: list[list[Any]], cuts: list[int]) -> None:
    heard, ends = told(messages, cuts)
    assert heard == messages and not ends.closed


@settings(max_examples=50, deadline=None)
@given(st.binary(min_size=4, max_size=200))
def test_what_is_no_message_ends_the_connection_or_is_waited_for(data: bytes) -> None:
    async def main() -> None:
        loop, ends = asyncio.get_running_loop(), Ends()
        loop.set_exception_handler(lambda *_: None)
        receiver = Wire(lambda *message: None, print)
        receiver.connection_made(ends)  # type: ignore[arg-type]
        receiver.data_received(data)
        length = int.from_bytes(data[:4], "little")
        assert ends.closed or len(receiver._came) <= len(data)
        assert ends.closed or length <= wire.LARGEST

    asyncio.run(main())


def test_who_is_gone_is_told_of_once() -> None:
    async def main() -> int:
        lost = 0

        def gone() -> None:
            nonlocal lost
            lost += 1
            ended.set()

        ended = asyncio.Event()
        ours, theirs = wire.pair()
        here = Wire(print, gone)
        await here.connect(ours)
        theirs.close()
        await asyncio.wait_for(ended.wait(), 10)
        here.send(wire.FREE, [1])
        here.close()
        await asyncio.sleep(0)
        return lost

    assert asyncio.run(main()) == 1


@given(st.integers(0, 64), st.integers(0, 64), st.sampled_from(["", "127.0.0.1:80"]))
def test_hands_ask_an_address_for_no_more_than_one_process_would(hands: int, per_address: int, via: str) -> None:
    chosen = Settings(hands=hands, per_address=per_address, via=via)
    count = hand_count(chosen)
    limit = 0 if via else per_address
    assert count <= hands and count in (hands, limit)
    if count:
        share = WebPlan("a", Caps(), Manners(per_address=limit), True).shared(count).manners.per_address
        assert (share * count <= limit and share >= 1) if limit else share == 0


@given(st.integers(0, 64), st.integers(0, 10_000), st.integers(SMALLEST, 50_000_000))
def test_hands_take_no_more_memory_together_than_one_process_would(hands: int, more: int, largest: int) -> None:
    megabytes = least(hands) + more
    budget = MemoryBudget(megabytes * MEGABYTE, hands, largest)
    taken = PROCESS + hands * HAND + budget.at_hand + budget.queued + (hands + 1) * budget.total
    assert taken <= megabytes * MEGABYTE


def test_a_plan_is_the_same_when_it_was_told() -> None:
    plan = WebPlan("wolfspider/1", Caps(body=5), Manners(delay=3.0), False, True, ("10.1.0.0/16",), ("127.0.0.1", 80))
    assert WebPlan.of(plan.plain()) == plan


def test_what_one_learned_of_hosts_another_knows() -> None:
    now = 1000.0
    here, there = (Polite(Manners(delay=2.0), lambda: now, random.Random(1)) for _ in range(2))
    here.answered("a.test", 503, {"retry-after": "100"}, 0.5)
    here.answered("b.test", 200, {}, 3.0)
    here.asks("b.test", 7.0)
    there.learn(here.news())
    for host in ("a.test", "b.test"):
        assert there.ready_at(host) == here.ready_at(host) > now
        assert there.in_trouble(host) == here.in_trouble(host)
    assert not here.news() and set(there.state()) == {"a.test", "b.test"}
    now += 1.0
    there.asked("b.test")
    there.learn(here.rows(lambda host: host == "b.test"))
    assert there.ready_at("b.test") == now + 7.0  # a request that went out since is not forgotten


@pytest.mark.parametrize(
    ("host", "domain"), [("www.a.co.uk", "a.co.uk"), ("a.co.uk:8080", "a.co.uk"), ("127.0.0.1:80", "127.0.0.1")]
)
def test_hosts_of_a_domain_have_the_same_owner(host: str, domain: str) -> None:
    assert HostCap().domain(host) == domain


def test_an_answer_that_was_packed_knows_its_length() -> None:
    capture = Capture("http://a/", 1.0, 200, (), b"compressed")
    packed = PackedCapture("http://a/", 1.0, 200, (), b"", record=b"...", size=99)
    assert Fetch("http://a/", "http://a/", 200, body=b"four", captures=(capture,)).length == 4
    assert Fetch("http://a/", "http://a/", 200, captures=(capture, packed)).length == 99


def test_a_step_of_a_hand_is_gone_when_it_is_over() -> None:
    """A hand seeks garbage seldom, and a step has the whole answer."""
    gc.collect()
    gc.disable()
    try:
        step = _Step(HandProcess(0), 1, Request("http://a.test/"), 0, 0.0)
        step.captures.append(Capture("http://a.test/", 0.0, 200, (), b"x" * 100_000))
        del step
        left = [found for found in gc.get_objects() if isinstance(found, _Step)]
    finally:
        gc.enable()
    assert left == []


def test_a_hand_minds_no_signal_from_its_first_moment_on(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ours, theirs = wire.pair()
    hand = StartedHand(theirs)
    for number in wire.SIGNALS_OF_THE_HEAD:
        os.kill(hand.pid, number)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before, "the head minds them as before"
    ours.close()  # then it ends by itself
    assert os.waitstatus_to_exitcode(os.waitpid(hand.pid, 0)[1]) == 0
    assert capfd.readouterr().err == ""
    hand.end()
    hand.wait()
