"""`.ci/pythons` finds every supported interpreter that starts, and no other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / ".ci" / "pythons"
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def command(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def found(folder: Path) -> list[list[str]]:
    """What the script finds with nothing on the path but what lies in `folder`/bin, and `folder` as the home."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("bash", "dirname", "grep", "sort"):
        program = shutil.which(name)
        assert program is not None
        (programs / name).symlink_to(program)
    bash = str(programs / "bash")
    done = subprocess.run(
        [bash, str(SCRIPT)],
        env={"PATH": str(programs), "HOME": str(folder)},
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


def test_pythons_are_found_on_the_path_and_with_pyenv_and_a_dead_shim_does_not_count(tmp_path: Path) -> None:
    command(tmp_path / "bin" / "python3.11", "echo /on/the/path")
    for version in ("3.12", "3.13"):
        command(tmp_path / "bin" / f"python{version}", "echo no such version is active; exit 127")
    command(tmp_path / ".pyenv" / "versions" / "3.13.0" / "bin" / "python3", 'echo "$0"')
    command(tmp_path / ".pyenv" / "versions" / "3.9.18" / "bin" / "python3", 'echo "$0"')
    newest = tmp_path / ".pyenv" / "versions" / "3.13.0" / "bin" / "python3"
    assert found(tmp_path) == [["3.11", "/on/the/path"], ["3.13", str(newest)]]


def test_one_python3_alone_is_found_as_what_it_is(tmp_path: Path) -> None:
    command(tmp_path / "bin" / "python3", f'exec "{sys.executable}" "$@"')
    [[version, path]] = found(tmp_path)
    assert version == HERE and os.path.samefile(path, sys.executable)


def test_without_a_python_nothing_is_found(tmp_path: Path) -> None:
    assert found(tmp_path) == []
