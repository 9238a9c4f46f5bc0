"""`wolfspider categories`: an index built from a web or a run, and shown."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from small_web import EVIL, SPIDERS, SmallWeb, page
from wolfspider.cli import main
from wolfspider.store.categories.index import Categories
from wolfspider.web.server.serve import serve

WEB = "synthetic:pages=1000,topics=16"
Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WOLFSPIDER_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def called(*words: object) -> tuple[int, str, str]:
        code = main(["categories", *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return called


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "mine.sqlite"
    assert main(["categories", "build", WEB, "--out", str(out), "--pages", "300", "--seed", "3"]) == 0
    return out


def test_an_index_is_built_where_it_is_looked_for(run: Run, tmp_path: Path) -> None:
    code, out, err = run("build", WEB, "--pages", 100)
    assert (code, out) == (0, "") and "pages in" in err and "wolfspider categories show categories.sqlite" in err
    code, out, err = run("show")
    assert code == 0 and out.startswith("synthetic:") and err == ""


def test_quiet_says_nothing(run: Run, tmp_path: Path) -> None:
    assert run("build", WEB, "--pages", 50, "--quiet") == (0, "", "")


def test_a_tree_is_shown_with_sizes_and_examples(run: Run, built: Path) -> None:
    code, out, _ = run("show", built)
    lines = out.splitlines()
    with Categories.open(built) as index:
        root = index.tree()
        assert code == 0 and lines[0].endswith(f"{len(list(root.walk())) - 1} categories")
        for category in root.below:
            place = next(
                at for at, line in enumerate(lines) if line.startswith(f"  {category.name} ({category.pages})")
            )
            assert lines[place + 1].startswith("    - ") and index.examples(category, 1)[0].url in lines[place + 1]
        deeper = sum(1 for category in root.walk() if category.path.count("/") == 1)
    assert sum(line.startswith("    ") and not line.startswith("    - ") for line in lines) == deeper
    assert len(run("show", built, "--depth", 1)[1].splitlines()) == len(lines) - deeper


def test_json_has_the_whole_tree(run: Run, built: Path) -> None:
    code, out, err = run("show", built, "--json")
    tree = json.loads(out)
    assert code == 0 and err == "" and tree["about"]["seed"] == "3" and tree["path"] == ""
    assert tree["pages"] == int(tree["about"]["pages"])
    for category in tree["below"]:
        assert category["pages"] >= len(category["examples"]) > 0 and category["path"] == category["name"]
        assert {"url", "title"} == category["examples"][0].keys()


def test_a_terminal_gets_a_drawn_tree(built: Path) -> None:
    terminal, end = pty.openpty()
    call = [sys.executable, "-m", "wolfspider", "categories", "show", str(built), "--depth", "1"]
    with subprocess.Popen(call, stdout=end, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(end)
        shown = b""
        try:
            while part := os.read(terminal, 1 << 16):
                shown += part
        except OSError:  # how Linux says that the other end is closed
            pass
    os.close(terminal)
    assert process.returncode == 0 and "├──" in shown.decode()


def test_a_run_is_sorted_and_hostile_titles_stay_harmless(run: Run, aside: Aside, tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(12)]
    web = SmallWeb(
        {"http://a.test/": page("Start", SPIDERS, *links)}
        | {f"http://a.test{link}": page(EVIL, SPIDERS if at % 2 else "bread oven") for at, link in enumerate(links)},
        {},
    )
    via = f"127.0.0.1:{aside(serve(web)).port}"
    hasty = ["--delay=0", "--adapt=0", "--tries=1", "--disk-floor=0", "--traps=ignore", "--quiet"]
    assert main(["crawl", "http://a.test/", "--topic", "wolf spiders", "--via", via, *hasty, "--out", "run"]) == 0
    code, _, err = run("build", "run", "--out", "x.sqlite")
    assert code == 0 and err.startswith("13 pages in")
    code, out, _ = run("show", "x.sqlite")
    assert code == 0 and out.startswith("run: 13 pages")
    assert all(char.isprintable() or char == "\n" for char in out)


def test_categories_alone_helps(run: Run) -> None:
    code, out, _ = run()
    assert code == 0 and "Usage: wolfspider categories" in out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["build", WEB, "--pages", "0"], 2, "--pages must be between 1 and 200,000, not 0."),
        (["build", WEB, "--seed", "-1"], 2, "--seed must be 0 or more, not -1."),
        (["build", "nowhere/"], 3, "There is no web at"),
        (["build", "synthetic:pages=300000"], 2, "too large to be looked through"),
        (["build", WEB, "--out", "notes.txt"], 2, "notes.txt is there already and is no category index"),
        (["show"], 3, "Make one by `wolfspider categories build WEB_OR_RUN`."),
        (["show", "notes.txt"], 3, "notes.txt is damaged or no category index"),
        (["show", "--depth", "0"], 2, "--depth"),
    ],
)
def test_what_cannot_work_is_said(run: Run, tmp_path: Path, words: list[str], code: int, says: str) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    found, out, err = run(*words)
    assert (found, out) == (code, "") and says in err and err.count("\n") == 1
    assert (tmp_path / "notes.txt").read_text() == "my notes"
