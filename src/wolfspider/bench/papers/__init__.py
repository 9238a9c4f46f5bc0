"""A folder for each paper that is reproduced, named like the paper; `wolfspider reproduce` runs its `EXPERIMENT`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from wolfspider.bench.experiment import Experiment
from wolfspider.core.errors import Problem, closest


def experiments() -> Mapping[str, Experiment]:
    """Every experiment there is, by name."""
    papers = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return {paper.EXPERIMENT.name: paper.EXPERIMENT for paper in papers}


def experiment_named(name: str) -> Experiment:
    named = experiments()
    if name not in named:
        raise Problem(f"There is no paper {name!r} to reproduce.{closest(name, named)}")
    return named[name]
