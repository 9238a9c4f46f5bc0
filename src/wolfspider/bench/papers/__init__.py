"""One file for each paper that is reproduced; `EXPERIMENT` in it is what `wolfspider reproduce` finds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from wolfspider.bench.experiment import Experiment
from wolfspider.core.errors import Problem, closest


def experiments() -> Mapping[str, Experiment]:
    """Every experiment there is, by name. A file without one holds cells or figures that another file uses."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    found = [module.EXPERIMENT for module in modules if hasattr(module, "EXPERIMENT")]
    return {experiment.name: experiment for experiment in found}


def experiment_named(name: str) -> Experiment:
    known = experiments()
    if name not in known:
        raise Problem(f"There is no paper {name!r} to reproduce.{closest(name, known)}")
    return known[name]
