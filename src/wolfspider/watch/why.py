"""Why somebody was told of a page, or was not: in words, from the book of a watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wolfspider.app.run_folder import settings_of
from wolfspider.store.view import RunView, utc
from wolfspider.watch.book import MetDocument, is_watched, opened
from wolfspider.web.seeds.sources import address


def why(run: Path, typed: str) -> dict[str, Any] | None:
    """None of a run that nobody watched."""
    if not is_watched(run):
        return None
    url = address(typed)
    page = RunView(run).page(url)
    with opened(run) as book:
        document = book.document(page.final_url if page is not None else url)
        reports = book.about(document.url if document is not None else url)
        left = dict(book.rows("SELECT number, state FROM outbox"))
    told = [
        {
            "number": report.number,
            "kind": report.kind,
            "at": utc(report.at),
            "late": report.data.get("late"),
            "to_webhook": left.get(report.number, "done or none"),
        }
        for report in reports
    ]
    sentence = _sentence(document, settings_of(run).window) if document is not None else _never_met(page is not None)
    return {"sentence": sentence, "state": document.state if document else "unmet", "reports": told}


def _sentence(document: MetDocument, window: float) -> str:
    met = f"It was first met on {utc(document.first)}"
    match document.state:
        case "told":
            return f"{met}, and you were told of it."
        case "forgotten":
            return f"{met}. What was told of it is forgotten, as somebody asked for, and you are not told of it again."
        case "irrelevant":
            return f"{met}. You were not told of it, for the judge finds it not relevant to the topic."
        case "noindex":
            return f"{met}. You were not told of it, for it asks not to be indexed."
        case "old":
            said = utc(document.published)
            return f"{met}. You were not told of it, for it was published on {said}, more than {window:g} hours before."
        case _:
            return (
                f"{met}. You were not told of it, for it says no date, and its link was there when the page that shows "
                "it was first looked at: it may be old."
            )


def _never_met(here: bool) -> str:
    if here:
        return "The run has it, but the watch has not come to it yet: it reads on when it is started."
    return "The watch never met it: no page that it looked at led there in time, or it was not asked for."
