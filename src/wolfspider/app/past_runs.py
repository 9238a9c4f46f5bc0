"""A run as it was at its last snapshot, opened to be read, and what a new run inherits from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app.assemble import judge_of, scope_of, strategy_of, topic_of
from wolfspider.app.plugins import PARTS, strategy_kind
from wolfspider.app.settings import Settings
from wolfspider.core import codec
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.scope import Scope
from wolfspider.files.program_name import shell_command
from wolfspider.policy.browsing import Browsing
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.strategy import Strategy
from wolfspider.store import inspection, snapshots
from wolfspider.store.folder import Places
from wolfspider.store.view import RunView

MOST_BROWSED = 500  # pages of a run that a browsing crawler learns from, beside those with a label


class Glimpse(NamedTuple):
    """A run at its last snapshot."""

    last: inspection.Last
    strategy: Strategy
    judge: Judge


@contextmanager
def glimpse(view: RunView, given: Settings | None = None) -> Iterator[Glimpse | None]:
    """None if it has no snapshot yet. Nothing of it may be changed. `given` may have classes that the run needs."""
    settings = Settings.of_run(view.about)
    same = [part for part in PARTS if given is not None and getattr(given, part) == getattr(settings, part)]
    settings = replace(settings, **{part: getattr(given, part) for part in same})
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
        strategy = strategy_of(settings, view.about, topic, shelf)
        vars(strategy.params).update(state["params"])
        strategy.restore(state["strategy"])
        judge = judge_of(settings)(topic)
        judge.restore(state["judge"])
        yield Glimpse(last, strategy, judge)


def results(view: RunView) -> tuple[float, Mapping[str, Any]] | None:
    """The summary of the strategy at the last snapshot, and when that was; None if strategies of its kind have no
    summary, or if there is no snapshot."""
    settings = Settings.of_run(view.about)
    if strategy_kind(settings.strategy).summary is Strategy.summary:  # then the snapshot need not be read
        return None
    with glimpse(view) as seen:
        if seen is None:
            return None
        state, scope = seen.last.state["crawl"], scope_of(settings)
        scope.restore(state["scope"])
        seen.strategy.allows = scope.allows
        now: float = state["fields"]["now"]
        summary = seen.strategy.summary(now)
        return None if summary is None else (now, summary)


def hand_on(source: Path, folder: Path, settings: Settings, remark: Callable[[str], None]) -> dict[str, str]:
    """Copy what a run has learned into the folder of a new one, which then no longer needs the other. Returns the name
    and the digest of the copy."""
    learned = _learned(source, settings, remark)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        Places.of(folder).snapshots.mkdir(mode=0o700, exist_ok=True)
        saved = snapshots.save(Places.of(folder).snapshots, snapshots.LEARNED, *codec.store(learned))
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}.") from error
    return {"file": saved.file, "digest": saved.digest}


def _learned(source: Path, settings: Settings, remark: Callable[[str], None]) -> dict[str, Any]:
    view = RunView(source)
    was = Settings.of_run(view.about)
    learned: dict[str, Any] = {}
    with glimpse(view, settings) as seen:
        if seen is None:
            raise BadInput(f"{source} has learned nothing yet that it could hand on: it has no snapshot.")
        for name, part in (("strategy", seen.strategy), ("judge", seen.judge)):
            mine, other = getattr(settings, name), getattr(was, name)
            if mine == other:
                learned[name] = part.learned()
            elif name == "strategy" and strategy_kind(mine).browses:
                labels = seen.last.state["crawl"]["fields"]["labels"]
                learned[name] = {"browsing": _browsed(view, labels, scope_of(settings), remark)}
            else:
                remark(f"{source} had the {name} {other}: what that has learned is of no use to {mine}.")
    return learned


def _browsed(view: RunView, labels: Mapping[str, bool], scope: Scope, remark: Callable[[str], None]) -> Browsing:
    """The pages of a run, whatever crawled them, as if a person had browsed them and liked those they labelled."""
    browsing, unread = Browsing(), 0
    for index, row in enumerate(view.pages()):
        if index >= MOST_BROWSED and row.final_url not in labels:
            continue
        page = view.parsed(row)
        if page is None:
            unread += 1
            continue
        browsing.mark(scope.cut(page), labels.get(page.final_url, False))
        if any(not visited.source for visited in view.visits_of(row.url)):
            browsing.began(page.final_url)
    wanted = len(browsing.targets)
    label = shell_command("steer", view.folder, "label", "URL", "up")
    how = f"{wanted} of them labelled as wanted" if wanted else f"but none is labelled: {label}"
    remark(f"{view.folder} is read as what a person browsed: {len(browsing.pages)} pages, {how}.")
    if unread:
        remark(f"{unread} more could not be read from its archive, and {'are' if unread > 1 else 'is'} left out.")
    return browsing
