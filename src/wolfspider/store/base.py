"""The contract of a store: it keeps everything a run must not lose, and hands it back after a crash.

The order of a turn, which all promises rest on. The driver archives what came back, lands it (Crawl writes its journal,
memory and events through the store), lets the strategy propose, and only then calls `commit`: one transaction for the
whole turn. Requests go out after the commit, and people are told of a page after the commit. So whatever happens, the
journal names every visit before its request, and of a page that anybody was told of, the record in the archive and the
entry of the journal are both on disk.

After a crash `past` gives the last snapshot and the journal since then. The crawl is replayed from these: Crawl calls
`write`, `keep` and `hear` as it did the first time, and in a replay the store compares instead of writing, and answers
`holds` and `recall` as of that point of the journal, never from what came later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from wolfspider.core.events import Command, Event, Gauge
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.engine.contracts import Memory
from wolfspider.engine.entries import Entry
from wolfspider.policy.link_shelf import Shelf
from wolfspider.store.page_count import PageCount
from wolfspider.store.run_clock import RunClock


class Past(NamedTuple):
    """What a resume starts from."""

    state: Mapping[str, Any] | None  # as the last snapshot was given it; None if there was none
    entries: Iterator[Entry]  # the journal since then, pages read back from the archive


class Store(Memory, Protocol):
    """One run, one owner."""

    @property
    def shelf(self) -> Shelf:
        """Where the strategy keeps its links."""

    about: dict[str, Any]  # the settings of the run: written once, when it is made

    @property
    def begun(self) -> bool:
        """Has the crawl ever begun?"""

    # Called by the crawl
    def write(self, entry: Entry) -> None:
        """The next entry of the journal (engine/entries.py)."""

    def hear(self, event: Event) -> None:
        """Keep an event of the crawl for people and their tools: a visit, an outcome, a credit, a note."""

    # Called by the driver
    def archive(self, visit: int, fetch: Fetch) -> None:
        """Take the answer to a visit, just before it lands. One with status 304 stands for the copy at hand."""

    def liked(self) -> list[Fetch]:
        """Pages that describe the topic, in the order they were kept; they come before the crawl begins."""

    def like(self, fetch: Fetch) -> None:
        """Keep such a page. It is committed at once."""

    def forgotten(self) -> frozenset[str]:
        """What the run was asked to forget, and does not ask for again: addresses and hosts."""

    def validators(self, url: str) -> Mapping[str, str]:
        """Headers by which a server can tell whether the copy at hand still holds: etag, last-modified."""

    def ready(self) -> bool:
        """Can a turn be written now? Then it is begun; otherwise another process is writing at this moment."""

    def commit(self) -> None:
        """End a turn: from here on it survives any death of the process."""

    def sync(self) -> None:
        """Let what is committed survive the death of the machine too; called about once a second, from any thread."""

    def snapshot(self, state: Mapping[str, Any]) -> None:
        """Save what a resume starts from; called between turns, after a commit. It is the next three in one."""

    def stage(self, state: Mapping[str, Any]) -> Any:
        """Copy the state, so that it can be saved while the crawl goes on; called between turns, after a commit."""

    def save(self, staged: Any) -> None:
        """Write what was staged, and let it survive the death of the machine; called from any thread."""

    def adopt(self, staged: Any) -> None:
        """From here on a resume starts from what was staged and saved; called between turns."""

    def past(self) -> Past:
        """Of a store that is opened again; its entries must be replayed before anything else is written."""

    def commands(self) -> list[tuple[int, Command]]:
        """Commands of other processes, oldest first, each once; after a crash those not yet in the journal."""

    def taking(self, number: int) -> None:
        """The command that the crawl writes next is this one."""

    def hosts(self) -> Iterable[Mapping[str, Any]]:
        """When hosts may be asked again, and their robots rules."""

    def keep_hosts(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Keep rows with a `host` each; the newest of a host counts. Part of the turn."""

    def count(self, name: str, by: int = 1) -> None:
        """Add to a figure that is no part of the crawl's state, such as overhead and refetched. Part of the turn."""

    def counts(self) -> Mapping[str, int]: ...

    def gauge(self, gauge: Gauge) -> None:
        """Keep how the crawl stands, for readers in other processes. Part of the turn, not of the journal. The number
        of gauges is bounded: one a second for the last hour, one a minute before that."""

    def gauges(self) -> Sequence[Gauge]:
        """The gauges, oldest first."""

    def keep_clock(self, clock: RunClock | None) -> None:
        """Note what time it is in the run, for readers in other processes; None if its time is ours. Committed at
        once, before the crawl begins or goes on."""

    def page_count(self) -> PageCount:
        """How many pages the run has by now; store/page_count.py says what counts as one."""

    def index(self) -> None:
        """Index the archive for other tools; called when a session has ended, from any thread."""

    def close(self, trouble: str = "") -> None:
        """Release the run for another owner. What was not committed is lost. `trouble`: what the session ended by, if
        it did not come to an end of its own."""


def addresses_of(url: str, result: Page | Failure) -> list[str]:
    """Where a result is held: under the address that was asked for and the one a page was found at."""
    return [url] if isinstance(result, Failure) else list(dict.fromkeys((url, result.final_url)))


def validators(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers by which a server can tell whether a copy still holds."""
    return {name: headers[name] for name in ("etag", "last-modified") if name in headers}
