"""Feeds: what a site says is new. RSS in all its kinds, Atom, JSON Feed; and where a page says its feeds are.

An entry is an address with a title and a date. Its address is the one meant for readers: the alternate link of Atom,
the link of RSS, or its guid where that is a permanent link. Relative addresses are seen from the nearest xml:base, or
from the feed itself. Feeds are written by strangers: they are read within bounds (bounded_formats.py), and of
each no more than the first thousand entries.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from wolfspider.core.model import Fetch, is_web_address
from wolfspider.web.page import charset, dates
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds.bounded_formats import Opened, XmlReading, list_of, loaded, root, text_of
from wolfspider.web.seeds.gathered import Allows, Gathered, Gathering, harmless
from wolfspider.web.worlds.world import Web

MOST_BYTES = 10_000_000
MOST_ENTRIES = 1_000
MOST_FEEDS = 200  # asked for in one gathering
MOST_NAMED = 10  # feeds that a page may name
_HEAD = 64_000  # characters of a page in which its feeds are looked for

_ROOTS = frozenset(("rss", "feed", "rdf"))
_ENTRIES = frozenset(("item", "entry"))
_DATES = frozenset(("pubdate", "published", "dc:date", "date", "issued"))
_CHANGES = frozenset(("updated", "modified"))
_BODY = re.compile(r"<(?:body|div|p|table|span|a|ul|main|header)[\s>/]", re.IGNORECASE)
_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/feed+json",
    "application/json",
    "application/xml",
    "text/xml",
)


class FeedEntry(NamedTuple):
    url: str  # canonical
    title: str = ""
    published: float | None = None


class Feed(NamedTuple):
    entries: list[FeedEntry]
    cut: bool = False  # there is more in it, or it is damaged


def entries(body: bytes, base: str, content_type: str = "", at: float = 0.0) -> Feed:
    """What a feed names, whatever bytes it is made of. `base` is where it lies, `at` when it was looked at."""
    start = body[:MOST_BYTES]
    found = _from_json(start, base, at) if _opens_as_json(start) else _from_xml(start, base, content_type, at)
    return found._replace(cut=found.cut or len(body) > MOST_BYTES)


def is_feed(body: bytes, content_type: str = "") -> bool:
    """Does the content say that it is one?"""
    if _opens_as_json(body):
        return "jsonfeed.org/version/" in text_of(loaded(body), "version")
    return root(body, content_type).rpartition(":")[2] in _ROOTS


def _opens_as_json(body: bytes) -> bool:
    return body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _from_json(body: bytes, base: str, at: float) -> Feed:
    items = list_of(loaded(body), "items")
    named = (_from_item(item, base, at) for item in items[:MOST_ENTRIES])
    return Feed([entry for entry in named if entry], len(items) > MOST_ENTRIES)


def _from_item(item: Any, base: str, at: float) -> FeedEntry | None:
    address = text_of(item, "url") or text_of(item, "external_url")
    url = canonical(address, base) if address else None
    told = text_of(item, "date_published") or text_of(item, "date_modified")
    return FeedEntry(url, _title(text_of(item, "title")), dates.believable(dates.seconds(told), at)) if url else None


class _Draft:
    """An entry of RSS or Atom while it is read. Titles and links of what lies deeper in it are not its own."""

    def __init__(self, opened: Opened) -> None:
        self.depth = opened.depth
        self.prefix = opened.name.rpartition(":")[0]
        self.addresses: dict[int, tuple[str, str]] = {}  # by trust, 0 first: address, and what it is relative to
        self.title = ""
        self.dates: list[str] = []
        self.changes: list[str] = []
        self._permanent = True

    def open(self, name: str, attributes: Mapping[str, str], base: str) -> None:
        if name.rpartition(":")[2] == "link" and attributes.get("href"):
            rel, kind = attributes.get("rel", "alternate").lower(), attributes.get("type", "text/html").lower()
            trust = (0 if "html" in kind else 2) if rel == "alternate" else 4
            if rel in ("alternate", "related", "via"):
                self._address(trust, attributes["href"], base)
        elif name == "guid":
            self._permanent = attributes.get("ispermalink", attributes.get("isPermaLink", "true")).lower() != "false"

    def close(self, name: str, text: str, base: str) -> None:
        if text := text.strip():
            if name == "link":
                self._address(1, text, base)
            elif name == "guid" and self._permanent and is_web_address(text):
                self._address(3, text, base)
            elif name == "title":
                self.title = self.title or text
            elif name in _DATES:
                self.dates.append(text)
            elif name in _CHANGES:
                self.changes.append(text)

    def _address(self, trust: int, address: str, base: str) -> None:
        self.addresses.setdefault(trust, (address.strip(), base))

    def entry(self, at: float) -> FeedEntry | None:
        named = (canonical(*self.addresses[trust]) for trust in sorted(self.addresses))
        url = next((url for url in named if url), None)
        told = (dates.believable(dates.seconds(text), at) for text in (*self.dates, *self.changes))
        return FeedEntry(url, _title(self.title), next((date for date in told if date), None)) if url else None


def _from_xml(body: bytes, base: str, content_type: str, at: float) -> Feed:
    found: list[FeedEntry] = []
    reading = XmlReading(body, content_type)
    draft: _Draft | None = None
    seen = 0
    bases = [base]  # what addresses are relative to, at each depth
    for event in reading:
        if isinstance(event, Opened):
            if event.depth == 1 and event.name.rpartition(":")[2] not in _ROOTS:
                return Feed([], True)
            bases[event.depth :] = [_base(event, bases[event.depth - 1])]
            if draft is None and event.depth > 1 and event.name.rpartition(":")[2] in _ENTRIES:
                draft = _Draft(event)
            elif draft is not None and event.depth == draft.depth + 1:
                draft.open(_own(event.name, draft.prefix), event.attributes, bases[event.depth])
        elif draft is not None:
            if event.depth == draft.depth:
                found += [entry] if (entry := draft.entry(at)) else []
                draft, seen = None, seen + 1
            elif event.depth == draft.depth + 1:
                draft.close(_own(event.name, draft.prefix), event.text, bases[event.depth])
        if seen >= MOST_ENTRIES:
            return Feed(found, True)
    return Feed(found, not reading.whole)


def _own(name: str, prefix: str) -> str:
    return name.removeprefix(f"{prefix}:") if prefix else name


def _base(event: Opened, around: str) -> str:
    told = event.attributes.get("xml:base")
    return (canonical(told, around) if told else None) or around


def _title(text: str) -> str:
    """As a reader sees it: titles may hold markup and references of HTML."""
    text = text[:2000]
    if "<" in text or "&" in text:
        root = LexborHTMLParser(text).body
        text = root.text(separator=" ") if root is not None else ""
    return harmless(text)


def feeds_of(page: bytes, base: str, content_type: str = "") -> list[str]:
    """The feeds that a page names in its head."""
    head = charset.decoded(content_type, page[: 4 * _HEAD])[0][:_HEAD]
    # Lexbor needs time in the square of the depth, and a head has none.
    tree = LexborHTMLParser(_BODY.split(head, maxsplit=1)[0])
    node = tree.css_first("base[href]")
    base = (canonical(node.attributes.get("href") or "", base) if node is not None else None) or base
    found: dict[str, None] = {}
    for link in tree.css("link[href][type]"):
        attributes = link.attributes
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        named = "alternate" in (attributes.get("rel") or "").lower().split() and kind in _TYPES
        if named and (url := canonical(attributes.get("href") or "", base)):
            found[url] = None
    return list(found)[:MOST_NAMED]


async def gather(web: Web, urls: Iterable[str], allows: Allows, most: int) -> Gathered:
    """The links of these feeds, in order. Where an address turns out to be a page, the feeds it names are read."""
    gathering = Gathering(web, most)
    known: dict[str, bool] = dict.fromkeys(urls, True)  # may what it names be followed?
    waiting = list(known)
    while waiting and not gathering.full and len(known) - len(waiting) < MOST_FEEDS:
        url = waiting.pop(0)
        fetch = await gathering.ask(url)
        if fetch is None or await _read(gathering, fetch, allows):
            continue
        named = await asyncio.to_thread(feeds_of, fetch.body, fetch.final_url, _type(fetch)) if known[url] else []
        new = [other for other in named if other not in known]
        known.update(dict.fromkeys(new, False))
        waiting = new + waiting
        if not named:
            gathering.remark(url, "It is no feed, and names none.")
    if waiting and not gathering.full:
        gathering.remark(waiting[0], f"It was left out: {MOST_FEEDS} feeds were read already.")
    return gathering.gathered()


async def _read(gathering: Gathering, fetch: Fetch, allows: Allows) -> bool:
    """Keeps what is allowed. Was it a feed? Large ones are read beside the loop."""
    if not is_feed(fetch.body, _type(fetch)):
        return False
    found = await asyncio.to_thread(entries, fetch.body, fetch.final_url, _type(fetch), fetch.at)
    for entry in found.entries:
        if allows(entry.url):
            gathering.add(entry.url, entry.title, "feed")
    if not found.entries:
        gathering.remark(fetch.url, "There is no entry with an address in it.")
    elif found.cut or fetch.cut:
        gathering.remark(fetch.url, "It is too long or damaged: what could be read of it was taken.")
    return True


def _type(fetch: Fetch) -> str:
    return fetch.headers.get("content-type", "")
