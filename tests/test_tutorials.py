"""The commands of docs/tutorials, run in their order against a served web (docs/corpus.md: test_tutorial.py)."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.world import open_web

ROOT = Path(__file__).parents[1]
TUTORIALS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "tutorials").glob("*.md"))}
SERVING = "wolfspider web serve "
AT = "127.0.0.1:8080"
LIBRARIES = {"researcher": ("pyarrow", "pandas"), "agent-builder": ("mcp",)}


def commands(name: str) -> list[str]:
    blocks = re.findall(r"^```\n(.*?)^```", TUTORIALS[name], re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_there_is_a_tutorial_for_each_kind_of_user() -> None:
    assert {*TUTORIALS, "corpus"} == {"agent-builder", "corpus", "librarian", "newsroom", "researcher"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = [f"tutorials/{name}" for name in TUTORIALS] + ["corpus"]
    assert [page for page in pages if f"](docs/{page}.md)" not in readme] == []
    assert [page for page in pages if "This page is for " not in (ROOT / f"docs/{page}.md").read_text("utf-8")] == []


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_installs_serves_and_crawls(name: str) -> None:
    first, second, *rest = commands(name)
    assert first.startswith("pip install ") and second.startswith(SERVING) and second.endswith(f" --port {AT[-4:]}")
    assert any(AT in command for command in rest)
    assert all(command.startswith(("wolfspider ", "python ")) for command in rest)


@pytest.mark.parametrize("name", [*TUTORIALS, "corpus"])
def test_a_tutorial_says_how_to_install_from_a_clone(name: str) -> None:
    text = TUTORIALS.get(name) or (ROOT / "docs" / "corpus.md").read_text(encoding="utf-8")
    target = "extras" if "wolfspider[" in text.partition("## A web")[0] else "install"
    assert f"`make {target}`" in text and "`.venv/bin/wolfspider`" in text and "`. .venv/bin/activate`" in text
    assert re.search(rf"^{target}: ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_every_command_works(name: str, tmp_path: Path, aside: Callable[[Any], Any]) -> None:
    for library in LIBRARIES.get(name, ()):
        pytest.importorskip(library, reason=f"{library} is not installed")
    _, serving, *rest = commands(name)
    via = f"127.0.0.1:{aside(serve(open_web(shlex.split(serving)[3]))).port}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
    said = {}
    for command in rest:
        program, *words = shlex.split(command.replace(AT, via).replace("examples/", f"{ROOT}/examples/"))
        start = [sys.executable, "-m", "wolfspider"] if program == "wolfspider" else [sys.executable]
        done = subprocess.run(
            [*start, *words],
            cwd=tmp_path,
            env={**environment, "WOLFSPIDER_DISK_FLOOR": "0"},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        said[command] = done.stdout
    RESULTS[name](tmp_path, said)


def output(said: Mapping[str, str], beginning: str) -> str:
    return next(out for command, out in said.items() if command.startswith(beginning))


def research(folder: Path, said: Mapping[str, str]) -> None:
    reading = output(said, "python examples/reading_list.py").splitlines()
    assert len(reading) == 10 and all(re.match(r"- \[.+\]\(<http.+>\), [\d,]+ words, score", line) for line in reading)
    assert len({line.split("/")[2] for line in reading}) == 10
    assert "pages" in output(said, "wolfspider web describe") and "Nothing was kept." in output(
        said, "wolfspider crawl"
    )
    assert "violins" in (folder / "violins.html").read_text(encoding="utf-8")


def news(folder: Path, said: Mapping[str, str]) -> None:
    feed = ElementTree.parse(folder / "beat.atom").getroot()
    assert len(feed.findall("{http://www.w3.org/2005/Atom}entry")) > 3
    lines = [json.loads(line)["url"] for line in output(said, "python examples/whats_new.py").splitlines()]
    assert lines and len(lines) == len(set(lines))
    told = (folder / "beat.html").read_text(encoding="utf-8")
    assert "exclude" in told.lower() and "storms" in told


def collection(folder: Path, said: Mapping[str, str]) -> None:
    records = ElementTree.parse(folder / "catalogue.xml").getroot()
    terms = [{child.tag.partition("}")[2] for child in record} for record in records]
    assert terms and all({"identifier", "title", "subject", "relation"} <= own for own in terms)
    with zipfile.ZipFile(folder / "collection.wacz") as package:
        assert "datapackage.json" in package.namelist()
    assert output(said, "wolfspider forget")


def agents(folder: Path, said: Mapping[str, str]) -> None:
    assert re.search(r"over: [1-9]\d* relevant pages in 40 downloads", output(said, "python examples/agent_hunts.py"))
    assert output(said, "wolfspider search").strip()


RESULTS = {"researcher": research, "newsroom": news, "librarian": collection, "agent-builder": agents}
