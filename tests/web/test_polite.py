"""Politeness in virtual time: the loop sleeps by moving its clock, so hours pass at once and to the second."""

from __future__ import annotations

import asyncio
import email.utils
import math
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core.model import Capture, Failure
from wolfspider.testing.sketch import VirtualLoop
from wolfspider.web.http.client import Answer, Caps
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.live_robots import LiveRobots
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import DAY, FLOOR, Manners, Polite, retry_after
from wolfspider.web.worlds.world import Request

START = 1_700_000_000.0
PLAIN = Manners(factor=0.0)
PUBLIC = "93.184.216.34"
EVERY_HOST = HostCap(most=10**9)


def clock() -> float:
    return START + asyncio.get_running_loop().time()


def virtually(main: Awaitable[Any]) -> Any:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(0.0)) as runner:
        return runner.run(main)  # type: ignore[arg-type]


def polite(manners: Manners = PLAIN, now: Callable[[], float] = clock) -> Polite:
    return Polite(manners, now, random.Random(1))


class Server:
    """Asked politely; keeps when each request began and ended, and how many there were at once."""

    def __init__(self, manners: Polite, seconds: float = 0.0, address: str = "") -> None:
        self.polite, self.seconds, self.address = manners, seconds, address
        self.spans: dict[str, list[tuple[float, float]]] = {}
        self.refused: list[Failure] = []
        self.told: list[bool] = []
        self.at_once = self.most = 0

    async def ask(self, host: str, status: int = 200, **headers: str) -> None:
        async with self.polite.turn(host, self.address, self.told.append) as refused:
            if refused is not None:
                self.refused.append(refused)
                return
            began = clock()
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            try:
                await asyncio.sleep(self.seconds)
            finally:
                self.at_once -= 1
            self.spans.setdefault(host, []).append((began, clock()))
            self.polite.answered(
                host, status, {name.replace("_", "-"): text for name, text in headers.items()}, self.seconds
            )

    def gaps(self, host: str) -> list[float]:
        """From the end of each answer to the beginning of the next request."""
        spans = self.spans[host]
        return [spans[i + 1][0] - spans[i][1] for i in range(len(spans) - 1)]


def test_fifty_visits_at_once_are_one_request_at_a_time_and_the_gap_counts_from_the_end() -> None:
    async def main() -> None:
        server = Server(polite(Manners(factor=0.0, patience=1e6)), seconds=5.0)
        await asyncio.gather(*(server.ask("a.test") for _ in range(50)))
        assert server.most == 1
        assert len(server.spans["a.test"]) == 50
        assert all(gap == pytest.approx(1.0) for gap in server.gaps("a.test"))

    virtually(main())


def test_a_host_at_a_public_address_has_a_floor_whatever_the_delay() -> None:
    async def main() -> None:
        manners = polite(Manners(delay=0.0, factor=0.0))
        for _ in range(3):
            async with manners.turn("a.test", PUBLIC, public=True):
                began = clock()
        assert began - START == pytest.approx(2 * FLOOR)
        manners.set_delay(0.1)  # as `steer RUN limit delay=0.1` does
        assert manners.pause("a.test") == FLOOR
        manners.set_delay(1.0)
        assert manners.pause("a.test") == 1.0
        resumed = polite(Manners(delay=0.0, factor=0.0))
        resumed.restore(manners.state(), clock())
        resumed.asked("a.test")  # a request was out when the process died
        async with resumed.turn("a.test", PUBLIC, public=True):
            assert clock() - began >= FLOOR

    virtually(main())


class Instant:
    """Stands for the client: answers at once, and keeps when it was asked. No public address is asked by a test."""

    caps = Caps()

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def get(self, url: str, headers: Any, **_: Any) -> Answer:
        self.asked.append(clock())
        return Answer(Capture(url, clock(), 200, (), b""), {}, b"", 0.0, False)


@pytest.mark.parametrize(
    ("address", "options", "floor"),
    [
        (PUBLIC, {}, FLOOR),
        ("127.0.0.1", {"allow_private": True}, 0.0),
        ("10.1.2.3", {"allow_private": True, "named": ["a.test"]}, 0.0),
        (PUBLIC, {"allow_private": True}, FLOOR),
        (f"127.0.0.1 {PUBLIC}", {"allow_private": True}, FLOOR),
        (PUBLIC, {"via": ("127.0.0.1", 80)}, 0.0),
        (PUBLIC, {"via": ("192.168.0.1", 80)}, 0.0),
        ("127.0.0.1", {"via": (PUBLIC, 80)}, FLOOR),
    ],
)
def test_only_public_addresses_have_a_floor(address: str, options: dict[str, Any], floor: float) -> None:
    async def main() -> None:
        async def resolve(name: str) -> list[str]:
            return address.split()

        client: Any = Instant()
        live = Live(
            client, Guard(resolve=resolve, **options), polite(Manners(delay=0.0, factor=0.0)), LiveRobots(clock)
        )
        for number in range(3):
            await live.fetch(Request(f"http://a.test/{number}"))
        assert [after - before for before, after in pairwise(client.asked)] == pytest.approx([floor] * 3)

    virtually(main())


@pytest.mark.parametrize("records", [[PUBLIC], ["127.0.0.1", PUBLIC], [PUBLIC, "10.1.2.3"]])
def test_a_host_with_any_public_address_wants_to_know_who_asks(records: list[str]) -> None:
    async def main() -> None:
        async def resolve(name: str) -> list[str]:
            return records

        client: Any = Instant()
        guard = Guard(resolve=resolve, allow_private=True, named=["a.test"])
        live = Live(client, guard, polite(Manners()), LiveRobots(clock), strangers=False)
        fetch = await live.fetch(Request("http://a.test/"))
        assert fetch.failure is not None and fetch.failure.kind == "blocked" and client.asked == []

    virtually(main())


def test_hosts_do_not_wait_for_one_another() -> None:
    async def main() -> None:
        server = Server(polite(), seconds=1.0)
        await asyncio.gather(*(server.ask(f"{n}.test") for n in range(100)))
        assert server.most == 100
        assert clock() == START + 1.0

    virtually(main())


def test_a_thousand_hosts_are_each_asked_as_soon_as_they_may_be() -> None:
    async def main() -> None:
        manners = polite(Manners(delay=10.0, factor=0.0, per_address=0))
        quick, slow = Server(manners), Server(manners, seconds=5.0)

        async def visit(server: Server, host: str) -> None:
            for _ in range(4):
                await server.ask(host)

        await asyncio.gather(*(visit(slow if n < 200 else quick, f"{n}.test") for n in range(1000)))
        assert clock() == pytest.approx(START + 4 * 5 + 3 * 10)
        assert max(spans[-1][1] for spans in quick.spans.values()) == pytest.approx(START + 3 * 10)

    virtually(main())


def test_a_thousand_names_at_one_address_share_eight_places() -> None:
    async def main() -> None:
        server = Server(polite(Manners(patience=1e6)), seconds=1.0, address="127.0.0.1")
        await asyncio.gather(*(server.ask(f"{n}.test") for n in range(1000)))
        assert server.most == 8
        assert clock() == START + 125.0

    virtually(main())


def test_no_cap_at_an_address_when_there_is_to_be_none() -> None:
    async def main() -> None:
        server = Server(polite(Manners(per_address=0)), seconds=1.0, address="127.0.0.1")
        await asyncio.gather(*(server.ask(f"{n}.test") for n in range(100)))
        assert server.most == 100

    virtually(main())


@pytest.mark.parametrize(
    ("manners", "asked", "seconds", "gap"),
    [
        (Manners(), 0.0, 0.1, 1.0),
        (Manners(), 0.0, 3.0, 6.0),
        (Manners(), 0.0, 50.0, 60.0),
        (Manners(factor=0.0), 0.0, 50.0, 1.0),
        (Manners(), 7.0, 3.0, 7.0),
        (Manners(), 7.0, 5.0, 10.0),
        (Manners(), 86_400.0, 0.0, 60.0),
        (Manners(), math.inf, 0.0, 60.0),
        (Manners(), math.nan, 0.0, 1.0),
        (Manners(), -7.0, 0.0, 1.0),
        (Manners(delay=100.0), 86_400.0, 0.0, 100.0),
    ],
)
def test_the_gap_is_the_longest_that_anybody_asks_for(
    manners: Manners, asked: float, seconds: float, gap: float
) -> None:
    async def main() -> None:
        server = Server(polite(manners), seconds)
        server.polite.asks("a.test", asked)
        await server.ask("a.test")
        assert server.polite.pause("a.test") == pytest.approx(gap)
        assert server.polite.ready_at("a.test") == pytest.approx(clock() + gap)
        await server.ask("a.test")
        assert server.gaps("a.test") == [pytest.approx(gap)]

    virtually(main())


def test_waiting_is_told_once_when_it_begins_and_once_when_it_ends() -> None:
    async def main() -> None:
        server = Server(polite(), address="127.0.0.1")
        await server.ask("a.test")
        assert server.told == []
        await server.ask("a.test")
        assert server.told == [True, False]

    virtually(main())


def test_who_must_wait_longer_than_patience_lasts_is_told_at_once_and_does_not_ask() -> None:
    async def main() -> None:
        server = Server(polite())
        await server.ask("a.test", 503, retry_after="3600")
        await server.ask("a.test")
        assert server.refused == [Failure("waiting", "a.test is left alone for 3600 s more")]
        assert clock() == START and server.told == []

    virtually(main())


def test_who_stands_in_a_line_too_long_gives_up_when_patience_ends() -> None:
    async def main() -> None:
        server = Server(polite(), seconds=100.0)
        await asyncio.gather(*(server.ask("a.test") for _ in range(4)))
        assert [refused.kind for refused in server.refused] == ["waiting", "waiting"]
        assert len(server.spans["a.test"]) == 2
        assert server.told == [True] * 3 + [False] * 3

    virtually(main())


def test_who_is_cancelled_gives_every_place_back() -> None:
    async def main() -> None:
        server = Server(polite(Manners(per_address=1)), seconds=10.0, address="127.0.0.1")
        for names in (["a.test"] * 3, ["a.test", "b.test", "c.test"]):
            visits = [asyncio.create_task(server.ask(name)) for name in names]
            await asyncio.sleep(2.0)
            for visit in visits:
                visit.cancel()
            await asyncio.gather(*visits, return_exceptions=True)
        assert server.told.count(True) == server.told.count(False)
        before = clock()
        assert server.polite.ready_at("b.test") == before + 1.0  # it was being asked when all was called off
        await server.ask("b.test")
        assert server.spans == {"b.test": [(before + 1.0, before + 11.0)]}

    virtually(main())


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_whatever_happens_nobody_is_asked_twice_at_once_or_too_early(chance: random.Random) -> None:
    async def main() -> None:
        server = Server(polite(Manners(per_address=3, patience=50.0)), address="127.0.0.1")
        hosts = [f"{n}.test" for n in range(5)]
        ready: dict[str, float] = {}
        at_host: Counter[str] = Counter()

        async def visit() -> None:
            await asyncio.sleep(chance.uniform(0, 60))
            host, seconds = chance.choice(hosts), chance.uniform(0, 10)
            async with server.polite.turn(host, server.address, server.told.append) as refused:
                if refused is not None:
                    return
                at_host[host] += 1
                at_host[""] += 1
                assert at_host[host] == 1 and at_host[""] <= 3
                assert clock() >= ready.get(host, 0.0) - 1e-5
                try:
                    await asyncio.sleep(seconds)
                    server.polite.answered(host, chance.choice([200, 200, 200, 404, 503]), {}, seconds)
                finally:
                    at_host[host] -= 1
                    at_host[""] -= 1
                    ready[host] = clock() + 1.0
            ready[host] = server.polite.ready_at(host)

        visits = [asyncio.create_task(visit()) for _ in range(40)]
        for called_off in chance.sample(visits, 10):
            asyncio.get_running_loop().call_later(chance.uniform(0, 80), called_off.cancel)
        ends = await asyncio.gather(*visits, return_exceptions=True)
        assert all(end is None or isinstance(end, asyncio.CancelledError) for end in ends), ends
        assert server.told.count(True) == server.told.count(False)
        assert not any(host in server.polite._at_host for host in hosts)
        assert server.address not in server.polite._at_address

    virtually(main())


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("120", 120.0, 120.0),
        ("0", 1.0, 1.0),
        ("-5", 60.0, 90.0),
        ("garbage", 60.0, 90.0),
        ("", 60.0, 90.0),
        ("1000000000", DAY, DAY),
        ("9" * 5000, DAY, DAY),
        ("Fri, 31 Dec 9999 23:59:59 GMT", DAY, DAY),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 60.0, 90.0),
        (email.utils.formatdate(START + 300, usegmt=True), 300.0, 300.0),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_believed_within_reason(text: str, least: float, most: float, status: int) -> None:
    async def main() -> None:
        server = Server(polite())
        await server.ask("a.test", status, retry_after=text)
        assert least <= server.polite.pause("a.test") <= most

    virtually(main())


def test_a_date_to_retry_after_is_read_by_the_clock_of_the_server() -> None:
    ahead = {
        "date": email.utils.formatdate(START + 50_000, usegmt=True),
        "retry-after": email.utils.formatdate(START + 50_100, usegmt=True),
    }
    assert retry_after(ahead, START) == 100.0


@given(st.one_of(st.text(), st.integers().map(str), st.floats().map(str), st.datetimes().map(str)), st.text())
def test_whatever_a_troubled_host_says_it_rests_between_the_delay_and_a_day(text: str, date: str) -> None:
    manners = polite(PLAIN, lambda: START)
    for _ in range(3):
        manners.answered("a.test", 429, {"retry-after": text, "date": date}, 0.5)
        assert 1.0 <= manners.pause("a.test") <= DAY
        then = manners.ready_at("a.test")
        manners.clock = lambda then=then: then


def test_trouble_doubles_the_rest_up_to_a_day_and_differs_from_host_to_host() -> None:
    now = START
    manners = polite(PLAIN, lambda: now)
    rests = []
    for _ in range(40):
        manners.failed("a.test", Failure("timeout"), 30.0)
        rests.append(manners.pause("a.test"))
        now = manners.ready_at("a.test")
    assert all(60 * 2**n <= rest <= 90 * 2**n for n, rest in enumerate(rests[:9]))
    assert rests[-1] == DAY
    for n in range(10):
        manners.failed(f"{n}.test", Failure("connect"), 0.0)
    assert len({manners.pause(f"{n}.test") for n in range(10)}) == 10


def test_a_host_that_always_wants_one_second_is_not_hammered() -> None:
    now = START
    manners = polite(PLAIN, lambda: now)
    for _ in range(5):
        manners.answered("a.test", 429, {"retry-after": "1"}, 0.0)
        now = manners.ready_at("a.test")
    assert manners.pause("a.test") >= 60 * 2**4


def test_trouble_told_twice_is_one_trouble() -> None:
    manners = polite(PLAIN, lambda: START)
    manners.answered("a.test", 503, {"retry-after": "5"}, 0.0)
    manners.trouble("a.test")
    assert manners.pause("a.test") == 5.0


@pytest.mark.parametrize("kind", ["dns", "connect", "tls", "timeout", "slow"])
def test_what_does_not_answer_is_left_alone(kind: str) -> None:
    manners = polite(PLAIN, lambda: START)
    manners.failed("a.test", Failure(kind), 1.0)
    assert manners.pause("a.test") >= 60.0


@pytest.mark.parametrize("kind", ["size", "encoding", "type"])
def test_an_answer_that_is_no_use_is_no_trouble(kind: str) -> None:
    manners = polite(PLAIN, lambda: START)
    manners.failed("a.test", Failure(kind), 1.0)
    assert manners.pause("a.test") == 1.0


def test_a_good_answer_forgives_after_half_an_hour_and_not_before() -> None:
    now = START
    manners = polite(PLAIN, lambda: now)

    def next_rest() -> float:
        manners.answered("a.test", 503, {}, 0.0)
        return manners.pause("a.test")

    assert next_rest() <= 90.0
    now += 600
    manners.answered("a.test", 200, {}, 0.0)
    assert manners.pause("a.test") == 1.0
    now += 1
    assert 120.0 <= next_rest() <= 180.0
    now += 1800
    manners.answered("a.test", 200, {}, 0.0)
    now += 1
    assert next_rest() <= 90.0


def test_a_delay_moved_in_mid_crawl_never_undercuts_what_a_host_asks_for() -> None:
    now = START
    manners = polite(PLAIN, lambda: now)
    manners.asks("a.test", 5.0)
    for host in ("a.test", "b.test"):
        manners.answered(host, 200, {}, 0.0)
    manners.answered("c.test", 503, {}, 0.0)
    for delay, paused in ((10.0, (10.0, 10.0)), (0.1, (5.0, 0.1))):
        manners.set_delay(delay)
        assert (manners.pause("a.test"), manners.pause("b.test")) == paused
        assert manners.pause("c.test") >= 60.0
        assert manners.pause("never-asked.test") == delay


def test_after_a_crash_no_host_is_asked_too_early() -> None:
    async def main() -> None:
        before = Server(polite(), seconds=10.0)
        await before.ask("resting.test")
        await before.ask("troubled.test", 503, retry_after="5000")
        asking = asyncio.create_task(before.ask("asked.test"))
        await asyncio.sleep(0.5)  # here everything ends, with a request out
        rows = before.polite.state()
        asking.cancel()
        after = polite()
        after.restore(rows, clock())
        assert after.ready_at("asked.test") == pytest.approx(clock() + 0.5)
        assert after.ready_at("troubled.test") == before.polite.ready_at("troubled.test")
        then = after.ready_at("troubled.test")
        after.clock = lambda: then
        after.answered("troubled.test", 503, {}, 0.0)
        assert after.pause("troubled.test") >= 120.0  # the trouble before the crash is not forgotten

    virtually(main())


def test_what_changed_is_told_once() -> None:
    manners = polite(PLAIN, lambda: START)
    manners.answered("a.test", 200, {}, 0.0)
    assert manners.state() == {"a.test": (START + 1.0, 0, 0.0)}
    assert manners.state() == {}
    manners.answered("b.test", 200, {}, 0.0)
    assert list(manners.state()) == ["b.test"]


def test_times_of_a_clock_that_was_ahead_are_a_day_at_most() -> None:
    manners = polite(PLAIN, lambda: START)
    manners.restore({"a.test": (START + 1e9, 3, START + 1e9), "b.test": (START - 1e9, 0, 0.0)}, START)
    assert manners.ready_at("a.test") == START + DAY
    assert manners.ready_at("b.test") == -math.inf


def test_jumps_of_the_wall_clock_change_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        server = Server(polite(), seconds=2.0)
        for jump in (0.0, DAY, -DAY, 1e9):
            monkeypatch.setattr(time, "time", lambda jump=jump: START + jump)
            await server.ask("a.test")
        assert server.gaps("a.test") == [pytest.approx(1.0)] * 3

    virtually(main())


def test_quiet_hosts_are_forgotten_and_hosts_in_trouble_are_not() -> None:
    now = START
    manners = polite(PLAIN, lambda: now)
    manners.answered("bad.test", 503, {}, 0.0)
    for n in range(20_000):
        now += 0.01
        manners.answered(f"{n}.test", 200, {}, 0.0)
    assert len(manners._hosts) <= 1001
    now += 3600
    assert manners.ready_at("bad.test") > START
    manners.answered("bad.test", 503, {}, 0.0)
    assert manners.pause("bad.test") >= 120.0


def test_a_host_that_is_being_asked_keeps_its_crawl_delay_however_many_others_come() -> None:
    async def main() -> None:
        server = Server(polite(), seconds=100.0)
        server.polite.asks("a.test", 30.0)
        asking = asyncio.create_task(server.ask("a.test"))
        await asyncio.sleep(50.0)
        for n in range(3000):
            await asyncio.sleep(0.01)
            server.polite.answered(f"{n}.test", 200, {}, 0.0)
        await asking
        assert server.polite.pause("a.test") == 30.0

    virtually(main())


def test_a_domain_of_endless_hosts_is_cut_off_and_others_are_not() -> None:
    cap = HostCap(most=100)
    asked = Counter(
        (domain, cap.allows(f"h{n}.{domain}"))
        for domain in ("wild.co.uk", "other.co.uk", "xn--bcher-kva.test")
        for n in range(500)
    )
    assert set(asked.values()) == {100, 400}
    assert cap.allows("h7.wild.co.uk")  # known already
    assert not cap.allows("another.wild.co.uk")
    assert cap.allows("h1.github.io") and cap.allows("co.uk") and cap.allows("localhost")


def test_ports_and_addresses_count_as_hosts_too() -> None:
    cap = HostCap(most=10)
    for name in ("a.test", "127.0.0.1", "[::1]"):
        assert sum(cap.allows(f"{name}:{port}") for port in range(1, 50)) == 10
    assert cap.allows("127.0.0.2") and cap.allows("[::2]")


@given(st.lists(st.text()))
def test_no_name_of_a_host_is_too_odd_to_count(hosts: list[str]) -> None:
    assert all(EVERY_HOST.allows(host) for host in hosts)
