"""Options of `crawl` and `resume`, made from the fields of Settings: nothing about a setting is written twice."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Annotated, Any

import typer

from wolfspider.app.settings import known
from wolfspider.core.params import Param

METAVARS = {
    "seeds": "FILE",
    "sitemap": "URL",
    "feed": "URL",
    "search": "URL",
    "topic": "WORDS",
    "description": "TEXT",
    "like": "URL_OR_FILE",
    "leaps": "WHAT",
    "category": "NAME",
    "strategy": "NAME",
    "set": "NAME=VALUE",
    "judge": "NAME",
    "learned_from": "RUN",
    "record": "DIR",
    "include": "RULE",
    "exclude": "RULE",
    "territory": "K/N",
    "contact": "MAIL",
    "allow_network": "CIDR",
    "via": "HOST:PORT",
    "quiet_hours": "HOURS",
    "per_hour": "N",
    "window": "HOURS",
    "fold": "HOURS",
    "seed": "S",
    "hurry": "N",
    "until": "dry|SHARE",
    "chance": "SHARE",
    "max_mb": "N",
    "host_mb": "N",
    "domain_mb": "N",
    "cluster": "auto|ADDRESS",
    "teacher": "URL",
    "teacher_model": "NAME",
    "teacher_prompt": "FILE",
    "teacher_price": "X",
    "teacher_money": "X",
}
MORE = {"leaps": " Only spider-genetic and spider-hybrid leap."}  # what the settings cannot know: they come first
_BY_KIND = {"int": "N", "float": "S", "str": "TEXT", "tuple": "TEXT", "Mapping": "TEXT"}
_TYPES: dict[str, Any] = {"int": int | None, "float": float | None, "bool": bool | None, "str": str | None}


def with_settings(
    only: Collection[str] = (), without: Collection[str] = (), defaults: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A command that takes settings as options, and gets those that were really given as `flags`. `defaults`: its own,
    in words."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        settings = {name: one for name, one in known().items() if name not in without and (not only or name in only)}
        own = [
            one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for one in inspect.signature(command, eval_str=True).parameters.values()
            if one.name != "flags"
        ]

        def called(**given: Any) -> Any:
            flags = {name: given.pop(name) for name in settings}
            return command(flags={name: value for name, value in flags.items() if value not in (None, [])}, **given)

        parameters = [_parameter(one, bool(only), defaults.get(name)) for name, one in settings.items()] + own
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        called.__name__, called.__doc__ = command.__name__, command.__doc__
        return called

    return decorate


def _parameter(setting: Param, begun: bool, default: str | None) -> inspect.Parameter:
    """Of a run that was `begun`, what is not given stays as it is."""
    if setting.name == "urls":
        annotation: Any = Annotated[list[str] | None, typer.Argument(metavar="[URL]...", help=setting.says)]
    else:
        flag, says = "--" + setting.name.replace("_", "-"), setting.says + ("" if begun else _remark(setting, default))
        metavar = "|".join(setting.choices) or METAVARS.get(setting.name) or _BY_KIND.get(setting.kind)
        option = typer.Option(flag, metavar=metavar, help=says, show_default=False)
        kind = "str" if setting.words else setting.kind
        annotation = Annotated[_TYPES.get(kind, list[str] | None), option]
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _remark(setting: Param, default: str | None) -> str:
    if default is not None:
        return f" [default: {default}]"
    if setting.kind in ("tuple", "Mapping"):
        return " Repeatable."
    if setting.name in MORE:
        return MORE[setting.name]
    if setting.default in ("", False) and not setting.words:
        return ""
    named = {value: word for word, value in setting.words.items()}
    return f" [default: {named.get(setting.default, setting.default)}]"
