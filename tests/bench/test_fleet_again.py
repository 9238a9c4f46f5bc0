"""A replay equals its recording: the fleet that made it, on what it saw, does everything again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from wolfspider.bench.run.fleets import prepared, recording_of, seeds_of, start_of, work
from wolfspider.core import events
from wolfspider.core.model import Page, Visit

WEB = "synthetic:pages=1000,topics=16,mischief=0,news=1,articles=60"
FLEET = {
    "fleet": "mixed",
    "foragers": 4,
    "order": "random",
    "steps": 20,
    "slice": 300.0,
    "multiply_at": 103.0,  # so that foragers are born and die within hours
    "delete_below": 99.0,
    "mutation": 0.01,
}
MADE: dict[str, Any] = {"web": WEB, "days": 0.25, "latency": 5.0, "repeat": 3, "fleet": FLEET}


def told(event: events.Event) -> tuple[Any, ...]:
    """All of an event that a replay must give again: pages have no words there, and links no anchors."""
    name = type(event).__name__
    if isinstance(event, events.Went):
        return (name, event.at, shown(event.visit), event.how)
    if isinstance(event, events.Landed):
        outcome, result = event.outcome, event.outcome.result
        seen: Any = result
        if isinstance(result, Page):
            links = tuple(link.url for link in result.links)
            seen = (result.url, result.final_url, result.digest, result.published, links, result.at)
        return (
            name,
            event.at,
            shown(outcome.visit),
            seen,
            outcome.downloads,
            outcome.seconds,
            event.how,
            event.downloads,
        )
    if isinstance(event, events.Noted):
        return (name, event.at, event.kind, event.data)
    if isinstance(event, events.Credited):
        return (name, event.at, event.credit.reason, event.credit)
    return (name, event.at)


def shown(visit: Visit) -> tuple[Any, ...]:
    return (visit.id, visit.link.url, visit.agent, visit.source, visit.note, visit.fresh)


def worked(setting: dict[str, Any]) -> list[tuple[Any, ...]]:
    """From the beginning of the web's time, as the recording was."""
    crawl, world, _ = prepared(setting)
    log: list[tuple[Any, ...]] = []
    crawl.listen(lambda event: log.append(told(event)))
    work(crawl, world, start_of(MADE), float(setting["days"]), seeds_of(setting))
    return log


@pytest.mark.slow
def test_a_mixed_fleet_does_everything_again_on_its_own_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path))
    there = worked(MADE)
    replayed = {**MADE, "record": {key: MADE[key] for key in ("days", "latency", "repeat", "fleet")}}
    assert (recording_of(replayed) / "states.npz").is_file()
    again = worked(replayed)
    for place, (one, other) in enumerate(zip(there, again, strict=False)):
        assert one == other, f"event {place} of {len(there)}"
    assert len(there) == len(again)
    notes = Counter(event[2] for event in there if event[0] == "Noted")
    assert set(notes) == {"birth", "death", "restart", "move", "weblog", "slice"}
    paid = [event for event in there if event[0] == "Credited" and event[2] == "new"]
    assert len(paid) > 50
