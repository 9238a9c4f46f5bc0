"""Strategies and judges by name, or from a file of the person's own: FILE.py, or FILE.py:NAME where it has several.

The file is the person's program, run with the person's rights like any other; nothing that comes from the web is ever
looked up here.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any

from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import JUDGES, make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.strategy import REGISTRY, Strategy
from wolfspider.strategies import all_strategies, strategy_named

_OF_JUDGES = ("learn", "state", "restore", "learned", "inherit")
_EITHER = "a class that extends wolfspider.Strategy, or one with a method score(page)"
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
    if not is_file(name):
        return strategy_named(name)
    kind: type[Strategy] = _chosen(name, _is_strategy, "a class that extends wolfspider.Strategy")
    return kind


def judge_maker(name: str) -> Callable[[Topic], Judge]:
    """Makes the judge of that name for a topic."""
    if not is_file(name):
        make_judge(name, Topic(("anything",)))  # is there one?
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


def is_file(name: str) -> bool:
    """Does this name a strategy or a judge in a file, not one of the house?"""
    return name.partition(".py")[1] == ".py" and name.partition(".py")[2][:1] in ("", ":")


def content_digest(kind: type) -> str:
    """Of the file of the person's own that this class comes from, as it was when it was loaded."""
    return kind.__module__.rpartition("_")[2]


def _is_strategy(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Strategy) and not inspect.isabstract(value)


def _is_judge(value: Any) -> bool:
    return isinstance(value, type) and callable(getattr(value, "score", None))


def subjects(name: str) -> dict[str, Any]:
    """Everything in a file that is a strategy or a judge, by the name of its class; of FILE.py:NAME and for a name of
    the house that one alone."""
    if not is_file(name):
        return {name: strategy_named(name) if name not in JUDGES else judge_maker(name)}
    path, _, wanted = name.partition(".py")
    if wanted.lstrip(":"):
        return {wanted[1:]: _chosen(name, lambda value: _is_strategy(value) or _is_judge(value), _EITHER)}
    fitting = {key: value for key, value in _classes(path).items() if _is_strategy(value) or _is_judge(value)}
    if not fitting:
        raise Problem(f"{path}.py must have {_EITHER}, and has none.{_unfinished(path)}")
    return fitting


def _classes(path: str) -> dict[str, Any]:
    """What the file defines itself, and does not import."""
    module = _loaded(Path(path + ".py"))
    return {key: value for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}


def _unfinished(path: str) -> str:
    """Which classes of a file are no strategies yet, and what they lack."""
    lacking = {key: getattr(value, "__abstractmethods__", ()) for key, value in _classes(path).items()}
    return "".join(f" {key} lacks the methods {', '.join(sorted(names))}." for key, names in lacking.items() if names)


def _chosen(text: str, fits: Callable[[Any], bool], wanted: str) -> Any:
    path, _, name = text.partition(".py")
    fitting = {key: value for key, value in _classes(path).items() if fits(value)}
    if name.lstrip(":"):
        found = fitting.get(name[1:])
        if found is None:
            raise Problem(f"{path}.py has no {name[1:]!r} that is {wanted}.{closest(name[1:], fitting)}")
        return found
    if len(fitting) != 1:
        names = f": {', '.join(sorted(fitting))}" if fitting else ""
        cure = _unfinished(path) or f" Name one by {path}.py:NAME."
        raise Problem(f"{path}.py must have {wanted}, and has {len(fitting)}{names}.{cure}")
    return next(iter(fitting.values()))


def _loaded(path: Path) -> ModuleType:
    """The module in a file, run once. The same content gives the same classes, a changed file gives new ones."""
    if not path.is_file():
        raise BadInput(f"There is no file {path} to take a strategy or a judge from.")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    name = f"{PREFIX}{_digest(bytes(path.resolve()))}_{_digest(source)}"
    if name in sys.modules:
        return sys.modules[name]
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(path)
    all_strategies()
    registered = dict(REGISTRY)
    try:
        exec(compile(source, str(path), "exec"), vars(module))  # noqa: S102 - the person's own program
    except Exception as error:
        del sys.modules[name]
        raise BadInput(f"{path} cannot be loaded: {type(error).__name__}: {error}{_line(error)}.") from error
    finally:  # a file that registers its strategy must not take the name of one of the house
        REGISTRY.clear()
        REGISTRY.update(registered)
    return module


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _line(error: BaseException) -> str:
    """The last line of the person's own file that had a part in the error; a SyntaxError tells its line by itself."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if _is_own(frame)]
    return f" (line {lines[-1]})" if lines else ""
