"""Why somebody was told of a page, or was not: in words, from the book of a watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wolfspider.app.run_folder import settings_of
from wolfspider.core.model import FEED, SITEMAP
from wolfspider.store.view import RunView, utc
from wolfspider.watch.book import MetDocument, is_watched, opened
from wolfspider.web.seeds.sources import address, address_or_list, web_address_of


def why(run: Path, typed: str) -> dict[str, Any] | None:
    """None of a run that nobody watched."""
    if not is_watched(run):
        return None
    url, view = address_or_list(typed), RunView(run)
    page = view.page(url)
    with opened(run) as book:
        document = book.document(page.final_url if page is not None else url)
        reports = book.about(document.url if document is not None else url)
        left = dict(book.rows("SELECT number, state FROM outbox"))
        window = float(book.remembered("window") or settings_of(run).window)
        twins = [url for url in book.told_with(document.digest) if url != document.url] if document else []
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
    settings = settings_of(run)
    if document is None and web_address_of(url) != url:
        sentence = "It is a list of what is new: what it names is told, it is none itself."
    elif document is None and (lists := [name for name in (FEED, SITEMAP) if view.visits_of(f"{name}:{url}")]):
        sentence = f"It is a {lists[0]}, and is looked at again and again. Ask for {lists[0]}:{url} to see these looks."
    elif document is None:
        sentence = _never_met(page is not None)
    elif document.state in ("undated", "watched") and url in map(address, settings.urls):
        sentence = f"{_met(document)}. It is an address that you watch: news are looked for on it, it is none itself."
    elif document.state == "undated" and any(_is_list_look(visit.note, visit.fresh) for visit in view.visits_of(url)):
        sentence = f"{_met(document)}. It shows links to others and has no date: news are looked for on it, it is none."
    else:
        sentence = _sentence(document, window, twins)
    return {"sentence": sentence, "state": document.state if document else "unmet", "reports": told}


def note_in_words(note: Mapping[str, Any], fresh: bool) -> str:
    """Why a strategy that polls (policy/polling.py) looked at an address, from what it noted; "" of any other note.
    `fresh`: no copy at hand was wanted."""
    match note:
        case {"again": int(times)}:
            return f"it was news, and is looked at again to see whether it changed, for the {_nth(times + 1)} time"
        case {"source": int(), "since": float(since), "seen": float(seen)}:
            return f"its link was new there at {utc(seen)}; at the look before, {utc(since)}, it was not there"
        case {"source": int(), "since": None, "seen": float(seen)}:
            return f"its link stood there when that page was first looked at, {utc(seen)}: it may be older"
        case {"score": float()} if _is_list_look(note, fresh):
            return "what is new on it was wanted: it was the turn of this list"
    return ""


def _is_list_look(note: Mapping[str, Any], fresh: bool) -> bool:
    return fresh and set(note) == {"score"}


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _met(document: MetDocument) -> str:
    return f"It was first met on {utc(document.first)}"


def _sentence(document: MetDocument, window: float, twins: Sequence[str]) -> str:
    met = _met(document)
    match document.state:
        case "told":
            return f"{met}, and you were told of it."
        case "forgotten":
            return f"{met}. What was told of it is forgotten, as somebody asked for, and you are not told of it again."
        case "twin":
            where = f" ({twins[0]})" if twins else ""
            return f"{met}. You were not told of it, for you were told of the same page at another address{where}."
        case "watched":
            return f"{met}. It is an address that you watch: news are looked for on it, it is none itself."
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
