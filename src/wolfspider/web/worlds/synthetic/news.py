"""The pages of the news site: one host beside the others, whose lists change with every article.

    /                              the 40 most prominent articles of the last 12 hours, all sections, today's archive
    /<section>/                    the newest 40 of a section
    /<section>/<sub-section>/      the newest 30 of a sub-section
    /<yyyy>/<mm>/<dd>              everything of a day
    /<yyyy>/<mm>/<dd>/<n>          where lists are short (`listed`), the n-th so many of a day, once they are there
    /<section>/<sub>/<slug>-<code> an article, from its publication on; revised now and then, same address

Articles link to older ones of their story and section and to pages of their topic on the rest of the web, which does
not link back. With `listed` no list shows more articles than that; what is older is then found in the archive, whose
days lead from the newest articles back to the first, page by page. A page is described once, as `Sheet`: from it come
the HTML and the link skeleton.
"""

from __future__ import annotations

import heapq
import math
import re
import time
from bisect import bisect_right
from calendar import timegm
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from wolfspider.core.topic import Task
from wolfspider.web.worlds.synthetic.addresses import Addresses
from wolfspider.web.worlds.synthetic.answers import NOT_FOUND, PageAnswer
from wolfspider.web.worlds.synthetic.counter import Shuffle, key_for, mix
from wolfspider.web.worlds.synthetic.links import Links
from wolfspider.web.worlds.synthetic.newsroom import DAY, HOUR, LISTS, SECTIONS, NewsArchive, Newsroom
from wolfspider.web.worlds.synthetic.render import Printer, anchor_tag, document
from wolfspider.web.worlds.synthetic.sites import COMMUNITIES
from wolfspider.web.worlds.synthetic.tasks import TASKS, topic_for
from wolfspider.web.worlds.synthetic.words import TOPIC_BITS, length, purity, text

_CODE_BITS = 20
_HOME_ITEMS, _HOME_HOURS, _SECTION_ITEMS, _LIST_ITEMS = 40, 12, 40, 30
_OLDER, _BACKGROUND = 7, 2  # of the older articles that an article links to, so many are from anywhere
_PARAGRAPH, _UPDATE_WORDS = 45, 30
_URLS_KEPT = 1 << 14
_LOW = (1 << TOPIC_BITS) - 1
_DATE = re.compile(r"(/\d{4}/\d\d/\d\d)(?:/([1-9][0-9]{0,4}))?")


class Sheet(NamedTuple):
    """A page of the site at one time, before it is printed."""

    title: tuple[str, ...]
    nav: list[tuple[str, str]]  # address, anchor
    articles: Sequence[int] = ()  # linked to
    pages: Sequence[int] = ()  # of the rest of the web
    article: int | None = None  # shown here; None on lists
    revision: int = 0
    published: float | None = None
    modified: float | None = None


class News:
    def __init__(self, links: Links, addresses: Addresses, printer: Printer) -> None:
        self.links, self.sites, self.printer = links, links.sites, printer
        self.addresses, self.lexicon = addresses, addresses.lexicon
        seed = self.sites.params.seed
        self.host = self.sites.hosts  # the number after the last
        self.name = addresses.host_name(self.host)
        self.site = f"http://{self.name}/"
        self.room = Newsroom(
            seed, self.sites.topics, self.sites.params.epoch, self.sites.params.articles, self.sites.params.days
        )
        self._items, older = self.sites.params.listed, self.sites.params.older  # items of a list; 0: as above
        self._background = older * _BACKGROUND // _OLDER
        self._related = older - self._background
        self._codes = Shuffle(1 << _CODE_BITS, key_for(seed, "article codes"))
        self._title_key, self._text_key, self._link_key = (
            key_for(seed, f"news {n}") for n in ("title", "text", "link")
        )
        self.url = lru_cache(_URLS_KEPT)(self._url)  # of an article
        self.sections = [self.lexicon.host_word(self.host, number) for number in range(SECTIONS)]
        self.subsections = [self.lexicon.host_word(self.host, SECTIONS + n) for n in range(LISTS // SECTIONS)]
        # The lists by their paths: a section, and a sub-section or None.
        self._lists: dict[str, tuple[int, int | None]] = {
            **{f"/{word}/": (section, None) for section, word in enumerate(self.sections)},
            **{f"/{self.list_url(n).removeprefix(self.site)}": (n % SECTIONS, n) for n in range(LISTS)},
        }

    @cached_property
    def archive(self) -> NewsArchive:
        return self.room.publish()

    def answer(self, path: str, now: float) -> PageAnswer:
        sheet = self.sheet(path, now)
        if sheet is None:
            return NOT_FOUND
        if isinstance(sheet, str):
            return PageAnswer(301, location=sheet)
        return PageAnswer(200, body=self.printed(sheet), modified=sheet.modified, url=self.site + path[1:])

    def sheet(self, path: str, now: float) -> Sheet | str | None:
        """What is at this path: a page, the address it should be asked for by, or nothing."""
        if path == "/":
            return self._home(now)
        if _DATE.fullmatch(path):
            return self._day(path, now)
        if path in self._lists:
            return self._list(*self._lists[path], now)
        number = self._number(path)
        if number is None or number >= self.archive.count(now):
            return None
        url = self.url(number)
        return self._article(number, now) if url == self.site + path[1:] else url

    def changed(self, path: str, since: float) -> float:
        """When the page at this path next changes or appears after a time; inf if it never does."""
        if path == "/":
            return self._home_changes(since)
        if _DATE.fullmatch(path):
            return self._day_changes(path, since)
        number = self._number(path)
        if number is not None:
            return self._article_changes(number, since)
        ids = self._ids(*self._lists[path]) if path in self._lists else ()
        place = bisect_right(ids, self.archive.count(since) - 1)
        return self.archive.times[ids[place]] if place < len(ids) else math.inf

    def _number(self, path: str) -> int | None:
        """The article with this path, published or not; by any path that leads to it."""
        folder, _, name = path.rpartition("/")
        code = name.rpartition("-")[2]
        if self._lists.get(f"{folder}/", (0, None))[1] is None or len(code) != 5 or code.strip("0123456789abcdef"):
            return None
        number = self._codes.back(int(code, 16))
        return number if number < len(self.archive.times) else None

    def _ids(self, section: int, list_: int | None) -> Sequence[int]:
        """All articles of a list, past and to come."""
        return self.archive.by_section[section] if list_ is None else self.archive.by_list[list_]

    def _home_changes(self, since: float) -> float:
        """It changes at midnight, by an article that is more prominent than those shown, and when one of these grows
        old."""
        archive, there = self.archive, self.archive.count(since)
        shown = self._home(since).articles
        full = len(shown) == self._at_most(_HOME_ITEMS)
        least = min(archive.ranks[number] for number in shown) if full else -math.inf
        better = (number for number in range(there, len(archive.times)) if archive.ranks[number] > least)
        enters = next((archive.times[number] for number in better), math.inf)
        oldest = min((archive.times[number] for number in shown), default=math.inf)
        leaves = _reached(oldest + _HOME_HOURS * HOUR, lambda now: now - _HOME_HOURS * HOUR >= oldest)
        return min(enters, leaves, (since // DAY + 1) * DAY)

    def _day_changes(self, path: str, since: float) -> float:
        """The next article of the day changes it; a page of a day changes once, when it is full and so appears."""
        begin, page = _dated(path)
        if begin is None or (page and not self._items):
            return math.inf
        if not page and since < begin and self._begun(begin, begin):
            return begin
        first, there = self.archive.count(begin), self.archive.count(since)
        number = first + page * self._items - 1 if page else max(there, first)
        if number < there or number >= len(self.archive.times):
            return math.inf
        comes = self.archive.times[number]
        return comes if comes <= begin + DAY - 1e-6 else math.inf

    def _article_changes(self, number: int, since: float) -> float:
        published = self.archive.times[number]
        if since < published:
            return published
        when = next((age for age in self.room.revisions(number, math.inf) if age > since - published), math.inf)
        return _reached(published + when, lambda now: now - published >= when)

    def _url(self, number: int) -> str:
        slug = "-".join(self.title(number)[:2])
        return f"{self.list_url(self.archive.lists[number])}{slug}-{self._codes.forward(number):05x}"

    def list_url(self, list_: int) -> str:
        return f"{self.site}{self.sections[list_ % SECTIONS]}/{self.subsections[list_ // SECTIONS]}/"

    def day_url(self, now: float) -> str:
        return f"{self.site}{time.strftime('%Y/%m/%d', time.gmtime(now))}"

    def title(self, number: int) -> tuple[str, ...]:
        return self.addresses.title(self._title_key + number, self.archive.topics[number])

    def paths(self, now: float) -> Iterator[str]:
        """Every page of the site at a time, lists first."""
        yield from self.list_paths(now)
        yield from (f"/{self.url(number)[len(self.site) :]}" for number in range(self.archive.count(now)))

    def list_paths(self, now: float) -> Iterator[str]:
        yield from ("/", *self._lists)
        first, last = int(self.archive.times[0] // DAY), int(min(now, self.archive.times[-1]) // DAY)
        for day in range(first, last + 1):
            path = f"/{self.day_url(day * DAY)[len(self.site) :]}"
            yield path
            pages = len(self._of_day(day * DAY, now)) // self._items if self._items else 0
            yield from (f"{path}/{page}" for page in range(1, pages + 1))

    def skeleton(self, now: float) -> Iterator[tuple[str, list[str], Sequence[int]]]:
        """(address, addresses linked to on the site, pages linked to elsewhere) of every page there is at a time."""
        for path in self.paths(now):
            sheet = self.sheet(path, now)
            if isinstance(sheet, Sheet):
                inside = [url for url, _ in sheet.nav] + [self.url(number) for number in sheet.articles]
                yield self.site + path[1:], inside, sheet.pages

    def _home(self, now: float) -> Sheet:
        archive = self.archive
        recent = range(archive.count(now - _HOME_HOURS * HOUR), archive.count(now))
        prominent = heapq.nlargest(self._at_most(_HOME_ITEMS), recent, key=archive.ranks.__getitem__)
        nav = [(f"{self.site}{section}/", section) for section in self.sections]
        return self._listing(("home",), [*nav, (self.day_url(now), "today")], prominent)

    def _list(self, section: int, list_: int | None, now: float) -> Sheet:
        ids = self._ids(section, list_)
        last = bisect_right(ids, self.archive.count(now) - 1)
        count = self._at_most(_SECTION_ITEMS if list_ is None else _LIST_ITEMS)
        newest = ids[max(0, last - count) : last][::-1]
        nav = [(self.site, "home")]
        if list_ is None:
            nav += [(self.list_url(n * SECTIONS + section), word) for n, word in enumerate(self.subsections)]
            return self._listing((self.sections[section],), nav, newest)
        nav.append((f"{self.site}{self.sections[section]}/", self.sections[section]))
        return self._listing((self.sections[section], self.subsections[list_ // SECTIONS]), nav, newest)

    def _day(self, path: str, now: float) -> Sheet | None:
        """A day that the calendar knows and that has begun, or a page of it that is full."""
        begin, page = _dated(path)
        if begin is None or (page and not self._items):
            return None
        ids = self._of_day(begin, now)
        most = self._items or len(ids)
        if page * most > len(ids) or not (ids or self._begun(begin, now)):
            return None
        earlier = page - 1 if page else max(0, math.ceil((len(ids) - most) / most))
        nav = [(self.site, "home")]
        if page:
            nav.append((self.day_url(begin), "newest"))
        elif begin > self.archive.times[0]:
            nav.append((self.day_url(begin - 1), "previous"))
        if earlier:
            nav.append((f"{self.day_url(begin)}/{earlier}", "earlier"))
        shown = ids[(page - 1) * most : page * most] if page else ids[-most:]
        sheet = self._listing((path[1:].replace("/", "-"),), nav, shown[::-1])
        return sheet._replace(published=sheet.modified) if page else sheet  # it stays as it is, and so has a date

    def _of_day(self, begin: float, now: float) -> range:
        """The articles of the day that begins then, as far as they are there."""
        return range(self.archive.count(begin), self.archive.count(min(now, begin + DAY - 1e-6)))

    def _begun(self, begin: float, now: float) -> bool:
        """Is a day there although it has no article yet? Where lists are short it leads to all that is older."""
        return self._items > 0 and self.archive.times[0] - DAY < begin <= now

    def _at_most(self, items: int) -> int:
        return min(items, self._items or items)

    def _listing(self, title: tuple[str, ...], nav: list[tuple[str, str]], ids: Sequence[int]) -> Sheet:
        newest = max(ids, default=None)
        return Sheet(title, nav, ids, modified=None if newest is None else self.archive.times[newest])

    def _article(self, number: int, now: float) -> Sheet:
        published, list_ = self.archive.times[number], self.archive.lists[number]
        revisions = self.room.revisions(number, now - published)
        section = self.sections[list_ % SECTIONS]
        nav = [(self.site, "home"), (f"{self.site}{section}/", section)]
        nav.append((self.list_url(list_), self.subsections[list_ // SECTIONS]))
        modified = published + (revisions[-1] if revisions else 0.0)
        links = (self._older(number), self._elsewhere(number))
        return Sheet(self.title(number), nav, *links, number, len(revisions), published, modified)

    def _paragraphs(self, number: int, revision: int) -> list[str]:
        """The text of an article; a revision puts a paragraph before it."""
        topic = self.archive.topics[number]
        root = mix(self._text_key + number)
        words = text(self.lexicon, root, length(mix(root + 1)), topic, self.host, purity(mix(root + 2)))
        paragraphs = [" ".join(words[at : at + _PARAGRAPH]) for at in range(0, len(words), _PARAGRAPH)]
        if revision:
            update = text(self.lexicon, mix(root + 2 + revision), _UPDATE_WORDS, topic, self.host, 1.0)
            paragraphs.insert(0, " ".join(update))
        return paragraphs

    def _older(self, number: int) -> list[int]:
        """Related articles, the story first, then the sub-section; and some from the background."""
        archive = self.archive
        related: dict[int, None] = {}
        for ids in (archive.by_story[archive.stories[number]], archive.by_list[archive.lists[number]]):
            before = bisect_right(ids, number - 1)
            related.update(dict.fromkeys(ids[max(0, before - self._related) : before][::-1]))
        root = mix(self._link_key + number)
        far = [mix(root + turn) % number for turn in range(self._background)] if number else []
        return list(dict.fromkeys([*list(related)[: self._related], *far]))

    def _elsewhere(self, number: int) -> list[int]:
        """One or two pages of the topic on the rest of the web."""
        root = mix(self._link_key + number)
        found = []
        for turn in range(1 + (root & 1)):
            bits = mix(root + 8 + turn)
            host = self.sites.host_in(self.archive.topics[number], (bits >> 32) % COMMUNITIES, 0)
            found.append(self.links.popular_page(host, bits))
        return list(dict.fromkeys(found))

    def printed(self, sheet: Sheet) -> bytes:
        plate = self.printer.boilerplate(self.host)
        title = " ".join(sheet.title)
        items = "".join([f"<li>{self._item(number)}</li>\n" for number in sheet.articles])
        paragraphs = [] if sheet.article is None else self._paragraphs(sheet.article, sheet.revision)
        cards = map(self.addresses.card, sheet.pages)
        away = "".join([f"<p>{anchor_tag(card.url, ' '.join(card.title[:3]))}</p>" for card in cards])
        body = [
            f'<div class="top"><p>{plate.top}</p></div>\n<div class="content"><h1>{title}</h1>\n',
            *[f"<p>{paragraph}</p>\n" for paragraph in paragraphs],
            f'</div>\n<div class="{"related" if paragraphs else "items"}"><ul>{items}</ul></div>\n',
            f'<div class="away">{away}</div>\n<div class="footer"><p>{plate.bottom}</p></div>',
        ]
        return document(title, sheet.published, [anchor_tag(*link) for link in sheet.nav], body)

    def _item(self, number: int) -> str:
        """A link to an article, and a line about it."""
        table = self.lexicon.topic(self.archive.topics[number])
        bits = mix(self._title_key + number)
        line = " ".join([table[bits >> shift & _LOW] for shift in (3, 16, 29, 42)])
        return f"{anchor_tag(self.url(number), ' '.join(self.title(number)))} {line}"

    def tasks(self) -> dict[str, Task]:
        """Topics of large sub-sections; what is relevant is the articles, those still to come included."""
        topics = list(dict.fromkeys(self.room.main_topics[: 2 * SECTIONS]))
        order = Shuffle(len(topics), key_for(self.sites.params.seed, "news tasks"))
        tasks: dict[str, Task] = {}
        for topic in [topics[order.forward(number)] for number in range(TASKS)]:
            described = topic_for(self.lexicon, self.sites.params.seed, topic, tasks)
            relevant = frozenset(self.url(number) for number, about in enumerate(self.archive.topics) if about == topic)
            tasks[described.name] = Task(described, (self.site,), relevant)
        return tasks


def _dated(path: str) -> tuple[float | None, int]:
    """When the day of a path of the archive begins, if the calendar knows it, and which page of it is meant, or 0."""
    parts = _DATE.fullmatch(path)
    assert parts is not None
    try:
        return float(timegm(time.strptime(parts[1], "/%Y/%m/%d"))), int(parts[2] or 0)
    except ValueError:
        return None, 0


def _reached(about: float, holds: Callable[[float], bool]) -> float:
    """The first time at which this holds; sums are rounded, so it may lie just beside the one that was computed."""
    while about < math.inf and not holds(about):
        about = math.nextafter(about, math.inf)
    while about < math.inf and holds(before := math.nextafter(about, -math.inf)):
        about = before
    return about
