"""The results of a spider on the command line: while it runs, where nothing moves, and as a page in the end."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.cells import cell_len
from rich.console import Console

from small_web import EVIL, SMALL
from wolfspider.core.events import Noted
from wolfspider.core.params import parameters
from wolfspider.store.view import RunView
from wolfspider.strategies.spider.generations import SpiderParams
from wolfspider.terminal.crawl_screen import CrawlTally, _picture, following
from wolfspider.terminal.spider_results import (
    FEWEST,
    MOST,
    NOTES,
    Generation,
    Layout,
    Outputs,
    bar,
    on_screen,
    page,
    read,
)
from wolfspider.web.server.serve import Manner, serve

HASTY = "--delay 0 --adapt 0 --tries 1 --disk-floor 0"
pytestmark = pytest.mark.usefixtures("bare_environment")
Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]

# A strategy of one's own that says what a spider says: after every third page, the best pages so far.
MINE = '''
from wolfspider import Ordered

class Mine(Ordered):
    """Follows every link, and tells of generations."""

    name, paper = "mine", "none"

    def __init__(self, *handed):
        super().__init__(*handed)
        self.found = []
        self.fetched = 0

    def observe(self, outcome):
        page = outcome.page
        if page is None:
            return
        for link in page.links:
            self.frontier.push(link, 1.0, page.final_url)
        self.fetched += 1
        self.found.append({
            "url": page.final_url, "title": page.title, "links": len(page.links), "score": outcome.verdict.score,
            "terms": 0.25, "links_score": 0.0, "fetch_score": 0.9, "words": ["wolf spider", page.title],
            "origin": "leap" if "b.test" in page.url else "local", "generation": self.fetched // 3,
        })
        if self.fetched % 3 == 0:
            self.found.sort(key=lambda one: -one["score"])
            self.note(outcome.at, "generation", generation=self.fetched // 3, fitness=0.5, fetched=self.fetched,
                      leaps=1, seconds=1.5, final=self.fetched == 9, results=[dict(one) for one in self.found])
'''


def result(number: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "url": f"http://a.test/{number}",
        "title": f"Page {number}",
        "links": 34,
        "score": 0.123,
        "terms": 0.2,
        "links_score": 0.04,
        "fetch_score": 0.9,
        "origin": "leap",
        "words": ["hunt", "wolf spider"],
        "generation": 2,
        **more,
    }


def noted(*results: Any, **more: Any) -> Noted:
    data = {"generation": 3, "fitness": 0.0871, "fetched": 143, "leaps": 20, "seconds": 61.2, "final": False}
    return Noted(100.0, "generation", {**data, "results": list(results), **more})


def generation(*results: Any, **more: Any) -> Generation:
    found = read(100.0, noted(*results, **more).data)
    assert found is not None
    return found


def drawn(shown: Generation | None, width: int = 80, height: int = 24, color: bool = False) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        height=height,
        force_terminal=True,
        color_system="standard" if color else None,
        _environ={},
    )
    console.print(_picture(console, CrawlTally(500), shown))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def in_the_end(shown: Generation) -> str:
    return "\n".join(line.plain for line in page(shown))


def printable(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


# What is heard


def test_the_newest_generation_is_shown_and_each_is_told_of() -> None:
    outputs, told = Outputs(), list[int]()
    outputs.listen(lambda one: told.append(one.number))
    for event in (noted(result()), Noted(100.0, "death", {"agent": "7"}), noted(result(), generation=4)):
        outputs.hear(event)
    assert told == [3, 4] and outputs.newest is not None and outputs.newest.number == 4


@pytest.mark.parametrize("data", [{}, {"generation": 3}, {"generation": "third", "results": []}, {"results": []}])
def test_what_others_call_a_generation_is_left_alone(data: dict[str, Any]) -> None:
    outputs = Outputs()
    outputs.hear(Noted(1.0, "generation", data))
    assert outputs.newest is None


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda one: some.lists(one, max_size=3) | some.dictionaries(some.text(max_size=5), one, max_size=3),
    max_leaves=8,
)
ANY = some.dictionaries(some.sampled_from(sorted(result())), JSON | some.text(), max_size=10)


@given(
    results=some.lists(ANY | JSON, max_size=5),
    more=some.dictionaries(some.sampled_from(["fitness", "fetched", "leaps", "seconds", "temperature", "final"]), JSON),
    width=some.integers(10, 200),
    height=some.integers(3, 60),
)
def test_whatever_is_noted_can_be_shown_and_is_harmless(
    results: list[Any], more: dict[str, Any], width: int, height: int
) -> None:
    shown = generation(*results, **more)
    picture = drawn(shown, width, height)
    assert printable(picture) and printable(in_the_end(shown)) and printable(shown.line())
    assert max(cell_len(line) for line in picture.splitlines()) <= width


def test_as_many_results_are_read_as_spiders_may_be_asked_for() -> None:
    assert parameters(SpiderParams)["outputs"].high == MOST


def test_no_more_is_read_of_a_generation_than_anybody_looks_at() -> None:
    shown = generation(*[result(number, words=["w"] * 1000, title="t" * 10_000) for number in range(1000)])
    assert len(shown.results) == MOST and len(shown.results[0].title) == 300 and len(shown.results[0].words) == 20


# A screen


def test_the_screen_says_what_the_spider_has_and_where_it_is_from() -> None:
    shown = drawn(generation(result(1), result(2, origin="local"), temperature=0.03), 100)
    assert "generation 3, time 0:01:01, pages fetched 143, from leaps 20, fitness 0.0871, temperature 0.0300" in shown
    assert re.search(r"0\.123  Page 1 +0\.20 █\S* +0\.04 \S+ +0\.90 █+", shown)
    assert re.search(r"leap +links   34  http://a.test/1 +hunt, wolf spider", shown) and re.search(
        r"local +links", shown
    )


def test_each_origin_has_its_colour() -> None:
    shown = drawn(generation(*[result(origin=origin) for origin in ("local", "elsewhere", "leap", "moon")]), color=True)
    for colour, origin in ((32, "local"), (36, "elsewhere"), (35, "leap")):
        assert f"\x1b[{colour}m{origin}" in shown
    assert "moon" in shown and "mmoon" not in shown


@pytest.mark.parametrize("height", [*range(9, 30), 60])
def test_as_many_results_as_fit_and_never_a_line_too_many(height: int) -> None:
    shown = drawn(generation(*map(result, range(20))), 80, height)
    assert shown.count("\n") < height
    assert shown.count("Page ") >= FEWEST
    assert height < 60 or shown.count("Page ") == 20


@pytest.mark.parametrize("width", [12, 20, 30, 36, 40, 59, 60, 80, 200])
def test_no_terminal_is_too_narrow(width: int) -> None:
    lines = drawn(generation(result(title="漢字" * 50, url="http://a.test/" + "x" * 300)), width).splitlines()
    assert max(map(cell_len, lines)) <= width and any("0.123" in line for line in lines)


def test_the_clock_goes_on_until_the_spider_is_through() -> None:
    assert "time 0:01:11" in generation().status(now=110.0)
    assert "time 0:01:01" in generation(final=True).status(now=110.0)


def test_bars_are_as_long_as_the_share() -> None:
    assert [bar(share, 4) for share in (0.0, 0.125, 0.5, 1.0)] == ["    ", "▌   ", "██  ", "████"]
    assert [bar(share, 4, ascii=True) for share in (0.0, 0.5, 1.0)] == ["....", "##..", "####"]
    lines = list(on_screen(generation(result()), Layout(80, ascii=True), 10))
    assert all(line.plain.isascii() for line in lines)


def test_without_generations_the_screen_is_that_of_any_crawl() -> None:
    assert "generation" not in drawn(None) and "fetching nothing yet" in drawn(None)


# Where nothing moves


def test_where_nothing_moves_each_generation_is_a_line() -> None:
    console, outputs = Console(file=io.StringIO(), width=10_000), Outputs()
    with following(console, CrawlTally(500), outputs) as look:
        for number in (1, 2):
            outputs.hear(noted(result(title=EVIL), generation=number, final=number == 2))
        look()
    assert isinstance(console.file, io.StringIO)
    first, second = console.file.getvalue().splitlines()
    status = "generation 1, time 0:01:01, pages fetched 143, from leaps 20, fitness 0.0871, results 1"
    assert first.startswith(f"{status}; best 0.1230 http://a.test/0 (red") and ", final; best" in second
    assert printable(first + second)


# The page in the end


def test_the_final_page() -> None:
    assert in_the_end(generation(result(), result(1, words=[], title=""), final=True)).splitlines() == [
        "Results, after generation 3: 2",
        "total fitness 0.0871, pages visited 143, from leaps 20, time 0:01:01",
        "",
        " 1. 0.1230  Page 0",
        "    http://a.test/0",
        "    terms [##........] 0.200  links [..........] 0.040  time [#########.] 0.900",
        "    leap, links 34, generation 2",
        "    matched: hunt, wolf spider",
        "",
        " 2. 0.1230  (no title)",
        "    http://a.test/1",
        "    terms [##........] 0.200  links [..........] 0.040  time [#########.] 0.900",
        "    leap, links 34, generation 2",
        "    matched: nothing",
    ]


def test_a_page_of_what_there_is_so_far() -> None:
    assert in_the_end(generation()).startswith("Results so far, after generation 3: 0\n")


# A real crawl


@pytest.fixture
def words(aside: Aside, tmp_path: Path) -> str:
    """A crawl of the small web by a strategy that tells of generations."""
    (tmp_path / "mine.py").write_text(MINE)
    mine, folder = shlex.quote(str(tmp_path / "mine.py")), shlex.quote(str(tmp_path / "run"))
    via = f"--via 127.0.0.1:{aside(serve(SMALL)).port}"
    return f"crawl http://a.test/ --topic 'wolf spiders' --strategy {mine} {via} {HASTY} --out {folder}"


def test_a_crawl_tells_each_generation_and_prints_the_page_of_the_last(run: Run, words: str) -> None:
    code, out, err = run(words)
    assert code == 0 and [line[:14] for line in err.splitlines()[:3]] == [f"generation {n}, " for n in (1, 2, 3)]
    assert out.startswith("Results, after generation 3: 9\ntotal fitness 0.5000, pages visited 9, from leaps 1, ")
    assert "The search is through, after 11 downloads." in err
    assert "http://a.test/good" in out and "    leap, links" in out and printable(out) and printable(err)


def test_data_is_printed_for_who_wants_no_remarks_too(run: Run, words: str) -> None:
    code, out, err = run(f"{words} --quiet")
    assert code == 0 and out.startswith("Results, after generation 3: 9\n") and err == ""


def test_who_wants_events_gets_nothing_else(run: Run, words: str) -> None:
    _, out, err = run(f"{words} --json")
    told = [json.loads(line) for line in out.splitlines()]
    assert sum(one.get("kind") == "generation" for one in told) == 3 and "generation 3, " in err


def test_a_run_that_goes_on_shows_what_it_had(run: Run, words: str, tmp_path: Path) -> None:
    _, out, _ = run(f"{words} --pages 4")
    assert out.startswith("Results so far, after generation 1: 3\n")
    outputs = Outputs()
    outputs.recall(RunView(tmp_path / "run"))
    assert outputs.newest is not None and outputs.newest.number == 1
    _, again, err = run(f"resume {tmp_path / 'run'} --pages 5")
    assert again == out and "generation 1" not in err
    assert run(f"resume {tmp_path / 'run'} --pages 100")[1].startswith("Results, after generation 3: 9\n")


SUMMARY = """
    def summary(self, now):
        return {"generation": self.fetched // 3, "fitness": 0.5, "fetched": self.fetched, "leaps": 1, "seconds": now,
                "final": self.fetched >= 9, "results": self.found * 30}
"""


@pytest.mark.parametrize(("pages", "head"), [(100, "Results, after generation 3: 300"), (4, "Results so far, after")])
def test_the_page_in_the_end_has_all_that_the_strategy_has_and_not_what_its_last_note_had(
    run: Run, words: str, tmp_path: Path, pages: int, head: str
) -> None:
    with (tmp_path / "mine.py").open("a") as mine:
        mine.write(SUMMARY)
    _, out, _ = run(f"{words} --pages {pages}")
    results = int(out.splitlines()[0].rpartition(": ")[2])
    assert out.startswith(head) and results % 30 == 0 and out.count("    matched: ") == results > MOST // 10


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ("self.note(outcome.at, 'move', to=page.url)", True),
        ("self.found[0]['title'] = 'very ' * 5000", False),
        (f"[self.note(outcome.at, 'move') for _ in range({NOTES})]", False),
    ],
)
def test_what_the_log_does_not_keep_is_not_made_up_from_what_was_before(
    run: Run, words: str, tmp_path: Path, more: str, shown: bool
) -> None:
    with (tmp_path / "mine.py").open("a") as mine:
        mine.write(f"        if self.fetched == 5:\n            {more}\n")
    run(f"{words} --pages 100")
    outputs = Outputs()
    outputs.recall(RunView(tmp_path / "run"))
    assert (outputs.newest is not None) is shown


@pytest.mark.slow
def test_on_a_terminal_the_generations_move_and_the_page_stays(aside: Aside, words: str) -> None:
    slow = aside(serve(SMALL, manner=Manner(latency=0.5)))
    words = re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{slow.port}", words)
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 90, 0, 0))
    call = [sys.executable, "-m", "wolfspider", *shlex.split(words)]
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    with subprocess.Popen(call, stdin=end, stdout=end, stderr=end, env={**environment, "TERM": "xterm"}) as crawl:
        os.close(end)
        shown = b""
        with os.fdopen(terminal, "rb", buffering=0) as file:
            while part := _read(file):
                shown += part
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert crawl.returncode == 0
    assert re.search(r"generation 1, time .*fitness 0\.5000.*generation 2, time ", plain, re.DOTALL)
    assert re.search(r"fetching for \d s: http://[ab]\.test/", plain) and "\x1b[35mleap" in shown.decode()
    assert plain.rindex("Results, after generation 3: 9") > plain.rindex("harvest rate")
    assert printable(plain.replace("\r", ""))


def _read(file: Any) -> bytes:
    try:
        return bytes(file.read(1 << 16))
    except OSError:  # the other side is closed
        return b""
