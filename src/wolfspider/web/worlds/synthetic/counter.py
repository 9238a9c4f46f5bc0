"""Random numbers without state: they depend on a key and a counter, and on nothing drawn before them.

`mix` is the finaliser of splitmix64. The k-th number of an entity is `mix(mix(key + entity) + k)`, so pages come out
the same in any order, in any process. `mix_many` is the same function over arrays. Everything that decides who links
to whom uses only these integers and plain multiplication of floats, so that one page and a bulk scan agree to the
last bit.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Words64 = NDArray[np.uint64]
Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

MASK = 0xFFFFFFFFFFFFFFFF
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
TO_UNIT = 2.0**-53
TO_UNIT_32 = 2.0**-32


def mix(x: int) -> int:
    x = (x + _STEP) & MASK
    x = ((x ^ (x >> 30)) * _FIRST) & MASK
    x = ((x ^ (x >> 27)) * _SECOND) & MASK
    return x ^ (x >> 31)


def mix_many(x: Words64) -> Words64:
    x = x + np.uint64(_STEP)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_FIRST)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_SECOND)
    return x ^ (x >> np.uint64(31))


def unit(bits: int) -> float:
    """In [0, 1), from the upper 53 bits; the lower 11 stay free for a small choice beside it."""
    return (bits >> 11) * TO_UNIT


def unit_many(bits: Words64) -> Floats:
    return (bits >> np.uint64(11)).astype(np.float64) * TO_UNIT


def key_for(seed: int, purpose: str) -> int:
    """A key for one purpose, unrelated to the keys for all others."""
    return int.from_bytes(hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest(), "little")


def stream(key: int, size: int) -> bytes:
    """As many random bytes as wanted, in one call: cheaper than a hash for each word of a text."""
    return hashlib.shake_128(key.to_bytes(8, "little")).digest(size)


def edge(pool: int) -> float:
    """The one power that `popular` needs for a pool of this size."""
    return float((pool + 1) ** -0.1)


def popular(u: Number, edge_of_pool: Number) -> Number:
    """Inverse of Zipf's law with exponent 1.1: a rank in [1, pool + 1) for u in [0, 1). Its power is -10: no pow."""
    y = u * (edge_of_pool - 1.0) + 1.0
    y2 = y * y
    y4 = y2 * y2
    return 1.0 / (y4 * y4 * y2)


class Shuffle:
    """A keyed permutation of 0..size-1 that is computed, not stored: four Feistel rounds, walked until inside."""

    def __init__(self, size: int, key: int) -> None:
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._low = (1 << self._half) - 1
        self._keys = tuple(mix(key + turn) for turn in range(4))

    def forward(self, number: int) -> int:
        half, low = self._half, self._low
        while True:
            left, right = number >> half, number & low
            for key in self._keys:
                left, right = right, left ^ (mix(key + right) & low)
            number = left << half | right
            if number < self.size:
                return number

    def forward_many(self, numbers: Words64) -> Words64:
        half, low = np.uint64(self._half), np.uint64(self._low)
        numbers = numbers.copy()
        outside = np.arange(numbers.size)
        while outside.size:
            left, right = numbers[outside] >> half, numbers[outside] & low
            for key in self._keys:
                left, right = right, left ^ (mix_many(np.uint64(key) + right) & low)
            numbers[outside] = left << half | right
            outside = outside[numbers[outside] >= np.uint64(self.size)]
        return numbers

    def back(self, number: int) -> int:
        half, low = self._half, self._low
        while True:
            left, right = number >> half, number & low
            for key in reversed(self._keys):
                left, right = right ^ (mix(key + left) & low), left
            number = left << half | right
            if number < self.size:
                return number
