"""A person browsing, for crawlers that learn from one (Liu, Janssen and Milios 2006): where they went, what they liked.

    browsing = Browsing(seeds, pages=300)
    visits = browsing.give(room, rng, near, lambda link: self.visit(link, agent="train"))
    if browsing.landed(outcome): ...          # one of its visits has landed
    browsing.done                             # it has seen enough: browsing.pages

Where nobody browses, users are simulated: each walks from one of the starts along links, likelier along those whose
text is near the topic, and begins a new session after some steps or at a dead end. A page that was seen already is
walked through without a visit. What the judge calls relevant is what such a user likes. A person's labels say it
better: `mark` sets a page right.

What is kept is bounded by the number of pages: a bag of the most frequent words of each, and the links it shows.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import Any, NamedTuple

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link, Outcome, Page, Visit
from wolfspider.core.text import counts
from wolfspider.policy.room import Room
from wolfspider.policy.turns import Turns

TRAINING = "train"  # the agent whose visits are training
MOST_WORDS = 400  # distinct words kept of a page
MOST_LINKS = 200  # links kept of a page
LEANING = 4.0  # how much likelier a user follows a link that is near the topic: e^4 times at the most
MOST_MOVES = 100  # through pages that were seen before, until a user looks for a page nobody saw

Near = Callable[[str], float]  # how near the text of a link is to the topic, in [0, 1]
Allows = Callable[[str], bool]  # is an address in scope?


class Browsed(NamedTuple):
    """A page as it is remembered."""

    bag: dict[str, int]
    links: tuple[str, ...]
    good: bool
    start: bool  # a session began here


@helper
class Browsing(StoredFields):
    def __init__(self, starts: Sequence[Link] = (), pages: int = 0, users: int = 4, steps: int = 10) -> None:
        self.starts, self.wanted, self.steps = list(starts), pages, steps
        self.pages: dict[str, Browsed] = {}  # by final address
        self.sessions: list[str] = []  # where sessions began, once that page has landed
        self.shown: dict[str, list[Link]] = {}  # what a user sees on a page
        self.led: dict[str, str] = {}  # where each address that was asked for led; "" if nowhere
        self.places: dict[str, tuple[str, int]] = {f"user-{number}": ("", 0) for number in range(users)}
        self.out: dict[int, tuple[str, str]] = {}  # visits in flight: their users and addresses
        self.asked = 0  # visits that have landed
        self.turns = Turns()
        self.turns.queue.extend(self.places)

    def __len__(self) -> int:
        return len(self.pages) + sum(map(len, self.shown.values()))

    @property
    def done(self) -> bool:
        return not self.out and (self._enough or not len(self.turns))

    @property
    def _enough(self) -> bool:
        return self.asked >= self.wanted

    @property
    def targets(self) -> list[str]:
        return [url for url, page in self.pages.items() if page.good]

    def stop(self) -> None:
        """What was seen is enough; only visits in flight are still waited for."""
        self.wanted = 0

    def rest(self) -> None:
        """The browsing is over: the links that users could choose from are no longer needed."""
        self.stop()
        self.shown.clear()

    def give(self, room: Room, rng: random.Random, near: Near, visit: Callable[[Link], Visit]) -> list[Visit]:
        """The visits that users start now."""
        visits: list[Visit] = []
        for name, pick in self.turns.ready(room):
            if self.asked + len(self.out) >= self.wanted:
                self.turns.queue.appendleft(name)
                break
            link = pick if pick and room.allows(pick.url) else self._choose(name, rng, near, room.allows)
            if link is None:  # nowhere left to go until another visit lands
                continue
            if room.take(link):
                visits.append(visit(link))
                self.out[visits[-1].id] = (name, link.url)
            else:
                self.turns.park(name, link)
        return visits

    def _choose(self, name: str, rng: random.Random, near: Near, allows: Allows) -> Link | None:
        """Walk on until there is a page in scope that nobody has seen, and that nobody is waiting for."""
        parked = (pick.url for waiting in self.turns.parked.values() for _, pick in waiting)
        coming = {*parked, *(url for _, url in self.out.values())}
        starts = [link for link in self.starts if allows(link.url)]
        for _ in range(MOST_MOVES):
            place, left = self.places[name]
            link = self._follow(place, rng, near, allows) if left else None
            if link is None:
                link = rng.choice(starts) if starts else None
                left = self.steps + 1
            if link is None:
                break
            self.places[name] = (place, left - 1)
            if link.url in self.led:
                self._arrive(name, self.led[link.url])
            elif link.url not in coming:
                return link
        self.places[name] = ("", 0)  # a page found in this way begins no session
        taken = coming | self.led.keys()
        shown = (link for links in self.shown.values() for link in links if link.url not in taken)
        return next((link for link in shown if allows(link.url)), None)

    def _follow(self, place: str, rng: random.Random, near: Near, allows: Allows) -> Link | None:
        """A link of this page, drawn at random; promising ones are likelier."""
        shown = self.shown.get(place, ())
        links = [link for link in shown if self.led.get(link.url, link.url) and allows(link.url)]
        if not links:
            return None
        return rng.choices(links, [math.exp(LEANING * near(link.anchor)) for link in links])[0]

    def _arrive(self, name: str, url: str) -> None:
        """The user is at a page that has landed, or nowhere (""), which ends the session."""
        left = self.places[name][1] if url else 0
        if left == self.steps and url in self.pages:
            self.began(url)
        self.places[name] = (url, left)

    def landed(self, outcome: Outcome) -> bool:
        """Was this a visit of a user? Then users who have no visit in flight and do not wait choose again."""
        if outcome.visit.id not in self.out:
            return False
        name, url = self.out.pop(outcome.visit.id)
        page = outcome.page
        self.asked += 1
        self.led[url] = page.final_url if page is not None else ""
        if page is not None:
            self.led[page.final_url] = page.final_url
            self._see(page, outcome.verdict is not None and outcome.verdict.relevant)
        self._arrive(name, self.led[url])
        busy = {user for user, _ in self.out.values()}.union(self.turns.queue)
        busy |= {user for waiting in self.turns.parked.values() for user, _ in waiting}
        self.turns.queue.extend([user for user in self.places if user not in busy])
        return True

    def _see(self, page: Page, good: bool) -> None:
        known = self.pages.get(page.final_url)
        links = {link.url: link for link in islice(page.links, MOST_LINKS)}
        self.pages[page.final_url] = Browsed(bag_of(page), tuple(links), good, known.start if known else False)
        self.shown[page.final_url] = list(links.values())

    def mark(self, page: Page, good: bool) -> None:
        """A person's label."""
        self._see(page, good)
        self.led[page.final_url] = page.final_url

    def began(self, url: str) -> None:
        """A session began at this page, which has landed."""
        self.sessions.append(url)
        self.pages[url] = self.pages[url]._replace(start=True)

    def wake(self) -> float | None:
        """There is something to do as long as a user waits for a host or may choose a link."""
        return math.inf if len(self.turns) and not self._enough else None

    def state(self) -> dict[str, Any]:
        return {**vars(self), "pages": {url: tuple(page) for url, page in self.pages.items()}}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Browsing:
        return super().restored({**state, "pages": {url: Browsed(*page) for url, page in state["pages"].items()}})


def bag_of(page: Page) -> dict[str, int]:
    """The most frequent words of a page, in the order in which they first occur."""
    found = counts(page)
    if len(found) <= MOST_WORDS:
        return dict(found)
    kept = set(nlargest(MOST_WORDS, found, key=found.__getitem__))
    return {word: count for word, count in found.items() if word in kept}
