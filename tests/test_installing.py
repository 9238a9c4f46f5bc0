"""The wheel that a person installs, built from the source and installed by uv into a place of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")
pytestmark = pytest.mark.slow


def done(*words: object, **environment: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **{name: str(value) for name, value in environment.items()}}
    return subprocess.run([*map(str, words)], env=env, capture_output=True, text=True, timeout=500, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the source, so that nothing is left in it."""
    folder = tmp_path_factory.mktemp("wheel")
    if done(sys.executable, *PIP, "download", "--no-deps", "xxhash", "--dest", folder / "try").returncode:
        pytest.skip("Nothing can be downloaded here.")
    leftovers = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so", "*.c")
    shutil.copytree(ROOT / "src", folder / "copy" / "src", ignore=leftovers)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "copy")
    built = done(
        *(sys.executable, *PIP, "wheel", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", folder, folder / "copy"),
    )
    assert built.returncode == 0, built.stderr
    (made,) = folder.glob("wolfspider-*.whl")
    return made


def works(program: Path) -> None:
    """Is it the whole program, with its data?"""
    assert done(program, "--version").stdout.startswith("wolfspider ")
    assert "shark" in done(program, "strategies").stdout
    asked = {"_WOLFSPIDER_COMPLETE": "complete_bash", "COMP_WORDS": "wolfspider expo", "COMP_CWORD": 1}
    assert "export" in done(program, **asked).stdout.split()
    crawl = done(program, "web", "describe", "synthetic:pages=1000", "--json", "--quiet")
    assert crawl.returncode == 0 and crawl.stdout.startswith("{"), crawl.stderr


def test_uv_installs_it_as_a_tool(wheel: Path, tmp_path: Path) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not installed.")
    places = {"UV_TOOL_DIR": tmp_path / "tools", "UV_TOOL_BIN_DIR": tmp_path / "bin"}
    installed = done(uv, "tool", "install", "--python", sys.executable, wheel, **places)
    assert installed.returncode == 0, installed.stderr
    works(tmp_path / "bin" / "wolfspider")
