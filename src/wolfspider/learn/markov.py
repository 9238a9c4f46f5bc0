"""A hidden Markov chain: hidden states, transitions between them, and observed signs.

For crawlers a state is how many links away a page is from the nearest target, and a sign is which cluster of pages it
looks like (Liu, Janssen and Milios 2006).

    chain = estimated(pages, links, starts, shape)      # from counts, each transition and each sign counted once more
    belief = chain.begin(sign)                          # at the first page of a path
    belief = chain.follow(belief, sign)                 # at the next one
    chain.predict(belief)                               # of the page after that, before it is seen

Beliefs always sum to one. An impossible sign (all its probabilities are zero), or none at all, says nothing, and the
belief stays as it was predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper

Floats = NDArray[np.float64]


@helper
class Chain(StoredFields):
    """`start` holds the probabilities of the states of a first page, `moves[i, j]` those of the transition from state i
    to j, `signs[i, o]` those of sign o in state i. Each row sums to one."""

    def __init__(self, start: Any, moves: Any, signs: Any) -> None:
        self.start, self.moves, self.signs = (np.asarray(part, np.float64) for part in (start, moves, signs))

    def begin(self, sign: int | None) -> Floats:
        return self._seen(self.start, sign)

    def follow(self, belief: Any, sign: int | None) -> Floats:
        """One step of the forward algorithm, normalised."""
        return self._seen(self.predict(belief), sign)

    def predict(self, belief: Any) -> Floats:
        expected: Floats = np.einsum("i,ij->j", np.asarray(belief, np.float64), self.moves)
        return expected

    def _seen(self, expected: Floats, sign: int | None) -> Floats:
        if sign is None:
            return _normal(expected)
        seen = expected * self.signs[:, sign]
        return _normal(seen if seen.sum() > 0 else expected)


def _normal(chances: Floats) -> Floats:
    """The same scaled to the sum of one; equal shares if all are zero."""
    total = chances.sum()
    if not total > 0:
        return np.full(len(chances), 1 / len(chances))
    normal: Floats = chances / total
    return normal


def estimated(
    pages: Mapping[str, tuple[int, int]],
    links: Mapping[str, Iterable[str]],
    starts: Iterable[str],
    shape: tuple[int, int],
) -> Chain:
    """Estimate a chain from pages (each with its state and its sign), the links that each shows, and the pages where
    sessions began. `shape` is how many states and signs there are. A link to a page that is not among these is
    ignored."""
    states, signs = shape
    first, moves, seen = np.zeros(states), np.ones((states, states)), np.ones((states, signs))
    for url, (state, sign) in pages.items():
        seen[state, sign] += 1
        for target in links.get(url, ()):
            if target in pages:
                moves[state, pages[target][0]] += 1
    for url in starts:
        if url in pages:
            first[pages[url][0]] += 1
    if first.sum() < states:  # too few to tell
        first[:] = 1
    return Chain(first / first.sum(), _rows(moves), _rows(seen))


def _rows(counts: Floats) -> Floats:
    """The rows, each scaled to the sum of one."""
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def distances(links: Mapping[str, Iterable[str]], targets: Iterable[str], furthest: int) -> dict[str, int]:
    """For every page the number of links to the nearest target; `furthest` if there are that many or more, or no
    path."""
    above: dict[str, list[str]] = {}
    for url, shown in links.items():
        for target in shown:
            above.setdefault(target, []).append(url)
    found = dict.fromkeys((url for url in targets if url in links), 0)
    reached = list(found)
    for steps in range(1, furthest):
        reached = [
            url for url in dict.fromkeys(url for below in reached for url in above.get(below, ())) if url not in found
        ]
        found.update(dict.fromkeys(reached, steps))
    return {url: found.get(url, furthest) for url in links}
