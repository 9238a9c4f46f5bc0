"""The parts of a crawl, made from a person's settings; and those of a run as they were at its last snapshot, for who
only looks, or wants to start from what it learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app import preflight
from wolfspider.app.leaping import Leaping
from wolfspider.app.plugins import judge_maker, strategy_kind
from wolfspider.app.settings import Settings
from wolfspider.core import codec
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import LEAP, SEARCH, Fetch, Page
from wolfspider.core.params import build
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Nofollow, Scope
from wolfspider.core.topic import Topic
from wolfspider.engine.contracts import Source
from wolfspider.policy.browsing import Browsing
from wolfspider.policy.frontier import Shelf
from wolfspider.policy.judges import make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.strategy import Strategy
from wolfspider.store import inspection, snapshots
from wolfspider.store.folder import Places
from wolfspider.store.view import RunView
from wolfspider.web.page.html import parse
from wolfspider.web.page.urls import looks_like_file
from wolfspider.web.seeds import sources as seeds
from wolfspider.web.seeds.search import Searches
from wolfspider.web.worlds.world import Web

MOST_BROWSED = 500  # pages of a run that a browsing crawler learns from, beside those with a label
LABEL = "wolfspider steer {} label URL up"
LEARNED = "learned.snapshot"  # lies with the snapshots of a run: what it started from

Learned = Mapping[str, Any]  # of `strategy` and of `judge`, those that there are


def check(settings: Settings) -> None:
    """Are there such a strategy, such parameters and such a judge? Asked before anything is made."""
    build(strategy_kind(settings.strategy).Params, settings.set)
    if settings.pdf and find_spec("pypdf") is None:
        raise Problem("--pdf needs a library that is not installed: pip install 'wolfspider[pdf]'.")
    if ".py" in settings.judge:
        judge_maker(settings.judge)
    else:
        make_judge(settings.judge, Topic(("anything",)))


def topic_of(settings: Settings, likes: Iterable[Fetch]) -> Topic:
    """Liked pages lose the links that are not followed, as all pages do: links of both are compared."""
    scope = scope_of(settings)
    return preflight.topic_of(settings, tuple(scope.cut(page) for page in map(parse, likes) if isinstance(page, Page)))


def strategy_of(settings: Settings, topic: Topic, shelf: Shelf, learned: Learned | None = None) -> Strategy:
    kind = strategy_kind(settings.strategy)
    params: Any = build(kind.Params, settings.set)
    made = kind(topic, params, generator(settings.seed, kind.name), shelf)
    if learned and "strategy" in learned:
        made.inherit(learned["strategy"])
    return made


def judge_of(settings: Settings, learned: Learned | None = None) -> Callable[[Topic], Judge]:
    """Whoever makes the judge anew, since the topic has changed, makes it with what was learned before."""
    maker = judge_maker(settings.judge)

    def made(topic: Topic) -> Judge:
        judge = maker(topic)
        if learned and "judge" in learned:
            judge.inherit(learned["judge"])
        return judge

    return made


def scope_of(settings: Settings) -> Scope:
    """Addresses that end like files are left alone, unless the person named one, or wants those of its kind."""
    named = frozenset(map(seeds.address, settings.urls))

    def within(url: str) -> bool:
        return not looks_like_file(url) or url in named or (settings.pdf and _ends_like_pdf(url))

    return Scope(settings.include, settings.exclude, within, Nofollow(settings.nofollow))


def _ends_like_pdf(url: str) -> bool:
    return url.partition("?")[0].lower().endswith(".pdf")


def sources_of(
    settings: Settings, scope: Scope, web: Callable[[], Web], services: Callable[[], Web], leaping: Leaping | None
) -> dict[str, Source]:
    """What a strategy may ask besides the web: a search, where the person named a service, and what leaps lead to."""
    sources: dict[str, Source] = {}
    if settings.search:
        sources[SEARCH] = Searches(services, seeds.address(settings.search), settings.results, scope.allows)
    if leaping is not None:
        sources[LEAP] = leaping.source(scope.allows, web, services)
    return sources


# A run as it was


class Glimpse(NamedTuple):
    """A run at its last snapshot."""

    last: inspection.Last
    strategy: Strategy
    judge: Judge


@contextmanager
def glimpse(view: RunView) -> Iterator[Glimpse | None]:
    """None if it has no snapshot yet. Nothing of it may be changed."""
    settings = Settings.from_json(view.about["settings"])
    strategy_kind(settings.strategy)  # a person's own may register kinds that its snapshot is made of
    last = inspection.last_snapshot(view)
    if last is None:
        yield None
        return
    state = last.state["crawl"]
    keywords, description = state["topic"]
    topic = topic_of(settings, inspection.liked(view))
    topic = replace(topic, keywords=tuple(keywords), description=description)
    with closing(inspection.shelf_of(view, last)) as shelf:
        strategy = strategy_of(settings, topic, shelf)
        vars(strategy.params).update(state["params"])
        strategy.restore(state["strategy"])
        judge = judge_of(settings)(topic)
        judge.restore(state["judge"])
        yield Glimpse(last, strategy, judge)


# What a run hands on


def hand_on(source: Path, folder: Path, settings: Settings, remark: Callable[[str], None]) -> dict[str, str]:
    """Copy what a run has learned into the folder of a new one, which needs the other no more; returns how the new run
    knows its copy."""
    learned = _learned(source, settings, remark)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        Places.of(folder).snapshots.mkdir(mode=0o700, exist_ok=True)
        saved = snapshots.save(Places.of(folder).snapshots, LEARNED, *codec.store(learned))
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}.") from error
    return {"file": saved.file, "digest": saved.digest}


def _learned(source: Path, settings: Settings, remark: Callable[[str], None]) -> dict[str, Any]:
    view = RunView(source)
    was = Settings.from_json(view.about["settings"])
    learned: dict[str, Any] = {}
    with glimpse(view) as seen:
        if seen is None:
            raise BadInput(f"{source} has learned nothing yet that it could hand on: it has no snapshot.")
        for name, part in (("strategy", seen.strategy), ("judge", seen.judge)):
            mine, other = getattr(settings, name), getattr(was, name)
            if mine == other:
                learned[name] = part.learned()
            elif name == "strategy" and strategy_kind(mine).browses:
                learned[name] = {
                    "browsing": _browsed(view, seen.last.state["crawl"]["fields"]["labels"], scope_of(settings), remark)
                }
            else:
                remark(f"{source} had the {name} {other}: what that has learned is of no use to {mine}.")
    return learned


def _browsed(view: RunView, labels: Mapping[str, bool], scope: Scope, remark: Callable[[str], None]) -> Browsing:
    """The pages of a run, whatever crawled them, as if a person had browsed them and liked those they labelled."""
    browsing = Browsing()
    for place, row in enumerate(view.pages()):
        if place >= MOST_BROWSED and row.final_url not in labels:
            continue
        fetch = Fetch(row.url, row.final_url, row.status, row.headers, view.body(row), at=row.at)
        page = parse(fetch)
        if isinstance(page, Page):
            browsing.mark(scope.cut(page), labels.get(page.final_url, False))
            if any(not visited.source for visited in view.visits_of(row.url)):
                browsing.began(page.final_url)
    wanted = len(browsing.targets)
    how = f"{wanted} of them labelled as wanted" if wanted else f"but none is labelled: {LABEL.format(view.folder)}"
    remark(f"{view.folder} is read as what a person browsed: {len(browsing.pages)} pages, {how}.")
    return browsing


def handed_on(folder: Path, about: Mapping[str, Any]) -> Learned:
    """What a run started from."""
    copy = about.get("learned")
    if copy is None:
        return {}
    path = Places.of(folder).snapshots / LEARNED
    try:
        learned: Learned = codec.load(*snapshots.load(path, str(copy["digest"])))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise BadInput(f"{path} is damaged: {error}.") from error
    return learned
