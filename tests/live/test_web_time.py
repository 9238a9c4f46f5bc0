"""A web whose time passes faster: its server says what time it is, and a crawl of it lives in that time."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.live.hunting import Hosts, Told, finished, prepared

from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import choose
from wolfspider.core.errors import Problem
from wolfspider.drivers.driver import Clock
from wolfspider.web.http import web_time
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.web_time import WebTime
from wolfspider.web.server.serve import Manner, serve
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.web_params import as_of, monday_of, parse

NOON = 1_800_014_400.0  # in 2027
FAST = Manner(speed=600.0, start=NOON, tells_time=True)


async def asked(port: int) -> WebTime | None:
    return await web_time.ask(Guard(via=("127.0.0.1", port)), 10.0, "wolfspider/test")


def test_a_server_says_what_time_it_is_in_its_web() -> None:
    async def main() -> None:
        async with serve(Hosts(1, 1), manner=FAST) as server:
            first = await asked(server.port)
            await asyncio.sleep(0.05)
            then = await asked(server.port)
            assert first is not None and then is not None
            assert NOON <= first.now < then.now - 0.05 * 600 * 0.9 and first.speed == then.speed == 600.0
            assert server.now() <= server.web_time().now < server.now() + 600.0
        async with serve(Hosts(1, 1)) as server:
            assert await asked(server.port) is None
            port = server.port
        assert await asked(port) is None

    asyncio.run(main())


@given(some.binary(max_size=200))
def test_whatever_a_server_answers_is_read(body: bytes) -> None:
    assert web_time.read(body) is None or body


def test_a_time_that_cannot_be_is_refused() -> None:
    assert web_time.read(web_time.told(WebTime(NOON, 60.0))) == (NOON, 60.0)
    for strange in (WebTime(-1.0, 1.0), WebTime(1e15, 1.0), WebTime(NOON, 0.0), WebTime(NOON, 1e9)):
        with pytest.raises(Problem, match="cannot be"):
            web_time.read(web_time.told(strange))
    with pytest.raises(Problem, match="passes at most"):
        Manner(speed=0.0, tells_time=True)


def test_the_clock_of_a_crawl_runs_as_fast_as_its_web_and_never_backwards() -> None:
    async def main() -> None:
        clock = Clock.after(0.0, WebTime(NOON, 1000.0))
        began, now = time.monotonic(), clock()
        assert now >= NOON
        await asyncio.sleep(0.05)
        passed = clock() - now
        assert 50.0 <= passed <= 1000.0 * (time.monotonic() - began)
        assert clock.of_loop(clock()) == pytest.approx(asyncio.get_running_loop().time(), abs=0.05)
        assert Clock.after(NOON + 5.0, WebTime(NOON, 1.0))() >= NOON + 5.0

    asyncio.run(main())


@pytest.mark.parametrize("hands", [0, 1])
def test_a_crawl_lives_in_the_time_of_its_web_and_so_do_its_delays(tmp_path: Path, hands: int) -> None:
    """A minute between two visits is a tenth of a second."""
    web = Hosts(1, 6)

    async def main() -> None:
        async with serve(web, manner=FAST) as server:
            told = prepared(
                server.port, "http://h0.test/", pages=3, delay=60.0, max_wait=3600.0, out=tmp_path / "run", hands=hands
            )
            await finished(told)
            later = server.web_time().now
            assert_lived(told, later)
            times = sorted((one.arrived, one.ended) for one in server.log if one.host == "h0.test")
            assert all(after[0] - before[1] >= 0.098 for before, after in pairwise(times))

    began = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - began < 100.0


def test_a_time_far_from_ours_is_told(tmp_path: Path) -> None:
    remarks = list[str]()

    async def main(start: float) -> None:
        async with serve(Hosts(1, 1), manner=replace(FAST, start=start)) as server:
            given = {"urls": ["http://h0.test/"], "topic": "spiders", "via": f"127.0.0.1:{server.port}", "pages": 1}
            settings = choose({**given, "disk_floor": 0}, environment=False).settings
            await Hunt(settings, tmp_path / f"run {start}", remark=remarks.append).run()

    asyncio.run(main(time.time()))
    assert not [remark for remark in remarks if "dated by" in remark]
    asyncio.run(main(NOON + 400 * 86_400))
    assert [remark for remark in remarks if "it is 2028-02-1" in remark and "dated by" in remark]


def assert_lived(told: Told, later: float) -> None:
    times = [event.at for event in told.events]
    assert times == sorted(times) and NOON <= times[0] <= times[-1] <= later
    assert times[-1] - times[0] >= 2 * 60.0


def test_news_are_dated_by_the_time_they_are_served_at() -> None:
    spec = as_of("synthetic:pages=1000,news=1,mischief=0", NOON)
    web = Synthetic.parse(spec)
    assert web.news is not None and web.start <= NOON < web.start + 7 * 86_400
    front = web.look(web.news.site, NOON)
    assert time.strftime("%Y/%m/%d", time.gmtime(NOON)) in front.body.decode()
    assert (
        as_of("synthetic:pages=1000,news=1,monday=2005-03-07", NOON) == "synthetic:pages=1000,news=1,monday=2005-03-07"
    )
    assert as_of("synthetic:pages=1000", NOON) == "synthetic:pages=1000"


@given(some.floats(700_000_000, 4_000_000_000))
def test_every_moment_has_its_monday(now: float) -> None:
    begins = parse(f"synthetic:monday={monday_of(now)}").epoch
    assert begins <= now < begins + 7 * 86_400


@pytest.mark.parametrize("monday", ["2005-03-08", "yesterday", "1900-01-01", ""])
def test_a_web_begins_on_a_monday(monday: str) -> None:
    with pytest.raises(Problem, match="onday"):
        parse(f"synthetic:monday={monday}")
