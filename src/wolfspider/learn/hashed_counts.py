"""How visits of a kind went, for any number of kinds in a table of fixed size: hosts, folders, patterns of addresses.

The place of a kind is a hash of its name. Two kinds may share a place; in a table with room for many more kinds than
there are that is rare, and it costs a little accuracy, where a dictionary would cost memory without end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.core.text import key_of
from wolfspider.learn.lexicon import add_amounts

PLACES = 1 << 19
VISITS, REWARD, FAILURES = range(3)
_CACHED = 20_000  # names whose place is remembered

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def shrunk(visits: Floats, reward: Floats, usual: Floats | float, trust: float = 2.0) -> Floats:
    """What a visit paid in the mean, as if so many visits more had paid what is usual."""
    found: Floats = (reward + trust * usual) / (visits + trust)
    return found


@helper
class HashedCounts:
    """Visits, what they paid, and how many failed, for each place."""

    def __init__(self, places: int = PLACES) -> None:
        """`places`: a power of two."""
        self.figures = np.zeros((places, 3), np.float32)  # visits, what they paid, and failures, by place
        self._known: dict[str, int] = {}  # places of names

    def place(self, name: str) -> int:
        return key_of(name) & (len(self.figures) - 1)

    def places(self, names: Sequence[str]) -> list[int]:
        """Of names of which many come again and again."""
        if len(self._known) > _CACHED:
            self._known.clear()
        known = self._known
        for name in names:
            if name not in known:
                known[name] = self.place(name)
        return [known[name] for name in names]

    def add(self, places: Places, reward: float, failed: bool) -> None:
        """One more visit of these kinds, each named once."""
        add_amounts(self.figures, places, (1.0, reward, float(failed)))

    def of(self, places: Places) -> tuple[Floats, Floats, Floats]:
        found = self.figures.take(places, axis=0).astype(np.float64)
        return found[..., VISITS], found[..., REWARD], found[..., FAILURES]

    def mean(self, places: Places, usual: Floats | float, trust: float = 2.0) -> Floats:
        """What a visit of each kind paid in the mean, shrunk to what is usual."""
        visits, reward, _ = self.of(places)
        return shrunk(visits, reward, usual, trust)

    def state(self) -> dict[str, Any]:
        known = np.flatnonzero(self.figures[:, VISITS])
        return {"size": len(self.figures), "places": known.astype(np.int32), "figures": self.figures[known]}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Self:
        made = cls(state["size"])
        made.figures[state["places"]] = state["figures"]
        return made
