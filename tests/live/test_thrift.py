"""Thrift on the wire: a good host that is slow, hosts of junk that are quick, and a budget for one of the two."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from tests.live.hunting import Told, beside, go_on, hunt, prepared

import faults
from faults import Call, Faulty
from wolfspider.app.explain import why
from wolfspider.core.events import Gauge
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import host_of
from wolfspider.store.gauges import Gauges
from wolfspider.terminal import standing
from wolfspider.terminal.explanation import lines

HUB, GOOD, JUNK, PAGES = "http://a.test/hub", "good.test", 12, 8
WANTED = {"topic": "wolf spiders", "strategy": "shark", "judge": "coverage", "slots": 8, "delay": 0.4, "max_wait": 60.0}


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """`/hub` links to many pages of the good host by good words, and to one page of each other host by poor ones."""

    async def answer(call: Call) -> None:
        good = "".join(f'<a href="http://{GOOD}/leaf/{number}">wolf spiders</a> ' for number in range(20))
        junk = "".join(f'<a href="http://junk{number}.test/leaf">cars and roads</a> ' for number in range(JUNK))
        await call.answer(f"<title>Hub</title><p>wolf spiders</p>{good}{junk}")

    async def leaf(call: Call) -> None:
        await call.answer("<title>Leaf</title><p>wolf spiders</p>")

    monkeypatch.setitem(faults.BEHAVIOURS, "hub", answer)
    monkeypatch.setitem(faults.BEHAVIOURS, "leaf", leaf)


def hosts(told: Told) -> Counter[str]:
    return Counter(host_of(event.outcome.visit.link.url) for event in told.landed)


def test_the_budget_goes_to_the_good_host_and_in_a_hurry_to_any() -> None:
    """Nothing but a stall of seconds could make a link of junk pass here, and half of the downloads have leave to."""

    async def talk(server: Faulty) -> None:
        thrifty = await hunt(server.port, HUB, pages=PAGES, hurry=0.0, **WANTED)
        quick = await hunt(server.port, HUB, pages=PAGES, hurry=AT_ONCE, **WANTED)
        assert thrifty.downloads == quick.downloads == PAGES
        assert hosts(thrifty)[GOOD] > PAGES // 2 > hosts(quick)[GOOD]

    beside(talk)


def test_a_host_that_never_answers_holds_nobody_up() -> None:
    async def talk(server: Faulty) -> None:
        dead = "http://good.test/silence"
        told = await hunt(server.port, dead, HUB, pages=PAGES, hurry=0.0, **{**WANTED, "deadline": 6.0, "slots": 3})
        assert told.downloads == PAGES and sum(count for host, count in hosts(told).items() if "junk" in host) >= 1

    beside(talk)


def explained(run: Path, better_until: float) -> None:
    """What `explain` says of links while others wait for the good host until then."""
    with closing(sqlite3.connect(run / "run.db")) as connection, connection:
        Gauges(connection).keep(Gauge(time.time(), better_host=GOOD, better_until=better_until))
    of_junk, of_good = (why(run, url) for url in (f"http://junk{JUNK - 1}.test/leaf", f"http://{GOOD}/leaf/19"))
    assert of_junk["waiting"]["gives_way"]["host"] == GOOD
    assert any(re.match(r"  gives way  to a better link at good.test, until ", line) for line in lines(of_junk))
    assert of_good["waiting"]["gives_way"] is None


def test_a_run_that_was_stopped_while_links_gave_way_goes_on_and_says_what_it_waits_for(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        told = prepared(server.port, HUB, out=run, pages=6, hurry=0.0, **{**WANTED, "delay": 0.8})
        waiting: list[Gauge] = []

        def hear(event: object) -> None:
            if isinstance(event, Gauge) and event.giving_way and not waiting:
                waiting.append(event)
                told.hunt.stop()  # type: ignore[union-attr]

        assert told.hunt is not None
        told.hunt._tell = hear
        result = await told.hunt.run()
        assert result.reason == "stopped" and waiting
        gauge = waiting[0]
        assert gauge.better_host == GOOD and 0 < gauge.giving_way <= 8 and gauge.better_until is not None
        assert "waiting for a better host (good.test, until" in standing.visits(gauge)
        explained(run, better_until=time.time() + 3600)
        for snapshot in (run / "snapshots").iterdir():
            snapshot.unlink()  # what is left is the journal, as after kill -9
        again = await go_on(run)
        assert (again.reason, again.downloads) == ("budget", 6)
        assert hosts(again)[GOOD] >= 3

    beside(talk)
