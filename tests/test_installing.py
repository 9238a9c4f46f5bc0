"""The wheel that a person installs, built from the source and installed by pip, pipx and uv, each in its own home."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wolfspider.files.compiled_parts import COMPILED

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


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What one has downloaded, the others need not."""
    folder = tmp_path_factory.mktemp("cache")
    return {"PIP_CACHE_DIR": folder / "pip", "UV_CACHE_DIR": folder / "uv", **index_of_pip()}


def index_of_pip() -> dict[str, str]:
    """Where packages come from, which a file in the home of whoever runs this may say."""
    lines = done(sys.executable, *PIP, "config", "list").stdout.splitlines()
    said = dict(line.split("=", 1) for line in lines if "=" in line)
    names = ("index-url", "extra-index-url", "find-links", "cert")
    return {
        f"PIP_{name.upper().replace('-', '_')}": said[f"global.{name}"].strip("'\"")
        for name in names
        if f"global.{name}" in said
    }


def works(program: Path, home: Path) -> None:
    """Is it the whole program, with its data and its compiled parts, and does it crawl?"""
    version = done(program, "--version", HOME=home).stdout
    compiled = ", ".join(what for what, _ in COMPILED.values())
    assert version.startswith("wolfspider ") and f"compiled: {compiled})" in version
    asked = {"_WOLFSPIDER_COMPLETE": "complete_bash", "COMP_WORDS": "wolfspider expo", "COMP_CWORD": 1}
    assert done(program, HOME=home, **asked).stdout.split() == ["export"]
    crawl = done(program, "demo", "--pages", "60", HOME=home)
    assert crawl.returncode == 0 and "shark" in done(program, "strategies", HOME=home).stdout, crawl.stderr


def test_pip_installs_it(wheel: Path, tmp_path: Path, cache: dict[str, object]) -> None:
    made = done(sys.executable, "-m", "venv", tmp_path / "place")
    assert made.returncode == 0, made.stderr
    installed = done(
        tmp_path / "place" / "bin" / "python", *PIP, "install", "--no-compile", wheel, HOME=tmp_path, **cache
    )
    assert installed.returncode == 0, installed.stderr
    works(tmp_path / "place" / "bin" / "wolfspider", tmp_path)


def test_pipx_installs_it(wheel: Path, tmp_path: Path, cache: dict[str, object]) -> None:
    done(sys.executable, "-m", "venv", tmp_path / "pipx")
    python = tmp_path / "pipx" / "bin" / "python"
    if done(python, *PIP, "install", "--no-compile", "pipx", HOME=tmp_path, **cache).returncode:
        pytest.skip("pipx could not be installed.")
    places = {"PIPX_HOME": tmp_path / "homes", "PIPX_BIN_DIR": tmp_path / "bin", "PIPX_DEFAULT_BACKEND": "pip"}
    installed = done(
        python, "-m", "pipx", "install", "--pip-args=--no-compile", wheel, HOME=tmp_path, **places, **cache
    )
    assert installed.returncode == 0, installed.stderr
    works(tmp_path / "bin" / "wolfspider", tmp_path)


def test_uv_installs_it_as_a_tool(wheel: Path, tmp_path: Path, cache: dict[str, object]) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not installed.")
    places = {"UV_TOOL_DIR": tmp_path / "tools", "UV_TOOL_BIN_DIR": tmp_path / "bin"}
    installed = done(uv, "tool", "install", "--python", sys.executable, wheel, HOME=tmp_path, **places, **cache)
    assert installed.returncode == 0, installed.stderr
    works(tmp_path / "bin" / "wolfspider", tmp_path)
