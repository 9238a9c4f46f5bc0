"""The parameters of the Intelligent Spider, and the pages its searches choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wolfspider.core.codec import StoredFields, helper
from wolfspider.core.params import param
from wolfspider.learn.likeness import Indexed, Score


@dataclass
class SpiderParams:
    outputs: int = param(10, "Pages to bring back.", low=1, high=500)
    fetch_time: float = param(30.0, "Seconds that a page may take.", low=0.1, high=3_600)
    eq3: str = param(
        "tanimoto",
        "How alike the terms of two pages are: tanimoto, or printed, with the sign as in the paper.",
        choices=("tanimoto", "printed"),
        live=False,
    )


@helper
class Candidate(StoredFields):
    """A fetched page that may become an output."""

    def __init__(self, url: str, title: str, terms: Indexed, seconds: float, origin: str, generation: int) -> None:
        self.url, self.title, self.terms, self.seconds = url, title, terms, seconds
        self.origin, self.generation = origin, generation


Pool = dict[str, Candidate]  # by address
Scores = Mapping[str, Score]
