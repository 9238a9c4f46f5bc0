"""What changed in the text of a document: paragraphs that went, and paragraphs that came."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from wolfspider.core.text import words

MOST_PARAGRAPHS = 2_000  # of each copy that are compared
MOST_SHOWN = 20  # paragraphs of each kind that are told
LONGEST = 1_000  # characters of one
LEAST_WORDS = 3  # that differ; less is a counter or a clock


@dataclass(frozen=True, slots=True)
class Difference:
    removed: list[str]
    added: list[str]

    @property
    def matters(self) -> bool:
        """Numbers alone do not: they are counters and clocks."""
        gone, come = _telling(self.removed), _telling(self.added)
        return len(gone ^ come) >= LEAST_WORDS

    def told(self) -> dict[str, list[str]]:
        return {
            name: [paragraph[:LONGEST] for paragraph in paragraphs[:MOST_SHOWN]]
            for name, paragraphs in (("removed", self.removed), ("added", self.added))
        }


def difference(old: str, new: str) -> Difference:
    """Of two texts whose paragraphs are lines. One that only moved is no difference."""
    before, after = (_paragraphs(text) for text in (old, new))
    return Difference(_without(before, after), _without(after, before))


def _without(these: list[str], others: list[str]) -> list[str]:
    left = Counter(others)
    kept = []
    for paragraph in these:
        left[paragraph] -= 1
        if left[paragraph] < 0:
            kept.append(paragraph)
    return kept


def _paragraphs(text: str) -> list[str]:
    return [line for line in text.split("\n") if line][:MOST_PARAGRAPHS]


def _telling(paragraphs: list[str]) -> set[str]:
    return {word for paragraph in paragraphs for word in words(paragraph) if not word.isdigit()}
