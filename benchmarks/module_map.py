"""The map of the source, made from the source: docs/modules.md and docs/images/packages.svg.

    python benchmarks/module_map.py [--check]

Every module has a line there: the first sentence of its docstring. Packages stand in the order of their layers, which
tests/test_imports.py names, and behind them the files of benchmarks/, with their first sentences. With --check nothing
is written, and the exit code says whether both are up to date.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "wolfspider"
LAYERS = ROOT / "tests" / "test_imports.py"

HEAD = """# The map

Every module and what it is, by package, from the lowest layer to the highest. Made from the first sentence of each
module by `python benchmarks/module_map.py`; [architecture](architecture.md) has the ideas and the picture.
"""
BENCHMARKS = """
## benchmarks

Programs that measure; they are no part of the package. `python benchmarks/FILE --help` and the head of each file say
more. Some are parts of others.

| file | what it is |
|---|---|
"""
WIDTH, ROW, GAP, MARGIN = 760, 46, 10, 12


def main() -> None:
    made = {ROOT / "docs" / "modules.md": page(), ROOT / "docs" / "images" / "packages.svg": picture()}
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        sys.exit(f"Out of date: {', '.join(path.name for path in stale)}" if stale else 0)
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
        print(f"written: {path.relative_to(ROOT)}")


def layers() -> list[list[str]]:
    """The packages there are, in the order of tests/test_imports.py: a list for each layer, the lowest first."""
    assigned = [node for node in ast.parse(LAYERS.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign)]
    groups = next(ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == "GROUPS")
    there = ([name for name in group if (SOURCE / name).is_dir()] for group in groups)
    return [names for names in there if names]


def sentence(path: Path) -> str:
    """The first sentence of a module's docstring, on one line; of another file, of the comment at its head."""
    text = path.read_text(encoding="utf-8")
    text = (ast.get_docstring(ast.parse(text)) or "") if path.suffix == ".py" else _comment(text)
    first = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.?!])\s+(?=[A-Z`])", first)[0].rstrip(":")


def _comment(text: str) -> str:
    """The first line, without the marks that make it a comment."""
    return text.partition("\n")[0].strip("/*# ")


def page() -> str:
    """The text of docs/modules.md."""
    parts = [HEAD]
    for package in (name for names in layers() for name in names):
        folder = SOURCE / package
        parts.append(f"\n## {package}\n\n{sentence(folder / '__init__.py')}\n\n| module | what it is |\n|---|---|\n")
        for path in sorted(folder.rglob("*.py"), key=lambda path: (path.parent != folder, path.parent, path.name)):
            if path != folder / "__init__.py":
                name = path.relative_to(folder).as_posix().replace("__init__.py", "")
                parts.append(_row(name, path))
    programs = ROOT / "benchmarks"
    files = sorted(path for path in programs.rglob("*") if path.suffix in (".py", ".c", ".toml", ".txt"))
    return "".join([*parts, BENCHMARKS, *(_row(path.relative_to(programs).as_posix(), path) for path in files)])


def _row(name: str, path: Path) -> str:
    return f"| `{name}` | {sentence(path).replace('|', chr(92) + '|')} |\n"


def picture() -> str:
    """The packages as boxes, a row for each layer, the lowest at the bottom."""
    rows = layers()[::-1]
    height = 2 * MARGIN + len(rows) * (ROW + GAP) - GAP
    boxes = []
    for number, names in enumerate(rows):
        wide = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
        top = MARGIN + number * (ROW + GAP)
        for place, name in enumerate(names):
            left = MARGIN + place * (wide + GAP)
            boxes.append(_box(left, top, wide, name, sentence(SOURCE / name / "__init__.py")))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n{"".join(boxes)}</svg>\n'
    )


def _box(left: float, top: float, wide: float, name: str, text: str) -> str:
    most = int((wide - 24) / 6.1)  # letters of the small text that fit
    short = text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0].rstrip(",:;") + " …"
    return (
        f'<rect x="{left:g}" y="{top}" width="{wide:g}" height="{ROW}" rx="6" fill="#f2f5f9" stroke="#8aa0b8"/>\n'
        f'<text x="{left + 12:g}" y="{top + 19}" font-size="14" font-weight="600" fill="#1c2b3a">{name}</text>\n'
        f'<text x="{left + 12:g}" y="{top + 36}" font-size="11" fill="#51606f">{escape(short)}</text>\n'
    )


if __name__ == "__main__":
    main()
