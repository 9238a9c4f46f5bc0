"""Simulated users walk from the starts, see each page once, and what they like is what the judge likes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wolfspider.core import codec
from wolfspider.core.model import Failure, Link, Outcome, Page, Verdict, Visit
from wolfspider.policy.browsing import MOST_LINKS, MOST_WORDS, Browsing, Near, bag_of
from wolfspider.policy.room import Room


def address(number: int) -> str:
    return f"http://h{number % 3}.test/{number}"


def page(number: int, links: Sequence[int], words: str = "wolf") -> Page:
    shown = tuple(Link(address(other), anchor=f"page {other}") for other in links)
    return Page(address(number), address(number), words=tuple(words.split()), links=shown)


def near(text: str) -> float:
    return 0.0


class User:
    """Answers visits at once from a small web of numbered pages."""

    def __init__(self, web: dict[int, list[int]], good: set[int], seed: int = 0, **given: int) -> None:
        self.web, self.good, self.rng = web, good, Random(seed)
        self.browsing = Browsing([Link(address(0))], **{"pages": 100, "users": 2, **given})
        self.asked: list[str] = []
        self.room = Room()

    def visit(self, link: Link) -> Visit:
        self.asked.append(link.url)
        return Visit(len(self.asked), link, "train")

    def outcome(self, visit: Visit) -> Outcome:
        number = int(visit.link.url.rpartition("/")[2])
        if number not in self.web:
            return Outcome(visit, Failure("status", "404"), None, 1, 0.1, 0.0, False)
        verdict = Verdict(1.0 if number in self.good else 0.0, number in self.good)
        return Outcome(visit, page(number, self.web[number]), verdict, 1, 0.1, 0.0, False)

    def turn(self, near: Near = near) -> None:
        """Let them go, and come back."""
        self.room.open(0.0, 5, lambda url, fresh: "out", 0.0)
        visits = self.browsing.give(self.room, self.rng, near, self.visit)
        self.room.settle(visits)
        for visit in visits:
            assert self.browsing.landed(self.outcome(visit))
            self.room.release(visit.link.host, None)

    def browse(self) -> Browsing:
        for _ in range(1000):
            if self.browsing.done:
                return self.browsing
            self.turn()
        raise AssertionError("it never ends")


TREE = {0: [1, 2, 9], 1: [3, 4], 2: [5], 3: [], 4: [0], 5: [2]}


def test_all_that_links_reach_is_seen_once_and_then_it_is_done() -> None:
    user = User(TREE, {3})
    found = user.browse()
    assert sorted(user.asked) == sorted(address(number) for number in (*TREE, 9))
    assert set(found.pages) == {address(number) for number in TREE}
    assert found.targets == [address(3)] and found.wake() is None


def test_sessions_begin_at_the_starts() -> None:
    found = User(TREE, set()).browse()
    assert set(found.sessions) == {address(0)} and found.pages[address(0)].start
    assert not any(seen.start for url, seen in found.pages.items() if url != address(0))


@pytest.mark.parametrize("pages", [1, 3])
def test_it_sees_no_more_than_was_wanted(pages: int) -> None:
    user = User(TREE, set(), pages=pages)
    user.browse()
    assert len(user.asked) == pages


def test_a_link_that_promises_something_is_followed_sooner() -> None:
    web = {0: list(range(1, 41))} | {number: [] for number in range(1, 41)}
    firsts = []
    for seed in range(40):
        user = User(web, set(), seed=seed, pages=2, users=1)
        for _ in range(2):
            user.turn(lambda text: float(text == "page 7"))
        firsts.append(user.asked[1])
    assert firsts.count(address(7)) > 10


def test_labels_set_pages_right_whoever_saw_them() -> None:
    found = User(TREE, {3}).browse()
    found.mark(page(3, []), good=False)
    found.mark(page(77, [1]), good=True)
    assert found.targets == [address(77)]


def test_what_is_kept_of_a_page_is_bounded_by_its_most_frequent_words() -> None:
    rare = " ".join(f"w{number}" for number in range(2 * MOST_WORDS))
    large = page(0, list(range(3 * MOST_LINKS)), f"{rare} wolf wolf")
    assert len(bag_of(large)) == MOST_WORDS and bag_of(large)["wolf"] == 2
    user = User({}, set())
    user.browsing.mark(large, good=True)
    assert len(user.browsing.pages[address(0)].links) == MOST_LINKS


def test_nobody_goes_where_it_is_out_of_scope_until_that_is_taken_back() -> None:
    user = User(TREE, set())
    user.turn()
    user.room.allows = lambda url: "h1.test" not in url
    for _ in range(4):
        user.turn()
    assert user.asked and not any("h1.test" in url for url in user.asked)
    user = User(TREE, set())
    user.turn()
    user.room.allows = lambda url: url == address(2)
    user.turn()
    user.room.allows = lambda url: True
    user.browse()
    assert set(user.asked) >= {address(number) for number in TREE}


@given(
    some.dictionaries(some.integers(0, 12), some.lists(some.integers(0, 15), max_size=5), max_size=12),
    some.integers(1, 4),
    some.integers(0, 9),
    some.integers(0, 5),
)
def test_stored_and_restored_it_goes_on_as_it_would_have(
    web: dict[int, list[int]], users: int, seed: int, stop: int
) -> None:
    whole, parted = (User(web, {1, 2}, seed, users=users) for _ in range(2))
    whole.browse()
    for _ in range(stop):
        parted.turn()
    parted.browsing = codec.load(*codec.store(parted.browsing))
    assert parted.browse().pages == whole.browsing.pages
    assert parted.asked == whole.asked
