"""A page as plain data and back: for the cache of parsed pages, and on its way from a process that parses.

What takes time in unpacking a page is making thousands of small strings. So the words in their order are one text,
which is parted when somebody asks for them; few strategies and judges do. All need some of the counts, so each distinct
word lies there once more, with its count, likewise as one text. Links are columns: addresses and anchors as one text
each, tag paths and rels once, numbers as one array.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import msgpack
import numpy as np

from wolfspider.core.model import Failure, Link, Page, UnreadCounts, UnreadWords, page_unread, word_count
from wolfspider.core.text import counts, joined_words

_FIELDS = (
    *("final_url", "title", "size", "digest", "near", "published", "modified", "language", "robots", "canonical"),
    *("description", "status", "type", "charset", "truncated", "main"),
)

# What Link._make does, without a call of Python for each of a hundred links.
_link = functools.partial(tuple.__new__, Link)


def packed(parts: Sequence[Any]) -> bytes:
    data: bytes = msgpack.packb(parts, unicode_errors="surrogatepass")
    return data


def unpacked(data: bytes) -> list[Any]:
    parts: list[Any] = msgpack.unpackb(data, unicode_errors="surrogatepass")
    return parts


def parts_of(result: Page | Failure) -> list[Any]:
    """All of a page but the address that was asked for and the time it was looked at."""
    if isinstance(result, Failure):
        return [list(result)]
    bag, size = counts(result), word_count(result)
    kind = "<u2" if size < 1 << 16 else "<u4"
    numbers = np.fromiter(bag.values(), kind, len(bag)).tobytes()
    fields = [getattr(result, name) for name in _FIELDS]
    text = joined_words(result)
    words, distinct = (result.words, list(bag)) if text is None else (text, " ".join(bag))
    return [None, fields, kind, words, size, distinct, numbers, *_columns(result.links)]


def result_of(parts: Sequence[Any], url: str | None = None, at: float = 0.0) -> Page | Failure:
    """What `parts_of` was given. Without an address a page has the one it was found at."""
    failure, *rest = parts
    if failure is not None:
        return Failure(*failure)
    fields, kind, words, size, distinct, numbers, *columns = rest
    known = dict(zip(_FIELDS, fields, strict=False))  # earlier versions had no main text
    known["robots"] = tuple(known["robots"])
    known |= {"url": known["final_url"] if url is None else url, "links": _links(*columns), "at": at}
    found = np.frombuffer(numbers, kind)
    if isinstance(words, str):
        return page_unread(UnreadWords(words, size), counts_=UnreadCounts(distinct, found), **known)
    return Page(words=tuple(words), counts_=dict(zip(distinct, found.tolist(), strict=True)), **known)


def _columns(links: Sequence[Link]) -> list[Any]:
    paths = {path: number for number, path in enumerate(dict.fromkeys(link.path for link in links))}
    rels = {rel: number for number, rel in enumerate(dict.fromkeys(link.rel for link in links))}
    rows = [(link.at, *link.block, link.rank, paths[link.path], rels[link.rel]) for link in links]
    numbers = np.array(rows, np.int32).reshape(-1, 6).T
    urls, anchors = _column([link.url for link in links]), _column([link.anchor for link in links])
    return [len(links), urls, anchors, list(paths), list(rels), numbers.tobytes()]


def _column(texts: list[str]) -> str | list[str]:
    """One text, unless one of them has what would part it in two."""
    column = "\n".join(texts)
    return column if column.count("\n") == max(0, len(texts) - 1) else texts


def _texts(column: str | list[str]) -> list[str]:
    return column.split("\n") if isinstance(column, str) else column


def _links(
    count: int, urls: str | list[str], anchors: str | list[str], paths: list[str], rels: list[str], numbers: bytes
) -> tuple[Link, ...]:
    if not count:
        return ()
    at, first, last, rank, path, rel = np.frombuffer(numbers, np.int32).reshape(6, count).tolist()
    rel_of = repeat(rels[0]) if len(rels) == 1 else map(rels.__getitem__, rel)
    parts = zip(
        _texts(urls),
        _texts(anchors),
        at,
        zip(first, last, strict=True),
        map(paths.__getitem__, path),
        rank,
        rel_of,
        strict=False,
    )
    return tuple(map(_link, parts))
