"""Alarms about sites and lists: what used to have news and has none any more.

A site is silent if it published nothing new for a day, for twelve times as long as it usually takes, and for half as
long again as it ever did since it is watched, while it was looked at 20 times. If news came by chance, that would
happen once in 160,000 times; and a paper that comes out once a week is quiet between its issues. A list (a page that
news were found on) is gone if it failed several times in a row, and was redesigned if it shows less than a fifth of the
links that it used to, looked at several times. An alarm is given once, and again only after all was well in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from wolfspider.core.model import host_of, is_web_address
from wolfspider.store.brought_pages import BroughtPage
from wolfspider.store.view import utc
from wolfspider.watch.book import Book, Report
from wolfspider.watch.standstills import Standstills

DAY = 86_400.0
GAPS = 12.0  # times the usual time between two news
FEW = 5  # news of a site that say too little of how often they come
LONGER, LONGEST = 1.5, 30 * DAY  # times the longest silence so far; seconds after which a site is silent in any case
LOOKS = 20  # at a site without any news
USUAL = 3  # news that were found on a list before it is known as one
AGAIN = 3  # looks at a list in a row
SHARE = 0.2  # of the links that a list usually has
_MOVES = 0.2  # of the way to the number of links it has now


class Alerts:
    def __init__(self, book: Book) -> None:
        self._book = book

    def told(self, url: str, source: str, at: float, standstills: Standstills) -> None:
        """A document is news, and its link stood there. `at`: when it was published."""
        before = self._book.rows("SELECT last FROM sites WHERE host = ? AND last < ?", host_of(url), at)
        if before and not standstills.during(before[0][0], at):
            self._book.execute(
                "INSERT INTO silences VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET longest = MAX(longest,"
                " excluded.longest)",
                *(host_of(url), at - before[0][0]),
            )
        self._book.execute(
            "INSERT INTO sites VALUES (?, ?, ?, 1, 0, 0) ON CONFLICT (host) DO UPDATE SET told = told + 1, "
            "first = MIN(first, excluded.first), last = MAX(last, excluded.last), looks = 0, silent = 0",
            *(host_of(url), at, at),
        )
        if is_web_address(source):
            self._book.execute(
                "INSERT INTO lists (url, told) VALUES (?, 1) ON CONFLICT (url) DO UPDATE SET told = told + 1", source
            )

    def stood_still(self) -> None:
        """Nobody looked for long: what is silent is judged by looks from now on."""
        self._book.execute("UPDATE sites SET looks = 0")

    def looked(self, landing: BroughtPage) -> Iterator[Report]:
        """A page was asked for."""
        self._book.execute("UPDATE sites SET looks = looks + 1 WHERE host = ?", host_of(landing.url))
        found = self._book.rows("SELECT told, links, bad, alerted FROM lists WHERE url = ?", landing.url)
        if not found:
            return
        told, usual, bad, alerted = found[0]
        links = landing.page.links if landing.page is not None else 0
        poor = landing.page is None or links < SHARE * usual
        bad = bad + 1 if poor else 0
        if not poor:
            usual = usual + _MOVES * (links - usual) if usual else float(links)
        alarm = told >= USUAL and bad >= AGAIN and not alerted
        alerted = int(poor and (alerted or alarm))
        self._book.execute(
            "UPDATE lists SET links = ?, bad = ?, alerted = ? WHERE url = ?", usual, bad, alerted, landing.url
        )
        if alarm:
            yield self._list_gone(landing, told, usual, links)

    def _list_gone(self, landing: BroughtPage, told: int, usual: float, links: int) -> Report:
        what = (
            f"it failed {AGAIN} times ({landing.failure} {landing.detail or ''})".rstrip()
            if landing.page is None
            else f"it has {links} links now, and usually had {usual:.0f}: the site may have been redesigned"
        )
        sentence = f"{told} news were found on {landing.url}, but {what}."
        data = {"alarm": "list", "found": utc(landing.at), "title": sentence, "sentence": sentence}
        return Report.named("alert", landing.at, landing.url, data, f"list {landing.at}")

    def silent(self, now: float) -> Iterator[Report]:
        """Sites that had news and have none."""
        sql = (
            "SELECT host, first, last, told FROM sites WHERE silent = 0 AND told >= ? AND looks >= ? AND ? - last >= ?"
            " AND (? - last) * (told - 1) >= ? * (last - first)"
            " AND ? - last >= MIN(?, ? * IFNULL((SELECT longest FROM silences WHERE silences.host = sites.host), 0))"
        )
        for host, _, last, told in self._book.rows(sql, FEW, LOOKS, now, DAY, now, GAPS, now, LONGEST, LONGER):
            self._book.execute("UPDATE sites SET silent = 1 WHERE host = ?", host)
            sentence = f"{host} had {told} news, but published none in the last {(now - last) / 3600:.0f} hours."
            data = {"alarm": "silent", "found": utc(now), "title": sentence, "sentence": sentence}
            yield Report.named("alert", now, f"http://{host}/", data, f"silent {last}")
