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
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any

from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies import strategy_named

_OF_JUDGES = ("learn", "state", "restore", "learned", "inherit")
PREFIX = "wolfspider_plugin_"  # how the modules of such files are named


def fault(error: BaseException) -> str:
    """Where a file of the person's own went wrong, as a sentence; "" if the error is not its doing. The error may have
    come up in what that file calls: then its own last line tells most."""
    mine = [(frame, line) for frame, line in walk_tb(error.__traceback__) if _is_own(frame)]
    if not mine:
        return ""
    frame, line = mine[-1]
    said = f"{type(error).__name__}: {error}".rstrip(" :.")
    return f"{frame.f_code.co_filename} line {line}, in {frame.f_code.co_name}: {said}."


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(PREFIX)


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
    _check_judge(name, made)
    return made


def _check_judge(name: str, kind: Any) -> None:
    missing = [method for method in _OF_JUDGES if not callable(getattr(kind, method, None))]
    try:
        inspect.signature(kind).bind(Topic(("anything",)))
    except TypeError:
        missing.insert(0, "__init__(self, topic)")
    if missing:
        raise Problem(
            f"The judge of {name} lacks {', '.join(missing)}. It has them if it extends wolfspider.Unlearning."
        )


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
    name = PREFIX + hashlib.blake2b(str(path.resolve()).encode(), digest_size=8).hexdigest()
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
