"""Requisites of relevant pages, fetched when a session of the crawl is over: images, styles, scripts.

The crawl itself knows nothing of them: no strategy sees one, and none counts as a download or as a page. They are asked
for as pages are: guarded, in scope, by robots.txt and in turn at their hosts; and they have a bound of their own.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from wolfspider.app.settings import Settings
from wolfspider.core.errors import BadInput
from wolfspider.core.model import NEVER_ASKED, Failure, hidden
from wolfspider.core.scope import Scope
from wolfspider.drivers.driver import RETRIED
from wolfspider.files.disk import check_floor
from wolfspider.store.intake import captures_of
from wolfspider.store.requisites import Requisites, WantedRequisite
from wolfspider.store.view import RunView
from wolfspider.web.page.page_requisites import of_page, of_style
from wolfspider.web.worlds.world import Request, Web

_TOGETHER = 200  # addresses that are taken up at a time
_LANES = 8  # requests at a time: an answer may be large
_A_MINUTE = 60.0  # seconds between two remarks
_MORE = 4  # times as many as may be asked for that styles may name
_LATER = ("waiting", "budget")  # nobody was asked, and a later session may ask


@dataclass
class RequisiteGathering:
    """`scope`: the crawl's. `ended`: set when the session is to end. `tend` keeps what was learned of hosts. `seconds`
    and `megabytes`: what is left of those that the crawl may take."""

    run: Path
    settings: Settings
    web: Web
    scope: Scope
    ended: asyncio.Event
    remark: Callable[[str], None]
    tend: Callable[[], None]
    seconds: float = math.inf
    megabytes: float = math.inf
    _known: int = field(default=0, init=False)  # that pages and styles name
    _before: float = field(default=0.0, init=False)  # megabytes of earlier sessions

    async def go(self) -> None:
        """Fetch what is wanted and was not fetched yet, until a bound is reached or the session is to end."""
        try:
            async with asyncio.timeout(None if self.seconds == math.inf else self.seconds):
                await self._gather()
        except TimeoutError:
            self.remark(
                "The time of the crawl is up (--max-time): a later session with more fetches further requisites."
            )

    async def _gather(self) -> None:
        with closing(Requisites(self.run, write=True, full=self.settings.durability == "full")) as kept:
            self._before = kept.count().megabytes
            await self._list_pages(kept)
            tried, said = set[str](), time.monotonic()
            while wanted := self._next(kept, tried):
                check_floor(self.run, self.settings.disk_floor)
                tried.update(each.url for each in wanted)
                await self._fetch_all(wanted, kept)
                self.tend()
                if time.monotonic() - said >= _A_MINUTE:
                    said = time.monotonic()
                    self.remark(kept.told())
            self.remark(kept.told())

    async def _list_pages(self, kept: Requisites) -> None:
        """What relevant pages name. Pages that ask not to be indexed are in no export, and need nothing."""
        view = RunView(self.run)
        kept.keep_only(view.addresses())
        self._known = kept.known()
        for row in view.pages(relevant=True):
            if self.ended.is_set() or self._known >= self.settings.requisites:
                return  # those of other pages are listed in a session that may ask for more
            if row.place is None or hidden(row.robots) or kept.is_listed(row.final_url, row.digest):
                continue
            with suppress(BadInput):  # its record is damaged, and no export has it
                named = of_page(view.body(row), row.headers.get("content-type", ""), row.final_url)
                self._known += kept.list_of_page(row.final_url, row.digest, self._in_scope(named))
            await asyncio.sleep(0)  # signals are heard meanwhile

    def _in_scope(self, named: Sequence[str]) -> list[str]:
        return [url for url in named if self.scope.allows(url)]

    def _next(self, kept: Requisites, tried: set[str]) -> list[WantedRequisite]:
        """The next ones, each tried once in a session."""
        so_far = kept.count()
        room = self.settings.requisites - so_far.asked
        if self.ended.is_set() or room <= 0 or so_far.megabytes - self._before >= self.megabytes:
            return []
        wanted = kept.wanted(self.settings.tries, RETRIED, _TOGETHER + len(tried))
        return [each for each in wanted if each.url not in tried][: min(_TOGETHER, room)]

    async def _fetch_all(self, wanted: Sequence[WantedRequisite], kept: Requisites) -> None:
        lanes = asyncio.Semaphore(min(_LANES, self.settings.slots))

        async def fetch(each: WantedRequisite) -> None:
            async with lanes:
                await self._fetch(each, kept)

        tasks = [asyncio.create_task(fetch(each)) for each in wanted]
        all_done, ended = asyncio.gather(*tasks), asyncio.create_task(self.ended.wait())
        try:
            await asyncio.wait((all_done, ended), return_when=asyncio.FIRST_COMPLETED)
            if all_done.done():
                all_done.result()
        finally:  # what was on its way is asked for again in the next session
            for task in (*tasks, ended):
                task.cancel()
            await asyncio.gather(all_done, ended, return_exceptions=True)

    async def _fetch(self, each: WantedRequisite, kept: Requisites) -> None:
        fetch = await self.web.fetch(Request(each.url, allows=self.scope.allows))
        failure = fetch.failure
        if failure is None and fetch.status >= 400:
            failure = Failure("status", str(fetch.status))
        if failure is not None and failure.kind in _LATER and failure.kind in NEVER_ASKED:
            return
        kind = fetch.headers.get("content-type", "")
        full = failure is not None or self._known >= _MORE * self.settings.requisites
        named = [] if full else of_style(fetch.body, kind, fetch.final_url)
        self._known += kept.keep(each, failure, captures_of(fetch), kind, self._in_scope(named))
