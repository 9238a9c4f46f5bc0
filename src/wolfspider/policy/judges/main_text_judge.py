"""Any judge, shown the title and the main text of a page alone: menus, cookie notes and related links are left out.

The words of the main text come with the page (`Page.main`), for they are found in its markup where it is read. A page
that has none, such as a PDF, is shown as it is. Links stay, and so does everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wolfspider.core.model import Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.policy.judges.judge import Judge, scored


def main_only(page: Page) -> Page:
    if page.main is None:
        return page
    return replace(page, words=tuple(page.main.split()), counts_=None, unread_=None)


class MainTextJudge:
    def __init__(self, make: Callable[[Topic], Judge], topic: Topic) -> None:
        liked, disliked = (tuple(map(main_only, pages)) for pages in (topic.liked, topic.disliked))
        self._judge = make(replace(topic, liked=liked, disliked=disliked))

    def score(self, page: Page) -> Verdict:
        return scored(self._judge, main_only(page))

    def learn(self, page: Page, label: bool) -> None:
        self._judge.learn(main_only(page), label)

    def state(self) -> dict[str, Any]:
        return self._judge.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        self._judge.restore(state)

    def learned(self) -> dict[str, Any]:
        return self._judge.learned()

    def inherit(self, learned: Mapping[str, Any]) -> None:
        self._judge.inherit(learned)
