"""What the strategies of a bench may leap into: a category index of another web, made once and kept in the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wolfspider.bench.kept import digest_of
from wolfspider.bench.source import source_of
from wolfspider.errors import BadInput, Problem
from wolfspider.store import categorising
from wolfspider.store.categories import Categories
from wolfspider.web.cache import folder
from wolfspider.web.world import World, has_skeleton

MOST_PAGES = 20_000  # of the other web; of more as many, drawn by chance
SEED = 0


def index_of(world: World, cache: Path | None, tell: Callable[[str], None]) -> Path:
    """The index of a web, under a name that changes with all that it depends on."""
    if not has_skeleton(world):
        raise Problem(f"--leaps: {world.name} is too large to be looked through; name a smaller web.")
    name = digest_of([world.digest(), MOST_PAGES, SEED, source_of(categorising.__name__)])
    path = (cache or folder()) / "categories" / f"{name}.sqlite"
    if not _is_whole(path):
        tell(f"{world.name}: making categories of it, for leaps into it.")
        origin = categorising.web_origin(world, MOST_PAGES, SEED)
        built = categorising.build(origin, path, SEED, lambda what, done, count: None)
        tell(f"{world.name}: {built.told()}")
    return path


def _is_whole(path: Path) -> bool:
    """What is damaged is made anew."""
    try:
        Categories.open(path).close()
    except BadInput:
        path.unlink(missing_ok=True)
        return False
    return True
