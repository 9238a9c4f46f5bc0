"""The links of the pages that a fleet gathered, as the papers on foragers kept and measured them.

Palotai, Farkas and Lorincz number pages, not addresses: one that has changed since its last download is another page.
When a forager steps on a page that is new or has changed, its links are kept as links to the pages that they show then;
a page that was only looked at has none. And of the links of a page "in database" are those that the step looked at,
which lead to addresses that the forager has not been to (Palotai, Mandusitz and Lorincz, inset of Fig. 2). So home and
section, to which every page of a site links, are hardly ever among them, and such a graph is far less clustered than
the site is.
"""

from __future__ import annotations

from array import array

import numpy as np

from wolfspider.bench.measure.folds import Fold
from wolfspider.bench.measure.metrics import charged
from wolfspider.core.events import Landed
from wolfspider.graphs.graph import Graph


class GatheredLinks(Fold):
    """A fold that keeps pages, each content of an address for itself, and the links that were looked at when a forager
    first stepped on them."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[tuple[str, str], int] = {}
        self._shown: dict[str, int] = {}  # the page that an address showed last
        self._stepped: dict[int, tuple[str, int]] = {}  # page -> forager and step of the first step on it
        self._tails, self._heads = array("q"), array("q")

    def landed(self, event: Landed) -> None:
        download, visit = charged(event), event.outcome.visit
        page = download.outcome.page if download else None
        if page is None:
            return
        number = self._numbers.setdefault((page.final_url, page.digest), len(self._numbers))
        self._shown[visit.link.url] = self._shown[page.final_url] = number
        tail = self._shown.get(visit.source)
        step = visit.agent, int(visit.note.get("step", -1))
        if tail is not None and self._stepped.setdefault(tail, step) == step:
            self._tails.append(tail)
            self._heads.append(number)

    def graph(self) -> Graph:
        """Pages with the same address are told apart by their numbers."""
        names = [f"{url}#{number}" for (url, _), number in self._numbers.items()]
        return Graph.from_edges(names, np.asarray(self._tails), np.asarray(self._heads))
