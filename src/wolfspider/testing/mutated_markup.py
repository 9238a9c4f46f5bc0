"""Pages with pieces lost, doubled, moved or put in, and all that a reading of a page says, to compare two readings."""

from __future__ import annotations

import random
from typing import Any

from wolfspider.core.model import UnreadWords
from wolfspider.core.text import counted, near_signature
from wolfspider.web.page.page_reading import PageReading

# What readers of markup have disagreed on.
_ODD = ["<option>", "</option>", "<pre>", "&#10", "<!>", "</body>", "</>", "</x>", "<?x?>"]
_ODD += ["<area href=/x>", "<!doctype html>"]


def told(reading: PageReading) -> dict[str, Any]:
    """All that a reading says."""
    own = {name: value for name, value in vars(reading).items() if name not in ("_path", "_in_article")}
    spoken = reading.words.text.split(" ") if isinstance(reading.words, UnreadWords) else reading.words
    counts = counted(spoken) if reading.counts is None else reading.counts
    return own | {
        "passages": list(reading.passages),
        "words": spoken,
        "counts": list(counts.items()),
        "near": near_signature(spoken) if reading.near is None else reading.near,
        "links": reading.links(reading.hrefs),
        "sample": reading.sample,
        "_before": list(own["_before"]),
    }


def mutated(text: str, rng: random.Random) -> str:
    """The text with up to five pieces lost, doubled, moved or put in, at brackets more often than not."""
    for _ in range(rng.randint(1, 5)):
        if len(text) < 10:
            break
        first, last = sorted(_place(text, rng) for _ in range(2))
        last = min(last, first + rng.choice((1, 10, 100, 1000)))
        piece, rest = text[first:last], text[:first] + text[last:]
        where = _place(rest, rng)
        added = text[:first] + rng.choice(_ODD) + text[first:]
        text = rng.choice((rest, text[:last] + piece + text[last:], rest[:where] + piece + rest[where:], added))
    return text


def _place(text: str, rng: random.Random) -> int:
    at = rng.randrange(len(text)) if text else 0
    bracket = text.find("<", at) if rng.random() < 0.7 else -1
    return bracket if bracket >= 0 else at
