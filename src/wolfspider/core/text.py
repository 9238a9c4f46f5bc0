"""Words, and what can be said of two bags of them.

Every part of the house that reads text reads it through `words`, so that a keyword, an anchor and a page agree on what
a word is: a run of letters, digits and marks, in one Unicode form (NFKC) and one case. Apostrophes and hyphens part
words. Chinese, Japanese and Korean are written without blanks, or with endings glued to the word, and are cut into
overlapping pairs of characters instead: any two texts that share a word then share pairs, and no dictionary is needed.
Nothing is left out, not even stop words; a reader that does not want them removes them from the counts.

A bag of words is a plain mapping from word to weight. Sums run in the order of insertion, so that the same bags give
the same number on every machine.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import xxhash

from wolfspider.core.marks import is_mark, marks
from wolfspider.core.model import Link, Page, UnreadCounts, UnreadWords, unread_words

LONGEST = 64  # characters of a word that are kept; what is longer is data, not language
_SHORT = 1000  # characters: nothing is slow with so few
_SHINGLE = 3
LONGEST_PHRASE = 3  # words
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # starts of cells that a spreadsheet calculates or breaks
LONGEST_STORED = 2_000  # characters of a title, an anchor, a failure's detail
_ROUND = 255  # bits that can be counted in a byte
_CHUNK = 64 * _ROUND  # shingles whose bits are counted at once: 1 MB
_BITS = np.arange(8, dtype=np.uint64)[:, np.newaxis]
_FACTOR = 0x9E3779B97F4A7C15
_ODD = np.uint64(_FACTOR)
_WEIGHTS = np.full(4 * LONGEST + 1, 0xD6E8FEB86659FD93, np.uint64).cumprod(dtype=np.uint64)  # by place in a word
_LOWEST = np.uint64(0x0101010101010101)  # of each octet

_PARTED = "\x1f"  # between texts that are read as one; a blank, too
_KEPT = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789\x1f")
_BLANKED = bytes(byte if byte in _KEPT or byte > 127 else ord(" ") for byte in bytes(range(256)).lower())
_ASCII = bytes(range(128))
_MOST_STRANGE = 200  # characters that are replaced one after another: more than any alphabet has
_CJK = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u1100-\u11ff\uac00-\ud7ff"  # Hangul
)
_HAS_CJK = re.compile(f"[{_CJK}]")


def words(text: str) -> list[str]:
    """The words of a text in order."""
    spelled = _spelled_out(text)
    if spelled is None:
        return _any_words(text)
    found = _text(spelled.translate(_BLANKED)).split()
    return _cut(found) if max(map(len, found), default=0) > LONGEST else found


def words_of(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """The words of all these texts, and how many there are before each of them, and in all. To read them as one is
    much quicker than one by one."""
    found = _words_of(texts, 0)
    assert isinstance(found.words, list)
    return found.words, list(found.before)


class WordsRead(NamedTuple):
    words: list[str] | UnreadWords
    before: Sequence[int]  # how many there are before each text, and in all
    counts: dict[str, int] | None = None  # how often each word is there, if that was found out by the way
    near: int | None = None  # the near signature, likewise


def words_and_more(texts: Sequence[str]) -> WordsRead:
    """The same, and what can be found out by the way. The words may be one text: mostly they are only counted."""
    return _words_of(texts, _SHINGLE)


def _words_of(texts: Sequence[str], run: int) -> WordsRead:
    if not texts:
        return WordsRead([], [0])
    spelled = _spelled_out(_PARTED.join(texts))
    found = None if spelled is None else _parted(spelled, _BLANKED, ord(_PARTED), LONGEST, _WEIGHTS, _FACTOR, run)
    if found is None or len(found[1]) != len(texts) - 1:  # one has the character that parts them
        spelled = _PARTED.encode().join(map(cleaned, texts))
        found = _parted(spelled, _BLANKED, ord(_PARTED), LONGEST, _WEIGHTS, _FACTOR, run)
    said, before, size, bag, near = found
    return words_found(said, [0, *before, size], size, bag, near)


def words_found(
    said: list[str] | str, before: Sequence[int], size: int, counts: dict[str, int] | None, near: int | None
) -> WordsRead:
    """What tokens.pyx has found, as others know it."""
    spoken: list[str] | UnreadWords = said if isinstance(said, list) else UnreadWords(said, size) if size else []
    return WordsRead(spoken, before, counts, near)


def cleaned(text: str) -> bytes:
    """The words of any text, and other characters that do not part texts."""
    spelled = _spelled_out(text)
    return _bytes(" ".join(_any_words(text))) if spelled is None else spelled.replace(_PARTED.encode(), b" ")


def slowly_parted(
    given: bytes, table: bytes, between: int, longest: int, *_: Any
) -> tuple[list[str], list[int], int, None, None]:
    """What tokens.pyx does where it was compiled, without counts and signature."""
    clean = given.translate(table)
    octets = np.frombuffer(b" %b " % clean, np.uint8)
    in_word = octets > ord(" ")
    edges = np.flatnonzero(in_word[1:] != in_word[:-1])
    first, last = edges[::2], edges[1::2]
    before = np.searchsorted(first, np.flatnonzero(octets == between)).tolist()
    found = _text(clean).split()
    return found if (last - first).max(initial=0) <= longest else _cut(found), before, len(found), None, None


try:
    from wolfspider.core.tokens import WordReader
    from wolfspider.core.tokens import read_words as _parted
except ImportError:  # also where an older one lies about, which has no such reader
    _parted = slowly_parted  # type: ignore[assignment]


def word_reader(octets: int) -> WordReader:
    """A reader for about so many octets that come piece by piece, where tokens.pyx was compiled."""
    return WordReader(_BLANKED, LONGEST, _WEIGHTS, _FACTOR, _SHINGLE, _spelled, octets)


def _cut(found: list[str]) -> list[str]:
    return [word[:LONGEST] for word in found]


def _spelled_out(text: str) -> bytes | None:
    """The text with nothing left in it but words and ASCII; None where a character cannot be read by itself. Bytes are
    turned quicker than characters, and all that is not ASCII passes through unchanged."""
    if not text.isascii():
        strange = set(_text(_bytes(text).translate(None, _ASCII)))
        if len(strange) > _MOST_STRANGE:
            return None
        for character in strange:
            spelled = _spelled(character)
            if spelled is None:
                return None
            if spelled != character:
                text = text.replace(character, spelled)
    return _bytes(text)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogatepass")


@lru_cache(maxsize=4096)
def _spelled(character: str) -> str | None:
    """What a character adds to words, wherever it stands; None for those that depend on their neighbours."""
    plain = folded(character)
    if is_mark(character) or _HAS_CJK.search(plain):
        return None
    spelled = ""
    for part in plain:
        if is_mark(part) and (not spelled or spelled[-1].isalnum()):
            return None
        spelled += part if part.isalnum() else " "
    return spelled


def _any_words(text: str) -> list[str]:
    """The words of a text in which characters change their neighbours."""
    clean = folded(text)
    if not _HAS_CJK.search(clean):
        return [run[:LONGEST] for run in _word("").findall(clean)]
    runs = _word(_CJK).findall(clean)
    return list(chain.from_iterable(_pairs(run) if _HAS_CJK.match(run) else (run[:LONGEST],) for run in runs))


def folded(text: str) -> str:
    """One spelling for what reads the same. Folding case may undo the normal form, hence twice; a soft hyphen is
    where a word may be broken, not where it ends."""
    if len(text) > _SHORT:
        text = _heaped_marks().sub(r"\1", text)
    once = unicodedata.normalize("NFKC", text.replace("\u00ad", "")).casefold()
    return unicodedata.normalize("NFKC", once)


@cache
def _heaped_marks() -> re.Pattern[str]:
    """More marks on one letter than any language has: to sort them takes time in the square of their number."""
    return re.compile(f"([{marks()}]{{30}})[{marks()}]+")


@cache
def _word(paired: str) -> re.Pattern[str]:
    """A word, or a run of the characters that go in pairs; without those the pattern is twice as fast."""
    letter = rf"[^\W_{paired}]"
    run = f"{letter}+(?:[{marks()}]+{letter}*)*"
    return re.compile(f"[{paired}]+|{run}" if paired else run)


def _pairs(run: str) -> list[str]:
    """Overlapping pairs of characters; one alone stands for itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def counted(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words))


def counts(page: Page) -> Mapping[str, int]:
    """How often each word is on the page, counted once for each page."""
    known = page.counts_
    if isinstance(known, UnreadCounts):
        known = dict(zip(known.text.split(" "), known.numbers.tolist(), strict=True))
        object.__setattr__(page, "counts_", known)
    elif known is None:
        known = counted(page.words)
        object.__setattr__(page, "counts_", known)
    return known


class FirstCounts(NamedTuple):
    words: list[str]
    numbers: np.ndarray[Any, np.dtype[np.float64]]  # how often each is there


def first_counts(page: Page, most: int) -> FirstCounts:
    """The first of `counts`. A long page has many more, which nobody may ask for."""
    known = page.counts_
    if isinstance(known, UnreadCounts):
        return FirstCounts(known.text.split(" ", most)[:most], known.numbers[:most].astype(np.float64))
    return FirstCounts(*_first_of(counts(page), most))


def slowly_first_of(counts: Mapping[str, int], most: int) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float64]]]:
    """What word_lists.pyx does where it was compiled."""
    first = dict(islice(counts.items(), most))
    return list(first), np.fromiter(first.values(), np.float64, len(first))


try:
    from wolfspider.core.word_lists import first_of as _first_of
except ImportError:  # also where an older one lies about
    _first_of = slowly_first_of


def joined_words(page: Page) -> str | None:
    """The words of a page as one text, with a blank between each two. None where they could not be parted again: there
    are none, or one has a blank."""
    if (unread := unread_words(page)) is not None:
        return unread.text
    text = " ".join(page.words)
    return text if page.words and text.count(" ") == len(page.words) - 1 else None


def dot(x: Mapping[str, float], y: Mapping[str, float]) -> float:
    if len(x) > len(y):
        x, y = y, x
    return sum(weight * y[word] for word, weight in x.items() if word in y)


def cosine(x: Mapping[str, float], y: Mapping[str, float]) -> float:
    """The angle between two bags: 0 nothing in common (or nothing there), 1 the same proportions."""
    norms = math.sqrt(_square(x)) * math.sqrt(_square(y))
    return dot(x, y) / norms if norms else 0.0


def tanimoto(x: Mapping[str, float], y: Mapping[str, float]) -> float:
    """Jaccard's measure for weighted bags; unlike the cosine it minds their sizes."""
    common = dot(x, y)
    union = _square(x) + _square(y) - common
    return common / union if union else 0.0


def _square(x: Mapping[str, float]) -> float:
    return sum(weight * weight for weight in x.values())


def key_of(text: str) -> int:
    """A 64-bit name for a text, the same in every process; never 0."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) or 1


def near_signature(words: Sequence[str]) -> int:
    """A simhash: 64 bits, each voted on by every run of three words, so that nearly equal texts differ in few bits.
    0 for no words."""
    if not words:
        return 0
    return _signature(_bytes(" ".join(words)), _WEIGHTS, _FACTOR, min(_SHINGLE, len(words)))


def slow_signature(octets: bytes, weights: np.ndarray[Any, np.dtype[np.uint64]], odd: int, run: int) -> int:
    """What signature.pyx does where it was compiled."""
    shingles = _runs(_sums(octets, weights, np.uint64(odd)), run)
    signature = np.packbits(2 * _votes(shingles) > len(shingles), bitorder="little")
    return int.from_bytes(signature.tobytes(), "little")


try:
    from wolfspider.core.signature import signature as _signature
except ImportError:
    _signature = slow_signature


def _votes(shingles: np.ndarray[Any, np.dtype[np.uint64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How many shingles have each bit, the lowest first. One bit of each octet is taken at a time, and eight octets are
    added as one number, as long as none of them can overflow."""
    votes = np.zeros((8, 8), np.int64)  # by octet, then by bit
    for first in range(0, len(shingles), _CHUNK):
        chunk = shingles[first : first + _CHUNK]
        rounds = -(-len(chunk) // _ROUND)
        bits = np.zeros((8, rounds * _ROUND), np.uint64)
        np.right_shift(chunk, _BITS, out=bits[:, : len(chunk)])
        bits &= _LOWEST
        sums = np.add.reduce(bits.reshape(8, rounds, _ROUND), axis=2)
        votes += sums.astype("<u8").view(np.uint8).reshape(8, rounds, 8).sum(axis=1, dtype=np.int64).T
    return votes.reshape(64)


def word_keys(words: Sequence[str]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A 64-bit name for each word, the same in every process."""
    digests = b"".join(map(xxhash.xxh3_64_digest, map(str.encode, words)))  # to look up words seen is no quicker
    return np.frombuffer(digests, ">u8").astype(np.uint64)


def _sums(
    octets: bytes, weights: np.ndarray[Any, np.dtype[np.uint64]], odd: np.uint64
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A hash for each word, all worked out at once: the sum of its octets, each weighed by its place."""
    given = np.frombuffer(octets, np.uint8)
    first = np.concatenate(([0], np.flatnonzero(given == ord(" ")) + 1))
    place = np.arange(len(given)) - np.repeat(first, np.diff(first, append=len(given)))
    weighed = given.astype(np.uint64) * weights[np.minimum(place, len(weights) - 1)]
    weighed[given == ord(" ")] = 0
    mixed = np.add.reduceat(weighed, first) * odd
    return mixed ^ mixed >> np.uint64(31)


def _runs(hashes: np.ndarray[Any, np.dtype[np.uint64]], size: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The hash of each run of so many words from the hashes of its words, in a way that minds their order."""
    count = max(0, len(hashes) - size + 1)
    mixed = np.zeros(count, np.uint64)
    for place in range(size):
        mixed = (mixed ^ hashes[place : place + count]) * _ODD
        mixed ^= mixed >> np.uint64(29)
    return mixed


def phrase_keys(words: Sequence[str]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A 64-bit name for each word, then for each two and for each three words in a row, in their order. The two lowest
    bits say how many words it is of."""
    hashes = word_keys(words)
    return np.concatenate(
        [_runs(hashes, size) & ~np.uint64(3) | np.uint64(size) for size in range(1, LONGEST_PHRASE + 1)]
    )


def phrases(words: Sequence[str]) -> list[str]:
    """What `phrase_keys` names, in the same order."""
    return [
        " ".join(words[first : first + size])
        for size in range(1, LONGEST_PHRASE + 1)
        for first in range(len(words) - size + 1)
    ]


def clipped(text: str) -> str:
    """A title, an anchor or a failure's detail, no longer than what is stored of it."""
    return text if len(text) <= LONGEST_STORED else text[:LONGEST_STORED]


def harmless_cell(text: str) -> str:
    """A cell of a CSV that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


def window(page: Page, link: Link, left: int = 20, right: int = 20) -> tuple[str, ...]:
    """The words around a link: some before, its anchor, some after."""
    return page.words[max(0, link.at - left) : link.at + len(words(link.anchor)) + right]


def block_words(page: Page, link: Link) -> tuple[str, ...]:
    """The words of the smallest element around a link that says something."""
    first, last = link.block
    return page.words[first:last]
