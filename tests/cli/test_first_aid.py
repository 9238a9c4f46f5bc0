"""A crawl that nobody looks at says how it stands once a minute, and one that finds nothing says what to do."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from small_web import BREAD, SmallWeb, page
from wolfspider.cli import main
from wolfspider.core.events import CrawlState, Gauge, Landed
from wolfspider.core.model import Link, Outcome, Page, Route, Verdict, Visit
from wolfspider.store.page_count import PageCount
from wolfspider.store.view import Summary
from wolfspider.terminal import crawl_screen
from wolfspider.terminal.crawl_screen import CrawlTally, following
from wolfspider.terminal.first_aid import AT_THE_END, SOON, nothing_relevant
from wolfspider.terminal.spider_results import Outputs
from wolfspider.web.server.serve import serve


def test_there_is_no_advice_before_it_is_needed() -> None:
    assert not nothing_relevant(SOON - 1, PageCount(50), ["wolf"], {})
    assert nothing_relevant(AT_THE_END, PageCount(9), ["wolf"], {}, over=True)
    assert not nothing_relevant(AT_THE_END - 1, PageCount(9), ["wolf"], {}, over=True)
    assert not nothing_relevant(SOON, PageCount(50, 1), ["wolf"], {})
    assert not nothing_relevant(SOON, PageCount(50, 0, 1, 1), ["wolf"], {})
    assert not nothing_relevant(SOON, PageCount(), ["wolf"], {})  # then failures are the trouble


def test_words_that_occur_are_told_the_most_frequent_first() -> None:
    advice = nothing_relevant(SOON, PageCount(50), ["wolf", "spider"], {"spider": 3, "wolf": 12})
    assert "No relevant page in 100 downloads: of the topic's words pages have wolf (12), spider (3)." in advice
    assert "Are the starting points on topic?" in advice and "--like URL" in advice


def test_that_no_word_occurs_is_told() -> None:
    assert "none of the topic's words (wolf, spider) was seen" in nothing_relevant(
        200, PageCount(9), ["wolf", "spider"], {}
    )


def gauge(at: float, downloads: int, relevant: int = 0) -> Gauge:
    counts = {"downloads": downloads, "budget": 500, "pages": downloads, "relevant": relevant}
    return Gauge(at, CrawlState.FETCHING, 1, **counts)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(crawl_screen.time, "monotonic", lambda: now[0])
    return now


def test_without_a_terminal_a_line_a_minute_says_how_it_stands(clock: list[float]) -> None:
    out = io.StringIO()
    tally = CrawlTally(500)
    with following(Console(file=out, width=500), tally, Outputs()) as look:
        for second in range(0, 181, 5):
            clock[0] = float(second)
            tally.hear(gauge(float(second), second, 1))
            look()
    lines = out.getvalue().splitlines()
    assert len(lines) == 3 and all("of 500 downloads" in line and "1 relevant" in line for line in lines)
    assert lines[0].startswith("60 of 500 downloads") and "1 in flight" in lines[0]


def test_the_advice_is_given_once_and_names_what_judges_saw(clock: list[float]) -> None:
    out = io.StringIO()
    tally = CrawlTally(500, ["wolf", "spider"])
    page = Page("http://a.test/", "http://a.test/")
    verdict = Verdict(0.2, False, {"words": ["wolf", 7]})
    outcome = Outcome(Visit(1, Link("http://a.test/")), page, verdict, 1, 0.1, 0.0)
    tally.hear(Landed(0.0, outcome, Route.OUT, 1))
    with following(Console(file=out, width=500), tally, Outputs()) as look:
        for second in range(30):
            clock[0] = float(second)
            tally.hear(gauge(float(second), 100 + second))
            look()
    assert out.getvalue().count("No relevant page in 100 downloads") == 1 and "wolf (1)" in out.getvalue()


def test_words_are_not_spoken_of_where_they_are_not_known() -> None:
    advice = nothing_relevant(200, PageCount(9), ["wolf"], None)
    assert advice.startswith("No relevant page in 200 downloads. Are the starting points on topic?")


def test_a_resumed_run_does_not_claim_that_no_word_was_seen() -> None:
    tally = CrawlTally(500, ["wolf"])
    summary = Summary(PageCount(90), 120, {}, {}, 3, 0.0, None, {})
    tally.take_stock(summary, ["a.test"])
    tally.hear(gauge(0.0, 121))
    assert "words (wolf)" not in tally.advice() and tally.advice()


def test_what_a_judge_of_ones_own_tells_takes_little_memory() -> None:
    tally = CrawlTally(500, ["wolf"])
    for number in range(1000):
        page = Page(f"http://a.test/{number}", f"http://a.test/{number}")
        verdict = Verdict(0.2, False, {"words": [f"{number}-{each}" + "x" * 10_000 for each in range(10)]})
        outcome = Outcome(Visit(number, Link(page.url)), page, verdict, 1, 0.1, 0.0)
        tally.hear(Landed(0.0, outcome, Route.OUT, number))
    assert tally.words is not None and len(tally.words) <= 200 and max(map(len, tally.words)) <= 40


def test_status_repeats_the_advice_and_names_what_came_nearest(
    tmp_path: Path, aside: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"http://a.test/": page("Start", BREAD, *(f"/{number}" for number in range(120)))}
    pages |= {f"http://a.test/{number}": page(f"Bread {number}", f"{BREAD} wolf") for number in range(120)}
    via, run = f"127.0.0.1:{aside(serve(SmallWeb(pages, {}))).port}", tmp_path / "run"
    told = ("--topic", "wolf spiders, silk", "--judge", "coverage", "--via", via, "--delay", "0", "--disk-floor", "0")
    alike = ("--traps", "ignore", "--pages", "25", "--out", str(run))
    assert main(["crawl", "http://a.test/", *told, *alike]) == 0
    assert "No relevant page in 25 downloads" in " ".join(capsys.readouterr().err.split())
    assert main(["status", str(run)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "No relevant page in 25 downloads" in said and "Are the starting points on topic?" in said
    assert "Nearest so far: http://a.test/" in said and "label URL up" in said
    assert main(["status", str(run), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["advice"]) == 2


def test_pages_without_any_word_of_the_topic_are_not_called_near(
    tmp_path: Path, aside: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"http://a.test/": page("Start", BREAD, *(f"/{number}" for number in range(30)))}
    pages |= {f"http://a.test/{number}": page(f"Bread {number}", f"{BREAD} {number}") for number in range(30)}
    via, run = f"127.0.0.1:{aside(serve(SmallWeb(pages, {}))).port}", tmp_path / "run"
    told = ("--topic", "wolf spiders, silk", "--via", via, "--delay", "0", "--disk-floor", "0", "--traps", "ignore")
    assert main(["crawl", "http://a.test/", *told, "--pages", "25", "--out", str(run)]) == 0
    assert main(["status", str(run), "--json"]) == 0
    (advice,) = json.loads(capsys.readouterr().out)["advice"]
    assert "none of the topic's words (wolf spiders, silk) was seen" in advice
