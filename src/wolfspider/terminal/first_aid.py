"""Advice for a crawl that finds nothing relevant: what of the topic its pages have, and what a person can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wolfspider.store.page_count import PageCount

SOON = 100  # downloads without a relevant page after which a person is told
_NAMED = 5  # words
_TRY = "try words that such pages use, pages you like (--like URL), or starting points nearer to the topic"


def nothing_relevant(downloads: int, count: PageCount, keywords: Sequence[str], words: Mapping[str, int] | None) -> str:
    """An empty text while there is no need. `words`: in how many pages each of the topic's words was seen; None if that
    is not known."""
    if downloads < SOON or count.relevant + count.hidden_relevant or not count.pages:
        return ""
    ask = "Are the starting points on topic? If so,"
    if words is None:
        return f"No relevant page in {downloads:,} downloads. {ask} {_TRY}."
    seen = sorted(words, key=lambda word: (-words[word], word))[:_NAMED]
    if seen:
        occurs = "of the topic's words pages have " + ", ".join(f"{word} ({words[word]:,})" for word in seen)
    else:
        asked = f" ({', '.join(keywords[:_NAMED])})" if keywords else ""
        occurs = f"none of the topic's words{asked} was seen on any page"
    return f"No relevant page in {downloads:,} downloads: {occurs}. {ask} {_TRY}."
