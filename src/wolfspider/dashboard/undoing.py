"""What takes a command back, where something does: each undo leaves the crawl set exactly as it was before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wolfspider.app import assemble
from wolfspider.app.settings import Settings
from wolfspider.core import events
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.events import Command
from wolfspider.core.scope import Rule, Scope
from wolfspider.report.run_facts import Commanded

NO_UNDO = {
    events.AddSeeds: "Starting points cannot be taken back; exclude them instead.",
    events.Finish: "A run that was finished is closed for good.",
    events.Stop: "Resume the run instead.",
    events.Label: "A first label cannot be taken back; give the other one instead.",
    events.Include: "This rule was an exception, and stays; exclude it instead.",
    events.Exclude: "This was excluded before as well, and stays so; include it instead.",
}


def undo_of(settings: Settings, commands: Sequence[Commanded], place: int) -> Command | None:
    """The command that takes back the one at this place of the history; None if none does."""
    each, before = commands[place], commands[:place]
    if each.problem:
        return None
    match each.command:
        case events.SetParam() | events.SetLimit():
            return None if each.old is None else replace(each.command, value=each.old)
        case events.SetTopic():
            return _topic_before(settings, before)
        case events.Pause():
            return None if _paused(before) else events.Resume()
        case events.Resume():
            return events.Pause() if _paused(before) else None
        case events.Label(url, good):
            labels = [one.command for one in _obeyed(before) if isinstance(one.command, events.Label)]
            was = [label.good for label in labels if label.url == url]
            return events.Label(url, was[-1]) if was and was[-1] != good else None
        case events.Exclude(rule):
            return _exact(settings, before, each.command, events.Include(rule))
        case events.Include(rule):
            return _exact(settings, before, each.command, events.Exclude(rule))
    return None


def undo_now(settings: Settings, commands: Sequence[Commanded], number: int) -> Command:
    """The same for the command of this number, at this moment: nothing else may have changed the same thing since."""
    place = next((place for place, each in enumerate(commands) if each.number == number), None)
    if place is None:
        raise Problem(f"There is no command {number} among the last {len(commands):,} that were obeyed.")
    undo = undo_of(settings, commands, place)
    if undo is None:
        why = commands[place].problem and "It was not obeyed, so there is nothing to take back."
        raise Problem(why or NO_UNDO.get(type(commands[place].command), "Nothing takes this back."))
    thing = _thing(commands[place].command)
    later = [each for each in _obeyed(commands[place + 1 :]) if _thing(each.command) == thing]
    if later:
        raise Busy(f"It was changed since: {later[-1].typed}. Take that back first.")
    return undo


def scope_after(settings: Settings, commands: Sequence[Commanded]) -> Scope:
    """The rules in force after these commands."""
    scope = assemble.scope_of(settings)
    for each in _obeyed(commands):
        _apply(scope, each.command)
    return scope


def _apply(scope: Scope, command: Command) -> None:
    match command:
        case events.Exclude(rule):
            scope.exclude(Rule.read(rule))
        case events.Include(rule):
            scope.include(Rule.read(rule))


def _exact(settings: Settings, before: Sequence[Commanded], command: Command, undo: Command) -> Command | None:
    """The undo, if the rules are then what they were."""
    scope = scope_after(settings, before)
    was = list(scope.rules)
    _apply(scope, command)
    _apply(scope, undo)
    return undo if scope.rules == was else None


def _topic_before(settings: Settings, before: Sequence[Commanded]) -> Command:
    said = [each.command for each in _obeyed(before) if isinstance(each.command, events.SetTopic)]
    if said:
        return said[-1]
    topic = assemble.topic_of(settings, ())
    return events.SetTopic(topic.keywords, topic.description)


def _paused(before: Sequence[Commanded]) -> bool:
    said = [each.command for each in _obeyed(before) if isinstance(each.command, events.Pause | events.Resume)]
    return bool(said) and isinstance(said[-1], events.Pause)


def _obeyed(commands: Sequence[Commanded]) -> list[Commanded]:
    return [each for each in commands if not each.problem]


def _thing(command: Command) -> object:
    """What a command changes."""
    match command:
        case events.SetParam(name, _) | events.SetLimit(name, _):
            return type(command).__name__, name
        case events.Label(url, _):
            return "label", url
        case events.Exclude(rule) | events.Include(rule):
            return "rule", rule
        case events.Pause() | events.Resume():
            return "pause"
        case _:
            return type(command).__name__
