"""A store in memory, for tests and for crawls that keep nothing: the same promises until the process ends."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from wolfspider.core import codec
from wolfspider.core.events import Command, Event, Gauge, Landed
from wolfspider.core.model import Failure, Fetch, Page, Verdict, hidden, host_of
from wolfspider.engine.contracts import Held
from wolfspider.engine.entries import Entry, LandEntry
from wolfspider.policy.link_shelf import Shelf
from wolfspider.store.base import Past, addresses_of, validators
from wolfspider.store.gauges import SECONDS
from wolfspider.store.page_count import PageCount
from wolfspider.store.run_clock import RunClock
from wolfspider.store.side_notes import SideNotes


class Volatile:
    """It is never opened again, so there is nothing to replay."""

    def __init__(self, about: Mapping[str, Any] | None = None) -> None:
        self.about = dict(about or {})
        self.shelf = Shelf()
        self.entries = 0  # of the journal, which nobody reads
        self.landings: list[Landed] = []
        self.inbox: list[Command] = []  # commands of other processes
        self._taken = 0  # how many of them were handed out
        self._held: dict[str, Held] = {}
        self._pages: dict[str, None] = {}  # final addresses, in the order their pages came
        self._landed: Page | None = None  # as it was parsed, with all its links
        self._headers: dict[str, Mapping[str, str]] = {}
        self._pending: dict[int, Fetch] = {}
        self._fetched: Fetch | None = None
        self._liked: list[Fetch] = []
        self._notes = SideNotes()
        self._gauges: deque[Gauge] = deque(maxlen=SECONDS)
        self._counted: dict[str, tuple[bool, bool, bool]] = {}  # pages by final address: relevant, hidden, cut

    def write(self, entry: Entry) -> None:
        self.entries += 1
        self._landed = self._fetched = None
        if isinstance(entry, LandEntry):
            self._fetched = self._pending.pop(entry.visit, None)
            self._landed = entry.result if isinstance(entry.result, Page) else None

    def hear(self, event: Event) -> None:
        if isinstance(event, Landed):
            self.landings.append(event)

    def holds(self, url: str) -> bool:
        return url in self._held

    def recall(self, url: str) -> Held | None:
        return self._held.get(url)

    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        if isinstance(result, Failure):
            self._held[url] = Held(result, None)
            return
        self._counted.pop(url, None)  # it may redirect now
        if verdict is not None:
            self._counted[result.final_url] = (verdict.relevant, hidden(result.robots), result.truncated)
        held = self._held.get(result.final_url)
        unchanged = held is not None and held.result is result  # a server said that the copy at hand still holds
        if self._landed is not None and not unchanged:
            self._pages.pop(result.final_url, None)  # newest last
            self._pages[result.final_url] = None
        for name in addresses_of(url, result):
            self._held[name] = Held(result, verdict)
            if self._fetched is not None and self._fetched.status != 304:
                self._headers[name] = self._fetched.headers

    def newest(self, host: str, count: int) -> list[str]:
        return list(islice((url for url in reversed(self._pages) if host_of(url) == host), count))[::-1]

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        pass

    def archive(self, visit: int, fetch: Fetch) -> None:
        self._pending[visit] = fetch

    def liked(self) -> list[Fetch]:
        return list(self._liked)

    def forgotten(self) -> frozenset[str]:
        return frozenset()

    def like(self, fetch: Fetch) -> None:
        self._liked.append(fetch)

    def validators(self, url: str) -> Mapping[str, str]:
        held = self._held.get(url)
        other = held is None or not isinstance(held.result, Page) or held.result.final_url != url
        return {} if other else validators(self._headers.get(url, {}))

    def ready(self) -> bool:
        return True

    def commit(self) -> None:
        pass

    def sync(self) -> None:
        pass

    def snapshot(self, state: Mapping[str, Any]) -> None:
        self.stage(state)

    def stage(self, state: Mapping[str, Any]) -> None:
        codec.store(dict(state))  # a state that cannot be stored fails here too

    def save(self, staged: None) -> None:
        pass

    def adopt(self, staged: None) -> None:
        pass

    def past(self) -> Past:
        return Past(None, iter(()))

    def commands(self) -> list[tuple[int, Command]]:
        taken, self._taken = self._taken, len(self.inbox)
        return list(enumerate(self.inbox, 1))[taken:]

    def taking(self, number: int) -> None:
        pass

    def hosts(self) -> Iterable[Mapping[str, Any]]:
        return self._notes.hosts()

    def keep_hosts(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._notes.keep_hosts(rows)

    def count(self, name: str, by: int = 1) -> None:
        self._notes.figures[name] += by

    def counts(self) -> Mapping[str, int]:
        return dict(self._notes.figures)

    def gauge(self, gauge: Gauge) -> None:
        self._gauges.append(gauge)

    def gauges(self) -> list[Gauge]:
        return list(self._gauges)

    def keep_clock(self, clock: RunClock | None) -> None:
        pass  # nobody else reads it

    def page_count(self) -> PageCount:
        counts = Counter((relevant, hides) for relevant, hides, _ in self._counted.values())
        good, bad, hidden_good = counts[True, False], counts[False, False], counts[True, True]
        cut = sum(truncated and not hides for _, hides, truncated in self._counted.values())
        return PageCount(good + bad, good, hidden_good + counts[False, True], hidden_good, cut)

    @property
    def begun(self) -> bool:
        return self.entries > 0

    def index(self) -> None:
        pass

    def close(self, trouble: str = "") -> None:
        pass
