"""What keeps a crawl out of traps: rests of patterns, and one spelling for each page."""

from __future__ import annotations

import random
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.core.model import Failure, Link, Page
from wolfspider.core.randomness import generator
from wolfspider.policy import pattern_rests, pits, spellings
from wolfspider.policy.pattern_rests import FREE, TRUSTED, PatternRests
from wolfspider.policy.pits import DULL
from wolfspider.policy.spellings import Spellings
from wolfspider.policy.trap_rules import TrapRules

SAME = 0xABCDEF


def page(url: str, near: int, asked: str = "", links: tuple[str, ...] = ()) -> Page:
    return Page(asked or url, url, words=("word",), near=near, links=tuple(map(Link, links)))


def calendar(rests: PatternRests, count: int, spent: int = 0) -> None:
    for number in range(count):
        rests.at(spent + number)
        rests.land(f"http://a.test/cal/{number}", page(f"http://a.test/cal/{number}", SAME ^ number % 2))


def test_a_pattern_of_near_duplicates_is_asked_less_and_less_and_never_given_up() -> None:
    rests, asked = PatternRests(TrapRules.EDITION), []
    for spent in range(30_000):
        rests.at(spent)
        url = f"http://a.test/cal/{spent}"
        if rests.allows(url):
            rests.land(url, page(url, SAME ^ spent % 2))
            asked.append(spent)
    gaps = [later - earlier for earlier, later in pairwise(asked)]
    assert len(asked) < 20 and asked[-1] > 10_000 and gaps == sorted(gaps)


def test_a_few_duplicates_are_nothing_and_a_page_of_use_ends_a_rest() -> None:
    rests = PatternRests(TrapRules.EDITION)
    calendar(rests, 2)
    assert rests.allows("http://a.test/cal/9"), "the first page was new"
    calendar(rests, 3)
    assert not rests.allows("http://a.test/cal/9")
    rests.land("http://a.test/cal/10", page("http://a.test/cal/10", ~SAME & 0xFFFFFFFF))
    assert rests.allows("http://a.test/cal/9")


def test_other_patterns_of_the_host_are_not_to_blame() -> None:
    rests = PatternRests(TrapRules.EDITION)
    calendar(rests, 50)
    assert not rests.allows("http://a.test/cal/99")
    assert rests.allows("http://a.test/about") and rests.allows("http://b.test/cal/1")


def test_a_host_whose_folders_all_bring_nothing_rests_itself() -> None:
    rests = PatternRests(TrapRules.EDITION)
    for number in range(60):
        url = f"http://mirror.test/{'abcdefghij'[number % 10]}/{'klmnopqrst'[number // 10]}x"
        rests.pages[number + 1] = 7  # it is known from elsewhere
        rests.land(url, page(url, number + 1))
    assert not rests.allows("http://mirror.test/new/page")


def test_trouble_that_passes_and_pages_seen_again_say_nothing() -> None:
    rests = PatternRests(TrapRules.EDITION)
    for number in range(50):
        rests.land(f"http://a.test/x/{number}", Failure("timeout"))
        rests.land(f"http://a.test/x/{number}", Failure("robots"))
        rests.land("http://a.test/x/1", page("http://a.test/x/1", SAME))
    assert rests.allows("http://a.test/x/99") and not rests.ends


def test_time_jumps_to_the_end_of_a_rest_but_not_for_ever() -> None:
    rests, jumps = PatternRests(TrapRules.EDITION), 0
    calendar(rests, 5)
    while rests.jump():
        jumps += 1
        assert jumps < 100
        if rests.allows("http://a.test/cal/7"):
            rests.land("http://a.test/cal/7", page(f"http://a.test/cal/{jumps}00", SAME))
    assert jumps > 3 and not rests.allows("http://a.test/cal/7")


def test_dead_links_are_no_trap() -> None:
    """They lead no further, so there is an end to them; and they do not end the row of copies among them."""
    rests = PatternRests(TrapRules.EDITION)
    for number in range(2_000):
        rests.land(f"http://a.test/categories/{number}", Failure("status", "404"))
    assert not rests.ends
    for number in range(60):
        url = f"http://a.test/cal/{number}"
        rests.land(url, Failure("status", "404") if number % 2 else page(url, SAME))
    assert not rests.allows("http://a.test/cal/9")


def judged(rests: PatternRests, host: str, count: int, relevant: int = 0, leads_on: bool = True) -> None:
    """So many pages, all different, in folders of a host; of these so many relevant, the last ones. Their links lead
    to addresses that no page has named before, or else to each other."""
    for number in range(count):
        url = f"http://{host}/{'abcdefghij'[number % 10]}/{number}"
        near = generator(3, host, number).getrandbits(64)
        rests.land(url, page(url, near))
        links = (
            f"{url}/{near}/{rests.pits.judged}" if leads_on else f"http://{host}/{number % 7}",
            f"{url}/next{rests.pits.judged}",
        )
        rests.judge(url, page(url, near, links=links), number >= count - relevant)


def test_a_pit_rests_longer_and_longer_unless_there_is_nothing_better() -> None:
    rests = PatternRests(TrapRules.EDITION)
    judged(rests, "good.test", 40, relevant=20)
    judged(rests, "pit.test", DULL)
    assert rests.allows("http://pit.test/new/1")
    judged(rests, "pit.test", 3 * DULL)
    rest = rests.why("http://pit.test/new/1")
    assert rest is not None and rest.pattern == "pit.test" and rest.dull == 4 * DULL and not rest.wastes
    assert rests.allows("http://good.test/new/1")
    assert rests.jump() and rests.jump() and rests.allows("http://pit.test/new/1"), "but there is nothing better"
    judged(rests, "pit.test", 2 * TRUSTED)
    assert rests.allows("http://pit.test/new/1"), "so it is trusted for longer"


@pytest.mark.parametrize(("relevant", "free"), [(0, 50), (4, 14), (40, 6)])
def test_the_more_a_crawl_finds_elsewhere_the_sooner_a_pit_is_known(relevant: int, free: int) -> None:
    rests = PatternRests(TrapRules.EDITION)
    judged(rests, "good.test", relevant, relevant=relevant)
    judged(rests, "pit.test", free)
    assert rests.allows("http://pit.test/new/1")
    judged(rests, "pit.test", 1)
    assert not rests.allows("http://pit.test/a/1")


def test_pages_of_no_interest_that_link_to_each_other_are_no_pit() -> None:
    rests = PatternRests(TrapRules.EDITION)
    judged(rests, "good.test", 40, relevant=20)
    judged(rests, "dull.test", 20 * DULL, leads_on=False)
    assert rests.allows("http://dull.test/new/1")


def test_a_relevant_page_ends_the_row_of_its_host_and_rare_ones_allow_more() -> None:
    rests = PatternRests(TrapRules.EDITION)
    judged(rests, "good.test", 40, relevant=20)
    judged(rests, "a.test", 3 * DULL, relevant=1)
    assert rests.allows("http://a.test/new/1")
    rare = PatternRests(TrapRules.EDITION)
    judged(rare, "good.test", 400, relevant=1)
    judged(rare, "a.test", 3 * DULL)
    assert rare.allows("http://a.test/new/1"), "one in four hundred is relevant"


@pytest.mark.parametrize("copies", [True, False])
def test_what_is_known_is_bounded(monkeypatch: pytest.MonkeyPatch, copies: bool) -> None:
    for name in ("MOST_PATTERNS", "MOST_PAGES", "MOST_COMPARED"):
        monkeypatch.setattr(pattern_rests, name, 50)
    for name in ("MOST_PAGES", "MOST_VARIATIONS"):
        monkeypatch.setattr(spellings, name, 50)
    for name in ("MOST_FOLDERS", "MOST_LINKS"):
        monkeypatch.setattr(pits, name, 50)
    rules, rng = TrapRules(), random.Random(1)
    for number in range(2_000):
        url = f"http://h{number}.test/{rng.random()}/x?a{number}={rng.random()}"
        rules.landed(url, page(url, rng.choice((SAME, number + 1)) if copies else rng.getrandbits(64)), number)
        rules.landed(f"{url}gone", Failure("status", "404"), number)
        rules.judged(url, page(url, 1, links=(f"{url}x", f"{url}y")), False)
    tables = (*vars(rules.rests).values(), *vars(rules.rests.pits).values(), *vars(rules.spellings).values())
    assert all(len(table) <= 60 for table in tables if isinstance(table, dict))


def test_what_earlier_versions_kept_is_understood() -> None:
    rests = PatternRests(1)
    calendar(rests, 5)
    judged(rests, "pit.test", 60)
    kept = rests.state()
    again = PatternRests(1)
    older = {key: value for key, value in kept.items() if key != "compared"}
    older["recent"] = [[key, array("Q", near)] for key, near in rests.recent.items()]
    folders = [[key, *dull] for key, dull in rests.pits.folders.items()]
    older["pits"] = {**{key: value for key, value in kept["pits"].items() if key != "dull"}, "folders": folders}
    again.restore(older)
    assert again.state() == kept and again.recent and again.pits.folders


def test_a_pattern_that_was_of_much_use_may_waste_more_in_a_row() -> None:
    rests = PatternRests(TrapRules.EDITION)
    for number in range(100):
        url = f"http://a.test/news/{number}"
        rests.land(url, page(url, generator(1, number).getrandbits(64)))
    for number in range(100, 100 + FREE[0] + 5):
        url = f"http://a.test/news/{number}"
        rests.land(url, page(url, SAME ^ (0x1FF << 6 * (number - 100) & -(number > 100))))
    assert rests.allows("http://a.test/news/999")
    calendar(rests, FREE[0] + 2)
    assert not rests.allows("http://a.test/cal/99"), "as many are too many where there was no use"


def test_what_a_site_shows_for_anything_is_known_sooner_than_near_duplicates() -> None:
    asked = {}
    for name, near in (("lost", lambda _: SAME), ("near", lambda number: SAME ^ 1 << number)):
        rests = PatternRests(TrapRules.EDITION)
        rests.land(f"http://a.test/{name}/", page(f"http://a.test/{name}/", 1 << 60))
        for number in range(50):
            url = f"http://a.test/{name}/{'abcdefghij'[number % 10]}{'klmno'[number // 10]}"
            if not rests.allows(url):
                break
            rests.pages.setdefault(near(number), 7)
            rests.land(url, page(url, near(number)))
        asked[name] = number
    assert asked["lost"] < asked["near"]


def test_www_and_scheme_are_one_pattern() -> None:
    rests = PatternRests(TrapRules.EDITION)
    calendar(rests, 9)
    assert not rests.allows("https://www.a.test/cal/99")


def test_a_mirror_rests_as_a_whole_once_it_is_known() -> None:
    rules = TrapRules()
    for number in range(6):
        for host in ("a.test", "copy.test"):
            url = f"http://{host}/{'abcdef'[number]}"
            rules.landed(url, page(url, generator(2, number).getrandbits(64)), number)
    assert "copy.test rests until" in rules.why("http://copy.test/new/page") and rules.allows("http://a.test/new/page")
    assert rules.spellings.one("http://copy.test/new/page") == "http://a.test/new/page"


# One spelling


def test_a_mark_that_means_nothing_is_taken_off_once_it_is_known() -> None:
    known = Spellings()
    for path, near in (("one", 1 << 40), ("two", 2 << 20)):
        for mark in ("abc", "def"):
            known.learn(page(f"http://a.test/{path}?visit={mark}", near))
    assert known.one("http://a.test/three?visit=9&x=1") == "http://a.test/three?x=1"
    assert known.one("http://b.test/three?visit=9") == "http://b.test/three?visit=9"
    assert known.repeats("http://a.test/one?visit=new") and not known.repeats("http://a.test/four?visit=new")
    shown = known.respelled(page("http://a.test/", 1, links=("http://a.test/x?visit=1", "http://a.test/x")), bool)
    assert [link.url for link in shown.links] == ["http://a.test/x"]


def test_a_name_that_tells_pages_apart_stays() -> None:
    known = Spellings()
    for number in range(20):
        known.learn(page(f"http://a.test/list?page={number}", 0xFFFF << 2 * number))
    assert known.one("http://a.test/list?page=3") == "http://a.test/list?page=3"
    assert not known.repeats("http://a.test/list?page=99")


def test_a_page_that_answers_for_a_while_for_all_of_one_path_does_not_close_it() -> None:
    """Such as a wall that asks for consent: the pages behind it are asked for when it is gone."""
    known = Spellings()
    for number in range(20):
        known.learn(page(f"http://a.test/article?id={number}", SAME))
    assert not known.repeats("http://a.test/article?id=99") and not known.idle


@pytest.mark.parametrize("twin", ["https://a.test", "http://www.a.test", "https://www.a.test"])
def test_twins_are_one_page(twin: str) -> None:
    known = Spellings()
    for number in range(2):
        known.learn(page(f"http://a.test/{number}", 5 << 10 * number))
        known.learn(page(f"{twin}/{number}", 5 << 10 * number))
    assert known.one(f"{twin}/7?x=1") == "http://a.test/7?x=1" and known.one("http://a.test/7") == "http://a.test/7"
    assert known.repeats(f"{twin}/1") or known.one(f"{twin}/1") == "http://a.test/1"


def test_a_site_that_sends_on_says_itself_what_it_prefers() -> None:
    known = Spellings()
    for number in range(2):
        known.learn(page(f"https://www.a.test/{number}", 5 << 10 * number, asked=f"http://a.test/{number}"))
    assert known.one("http://a.test/9") == "https://www.a.test/9"


def test_hosts_with_the_same_paths_and_other_pages_are_no_twins() -> None:
    known = Spellings()
    for number in range(20):
        known.learn(page(f"http://a.test/{number}", 0xFFFF << 2 * number))
        known.learn(page(f"http://www.a.test/{number}", 0xFFFF00FF << number))
    assert known.one("http://www.a.test/3") == "http://www.a.test/3" and not known.first


def test_hosts_that_show_one_page_for_all_are_no_mirrors() -> None:
    known = Spellings()
    for path in ("about", "contact", "terms", "privacy", "help", "press"):
        for host in ("a.test", "b.test"):
            known.learn(page(f"http://{host}/{path}", SAME))
    assert not known.first and not known.mirrors("http://b.test/about")


def test_a_page_that_landed_marked_and_at_a_twin_is_not_asked_for_again() -> None:
    known = Spellings()
    known.learn(page("https://www.a.test/three?visit=abc", 7 << 30))
    for path, near in (("one", 1 << 40), ("two", 2 << 20)):
        for url in (f"http://a.test/{path}?visit=abc", f"http://a.test/{path}?visit=def", f"https://www.a.test/{path}"):
            known.learn(page(url, near))
    for url in ("http://a.test/three?visit=new", "http://a.test/three", "https://www.a.test/three"):
        assert known.repeats(url)
    assert not known.repeats("https://www.a.test/three?visit=abc"), "it may be visited again itself"
    assert not known.repeats("http://a.test/four")


def test_a_spelling_that_is_not_allowed_is_not_used() -> None:
    known = Spellings()
    for number in range(2):
        known.learn(page(f"https://www.a.test/{number}", 5 << 10 * number, asked=f"http://a.test/{number}"))
    shown = known.respelled(page("http://b.test/", 1, links=("http://a.test/x",)), lambda url: "www" not in url)
    assert [link.url for link in shown.links] == ["http://a.test/x"]


def test_it_is_told_how_an_address_is_spelled() -> None:
    rules = TrapRules()
    for number in range(2):
        rules.landed(f"http://a.test/{number}", page(f"http://a.test/{number}", 5 << 10 * number), number)
        rules.landed(f"https://a.test/{number}", page(f"https://a.test/{number}", 5 << 10 * number), number)
    assert rules.why("https://a.test/new") == "links to it are spelled as http://a.test/new"
    assert rules.allows("https://a.test/new") and not rules.why("http://a.test/new")
    assert rules.why("https://a.test/1").startswith("another spelling of a page that is here")


ADDRESSES = st.builds(
    "{}://{}/{}{}".format,
    st.sampled_from(("http", "https")),
    st.sampled_from(("a.test", "www.a.test", "b.test")),
    st.sampled_from(("", "a", "b/1", "b/2", "c/x-1")),
    st.sampled_from(("", "?s=1", "?s=2", "?s=1&t=2", "?t=3")),
)
LANDINGS = st.lists(st.tuples(ADDRESSES, ADDRESSES, st.sampled_from((0, 1, 3, 1 << 50, 0xFFFF << 20))), max_size=40)


@given(LANDINGS, ADDRESSES)
def test_rules_stored_and_restored_go_on_alike(landings: list[tuple[str, str, int]], url: str) -> None:
    first, again = TrapRules(), TrapRules()
    for number, (asked, final, near) in enumerate(landings):
        first.landed(asked, page(final, near, asked), number)
        first.judged(asked, page(final, near, asked, links=(url, f"{asked}x")), bool(near % 2))
        again.restore(codec.load(*codec.store(first.state())))
        assert again.state() == first.state()
    assert (again.why(url), again.spellings.one(url)) == (first.why(url), first.spellings.one(url))


@given(LANDINGS, ADDRESSES)
def test_one_spelling_is_its_own(landings: list[tuple[str, str, int]], url: str) -> None:
    rules = TrapRules()
    for number, (asked, final, near) in enumerate(landings):
        rules.landed(asked, page(final, near, asked), number)
    one = rules.spellings.one(url)
    assert rules.spellings.one(one) == one
