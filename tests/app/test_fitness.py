"""What `wolfspider doctor` looks at: on a machine that is fit all is fine, and each lack is told with what to do."""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import time
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from wolfspider.app import fitness
from wolfspider.app.fitness import BAD, FINE, POOR, Look
from wolfspider.files import compiled_parts


def test_a_fit_machine_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=10**12))
    looks = fitness.examine(tmp_path / "runs", "localhost")
    assert not fitness.failed(looks) and fitness.report(looks)["fit"] is True
    states = {look.what: look.state for look in looks}
    assert {states[what] for what in ("versions", "extras", "disk", "writing", "clock")} == {FINE}
    assert list(tmp_path.iterdir()) == []  # nothing is left


def test_little_space_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, free = shutil.disk_usage, [10**8]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=free[0]))
    assert (
        said(fitness.disk(tmp_path), BAD) == "A crawl wants 500 MB (--disk-floor): make space, or choose another --out."
    )
    free[0] = 10**9
    assert "little space" in said(fitness.disk(tmp_path), POOR)


def test_a_folder_that_takes_no_files_is_told() -> None:
    assert "name one by --out" in said(fitness.writing(Path("/proc/none")), BAD)


def test_few_file_handles_are_told() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        look = fitness.file_handles()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert "ulimit -n" in said(look, POOR) and "100 file handles" in look.says


def test_a_name_without_an_address_is_told() -> None:
    look = fitness.lookup("no-such-name.invalid\x1b[31m")
    assert "resolv.conf" in said(look, BAD)
    assert fitness.failed([look]) and fitness.verdict([look]).endswith("so does one with --via.")
    assert fitness.verdict([look, Look("disk", BAD, "full")]) == "A crawl would fail here."


def test_a_slow_name_server_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitness, "SLOW", -1.0)
    assert "slow" in said(fitness.lookup("localhost"), POOR)


def test_a_clock_that_is_behind_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 10**9)
    assert "set it" in said(fitness.clock(), BAD)


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str, *_: Any) -> None:
        assert name

    monkeypatch.setattr(importlib.util, "find_spec", none)
    monkeypatch.setattr(fitness, "find_spec", none)
    monkeypatch.setattr(compiled_parts, "find_spec", none)
    assert "wolfspider[pdf,text,dates,parquet,search,mcp,dashboard,cluster]" in said(fitness.extras(), FINE)
    assert "wheel" in said(fitness.compiled(), POOR)
    assert str(compiled_parts.compiled_parts()) == "nothing compiled"


def test_a_compiled_part_that_cannot_be_loaded_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"torn_part{EXTENSION_SUFFIXES[0]}").write_bytes(b"\x7fELF and no more")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(compiled_parts, "COMPILED", {"torn_part": ("the reader of pages", "torn_part.pyx")})
    assert str(compiled_parts.compiled_parts()) == "compiled, but not to be loaded: the reader of pages"
    assert "Install wolfspider again" in said(fitness.compiled(), POOR)


def test_it_knows_every_extra_and_the_versions_of_python_that_were_tried() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["optional-dependencies"]
    assert {*fitness.EXTRAS, "all"} == set(wanted)
    for name in fitness.EXTRAS:
        assert (
            f"`{name}`" in (root / "README.md").read_text("utf-8").partition("adds all extras (")[2].partition(")")[0]
        )
    tried = "{}.{} to {}.{} are tested".format(*fitness.SUPPORTED[0], *fitness.SUPPORTED[1])
    assert tried in (root / "README.md").read_text("utf-8")


def test_parts_that_are_older_than_their_sources_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, at in (
        ("tokens.pyx", 1_000.0),
        ("tokens.so", 2_000.0),
        ("signature.pyx", 2_000.0),
        ("signature.so", 1_000.0),
    ):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at, at))
    (tmp_path / "plain_tags.pyx").touch()  # compiled nowhere

    def found(name: str) -> ModuleSpec:
        return ModuleSpec(name, None, origin=str(tmp_path / "any.so"))

    monkeypatch.setattr(compiled_parts, "find_spec", found)
    told = str(compiled_parts.compiled_parts())
    current, old = "links, words, lists of words, traits of links", "the reader of pages, signatures"
    assert told == f"compiled: {current}; compiled before their sources were changed: {old}"
    assert "anew" in said(fitness.compiled(), POOR)


def test_lines_are_harmless_and_aligned() -> None:
    looks = [Look("disk", FINE, "much"), Look("name server", BAD, "no \x1b[31m\nname", "Do this.")]
    lines = list(fitness.told(looks))
    assert lines[0] == "+ disk         much" and lines[2] == "               Do this."
    assert "\x1b" not in lines[1] and len(lines) == 3 and "\n" not in "".join(lines)


def said(look: Look, state: str) -> str:
    assert look.state == state, look
    return look.advice
