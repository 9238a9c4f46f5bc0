"""Sitemaps: what a site says it has.

A sitemap is a list of addresses in XML or in plain text, or an index of further sitemaps, perhaps compressed. It is
written by strangers, so nothing in it is believed further than it must be: addresses are made canonical or dropped,
those on other hosts need the caller's consent, and everything is bounded: bytes and entries of a file, how deep
indexes may lie in each other, how many files are asked for in all. A file that names itself is asked for once.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from wolfspider.core.model import Failure, Fetch, host_of
from wolfspider.web.http.inflate import inflated
from wolfspider.web.page import charset, dates
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds.bounded_formats import Closed, Opened, XmlReading, root
from wolfspider.web.seeds.gathered import Allows, Gathered, Gathering
from wolfspider.web.worlds.world import Web

MOST_BYTES = 50_000_000
MOST_ENTRIES = 50_000
MOST_FILES = 500  # of one gathering, those apart that the person named
DEEPEST = 3  # a sitemap within an index within an index

_GZIP = b"\x1f\x8b"
_WITHIN = {"urlset": "url", "sitemapindex": "sitemap"}
_LINE = re.compile(r"[^\r\n]+")
_OPENING = 2_000  # bytes by which a plain list is told


class Sitemap(NamedTuple):
    urls: list[tuple[str, float | None]]  # address, and when it was last changed
    nested: list[str]
    cut: bool = False  # there is more in it, or it is damaged


def entries(body: bytes, base: str, content_type: str = "") -> Sitemap:
    """What a sitemap names, whatever bytes it is made of. `base` is where it lies."""
    body, cut = _unpacked(body)
    if not body.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n").startswith(b"<"):
        return _from_lines(body, cut, content_type)
    return _from_xml(body, base, cut, content_type)


def is_sitemap(body: bytes, content_type: str = "") -> bool:
    """Does the content say that it is one? A plain list does by its first line, if that is an address."""
    body = _unpacked(body, _OPENING)[0]
    if name := _local(root(body, content_type)):
        return name in _WITHIN
    first = charset.decoded(content_type, body[:_OPENING])[0].strip().partition("\n")[0].strip()
    return canonical(first) is not None and " " not in first


def _unpacked(body: bytes, most: int = MOST_BYTES) -> tuple[bytes, bool]:
    """What was compressed, as far as `most` bytes; damage ends it."""
    if not body.startswith(_GZIP):
        return body[:most], len(body) > most
    found = inflated(body, "gzip", most)
    return (b"", True) if isinstance(found, Failure) else found


def _from_lines(body: bytes, cut: bool, content_type: str) -> Sitemap:
    lines = _LINE.finditer(charset.decoded(content_type, body)[0])  # one at a time: there may be millions
    found = [url for line in islice(lines, MOST_ENTRIES) if (url := canonical(line[0].strip()))]
    return Sitemap([(url, None) for url in found], [], cut or next(lines, None) is not None)


def _from_xml(body: bytes, base: str, cut: bool, content_type: str) -> Sitemap:
    found = Sitemap([], [])
    reading = XmlReading(body, content_type)
    entry, url, changed, seen = "", "", "", 0
    for event in reading:
        name = _local(event.name)
        match event:
            case Opened(depth=1):
                if not (entry := _WITHIN.get(name, "")):
                    return Sitemap([], [], True)
            case Opened(depth=2):
                url, changed, seen = "", "", seen + 1
                if seen > MOST_ENTRIES:
                    return found._replace(cut=True)
            case Closed(text=text, depth=3) if name == "loc":
                url = url or text.strip()
            case Closed(text=text, depth=3) if name == "lastmod":
                changed = text
            case Closed(depth=2) if name == entry and url and (address := canonical(url, base)):
                if entry == "url":
                    found.urls.append((address, dates.seconds(changed) if changed else None))
                else:
                    found.nested.append(address)
    return found._replace(cut=cut or not reading.whole)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


async def gather(web: Web, urls: Iterable[str], allows: Allows, most: int) -> Gathered:
    """The links of these sitemaps and of those they name, in order. An entry is kept if `allows` says so; a further
    sitemap is asked for if it lies beside the one that names it, or is allowed."""
    gathering = Gathering(web, most)
    depths = dict.fromkeys(urls, 1)  # of all sitemaps that are asked for
    waiting = deque(depths)
    while waiting and not gathering.full:
        url = waiting.popleft()
        fetch = await gathering.ask(url)
        if fetch is not None:
            nested = await _read(gathering, fetch, allows)
            waiting.extend(_further(gathering, url, fetch, nested, depths, allows))
    return gathering.gathered()


async def _read(gathering: Gathering, fetch: Fetch, allows: Allows) -> list[str]:
    """Keeps what is allowed, and gives the sitemaps that are named. Large files are read beside the loop."""
    content_type = fetch.headers.get("content-type", "")
    found = await asyncio.to_thread(entries, fetch.body, fetch.final_url, content_type)
    kept = [url for url, _ in found.urls if allows(url)]
    for url in kept:
        gathering.add(url, "", "sitemap")
    if left := len(found.urls) - len(kept):
        gathering.remark(fetch.url, f"{left} of its addresses are out of scope: --include NAME takes a host in.")
    if not found.urls and not found.nested:
        gathering.remark(fetch.url, "There is no address in it: it is no sitemap, or a damaged one.")
    elif found.cut or fetch.cut:
        gathering.remark(fetch.url, "It is too long or damaged: what could be read of it was taken.")
    return found.nested


def _further(
    gathering: Gathering, index: str, fetch: Fetch, nested: list[str], depths: dict[str, int], allows: Allows
) -> list[str]:
    """The sitemaps that an index names and that are to be asked for; from here on their depths are known."""
    new = [url for url in dict.fromkeys(nested) if url not in depths]
    if new and depths[index] >= DEEPEST:
        gathering.remark(index, f"What it names was left out: sitemaps are followed {DEEPEST} deep.")
        return []
    near = [url for url in new if home(url) == home(fetch.final_url) or allows(url)]
    if len(near) < len(new):
        gathering.remark(index, f"{len(new) - len(near)} further sitemaps lie on other hosts and were left out.")
    taken = near[: max(0, MOST_FILES - len(depths))]
    if len(taken) < len(near):
        gathering.remark(index, f"{len(near) - len(taken)} sitemaps were left out: {MOST_FILES} are enough.")
    depths.update(dict.fromkeys(taken, depths[index] + 1))
    return taken


def home(url: str) -> str:
    """Its host; a leading www makes no difference."""
    return host_of(url).removeprefix("www.")
