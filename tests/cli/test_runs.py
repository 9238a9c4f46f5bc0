"""Commands about live runs: what they print, how they end, and what another terminal may do meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import re
import select
import shlex
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import EVIL, PAGES, SMALL, SPIDERS, SmallWeb, page
from wolfspider.app.explain import why
from wolfspider.app.settings import Settings, known
from wolfspider.cli import steering
from wolfspider.cli.crawling import CODES, NOTHING, exit_code, folder_for
from wolfspider.core import events
from wolfspider.core.errors import Busy
from wolfspider.drivers import outside_commands
from wolfspider.files.disk import DiskFull
from wolfspider.files.lock import Lock
from wolfspider.store.folder import Places
from wolfspider.store.inbox import append_command
from wolfspider.store.page_count import PageCount
from wolfspider.store.sqlite import create
from wolfspider.store.view import RunView
from wolfspider.terminal import explanation
from wolfspider.terminal.crawl_screen import CrawlTally
from wolfspider.terminal.standing import RunEnd
from wolfspider.terminal.steering_words import told_of
from wolfspider.web.server.serve import Manner, serve

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
HASTY = "--delay 0 --adapt 0 --tries 1 --disk-floor 0"
TIME = 40.0
pytestmark = pytest.mark.usefixtures("bare_environment")
Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]

MANY = SmallWeb(
    {
        f"http://h{host}.test/{number or ''}": page(
            f"Spiders {number}", SPIDERS, *(f"/{other}" for other in range(1, 60)), f"http://h{(host + 1) % 5}.test/"
        )
        for host in range(5)
        for number in range(60)
    },
    {},
)


@pytest.fixture
def via(aside: Aside) -> str:
    return f"--via 127.0.0.1:{aside(serve(SMALL)).port}"


@pytest.fixture
def crawl(run: Run, via: str, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    def called(text: str = "", url: str = "http://a.test/") -> tuple[int, str, str]:
        return run(f"crawl {url} --topic 'wolf spiders' {via} {HASTY} {text} --out", tmp_path / "run")

    return called


def child(words: str, **options: Any) -> subprocess.Popen[str]:
    call = [sys.executable, "-m", "wolfspider", *shlex.split(words)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    return subprocess.Popen(call, text=True, env=environment, **options)


def start_of(served: Any, url: str, folder: Path) -> str:
    return f"crawl {url} --topic 'wolf spiders' --via 127.0.0.1:{served.port} --out {folder / 'run'}"


def until(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + TIME
    while not (found := holds()):
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)
    return found


def printable(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


# A crawl, and how it is told


def test_a_crawl_says_why_it_is_over_what_there_is_and_what_to_do_next(crawl: Run, tmp_path: Path) -> None:
    code, out, err = crawl("--pages 4")
    assert (code, out) == (0, "")
    assert err.splitlines()[0] == "The budget is spent: 4 downloads."
    assert f"wolfspider resume {tmp_path / 'run'} --pages 8" in err and "wolfspider export" in err


def test_a_crawl_that_goes_on_counts_from_what_it_had(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 4")
    code, _, err = run("resume --pages 100", tmp_path / "run")
    assert code == 0 and err.startswith(
        "Obeyed: limit pages=100 (was 4)\nNo link is left to follow after 11 downloads."
    )
    summary = RunView(tmp_path / "run").summary()
    told = f"{summary.pages} pages from {summary.hosts} hosts, {summary.relevant} of them relevant"
    failures = "failures: 1 x 404 Not Found, 1 x disallowed by robots.txt (1 cost no download)"
    assert told in err and f"{failures}; further downloads: 1 x the same page again." in err


def test_who_gives_hands_by_their_earlier_name_is_told(crawl: Run, run: Run, tmp_path: Path) -> None:
    told = "--parsers is an earlier name of --hands: better give that."
    assert told in crawl("--pages 2 --parsers 1")[2]
    assert told not in run("resume --pages 3 --hands 0", tmp_path / "run")[2]


def test_a_crawl_whose_events_nobody_reads_any_more_says_so(aside: Aside, run: Run, tmp_path: Path) -> None:
    def unread(event: events.Event) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    given: dict[str, Any] = {"topic": "spiders", "via": f"127.0.0.1:{aside(serve(SMALL)).port}", "disk_floor": 0}
    with pytest.raises(BrokenPipeError):
        asyncio.run(wolfspider.crawl("http://a.test/", out=tmp_path / "run", on_event=unread, **given).run())
    assert "by an error: The program that read its output stopped reading. Resume" in run("status", tmp_path / "run")[1]


def test_a_dry_run_refuses_to_record_among_the_files_of_a_run_too(
    crawl: Run, run: Run, via: str, tmp_path: Path
) -> None:
    crawl("--pages 1")
    words = f"crawl http://a.test/ --topic spiders {via} --record {tmp_path / 'run'}"
    for more in ("--dry-run", f"--out {tmp_path / 'other'}"):
        code, out, err = run(f"{words} {more}")
        assert (code, out) == (2, "") and "among the files of a run: name a place elsewhere by --record." in err
    assert sorted(os.listdir(tmp_path)) == ["run"]


def test_the_tally_of_a_resumed_run_starts_from_what_there_is(crawl: Run, tmp_path: Path) -> None:
    crawl("--pages 4")
    view, tally = RunView(tmp_path / "run"), CrawlTally(100)
    tally.take_stock(view.summary(), view.hosts())
    assert tally.downloads == 4 and tally.pages_in >= 3 and tally.hosts and "of the downloads" in tally.summary()


def test_an_error_in_a_strategy_of_ones_own_is_no_bug_of_ours(crawl: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wolfspider import Ordered\n"
        "class Mine(Ordered):\n"
        "    name, paper = 'mine', 'none'\n"
        "    def observe(self, outcome):\n"
        "        raise KeyError('oops')\n"
    )
    code, _, err = crawl(f"--strategy {tmp_path / 'mine.py'}")
    assert code == 3 and "mine.py line 5, in observe: KeyError: 'oops'. Mend it and give the same command again." in err
    assert "A run is resumed only if what it decided before stays the same." in err


OWN = """
from wolfspider import Ordered, Unlearning, verdict

class Mine(Ordered):
    name, paper = "mine", "none"

    def observe(self, outcome):
        if outcome.visit.id >= 4:
            raise KeyError("oops")
        if outcome.page is not None:
            self.frontier.extend(outcome.page.links, [1.0] * len(outcome.page.links), outcome.page.final_url)

class Long(Unlearning):
    def score(self, page):
        return verdict(0.75, 0.5)
"""


@pytest.mark.parametrize(
    ("propose", "score", "says"),
    [
        (
            "[self.visit(link) for link in self.started]",
            "verdict(1, 0.5)",
            "Mine.propose: visit 0 to http://a.test/ was",
        ),
        ("None", "verdict(1, 0.5)", "Mine.propose: it must return a list of visits, not None"),
        ("super().propose(room, now)", "0.5", "Long.score: it must return a Verdict"),
    ],
)
def test_a_promise_that_a_file_of_ones_own_breaks_is_no_bug_of_ours(
    crawl: Run, run: Run, tmp_path: Path, propose: str, score: str, says: str
) -> None:
    mine = tmp_path / "mine.py"
    begin = "    def begin(self, seeds, now):\n        self.started = seeds\n        super().begin(seeds, now)\n"
    own = f"{begin}\n    def propose(self, room, now):\n        return {propose}\n\nclass Long"
    mine.write_text(OWN.replace("class Long", own).replace("verdict(0.75, 0.5)", score).replace(">= 4", "< 0"))
    code, _, err = crawl(f"--pages 6 --strategy {mine} --judge {mine}")
    assert code == 3 and f"{mine}, {says}" in err and "bug" not in err
    mine.write_text(OWN.replace(">= 4", "< 0"))
    assert run("resume", tmp_path / "run")[0] == 0


@pytest.mark.parametrize(("before", "after"), [("outcome.page.links, [", "outcome.page.links[::-1], ["), (".75", ".7")])
def test_a_file_of_ones_own_that_decides_differently_now_is_named(
    crawl: Run, run: Run, tmp_path: Path, before: str, after: str
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(OWN)
    assert crawl(f"--pages 6 --slots 1 --strategy {mine} --judge {mine}")[0] == 3
    mended = OWN.replace(">= 4", "< 0")
    mine.write_text(mended.replace(before, after))
    code, _, err = run("resume", tmp_path / "run")
    assert code == 2 and f"{mine} decides differently now than when this run was made" in err
    assert "<Route" not in err and "Put it back as it was" in err and "bug" not in err
    mine.write_text(mended)
    assert run("resume", tmp_path / "run")[0] == 0


def test_the_same_command_again_goes_on(crawl: Run) -> None:
    crawl("--pages 4")
    code, _, err = crawl("--pages 4")
    assert code == 0 and "The budget is spent: 4 downloads." in err
    code, _, err = crawl("--pages 4 --strategy opic")
    assert code == 2 and "was begun otherwise (strategy was 'hunter')" in err


def test_quiet_says_nothing(crawl: Run) -> None:
    assert crawl("--pages 4 --quiet") == (0, "", "")


def test_json_is_an_event_a_line_and_nothing_else(crawl: Run) -> None:
    code, out, err = crawl("--pages 100 --json --quiet")
    told = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and err == ""
    assert told[0]["event"] == "began" and told[0]["seeds"] == ["http://a.test/"]
    assert told[-1] == {**told[-1], "event": "ended", "reason": "done"}
    landed = [event for event in told if event["event"] == "landed"]
    assert {event["url"]: event.get("failure") for event in landed}["http://a.test/forbidden"] == "robots"
    assert landed[-1]["downloads"] == 11 and all(event["at"] > 1e9 for event in told)
    assert out.isascii()


def test_lines_of_json_come_while_the_crawl_goes_on(aside: Aside, tmp_path: Path) -> None:
    served = aside(serve(MANY, manner=Manner(latency=0.5)))
    words = (
        f"crawl http://h0.test/ --topic spiders --via 127.0.0.1:{served.port} {HASTY} --json --out {tmp_path / 'run'}"
    )
    with child(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as crawl:
        assert crawl.stdout
        kinds = [json.loads(crawl.stdout.readline())["event"] for _ in range(3)]
        assert kinds[0] == "began" and crawl.poll() is None
        crawl.kill()


def test_who_stops_reading_ends_a_crawl_that_can_be_resumed(aside: Aside, run: Run, tmp_path: Path) -> None:
    served = aside(serve(MANY))
    words = (
        f"crawl http://h0.test/ --topic spiders --via 127.0.0.1:{served.port} {HASTY} --json --out {tmp_path / 'run'}"
    )
    with child(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as crawl:
        assert crawl.stdout and crawl.stderr
        crawl.stdout.readline()
        crawl.stdout.close()
        said = crawl.stderr.read()
    assert crawl.returncode == 141 and "Traceback" not in said
    assert run("resume --pages 5 --quiet", tmp_path / "run")[0] == 0


@pytest.mark.parametrize("color", ["", "1"])
def test_escapes_line_breaks_and_turned_text_of_pages_never_reach_the_terminal(
    crawl: Run, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, color: str
) -> None:
    monkeypatch.setenv("NO_COLOR", color)
    crawl("--pages 100")
    for words in ("explain {} http://a.test/evil", "crawl --dry-run"):
        _, out, err = (
            crawl("--pages 100 --dry-run") if "dry" in words else run(words.format(shlex.quote(str(tmp_path / "run"))))
        )
        assert "red" in out and printable(out) and printable(err)
        assert not any(line.startswith("wolfspider: a forged") for line in (out + err).splitlines())


def test_what_a_failure_says_never_reaches_the_terminal_as_it_came(run: Run, via: str, tmp_path: Path) -> None:
    evil = f"http://a.test/{EVIL.encode().hex()}\x1b[31m"
    code, out, err = run(f"crawl --topic x {via} --out", tmp_path / "run", evil)
    assert code != 70 and printable(out) and printable(err)
    code, _, err = run("steer", tmp_path, f"st\x1b[31mop\n{EVIL}")
    assert code == 3 and printable(err)


# Every end


@pytest.mark.parametrize(
    ("reason", "says", "then"),
    [
        ("budget", "The budget is spent", "resume my-run --pages 20"),
        ("done", "No link is left to follow", "export"),
        ("waiting", "blocked or must rest for longer than --max-wait", "resume my-run"),
        ("excluded", "All links that are left are excluded", "resume my-run"),
        ("circling", "finds nothing new", "export"),
        ("refused", "Visit after visit was turned away", "resume my-run"),
        ("stuck", "a bug in it", "export"),
        ("disk", "--disk-floor", "resume my-run"),
        ("bytes", "--max-mb", "resume my-run"),
        ("time", "--max-time", "resume my-run"),
        ("capped", "--host-pages", "resume my-run"),
        ("enough", "--until", "resume my-run --until never"),
        ("finished", "it fetches nothing more", "export"),
        ("interrupted", "nothing is lost", "resume my-run"),
        ("stopped", "nothing is lost", "resume my-run"),
    ],
)
def test_every_end_says_why_and_what_to_do(reason: str, says: str, then: str) -> None:
    tally = CrawlTally(10)
    tally.count = PageCount(5, 2)
    end = RunEnd(Path("my-run"), reason, 10, tally.count)
    assert says in end.why() and any(then in line for line in end.next_steps())
    assert exit_code(events.EndReason(reason), tally) == CODES[events.EndReason(reason)]


def test_there_is_an_end_for_every_reason_that_a_crawl_may_have() -> None:
    assert set(CODES) == set(events.EndReason) - {events.EndReason.PAUSED}


@pytest.mark.parametrize("command", ["crawl", "watch", "crawl --islands 2"])
def test_a_server_for_every_address_that_is_not_there_is_told_at_once(run: Run, tmp_path: Path, command: str) -> None:
    code, _, err = run(f"{command} http://a.test/ --topic spiders --via 127.0.0.1:1 --out", tmp_path / "run")
    assert code == NOTHING and err.startswith("wolfspider: Nobody answers at 127.0.0.1:1, the server of --via.")
    assert "`wolfspider web serve WEB --port 1`" in err
    assert not (tmp_path / "run").exists()


def test_a_sitemap_that_brings_nothing_is_nothing_downloaded(run: Run, via: str, tmp_path: Path) -> None:
    code, _, err = run(f"crawl --sitemap http://a.test/gone --topic spiders {via} {HASTY} --out", tmp_path / "run")
    assert code == NOTHING and "Nothing was found to start from." in err


def test_nothing_could_be_downloaded(crawl: Run) -> None:
    code, _, err = crawl("--pages 5", "http://a.test/gone")
    assert code == NOTHING and "Nothing could be downloaded: 1 x 404 Not Found. Are" in err
    assert "Are the starting points right?" in err and "export" not in err


def test_what_robots_forbid_is_told(crawl: Run) -> None:
    code, _, err = crawl("--pages 5", "http://a.test/forbidden")
    assert code == NOTHING and "Nothing could be downloaded: 1 x disallowed by robots.txt." in err


@pytest.mark.parametrize("options", ["--tries 1", "--max-wait 1"])
def test_a_refused_connection_is_told_as_one(run: Run, tmp_path: Path, options: str) -> None:
    """Whether the visit is given up or waits for a later session."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    start = f"crawl http://127.0.0.1:{port}/ --topic x --allow-private --disk-floor 0 {options} --out"
    _, _, err = run(start, tmp_path / "run")
    assert "1 x robots.txt could not be read (connection refused)." in err and "alone" not in err
    said = [line for line in err.splitlines() if " is in trouble: " not in line]  # which is told on the way
    assert said[0] == run("status", tmp_path / "run")[1].splitlines()[0]


def test_codes_are_those_of_the_documentation() -> None:
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", DOCS, re.MULTILINE)}
    assert {*CODES.values(), NOTHING, Busy.code, DiskFull.code, steering.UNANSWERED} <= documented


# A terminal


def read_until(terminal: int, wanted: bytes) -> bytes:
    shown, end = b"", time.monotonic() + TIME
    while not re.search(wanted, shown, re.DOTALL):
        assert time.monotonic() < end, shown[-3000:]
        if select.select([terminal], [], [], 1.0)[0]:
            shown += os.read(terminal, 1 << 16)
    return shown


def rest_of(terminal: int) -> Iterator[bytes]:
    with os.fdopen(terminal, "rb", buffering=0) as file, contextlib.suppress(OSError):
        while part := file.read(1 << 16):
            yield part


@pytest.mark.slow
def test_a_screen_of_80_columns_that_leaves_the_terminal_as_it_was(aside: Aside, tmp_path: Path) -> None:
    served = aside(serve(SMALL))
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    words = (
        f"crawl http://a.test/ --topic 'wolf spiders' --via 127.0.0.1:{served.port} --delay 30 --out {tmp_path / 'run'}"
    )
    with child(words, stdin=end, stdout=end, stderr=end) as crawl:
        os.close(end)
        shown = read_until(terminal, rb"waiting for hosts to rest: next at \d\d:\d\d:\d\d; 1 visit waiting")
        crawl.send_signal(signal.SIGINT)
        shown += b"".join(rest_of(terminal))
    assert crawl.returncode == 130
    assert b"\x1b[?25l" in shown and shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert max(len(line) for line in re.split(r"[\r\n]+", plain)) <= 81
    assert "harvest rate" in plain and "Waiting for visits in flight; Ctrl-C again" in plain
    assert f"wolfspider resume {tmp_path / 'run'}" in plain.replace("\r\n", "")
    assert b"\x1b]0" not in shown and "\u202e" not in plain


def test_colours_are_left_out_where_nobody_wants_them(aside: Aside, tmp_path: Path) -> None:
    served = aside(serve(SMALL))
    terminal, end = os.openpty()
    words = f"{start_of(served, 'http://a.test/', tmp_path)} {HASTY}"
    call = [sys.executable, "-m", "wolfspider", *shlex.split(words)]
    with subprocess.Popen(call, stderr=end, env={**os.environ, "NO_COLOR": "1"}) as process:
        os.close(end)
        shown = b"".join(rest_of(terminal))
    assert process.returncode == 0 and not re.search(rb"\x1b\[(3|9|4|10)\d(;|m)", shown)


# Trying, and settings


def test_a_dry_run_tells_what_would_happen_and_keeps_nothing(crawl: Run, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("slots = 3\n")
    code, out, err = crawl(f"--pages 5000 --dry-run --config {shlex.quote(str(config))} --preset gentle")
    assert (code, err) == (0, "") and not (tmp_path / "run").exists()
    for line in (
        *("pages = 5000  (command line)", f"slots = 3  ({config})", "per_address = 1  (preset gentle)"),
        *("judge = context  (default)", "1 starting point:", "Nothing was kept."),
    ):
        assert line in out
    assert all(f"  {name} = " in out for name in known())
    assert re.search(r"\d\.\d\d  kept  Good  http://a.test/good", out)
    assert re.search(r"\d\.\d\d  read  Secret", out) and re.search(r"0\.\d\d  read  Bread", out)
    assert "-     disallowed by robots.txt  http://a.test/forbidden" in out
    assert re.search(r"a\.test: \w+: ", out) and "All 5,000 downloads would bring about" in out


def test_a_dry_run_of_a_single_page_tells_of_one(crawl: Run) -> None:
    assert "\nTried 1 page:\n" in crawl("--pages 1 --dry-run")[1]


def test_a_dry_run_as_json(crawl: Run) -> None:
    code, out, _ = crawl("--pages 50 --dry-run --json")
    told = json.loads(out)
    assert code == 0 and told["settings"]["pages"] == {"value": 50, "origin": "command line"}
    assert told["starts"] == ["http://a.test/"] and told["bytes"] > 0 and "a.test" in told["robots"]
    assert {one["url"] for one in told["tried"] if one["kept"]} >= {"http://a.test/", "http://a.test/good"}


def test_the_environment_is_heard_and_a_flag_is_heard_before_it(crawl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_SLOTS", "7")
    monkeypatch.setenv("WOLFSPIDER_PAGES", "9")
    _, out, _ = crawl("--pages 5 --dry-run")
    assert "slots = 7  (environment)" in out and "pages = 5  (command line)" in out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("crawl http://a.test/", 'Say it by --topic "a few keywords"'),
        ("crawl --topic x", "Where shall the crawl start?"),
        ("crawl http://a.test/ --topic x", "Who crawls?"),
        ("crawl http://a.test/ --topic x --contact nobody", "--contact is a mail or web address"),
        ("crawl http://a.test/ --topic x --via nowhere", "--via is HOST:PORT"),
        ("crawl http://a.test/ --topic x --via 127.0.0.1:1 --strategy sharc", "Did you mean 'shark'?"),
        ("crawl http://a.test/ --topic x --via 127.0.0.1:1 --preset corpse", "Did you mean 'corpus'?"),
        ("crawl http://a.test/ --topic x --via 127.0.0.1:1 --slots 0", "slots must be at least 1"),
        ("crawl 'not an address' --topic x --via 127.0.0.1:1", "address"),
    ],
)
def test_a_wrong_crawl_is_one_sentence(run: Run, tmp_path: Path, text: str, says: str) -> None:
    code, out, err = run(text, "--out", tmp_path / "run")
    assert code == 2 and out == "" and says in err and len(err.splitlines()) == 1
    assert not (tmp_path / "run" / "run.json").exists()


def test_a_run_that_nobody_named_a_folder_for_is_found_again() -> None:
    assert folder_for(Settings(topic="Wolf  Spiders!")) == Path("runs/wolf-spiders")
    assert folder_for(Settings(topic="蜘蛛, हिन्दी")) == Path("runs/蜘蛛-हिन्दी")
    assert folder_for(Settings(topic="???")) == Path("runs/run")
    assert folder_for(Settings(like=("https://a.test/wolf?x=1",))) == Path("runs/a-test-wolf-x-1")
    assert folder_for(Settings(like=("page.html",))) == Path("runs/page-html")


@pytest.mark.parametrize("command", ["resume", "export", "explain {} http://a.test/", "steer {} pause"])
def test_what_is_no_run(run: Run, tmp_path: Path, command: str) -> None:
    path = shlex.quote(str(tmp_path))
    code, out, err = run(command.format(path) if "{}" in command else f"{command} {path}")
    assert code == 3 and out == "" and "is not a run" in err


# Explaining


def test_a_page_that_asks_robots_not_to_follow_its_links_is_explained(aside: Aside, run: Run, tmp_path: Path) -> None:
    shy = SmallWeb({"http://a.test/": page("Shy", SPIDERS, head='<meta name="robots" content="nofollow">')}, {})
    words = f"crawl http://a.test/ --topic spiders --via 127.0.0.1:{aside(serve(shy)).port} {HASTY} --out"
    _, _, err = run(words, tmp_path / "run")
    assert "Links marked nofollow are not followed (--nofollow)." in err
    assert "It asks robots not to follow its links." in run("explain", tmp_path / "run", "http://a.test/")[1]


def test_a_page_is_explained(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 100")
    code, out, _ = run("explain", tmp_path / "run", "http://a.test/good")
    assert code == 0 and "It was downloaded, and it is relevant." in out
    for part in (
        *("found on   http://a.test/, by the link “to good”", "worth      ", "outcome    a page, relevant"),
        *("robots     allowed: ", "scope      in: no rule speaks of it", "asked for over the network"),
    ):
        assert part in out
    told = json.loads(run("explain --json", tmp_path / "run", "http://a.test/deep")[1])
    assert told["state"] == "relevant" and told["visits"][0]["outcome"]["score"] == told["page"]["score"]


@pytest.mark.parametrize(
    ("url", "state", "says"),
    [
        ("http://a.test/gone", "failed", "outcome    status (404): its server answered by an error"),
        ("http://a.test/forbidden", "failed", "robots     forbidden: "),
        ("http://a.test/forbidden", "failed", "It was not requested: robots.txt forbids it ("),
        ("http://a.test/forbidden", "failed", ": not asked for."),
        ("http://a.test/old", "relevant", "found at   http://a.test/good"),
        ("http://a.test/secret", "relevant", "export     never"),
        ("a.test/god", "unknown", "  http://a.test/good"),
        ("http://ab.test/good", "unknown", "  http://a.test/good"),
        ("http://a.test/list.zip", "unknown", "scope      out: addresses that end like files are left alone"),
    ],
)
def test_every_fate_is_explained(crawl: Run, run: Run, tmp_path: Path, url: str, state: str, says: str) -> None:
    crawl("--pages 100")
    _, out, _ = run("explain", tmp_path / "run", url)
    assert says in out
    assert json.loads(run("explain --json", tmp_path / "run", url)[1])["state"] == state


def test_a_link_that_waits_is_explained_from_the_last_snapshot(crawl: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    told = why(tmp_path / "run", "http://a.test/good")
    assert told["state"] == "waiting" and told["waiting"]["source"] == "http://a.test/"
    assert told["waiting"]["score"] > 0 and told["waiting"]["anchor"] == "to good"
    assert 1 <= told["waiting"]["place"] <= told["waiting"]["of"]
    assert f", place {told['waiting']['place']} of {told['waiting']['of']}" in "\n".join(explanation.lines(told))


def test_rules_that_came_later_are_explained(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1 --exclude b.test")
    assert why(tmp_path / "run", "http://b.test/")["scope"] == {"allowed": False, "rule": "exclude b.test"}
    run("steer --yes", tmp_path / "run", "exclude", "a.test/evil")
    run("resume --pages 3 --quiet", tmp_path / "run")
    told = why(tmp_path / "run", "http://a.test/evil")
    assert told["scope"]["rule"] == "exclude a.test/evil" and told["state"] == "set aside"
    assert "set aside because it is out of scope" in "\n".join(explanation.lines(told))


# Steering


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("stpo", "Did you mean 'stop'?"),
        ("pause now", "It is `wolfspider steer RUN pause`."),
        ("set", "set NAME=VALUE`."),
        ("set spred=1", "Did you mean 'spread'?"),
        ("set spread=seven", "spread must be a number"),
        ("set spread=1 trust=2", "One at a time"),
        ("limit pgaes=5", "Did you mean 'pages'?"),
        ("limit pages=many", "pages is a whole number"),
        ("limit pages=1.5", "pages is a whole number"),
        ("limit delay=nan", "delay is a number"),
        ("set spread=99", "spread must be at most 5, not 99."),
        ("limit pages=-5", "pages must be at least 0, not -5."),
        ("limit slots=0", "slots must be at least 1, not 0."),
        ("limit chance=0.5", "chance must be at most 0.2, not 0.5."),
        ("limit until=90", "Did you mean 90%?"),
        ("seeds ftp://a.test/", "ftp"),
        (
            "seeds nonsense",
            "'nonsense' is no address, which looks like https://example.org/. Starting points are given",
        ),
        ("seeds wolf spiders", "words to look for by `wolfspider steer RUN topic WORDS`."),
        ("label http://a.test/", "label URL up or label URL down"),
        ("label http://a.test/ sideways", "label URL up or label URL down"),
        ("exclude ' '", "A rule is a host"),
        ("topic", "topic WORDS`."),
    ],
)
def test_what_cannot_be_steered_is_said_before_anything_is_written(
    crawl: Run, run: Run, tmp_path: Path, words: str, says: str
) -> None:
    crawl("--pages 1")
    code, out, err = run(f"steer {shlex.quote(str(tmp_path / 'run'))} {words}")
    assert code == 2 and out == "" and says in err and len(err.splitlines()) == 1
    assert commands_of(tmp_path / "run") == 0


def test_a_run_that_nobody_owns_obeys_when_it_goes_on(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    code, out, _ = run("steer", tmp_path / "run", "limit", "pages=3")
    assert code == 0 and "Nobody runs it at the moment. It obeys when it is resumed: wolfspider resume" in out
    told = json.loads(run("steer --yes --json", tmp_path / "run", "exclude", "a.test/evil")[1])
    assert told == {
        "number": 2,
        "command": "exclude",
        "rule": "a.test/evil",
        "obeyed": None,
        "old": None,
        "problem": "",
    }
    _, _, err = run("resume", tmp_path / "run")
    assert "The budget is spent: 3 downloads." in err


def test_steering_below_the_floor_tells_of_it(crawl: Run, run: Run, tmp_path: Path) -> None:
    """The other crawl would go to the web; it has not begun, so nobody is asked."""
    crawl("--pages 1")
    assert "public" not in run("steer", tmp_path / "run", "limit", "delay=0")[1]
    settings = Settings(urls=("http://example.org/",), topic="x", contact="me@example.org")
    create(tmp_path / "far", {"settings": settings.to_json()}, info={}).close()
    told = "Hosts at public addresses rest for 0.25 s between two requests, though the delay is 0 s."
    assert told in run("steer", tmp_path / "far", "limit", "delay=0")[1]
    assert "public" not in run("steer", tmp_path / "far", "limit", "delay=3")[1]


def test_whatever_is_said_to_a_run_that_nobody_runs_is_obeyed_when_it_is_resumed(
    crawl: Run, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_commands, "LONGEST", 60.0)  # all of them in one turn, before anything goes out
    crawl("--pages 1")
    said = [
        "limit pages=4",
        "seeds http://b.test/rolls",
        "label http://a.test/ up",
        "topic bread",
        "--yes exclude a.test",
    ]
    for words in said:
        code, out, _ = run(f"steer {shlex.quote(str(tmp_path / 'run'))} {words}")
        assert code == 0 and "It obeys when it is resumed" in out
    _, _, err = run("resume", tmp_path / "run")
    obeyed = [data for _, _, data in RunView(tmp_path / "run").events("Obeyed")]
    assert [data["command"]["kind"] for data in obeyed] == ["SetLimit", "AddSeeds", "Label", "SetTopic", "Exclude"]
    assert not any(data["problem"] for data in obeyed)
    assert {row.host for row in RunView(tmp_path / "run").pages()} == {"a.test", "b.test"}
    assert "All links that are left are excluded, after 3 downloads." in err


SAYS = "8 of the 9 links that waited at the last snapshot match, at a.test (8). They are set aside until"


def test_an_exclusion_says_what_it_would_set_aside(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    folder = tmp_path / "run"
    none = "None of the 9 links that waited at the last snapshot match; links found later that match are not followed."
    assert run("steer --yes", folder, "exclude", "nobody.test")[1].startswith(f"{none} Nobody runs it")
    assert run("steer --yes", folder, "exclude", "a.test")[1].startswith(SAYS)
    one = (
        "1 of the 9 links that waited at the last snapshot matches, at b.test (1). It is set aside until it is included"
    )
    assert run("steer --yes", folder, "exclude", "b.test")[1].startswith(one)
    assert "match, at a.test (8), b.test (1)." in run("steer --yes", folder, "exclude", "*")[1]


@pytest.mark.parametrize(
    ("words", "says"), [("exclude a.test", SAYS), ("finish", "Once finished, the run fetches nothing more")]
)
def test_where_nobody_can_be_asked_nothing_is_taken_away_without_yes(
    crawl: Run, run: Run, tmp_path: Path, words: str, says: str
) -> None:
    crawl("--pages 1")
    code, out, err = run(f"steer {shlex.quote(str(tmp_path / 'run'))} {words}")
    assert (code, out) == (2, "") and says in err and "say --yes" in err and len(err.splitlines()) == 1
    assert commands_of(tmp_path / "run") == 0
    assert run(f"steer --yes {shlex.quote(str(tmp_path / 'run'))} {words}")[0] == 0
    assert commands_of(tmp_path / "run") == 1


def commands_of(folder: Path) -> int:
    """How many were sent."""
    if not (folder / "inbox.db").exists():
        return 0
    with contextlib.closing(sqlite3.connect(folder / "inbox.db")) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM commands").fetchone()[0])


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"YES\n", 0), (b"n\n", 1), (b"\n", 1), (b"\x04", 1)])
def test_at_a_terminal_the_person_is_asked(crawl: Run, tmp_path: Path, answer: bytes, code: int) -> None:
    crawl("--pages 1")
    terminal, end = os.openpty()
    words = f"steer {shlex.quote(str(tmp_path / 'run'))} exclude a.test"
    with child(words, stdin=end, stdout=subprocess.PIPE, stderr=end) as asked:
        os.close(end)
        shown = read_until(terminal, rb"Continue\? \[y/N\] ")
        os.write(terminal, answer)
        shown += b"".join(rest_of(terminal))
        assert asked.stdout
        said = asked.stdout.read()
    assert asked.returncode == code and SAYS.encode() in shown.replace(b"\r\n", b" ")
    assert commands_of(tmp_path / "run") == (code == 0)
    assert said.startswith("Nobody runs it") if code == 0 else b"Nothing was changed." in shown and not said


def test_a_run_without_links_is_told_only_what_it_will_obey(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 100 --exclude b.test/rolls")
    folder = tmp_path / "run"
    for words in ("finish", "limit pages=500", "exclude b.test"):
        code, out, err = run(f"steer --yes {shlex.quote(str(folder))} {words}")
        assert (code, out) == (2, "") and "has ended (no link was left to follow)" in err
        assert "seeds" in err and f"--learned-from {folder}" in err
    assert commands_of(folder) == 0
    before = RunView(folder).summary().downloads
    for words in ("label http://a.test/ down", "include b.test/rolls", "seeds http://b.test/rolls"):
        code, out, _ = run(f"steer {shlex.quote(str(folder))} {words}")
        assert code == 0 and "It obeys when it is resumed" in out
    run("resume --quiet", folder)
    obeyed = [data for _, _, data in RunView(folder).events("Obeyed")]
    assert len(obeyed) == 3 and not any(data["problem"] for data in obeyed)
    assert RunView(folder).summary().downloads == before + 1
    page = RunView(folder).page("http://a.test/")
    assert page is not None and page.relevant is False


def test_a_finished_run_takes_labels_and_nothing_else(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    folder = tmp_path / "run"
    run("steer --yes", folder, "finish")
    run("resume --quiet", folder)
    for words in ("limit pages=500", "seeds http://b.test/"):
        code, _, err = run(f"steer {shlex.quote(str(folder))} {words}")
        assert code == 2 and "has ended (a person finished it)" in err
    assert run("steer", folder, "label", "http://a.test/", "down")[0] == 0
    run("resume --quiet", folder)
    page = RunView(folder).page("http://a.test/")
    assert page is not None and page.relevant is False
    code, _, err = run("resume --pages 500", folder)
    assert code == 0 and "A person finished the run after 1 download: it fetches nothing more." in err
    assert "wolfspider resume" not in err and RunView(folder).summary().downloads == 1


@pytest.mark.parametrize("verb", ["pause", "stop"])
def test_what_nobody_runs_is_neither_paused_nor_stopped(crawl: Run, run: Run, tmp_path: Path, verb: str) -> None:
    crawl("--pages 1")
    code, out, err = run("steer", tmp_path / "run", verb)
    assert (code, out, err) == (2, "", f"wolfspider: Nobody runs it, so there is nothing to {verb}.\n")
    assert commands_of(tmp_path / "run") == 0


def test_a_resumed_run_tells_of_every_command_it_obeys(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    folder = tmp_path / "run"
    append_command(folder, events.Pause(), "somebody")  # as one that came while the run ended
    for words in ("limit pages=9", "resume", "exclude b.test", "topic bread, salt", "seeds http://b.test/"):
        run(f"steer --yes {shlex.quote(str(folder))} {words}")
    told = [line for line in run("resume", folder)[2].splitlines() if "beyed: " in line]
    assert told == [
        *("Obeyed: pause", "Obeyed: limit pages=9 (was 1)", "Obeyed: resume", "Obeyed: exclude b.test"),
        "Obeyed: topic bread, salt (was wolf spiders)",
        "Not obeyed: seeds http://b.test/: http://b.test/ is out of the crawl's scope; include it first.",
    ]
    run("steer", folder, "limit", "pages=10")
    assert run("resume --json", folder)[2].count("beyed: ") == 0
    run("steer", folder, "limit", "pages=11")
    assert run("resume --quiet", folder)[2] == ""


def test_an_option_that_is_given_counts_though_it_is_the_default(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    run("steer", tmp_path / "run", "limit", "slots=4")
    run("steer", tmp_path / "run", "limit", "until=90%")
    assert "limit slots=16" not in crawl("--pages 1")[2], "nobody gave it"
    told = crawl("--pages 1 --slots 16 --until never")[2]
    assert "Obeyed: limit slots=16 (was 4)" in told and "Obeyed: limit until=" in told


def test_the_same_command_leaves_alone_what_was_changed_since_and_says_so(crawl: Run, run: Run, tmp_path: Path) -> None:
    """A machine that gives it again after each crash does not undo what a person did meanwhile."""
    crawl("--pages 1")
    run("resume --pages 2", tmp_path / "run")
    told = crawl("--pages 1")[2]
    assert (
        "pages stays 2: it was changed since the run was begun with 1. Change it back by: wolfspider resume " in told
        and "beyed: " not in told
    )
    assert "Obeyed: limit pages=1 (was 2)" in run("resume --pages 1", tmp_path / "run")[2]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (events.SetParam("gamma", 0.4), "set gamma=0.4"),
        (events.AddSeeds(tuple(f"http://a.test/{n}" for n in range(5))), "and 2 more"),
        (events.Label("http://a.test/", False), "label http://a.test/ down"),
        (events.Include("a.test"), "include a.test"),
        (events.Finish(), "finish"),
    ],
)
def test_what_was_obeyed_is_told_in_the_words_it_was_said_in(command: events.Command, says: str) -> None:
    told = told_of(events.Obeyed(0.0, command))
    assert told.startswith("Obeyed: ") and told.endswith(says)


def test_a_label_of_a_page_that_has_not_come_says_that_it_waits_for_it(crawl: Run, run: Run, tmp_path: Path) -> None:
    crawl("--pages 1")
    waits = "The run has not downloaded it: the label counts when the page comes."
    assert waits in run("steer", tmp_path / "run", "label", "http://a.test/good", "up")[1]
    assert waits not in run("steer", tmp_path / "run", "label", "http://a.test/", "up")[1]


def test_where_there_is_no_snapshot_an_exclusion_says_so_in_plain_words(run: Run, tmp_path: Path) -> None:
    settings = Settings(urls=("http://example.org/",), topic="x", contact="me@example.org")
    create(tmp_path / "new", {"settings": settings.to_json()}, info={}).close()
    says = "How many links match is not known yet, in the first minute of a run; those that match are set aside"
    assert run("steer --yes", tmp_path / "new", "exclude", "a.test")[1].startswith(says)


@pytest.mark.parametrize("words", ["steer {} label http://a.test/good up", "status {}", "steer {} exclude a.test"])
def test_a_terminal_gets_lines_broken_between_words(
    crawl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    crawl("--pages 1")
    terminal, end = os.openpty()
    monkeypatch.setenv("COLUMNS", "60")
    (tmp_path / "r").symlink_to(tmp_path / "run")
    with child(words.format("r"), stdin=end, stdout=end, stderr=end, cwd=tmp_path) as told:
        os.close(end)
        os.write(terminal, b"n\n")  # read by the one that asks
        shown = b"".join(rest_of(terminal))
    lines = shown.decode().split("\r\n")
    assert len(lines) > 2 and all(len(line) <= 60 for line in lines) and told.returncode in (0, 1)
    whole = " ".join(lines).split()
    assert {"label", "waited", "downloads);"} & set(whole) and not {"snaps", "hot", "downlo", "resum"} & set(whole)


@contextlib.contextmanager
def owned(folder: Path) -> Iterator[None]:
    lock = Lock(Places.of(folder).lock)
    try:
        yield
    finally:
        lock.release()


def test_who_speaks_to_a_run_that_ends_at_that_moment_is_told_what_became_of_it(
    crawl: Run, run: Run, tmp_path: Path
) -> None:
    """Its process has said how it ended, and is still closing the run."""
    crawl("--pages 1")
    with owned(tmp_path / "run"):
        code, out, _ = run("steer --wait 0", tmp_path / "run", "limit", "pages=100")
        assert code == 0 and "It obeys when it is resumed" in out
    run("resume --quiet", tmp_path / "run")
    assert RunView(tmp_path / "run").ended == "done"
    with owned(tmp_path / "run"):
        code, _, err = run("steer --wait 0", tmp_path / "run", "limit", "pages=200")
        assert code == 2 and "has ended (no link" in err
        told = json.loads(run("steer --wait 0 --json", tmp_path / "run", "limit", "pages=200")[1])
        assert told["obeyed"] is False and "has ended (no link" in told["problem"]


def test_a_crawl_with_everything_excluded_ends_and_goes_on_when_that_is_taken_back(
    aside: Aside, run: Run, tmp_path: Path
) -> None:
    served, folder = aside(serve(MANY, manner=Manner(latency=0.1))), tmp_path / "run"
    with running(served, folder) as crawl:
        assert "Excluded: *" in run("steer --yes", folder, "exclude", "*")[1]
        assert crawl.wait(TIME) == CODES["excluded"]
    before = RunView(folder).summary()
    assert before.ended == "excluded" and before.downloads < 200
    assert run("resume --quiet", folder)[0] == CODES["excluded"]
    assert "It obeys when it is resumed" in run("steer", folder, "include", "*")[1]
    assert run("resume --quiet --delay 0", folder)[0] == 0
    after = RunView(folder).summary()
    assert after.ended == "done" and after.pages > before.pages


@contextlib.contextmanager
def running(served: Any, folder: Path, more: str = "") -> Iterator[subprocess.Popen[str]]:
    words = f"crawl http://h0.test/ --topic spiders --via 127.0.0.1:{served.port} {HASTY} --pages 5000 {more}"
    with child(f"{words} --quiet --out {folder}", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as crawl:
        try:
            until(lambda: len(served.log) > 3)
            yield crawl
        finally:
            crawl.kill()
            assert crawl.stderr
            crawl.stderr.close()


def test_a_crawl_is_steered_from_another_terminal(aside: Aside, run: Run, tmp_path: Path) -> None:
    served, folder = aside(serve(MANY, manner=Manner(latency=0.2))), tmp_path / "run"
    with running(served, folder) as crawl:
        assert run("steer", folder, "set", "spread=0.4")[:2] == (0, "spread was 0.0, and is 0.4 now.\n")
        assert run("steer", folder, "limit", "slots=2")[:2] == (0, "slots was 16, and is 2 now.\n")
        said = commands_of(folder)
        assert run("steer", folder, "limit", "pages=-5")[::2] == (2, "wolfspider: pages must be at least 0, not -5.\n")
        assert commands_of(folder) == said, "it is nothing that the crawl has to refuse"
        assert (
            "Wanted was: spiders. Wanted is now: wolves, bears." in run("steer", folder, "topic", "wolves,", "bears")[1]
        )
        assert "counts as good" in run("steer", folder, "label", "http://h0.test/", "up")[1]
        assert run("steer", folder, "label", "nobody.test", "up")[0] == 2
        assert "Excluded: h3.test" in run("steer --yes", folder, "exclude", "h3.test")[1]
        assert run("steer", folder, "seeds", "http://h3.test/")[0] == 2
        included = "Included: h3.test. Links that were set aside by it wait again, if there are any.\n"
        assert run("steer", folder, "include", "h3.test")[1] == included
        assert run("steer", folder, "seeds", "http://h3.test/")[1] == "1 starting point more.\n"
        told = json.loads(run("steer --json", folder, "limit", "delay=0.5")[1])
        assert told["obeyed"] is True and told["old"] == 0.0
        assert "Paused" in run("steer", folder, "pause")[1]
        assert run("explain", folder, "http://h0.test/")[0] == 0
        assert run("export --quiet", folder)[1].count("\n") >= 1
        assert "Going on" in run("steer", folder, "resume")[1]
        assert "Finishing" in run("steer --yes", folder, "finish")[1]
        assert crawl.wait(TIME) == 0


def test_stopped_from_another_terminal(aside: Aside, run: Run, tmp_path: Path) -> None:
    served, folder = aside(serve(MANY, manner=Manner(latency=0.2))), tmp_path / "run"
    with running(served, folder) as crawl:
        assert f"wolfspider resume {folder}" in run("steer", folder, "stop")[1]
        assert crawl.wait(TIME) == 131
    assert run("resume --pages 5 --quiet", folder)[0] == 0


def test_a_crawl_that_does_not_answer_in_time(aside: Aside, run: Run, tmp_path: Path) -> None:
    served, folder = aside(serve(MANY, manner=Manner(latency=0.2))), tmp_path / "run"
    with running(served, folder) as crawl:
        crawl.send_signal(signal.SIGSTOP)
        code, out, err = run("steer --wait 0.3", folder, "pause")
        if code == steering.UNANSWERED:
            assert "has not answered yet" in out
        else:  # it was in the middle of a transaction
            assert code in (2, 8) and "database is locked" in err
        crawl.send_signal(signal.SIGCONT)


def test_another_process_owns_the_run(aside: Aside, run: Run, tmp_path: Path) -> None:
    served, folder = aside(serve(MANY, manner=Manner(latency=0.2))), tmp_path / "run"
    with running(served, folder) as crawl:
        code, _, err = run("resume", folder)
        assert code == 8 and f"in use by process {crawl.pid}" in err


# What is known of the small web


def test_the_small_web_has_what_these_tests_speak_of() -> None:
    assert {"http://a.test/evil", "http://a.test/secret"} <= PAGES.keys()
