"""What a crawl says of the relevant pages to come: bounds in order, every page once, cheap in memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from wolfspider.core.limits import DRY
from wolfspider.core.model import Failure, Link, Page
from wolfspider.policy.prospects import EVERY, FEWEST, NEXT, SURE, Prospects


def landed(prospects: Prospects, number: int, good: bool, links: int = 0, final: str = "") -> None:
    url = f"http://a.test/{number}"
    shown = tuple(Link(f"http://a.test/{10 * number + place}") for place in range(1, links + 1))
    prospects.landed(Link(url), Page(url, final or url, links=shown), good, 1)


@given(some.lists(some.tuples(some.booleans(), some.integers(0, 5)), min_size=NEXT, max_size=3 * NEXT))
def test_estimates_lie_between_their_bounds_and_no_more_comes_than_is_left(pages: list[tuple[bool, int]]) -> None:
    prospects = Prospects()
    for number, (good, links) in enumerate(pages):
        landed(prospects, number, good, links)
    told = prospects.outlook
    assert told is not None and told.unfound is not None and told.unfound_low is not None
    assert told.unfound_high is not None and prospects.found == sum(good for good, _ in pages)
    assert 0 <= told.coming_low <= told.coming <= told.coming_high <= 100 and told.coming <= told.unfound
    assert 0 <= told.unfound_low <= told.unfound <= told.unfound_high and 0 <= told.lately <= NEXT


def test_no_more_pages_come_than_there_are_downloads() -> None:
    prospects = Prospects()
    for number in range(4 * NEXT):
        landed(prospects, number, good=True, links=50)
    assert prospects.outlook is not None and prospects.outlook.coming_high == NEXT


def test_nothing_is_said_before_there_are_a_hundred_downloads() -> None:
    prospects = Prospects()
    for number in range(NEXT - 1):
        landed(prospects, number, good=True)
    assert prospects.outlook is None and not prospects.enough(DRY) and not prospects.enough(0.01)
    prospects.landed(Link("http://a.test/x"), Failure("timeout", ""), False, 3)
    assert prospects.outlook is not None and prospects.downloads == NEXT + 2, "tries are downloads"


def test_what_came_lately_is_known_at_every_download() -> None:
    prospects = Prospects()
    for number in range(NEXT + EVERY - 1):  # the next look at the links would come with the next download
        assert (prospects.lately is None) is (number < NEXT)
        landed(prospects, number, good=number >= NEXT)
    assert prospects.lately == EVERY - 1 and prospects.outlook is not None and prospects.outlook.lately == 0


def test_a_page_counts_once_however_often_it_is_visited_and_by_what_address() -> None:
    prospects = Prospects()
    for number in range(20):
        landed(prospects, number, good=True, final="http://a.test/same")
    assert prospects.found == 1


def test_a_crawl_that_never_found_anything_is_not_dry_at_its_beginning() -> None:
    prospects = Prospects()
    for number in range(999):
        landed(prospects, number, good=False, links=3)
        assert not prospects.enough(DRY) and not prospects.enough(0.5)
    for number in range(999, 1_100):
        landed(prospects, number, good=False, links=3)
    assert prospects.enough(DRY)


def test_how_long_it_still_waits_is_counted_down_and_begins_anew_when_it_was_wrong() -> None:
    prospects = Prospects()
    for number in range(NEXT):
        assert prospects.enough_in(0.9) is None, "too little is known"
        landed(prospects, number, good=True)
    assert prospects.enough_in(0.0) is None
    for waits in range(EVERY * (SURE - 1), 0, -1):
        assert prospects.enough_in(0.9) == waits and not prospects.enough(0.9)
        landed(prospects, NEXT + EVERY * SURE - waits, good=True)
    assert prospects.enough_in(0.9) == 0 and prospects.enough(0.9)
    for number in range(1_000, 1_000 + EVERY):
        landed(prospects, number, good=False, links=200)
    assert prospects.enough_in(0.99) is None


def test_a_dry_crawl_ends_400_downloads_after_hardly_anything_came() -> None:
    prospects = Prospects()
    for number in range(150):
        landed(prospects, number, good=True, links=3)
    number = 150
    while not prospects.enough(DRY):
        landed(prospects, number, good=False)
        number += 1
    assert 150 + EVERY * SURE <= number <= 150 + NEXT + EVERY * SURE


def test_it_is_enough_when_several_looks_agree() -> None:
    prospects = Prospects()
    for number in range(NEXT):
        landed(prospects, number, good=True)
    assert prospects.outlook is not None and prospects.outlook.unfound == 0 and not prospects.enough(0.9)
    for number in range(NEXT, NEXT + 25 * (SURE - 1)):
        landed(prospects, number, good=True)
    assert prospects.enough(0.9) and prospects.enough(DRY) and not prospects.enough(0.0)


def test_a_share_of_few_pages_says_nothing_and_is_waited_for_from_the_tenth_on() -> None:
    prospects = Prospects()
    for number in range(1_500):
        landed(prospects, number, good=number < FEWEST - 1)
        assert not prospects.enough(0.01), "by estimate all are found, but nine are few"
    assert prospects.outlook is not None and prospects.outlook.unfound == 0
    assert prospects.lacks(0.9) == 1 and prospects.enough_in(0.9) is None
    assert prospects.lacks(DRY) == prospects.lacks(0.0) == 0 and prospects.enough(DRY)
    landed(prospects, 1_500, good=True)
    assert prospects.lacks(0.9) == 0 and prospects.enough_in(0.9) is None, "the looks before were at a share of fewer"
    for number in range(1_501, 1_501 + EVERY):
        landed(prospects, number, good=False)
    assert EVERY * (SURE - 2) <= (prospects.enough_in(0.9) or 0) <= EVERY * (SURE - 1)
    for number in range(1_600, 1_600 + EVERY * SURE):
        landed(prospects, number, good=False)
    assert prospects.enough(0.9)
