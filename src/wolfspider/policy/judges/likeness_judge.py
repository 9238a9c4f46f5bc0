"""The judge that compares a page with the pages a person likes (Chen's measure, learn/likeness.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wolfspider.core.model import Link, Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.learn.likeness import Collection, Indexed, Likeness, kept_words, link_keys
from wolfspider.policy.judges.judge import Unlearning, verdict
from wolfspider.policy.topic_words import made_up_page


class Alike(Unlearning):
    """Chen's measure (learn/likeness.py): half of what a page says and half of where it links to, each in the mean over
    the liked pages. Without these there is one made-up page of keywords and description, which links nowhere. A label
    up makes a page an example. Each page counts once, a liked one from the start and any other before it is
    scored, and is scored with what is known of all pages by then."""

    BORDER = 0.06
    MADE_UP_BORDER = 0.0002  # a page has little in common with a dozen words, however right they are
    MOST = 20  # examples

    def __init__(self, topic: Topic) -> None:
        self._collection = Collection()
        self._likeness = Likeness()
        self._made_up = not topic.liked
        self._given = set[str]()  # addresses of liked pages, which count from the start
        for page in topic.liked[: self.MOST]:
            indexed = self._like(page.words, page.links)
            if page.final_url not in self._given:
                self._given.add(page.final_url)
                self._collection.count(indexed)
        if self._made_up:
            self._like([word for word, times in made_up_page(topic).items() for _ in range(times)], ())

    def _like(self, words: Sequence[str], links: Sequence[Link]) -> Indexed:
        kept = kept_words(words)
        indexed = self._collection.indexed(kept, link_keys(links))
        self._likeness.like(kept, indexed)
        return indexed

    def score(self, page: Page) -> Verdict:
        indexed = self._collection.read(page)
        if page.final_url not in self._given:
            self._collection.count(indexed)
        (found,) = self._likeness.scores([indexed], self._collection)
        parts = {"terms": round(found.terms, 6), "links": round(found.links, 6)}
        matched = self._likeness.matched(indexed, self._collection)
        return verdict(found.total, self.MADE_UP_BORDER if self._made_up else self.BORDER, **parts, words=matched)

    def learn(self, page: Page, label: bool) -> None:
        if not label or len(self._likeness.inputs) >= self.MOST:
            return
        if self._made_up:
            self._likeness = Likeness()
            self._made_up = False
        self._like(page.words, page.links)

    def state(self) -> dict[str, Any]:
        known, likeness = self._collection.state(), self._likeness.state()
        return {
            "collection": {**known, "df": known["df"].copy()},
            "likeness": {**likeness, "inputs": list(likeness["inputs"])},
            "made_up": self._made_up,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self._collection = Collection.restored(state["collection"])
        self._likeness = Likeness.restored(state["likeness"])
        self._made_up = bool(state["made_up"])
