"""The links that a fleet looked at, as degrees: how many pages link to an address, and to how many a page links.
(Palotai et al., Fig. 2)

    crawl.listen(Linked())

Addresses that are only linked to have no links of their own here, and are in the distribution of incoming links alone.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from wolfspider.bench.measure.folds import Atlas, Measure
from wolfspider.core.events import Event
from wolfspider.graphs.degrees import distribution, exponents
from wolfspider.graphs.graph import Ints


class Linked(Measure):
    """Both distributions, with the three estimates of each exponent."""

    def __init__(self, atlas: Atlas | None = None) -> None:
        super().__init__()
        self.atlas = atlas or Atlas()

    def __call__(self, event: Event) -> None:
        self.atlas(event)
        super().__call__(event)

    def figures(self) -> dict[str, Any]:
        graph = self.atlas.graph()
        return {
            "pages": self.atlas.found,
            "links": graph.m,
            "into": _degrees(graph.in_degrees()),
            "out_of": _degrees(graph.out_degrees()),
        }


def _degrees(degrees: Ints) -> dict[str, Any]:
    values, counts = distribution(degrees)
    estimates = asdict(exponents(degrees, np.random.default_rng(0)))
    return {"exponents": estimates, "values": values.tolist(), "counts": counts.tolist()}
