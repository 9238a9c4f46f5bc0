"""The source that decides a result: a module, and all of this package that it imports, directly or not.

Results are kept under a digest of it, so that nothing stale is read and nothing is computed again for a change that
cannot matter. Of the libraries that it imports the installed versions count. Strategies are found by name and not by
import: the named one counts, or all if none is named.
"""

from __future__ import annotations

import ast
import hashlib
import pkgutil
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions, version
from itertools import chain
from pathlib import Path

import wolfspider
from wolfspider.learn.page_states import SHIPPED

PACKAGE = wolfspider.__name__
ROOT = Path(wolfspider.__file__).parent
STRATEGIES = f"{PACKAGE}.strategies"
DATA = {f"{PACKAGE}.learn.page_states": f"learn/{SHIPPED}"}  # what modules read beside their source


@cache
def source_of(module: str, strategy: str = "", imports: tuple[str, ...] = ()) -> str:
    """A digest for a module by its dotted name; of a module from elsewhere its name alone. `imports` are those of files
    that are not of this package and decide too."""
    whole = hashlib.blake2b(digest_size=16)
    decides = closure(module, strategy).union(*(closure(name, strategy) for name in imports))
    for name in sorted(decides):
        content = _file(name).read_bytes()
        whole.update(f"{name} {len(content)}\n".encode() + content)
    for name in sorted(decides & DATA.keys()):
        whole.update((ROOT / DATA[name]).read_bytes())
    for name in sorted(libraries(decides, imports)):
        whole.update(f"{name} {_version(name)}\n".encode())
    return f"{module} {whole.hexdigest()}"


def closure(module: str, strategy: str = "") -> set[str]:
    """The dotted names of all modules that decide."""
    modules: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in modules or not _file(name).is_file():
            continue
        modules.add(name)
        if name == PACKAGE:
            continue  # it decides nothing: it hands public names on
        waiting += [imported for imported in _imported(name) if imported.split(".")[0] == PACKAGE]
        if name == STRATEGIES:
            named = f"{STRATEGIES}.{strategy.replace('-', '_')}"
            every = [f"{STRATEGIES}.{found.name}" for found in pkgutil.iter_modules([str(ROOT / "strategies")])]
            waiting += [named] if strategy and _file(named).is_file() else every
    return modules


def libraries(modules: Iterable[str], imports: Iterable[str] = ()) -> set[str]:
    """What these modules import, and these imports, that is neither ours nor Python's own."""
    tops = {name.split(".")[0] for name in chain(imports, *map(_imported, modules))}
    return tops - sys.stdlib_module_names - {PACKAGE}


@cache
def _version(library: str) -> str:
    """What is not installed, an extra or a part of newer Pythons, decides nothing."""
    packages = packages_distributions().get(library, [])
    return " ".join(version(name) for name in sorted(set(packages)))


@cache
def _imported(module: str) -> tuple[str, ...]:
    return imports_of(_file(module).read_bytes())


def imports_of(source: bytes) -> tuple[str, ...]:
    """What a source imports; `from a import b` may name a module b or something in a."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


def _file(module: str) -> Path:
    inside = ROOT.joinpath(*module.split(".")[1:]) if module.split(".")[0] == PACKAGE else Path("elsewhere")
    return inside / "__init__.py" if inside.is_dir() else inside.with_suffix(".py")
