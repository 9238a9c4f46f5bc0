"""Searches by a stand-in for SearXNG that speaks its API, and by servers that do not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.searxng import Answers, Plain, Reply, Service, served

from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Fetch
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds import search as module
from wolfspider.web.seeds.gathered import Gathered
from wolfspider.web.seeds.search import query, search
from wolfspider.web.worlds.world import Request


def results(count: int) -> list[dict[str, object]]:
    return [{"url": f"https://example.org/{n}", "title": f"Page {n}", "content": "..."} for n in range(count)]


def ask(answers: Answers, most: int = 100, at: str = "", words: str = "linux kernel") -> Gathered:
    with served(answers) as home:
        return asyncio.run(search(Plain(), home + at, words, most))


def only_problem(found: Gathered) -> str:
    assert found.links == [] and len(found.problems) == 1
    return found.problems[0][1]


def test_results_come_in_order_with_their_titles() -> None:
    service = Service(results(3))
    found = ask(service)
    assert [(link.url, link.anchor, link.rel, link.rank) for link in found.links] == [
        (f"https://example.org/{n}", f"Page {n}", "search", n) for n in range(3)
    ]
    assert found.problems == [] and found.requests == 2  # the second page brought nothing


def test_pages_are_asked_for_until_there_are_enough() -> None:
    service = Service(results(100))
    assert len(ask(service, most=25).links) == 25
    told = [parse_qs(urlsplit(path).query) for path in service.asked]
    assert [page["pageno"] for page in told] == [["1"], ["2"], ["3"]]
    assert all(page["q"] == ["linux kernel"] and page["format"] == ["json"] for page in told)


def test_a_service_that_repeats_itself_is_left() -> None:
    service = Service(results(5))
    service.results = service.results * 100
    found = ask(service)
    assert len(found.links) == 5 and found.requests == 2


def test_pages_are_bounded() -> None:
    found = ask(Service(results(1000), each=1), most=1000)
    assert found.requests == module.MOST_PAGES == len(found.links)


@pytest.mark.parametrize("at", ["", "/", "/search", "/search/", "/search?q=old"])
def test_the_service_is_named_with_or_without_search(at: str) -> None:
    assert len(ask(Service(results(2)), at=at).links) == 2


def test_a_service_may_lie_in_a_folder() -> None:
    assert query("https://example.org/searxng/", "a b").startswith("https://example.org/searxng/search?")


@pytest.mark.parametrize("words", ["C++ & <x>?#%", "größe 日本語", '"exact phrase" site:example.org', "a\tb\n c"])
def test_words_arrive_as_they_were_given(words: str) -> None:
    service = Service(results(1))
    ask(service, words=words)
    assert parse_qs(urlsplit(service.asked[0]).query)["q"] == [" ".join(words.split())]


def test_the_language_is_passed_on() -> None:
    assert "&language=de-DE&" in query("https://example.org", "x", language="de-DE")
    assert "language" not in query("https://example.org", "x")


def test_results_out_of_scope_do_not_count_and_do_not_end_the_search() -> None:
    service = Service([{"url": f"https://other.example/{n}"} for n in range(20)] + results(5))
    with served(service) as home:
        found = asyncio.run(search(Plain(), home, "x", 3, lambda url: "example.org" in url))
    assert [link.url for link in found.links] == [f"https://example.org/{n}" for n in range(3)]


def test_addresses_that_are_none_are_left_out() -> None:
    bad = ["javascript:alert(1)", "file:///etc/passwd", "", 7, None, ["x"], "/relative", "http://"]
    service = Service([{"url": url} for url in bad] + [{}] + [{"url": "https://u:p@example.org/#x", "title": 7}])
    assert [(link.url, link.anchor) for link in ask(service).links] == [("https://example.org/", "")]


def test_json_that_is_not_enabled_is_told_with_its_remedy() -> None:
    told = only_problem(ask(Service(results(3), formats=("html",))))
    assert "add json under search.formats in its settings.yml" in told


def test_a_page_instead_of_json_is_told() -> None:
    told = only_problem(ask(lambda path: Reply(b"\n<!doctype html><title>Welcome</title>")))
    assert told.startswith("It answers with a page, not with JSON")


def test_nobody_there_is_told() -> None:
    with served(Service()) as home:
        pass
    found = asyncio.run(search(Plain(), home, "x", 10))
    assert only_problem(found).startswith("It could not be read: its host could not be reached")


@pytest.mark.parametrize(
    ("status", "told"), [(404, "There is no search here"), (429, "limits how often"), (500, "status 500"), (400, "400")]
)
def test_other_answers_are_told(status: int, told: str) -> None:
    assert told in only_problem(ask(lambda path: Reply(b"{}", "application/json", status)))


def test_no_results_are_told_with_the_engines_that_were_silent() -> None:
    told = only_problem(ask(Service(silent=[["google", "CAPTCHA"], ["brave", "timeout"]])))
    assert told == (
        "It finds nothing for 'linux kernel'. Engines that did not answer: google (CAPTCHA), brave (timeout)."
    )
    assert "Try fewer or other words" in only_problem(ask(Service()))


def test_engines_cannot_write_on_the_terminal() -> None:
    told = only_problem(ask(Service(silent=[["\x1b[2Jgoogle\u202e", "\r\nroot#"]])))
    assert told.isprintable() and "google" in told


class Refusing:
    def __init__(self, kind: str) -> None:
        self.kind = kind

    async def fetch(self, request: Request) -> Fetch:
        return Fetch(request.url, request.url, failure=Failure(self.kind, "403" if self.kind == "status" else ""))


@pytest.mark.parametrize(("kind", "told"), [("blocked", "--allow-private"), ("status", "settings.yml")])
def test_failures_of_the_web_are_told_with_their_remedy(kind: str, told: str) -> None:
    assert told in only_problem(asyncio.run(search(Refusing(kind), "http://localhost:8080", "x", 10)))


@pytest.mark.parametrize("service", ["", "localhost", "file:///x", "javascript:alert(1)"])
def test_a_service_that_is_no_address_is_a_problem(service: str) -> None:
    with pytest.raises(Problem, match="http://localhost:8080"):
        query(service, "x")


def test_nothing_to_search_for_is_a_problem() -> None:
    with pytest.raises(Problem, match="--topic"):
        query("http://localhost:8080", " \n ")


BOMBS: dict[str, Callable[[], bytes]] = {
    "deep": lambda: b'{"results": ' + b"[" * 1_000_000,
    "deep and closed": lambda: b'{"results": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": lambda: b'{"results":' * 300_000,
    "a huge integer": lambda: b'{"results": [' + b"9" * 3_000_000 + b"]}",
    "a huge exponent": lambda: b'{"results": [{"url": 1e999999999}]}',
    "too long": lambda: b'{"results": [' + b"{}," * 4_000_000 + b"{}]}",
    "not an object": lambda: b"[1, 2, 3]",
    "results that are none": lambda: b'{"results": {"url": "https://example.org/"}}',
    "engines that are none": lambda: b'{"results": [], "unresponsive_engines": [1, [], ["a"], {}, [[], {}]]}',
    "half a character": lambda: b'{"results": [{"url": "https://example.org/\\ud800", "title": "\\udc00"}]}',
    "bytes that are no text": lambda: b'{"results": [{"url": "https://example.org/\xff"}]}',
    "UTF-16": lambda: json.dumps({"results": []}).encode("utf-16"),
    "nothing": lambda: b" ",
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_payload_grows(name: str) -> None:
    body = BOMBS[name]()
    assert only_problem(ask(lambda path: Reply(body, "application/json")))


def test_results_of_one_page_are_bounded() -> None:
    assert len(ask(Service(results(5000), each=5000), most=10_000).links) == module.MOST_RESULTS


class Saying:
    def __init__(self, body: bytes) -> None:
        self.body = body

    async def fetch(self, request: Request) -> Fetch:
        return Fetch(request.url, request.url, 200, {}, self.body)


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(("url", "title", "x")), inner),
    max_leaves=20,
)


@given(
    st.binary(max_size=200)
    | st.builds(lambda a, b: json.dumps({"results": a, "unresponsive_engines": b}).encode(), values, values)
)
def test_any_answer_is_survived(body: bytes) -> None:
    found = asyncio.run(search(Saying(body), "http://localhost", "x", 10))
    assert all(canonical(link.url) == link.url for link in found.links)
    assert found.links or found.problems


@given(st.text(max_size=50))
def test_any_words_give_an_address_or_a_problem(words: str) -> None:
    try:
        address = query("http://localhost:8080", words)
    except Problem:
        assert not words.split()
    else:
        assert canonical(address) == address
