"""What the strategies of a bench may leap into: a category index, made once and kept in the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wolfspider.bench.run.result_cache import digest_of, locked
from wolfspider.bench.run.source import source_of
from wolfspider.core.errors import BadInput, Problem
from wolfspider.store.categories import building
from wolfspider.store.categories.building import Origin
from wolfspider.store.categories.index import Categories
from wolfspider.web.page.page_cache import folder
from wolfspider.web.worlds.world import World

MOST_PAGES = 20_000  # pages of the other web, drawn at random if it has more
SEED = 0


def index_of(world: World, cache: Path | None, tell: Callable[[str], None]) -> Path:
    """The index of another web."""
    if not world.has_skeleton:
        raise Problem(f"--leaps: {world.name} is too large to be looked through; name a smaller web.")
    with category_index(building.web_origin(world, MOST_PAGES, SEED), MOST_PAGES, SEED, cache, tell) as index:
        return index.path


def category_index(
    origin: Origin,
    chosen: object,
    seed: int,
    cache: Path | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Categories:
    """The index of these pages, opened, from a file whose name changes with all that it depends on. `chosen` says in
    JSON which pages of its web or run the origin has. A damaged index is built again.
    """
    name = digest_of([origin.digest, chosen, seed, source_of(building.__name__)])
    path = (cache or folder()) / "categories" / f"{name}.sqlite"
    with locked(path):
        try:
            return Categories.open(path)
        except BadInput:
            path.unlink(missing_ok=True)
        tell(f"{origin.name}: making categories of it, for leaps into it.")
        built = building.build(origin, path, seed)
        tell(f"{origin.name}: {built.told()}")
        return Categories.open(path)
