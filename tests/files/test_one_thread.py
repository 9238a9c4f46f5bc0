"""Numpy has one thread, unless a person wants more."""

from __future__ import annotations

import os

import pytest

from wolfspider.files.one_thread import ONE_THREAD, without_threads


def test_what_a_person_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "2")  # so that it is as before in the end
        monkeypatch.delenv(name)
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    without_threads()
    assert {name: os.environ[name] for name in ONE_THREAD} == ONE_THREAD | {"OMP_NUM_THREADS": "4"}
