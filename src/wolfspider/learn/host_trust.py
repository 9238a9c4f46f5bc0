"""Which hosts are vouched for by others, so that a farm of hosts that name only each other earns nothing by that.

The hosts of the starting points are trusted. A host that a trusted one names is trusted, too, unless it belongs to a
closed circle: few of the hosts that it names are named by another trusted host, but most of the others by hosts that
nobody trusts. So it is with a farm, which is entered through a few links, and all that its pages name is the farm. That
an honest host names many that nobody else names makes no circle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import StoredFields, helper
from wolfspider.learn.columns import Columns

MANY = 5  # hosts that one must name within a circle to be doubted
SHARE = 0.35  # of the hosts that it names other trusted ones must name, too
CLOSED = 0.5  # of the others, so many are named in the circle
MOST, MOST_NAMED = 400_000, 1_000  # pairs of hosts that are remembered, and of one source, unless a person named it
_GROWTH, _GROWTH_IN_DOUBT = 50, 200  # trust is worked out anew when there is one pair more for each so many
_STEPS = 30

Hosts = NDArray[np.int64]


@helper
class HostTrust(StoredFields):
    """Hosts are numbers."""

    def __init__(self) -> None:
        self.pairs = Columns(source="i4", target="i4")
        self.roots: Hosts = np.zeros(0, np.int64)
        self.trusted: Hosts = np.zeros(0, np.int64)  # rising
        self.at = 0  # pairs when trust was last worked out

    def begin(self, hosts: Hosts) -> None:
        """These are trusted, come what may."""
        self.roots = np.union1d(self.roots, hosts)
        self._work_out()

    def name(self, source: int, targets: Hosts) -> None:
        """A page of a host names others: whom a trusted one names is trusted at once, until all is worked out anew."""
        known = self.pairs["target"][self.pairs["source"] == source]
        fresh = np.array(sorted(set(targets.tolist()).difference(known.tolist(), (source,))), np.int64)
        if not len(fresh):
            return
        noted = fresh if source in self.roots else fresh[: max(0, MOST_NAMED - len(known))]
        if len(noted) and len(self.pairs) < MOST:
            self.pairs.add(len(noted), source=source, target=noted)
        more, doubtful = len(self.pairs) - self.at, len(known) < MANY <= len(known) + len(fresh)
        if more > len(self.pairs) // (_GROWTH_IN_DOUBT if doubtful else _GROWTH):
            self._work_out()
        elif source in self.trusted:
            self.trusted = np.union1d(self.trusted, fresh)

    def of(self, hosts: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these are trusted."""
        if not len(self.trusted):
            return np.zeros(len(hosts), bool)
        found: NDArray[np.bool_] = self.trusted.take(np.searchsorted(self.trusted, hosts), mode="clip") == hosts
        return found

    def _work_out(self) -> None:
        self.at = len(self.pairs)
        both = np.concatenate((self.pairs["source"], self.pairs["target"]))
        hosts, places = np.unique(np.concatenate((both, self.roots)), return_inverse=True)
        source, target = places[: self.at], places[self.at : 2 * self.at]
        root = np.isin(hosts, self.roots)
        names, named = np.bincount(source, minlength=len(hosts)), np.bincount(target, minlength=len(hosts))
        trusted = root
        for _ in range(_STEPS):
            by = np.bincount(target, trusted[source], len(hosts))
            shared = (by[target] > trusted[source]) | root[target]
            backed = np.bincount(source, shared, len(hosts))
            circle = np.bincount(source, ~shared & (named[target] > 1), len(hosts))
            closed = (circle >= MANY) & (circle >= CLOSED * (names - backed)) & (backed < SHARE * names)
            now = root | ((by > 0) & ~closed)
            if np.array_equal(now, trusted):
                break
            trusted = now
        self.trusted = hosts[trusted]
