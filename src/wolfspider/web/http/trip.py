"""The way of one visit over the live web: an address, and every address it is redirected to, one step after another."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from wolfspider.core.events import Phase
from wolfspider.core.model import Capture, Failure, Fetch
from wolfspider.web.http.client import Answer
from wolfspider.web.http.live_robots import REDIRECTS
from wolfspider.web.page.urls import canonical
from wolfspider.web.worlds.world import NOT_SENT, Request

_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_HARMLESS = re.compile("[ -~]{1,1000}")  # what a server said before is sent back to it only if it is plain
_OTHER_SCHEME = re.compile(r"\s*(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
SHOWN = 200  # characters of an address in the detail of a failure


class Trip:
    """Where a visit is, what it passed, what it took. A trip may begin on the way, `hops` steps and some seconds after
    its visit did."""

    def __init__(self, request: Request, hops: int = 0, seconds: float = 0.0) -> None:
        self.request = request
        self.url = request.url
        self.hops: list[str] = [""] * hops
        self.captures: list[Capture] = []
        self.seconds = seconds
        self.at = 0.0  # when the last step was over
        self._waiting = False
        self._sent = False

    def out_of_scope(self) -> Failure | None:
        if self.request.allows(self.url):
            return None
        return Failure("excluded", f"led to {self.url[:SHOWN]}" if self.hops else "out of the crawl's scope")

    def held_back(self) -> Failure | None:
        """Why no request may go out, if so. The crawl is asked until one did."""
        self._sent = self._sent or self.request.may_send()
        if not self._sent:
            return NOT_SENT
        self.request.doing(Phase.FETCHING)
        return None

    def waits(self, waiting: bool) -> None:
        """Told on once, however many reasons there are to wait one after another."""
        if waiting != self._waiting:
            self._waiting = waiting
            self.request.waits(waiting)

    def conditions(self) -> dict[str, str]:
        """A copy is at hand, so only what changed is wanted. It is a copy of the address that was asked for: what
        another one is redirected to must not be told of it."""
        if self.hops or not self.request.held:
            return {}
        held = {name: self.request.held.get(name, "") for name in _CONDITIONS}
        return {_CONDITIONS[name]: text for name, text in held.items() if _HARMLESS.fullmatch(text)}

    def arrived(self, answer: Answer) -> Fetch:
        unchanged = answer.status == 304 and bool(self.conditions())
        return Fetch(
            self.request.url,
            self.url,
            answer.status,
            answer.headers,
            answer.body,
            Failure("status", str(answer.status)) if not (200 <= answer.status < 300 or unchanged) else None,
            self.seconds,
            self.at,
            tuple(self.hops),
            captures=tuple(self.captures),
            cut=answer.cut,
        )

    def failed(self, failure: Failure) -> Fetch:
        return Fetch(
            self.request.url,
            self.url,
            failure=failure,
            seconds=self.seconds,
            at=self.at,
            hops=tuple(self.hops),
            captures=tuple(self.captures),
        )


async def travel(trip: Trip, step: Callable[[Trip], Awaitable[Answer | Failure]], most_hops: int) -> Fetch:
    """To the end of all redirects. A step asks for the address where the trip is, with all that is to be checked."""
    while True:
        if isinstance(answer := await step(trip), Failure):
            return trip.failed(answer)
        trip.captures.append(answer.capture)
        if answer.status not in REDIRECTS:
            return trip.arrived(answer)
        if isinstance(target := _target(trip, answer, most_hops), Failure):
            return trip.failed(target)
        trip.hops.append(trip.url)
        trip.url = target


def _target(trip: Trip, answer: Answer, most_hops: int) -> str | Failure:
    location = answer.headers.get("location", "")
    if not location:
        return Failure("redirect", f"{answer.status} without a target")
    if (target := canonical(location, trip.url)) is None:
        return Failure("scheme" if _OTHER_SCHEME.match(location) else "redirect", f"led to {location[:SHOWN]!a}")
    if target == trip.url or target in trip.hops:
        return Failure("redirect", "the redirects go in a circle")
    if len(trip.hops) >= most_hops:
        return Failure("redirect", f"more than {most_hops} redirects")
    return target
