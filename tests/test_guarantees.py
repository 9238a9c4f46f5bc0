"""What docs/guarantees.md promises has its tests, and what cannot be seen in a crawl is looked for in the source."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from source_facts import all_facts, facts_of

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "wolfspider"
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")

HAZARDS = (  # each has a line of its own, which begins so
    "A watch for months",
    "A stranger at the dashboard",
    "A dashboard that dies",
    "A click by mistake",
    "Numbers in the browser",
    "Titles, addresses and errors written to run",
    "The plot library is not ours",
    "The dashboard is killed",
    "A crawl is killed while someone watches",
    "Numbers on the screen that differ",
    "A rule that takes away more",
    "Plots that are slow to load",
    "A small screen",
    "The process is killed",
    "A long crawl is killed",
    "A watch is killed",
    "A watch goes on for months",
    "The power fails",
    "A default of a strategy changes",
    "The disk is full",
    "A call of the system fails",
    "The folder is read-only, or vanishes",
    "The page limit is lowered",
    "Two processes want one run",
    "Ctrl-C, SIGTERM, twice",
    "A run of another version",
    "The clock jumps, the machine sleeps",
    "Too few file handles, threads, memory; a busy event loop",
    "A hand, a process that downloads and reads pages",
    "A worker of a [cluster](cluster.md)",
    "A server answers slowly, drop by drop, or never",
    "A body without end, a wrong length, a lost connection",
    "A bomb",
    "Answers that are not HTTP, giant headers",
    "Redirects",
    "TLS",
    "The best links are at a host that is dead, slow, in trouble or asks for long rests",
    "A name cannot be looked up",
    "A thousand names at one address, names without end",
    "Dates and tags that are absurd",
    "robots.txt: missing, in trouble, redirected, garbage, too long, a bomb",
    "Pages and links that say `nofollow`",
    "robots.txt changes during a crawl",
    "A delay that is too short",
    "Hosts in trouble while others are well",
    '"Later": 429, 503, any Retry-After',
    "Addresses of private networks",
    "A name that points to a public address first and to a private one later",
    "Other schemes",
    "Malformed addresses",
    "Line breaks smuggled into a request",
    "Cookies, authorization",
    "Passwords in addresses",
    "Malformed, deep, huge or lying pages",
    "Sitemaps and feeds",
    "JSON that is deep or huge",
    "Inputs that nobody thought of",
    "Escapes for terminals, line breaks in titles",
    "Names that lead elsewhere",
    "A page that makes the search for its main text slow",
    "Titles and texts that are markup, paths or images",
    "Addresses without end",
    "Part of the budget is to show what chance would have found",
    "A host, a registered domain or the whole crawl takes more",
    "Screen, `status`, `report` and export tell different numbers",
    "A killed run says other things of what is left",
    "Formulas in exported tables",
    "A damaged run",
    "The repair of a damaged run",
    "Somebody asks for a page to be removed",
    "A run that was ended by an error",
    "A lock file that is removed or replaced",
    "An export that is killed",
    "A tampered run",
    "Commands from another process",
    "Requisites of pages",
    "An agent that is misled by a page",
    "A service that labels pages (`--teacher`)",
    "Excluded by mistake",
    "A command to a run that is over, or about to end",
    "Rules that would take for ever",
    "An archive that other tools read",
    "Secrets",
    "Libraries with known holes",
    "A page counted twice, or one that no export has",
    "An estimate of the time left that stands still",
    "Visits that wait shown as visits in flight",
    "Gauges that fill the disk, or get into the journal",
    "A strategy or a judge of your own that prints, fails, never ends or has changed",
)


def rows() -> list[list[str]]:
    """The lines of every table, heads apart."""
    lines = re.findall(r"^\| (.*) \|$", PAGE, re.MULTILINE)
    return [line.split(" | ") for line in lines if not line.startswith(("hazard", "command", "| promise"))]


def named_in(cell: str) -> list[str]:
    return re.findall(r"`([\w/]+\.py::\w+)`", cell)


@pytest.mark.parametrize("hazard", HAZARDS)
def test_every_hazard_has_a_line_and_every_line_its_tests(hazard: str) -> None:
    (row,) = [row for row in rows() if row[0].startswith(hazard)]
    assert len(row) == 3 and row[1] and named_in(row[2])


def test_every_line_is_of_a_hazard_that_is_listed_here() -> None:
    begins = PAGE.index("## Every hazard")
    lines = re.findall(r"^\| (.*?) \|", PAGE[begins:], re.MULTILINE)
    assert [line for line in lines if line != "hazard" and not line.startswith(HAZARDS)] == []


@pytest.mark.parametrize("number", range(1, 8))
def test_every_promise_has_its_mechanism_and_its_tests(number: int) -> None:
    (row,) = [row for row in rows() if row[0] == f"G{number}"]
    assert len(row) == 4 and named_in(row[3])


@pytest.mark.parametrize("name", sorted(set(named_in(PAGE))))
def test_every_test_that_is_named_exists(name: str) -> None:
    file, _, test = name.partition("::")
    assert test in facts_of(ROOT / "tests" / file).functions


@pytest.mark.parametrize("program", sorted(set(re.findall(r"`python (benchmarks/\w+\.py)", PAGE))))
def test_every_command_that_measures_exists(program: str) -> None:
    assert (ROOT / program).is_file()


@pytest.mark.parametrize("page", ["guarantees", "benchmarks"])
def test_fail_points_that_no_killed_crawl_reaches_are_counted(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    loop = importlib.import_module("kill_loop")
    kinds = Counter(name.partition("-")[0] for name in loop.UNREACHABLE)
    power, repair, hand = (kinds.pop(kind) for kind in ("rows", "repair", "hand"))
    assert not kinds
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert f"{len(loop.REACHABLE)} fail-points" in text
    assert f"the others: {power} need a power cut, {repair} are in a repair, {hand} in a hand" in text


# What is looked for in the source

NETWORK = {"aiohttp", "requests", "httpx", "urllib3", "urllib.request", "http.client", "ftplib", "smtplib", "ssl"}
NETWORK |= {"wolfspider.web.http.http_library"}  # from which aiohttp is imported
CONNECTS = {"open_connection", "create_connection", "urlopen", "connect_ex", "getaddrinfo", "create_datagram_endpoint"}
GUARDED = {
    f"web/http/{name}.py"
    for name in ("chat_service", "client", "connections", "guard", "http_library", "lookups", "one_answer", "sending")
}
BETWEEN_PROCESSES = {  # a pair of sockets of our own, connected from the start; and is there a Ray cluster?
    "drivers/hands/hand_wire.py",
    "drivers/cluster/ray_home.py",
}


def test_only_the_guarded_client_can_reach_the_network() -> None:
    files = all_facts(SOURCE).items()
    reaching = {name for name, facts in files if facts.imports & NETWORK or facts.calls & CONNECTS}
    assert reaching <= GUARDED | BETWEEN_PROCESSES
    assert reaching == GUARDED | BETWEEN_PROCESSES, "The check sees nothing."


def test_nothing_is_run_that_was_read() -> None:
    run = {"eval", "exec", "compile", "__import__"}
    assert {name: found for name, facts in all_facts(SOURCE).items() if (found := facts.bare_calls & run)} == {}
