"""Printed commands can be typed as they stand, wherever the program is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wolfspider.terminal.program_name import program


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in a folder that no shell looks in, called from the folder above it."""
    script = tmp_path / "my venv" / "bin" / "wolfspider"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.chdir(tmp_path)
    program.cache_clear()
    return script


@pytest.fixture(autouse=True)
def forget_the_name() -> Iterator[None]:
    yield
    program.cache_clear()


def test_a_program_that_the_shell_does_not_find_is_named_by_its_path(installed: Path) -> None:
    assert program() == "'my venv/bin/wolfspider'"


def test_from_elsewhere_the_whole_path_is_named(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere := installed.parents[2] / "elsewhere").mkdir()
    monkeypatch.chdir(elsewhere)
    assert program() == f"'{installed}'"


def test_a_program_that_the_shell_finds_is_named_by_its_name(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(installed.parent))
    assert program() == "wolfspider"


def test_a_module_is_named_as_the_program(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(installed.parent / "__main__.py")])
    assert program() == "wolfspider"
