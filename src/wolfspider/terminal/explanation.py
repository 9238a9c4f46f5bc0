"""`wolfspider explain`, laid out for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wolfspider.app.explain import why
from wolfspider.core.failures import in_words
from wolfspider.core.model import FIRST_PROBE, NEVER_ASKED, Failure, Route, hidden
from wolfspider.core.plain_text import plainly
from wolfspider.store.fleet_folder import is_fleet, run_of
from wolfspider.terminal.watch_screen import span
from wolfspider.watch.why import note_in_words
from wolfspider.watch.why import why as why_told

__all__ = ["explain", "lines"]

_STATES = {
    "relevant": "It was downloaded, and it is relevant.",
    "not relevant": "It was downloaded, and it is not relevant.",
    "failed": "It was visited, and there is no page.",
    "answered": "It is a feed or a sitemap, and was read.",
    "out": "A visit to it is out, or was when the run stopped.",
    "waiting": "It is known and waits for its turn.",
    "rests": "It is known, and rests: the rules against traps hold it back for now.",
    "set aside": "It is known, and set aside because it is out of scope.",
    "unknown": "The run has not met it.",
}
_WAYS: Mapping[str, str] = {
    Route.OUT: "asked for over the network",
    Route.HELD: "answered from what the run held, free",
    Route.JOINED: "answered together with a visit that was out, free",
    Route.EXCLUDED: "turned away: out of scope",
    Route.SOURCE: "answered by a source",
}
_TOLD = ("score", "source", "anchor", "as_of", "place", "of", "gives_way", "up", "down")  # each in a line of its own
_SENT = {"waits": ", waits for the webhook", "given up": ", given up for the webhook"}
_MOST_VISITS = 20
_MOST_AGENTS = 10


def explain(run: Path, url: str) -> dict[str, Any]:
    """Everything the run knows of an address; of a watch also why somebody was told of it, or not."""
    found, watch = why(run, url), why_told(run, url)
    island = str(run_of(run, found["url"])) if is_fleet(run) else None
    for visit in found["visits"]:
        visit["words"] = note_in_words(visit["note"], visit["fresh"]) if watch is not None else ""
    return {**found, "watch": watch, "island": island}


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Whatever strangers wrote stands in one line each, harmless."""
    yield plainly(found["url"], 2000)
    yield _forgotten(found["forgotten"]) or _never_asked(found) or _STATES[found["state"]]
    if found.get("island"):
        yield f"Its site belongs to the island {plainly(found['island'], 1000)}."
    if found.get("watch"):
        yield plainly(found["watch"]["sentence"], 1000)
        yield from (
            f"  report {one['number']}: {one['kind']}, {one['at']}{_late(one['late'])}"
            + _SENT.get(one["to_webhook"], "")
            for one in found["watch"]["reports"]
        )
    if found["page"]:
        yield from _page(found["page"], found["url"])
    if found["waiting"]:
        yield from _waiting(found["waiting"])
    if found["agents"]:
        yield from _agents(found["agents"])
    first = found["visits"][:1]
    for visit in found["visits"][-_MOST_VISITS:]:
        yield from _visit(visit, again=visit["fresh"] and visit not in first)
    if len(found["visits"]) > _MOST_VISITS:
        yield f"({len(found['visits']) - _MOST_VISITS} earlier visits are left out; --json tells all.)"
    yield from _rules(found)
    if found["near"]:
        yield "Addresses it has met that look like it:"
        yield from (f"  {plainly(url, 2000)}" for url in found["near"])
    elif not found["known"]:
        yield (
            "It may have been found since the last snapshot; or no page that was read links to it, or only by links "
            "that the crawl does not follow (nofollow, out of scope)."
        )


def _forgotten(asked: Mapping[str, Any] | None) -> str:
    """When somebody asked for it to be forgotten, and how; empty if nobody did."""
    if asked is None:
        return ""
    return f"It was forgotten for good at {asked['at']}, by the command: forget RUN {plainly(asked['what'], 2000)}"


def _late(seconds: object) -> str:
    """How late a report was, where somebody knows when its page was published."""
    return f", {span(seconds)} after it was published" if isinstance(seconds, int | float) else ""


def _never_asked(found: Mapping[str, Any]) -> str:
    """Say why no request was made for the address; empty if one was made. Scope and robots.txt are checked before."""
    outcome = found["visits"][-1]["outcome"] if found["state"] == "failed" else None
    if not outcome or not _is_unasked(outcome):
        return ""
    reason = in_words(Failure(outcome["failure"], str(outcome["detail"] or "")))
    if outcome["failure"] == "robots":
        rule = found["robots"].partition("forbidden: ")[2]
        reason = f"robots.txt forbids it{f' ({rule})' if rule else ''}"
    return f"It was not requested: {plainly(reason)}."


def _is_unasked(outcome: Mapping[str, Any]) -> bool:
    """Was the address never requested? A visit that only was not tried again has attempts."""
    return outcome.get("failure") in NEVER_ASKED and not outcome["attempts"]


def _page(page: Mapping[str, Any], url: str) -> Iterator[str]:
    yield f"  title      {plainly(page['title']) or '(none)'}"
    if page["asked"] != url:
        yield f"  asked for  {plainly(page['asked'], 2000)}"
    if page["final_url"] != page["asked"]:
        yield f"  found at   {plainly(page['final_url'], 2000)}"
    yield f"  answer     {page['status']}, {plainly(page['type'])}, {page['size']:,} bytes, at {page['fetched']}"
    more = " as far as it was read: it was cut" if page["truncated"] else ""
    yield f"  in it      {page['words']:,} words, {page['links']:,} links{more}"
    yield f"  score      {page['score']:.3f} ({_evidence(page['evidence'])})"
    if page["label"] is not None:
        who = "the teacher" if page["evidence"].get("by_teacher") else "a person"
        yield f"  label      {who} says it is {'good' if page['label'] else 'bad'}"
    if "nofollow" in page["robots"]:
        yield "  follow     It asks robots not to follow its links."
    if hidden(page["robots"]):
        yield "  export     never: it asks not to be indexed"


def _waiting(waiting: Mapping[str, Any]) -> Iterator[str]:
    score = waiting.get("score")
    place = f", place {waiting['place']:,} of {waiting['of']:,}" if "place" in waiting else ""
    yield f"  worth      {'before all others, as a starting point' if score is None else f'{score:.4g}{place}'}"
    if way := waiting.get("gives_way"):
        yield f"  gives way  to a better link at {plainly(way['host'])}, until {way['until']} at most"
    parts = {name: value for name, value in waiting.items() if name not in _TOLD and value is not None}
    inner = parts.pop("parts", None)
    told = [_evidence(inner) if isinstance(inner, Mapping) else _told(inner)] if inner is not None else []
    if parts:
        told.append(_evidence(parts))
    if told:
        yield f"  parts      {plainly(', '.join(told), 600)}"
    yield from _moves(waiting)
    yield from _found_on(waiting.get("source", ""), waiting.get("anchor", ""))
    yield f"  as of      {waiting['as_of']}, the last snapshot"


def _moves(told: Mapping[str, Any]) -> Iterator[str]:
    """What moved a link up, and what down."""
    for name, moved in (("up by", told.get("up")), ("down by", told.get("down"))):
        yield from (f"  {name:<10} {plainly(what)}" for what in moved or ())


def _agents(told: Mapping[str, Any]) -> Iterator[str]:
    """What those of a fleet who know it hold of it."""
    for name, held in list(told["held"].items())[:_MOST_AGENTS]:
        yield f"  {plainly(name):<10} {_evidence(held)}"
    if len(told["held"]) > _MOST_AGENTS:
        yield f"  (and {len(told['held']) - _MOST_AGENTS} others; --json tells all)"
    yield f"  as of      {told['as_of']}, the last snapshot"


def _found_on(source: str, anchor: str, again: bool = False) -> Iterator[str]:
    named = f", by the link “{plainly(anchor, 100)}”" if anchor else ""
    nowhere = "no page: it was looked at again" if again else "no page: a starting point"
    yield f"  found on   {plainly(source, 2000) if source else nowhere}{named}"


def _visit(visit: Mapping[str, Any], again: bool) -> Iterator[str]:
    """`again`: it is not the first one, and was not to be answered by the copy at hand."""
    agent = f" by {plainly(visit['agent'])}" if visit["agent"] else ""
    fresh = ", wanted fresh" if visit["fresh"] else ""
    never = visit["how"] == Route.OUT and _is_unasked(visit["outcome"] or {})
    way = "not asked for" if never else _WAYS.get(visit["how"], visit["how"])
    number = visit["id"]
    named = f"Visit {number}{agent}" if number < FIRST_PROBE else f"Probe {number - FIRST_PROBE + 1} by chance"
    yield f"{named}: {way}{fresh}."
    yield from _found_on(visit["source"], visit["anchor"], again)
    if words := visit.get("words"):
        yield f"  why        {words}"
    else:
        yield f"  worth      {_evidence(visit['worth']) or 'nothing noted'}"
        yield from _moves(visit)
    outcome = visit["outcome"]
    if outcome is None:
        trouble = visit.get("postponed")
        why = f": its host was in trouble at {trouble['at']} ({plainly(trouble['words'])})" if trouble else ""
        yield f"  outcome    not back yet{why}"
        return
    tries = f", {outcome['attempts']} attempts" if outcome["attempts"] > 1 else ""
    after = f"at {outcome['at']}, after {outcome['seconds']:.1f} s{tries}"
    if "failure" in outcome:
        detail = f" ({plainly(outcome['detail'] or '')})" if outcome["detail"] else ""
        yield f"  outcome    {outcome['failure']}{detail}: {outcome['meaning']}; {after}"
    elif outcome["score"] is None:
        yield f"  outcome    a page that is not judged, {after}"
    else:
        good = "relevant" if outcome["relevant"] else "not relevant"
        yield f"  outcome    a page, {good}, score {outcome['score']:.3f}, {after}"


def _rules(found: Mapping[str, Any]) -> Iterator[str]:
    scope = found["scope"]
    yield "Rules:"
    yield f"  robots     {plainly(found['robots'])}"
    yield f"  scope      {'in' if scope['allowed'] else 'out'}: {plainly(scope['rule'])}"
    if found["trap"]:
        yield f"  traps      {plainly(found['trap'], 2000)}"
    if found["budget"]:
        yield f"  budget     {plainly(found['budget'], 2000)}"
    if found["host"]["rests_until"]:
        yield f"  host       {plainly(found['host']['name'])} is left alone until {found['host']['rests_until']}"


def _evidence(parts: Mapping[str, Any]) -> str:
    return plainly(", ".join(f"{name} {_told(value)}" for name, value in parts.items()), 600)


def _told(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
