"""Pages found by words, as long as somebody wants to."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Page
from wolfspider.core.text import words
from wolfspider.store.categories import word_index
from wolfspider.store.categories.word_index import WordIndex


def page(number: int, text: str, title: str = "") -> Page:
    url = f"http://a.test/{number}"
    return Page(url, url, title, words=tuple(words(text)))


def numbers(found: list[tuple[str, str]]) -> list[int]:
    return [int(url.rpartition("/")[2]) for url, _ in found]


def test_pages_with_rarer_words_and_more_of_them_come_first() -> None:
    pages = [page(0, "spiders in the house"), page(1, "the house"), page(2, "wolf spiders in the house")]
    pages += [page(number, "the garden") for number in range(3, 20)]
    found = WordIndex(pages)
    assert numbers(found.search("wolf spiders", 9)) == [2, 0]
    assert numbers(found.search("wolf the", 3))[0] == 2
    assert found.count == 20 and found.search("cats", 9) == [] == found.search("", 9)
    assert len(found.search("the", 5)) == 5


def test_titles_are_found_and_told() -> None:
    found = WordIndex([page(1, "nothing here", "Wolf spiders")])
    assert found.search("SPIDERS!", 9) == [("http://a.test/1", "Wolf spiders")]


def test_all_scripts_are_found() -> None:
    texts = ["狼蛛在地上狩猎", "паук охотится", "la araña caza", "العنكبوت الذئب", "Straße", "नमस्ते दुनिया"]
    found = WordIndex([page(number, text) for number, text in enumerate(texts)])
    for number, text in enumerate(texts):
        assert numbers(found.search(text, 1)) == [number], text


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_asked_of_whatever_page_nothing_breaks(text: str, asked: str) -> None:
    found = WordIndex([page(0, text, text), Page("http://a.test/1", "http://a.test/1", "\ud800")])
    assert set(numbers(found.search(asked, 9))) <= {0, 1}
    found.search('" OR NEAR(a b) * -- ' + asked, 9)
    found.close()


def test_there_is_an_end_to_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_index, "MOST_PAGES", 3)
    found = WordIndex(page(number, "spiders " * word_index.MOST_WORDS + "wolf") for number in range(9))
    assert found.count == 3 and numbers(found.search("spiders", 9)) == [0, 1, 2]
    assert found.search("wolf", 9) == []


def test_there_is_an_end_to_the_text_of_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_index, "MOST_TEXT", 1_000)
    found = WordIndex(page(number, "spiders " * 50) for number in range(9))
    assert found.count == 3 and found.full
    assert not WordIndex([page(1, "spiders")]).full


def test_text_is_indexed_and_not_kept() -> None:
    """Kept, it would take the room of all pages once more."""
    found = WordIndex(page(number, "spiders " * 5_000) for number in range(50))
    (count,), (size,) = (found._connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    assert count * size < 50 * 5_000 * len("spiders ") / 2


def test_it_is_no_database_in_memory() -> None:
    """What is much goes to the disk. A database in memory takes no journal that lies there."""
    taken = WordIndex([page(1, "spiders")])._connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    assert taken == ("delete",)


def test_what_one_thread_made_another_may_search_and_close() -> None:
    made: list[WordIndex] = []
    thread = threading.Thread(target=lambda: made.append(WordIndex([page(1, "spiders")])))
    thread.start()
    thread.join()
    assert numbers(made[0].search("spiders", 9)) == [1]
    made[0].close()


def test_a_long_title_is_cut_and_nothing_follows_a_nul() -> None:
    found = WordIndex([page(1, "spiders", "wolf\0 " * 2_000)])
    ((_, title),) = found.search("spiders", 9)
    assert len(title) <= 2_000 and "\0" not in title
