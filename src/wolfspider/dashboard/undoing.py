"""What takes a command back, where something does: each undo leaves the crawl set exactly as it was before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wolfspider.app import assemble
from wolfspider.app.settings import Settings, worded
from wolfspider.core import events
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.events import Command
from wolfspider.core.scope import Rule, Scope
from wolfspider.dashboard.shapes import Saying
from wolfspider.report.run_facts import Commanded

NO_UNDO = {
    events.AddSeeds: "Starting points cannot be taken back; exclude them instead.",
    events.Finish: "A run that was finished is closed for good.",
    events.Stop: "Resume the run instead.",
    events.Label: "A first label cannot be taken back; give the other one instead.",
    events.Include: "This rule was an exception, and stays; exclude it instead.",
    events.Exclude: "This was excluded before as well, and stays so; include it instead.",
}


def undos(settings: Settings, commands: Sequence[Commanded]) -> list[Command | None]:
    """For each command of a whole history the one that takes it back; None if none does."""
    before = _SetSoFar(settings)
    return [before.obey(each) if not each.problem else None for each in commands]


class _SetSoFar:
    """How a run is set after the commands that were walked through."""

    def __init__(self, settings: Settings) -> None:
        topic = assemble.topic_of(settings, ())
        self._topic = events.SetTopic(topic.keywords, topic.description)
        self._scope = assemble.scope_of(settings)
        self._paused = False
        self._labels: dict[str, bool] = {}

    def obey(self, each: Commanded) -> Command | None:
        """Walk on; what takes this command back."""
        command = each.command
        match command:
            case events.SetParam() | events.SetLimit():
                return None if each.old is None else replace(command, value=each.old)
            case events.SetTopic():
                undo: Command | None = self._topic
                self._topic = command
            case events.Pause():
                undo = None if self._paused else events.Resume()
                self._paused = True
            case events.Resume():
                undo = events.Pause() if self._paused else None
                self._paused = False
            case events.Label(url, good):
                was = self._labels.get(url)
                undo = events.Label(url, was) if was is not None and was != good else None
                self._labels[url] = good
            case events.Exclude(rule):
                undo = self._exact(command, events.Include(rule))
            case events.Include(rule):
                undo = self._exact(command, events.Exclude(rule))
            case _:
                undo = None
        return undo

    def _exact(self, command: Command, undo: Command) -> Command | None:
        """The undo, if the rules are then what they were."""
        was = list(self._scope.rules)
        _apply(self._scope, command)
        now = list(self._scope.rules)
        _apply(self._scope, undo)
        exact, self._scope.rules = self._scope.rules == was, now
        return undo if exact else None


def undo_now(settings: Settings, commands: Sequence[Commanded], number: int) -> Command:
    """What takes back the command of this number, at this moment: nothing else may have changed the same thing since.
    `commands`: all of the run."""
    place = next((place for place, each in enumerate(commands) if each.number == number), None)
    if place is None:
        raise Problem(f"There is no command {number} among the {len(commands):,} that were obeyed.")
    undo = undos(settings, commands)[place]
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


def saying(command: Command | None) -> Saying | None:
    """A command in the words of `wolfspider steer`."""
    match command:
        case None:
            return None
        case events.SetParam(name, value):
            return {"verb": "set", "words": [f"{name}={value}"]}
        case events.SetLimit(name, value):
            return {"verb": "limit", "words": [f"{name}={worded(name, value)}"]}
        case events.SetTopic(keywords, description):
            return {"verb": "topic", "words": [", ".join(keywords) or description]}
        case events.Label(url, good):
            return {"verb": "label", "words": [url, "up" if good else "down"]}
        case events.Exclude(rule) | events.Include(rule):
            return {"verb": type(command).__name__.lower(), "words": [rule]}
    return {"verb": type(command).__name__.lower(), "words": []}
