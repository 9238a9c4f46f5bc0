"""What a run knows of addresses, as of the entry of the journal where it stands: never of what came later."""

from __future__ import annotations

import json
from collections.abc import Mapping

from wolfspider.core.model import Failure, Page, Verdict
from wolfspider.engine.contracts import Held
from wolfspider.engine.entries import LandEntry
from wolfspider.policy.room import Broken
from wolfspider.store.base import addresses_of, validators
from wolfspider.store.damage import reading
from wolfspider.store.database import Turn
from wolfspider.store.journal import Journal, ReplayCheck
from wolfspider.store.page_count import PageCount, count, count_of_new
from wolfspider.store.page_reader import PageReader
from wolfspider.store.row_writer import RowWriter

_HELD = (
    "SELECT page, failure, detail, score, relevant, evidence FROM held WHERE url = ? AND seq <= ?"
    " ORDER BY seq DESC LIMIT 1"
)
_VALIDATORS = (
    "SELECT p.headers FROM held h JOIN pages p ON p.seq = h.page AND p.final_url = h.url"
    " WHERE h.url = ?1 AND h.seq = (SELECT MAX(seq) FROM held WHERE url = ?1 AND seq <= ?2)"
)
_NEWEST = (
    "SELECT final_url FROM pages WHERE host = ? AND seq <= ? AND EXISTS (SELECT 1 FROM held"
    " WHERE held.url = pages.final_url AND held.page = pages.seq AND held.seq <= ?) ORDER BY seq DESC"
)


class RunMemory:
    """Read from the rows; what an entry keeps is written with it."""

    def __init__(self, turn: Turn, journal: Journal, pages: PageReader, rows: RowWriter, check: ReplayCheck) -> None:
        self._turn, self._journal, self._pages, self._rows, self._check = turn, journal, pages, rows, check
        self._count: PageCount | None = None  # once somebody asked

    def _upto(self, url: str) -> int:
        """As of now. What this entry kept the first time is not there yet when it is replayed."""
        at = self._journal.at
        return at.seq - 1 if self._journal.replaying and at.kind and url not in at.kept else at.seq

    def holds(self, url: str) -> bool:
        return self._turn.one("SELECT 1 FROM held WHERE url = ? AND seq <= ? LIMIT 1", url, self._upto(url)) is not None

    def recall(self, url: str) -> Held | None:
        row = self._turn.one(_HELD, url, self._upto(url))
        if row is None:
            return None
        page, failure, detail, score, relevant, evidence = row
        if page is None:
            return Held(Failure(failure, detail) if failure is not None else Failure("status"), None)
        with reading(self._turn.folder, f"the verdict on {url}"):
            verdict = Verdict(score, bool(relevant), json.loads(evidence)) if score is not None else None
        return Held(self._pages.page(page), verdict)

    def validators(self, url: str) -> Mapping[str, str]:
        """Of the newest copy; a copy of another address says nothing of this one."""
        row = self._turn.one(_VALIDATORS, url, self._journal.at.seq)
        with reading(self._turn.folder, f"the headers of {url}"):
            return validators(json.loads(row[0])) if row is not None else {}

    def newest(self, host: str, count: int) -> list[str]:
        """Final addresses of the pages of a host that are held, newest last, each once."""
        upto = self._journal.at.seq
        urls: dict[str, None] = {}
        for (url,) in self._turn.connection.execute(_NEWEST, (host, upto, upto)):
            urls[url] = None
            if len(urls) >= count:
                break
        return list(urls)[::-1]

    def keep(self, url: str, result: Page | Failure, verdict: Verdict | None) -> None:
        at, urls = self._journal.at, addresses_of(url, result)
        if self._journal.replaying:
            for name in urls:
                self._check.kept(at.seq, name, verdict)
        elif isinstance(result, Failure):
            self._rows.held(at.seq, url, None, result, None)
        else:
            page = at.page if at.kind is LandEntry else self._pages.number_of(url, result)
            if page is None:
                raise Broken(f"{url} is to be kept and never landed")
            is_new = page == at.seq and not any(map(self.holds, urls))
            before = PageCount() if is_new else self._counted(urls)
            for name in urls:
                self._rows.held(at.seq, name, page, None, verdict)
            if self._count is not None:
                now = count_of_new(result, verdict) if is_new else self._counted(urls)
                self._count = self._count.after(before, now)
        at.kept.update(urls)

    def _counted(self, urls: list[str]) -> PageCount:
        return count(self._turn.connection, urls) if self._count is not None else PageCount()

    def page_count(self) -> PageCount:
        if self._count is None:
            self._count = count(self._turn.connection)
        return self._count
