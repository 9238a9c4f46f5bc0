"""What a file of Python imports, defines and calls, read from its source once for all tests that ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path


@dataclass
class SourceFacts:
    """What stands in a file, wherever in it; of its tree, which is large, nothing is kept."""

    docstring: str | None
    imports: set[str] = field(default_factory=set)  # `from a import b` gives a and a.b
    top: set[str] = field(default_factory=set)  # names that the module itself gives to something
    classes: list[str] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)  # names of functions and methods that are called
    bare_calls: set[str] = field(default_factory=set)  # those that are no methods

    def add(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=names):
                self.imports.update(alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names):
                self.imports.update([module or "", *(f"{module}.{alias.name}" for alias in names)])
            case ast.ClassDef(name=name):
                self.classes.append(name)
            case ast.FunctionDef(name=name):
                self.functions.add(name)
            case ast.Call(func=ast.Attribute(attr=name)):
                self.calls.add(name)
            case ast.Call(func=ast.Name(id=name)):
                self.calls.add(name)
                self.bare_calls.add(name)


@cache
def facts_of(path: Path) -> SourceFacts:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    facts = SourceFacts(ast.get_docstring(tree))
    for node in ast.walk(tree):
        facts.add(node)
    facts.top.update(name for statement in tree.body for name in named_by(statement))
    return facts


def named_by(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            nodes = (node for target in targets for node in ast.walk(target))
            yield from (node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def all_facts(folder: Path) -> dict[str, SourceFacts]:
    """The facts of every file below this folder, by its path from there."""
    return {path.relative_to(folder).as_posix(): facts_of(path) for path in sorted(folder.rglob("*.py"))}
