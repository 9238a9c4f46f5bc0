"""Who asks which host: hosts are dealt to workers by their registered domain, and few move when a worker joins.

Every worker draws a number for a domain, the same in every process, and the highest has it (rendezvous hashing). When
one joins, only domains move that it draws highest for; when one leaves, only its own do.

A domain of which something is under way stays where it is until that is over, though another worker has drawn a higher
number meanwhile: so a host is never asked by two at once. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

import xxhash

_CACHED = 50_000  # domains whose worker is remembered


class Ownership:
    def __init__(self) -> None:
        self._workers: dict[str, int] = {}  # and the seed of its numbers
        self._drawn: dict[str, str] = {}
        self._busy: dict[str, tuple[str, int]] = {}  # who has a domain, and how much is under way
        self._overdue: set[str] = set()  # of these, what stayed where it was when it should have moved

    @property
    def workers(self) -> list[str]:
        return list(self._workers)

    def join(self, worker: str) -> None:
        self._workers[worker] = xxhash.xxh3_64_intdigest(worker.encode())
        self._changed()

    def leave(self, worker: str) -> None:
        """It is gone, and what was under way with it is over."""
        self._workers.pop(worker, None)
        for domain in [domain for domain, (holder, _) in self._busy.items() if holder == worker]:
            del self._busy[domain]
        self._changed()

    def _changed(self) -> None:
        self._drawn.clear()
        self._overdue |= {domain for domain, (holder, _) in self._busy.items() if self.drawn(domain) != holder}

    def drawn(self, domain: str) -> str | None:
        """The worker that drew the highest number; None if there is no worker."""
        if (found := self._drawn.get(domain)) is None and self._workers:
            if len(self._drawn) >= _CACHED:
                self._drawn.clear()
            data = domain.encode()
            found = max(self._workers, key=lambda one: (xxhash.xxh3_64_intdigest(data, self._workers[one]), one))
            self._drawn[domain] = found
        return found

    def owner(self, domain: str) -> str | None:
        """Who is to ask it now."""
        return busy[0] if (busy := self._busy.get(domain)) else self.drawn(domain)

    def begin(self, domain: str) -> bool:
        """Its owner is about to ask it. Does the owner lack what another learned of it last? If so, tell it."""
        owner = self.owner(domain)
        assert owner is not None
        count = self._busy[domain][1] if domain in self._busy else 0
        self._busy[domain] = owner, count + 1
        late = not count and domain in self._overdue
        if late:
            self._overdue.discard(domain)
        return late

    def end(self, domain: str, worker: str) -> None:
        holder, count = self._busy.get(domain, ("", 0))
        if holder != worker:
            return
        if count > 1:
            self._busy[domain] = holder, count - 1
        else:
            del self._busy[domain]

    def busy(self) -> Iterable[str]:
        return self._busy.keys()
