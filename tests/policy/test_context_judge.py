"""The default judge: what a page says, how much of it is links, and what links to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.codec import load, store
from wolfspider.core.model import Link, Page
from wolfspider.core.text import words
from wolfspider.core.topic import Topic
from wolfspider.learn.in_links import address_keys
from wolfspider.policy.judges.context_judge import InContext, InFirstContext

TOPIC = Topic(("volcano", "lava"), "Eruptions of volcanoes")
TEXT = "The volcano erupted at dawn and lava ran down the slopes; ash fell on the village below."
OTHER = "The committee met on Tuesday to discuss the budget of the library and its opening hours."


def page(text: str, *links: tuple[str, str], url: str = "http://a.test/") -> Page:
    """Links are addresses and anchors; the anchors are part of the text."""
    whole = " ".join([text, *(anchor for _, anchor in links)])
    return Page(url, url, words=tuple(words(whole)), links=tuple(Link(*link) for link in links))


def judged(*pages: Page, topic: Topic = TOPIC) -> InContext:
    judge = InContext(topic)
    for seen in pages:
        judge.score(seen)
    return judge


def crawl(count: int) -> list[Page]:
    """Every fourth page on topic; each links to its own page of the site's other half."""
    return [
        page(
            f"{OTHER if number % 4 else TEXT} number{number}",
            (f"http://b.test/{number}", "more"),
            url=f"http://a.test/{number}",
        )
        for number in range(count)
    ]


def test_a_listing_that_names_the_topic_is_worth_less_than_a_page_about_it() -> None:
    listing = [(f"http://a.test/{number}", f"volcano {number} and its lava") for number in range(9)]
    article = page(" ".join(anchor for _, anchor in listing))
    as_links = judged(*crawl(20)).score(page("", *listing))
    as_text = judged(*crawl(20)).score(article)
    assert as_links.evidence["links"] == 1 and as_text.evidence["links"] == 0
    assert as_links.evidence["coverage"] == as_text.evidence["coverage"]
    assert as_text.relevant and not as_links.relevant


def test_a_menu_counts_neither_as_links_nor_as_words() -> None:
    menu = [("http://a.test/about", "about this site"), ("http://a.test/help", "help and contact")]
    site = [page(OTHER, *menu, url=f"http://a.test/{number}") for number in range(10)]
    shares = [judged(*site[:read]).score(page(TEXT, *menu)).evidence["links"] for read in (0, 10)]
    assert shares[0] > 0.2 and shares[1] == 0


def test_a_page_that_good_pages_link_to_is_better_than_one_that_others_link_to() -> None:
    judge = judged(*crawl(40))
    good, bad = (judge.score(page("lava and stone", url=f"http://b.test/{number}")) for number in (8, 9))
    assert good.evidence["into"] > bad.evidence["into"]
    assert good.score > bad.score


def test_what_links_here_counts_however_the_page_is_reached() -> None:
    judge = judged(*crawl(40))
    moved = Page("https://b.test/8", "http://c.test/", words=tuple(words("lava and stone")))
    stranger = Page("https://c.test/8", "http://c.test/", words=tuple(words("lava and stone")))
    assert judge.score(moved).evidence["into"] > judge.score(stranger).evidence["into"]


def test_a_page_that_says_nothing_of_the_topic_gets_nothing_from_its_links() -> None:
    judge = judged(*(page(TEXT, ("http://b.test/", "next"), url=f"http://a.test/{number}") for number in range(5)))
    empty = judge.score(page("", url="http://b.test/"))
    assert empty.evidence["into"] > 0.1 and empty.score == 0


def test_it_learns_words_that_keep_company_with_the_topic_and_not_from_listings() -> None:
    def company(teachers: list[Page]) -> float:
        judge = judged(*(seen for pair in zip(teachers, crawl(60)[1::4], strict=False) for seen in pair))
        found: float = judge.score(page("ash fell on the slopes at dawn")).evidence["company"]
        return found

    texts = crawl(60)[::4]
    lists = [page("", (f"http://c.test/{number}", TEXT), url=f"http://a.test/l{number}") for number in range(15)]
    assert company(texts) > 0.1 > company(lists)


@pytest.mark.parametrize("liked", [1, 3, 30])
def test_liked_pages_lift_pages_like_them_and_refuse_no_others(liked: int) -> None:
    examples = tuple(
        page(f"basalt columns and pumice beds on island{number}", url=f"http://c.test/{number}")
        for number in range(liked)
    )
    plain, taught = judged(*crawl(60)), judged(*crawl(60), topic=Topic(TOPIC.keywords, TOPIC.description, examples))
    like_it = page("pumice beds beside basalt columns, and lava", url="http://d.test/")
    assert taught.score(like_it).score > plain.score(like_it).score
    assert taught.score(page(TEXT, url="http://d.test/")).relevant


def test_a_label_down_sinks_pages_like_it() -> None:
    advert = page("volcano lava cocktails happy hour bar", url="http://d.test/")
    plain, taught = judged(*crawl(60)), judged(*crawl(60))
    taught.learn(page("volcano lava cocktails happy hour in the bar daily"), False)
    assert taught.score(advert).score < plain.score(advert).score - 0.05


def test_a_topic_of_liked_pages_alone_is_judged_by_their_words() -> None:
    judge = judged(*crawl(20), topic=Topic(liked=(page("obsidian " * 5 + "flows of obsidian"),)))
    assert judge.score(page("obsidian flows")).relevant
    assert not judge.score(page(OTHER)).relevant


@given(st.lists(st.sampled_from([*words(TEXT + OTHER)]), max_size=60))
def test_the_probability_is_below_the_score_and_rises_with_it(text: list[str]) -> None:
    found = judged(*crawl(8)).score(page(" ".join(text)))
    assert found.probability is not None
    assert 0 <= found.probability <= found.score <= 1
    assert found.relevant == (found.evidence["raw"] >= InContext.BORDER)


def test_it_goes_on_exactly_from_its_state_also_with_links_and_hosts() -> None:
    pages = [*crawl(40), *(page(TEXT, url=f"http://b.test/{number}") for number in range(40))]
    first, second = judged(*pages[:30]), InContext(TOPIC)
    first.learn(pages[0], True)
    second.restore(load(*store(first.state())))
    assert [first.score(seen) for seen in pages[30:]] == [second.score(seen) for seen in pages[30:]]
    assert store(first.state()) == store(second.state())


def test_what_was_learnt_serves_another_run_of_the_same_topic_only() -> None:
    judge = judged(*crawl(40))
    learned = load(*store(judge.learned()))
    heir, stranger = InContext(TOPIC), InContext(Topic(("library",)))
    heir.inherit(learned)
    stranger.inherit(learned)
    assert heir.score(page(TEXT)) == judge.score(page(TEXT))
    assert stranger.score(page(TEXT)) == InContext(Topic(("library",))).score(page(TEXT))


def test_a_page_that_is_read_again_gets_nothing_from_itself() -> None:
    """Its value is part of the mean of its host, and what it links to was counted."""
    judge = judged(*crawl(20))
    again = page(TEXT, ("http://lone.test/next", "next"), url="http://lone.test/")
    first = judge.score(again).evidence["into"]
    later = [judge.score(again).evidence["into"] for _ in range(5)]
    assert max(later) <= first + 1e-6
    as_before = InFirstContext(TOPIC)
    for seen in crawl(20):
        as_before.score(seen)
    assert as_before.score(again).evidence["into"] == first < as_before.score(again).evidence["into"]


def test_what_a_page_links_to_is_counted_once_and_what_is_new_on_it_when_it_is_new() -> None:
    judge = judged(*crawl(20))
    old, new = ("http://b.test/old", "old"), ("http://b.test/new", "new")
    for links in ([old], [old], [old, new]):
        judge.score(page(TEXT, *links, url="http://c.test/"))
    counts = judge._in_links.counts(address_keys([old[0], new[0]]))
    assert counts.tolist() == [1, 1]
    assert judge._in_links.pages_of("c.test") == 1


def test_labels_correct_the_probability_and_leave_the_border() -> None:
    pages = crawl(80)
    judge = judged(*pages[:60])
    asked = page(TEXT, url="http://d.test/")
    before = judged(*pages[:60]).score(asked).probability
    for _ in range(10):
        judge._calibration.learn(judge._odds(0.5), label=False)
    after = judge.score(asked)
    assert before is not None and after.probability is not None and after.probability < before
    assert after.relevant == (after.evidence["raw"] >= InContext.BORDER)


def test_a_judge_of_an_earlier_state_goes_on() -> None:
    """A state without calibration, and without the pages that were read."""
    judge = judged(*crawl(40))
    state = load(*store(judge.state()))
    del state["calibration"], state["in_links"]["read"], state["in_links"]["values"]
    later = InContext(TOPIC)
    later.restore(state)
    seen = page(TEXT, url="http://d.test/")
    assert later.score(seen) == judge.score(seen)
