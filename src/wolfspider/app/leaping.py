"""Where the leaps of a crawl go, as a person names it by --leaps and --category: opened and checked before it begins.

    a file of `wolfspider categories build`    its pages, or those of one category
    a folder of `wolfspider crawl`             the pages of that run
    sitemap:URL                                what a site says it has
    search:URL                                 what a SearXNG service finds

All of them answer `leap:WORDS` alike, so that a strategy does not know which it is. `remarks` tells a person which
settings of leaps the strategy does not use, or lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wolfspider.app.plugins import strategy_kind
from wolfspider.app.settings import SEARCH_PREFIX, SITEMAP_PREFIX, Settings
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import hidden
from wolfspider.engine.contracts import Source
from wolfspider.policy.strategy import REGISTRY
from wolfspider.store.folder import is_run
from wolfspider.strategies import all_strategies
from wolfspider.web.seeds import sources
from wolfspider.web.seeds.gathered import Allows
from wolfspider.web.seeds.leaps import Leaps, SitemapLeaps
from wolfspider.web.seeds.search import Searches
from wolfspider.web.worlds.world import Web

Asks = Callable[[], Web]  # the Web to ask by, once there is one


@dataclass(frozen=True, slots=True)
class Leaping:
    """What leaps lead to, for a crawl that has not begun."""

    told: str  # where they go, as a sentence
    source: Callable[[Allows, Asks, Asks], Source]  # scope, web, and the same web without robots.txt for services
    close: Callable[[], None] = lambda: None


def remarks(settings: Settings) -> Iterator[str]:
    """Settings that the strategy does nothing with, or lacks. Of a person's own strategy nobody knows if it leaps."""
    kind = strategy_kind(settings.strategy)
    if settings.leaps and not kind.leaps and settings.strategy in REGISTRY:
        yield f"{kind.name} never leaps, so --leaps and --category do nothing. Those that leap: {', '.join(leapers())}."
    if kind.leaps and not settings.leaps:
        yield (
            f"{kind.name} has no leaps: name a file of `categories build`, a run, sitemap:URL or search:URL by --leaps."
        )
    liked = len(dict.fromkeys(settings.like))
    if not liked:
        return
    from wolfspider.strategies.spider.generations import MOST_INPUTS, SpiderSearch

    if liked > MOST_INPUTS and issubclass(kind, SpiderSearch):
        yield f"{kind.name} compares pages with the first {MOST_INPUTS} that you like, not with all {liked}."


def leapers() -> list[str]:
    """Strategies of the house that leap."""
    return sorted(name for name, kind in all_strategies().items() if kind.leaps)


def opened(settings: Settings, remark: Callable[[str], None]) -> Leaping | None:
    """None where nobody wants to leap. A run is read here and not when the first leap asks: nothing else would happen
    meanwhile, and servers that had been asked would be left waiting."""
    what = settings.leaps
    if not what:
        return None
    if settings.category and (what.startswith((SITEMAP_PREFIX, SEARCH_PREFIX)) or is_run(Path(what))):
        raise Problem(f"--category names a category of a file of `categories build`; {what} has none.")
    if what.startswith(SITEMAP_PREFIX):
        url, abroad = sources.address(what.removeprefix(SITEMAP_PREFIX)), bool(settings.include)
        return Leaping(
            f"Leaps go to what {url} says is there.",
            lambda allows, web, services: SitemapLeaps(web, services, url, allows, abroad),
        )
    if what.startswith(SEARCH_PREFIX):
        url = sources.address(what.removeprefix(SEARCH_PREFIX))
        return Leaping(
            f"Leaps go to what the search service {url} finds.",
            lambda allows, web, services: Searches(services, url, settings.results, allows),
        )
    if "://" in what:
        raise Problem(f"--leaps takes a file, a run, sitemap:URL or search:URL. Which is {what[:80]!r}?")
    return _run(Path(what), remark) if is_run(Path(what)) else _categories(Path(what), settings.category)


def _run(folder: Path, remark: Callable[[str], None]) -> Leaping:
    from wolfspider.store.categories.building import run_origin  # and with it all that learns categories
    from wolfspider.store.categories.word_index import MOST_PAGES, WordIndex

    remark(f"Reading the pages of {folder}, so that leaps find them.")
    pages = run_origin(folder, MOST_PAGES, seed=0).pages(lambda done, count: None)
    words = WordIndex(page for page in pages if page is not None and not hidden(page.robots))
    if not words.count:
        words.close()
        raise BadInput(f"{folder} has no pages that one could leap to.")
    if words.count == MOST_PAGES:
        remark(f"Leaps find {MOST_PAGES:,} pages of {folder}, drawn at random.")
    elif words.full:
        remark(f"Leaps find the first {words.count:,} pages of {folder}: there is no room for the words of more.")
    told = f"Leaps go to the {words.count:,} pages of the run {folder}."
    return Leaping(told, lambda allows, web, services: Leaps(words.search, allows), words.close)


def _categories(path: Path, category: str) -> Leaping:
    from wolfspider.store.categories.index import Categories

    if path.is_dir():
        raise BadInput(f"{path} is a folder and no run. Leaps take a file of `categories build`, or a run.")
    index = Categories.open(path)
    try:
        inside = index.find(category) if category else index.tree()
    except Problem:
        index.close()
        raise
    where = f"category {inside.path} of {path}" if category else str(path)
    search = partial(index.search, category=inside)
    told = f"Leaps go to the {inside.pages:,} pages of {where}."
    return Leaping(told, lambda allows, web, services: Leaps(search, allows), index.close)
