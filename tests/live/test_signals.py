"""Ctrl-C, SIGTERM, a second one, a machine that sleeps: nothing is lost, and only what was out is asked for again."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, assert_whole, crawl_command, environment, stored

from wolfspider.web.server.serve import Manner, Served, serve

SLOTS = 6
WEB = Hosts(8, 30)
TIME = 60.0


class Latency:
    """Of a server that keeps everybody waiting while it is `held`."""

    def __init__(self) -> None:
        self.held, self.waiting = False, 0

    def __call__(self, host: str) -> float:
        self.waiting += self.held
        return 600.0 if self.held else 0.05


@pytest.fixture
def latency() -> Latency:
    return Latency()


@pytest.fixture
def served(aside: Callable[[Any], Any], latency: Latency) -> Served:
    server = aside(serve(WEB, manner=Manner(latency=latency)))
    assert isinstance(server, Served)
    return server


@contextmanager
def crawling(words: list[str], told: Path) -> Iterator[subprocess.Popen[bytes]]:
    with told.open("ab") as out:
        crawl = subprocess.Popen(words, stdout=out, stderr=subprocess.PIPE, env=environment())
    try:
        yield crawl
    finally:
        crawl.kill()
        crawl.wait()
        assert crawl.stderr is not None
        crawl.stderr.close()


def after(served: Served, requests: int) -> None:
    """Wait until the server has answered so many."""
    until(lambda: len(served.log) >= requests)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIME
    while not condition():
        assert time.monotonic() < end, "the crawl does not get going"
        time.sleep(0.01)


def interrupt_twice(crawl: subprocess.Popen[bytes]) -> None:
    """Of signals that come while a process is held up it sees one: then there are more. One that comes while it leaves
    would end it in another way."""
    for pause in (1.0, 20.0, 20.0):
        crawl.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            crawl.wait(pause)
            return


def pages_told(told: Path) -> set[str]:
    events = [json.loads(line) for line in told.read_bytes().splitlines()]
    return {event["final_url"] for event in events if event["event"] == "landed" and "final_url" in event}


def asked(served: Served) -> Counter[str]:
    return Counter(f"http://{one.host}{one.path}" for one in list(served.log) if one.path != "/robots.txt")


def a_run(served: Served, folder: Path) -> list[str]:
    return crawl_command(served.port, folder, "http://h0.test/", pages=240, slots=SLOTS, deadline=30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "twice"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGINT, True)],
    ids=["ctrl-c", "sigterm", "twice"],
)
def test_a_signal_loses_nothing_and_only_what_was_out_is_asked_for_again(
    served: Served, latency: Latency, tmp_path: Path, number: signal.Signals, twice: bool
) -> None:
    words, told = a_run(served, tmp_path / "run"), tmp_path / "told"
    with crawling(words, told) as crawl:
        after(served, 60)
        if twice:
            latency.held = True
            until(lambda: latency.waiting > 0)
            interrupt_twice(crawl)
            latency.held = False
        else:
            crawl.send_signal(number)
        assert crawl.wait(TIME) == (131 if twice else 130)
    assert_whole(tmp_path / "run")
    assert pages_told(told) == stored(tmp_path / "run")
    with crawling(words, told) as crawl:
        assert crawl.wait(TIME) == 0
    assert stored(tmp_path / "run") == pages_told(told) == WEB.addresses()
    again = {url: times - 1 for url, times in asked(served).items() if times > 1}
    assert set(asked(served)) == WEB.addresses()
    assert len(again) <= (SLOTS if twice else 0) and all(times == 1 for times in again.values())
    assert_whole(tmp_path / "run")


@pytest.mark.slow
def test_drained_everything_that_was_out_has_landed(served: Served, tmp_path: Path) -> None:
    words, told = a_run(served, tmp_path / "run"), tmp_path / "told"
    with crawling(words, told) as crawl:
        after(served, 60)
        crawl.send_signal(signal.SIGINT)
        assert crawl.wait(TIME) == 130
    assert pages_told(told) == set(asked(served)) == stored(tmp_path / "run")


@pytest.mark.slow
def test_a_process_that_was_stopped_for_a_while_goes_on(served: Served, tmp_path: Path) -> None:
    words, told = a_run(served, tmp_path / "run"), tmp_path / "told"
    with crawling(words, told) as crawl:
        after(served, 60)
        crawl.send_signal(signal.SIGSTOP)
        time.sleep(3)
        crawl.send_signal(signal.SIGCONT)
        assert crawl.wait(TIME) == 0
    times = [json.loads(line)["at"] for line in told.read_bytes().splitlines()]
    assert times == sorted(times)
    assert pages_told(told) == WEB.addresses() and served.worst() == 1
    assert_whole(tmp_path / "run")
