"""Garbage that crawls leave: a process that runs many one after another does not grow by all of them."""

from __future__ import annotations

import gc
import math
from collections import Counter

import pytest

from wolfspider.drivers import driver
from wolfspider.engine.crawl import Crawl
from wolfspider.strategies.best_first import BestFirst
from wolfspider.testing.sketch import Sketch, Trial


def test_crawls_that_are_over_are_swept_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SWEPT_AFTER": 0.0, "SWEEPING": math.inf, "_next_sweep": 0.0}.items():
        monkeypatch.setattr(driver, name, value)
    before = Counter(type(found) for found in gc.get_objects())[Crawl]
    for _ in range(15):
        Trial(BestFirst, Sketch(), pages=2).run()
    assert Counter(type(found) for found in gc.get_objects())[Crawl] - before <= 3


def test_a_sweep_that_takes_long_is_seldom_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SWEPT_AFTER": 0.0, "SWEEPING": 1e-9, "_next_sweep": 0.0}.items():
        monkeypatch.setattr(driver, name, value)
    swept: list[str] = []
    whole = gc.collect
    monkeypatch.setattr(gc, "collect", lambda: swept.append("once") or whole())
    for _ in range(5):
        Trial(BestFirst, Sketch(), pages=2).run()
    assert swept == ["once"]
