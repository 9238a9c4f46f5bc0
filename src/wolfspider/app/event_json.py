"""Events as plain JSON, for `crawl --json` and other programs; docs/events.md has the fields."""

from __future__ import annotations

import math
from typing import Any

from wolfspider.core import codec, events
from wolfspider.core.model import Failure

SEEDS = 1000  # starting points told by name


def told(event: events.Event) -> dict[str, Any]:
    """One event as a flat object; `event` names its kind."""
    return {"event": type(event).__name__.lower(), "at": event.at, **finite(_fields(event))}


def finite(value: Any) -> Any:
    """JSON knows no infinity, and a starting point may be worth one: it is told as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(kept) for name, kept in value.items()}
    return [finite(kept) for kept in value] if isinstance(value, list | tuple) else value


def _fields(event: events.Event) -> dict[str, Any]:
    match event:
        case events.Began():
            return {
                "seeds": [link.url for link in event.seeds[:SEEDS]],
                "starts": len(event.seeds),
                "pages": event.pages,
            }
        case events.Went():
            visit = event.visit
            named = {"visit": visit.id, "url": visit.link.url, "how": event.how, "agent": visit.agent}
            return named | {"source": visit.source, "anchor": visit.link.anchor, "note": codec.plain(visit.note)}
        case events.Landed():
            return _landed(event)
        case events.Postponed():
            visit, failure = event.visit, event.failure
            return {"visit": visit.id, "url": visit.link.url, "failure": failure.kind, "detail": failure.detail}
        case events.Obeyed():
            command = {"command": type(event.command).__name__.lower(), **codec.plain(event.command)}
            return command | {"old": codec.plain(event.old), "problem": event.problem}
        case _:
            plain: dict[str, Any] = codec.plain(event)
            plain.pop("at")
            return plain


def _landed(event: events.Landed) -> dict[str, Any]:
    outcome = event.outcome
    common = {
        "visit": outcome.visit.id,
        "url": outcome.visit.link.url,
        "how": event.how,
        "downloads": event.downloads,
        "seconds": round(outcome.seconds, 3),
    }
    page, verdict = outcome.result, outcome.verdict
    if isinstance(page, Failure):
        return common | {"failure": page.kind, "detail": page.detail}
    return common | {
        "final_url": page.final_url,
        "title": page.title,
        "status": page.status,
        "type": page.type,
        "language": page.language,
        "published": page.published,
        "size": page.size,
        "digest": page.digest,
        "links": len(page.links),
        "score": None if verdict is None else verdict.score,
        "relevant": None if verdict is None else verdict.relevant,
    }
