"""Strategies and judges by name, from a file of the person's own (FILE.py, or FILE.py:NAME where it has several), or
given as a class by a Python program.

The file is the person's program, run with the person's rights like any other; nothing that comes from the web is ever
looked up here.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from os.path import abspath, exists
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import FrameType, ModuleType
from typing import Any

from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import JUDGES, make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.room import BrokenContract
from wolfspider.policy.strategy import REGISTRY, Strategy
from wolfspider.strategies import all_strategies, strategy_named

_OF_JUDGES = ("learn", "state", "restore", "learned", "inherit")
PARTS = ("strategy", "judge")
GIVEN = "class:"  # how the name of a class begins that a program gave
_A_STRATEGY = "a class that extends wolfspider.Strategy"
_A_JUDGE = "a class with a method score(page)"
_EITHER = f"{_A_STRATEGY}, or one with a method score(page)"
PREFIX = "wolfspider_plugin_"  # how the modules of such files are named


def fault(error: BaseException) -> str:
    """Where a file of the person's own went wrong, as a sentence; "" if the error is not its doing. The error may have
    come up in what that file calls: then its own last line tells most."""
    if isinstance(error, BrokenContract) and error.kind.__module__.startswith(PREFIX):
        return f"{sys.modules[error.kind.__module__].__file__}, {error}."
    said = f"{type(error).__name__}: {error}".rstrip(" :.")
    return f"{where}: {said}." if (where := _last_own_line(walk_tb(error.__traceback__))) else ""


def interrupted(at: BaseException | FrameType | None) -> str:
    """Where a file of the person's own was at work when an exception interrupted it, or is in this frame, as a
    sentence; "" if it was not."""
    stack = walk_tb(at.__traceback__) if isinstance(at, BaseException) else reversed(list(walk_stack(at)))
    if not (where := _last_own_line(stack)):
        return ""
    return f"Interrupted at {where}. If it never comes to an end there, mend that, and give the same command again."


def _last_own_line(stack: Iterable[tuple[FrameType, int]]) -> str:
    """Of the files of the person's own that are in a stack, the innermost line and its method; "" if there is none."""
    mine = [(frame.f_code, line) for frame, line in stack if _is_own(frame)]
    return f"{mine[-1][0].co_filename} line {mine[-1][1]}, in {mine[-1][0].co_name}" if mine else ""


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(PREFIX)


class GivenClass(str):
    """The name of a strategy or a judge that a program gave as a class, and the class itself. A run stores the name
    alone: the class must be given again when the run is resumed."""

    kind: type

    def __new__(cls, kind: type) -> GivenClass:
        module, main = kind.__module__, getattr(sys.modules.get("__main__"), "__file__", None)
        if module == "__main__" and main:  # the same class, whether its file is run or imported
            module = Path(main).stem
        name = super().__new__(cls, f"{GIVEN}{module}.{kind.__qualname__}")
        name.kind = kind
        return name


class ClassNeeded(Problem):
    """A run was begun with a class of somebody's own, which is not at hand, or not run here."""


class _Trusted:
    """Files of the person's own that this process may run; None: whichever is named."""

    files: frozenset[str] | None = None


def run_only(names: Iterable[str]) -> None:
    """From now on this process runs no file of the person's own but these: it looks at runs of others, too."""
    _Trusted.files = frozenset(_path(name) for name in names if is_file(name))


def _path(name: str) -> str:
    return abspath(name.partition(".py")[0])


def _check_trusted(name: str) -> None:
    if _Trusted.files is not None and _path(name) not in _Trusted.files:
        raise ClassNeeded(
            f"The run names a program, {name[:200]!r}, which is not run here, since the run may be somebody else's. "
            "Where you trust it, use the command line."
        )


def check_at_hand(names: Mapping[str, str], folder: Path | None = None) -> None:
    """Are these parts of a crawl, its strategy or judge, at hand?"""
    missing = {
        part: name.removeprefix(GIVEN)
        for part, name in names.items()
        if name.startswith(GIVEN) and not isinstance(name, GivenClass)
    }
    if missing:
        which = " and ".join(f"the {part} class {name}" for part, name in missing.items())
        these = "these classes" if len(missing) > 1 else "that class"
        raise ClassNeeded(
            f"The run was begun from Python with {which}, which its folder does not hold. "
            f"Resume it from Python, with {these}: {call_to_resume(names, folder)}."
        )


def call_to_resume(names: Mapping[str, str], folder: Path | None) -> str:
    """How a program resumes a run that was begun with classes; "" if it was begun without."""
    classes = [f", {part}={name.rpartition('.')[2]}" for part, name in names.items() if name.startswith(GIVEN)]
    return f"wolfspider.resume({'FOLDER' if folder is None else repr(str(folder))}{''.join(classes)})" * bool(classes)


def given_classes(settings: Mapping[str, Any]) -> dict[str, str]:
    """Of the settings that a program gave, strategy and judge where these are classes, by name."""
    classes = {part: settings[part] for part in PARTS if isinstance(settings.get(part), type)}
    house = {kind: name for name, kind in all_strategies().items()} if classes else {}
    return {part: house.get(kind) or GivenClass(kind) for part, kind in classes.items()}


def strategy_kind(name: str) -> type[Strategy]:
    """A strategy of the house, or one of the person's own."""
    check_at_hand({"strategy": name})
    if isinstance(name, GivenClass):
        if not _is_strategy(name.kind):
            raise Problem(f"{name.kind.__qualname__} is no strategy: it must be {_A_STRATEGY}, with all its methods.")
        return name.kind
    if not is_file(name):
        _check_ending(name)
        return strategy_named(name)
    _check_trusted(name)
    kind: type[Strategy] = chosen(name, _is_strategy, _A_STRATEGY)
    return kind


def judge_maker(name: str) -> Callable[[Topic], Judge]:
    """Makes the judge of that name for a topic."""
    check_at_hand({"judge": name})
    if isinstance(name, GivenClass):
        if not _is_judge(name.kind):
            raise Problem(f"{name.kind.__qualname__} is no judge: it must be {_A_JUDGE}.")
        _check_judge(name.kind.__qualname__, name.kind)
        return name.kind
    if not is_file(name):
        _check_ending(name)
        make_judge(name, Topic(("anything",)))  # is there one?
        return lambda topic: make_judge(name, topic)
    _check_trusted(name)
    made: Callable[[Topic], Judge] = chosen(name, _is_judge, _A_JUDGE)
    _check_judge(name, made)
    return made


def _check_judge(name: str, kind: Any) -> None:
    missing = [method for method in _OF_JUDGES if not callable(getattr(kind, method, None))]
    try:
        inspect.signature(kind).bind(Topic(("anything",)))
    except TypeError:
        missing.insert(0, "__init__(self, topic)")
    if missing:
        raise Problem(f"The judge {name} lacks {', '.join(missing)}. It has them if it extends wolfspider.Unlearning.")


def is_file(name: str) -> bool:
    """Does this name a strategy or a judge in a file, not one of the house?"""
    return name.partition(".py")[1] == ".py" and name.partition(".py")[2][:1] in ("", ":")


def is_own(name: str) -> bool:
    """Does this name a strategy or a judge of the person's own, in a file or given as a class?"""
    return is_file(name) or name.startswith(GIVEN)


def _check_ending(name: str) -> None:
    if exists(name) and name not in JUDGES and name not in all_strategies():
        raise Problem(f"{name} is no Python file: strategies and judges are taken from a file that ends in .py.")


def file_digests(names: Mapping[str, str]) -> dict[str, str]:
    """Of the files of the person's own that these parts of a crawl are taken from, as they are now."""
    load: dict[str, Callable[[str], Any]] = {"strategy": strategy_kind, "judge": judge_maker}
    return {part: content_digest(load[part](name)) for part, name in names.items() if is_file(name)}


def content_digest(kind: type) -> str:
    """Of the file of the person's own that this class comes from, as it was when it was loaded."""
    return kind.__module__.rpartition("_")[2]


def _is_strategy(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Strategy) and not inspect.isabstract(value)


def _is_judge(value: Any) -> bool:
    return isinstance(value, type) and callable(getattr(value, "score", None)) and not issubclass(value, Strategy)


def subjects(name: str) -> dict[str, Any]:
    """Everything in a file that is a strategy or a judge, by the name of its class; of FILE.py:NAME and for a name of
    the house that one alone."""
    if not is_file(name):
        _check_ending(name)
        return {name: strategy_named(name) if name not in JUDGES else judge_maker(name)}
    path, _, wanted = name.partition(".py")
    if wanted.lstrip(":"):
        return {wanted[1:]: chosen(name, lambda value: _is_strategy(value) or _is_judge(value), _EITHER)}
    fitting = {key: value for key, value in _classes(path).items() if _is_strategy(value) or _is_judge(value)}
    if not fitting:
        raise Problem(f"{path}.py must have {_EITHER}, and has none.{_unfinished(path)}")
    return fitting


def _classes(path: str, wanted: str = _EITHER) -> dict[str, Any]:
    """What the file defines itself, and does not import. `wanted`: what is looked for in it."""
    module = _loaded(Path(path + ".py"), wanted)
    return {key: value for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}


def _unfinished(path: str) -> str:
    """Which classes of a file are no strategies yet, and what they lack."""
    lacking = {key: getattr(value, "__abstractmethods__", ()) for key, value in _classes(path).items()}
    return "".join(
        f" {key} lacks the method{'s' if len(names) > 1 else ''} {', '.join(sorted(names))}."
        for key, names in lacking.items()
        if names
    )


def chosen(text: str, fits: Callable[[Any], bool], wanted: str) -> Any:
    """The one class of a file that fits, or the one that is named; `wanted` says which that is."""
    path, _, name = text.partition(".py")
    fitting = {key: value for key, value in _classes(path, wanted).items() if fits(value)}
    if name.lstrip(":"):
        if name[1:] not in fitting:
            raise Problem(f"{path}.py has no {name[1:]!r} that is {wanted}.{closest(name[1:], fitting)}")
        return fitting[name[1:]]
    if not fitting:
        raise Problem(f"{path}.py must have {wanted}, and has none.{_unfinished(path)}")
    if len(fitting) > 1:
        names = ", ".join(sorted(fitting))
        raise Problem(f"{path}.py must have {wanted}, and has {len(fitting)}: {names}. Name one by {path}.py:NAME.")
    return next(iter(fitting.values()))


class _OwnFile(SourceLoader):
    """Loads the person's own program from the bytes that were read, past any cache of compiled code."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path, self._source = path, source

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        return self._source


def _loaded(path: Path, wanted: str) -> ModuleType:
    """The module in a file, run once. The same content gives the same classes, a changed file gives new ones."""
    if not path.is_file():
        raise BadInput(f"There is no file {path}, which should have {wanted}.")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    name = f"{PREFIX}{_digest(bytes(path.resolve()))}_{_digest(source)}"
    if name in sys.modules:
        return sys.modules[name]
    loader = _OwnFile(str(path), source)
    module = sys.modules[name] = module_from_spec(ModuleSpec(name, loader, origin=str(path)))
    module.__file__ = str(path)
    all_strategies()
    registered = dict(REGISTRY)
    try:
        with redirect_stdout(sys.stderr):  # what it prints is no data of the command that loads it
            loader.exec_module(module)
    except SystemExit as error:
        del sys.modules[name]
        raise BadInput(f"{path} cannot be loaded: it calls sys.exit.") from error
    except Exception as error:
        del sys.modules[name]
        lines = [line for frame, line in walk_tb(error.__traceback__) if _is_own(frame)]
        where = f" (line {lines[-1]})" if lines else ""  # a SyntaxError tells its line by itself
        raise BadInput(f"{path} cannot be loaded: {type(error).__name__}: {error}{where}.") from error
    finally:  # a file that registers its strategy must not take the name of one of the house
        REGISTRY.clear()
        REGISTRY.update(registered)
    return module


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()
