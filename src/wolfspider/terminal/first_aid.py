"""Advice for a crawl that finds nothing relevant: what of the topic its pages have, and what a person can do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from wolfspider.app.present_settings import PresentSettings
from wolfspider.core.model import hidden
from wolfspider.core.plain_text import plainly
from wolfspider.files.program_name import shell_command
from wolfspider.store.page_count import NEWEST, PageCount
from wolfspider.store.view import RunView, Summary, pages_of

SOON = 100  # downloads without a relevant page after which a person is told
AT_THE_END = 20  # the same where a crawl is over
_NAMED = 5  # words
_NEAREST = 3  # pages
_NEAR = 0.01  # the score of a page that is near the topic at all
_LOOKED_AT = 2000  # pages whose words are counted
_EVIDENCE = f"SELECT h.evidence FROM {NEWEST} ORDER BY p.seq DESC LIMIT ?"  # noqa: S608
MOST_WORDS, LONGEST_WORD = 200, 40  # words of a topic that are counted, and their characters
_TRY = "try words that such pages use, pages you like (--like URL), or starting points nearer to the topic"


def nothing_relevant(
    downloads: int, count: PageCount, keywords: Sequence[str], words: Mapping[str, int] | None, over: bool = False
) -> str:
    """An empty text while there is no need. `words`: in how many pages each of the topic's words was seen; None if that
    is not known. `over`: is the crawl?"""
    if downloads < (AT_THE_END if over else SOON) or count.relevant + count.hidden_relevant or not count.pages:
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


def count_words(words: object, counts: Counter[str] | None) -> Counter[str] | None:
    """Count the words of the topic that a judge saw on a page; a judge of a person's own gives what it likes."""
    if not isinstance(words, list):
        return counts
    counts = Counter() if counts is None else counts
    for word in (word[:LONGEST_WORD] for word in words[:MOST_WORDS] if isinstance(word, str)):
        if word in counts or len(counts) < MOST_WORDS:
            counts[word] += 1
    return counts


def advice_for(view: RunView, summary: Summary) -> list[str]:
    """The same for a run as it lies on disk, with the pages that came nearest; nothing while there is no need."""
    over = summary.ended is not None
    if summary.forgotten or not nothing_relevant(summary.downloads, summary.count, (), None, over):
        return []  # relevant pages may be among those that were forgotten
    counts: Counter[str] | None = None
    for (evidence,) in view.rows(_EVIDENCE, _LOOKED_AT):
        with suppress(ValueError, TypeError, AttributeError, RecursionError):  # of a damaged row
            counts = count_words(json.loads(evidence).get("words"), counts)
    said = nothing_relevant(summary.downloads, summary.count, PresentSettings.of(view).keywords, counts, over)
    return [said, *_nearest(view)]


def _nearest(view: RunView) -> list[str]:
    near = []
    with view.moment() as moment:
        for row in pages_of(moment, unreadable=lambda number, error: None, best=True):
            if row.score < _NEAR:  # the best come first
                break
            if not hidden(row.robots):
                near.append(f"{row.final_url} ({plainly(str(row.title), 60) or 'no title'})")
            if len(near) == _NEAREST:
                break
    if not near:
        return []
    label = shell_command("steer", view.folder, "label", "URL", "up")
    return [f"Nearest so far: {', '.join(near)}. If one of them is good, say so: {label}"]
