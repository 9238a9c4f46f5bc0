"""Likeness of a page to the pages that a person likes, by its terms and its links (Chen et al. 1997, eq. 1 to 6).

Terms are made of the words that are not on the stop list: each word, and each two and three in a row. The weight of a
term on a page is tf ln(N / df w), where N pages have been fetched so far, df of them with the term, and the term has w
words. Two pages are alike by Tanimoto's coefficient of these weights and by Jaccard's of the addresses they link to;
half of each is the score, averaged over the liked pages. The paper prints the first with a plus instead of a minus, by
which a page has a likeness of one third to itself: `printed` computes that.

N and df grow with each page that is counted, at the cost of the terms of that page. Scores are computed on demand, and
for all pages that are compared at once, so that they have the same N and df.

Terms are numbered, because most occur once and text takes much memory. At most `TERMS` are: any further term counts as
one that no other page has, which is true of almost all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.model import Link, Page
from wolfspider.core.text import LONGEST_PHRASE, key_of, phrase_keys, phrases
from wolfspider.learn.stopwords import STOP_WORDS

WORDS = 5_000  # of a page that are read, stop words not counted
LINKS = 2_000  # of a page
TERMS = 4_000_000  # that are numbered, some 100 MB
RECENT = 1 << 16  # terms that are sorted in at a time

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]


class Score(NamedTuple):
    terms: float
    links: float

    @property
    def total(self) -> float:
        return (self.terms + self.links) / 2


def kept_words(words: Sequence[str]) -> list[str]:
    """The words that terms are made of."""
    return list(islice((word for word in words if word not in STOP_WORDS), WORDS))


def link_keys(links: Sequence[Link]) -> Keys:
    return np.array(sorted({key_of(link.url) for link in links[:LINKS]}), np.uint64)


def shared(x: Keys, y: Keys) -> int:
    """How many links two pages have in common."""
    if not len(y):
        return 0
    at = np.minimum(np.searchsorted(y, x), len(y) - 1)
    return int((y[at] == x).sum())


def links_alike(x: Keys, y: Keys) -> float:
    common = shared(x, y)
    union = len(x) + len(y) - common
    return common / union if union else 0.0


@helper
class Indexed(StoredFields):
    """A page as terms and links: the numbers of its terms, how often each occurs, and for terms without a number the
    sums of squared frequencies, by how many words they have."""

    def __init__(self, numbers: Numbers, times: Numbers, rest: Floats, links: Keys) -> None:
        self.numbers, self.times, self.rest, self.links = numbers, times, rest, links


class Numbered:
    """Numbers for keys, in the order in which they come. The keys lie in two sorted arrays, a large one and a small one
    for recent keys, so that a key is found by binary search and a new one moves few others."""

    def __init__(self, keys: Keys | None = None) -> None:
        self.keys: list[Keys] = [] if keys is None else [keys]  # by number, in pieces
        self.size = 0 if keys is None else len(keys)
        order = np.argsort(self.by_number(), kind="stable")
        self._old = (self.by_number()[order], order.astype(np.int32))
        self._new = (np.zeros(0, np.uint64), np.zeros(0, np.int32))

    def by_number(self) -> Keys:
        self.keys = [np.concatenate([np.zeros(0, np.uint64), *self.keys])]
        return self.keys[0]

    def find(self, keys: Keys) -> Numbers:
        """-1 for those without a number."""
        numbers = np.full(len(keys), -1, np.int32)
        for known, place in (self._old, self._new):
            if len(known):
                at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
                numbers = np.where(known[at] == keys, place[at], numbers)
        return numbers

    def add(self, keys: Keys) -> Numbers:
        """Numbers for keys that have none; they are sorted and distinct."""
        numbers = np.arange(self.size, self.size + len(keys), dtype=np.int32)
        self.keys.append(keys)
        self.size += len(keys)
        self._new = _merged(self._new, (keys, numbers))
        if len(self._new[0]) > max(RECENT, self.size // 8):
            self._old = _merged(self._old, self._new)
            self._new = (np.zeros(0, np.uint64), np.zeros(0, np.int32))
        return numbers


def _merged(one: tuple[Keys, Numbers], other: tuple[Keys, Numbers]) -> tuple[Keys, Numbers]:
    at = np.searchsorted(one[0], other[0])
    return np.insert(one[0], at, other[0]), np.insert(one[1], at, other[1])


@helper
class Collection:
    """How many pages there are, and on how many of them each term is."""

    def __init__(self, keys: Keys | None = None, df: Numbers | None = None, pages: int = 0) -> None:
        self.pages = pages
        self._numbered = Numbered(keys)
        self._df = np.zeros(1024, np.int32) if df is None else df
        self._words = np.zeros(len(self._df), np.int8)  # of each term
        if keys is not None:
            self._words[: len(keys)] = keys & np.uint64(3)

    def __len__(self) -> int:
        """Terms that have a number."""
        return self._numbered.size

    def read(self, page: Page) -> Indexed:
        """The page in terms; this does not count it."""
        return self.indexed(kept_words(page.words), link_keys(page.links))

    def indexed(self, words: Sequence[str], links: Keys) -> Indexed:
        keys, times = np.unique(phrase_keys(words), return_counts=True)
        numbers = self._number(keys)
        known = numbers >= 0
        lengths = (keys[~known] & np.uint64(3)).astype(np.int64)
        rest = np.zeros(LONGEST_PHRASE + 1)
        np.add.at(rest, lengths, times[~known].astype(np.float64) ** 2)
        return Indexed(numbers[known], times[known].astype(np.int32), rest, links)

    def _number(self, keys: Keys) -> Numbers:
        numbers = self._numbered.find(keys)
        new = np.flatnonzero(numbers < 0)[: max(0, TERMS - len(self))]
        if len(new):
            numbers[new] = self._numbered.add(keys[new])
            self._grow()
            self._words[numbers[new]] = keys[new] & np.uint64(3)
        return numbers

    def _grow(self) -> None:
        more = max(len(self), 2 * len(self._df)) - len(self._df) if len(self) > len(self._df) else 0
        if more:
            self._df = np.append(self._df, np.zeros(more, np.int32))
            self._words = np.append(self._words, np.zeros(more, np.int8))

    def count(self, page: Indexed) -> None:
        self.pages += 1
        self._df[page.numbers] += 1

    def rarity(self, numbers: Numbers) -> Floats:
        """ln(N / df w). A term of a page that is not counted is on that page at least."""
        found: Floats = np.log(self._n / np.maximum(self._df[numbers], 1) * self._words[numbers])
        return found

    def rarities(self, pages: Sequence[Indexed]) -> Iterator[Floats]:
        """The rarities of the terms of each page; where pages have many terms in common, each is computed once."""
        if sum(len(page.numbers) for page in pages) < len(self):
            yield from (self.rarity(page.numbers) for page in pages)
        else:
            everything = self.rarity(np.arange(len(self), dtype=np.int32))
            yield from (everything[page.numbers] for page in pages)

    def square(self, page: Indexed, rarity: Floats) -> float:
        """Of the page's weights, summed."""
        alone = np.log(self._n * np.arange(1, LONGEST_PHRASE + 1))
        known = page.times * rarity
        return float(known @ known + page.rest[1:] @ (alone * alone))

    @property
    def _n(self) -> int:
        return max(1, self.pages)

    def state(self) -> dict[str, Any]:
        return {"keys": self._numbered.by_number(), "df": self._df[: len(self)], "pages": self.pages}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Collection:
        return cls(**state)


@helper
class Likeness:
    """Pages that are liked, and how like them others are."""

    def __init__(self, printed: bool = False) -> None:
        self.printed = printed
        self.inputs: list[Indexed] = []
        self.names: dict[int, str] = {}  # of their terms
        self._columns = np.full(1024, -1, np.int32)  # of a term, by its number, among those of the liked pages
        self._often: Floats = np.zeros((0, 0))  # how often each of these is on each liked page

    def like(self, words: Sequence[str], page: Indexed) -> None:
        """Add a liked page; `words` are those that its terms are made of. Terms without a number have no name
        either."""
        self._place(page)
        self.inputs.append(page)
        keys, first = np.unique(phrase_keys(words), return_index=True)
        texts = phrases(words)
        if len(page.numbers) == len(keys):
            self.names.update((int(number), texts[place]) for number, place in zip(page.numbers, first, strict=True))

    def _place(self, page: Indexed) -> None:
        """One more row, and a column for each term that no liked page had so far."""
        self._reach(int(page.numbers.max(initial=0)) + 1)
        rows, columns = self._often.shape
        new = page.numbers[self._columns[page.numbers] < 0]
        self._columns[new] = np.arange(columns, columns + len(new))
        wider = np.zeros((rows + 1, columns + len(new)))
        wider[:rows, :columns] = self._often
        wider[rows, self._columns[page.numbers]] = page.times
        self._often = wider

    def _reach(self, size: int) -> None:
        if size > len(self._columns):
            more = max(size, 2 * len(self._columns)) - len(self._columns)
            self._columns = np.append(self._columns, np.full(more, -1, np.int32))

    def scores(self, pages: Sequence[Indexed], collection: Collection) -> list[Score]:
        """Of all these pages, with the same N and df."""
        self._reach(len(collection))
        own = [*map(collection.square, self.inputs, collection.rarities(self.inputs))]
        scores = []
        for page, rarity in zip(pages, collection.rarities(pages), strict=True):
            square, common = collection.square(page, rarity), self._common(page, rarity).tolist()
            unions = [square + mine + (both if self.printed else -both) for both, mine in zip(common, own, strict=True)]
            terms = [both / union if union > 0 else 0.0 for both, union in zip(common, unions, strict=True)]
            links = [links_alike(page.links, one.links) for one in self.inputs]
            count = max(1, len(self.inputs))
            scores.append(Score(sum(terms) / count, sum(links) / count))
        return scores

    def _common(self, page: Indexed, rarity: Floats) -> Floats:
        """What the page and each liked page have in common: the product of their weights, summed."""
        columns = self._columns[page.numbers]
        there = columns >= 0
        weights = page.times[there] * rarity[there] ** 2
        found: Floats = self._often[:, columns[there]] @ weights
        return found

    def matched(self, page: Indexed, collection: Collection, most: int = 5) -> list[str]:
        """The terms of liked pages that this page has, those first that weigh most there."""
        numbers = [place for place, number in enumerate(page.numbers.tolist()) if number in self.names]
        weights = page.times[numbers] * collection.rarity(page.numbers[numbers])
        best = np.argsort(-weights, kind="stable")[:most]
        return [self.names[int(page.numbers[numbers[place]])] for place in best]

    def telling(self, collection: Collection, most: int) -> list[str]:
        """The words of liked pages with the highest weights, ties by frequency. Words only, because a search for
        phrases finds little."""
        weights: dict[str, tuple[float, int]] = {}
        for liked, rarity in zip(self.inputs, collection.rarities(self.inputs), strict=True):
            for number, times, rare in zip(liked.numbers.tolist(), liked.times.tolist(), rarity.tolist(), strict=True):
                name = self.names.get(number, " ")
                if " " not in name:
                    before = weights.get(name, (0.0, 0))
                    weights[name] = (before[0] + times * rare, before[1] + times)
        return sorted(weights, key=weights.__getitem__, reverse=True)[:most]

    def state(self) -> dict[str, Any]:
        numbers = np.array([*self.names], np.int32)
        return {
            "printed": self.printed,
            "inputs": self.inputs,
            "numbers": numbers,
            "names": "\n".join(self.names.values()),
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Likeness:
        made = cls(state["printed"])
        for page in state["inputs"]:
            made._place(page)
        made.inputs = state["inputs"]
        if len(state["numbers"]):
            made.names = dict(zip(state["numbers"].tolist(), state["names"].split("\n"), strict=True))
        return made
