"""The desk: reads what a run has brought, and decides what of it is news.

It follows the run on disk, from the landing it read last. So it never misses one, whoever made the run go on meanwhile,
and however it or the run died. A page is news once: when it is first met, is wanted, and was published within the
window. When that was the page says itself, in its metadata or by its address, or a feed says it. If neither does, it is
news only if the link that led to it appeared on a page that was looked at before without it; then it was published by
then, or when its server says that it was last modified, if that can be. What was published while the watch was stopped
is news as well. An address that is watched is none itself, and neither is a page whose very bytes were told at another
address of the site.

Of documents that have a date, a copy that says something else is news as well, with what was there before. A document
that changes again and again is told of after a rest that doubles, with all that changed since it was last told.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import hidden, host_of
from wolfspider.store.brought_pages import BroughtPage, brought_after, copy_numbered
from wolfspider.store.view import RunView, StoredPage, utc
from wolfspider.watch.alerts import Alerts
from wolfspider.watch.appearing import Appearing
from wolfspider.watch.book import Book, MetDocument, Reached, Report, ToldCopy
from wolfspider.watch.differences import difference
from wolfspider.watch.standstills import Standstills
from wolfspider.web.page import charset
from wolfspider.web.page.main_text import main_text
from wolfspider.web.page.plaintext import readable

AT_ONCE = 50  # landings that are read in one go
LONGEST_TEXT = 20_000  # characters of a copy that a report has
HOUR, DAY = 3600.0, 86_400.0
_ARCHIVE = re.compile(r"/(?:19|20)\d\d[/_-][01]?\d[/_-][0-3]?\d(?:/\d{1,5})?/?$")  # the list of a day, not a page of it
TOLD, OLD, UNDATED, IRRELEVANT, NOINDEX = "told", "old", "undated", "irrelevant", "noindex"
TWIN, WATCHED = "twin", "watched"
FEW_WORDS = 30  # pages with fewer may be alike by chance
BY_PAGE, BY_FEED, BY_SERVER, BY_LIST = "page", "feed", "last-modified", "list"


@dataclass(frozen=True, slots=True)
class Dated:
    """When a document was published, and who says so."""

    published: float | None = None
    by: str = ""
    latest: float | None = None  # it may have been up to then: a date without a time is a day

    def fresh(self, at: float, window: float) -> bool:
        return self.published is not None and at - min(at, self.latest or self.published) <= window


class Desk:
    """`window`: seconds after its publication for which a page is news. `watched`: addresses that a person gave."""

    def __init__(self, run: Path, book: Book, window: float, watched: Iterable[str] = ()) -> None:
        self.view, self.book, self.window, self._watched = RunView(run), book, window, frozenset(watched)
        self._standstills = Standstills(book)
        self._appearing = Appearing(self.view.parsed)
        self._alerts = Alerts(book)
        self._first: float | None = None

    def look(self, now: float | None = None) -> list[Report]:
        """Read on, as far as the run is, and write down what is news. `now`: for what nobody brought, alerts."""
        found: list[Report] = []
        while (some := self.look_at_some()) is not None:
            found += some
        return found + self.look_for_silence(now)

    def look_at_some(self) -> list[Report] | None:
        """Read on a little; None if there is nothing left to read."""
        with self.view.moment() as run:
            landings = brought_after(run, *self._where(run), AT_ONCE)
            if not landings:
                return None
            found: list[Report] = []
            with self.book.writing():
                for landing in landings:
                    if landing.failure is None and self._standstills.landed(landing.at, self.window):
                        self._alerts.stood_still()
                    found += filter(None, map(self.book.report, self._read(run, landing)))
                self._standstills.keep()
                self.book.reach(Reached(landings[-1].seq, landings[-1].n))
        return found

    def look_for_silence(self, now: float | None) -> list[Report]:
        if now is None or self._standstills.stands(now):
            return []
        with self.book.writing():
            return list(filter(None, map(self.book.report, self._alerts.silent(now))))

    def _where(self, run: sqlite3.Connection) -> Reached:
        """A run that lost its last moments in a power cut goes on from an earlier one; what was read of it is known."""
        reached = self.book.reached()
        (last,) = run.execute("SELECT IFNULL(MAX(seq), 0) FROM log").fetchone()
        return reached if reached.seq <= last else Reached(last, -1)

    def _read(self, run: sqlite3.Connection, landing: BroughtPage) -> Iterator[Report]:
        yield from self._alerts.looked(landing)
        if landing.page is None:
            return
        page, known = landing.page, self.book.document(landing.page.final_url)
        if known is None:
            yield from self._met(run, landing, page)
        else:
            yield from self._again(run, landing, page, known)

    def _met(self, run: sqlite3.Connection, landing: BroughtPage, page: StoredPage) -> Iterator[Report]:
        """A page that is met for the first time."""
        dated = self._dated(run, landing, page)
        state = self._state(landing, page, dated)
        self.book.keep(
            MetDocument(
                *(page.final_url, state, landing.at, landing.at, page.number, page.digest),
                *(dated.published, dated.by, page.title[:300], landing.agent, landing.source),
            )
        )
        if state == TOLD:
            yield self._new(landing, page, dated)

    def _again(
        self, run: sqlite3.Connection, landing: BroughtPage, page: StoredPage, known: MetDocument
    ) -> Iterator[Report]:
        """A page that was met before, perhaps another copy of it."""
        before, known.looked, known.page = known.page, landing.at, page.number
        known.digest, known.title = page.digest, page.title[:300]
        if known.state in (IRRELEVANT, NOINDEX) or (known.state == OLD and page.published is not None):
            dated = _by_page(page, landing.at)
            state = self._state(landing, page, dated)
            if state not in (IRRELEVANT, NOINDEX, UNDATED):
                known.state, known.published, known.dated = state, dated.published, dated.by
            if state == TOLD:
                self.book.keep(known)
                yield self._new(landing, page, dated)
                return
        if known.state in (TOLD, OLD, WATCHED) and page.relevant and not hidden(page.robots):
            yield from self._perhaps_changed(run, landing, page, known, before)
        self.book.keep(known)

    def _perhaps_changed(
        self, run: sqlite3.Connection, landing: BroughtPage, page: StoredPage, known: MetDocument, before: int
    ) -> Iterator[Report]:
        """Compared with the copy that people know; a change that comes too soon after another waits."""
        told = self.book.told_copy(known.url) or ToldCopy(before)
        rest = min(HOUR * 2.0 ** min(known.changes - 1, 10), DAY)
        if page.number in (told.page, told.compared) or landing.at < told.at + rest:
            return
        old = copy_numbered(run, told.page)
        report = None if old is None else self._changed(landing, old, page)
        if report is not None:
            known.changes += 1
            yield report
        base = ToldCopy(page.number, landing.at) if report is not None or old is None else told
        self.book.keep_told_copy(known.url, base._replace(compared=page.number))

    def _state(self, landing: BroughtPage, page: StoredPage, dated: Dated) -> str:
        if hidden(page.robots):
            return NOINDEX
        if not page.relevant:
            return IRRELEVANT
        if dated.published is None:
            return UNDATED
        latest = dated.latest or dated.published
        missed = self._standstills.covers(dated.published, latest, landing.at, self.window)
        if not missed and not dated.fresh(landing.at, self.window):
            return OLD
        if self._watched & {landing.url, page.final_url}:
            return WATCHED
        return TWIN if self._is_twin(page, dated) else TOLD

    def _is_twin(self, page: StoredPage, dated: Dated) -> bool:
        """Was it told at another address of the site? If the addresses are not nearly the same, it must be of some
        length and say when it was published: many sites serve one empty page for all that a script would fill in."""
        named, site = _bare(page.final_url), _site(page.final_url)
        own = page.words >= FEW_WORDS and dated.by == BY_PAGE
        others = self.book.told_with(page.digest)
        return any(_bare(other) == named or (own and _site(other) == site) for other in others)

    def _dated(self, run: sqlite3.Connection, landing: BroughtPage, page: StoredPage) -> Dated:
        if (dated := _by_page(page, landing.at)).published is not None:
            return dated
        if not page.relevant or not landing.source or _ARCHIVE.search(page.final_url):
            return Dated()
        if (said := self.book.feed_date(landing.url)) is not None:
            return Dated(min(said, landing.at), BY_FEED)
        appeared = self._appearing.of(run, landing.url, landing.source, landing.seq)
        if appeared is None:
            return Dated()
        if page.modified is not None and appeared.after - DAY <= page.modified <= landing.at:
            return Dated(page.modified, BY_SERVER)
        return Dated(appeared.by, BY_LIST)

    # What is told

    def _new(self, landing: BroughtPage, page: StoredPage, dated: Dated) -> Report:
        self._alerts.told(page.final_url, landing.source, dated.published or landing.at, self._standstills)
        data = _about(landing, page) | {
            "published": utc(dated.published),
            "dated_by": dated.by,
            "late": None if dated.published is None else round(max(0.0, landing.at - dated.published), 1),
            "to_the_day": dated.latest is not None,
            "from_before": dated.published is not None and dated.published < self._began(landing.at),
        }
        return Report.named("new", landing.at, page.final_url, data)

    def _began(self, at: float) -> float:
        """When the watch first looked: what was published before is told, but nobody could have been in time."""
        if self._first is None:
            if (began := self.book.remembered("began")) is None:
                self.book.remember("began", began := str(at))
            self._first = float(began)
        return self._first

    def _changed(self, landing: BroughtPage, old: StoredPage, page: StoredPage) -> Report | None:
        if old.digest == page.digest:
            return None
        texts = [self._text(copy) for copy in (old, page)]
        change = difference(*texts)
        if not change.matters:
            return None
        kept = [
            {"page": copy.number, "fetched": utc(copy.at), "digest": copy.digest, "text": text[:LONGEST_TEXT]}
            for copy, text in zip((old, page), texts, strict=True)
        ]
        data = _about(landing, page) | {"old": kept[0], "new": kept[1], **change.told()}
        return Report.named("changed", landing.at, page.final_url, data, f"{old.digest} {page.digest}")

    def _text(self, page: StoredPage) -> str:
        """Its main text where the extra is installed that finds it, its visible text otherwise."""
        try:
            body = self.view.body(page)
        except BadInput:
            return ""
        kind = page.headers.get("content-type", "")
        if charset.kind_of(kind, body) == "html":
            try:
                return main_text(charset.decoded(kind, body)[0], page.final_url)
            except Problem:
                pass
        return readable(body, kind)


def _by_page(page: StoredPage, at: float) -> Dated:
    """What the page says itself. A date that is still to come is today; one without a time may be any time of its
    day."""
    if page.published is None or _ARCHIVE.search(page.final_url):
        return Dated()
    published = min(page.published, at)
    return Dated(published, BY_PAGE, None if page.published % DAY else published + DAY - 1)


def _site(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _bare(url: str) -> str:
    """The address without what often differs where a site has a page at two: http or https, www, a last slash."""
    return url.partition("://")[2].removeprefix("www.").rstrip("/")


def _about(landing: BroughtPage, page: StoredPage) -> dict[str, Any]:
    return {
        "title": page.title,
        "description": page.description,
        "language": page.language,
        "found": utc(landing.at),
        "agent": landing.agent,
        "source": landing.source,
        "score": round(page.score, 4),
        "digest": page.digest,
    }
