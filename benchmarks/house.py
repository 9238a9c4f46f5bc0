"""How large the source is, and how it is divided: the figures that a clean-up is measured by.

    python benchmarks/house.py [FOLDER]

Statements are counted by `ast`, docstrings left out. The length of a function is that of its statement, first line to
last. File names that occur more than once are listed, and so are files of more than 400 lines, those in Cython (.pyx)
among them; of these nothing else is counted.
"""

from __future__ import annotations

import ast
import signal
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LONG = 400  # lines of a file
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src" / "wolfspider"
    files = sorted(folder.rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in files}
    lengths = sorted(length for tree in trees.values() for length in function_lengths(tree))
    names = Counter(path.name for path in files if path.name != "__init__.py")
    print(f"files={len(files)} lines={sum(lines.values())} statements={sum(map(statements, trees.values()))}")
    print(
        f"functions={len(lengths)} median={statistics.median(lengths):g} p90={lengths[len(lengths) * 9 // 10]} "
        f"private={private(trees)} of_these_used_once={used_once(trees)}"
    )
    top = [path.stem for path in files if path.parent == folder and path.stem not in ("__init__", "__main__")]
    print(f"modules at the top={len(top)} {' '.join(top)}")
    print("names more than once:", " ".join(f"{name}({n})" for name, n in names.most_common() if n > 1) or "none")
    lines |= {path: path.read_text(encoding="utf-8").count("\n") for path in sorted(folder.rglob("*.pyx"))}
    long = [f"{path.relative_to(folder)}({length})" for path, length in lines.items() if length > LONG]
    print(f"files over {LONG} lines: {' '.join(long) or 'none'}")


def statements(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - sum(1 for _ in docstrings(tree))


def docstrings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTION, ast.ClassDef, ast.Module)) and (text := ast.get_docstring(node, clean=False)):
            yield text


def function_lengths(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTION):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _private_names(trees: dict[Path, ast.Module]) -> set[str]:
    """Of functions and methods that begin with one underscore."""
    found = (node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, FUNCTION))
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


def private(trees: dict[Path, ast.Module]) -> int:
    return len(_private_names(trees))


def used_once(trees: dict[Path, ast.Module]) -> int:
    uses: Counter[str] = Counter()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                uses[node.id] += 1
            elif isinstance(node, ast.Attribute):
                uses[node.attr] += 1
    return sum(uses[name] == 1 for name in _private_names(trees))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly where `| head` has read enough
    main()
