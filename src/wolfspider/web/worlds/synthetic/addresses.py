"""From a page to its address and back, without a table.

    http://www.<name>.<top>/                        home page; the name spells the permuted number of the host
    http://www.<name>.<top>/<section>/              section page; sections are the first words of the host
    http://www.<name>.<top>/<section>/<slug>-<code> any other page; the code is the permuted number of the page

Three slugs in ten carry words of the topic; the code gives nothing away. All hosts end in `.example` or `.test`,
which nobody can own: a request that strays to the live web reaches no one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from wolfspider.web.worlds.synthetic.counter import Shuffle, key_for, mix
from wolfspider.web.worlds.synthetic.sites import BRANCHING, Kind, Sites
from wolfspider.web.worlds.synthetic.words import BACKGROUND_BITS, Vocabularies

CODE_BITS = 26
_TOPICAL_SLUGS = 77  # of 256
_TOPS = ("example", "test")
_CARDS_KEPT = 1 << 14


class Card(NamedTuple):
    """What a link to a page needs to know of it."""

    page: int
    host: int
    topic: int
    title: tuple[str, ...]
    url: str


class Addresses:
    def __init__(self, sites: Sites, lexicon: Vocabularies) -> None:
        self.sites, self.lexicon = sites, lexicon
        seed = sites.params.seed
        self._codes = Shuffle(1 << CODE_BITS, key_for(seed, "codes"))
        self._title_key, self._slug_key, self._top_key = (key_for(seed, name) for name in ("title", "slug", "top"))
        self.card = lru_cache(_CARDS_KEPT)(self._card)
        self.host_name = lru_cache(_CARDS_KEPT)(self._host_name)

    def _host_name(self, host: int) -> str:
        return f"www.{self.lexicon.host_name(host)}.{_TOPS[mix(self._top_key + host) & 1]}"

    def host_number(self, name: str) -> int | None:
        """The host of this name, if it is one of this web."""
        parts = name.split(".")
        if len(parts) != 3:
            return None
        host = self.lexicon.host_named(parts[1])
        return host if host is not None and host < self.sites.hosts and self.host_name(host) == name else None

    def code(self, page: int) -> str:
        return f"{self._codes.forward(page):07x}"

    def page_coded(self, code: str) -> int | None:
        if len(code) != 7 or code.strip("0123456789abcdef"):
            return None
        number = int(code, 16)
        page = self._codes.back(number) if number < 1 << CODE_BITS else self.sites.pages
        return page if page < self.sites.pages else None

    def page_at(self, host: int, path: str) -> int | None:
        """The page of this host that a path means; its canonical address may be spelled otherwise."""
        if path == "/":
            return self.sites.starts[host]
        parts = path.split("/")
        if len(parts) != 3:
            return None
        if not parts[2]:
            places = range(1, min(1 + BRANCHING, self.sites.size(host)))
            section = next((place for place in places if self.section_word(host, place) == parts[1]), None)
            return None if section is None else self.sites.starts[host] + section
        page = self.page_coded(parts[2].rpartition("-")[2])
        return page if page is not None and self.sites.host(page) == host else None

    def section_word(self, host: int, section: int) -> str:
        return self.lexicon.host_word(host, section - 1)

    def content(self, page: int, host: int) -> tuple[int, int]:
        """The page, and its host, whose text is shown here: on mirrors another one."""
        return self.sites.original(page, host) if self.sites.host_kind(host) == Kind.MIRROR else (page, host)

    def title(self, page: int, topic: int) -> tuple[str, ...]:
        """`page` is an original."""
        return self.lexicon.title(topic, mix(self._title_key + page))

    def url(self, page: int) -> str:
        return self.card(page).url

    def _card(self, page: int) -> Card:
        host = self.sites.host(page)
        topic = self.sites.topic(page, host)
        title = self.title(self.content(page, host)[0], topic)
        url = f"http://{self.host_name(host)}/"
        place = page - self.sites.starts[host]
        if place:
            url += f"{self.section_word(host, self.sites.section(place))}/"
        if place > BRANCHING:
            url += f"{self._slug(page, title)}-{self.code(page)}"
        return Card(page, host, topic, title, url)

    def _slug(self, page: int, title: tuple[str, ...]) -> str:
        bits = mix(self._slug_key + page)
        if bits & 255 < _TOPICAL_SLUGS:
            return f"{title[0]}-{title[1]}"
        table, low = self.lexicon.background, (1 << BACKGROUND_BITS) - 1
        return f"{table[bits >> 8 & low]}-{table[bits >> 24 & low]}"
