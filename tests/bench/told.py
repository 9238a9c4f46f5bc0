"""What a ruling tells, as one text, for tests that look for words in it."""

from __future__ import annotations

from wolfspider.bench.experiment import Ruling
from wolfspider.bench.rulings import brief


def told(ruling: Ruling) -> str:
    """The sentence, and what the same rule finds in other ways."""
    return "; ".join([ruling.sentence, *(f"{name} it {brief(other)}" for name, other in ruling.others)])
