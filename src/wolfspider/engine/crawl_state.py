"""The state of a crawl as a snapshot keeps it: everything but the shelf's content and the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wolfspider.core.events import EndReason
from wolfspider.core.model import Route
from wolfspider.engine.flights import Flight

if TYPE_CHECKING:
    from wolfspider.engine.crawl import Crawl

KEPT = ("now", "labels", "by_teacher", "taught", "paused", "closing", "idle", "streak", "futile", "asked", "roused")
KEPT_OF_FLIGHTS = ("spent", "training", "joined")


def _kept(crawl: Crawl) -> Iterator[tuple[Any, str]]:
    """Plain fields that are stored, and where they are."""
    yield from ((crawl, name) for name in KEPT)
    yield from ((crawl.flights, name) for name in KEPT_OF_FLIGHTS)
    yield crawl.ledger, "credited"


def taken(crawl: Crawl) -> dict[str, Any]:
    """A snapshot, for `codec` to store at once."""
    traps = {} if crawl.traps is None else {"traps": crawl.traps.state()}
    return traps | {
        "fields": {name: getattr(owner, name) for owner, name in _kept(crawl)} | {"closing": crawl.closing or ""},
        "topic": [list(crawl.topic.keywords), crawl.topic.description],
        "limits": vars(crawl.limits),
        "budgets": crawl.budgets.state(),
        "pacing": crawl.pacing.state(),
        "probes": crawl.probes.state(),
        "params": vars(crawl.strategy.params),
        "flights": [[flight.visit, flight.how, flight.tries] for flight in crawl.flights.values()],
        "postponed": [[number, crawl.flights[number].postponed] for number in sorted(crawl.flights.postponed)],
        "credits": crawl.ledger.in_order(),
        "sent": crawl.ledger.sent.stored(),
        "prospects": crawl.prospects.state(),
        "scope": crawl.scope.state(),
        "shelf": len(crawl.shelf),
        "memory": crawl.memory.state(),
        "strategy": crawl.strategy.state(),
        "judge": crawl.judge.state(),
        "reinforcer": crawl.reinforcer.state(),
    }


def put_back(crawl: Crawl, state: Mapping[str, Any]) -> None:
    """Back to a snapshot, in a crawl built as the first one was."""
    for owner, name in _kept(crawl):
        if name in state["fields"]:  # earlier versions had fewer
            setattr(owner, name, state["fields"][name])
    crawl.closing = EndReason(crawl.closing) if crawl.closing else None
    crawl.reopen()
    crawl.topic = replace(crawl.topic, keywords=tuple(state["topic"][0]), description=state["topic"][1])
    vars(crawl.limits).update(state["limits"])
    if "budgets" in state:  # earlier versions counted nothing by host
        crawl.budgets.restore(state["budgets"])
    if "pacing" in state:
        crawl.pacing.restore(state["pacing"])
    if "probes" in state:  # earlier versions made none
        crawl.probes.restore(state["probes"])
    vars(crawl.strategy.params).update(state["params"])
    crawl.flights.clear()
    postponed = dict(state.get("postponed", ()))  # earlier versions had none
    for visit, how, tries in state["flights"]:  # the last try of each goes out again, unless it was postponed
        why = postponed.get(visit.id)
        crawl.flights.enter(Flight(visit, Route(how), tries, tries if why else tries - 1, why))
    crawl.ledger.restore(state["credits"], state["sent"])
    if "prospects" in state:
        crawl.prospects.restore(state["prospects"])
    else:  # earlier versions did not look
        crawl.prospects.begin_again()
    crawl.scope.restore(state["scope"])
    if crawl.traps is not None and "traps" in state:
        crawl.traps.restore(state["traps"])
    crawl.shelf.cut(state["shelf"])
    crawl.memory.restore(state["memory"])
    crawl.judge = crawl.judge_of(crawl.topic)
    crawl.judge.restore(state["judge"])
    crawl.reinforcer.restore(state["reinforcer"])
    crawl.strategy.topic = crawl.topic
    crawl.strategy.restore(state["strategy"])
    crawl.reinforcer.terms = crawl.strategy.terms(crawl.reinforcer.terms)
