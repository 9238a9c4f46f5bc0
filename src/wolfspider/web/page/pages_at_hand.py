"""Parsed pages at hand: the last ones used, within a number of bytes."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from wolfspider.core.model import Page, UnreadCounts, unread_words, word_count

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")

_HEAD = 4_000  # bytes of a page without words and links
_WORD = 72  # bytes of a short word and its place
_LINK = 390  # bytes of a link without the letters of its texts
_COUNT = 36  # bytes of a word's place among the counts
_FEW = 20_000  # words: not worth looking which of them are one and the same object


def weight(page: Page, interned: bool = False) -> int:
    """About how many bytes of memory a parsed page takes; if its words are interned, many pages share them."""
    size, count = sys.getsizeof, word_count(page)
    if interned:
        spoken = size(page.words)
    elif count <= _FEW or unread_words(page) is not None:  # somebody may ask for them yet
        spoken = _WORD * count
    else:
        spoken = size(page.words) + sum(map(size, {id(word): word for word in page.words}.values()))
    urls, anchors, _, _, paths, *_ = zip(*page.links, strict=True) if page.links else ((),) * 7
    linked = _LINK * len(urls) + sum(map(len, urls)) + sum(map(len, anchors)) + sum(map(len, paths))
    counts = page.counts_
    counted = _COUNT * len(counts.numbers) if isinstance(counts, UnreadCounts) else size(counts)
    return _HEAD + spoken + linked + counted + size(page.main)


class PagesAtHand(Generic[Key, Kept]):
    """Pages, or something that has one, by whatever names them. When they take more than `most` bytes those that were
    not used for the longest time are forgotten; what takes more than that alone is not kept."""

    def __init__(self, most: int, weigh: Callable[[Any], int] = weight) -> None:
        self._most, self._weigh = most, weigh
        self._kept: OrderedDict[Key, tuple[Kept, int]] = OrderedDict()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Kept | None:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Key, kept: Kept) -> None:
        self.forget(key)
        size = self._weigh(kept)
        if size > self._most:
            return
        self._kept[key] = kept, size
        self.bytes += size
        while self.bytes > self._most:
            self.forget(next(iter(self._kept)))

    def forget(self, key: Key) -> None:
        self.bytes -= self._kept.pop(key, (None, 0))[1]

    def clear(self) -> None:
        self._kept.clear()
        self.bytes = 0
