from __future__ import annotations

import pytest

from wolfspider.model import Failure, Fetch
from wolfspider.web.robots import KEPT, LARGEST, LONGEST_DELAY, Robots

RULES = b"User-agent: wolfspider\nDisallow: /private\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"


class Host:
    """Answers for every robots.txt, and counts how often it was asked."""

    def __init__(self, body: bytes = b"", status: int = 200, failure: Failure | None = None) -> None:
        self.body, self.status, self.failure = body, status, failure
        self.asked: list[str] = []

    def look(self, url: str, now: float) -> Fetch:
        self.asked.append(url)
        return Fetch(url, url, self.status, body=self.body, failure=self.failure)


def allowed(host: Host, url: str = "http://a.test/private/x") -> bool:
    return Robots(host.look).allowed(url, 0.0)


def test_rules_are_those_for_us() -> None:
    robots = Robots(Host(RULES).look)
    assert not robots.allowed("http://a.test/private/x", 0.0)
    assert robots.allowed("https://a.test/public", 0.0)
    assert robots.delay("a.test", 0.0) == 7.0


@pytest.mark.parametrize(
    "body", [b"\xef\xbb\xbf" + RULES, RULES.replace(b"\n", b"\r\n"), b"\xff\xfe nonsense\n" + RULES]
)
def test_marks_and_nonsense_are_passed_over(body: bytes) -> None:
    assert not allowed(Host(body))
    assert allowed(Host(body), "http://a.test/public")


def test_what_is_not_there_allows_everything_and_what_is_in_trouble_nothing() -> None:
    assert allowed(Host(RULES, 404, Failure("status", "404")))
    assert not allowed(Host(b"", 503, Failure("status", "503")), "http://a.test/public")
    assert not allowed(Host(b"", 0, Failure("timeout")), "http://a.test/public")
    assert allowed(Host(b""))


def test_a_host_is_asked_once_a_day() -> None:
    host = Host(RULES)
    robots = Robots(host.look)
    for now in (0.0, 5.0, KEPT - 1):
        robots.allowed("http://a.test/1", now)
    robots.allowed("http://b.test/1", KEPT - 1)
    assert host.asked == ["http://a.test/robots.txt", "http://b.test/robots.txt"]
    robots.allowed("http://a.test/1", KEPT)
    assert len(host.asked) == 3


def test_long_files_are_cut_and_long_delays_shortened() -> None:
    late = b"#" * LARGEST + b"\nUser-agent: *\nDisallow: /\n"
    assert allowed(Host(late))
    assert Robots(Host(b"User-agent: *\nCrawl-delay: 86400\n").look).delay("a.test", 0.0) == LONGEST_DELAY
    assert Robots(Host(b"User-agent: *\nCrawl-delay: -5\n").look).delay("a.test", 0.0) >= 0
