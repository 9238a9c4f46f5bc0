"""All links that lead to an address: a table that knows, for each link that waits, the pages that showed it.

Where `in_links.py` has only the count and the mean of the pages that link to an address, here each link stands with
figures of its own, such as where on the page it stood: at most so many for each address, those found first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from wolfspider.core.codec import helper
from wolfspider.learn.columns import Columns, NumberedColumns, Rows

MOST = 8  # links to one address


@helper
class LinkEdges:
    """Links by the numbers that a Frontier gives to the addresses they lead to.

    edges = LinkEdges(similarity="f4")
    numbers = frontier.extend(page.links, scores)
    edges.add(numbers, page_number, similarity=like)
    edges.of(number)                          # rows of `edges.table`, whose columns are source, similarity, ...
    """

    def __init__(self, most: int = MOST, **kinds: str) -> None:
        self.most = most
        self.addresses = NumberedColumns(last="i4", count="i4", found="i4")
        self.table = Columns(address="i4", before="i4", source="i4", **kinds)

    def __len__(self) -> int:
        return len(self.table)

    def add(self, numbers: ArrayLike, source: int, **values: ArrayLike) -> Rows:
        """The links of one page, each number once; -1 is passed over. Returns which of them were kept, by place."""
        given = np.asarray(numbers, np.int64)
        rows = self.addresses.enter(given)
        there = np.flatnonzero(rows >= 0)
        self.addresses["found"][rows[there]] += 1
        kept: Rows = there[self.addresses["count"][rows[there]] < self.most]
        rows = rows[kept]
        first = self.table.add(len(kept), address=rows, before=self.addresses["last"][rows], source=source)
        for name, column in values.items():
            self.table[name][first:] = np.asarray(column)[kept]
        self.addresses["last"][rows] = np.arange(first + 1, first + 1 + len(kept))  # 0 is none
        self.addresses["count"][rows] += 1
        return kept

    def of(self, number: int) -> list[int]:
        """The links to an address, the latest first."""
        (row,) = self.addresses.rows([number]).tolist()
        found, before = [], self.table["before"]
        edge = int(self.addresses["last"][row]) if row >= 0 else 0
        while edge:
            found.append(edge - 1)
            edge = int(before[edge - 1])
        return found

    def found(self, number: int) -> int:
        """How many links to an address were found, those that are not kept among them."""
        (row,) = self.addresses.rows([number]).tolist()
        return int(self.addresses["found"][row]) if row >= 0 else 0

    def keep_numbers(self, numbers: ArrayLike) -> Rows:
        """Only links to these addresses stay; returns which rows of the table they were."""
        address = np.full(len(self.addresses) + 1, -1)
        kept = self.addresses.keep_numbers(numbers)
        address[kept] = np.arange(len(kept))
        edges: Rows = np.flatnonzero(address[self.table["address"]] >= 0)
        place = np.zeros(len(self.table) + 1, np.int64)
        place[edges + 1] = np.arange(1, len(edges) + 1)
        self.table.keep(edges)
        self.table["address"][:] = address[self.table["address"]]
        self.table["before"][:] = place[self.table["before"]]
        self.addresses["last"][:] = place[self.addresses["last"]]
        return edges

    def state(self) -> dict[str, Any]:
        return {"most": self.most, "addresses": self.addresses, "table": self.table}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Self:
        made = cls(state["most"])
        made.addresses, made.table = state["addresses"], state["table"]
        return made
