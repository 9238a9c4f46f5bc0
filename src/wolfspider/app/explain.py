"""Why an address of a run stands where it stands: where it was found, what it was worth, which rules decide, what was
tried and what came of it. All of it is read, while the run goes on or when it is long over."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app.assemble import scope_of
from wolfspider.app.event_json import finite
from wolfspider.app.past_runs import Glimpse, glimpse
from wolfspider.app.plugins import ClassNeeded, strategy_kind
from wolfspider.app.settings import Settings
from wolfspider.core import codec
from wolfspider.core.failures import in_words, meaning
from wolfspider.core.limits import Limits
from wolfspider.core.model import Failure, host_of, is_web_address
from wolfspider.core.scope import Rule, Scope
from wolfspider.policy.budgets import Budgets
from wolfspider.policy.link_shelf import Item
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.store import inspection
from wolfspider.store.fleet_folder import run_of
from wolfspider.store.repair.forgotten_list import kept_out, of_fleet
from wolfspider.store.repair.taking_out import noted
from wolfspider.store.run_clock import clock_of
from wolfspider.store.view import Landing, RunView, StoredPage, Visited, utc
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.live_robots import LiveRobots, origin_of
from wolfspider.web.seeds.sources import address_or_list, web_address_of

EXAMPLES = 10
MOST_MATCHED = 100_000  # links that a rule is tried on before it is obeyed


def why(folder: Path, typed: str) -> dict[str, Any]:
    """Everything the run knows of an address, as plain data."""
    url = address_or_list(typed)
    asked = web_address_of(url)
    folder = run_of(folder, asked)
    view = RunView(folder)
    page = view.page(url)
    first = page.url if page is not None else url
    visits = view.visits_of(url) or view.visits_of(first)
    landings = {one.visit: one for one in (*view.landings_of(url), *view.landings_of(first))}
    waiting = _waiting(view, url, visits)
    known, scope, trap = bool(visits or page or waiting), _scope(view, url), _trap(view, url)
    kind, troubles = _kind(view), _troubles(view, [one for one in visits if one.id not in landings])
    told = {
        "url": url,
        "known": known,
        "state": _state(page, visits, landings, waiting, scope["allowed"], trap.held),
        "forgotten": _forgotten(view, url),
        "visits": [_visit(visit, landings.get(visit.id), kind, troubles.get(visit.id)) for visit in visits],
        "page": _page(page) if page is not None else None,
        "waiting": waiting,
        "agents": _agents(view, url) if visits else None,
        "robots": _robots(view, asked),
        "scope": scope,
        "trap": trap.why,
        "budget": _budget(view, url),
        "host": _host(view, asked),
        "near": [] if known else inspection.neighbours(view, url),
    }
    return {name: finite(codec.plain(value)) for name, value in told.items()}


def _state(
    page: StoredPage | None,
    visits: list[Visited],
    landings: Mapping[int, Landing],
    waiting: Mapping[str, Any] | None,
    allowed: bool,
    rests: bool,
) -> str:
    if visits and visits[-1].id not in landings:
        return "out"
    if page is not None:
        return "relevant" if page.relevant else "not relevant"
    if visits:
        failed = landings[visits[-1].id].failure is not None
        return "failed" if failed or is_web_address(visits[-1].url) else "answered"
    if waiting:
        return "set aside" if not allowed else "rests" if rests else "waiting"
    return "unknown"


def _kind(view: RunView) -> type[Strategy]:
    """The strategy of the run; any, where its own is not at hand."""
    with suppress(ClassNeeded):
        return strategy_kind(Settings.of_run(view.about).strategy)
    return Strategy


def _troubles(view: RunView, out: list[Visited]) -> dict[int, dict[str, Any]]:
    """What the trouble was of the hosts of visits that are not back, where they were postponed for that."""
    numbers, found = {visit.id for visit in out}, {}
    for at, _, told in view.events("Postponed") if numbers else ():
        if told["visit"] in numbers:
            failure = Failure(told["kind"], told["detail"])
            found[told["visit"]] = {"at": utc(at), **failure._asdict(), "words": in_words(failure)}
    return found


def _visit(
    visit: Visited, landing: Landing | None, kind: type[Strategy], trouble: dict[str, Any] | None
) -> dict[str, Any]:
    """`trouble`: for which it was postponed."""
    outcome: dict[str, Any] | None = None
    if landing is not None:
        outcome = {"at": utc(landing.at), "seconds": round(landing.seconds, 3), "attempts": landing.cost}
        if landing.failure is not None:
            failure = Failure(landing.failure, landing.detail or "")
            outcome |= {"failure": landing.failure, "detail": landing.detail, "meaning": meaning(failure)}
        else:
            outcome |= {"score": landing.score, "relevant": landing.relevant, "evidence": landing.evidence}
    return {
        "id": visit.id,
        "agent": visit.agent,
        "source": visit.source,
        "anchor": visit.anchor,
        "note": visit.note,
        **_note(visit.note, kind),
        "fresh": visit.fresh,
        "how": visit.how,
        "postponed": trouble,
        "outcome": outcome,
    }


def _note(note: Mapping[str, Any], kind: type[Strategy]) -> Mapping[str, Any]:
    """What the strategy says of a visit. A note may be damaged, or of another version: then it is told as it is."""
    try:
        return kind.read_note(note)
    except (TypeError, ValueError, LookupError, AttributeError):
        return Strategy.read_note(note)


def _forgotten(view: RunView, url: str) -> dict[str, Any] | None:
    """When somebody asked for the address or its host to be forgotten, and by which name; None if nobody did."""
    asked = [entry for entry in _noted(view) if not {url, host_of(url)}.isdisjoint(entry.get("keeps_out", ()))]
    return {"at": utc(asked[0]["at"]), "what": asked[0]["what"]} if asked else None


def _noted(view: RunView) -> list[dict[str, Any]]:
    """What the run forgot, and, if it is an island, what its fleet did."""
    return [*noted(view.folder), *of_fleet(view.folder)]


def _page(page: StoredPage) -> dict[str, Any]:
    return {
        "asked": page.url,
        "final_url": page.final_url,
        "passed": page.hops,
        "title": page.title,
        "fetched": utc(page.at),
        "status": page.status,
        "type": page.type,
        "size": page.size,
        "truncated": page.truncated,
        "words": page.words,
        "links": page.links,
        "robots": page.robots,
        "score": page.score,
        "relevant": page.relevant,
        "evidence": page.evidence,
        "label": page.evidence.get("label"),
    }


def _waiting(view: RunView, url: str, visits: list[Visited]) -> dict[str, Any] | None:
    """Where it stands in the frontier, as of the last snapshot; None if it does not, or has gone out since."""
    if visits:
        return None
    with glimpse(view) as seen:
        found = seen.strategy.explain(url) if seen is not None else {}
        if seen is None or not found:
            return None
        way = _gives_way(view, seen, url)
        return {**found, **_place(seen, found.get("score")), "gives_way": way, "as_of": utc(seen.last.at)}


class _Trap(NamedTuple):
    """What the rules against traps say of an address."""

    held: bool = False  # is it not followed now?
    why: str = ""  # "" if they have nothing to say


def _trap(view: RunView, url: str) -> _Trap:
    """As of the last snapshot."""
    with suppress(ClassNeeded), glimpse(view) as seen:
        kept = seen.last.state["crawl"].get("traps") if seen is not None else None
        if kept is not None:
            rules = TrapRules()
            rules.restore(kept)
            return _Trap(not rules.allows(url), rules.why(url))
    return _Trap()


def _budget(view: RunView, url: str) -> str:
    """Which budget of its host or domain is spent, as of the last snapshot; "" if none is."""
    with suppress(ClassNeeded), glimpse(view) as seen:
        state = seen.last.state["crawl"] if seen is not None else {}
        if "budgets" in state:
            limits = Limits()
            vars(limits).update(state["limits"])
            budgets = Budgets(limits, HostCap().domain)
            budgets.restore(state["budgets"])
            return budgets.why(url)
    return ""


def _gives_way(view: RunView, seen: Glimpse, url: str) -> dict[str, Any] | None:
    """The host of a better link that this one gives way to at this moment; None if it gives way to none."""
    gauge, frontier = view.gauge(), seen.strategy.frontier
    if frontier is None or gauge is None or (gauge.better_until or 0.0) < clock_of(view.folder).now():
        return None
    worth, best = frontier.score(url), frontier.best_of(gauge.better_host)
    if worth is None or best is None or best <= worth or gauge.better_host == host_of(url):
        return None
    return {"host": gauge.better_host, "until": utc(gauge.better_until or 0.0)}


def _agents(view: RunView, url: str) -> dict[str, Any] | None:
    """What each agent of a fleet holds of an address that was visited and may be visited again, as of the last
    snapshot; None where there is no fleet, or the strategy is not at hand."""
    with suppress(ClassNeeded), glimpse(view) as seen:
        held = seen.strategy.explain(url).get("agents") if seen is not None else None
        return None if seen is None or not held else {"held": held, "as_of": utc(seen.last.at)}
    return None


def _place(seen: Glimpse, score: object) -> dict[str, int]:
    """How many links wait, and its place among them; of equal ones all have the first place."""
    frontier = seen.strategy.frontier
    if frontier is None or not isinstance(score, float):
        return {}
    return {"place": sum(other > score for other in frontier.scores) + 1, "of": len(frontier)}


def _robots(view: RunView, url: str) -> str:
    now = clock_of(view.folder).now
    rules = LiveRobots(now)
    rows = inspection.host_rows(view, origin_of(url))
    rules.restore({row["host"]: row["rules"] for row in rows if "rules" in row}, now())
    return rules.explain(url)


def _host(view: RunView, url: str) -> dict[str, Any]:
    """When its host may be asked again, if it rests for more than a moment."""
    rests = [row["rest"] for row in inspection.host_rows(view, host_of(url)) if "rest" in row]
    ready = float(rests[0][0]) if rests else -math.inf
    return {"name": host_of(url), "rests_until": utc(ready) if ready > clock_of(view.folder).soon() else None}


def _scope(view: RunView, url: str) -> dict[str, Any]:
    """Is it in the crawl's scope as that is now, and which rule says so?"""
    if not is_web_address(url):
        return {"allowed": True, "rule": "feeds and sitemaps may lie anywhere"}
    scope = _current_scope(view)
    if scope.forgot(url):
        return {"allowed": False, "rule": "forgotten, which no rule takes back"}
    if scope.within is not None and not scope.within(url):
        return {"allowed": False, "rule": "addresses that end like files are left alone"}
    for allowed, rule in reversed(scope.rules):
        if rule.matches(url):
            return {"allowed": allowed, "rule": f"{'include' if allowed else 'exclude'} {rule.text}"}
    return {"allowed": scope.open, "rule": "no rule speaks of it" if scope.open else "no --include matches it"}


def _current_scope(view: RunView) -> Scope:
    scope = scope_of(Settings.of_run(view.about))
    scope.forget(kept_out(_noted(view)))
    changes = {"Exclude": scope.exclude, "Include": scope.include}
    for _, _, data in view.events("Obeyed"):
        command = data.get("command", {})
        if not data.get("problem") and command.get("kind") in changes:
            changes[command["kind"]](Rule.read(command["rule"]))
    return scope


class Matching(NamedTuple):
    """What a rule would set aside, estimated from outside the crawl."""

    hosts: Counter[str]  # links that match, by host
    waiting: int  # links that were looked at and wait
    whole: bool  # were all looked at?
    examples: list[str]  # addresses of some that match


class WaitingLinks(NamedTuple):
    """What waits in a queue, as far as it is known from outside the crawl."""

    items: list[Item]
    whole: bool  # are these all?
    at: float  # when the queue was written down


def waiting_links(view: RunView) -> WaitingLinks | None:
    """Those of the last snapshot that were not visited or excluded since. None if there is no snapshot, or the strategy
    keeps no queue of links."""
    with glimpse(view) as seen:
        frontier = seen.strategy.frontier if seen is not None else None
        if seen is None or frontier is None:
            return None
        gone, allows = inspection.visited_since(view, seen.last.seq), _current_scope(view).allows
        items = islice(frontier.items(), MOST_MATCHED)
        left = [item for item in items if item.link.url not in gone and allows(item.link.url)]
        return WaitingLinks(left, len(frontier) <= MOST_MATCHED, seen.last.at)


def matching(folder: Path, rule: Rule) -> Matching | None:
    """Count the waiting links that a rule matches. None if nothing is known of them, or the strategy's class cannot be
    loaded."""
    with suppress(ClassNeeded):
        found = waiting_links(RunView(folder))
        if found is None:
            return None
        matched = [item.link for item in found.items if rule.matches(item.link.url)]
        hosts, examples = Counter(link.host for link in matched), [link.url for link in matched[:EXAMPLES]]
        return Matching(hosts, len(found.items), found.whole, examples)
    return None
