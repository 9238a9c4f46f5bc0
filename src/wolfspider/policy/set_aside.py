"""Links of a frontier that are out of scope: set aside, each with its score, until a person widens the scope again."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from wolfspider.policy.host_queues import column, highest


class SetAside:
    """Rows of the frontier and their scores. A link found again meanwhile is here more than once: the scores are merged
    when it comes back."""

    def __init__(self, rows: array[int] | None = None, scores: array[float] | None = None) -> None:
        self.rows = rows if rows is not None else array("I")
        self.scores = scores if scores is not None else array("d")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.rows, self.scores, strict=True)

    def add(self, row: int, score: float) -> None:
        self.rows.append(row)
        self.scores.append(score)

    def score(self, row: int) -> float:
        return self.scores[self.rows.index(row)]

    def rescore(self, score_of: Callable[[int, float], float]) -> None:
        self.scores = array("d", [score_of(row, score) for row, score in self])

    def assign(self, rows: np.ndarray[Any, Any], scores: np.ndarray[Any, Any]) -> None:
        """New scores, which are not merged with any from before."""
        given = dict(zip(rows.tolist(), scores.tolist(), strict=True))
        old, first = list(self), set[int]()
        self.rows, self.scores = array("I"), array("d")
        for row, score in old:
            if row not in first:
                self.add(row, given.get(row, score))
            if row in given:
                first.add(row)

    def cut(self, most: int) -> None:
        """Keep so many, those with the highest scores."""
        stays = highest(np.frombuffer(self.scores), most)
        self.rows = column(np.frombuffer(self.rows, np.uint32)[stays])
        self.scores = array("d", np.frombuffer(self.scores)[stays].tobytes())
