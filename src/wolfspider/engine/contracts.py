"""The contracts of a crawl: the memory of the pages a run holds, and Sources of addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from wolfspider.core.model import Failure, Page, Verdict


class Held(NamedTuple):
    """What a run knows of an address."""

    result: Page | Failure
    verdict: Verdict | None


class Memory(Protocol):
    """What a run holds: pages and lasting failures, with their verdicts."""

    def holds(self, url: str) -> bool: ...
    def recall(self, url: str) -> Held | None: ...
    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None: ...
    def newest(self, host: str, count: int) -> list[str]: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: Mapping[str, Any]) -> None: ...


class Source(Protocol):
    """Answers addresses of its own making (`leap:...`) with pages whose links are its results."""

    network: bool  # does asking it cost a download?

    def look(self, url: str, now: float) -> Page | Failure: ...


@runtime_checkable
class Service(Source, Protocol):
    """A Source that is somewhere else: over the network it is asked, and answers when it can."""

    async def ask(self, url: str, now: float) -> Page | Failure: ...
