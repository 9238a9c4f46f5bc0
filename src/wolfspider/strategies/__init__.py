"""One file for each published algorithm, the paper named on its first line."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from wolfspider.core.errors import Problem, closest
from wolfspider.core.params import DEFAULT_STRATEGY as DEFAULT_STRATEGY
from wolfspider.policy.strategy import REGISTRY, Strategy


def all_strategies() -> Mapping[str, type[Strategy]]:
    """Every strategy there is, by name; a file put into this folder is found without being named anywhere."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(REGISTRY.items()))


def strategy_named(name: str) -> type[Strategy]:
    """The strategy of this name. If its file or folder has the same name, or begins it, no other is loaded."""
    if name in REGISTRY:
        return REGISTRY[name]
    modules = {module.name for module in pkgutil.iter_modules(__path__)}
    for module in (name.replace("-", "_"), name.partition("-")[0]):
        if name not in REGISTRY and module in modules:
            importlib.import_module(f"{__name__}.{module}")
    known = REGISTRY if name in REGISTRY else all_strategies()
    if name not in known:
        raise Problem(f"There is no strategy {name!r}.{closest(name, known)}")
    return known[name]
