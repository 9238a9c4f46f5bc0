"""What of a crawl can be moved, and who set it where it is: parameters of the strategy, limits, and rules of scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wolfspider.app.plugins import ClassNeeded, strategy_kind
from wolfspider.app.present_settings import PresentSettings
from wolfspider.app.settings import LIVE, Settings, known, worded
from wolfspider.core import events
from wolfspider.core.params import Param, parameters
from wolfspider.core.scope import Rule
from wolfspider.dashboard.shapes import Control, ScopeRule
from wolfspider.dashboard.undoing import scope_after
from wolfspider.report.run_facts import Commanded

DEFAULT, AT_START, AT_RESUME = "default", "when it was begun", "when it was resumed"


def control(param: Param, value: Any, set_by: str = DEFAULT, set_at: float | None = None) -> Control:
    return {
        "name": param.name,
        "kind": param.kind,
        "value": value,
        "default": worded(param.name, param.default) if param.words and param.name in LIVE else param.default,
        "low": param.low,
        "high": param.high,
        "choices": list(param.choices or param.words),
        "live": param.live,
        "help": param.says,
        "set_by": set_by,
        "set_at": set_at,
    }


def params_of(settings: Settings, present: PresentSettings, commands: Sequence[Commanded]) -> list[Control]:
    """Empty where the strategy is a class of another program."""
    try:
        params = parameters(strategy_kind(settings.strategy).Params)
    except ClassNeeded:
        return []
    moved = {each.command.name: each for each in _obeyed(commands) if isinstance(each.command, events.SetParam)}
    return [
        control(
            param,
            param.read(present.params.get(name, param.first)),
            *_who(moved.get(name), AT_START if name in settings.set else DEFAULT),
        )
        for name, param in params.items()
    ]


def limits_of(settings: Settings, present: PresentSettings, commands: Sequence[Commanded]) -> list[Control]:
    moved = {each.command.name: each for each in _obeyed(commands) if isinstance(each.command, events.SetLimit)}
    begun = Settings()
    return [
        control(
            known()[name],
            _as_given(name, present.now.get(name, getattr(settings, name))),
            *_who(moved.get(name), DEFAULT if getattr(settings, name) == getattr(begun, name) else AT_START),
        )
        for name in LIVE
    ]


def _as_given(name: str, value: Any) -> Any:
    """A limit that has words beside numbers, as a person would give it."""
    return worded(name, value) if known()[name].words else value


def rules_of(settings: Settings, commands: Sequence[Commanded]) -> list[ScopeRule]:
    """In force now, in the order in which they were given: of those that match, the last one decides."""
    said = {
        (isinstance(each.command, events.Include), Rule.read(each.command.rule)): each
        for each in _obeyed(commands)
        if isinstance(each.command, events.Include | events.Exclude)
    }
    return [_rule(allowed, rule, said.get((allowed, rule))) for allowed, rule in scope_after(settings, commands).rules]


def _rule(allowed: bool, rule: Rule, each: Commanded | None) -> ScopeRule:
    who, number = (AT_START, None) if each is None else (who_said(each), each.number)
    return {"allowed": allowed, "rule": rule.text, "set_by": who, "number": number}


def _obeyed(commands: Sequence[Commanded]) -> Iterable[Commanded]:
    return (each for each in commands if not each.problem)


def who_said(each: Commanded) -> str:
    """Commands without a sender are the limits that a session was resumed with."""
    return each.who or AT_RESUME


def _who(moved: Commanded | None, otherwise: str) -> tuple[str, float | None]:
    return (otherwise, None) if moved is None else (who_said(moved), moved.at)
