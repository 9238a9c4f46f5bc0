"""Which parts of the program are compiled here, whether they can be loaded, and whether they are as their sources are
now."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

COMPILED = {  # modules that are called from Python: what each does, and the sources it is made from
    "wolfspider.web.page.plain_markup": ("the reader of pages", "plain_*.pyx"),
    "wolfspider.web.page.page_links": ("links", "page_links.pyx"),
    "wolfspider.core.tokens": ("words", "tokens.pyx"),
    "wolfspider.core.word_lists": ("lists of words", "word_lists.pyx"),
    "wolfspider.core.signature": ("signatures", "signature.pyx"),
    "wolfspider.strategies.hunter.trait_figures": ("traits of links", "trait_figures.pyx"),
}
_MARGIN = 60.0  # seconds within which an installer writes all files, in any order


class CompiledParts(NamedTuple):
    current: list[str]
    old: list[str]  # compiled before their sources were changed
    broken: list[str]  # compiled, but they cannot be loaded, so that the same is done in plain Python
    missing: list[str]

    def __str__(self) -> str:
        kinds = {
            "compiled": self.current,
            "compiled before their sources were changed": self.old,
            "compiled, but not to be loaded": self.broken,
        }
        named = [f"{kind}: {', '.join(parts)}" for kind, parts in kinds.items() if parts]
        return "; ".join(named) or "nothing compiled"


def compiled_parts() -> CompiledParts:
    found = CompiledParts([], [], [], [])
    for module, (what, sources) in COMPILED.items():
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            found.missing.append(what)
        elif not _loads(module):
            found.broken.append(what)
        else:
            (found.old if _is_old(Path(spec.origin).parent, sources) else found.current).append(what)
    return found


def _loads(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def _is_old(folder: Path, sources: str) -> bool:
    for source in folder.glob(sources):
        made = [path.stat().st_mtime for path in folder.glob(f"{source.stem}.*") if path.suffix in (".so", ".pyd")]
        if not made or max(made) + _MARGIN < source.stat().st_mtime:
            return True
    return False
