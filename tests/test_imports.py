"""The arrows of the house point one way, and policy owns no I/O. Read from the source: nothing is imported for it.

Where a new package stands is a decision: name it in GROUPS (and in docs/architecture.md).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "wolfspider"

# A package imports only from itself and from those above it.
GROUPS = (
    ("core", "events"),
    ("learn", "graphs"),
    ("policy",),
    ("strategies",),
    ("engine",),
    ("files",),
    ("web",),
    ("store",),
    ("drivers",),
    ("app",),
    ("export",),
    ("watch",),
    ("testing",),
    ("bench", "islands"),
    ("terminal",),
    ("report",),
    ("assistant", "dashboard"),
    ("cli", "__main__"),
)
POLICY = {name for group in GROUPS[:5] for name in group}

# Screens and commands read events, gauges and the folder of a run, so that another process can show the same.
READERS = ("terminal", "cli.crawling", "cli.runs")
INSIDE_A_CRAWL = {"engine", "drivers", "web"}
PARTS_OF_A_HUNT = {"crawl", "driver", "web"}

OUTSIDE_POLICY = {"asyncio", "os", "pathlib", "secrets", "socket", "sqlite3", "ssl", "subprocess", "threading", "time"}
# Three loaders, called before a crawl begins: a topics.json, the stored link skeleton of a web, a model of page states.
LOADERS = {"core.topic": {"pathlib"}, "graphs.graph": {"pathlib"}, "learn.page_states": {"pathlib"}}
# Names that are looked for by text, in objects that are not of this project's making: exceptions, modules, classes of
# other people. What our own objects offer stands in their contracts, where a type checker sees a name that changes.
LOOKED_FOR = {
    *("__abstractmethods__", "__file__", "__module__", "__name__", "_asdict", "ctx", "errno"),
    *("errors", "option_name", "reason", "sqlite_errorcode", "strerror", "verify_code"),
}
OF_PLUGINS = {"app.plugins": {"score"}, "bench.run.entrants": {"name"}}  # what makes a class of a person's own a judge
BY_ITSELF = {"web.page.page_cache": {"file"}}  # has a constructor come as far as this?
CALLS_OUTSIDE_POLICY = {"open", "print", "input", "hash"}  # `hash` of a string differs from process to process


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def group_of(module: str) -> int | None:
    top = module.split(".")[0]
    return next((number for number, group in enumerate(GROUPS) if top in group), None)


def imports(tree: ast.AST) -> Iterator[str]:
    """Every dotted name that is imported, wherever it stands; `from a import b` gives a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def complaints(module: str, source: str) -> list[str]:
    """What is wrong with the imports of this module, one sentence each."""
    if module == "__init__":
        return []
    if group_of(module) is None:
        return [f"{module} stands in no group: name it in GROUPS."]
    tree = ast.parse(source)
    found = [sentence for name in imports(tree) if (sentence := wrong_arrow(module, name))]
    if module.split(".")[0] in POLICY:
        found += [sentence for name in imports(tree) if (sentence := wrong_in_policy(module, name))]
        found += wrong_calls(module, tree)
    if any(module == reader or module.startswith(f"{reader}.") for reader in READERS):
        found += wrong_in_reader(module, tree)
    return found


def paper_of(module: str) -> str:
    """A strategy is a file, or a folder where its papers need more than one."""
    return ".".join(module.split(".")[:2])


def wrong_arrow(module: str, name: str) -> str | None:
    if name.startswith("."):
        return f"{module} imports {name} by a relative name."
    if not name.startswith("wolfspider."):
        return None
    target = name.removeprefix("wolfspider.")
    mine, other = group_of(module), group_of(target)
    if other is None:
        return None if target == "__version__" else f"{module} imports {target}, which stands in no group."
    if mine is not None and other > mine:
        return f"{module} imports {target}, which stands below it."
    if target.startswith("strategies") and module.startswith("strategies.") and paper_of(target) != paper_of(module):
        return f"{module} imports {target}: what two strategies share belongs in learn/, frontier or strategy."
    return None


def wrong_in_policy(module: str, name: str) -> str | None:
    top = name.split(".")[0]
    if top in OUTSIDE_POLICY - LOADERS.get(module, set()):
        return f"{module} is policy and imports {top}."
    if name.startswith("random.") and name != "random.Random":
        return f"{module} draws from the global generator by {name}: use the random.Random it is given."
    return None


def wrong_in_reader(module: str, tree: ast.AST) -> Iterator[str]:
    for name in imports(tree):
        if name.removeprefix("wolfspider.").split(".")[0] in INSIDE_A_CRAWL and name.startswith("wolfspider."):
            yield f"{module} shows a crawl and imports {name}: it reads events, gauges and the run's folder."
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="hunt"), attr=part) if part in PARTS_OF_A_HUNT:
                yield f"{module} looks into hunt.{part}: it reads events, gauges and the run's folder."


def wrong_calls(module: str, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="random"), attr=attribute) if attribute != "Random":
                yield f"{module} uses random.{attribute}: use the random.Random it is given."
            case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr="now" | "utcnow" | "today"):
                yield f"{module} reads the clock: times are handed in."
            case ast.Call(func=ast.Name(id=called)) if called in CALLS_OUTSIDE_POLICY:
                yield f"{module} is policy and calls {called}()."


def duck_typing(module: str, source: str) -> list[str]:
    """Attributes whose names stand in a text, as in `getattr(strategy, "states", None)`: a new name goes unnoticed."""
    allowed = LOOKED_FOR | OF_PLUGINS.get(module, set()) | BY_ITSELF.get(module, set())
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=name), *_]):
                found += [] if name in allowed else [f"{module} looks for {name!r} in an object: write a contract."]
    return found


@pytest.mark.parametrize("module", MODULES)
def test_what_an_object_offers_is_written_in_a_contract(module: str) -> None:
    assert duck_typing(module, MODULES[module].read_text(encoding="utf-8")) == []


def test_the_check_for_contracts_can_fail() -> None:
    assert duck_typing("app.hunt", 'getattr(strategy, "states", None)') and duck_typing("x", 'hasattr(self, "group")')


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way_and_policy_owns_no_io(module: str) -> None:
    assert complaints(module, MODULES[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.model", "from wolfspider.core.text import words\nfrom wolfspider.policy import room"),
        ("policy.judges.judge", "def later():\n    from wolfspider.web.page.html import parse"),
        ("engine.crawl", "import wolfspider.drivers.live"),
        ("engine.crawl", "from .model import Page"),
        ("strategies.shark", "from wolfspider.strategies.fish import Fish"),
        ("strategies.shark", "from wolfspider.strategies import fish"),
        ("strategies.shark", "import time"),
        ("strategies.shark", "import os.path"),
        ("strategies.shark", "from random import choice"),
        ("strategies.shark", "import random\nrandom.shuffle([])"),
        ("strategies.shark", "from datetime import datetime\ndatetime.now()"),
        ("policy.frontier", "order = hash('a')"),
        ("learn.lottery", "from pathlib import Path"),
        ("policy.reinforcer", "with open('x') as file: pass"),
        ("plumbing", "x = 1"),
        ("cli", "import wolfspider.plumbing"),
        ("terminal.crawl_screen", "from wolfspider.engine.crawl import Crawl"),
        ("terminal.crawl_screen", "def later():\n    import wolfspider.drivers.live"),
        ("cli.crawling", "def paused(hunt):\n    return hunt.crawl.paused"),
    ],
)
def test_the_checker_sees_what_is_wrong(module: str, source: str) -> None:
    assert len(complaints(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("strategies.shark", "import random\nfrom wolfspider.core.model import Page\nrandom.Random(1).shuffle([])"),
        ("core.topic", "import json\nfrom pathlib import Path\nfrom wolfspider.core.text import words"),
        ("web.http.live_web", "import asyncio, socket, time\nfrom wolfspider.core import model, topic"),
        (
            "terminal.crawl_screen",
            "from wolfspider.core.events import Gauge\nfrom wolfspider.store.view import RunView",
        ),
        ("cli", "from wolfspider import __version__\nfrom wolfspider.bench.run.runner import run\nprint(1)"),
    ],
)
def test_the_checker_lets_pass_what_is_right(module: str, source: str) -> None:
    assert complaints(module, source) == []
