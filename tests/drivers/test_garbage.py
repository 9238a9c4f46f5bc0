"""Garbage that crawls leave: a process that runs many one after another does not grow by all of them."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from wolfspider.drivers import driver
from wolfspider.engine.crawl import Crawl
from wolfspider.strategies.best_first import BestFirst
from wolfspider.testing.sketch import Sketch, Trial


def test_crawls_that_are_over_are_swept_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "SWEPT_AFTER", 0.0)
    before = Counter(type(found) for found in gc.get_objects())[Crawl]
    for _ in range(15):
        Trial(BestFirst, Sketch(), pages=2).run()
    assert Counter(type(found) for found in gc.get_objects())[Crawl] - before <= 3
