"""Printed commands can be typed as they stand, wherever the program is installed."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wolfspider.cli import app
from wolfspider.files.program_name import program, shell_command


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


def test_a_command_is_quoted_for_the_shell(installed: Path) -> None:
    assert shell_command("resume", Path("my run")) == "'my venv/bin/wolfspider' resume 'my run'"


def test_what_to_do_about_damage_can_be_typed(installed: Path) -> None:
    from wolfspider.store.damage import remedy

    here = "'my venv/bin/wolfspider'"
    assert remedy(Path("run")) == f"See what is lost by: {here} check run. Mend the rest by: {here} repair run"


SOURCE = Path(__file__).parents[2] / "src" / "wolfspider"
# These make documents, which others may read on another machine.
READ_ELSEWHERE = {SOURCE / name for name in ("report/run_page.py", "bench/draw/page.py", "bench/draw/report.py")}


def bare_commands(source: str) -> list[str]:
    """Texts of a module with a command that begins with the bare name, beside docstrings and the examples of help."""
    tree = ast.parse(source)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    groups = [group.name for group in app.registered_groups]
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    bare = re.compile(rf"\bwolfspider ({'|'.join(filter(None, (*groups, *names)))})\b")
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documentation
        and not node.value.startswith("Example")
        and bare.search(node.value)
    ]


def test_bare_commands_are_found() -> None:
    assert bare_commands('"""By `wolfspider crawl`."""\nx = f"Go on by: wolfspider resume {run}"') == [
        "Go on by: wolfspider resume "
    ]


@pytest.mark.parametrize("package", sorted(path.name for path in SOURCE.iterdir() if path.is_dir()))
def test_no_message_names_the_program_bare(package: str) -> None:
    modules = (path for path in sorted((SOURCE / package).rglob("*.py")) if path not in READ_ELSEWHERE)
    found = {str(path): bare for path in modules if (bare := bare_commands(path.read_text(encoding="utf-8")))}
    assert not found, "make these by files/program_name.py::shell_command"
