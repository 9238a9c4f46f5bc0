"""What keeps a crawl out of traps, whatever its strategy is: one spelling for each page, and rests for poor patterns.

It stands between the loop and the strategy. Links of a page that landed are spelled in one way before the strategy sees
them (spellings.py), and links whose pattern brings nothing new are set aside when their turn comes, until its rest is
over (pattern_rests.py). No link is ever thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wolfspider.core.model import Failure, Page, Visit, is_web_address
from wolfspider.policy.pattern_rests import PatternRests
from wolfspider.policy.spellings import Spellings


class TrapRules:
    """The rules of one crawl, with what they have learned.

    A killed run is replayed, so it keeps the edition that it was begun with, and whoever changes what the rules decide
    makes a new one. In the first, more pages were free to a pit, its rests began with four downloads, a page that was
    asked for again, since it may have changed, was taken for a copy of itself, and nothing was forgotten until a page
    was a waste."""

    EDITION = 2

    def __init__(self, edition: int = EDITION) -> None:
        self.edition = edition
        self.rests, self.spellings = PatternRests(edition), Spellings()

    def learns_from(self, visit: Visit) -> bool:
        """A visit that insists on a download asks for a page again that it knows."""
        return not visit.fresh or self.edition == 1

    def allows(self, url: str) -> bool:
        return self.rests.allows(url) and not self.spellings.repeats(url)

    def why(self, url: str) -> str:
        """Why a link with this address is not followed now, or how it is spelled when it is, in a sentence; "" if there
        is nothing to say."""
        one = self.spellings.one(url)
        if self.spellings.repeats(url):
            return f"another spelling of a page that is here: {one}"
        if (rest := self.rests.why(url)) is None:
            return f"links to it are spelled as {one}" if one != url else ""
        return f"{rest.pattern} rests until {rest.until:,} downloads are made: {rest.why}"

    def landed(self, url: str, result: Page | Failure, spent: int) -> list[tuple[str, dict[str, Any]]]:
        """Learn from a download. Returns what is to be noted: spellings that it taught, and the rest that it gives rise
        to."""
        if not is_web_address(url):
            return []
        self.rests.at(spent)
        notes: list[tuple[str, dict[str, Any]]] = []
        spelled = False
        if isinstance(result, Page):
            self.spellings.learn(result)
            notes += (("spelling", dict(learned)) for learned in self.spellings.learned)
            spelled = self.spellings.at_one_path(result)
        rest = self.rests.land(url, result, self.spellings.mirrors(url), spelled)
        return [*notes, ("rest", rest._asdict())] if rest is not None else notes

    def judged(self, url: str, page: Page, relevant: bool) -> list[tuple[str, dict[str, Any]]]:
        """Learn whether the page that landed last is relevant. Returns what is to be noted."""
        rest = self.rests.judge(url, page, relevant) if is_web_address(url) else None
        return [("rest", rest._asdict())] if rest is not None else []

    def shown(self, page: Page, allows: Callable[[str], bool]) -> Page:
        """A page as the strategy sees it."""
        return self.spellings.respelled(page, allows)

    def over(self, spent: int, idle: bool) -> bool:
        """Are rests over, so that links may come back? `idle`: nothing else is left, so that time may jump."""
        self.rests.at(spent)
        return self.rests.jump() if idle else self.rests.over()

    def state(self) -> dict[str, Any]:
        return {"rests": self.rests.state(), "spellings": self.spellings.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.rests.restore(state["rests"])
        self.spellings.restore(state["spellings"])
