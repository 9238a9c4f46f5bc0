"""The link graph of a web: addresses as nodes, links as edges, and nothing else.

Edges lie in compressed rows: those of node `v` are `targets[starts[v]:starts[v + 1]]`, sorted, distinct, without
self-loops. Five million links are then two arrays of 20 MB, and every measure is a few passes of numpy over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wolfspider.core.errors import BadInput

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    urls: Sequence[str]  # node -> address
    starts: Ints  # n + 1
    targets: Nodes  # m, sorted within each node

    @classmethod
    def from_edges(cls, urls: Sequence[str], sources: ArrayLike, targets: ArrayLike) -> Graph:
        """Edges in any order; doubles and self-loops are dropped."""
        n = len(urls)
        tails = np.asarray(sources, dtype=np.int64)
        heads = np.asarray(targets, dtype=np.int64)
        if tails.shape != heads.shape:
            raise ValueError("as many sources as targets are needed")
        if tails.size and not (min(tails.min(), heads.min()) >= 0 and max(tails.max(), heads.max()) < n):
            raise ValueError("an edge names a node that is not there")
        keys = distinct(tails * n + heads)
        keys = keys[keys // max(n, 1) != keys % max(n, 1)]
        starts = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(keys // max(n, 1), minlength=n), out=starts[1:])
        return cls(urls, starts, (keys % max(n, 1)).astype(np.int32))

    @property
    def n(self) -> int:
        return len(self.urls)

    @property
    def m(self) -> int:
        return int(self.targets.size)

    def index(self) -> dict[str, int]:
        return {url: node for node, url in enumerate(self.urls)}

    def out(self, node: int) -> Nodes:
        return self.targets[self.starts[node] : self.starts[node + 1]]

    def spread(self, nodes: NDArray[np.integer[Any]]) -> tuple[Ints, Nodes]:
        """All edges out of these nodes: for each its source, as an index into `nodes`, and its target."""
        begins = self.starts[nodes]
        counts = self.starts[nodes + 1] - begins
        ends = np.cumsum(counts)
        places = np.repeat(np.arange(nodes.size), counts)
        edges = np.arange(places.size) + np.repeat(begins - ends + counts, counts)
        return places, self.targets[edges]

    def sources(self) -> Nodes:
        """The node that each edge leaves from, in the order of `targets`."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.starts))

    def out_degrees(self) -> Ints:
        return np.diff(self.starts)

    def in_degrees(self) -> Ints:
        return np.bincount(self.targets, minlength=self.n).astype(np.int64)

    def reversed(self) -> Graph:
        return Graph.from_edges(self.urls, self.targets, self.sources())

    def undirected(self) -> Graph:
        """Every link in both directions."""
        tails = self.sources()
        return Graph.from_edges(self.urls, np.concatenate([tails, self.targets]), np.concatenate([self.targets, tails]))

    def save(self, path: Path) -> None:
        texts = [url.encode("utf-8", "surrogatepass") for url in self.urls]
        lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=self.n)
        blob = np.frombuffer(b"".join(texts), dtype=np.uint8)
        with path.open("wb") as file:
            np.savez_compressed(file, urls=blob, lengths=lengths, starts=self.starts, targets=self.targets)

    @classmethod
    def load(cls, path: Path) -> Graph:
        try:
            with np.load(path, allow_pickle=False) as parts:
                starts, targets = parts["starts"].astype(np.int64), parts["targets"].astype(np.int32)
                urls = _cut(parts["urls"].tobytes(), np.cumsum(parts["lengths"]).tolist())
            if (
                starts.shape != (len(urls) + 1,)
                or starts[0]
                or starts[-1] != targets.size
                or (np.diff(starts) < 0).any()
            ):
                raise ValueError("its rows do not fit its edges")
            if targets.size and not (targets.min() >= 0 and targets.max() < len(urls)):
                raise ValueError("an edge names a node that is not there")
        except (OSError, KeyError, ValueError, EOFError, BadZipFile) as error:
            raise BadInput(f"{path} is not a stored graph ({error}); delete it and it is made anew.") from error
        return cls(urls, starts, targets)


def distinct(keys: Ints) -> Ints:
    """The distinct keys, sorted. Faster than np.unique on large arrays, which hashes or sorts one more copy."""
    ordered = np.sort(keys)
    keep = np.ones(ordered.size, dtype=bool)
    keep[1:] = ordered[1:] != ordered[:-1]
    return ordered[keep]


def _cut(blob: bytes, ends: list[int]) -> list[str]:
    if (ends[-1] if ends else 0) != len(blob):
        raise ValueError("its addresses do not fit their lengths")
    begins = [0, *ends[:-1]]
    return [blob[a:b].decode("utf-8", "surrogatepass") for a, b in zip(begins, ends, strict=False)]
