"""What a run has to read: questions to label, search, why an address stands where it stands, and the text of a page.

Whatever strangers wrote is handed out as text, bounded, without characters that nobody can see.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider.app import labelling
from wolfspider.core.errors import BadInput
from wolfspider.core.model import hidden
from wolfspider.core.plain_text import plain_lines, plainly
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.dashboard.reading_shapes import (
    Explained,
    PagesFound,
    PageText,
    PageTextQuery,
    QuestionsAsked,
    QuestionsQuery,
    SearchBody,
    UrlQuery,
)
from wolfspider.export.exported_page import why
from wolfspider.export.run_search import search_run
from wolfspider.store.view import RunView
from wolfspider.terminal import explanation
from wolfspider.web.page.plaintext import readable
from wolfspider.web.seeds.sources import address

SHOWN = 20  # pages that a search gives
MOST_TEXT = 20_000  # characters of a page in one answer
_LONGEST, _MOST, _DEEPEST = 2000, 100, 8  # of texts, lists and nested values in an explanation


def questions(desk: RunDesk, run: Path, asked: QuestionsQuery) -> QuestionsAsked:
    count = asked.get("count", labelling.COUNT)
    found = desk.remembered(run, f"questions {count}", lambda: labelling.questions(run, count))
    return {
        "questions": [
            {
                "url": plainly(each.url, _LONGEST),
                "title": plainly(each.title),
                "score": each.score,
                "relevant": each.relevant,
                "links": each.links,
                "words": [plainly(word) for word in each.words[:_MOST]],
                "excerpt": plainly(each.excerpt, _LONGEST),
                "why": plainly(each.why, _LONGEST),
            }
            for each in found
        ]
    }


def search(run: Path, asked: SearchBody) -> PagesFound:
    found = search_run(run, _words(asked["q"]), asked.get("limit", SHOWN), asked.get("relevant", False))
    return {
        "found": [
            {
                "url": plainly(each.final_url, _LONGEST),
                "title": plainly(each.title),
                "score": each.score,
                "relevant": each.relevant,
                "rank": each.rank,
                "fetched": each.fetched,
                "snippet": plainly(each.snippet, _LONGEST),
            }
            for each in found
        ]
    }


def _words(text: str) -> list[str]:
    """Words parted by blanks; what stands between " is one."""
    parts = text.split('"')
    return [word for place, part in enumerate(parts) for word in ([part] if place % 2 else part.split()) if word]


def explain(run: Path, asked: UrlQuery) -> Explained:
    found = explanation.explain(run, asked["url"])
    return {
        "url": plainly(str(found["url"]), _LONGEST),
        "known": bool(found["known"]),
        "state": str(found["state"]),
        "lines": [plainly(line, _LONGEST) for line in explanation.lines(found)],
        "found": _bounded(found),
    }


def page(run: Path, asked: PageTextQuery) -> PageText:
    """The text of a page, never its markup."""
    view = RunView(run)
    row = view.page(address(asked["url"]))
    if row is None:
        raise Missing("The run has no page of this address. Ask why (explain).")
    try:
        text = plain_lines(readable(view.body(row), row.headers.get("content-type", "")))
    except BadInput as problem:
        raise Missing(str(problem)) from problem
    offset = min(asked.get("offset", 0), len(text))
    end = min(offset + MOST_TEXT, len(text))
    return {
        "url": plainly(row.final_url, _LONGEST),
        "title": plainly(row.title),
        "language": plainly(row.language),
        "at": row.at,
        "score": row.score,
        "relevant": row.relevant,
        "why": plainly(why(row.relevant, row.evidence), _LONGEST),
        "hidden": hidden(row.robots),
        "text": text[offset:end],
        "characters": len(text),
        "next_offset": end if end < len(text) else None,
    }


def _bounded(told: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    return {plainly(str(name)): _short(value, depth + 1) for name, value in list(told.items())[:_MOST]}


def _short(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return plainly(value, _LONGEST)
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return _bounded(value, depth)
    return [_short(each, depth + 1) for each in value[:_MOST]] if isinstance(value, list | tuple) else value
