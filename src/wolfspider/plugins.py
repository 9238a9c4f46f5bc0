"""Strategies and judges by name, or from a file of the person's own: FILE.py, or FILE.py:NAME where it has several.

The file is the person's program, run with the person's rights like any other; nothing that comes from the web is ever
looked up here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from wolfspider.errors import BadInput, Problem, closest
from wolfspider.judge import Judge, make_judge
from wolfspider.strategies import strategy_named
from wolfspider.strategy import Strategy
from wolfspider.topic import Topic


def strategy_kind(name: str) -> type[Strategy]:
    """A strategy of the house, or one of the person's own."""
    if not _is_file(name):
        return strategy_named(name)
    kind: type[Strategy] = _chosen(name, _is_strategy, "a class that extends wolfspider.Strategy")
    return kind


def judge_maker(name: str) -> Callable[[Topic], Judge]:
    """Makes the judge of that name for a topic."""
    if not _is_file(name):
        return lambda topic: make_judge(name, topic)
    made: Callable[[Topic], Judge] = _chosen(name, _is_judge, "a class with a method score(page)")
    return made


def _is_file(name: str) -> bool:
    return name.partition(".py")[1] == ".py" and name.partition(".py")[2][:1] in ("", ":")


def _is_strategy(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Strategy) and not inspect.isabstract(value)


def _is_judge(value: Any) -> bool:
    return isinstance(value, type) and callable(getattr(value, "score", None))


def _chosen(text: str, fits: Callable[[Any], bool], wanted: str) -> Any:
    path, _, name = text.partition(".py")
    module = _loaded(Path(path + ".py"))
    own = {key: value for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    fitting = {key: value for key, value in own.items() if fits(value)}
    if name.lstrip(":"):
        found = fitting.get(name[1:])
        if found is None:
            raise Problem(f"{path}.py has no {name[1:]!r} that is {wanted}.{closest(name[1:], fitting)}")
        return found
    if len(fitting) != 1:
        names = f": {', '.join(sorted(fitting))}" if fitting else ""
        raise Problem(f"{path}.py must have {wanted}, and has {len(fitting)}{names}. Name one by {path}.py:NAME.")
    return next(iter(fitting.values()))


def _loaded(path: Path) -> ModuleType:
    """The module in a file, run once; the same file gives the same classes."""
    name = "wolfspider_plugin_" + hashlib.blake2b(str(path.resolve()).encode(), digest_size=8).hexdigest()
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BadInput(f"There is no file {path} to take a strategy or a judge from.")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise BadInput(f"{path} cannot be loaded: {type(error).__name__}: {error}.") from error
    return module
