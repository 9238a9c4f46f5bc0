from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wolfspider.core.scope
from wolfspider.core import scope
from wolfspider.core.errors import Problem
from wolfspider.core.model import Link, Page
from wolfspider.core.scope import Nofollow, Rule, Scope


@pytest.mark.parametrize(
    ("rule", "url", "matches"),
    [
        ("example.org", "http://example.org/a", True),
        ("example.org", "https://www.example.org:8080/a", True),
        ("example.org", "http://notexample.org/", False),
        ("Example.ORG", "http://example.org/", True),
        ("example.org:8080", "http://example.org:8080/a", True),
        ("example.org:8080", "http://example.org/a", False),
        ("example.org/news", "https://example.org/newsroom", True),
        ("http://example.org/news", "https://example.org/news/1", True),
        ("example.org/news", "http://example.org/old/news", False),
        ("*?print=*", "http://a.test/x?print=1", True),
        ("*.test/*.cgi", "http://a.test/x.cgi?y", False),
        ("*.test/*.cgi", "http://a.test/x.cgi", True),
        ("*.example.org", "https://www.example.org/a", True),
        ("*.example.org", "https://www.example.org:8080/a", True),
        ("*.example.org", "https://example.org/a", False),
        ("*.example.org", "https://www.example.com/a", False),
        ("*.example.org:8080", "https://www.example.org:8080/a", True),
        ("*.example.org:8080", "https://www.example.org/a", False),
        ("*.pdf", "https://example.org/a.pdf", True),
        ("*.example.org/*?print=*", "https://www.example.org/a?print=1", True),
    ],
)
def test_rules(rule: str, url: str, matches: bool) -> None:
    assert Rule.read(rule).matches(url) is matches


@given(st.text("ab*", min_size=1, max_size=12), st.text("ab", max_size=12))
def test_patterns_match_as_globs_do(pattern: str, text: str) -> None:
    if "*" in pattern:
        assert Rule(pattern).matches(text) == bool(re.match(fnmatch.translate(pattern), text))


def test_a_hostile_pattern_is_quick() -> None:
    assert not Rule("a*" * 900 + "b").matches("a" * 100_000)


def test_the_last_rule_that_matches_decides() -> None:
    scope = Scope(include=("a.test",), exclude=("a.test/old",))
    assert scope.allows("http://a.test/new") and not scope.allows("http://a.test/old/1")
    assert not scope.allows("http://b.test/")
    scope.include(Rule.read("a.test/old/kept"))
    assert scope.allows("http://a.test/old/kept/1") and not scope.allows("http://a.test/old/1")
    scope.include(Rule.read("a.test/old"))
    assert scope.allows("http://a.test/old/1")
    again = Scope()
    again.restore(scope.state())
    assert again.rules == scope.rules and not again.allows("http://b.test/")


def test_the_examples_of_the_head_are_those_of_the_command_line() -> None:
    examples = re.findall(r"^    (\S+)  ", wolfspider.core.scope.__doc__ or "", re.MULTILINE)
    docs = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert len(examples) == 3 and all(f"| `{example}` |" in docs for example in examples)


def test_an_empty_rule_is_refused() -> None:
    with pytest.raises(Problem, match="A rule is a host"):
        Rule.read("http://")


LINKS = tuple(
    Link(f"http://a.test/{number}", rel=rel) for number, rel in enumerate(("", "nofollow", "ugc", "noopener"))
)
MARKED = (*LINKS, Link("http://a.test/4", rel="external sponsored"), Link("http://a.test/5", rel="nofollower"))


@pytest.mark.parametrize(
    ("policy", "asks", "followed"),
    [
        (Nofollow.OBEY, (), [0, 3, 5]),
        (Nofollow.OBEY, ("noindex",), [0, 3, 5]),
        (Nofollow.OBEY, ("nofollow",), []),
        (Nofollow.PAGES, (), [0, 1, 2, 3, 4, 5]),
        (Nofollow.PAGES, ("nofollow", "noindex"), []),
        (Nofollow.IGNORE, ("nofollow",), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_an_author_says_which_links_to_follow_and_the_policy_which_wishes_count(
    policy: Nofollow, asks: tuple[str, ...], followed: list[int]
) -> None:
    page = Page("http://a.test/", "http://a.test/", links=MARKED, robots=asks)
    assert [MARKED.index(link) for link in Scope(nofollow=policy).cut(page).links] == followed


def test_a_page_that_loses_no_link_stays_the_same_object() -> None:
    page = Page("http://a.test/", "http://a.test/", links=(Link("http://a.test/1", rel="noopener"),))
    assert Scope().cut(page) is page
    assert Scope(exclude=("a.test/1",)).cut(page).links == ()


URLS = [
    f"http{s}://{host}{rest}"
    for s in ("", "s")
    for host in ("a.test", "b.a.test:8080", "c.test")
    for rest in ("/", "/x/y")
]
RULES = ["a.test", "b.a.test", "a.test:8080", "b.a.test:8080", "c.test/x", "*.test", "*/y", "test"]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(RULES))), st.sampled_from([(), ("a.test",), ("*.test/x",)]))
def test_what_is_remembered_is_what_the_last_rule_says(said: list[tuple[bool, str]], include: tuple[str, ...]) -> None:
    scope = Scope(include, within=lambda url: not url.startswith("https://c.test"))
    for allowed, text in [(True, "nobody.test"), *said]:
        (scope.include if allowed else scope.exclude)(Rule.read(text))
        for url in URLS:
            last = [kept for kept, rule in scope.rules if rule.matches(url)][-1:] or [scope.open]
            assert scope.allows(url) == (last[0] and not url.startswith("https://c.test")), url
        page = Page("http://p.test/", "http://p.test/", links=tuple(map(Link, URLS)))
        assert [link.url for link in scope.cut(page).links] == list(filter(scope.allows, URLS))


def test_what_is_remembered_is_bounded_whatever_the_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "REMEMBERED", 10)
    rules = Scope(exclude=("b.test",))
    for number in range(200):
        path = "x" * (scope.LONGEST if number % 2 else 1)
        assert rules.allows(f"http://h{number}.test/{path}") and not rules.allows(f"http://b.test/{number}{path}")
        assert len(rules._known) <= 10 and len(rules._hosts or ()) <= 10
        assert max(map(len, rules._known), default=0) <= scope.LONGEST
