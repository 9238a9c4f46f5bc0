"""No markup takes more memory than it may, however few bytes it has; in a process of its own, and never a crash."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable

import pytest

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page.html import MOST_TREE, parse
from wolfspider.web.page.markup_tree import tree_of, tree_within

NAMES = [f"{a}{b}" for a in "abcdefg" for b in "abcdefghijklmnopqrstuvwxyz"]
BOMBS: dict[str, Callable[[], str]] = {
    "elements that each paragraph opens again": lambda: "".join(f"<b id={n}>" for n in range(1500)) + "<p>x" * 5000,
    "a link with attributes that each paragraph opens again": lambda: f"<a {' '.join(NAMES)}>" + "<p>x" * 15_000,
    "elements with long attributes": lambda: "".join(f"<b id={'v' * 500}{n}>" for n in range(150)) + "<p>x" * 5000,
}
ONE = """
import re, sys
from pathlib import Path
from tests.web.test_markup_tree import BOMBS, page_of

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

page_of("wolf " * 1000)
before = peak()
print(page_of(BOMBS[sys.argv[1]]())[0], (peak() - before) // 1000000)
"""


def page_of(markup: str, bounded: bool = True) -> Page | Failure:
    body = f"<html lang=en><body><p>{markup}".encode()
    return parse(Fetch("http://a/", "http://a/", 200, {"content-type": "text/html"}, body), bounded)


@pytest.mark.parametrize("bomb", BOMBS)
def test_markup_that_takes_too_much_memory_is_a_trap(bomb: str) -> None:
    done = subprocess.run([sys.executable, "-c", ONE, bomb], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    kind, megabytes = done.stdout.split()
    assert kind == "trap" and int(megabytes) < 2 * MOST_TREE / 1e6 + 50, done.stdout


@pytest.mark.parametrize("most", [0, 1, 10_000, 300_000, 1_000_000, 3_000_000, 8_000_000, 20_000_000])
def test_wherever_the_memory_ends_there_is_a_tree_or_none_and_the_limit_is_as_before(most: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    for bomb in BOMBS.values():
        tree_within(bomb()[:60_000], most)
        assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert tree_of("<p>wolf").text() == "wolf"


def test_ordinary_and_large_pages_are_no_traps() -> None:
    links = "".join(f"<p>wolf <a class='a b' href=/p{n}>spider {n}</a>" for n in range(6_000))
    for markup in ("wolf", links, "wolf spider " * 200_000, "<div><b><i>wolf</i></b></div>" * 4_000):
        page = page_of(markup)
        assert isinstance(page, Page) and page == page_of(markup, bounded=False)
