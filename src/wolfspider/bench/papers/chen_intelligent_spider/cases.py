"""The cases of `chen_intelligent_spider`: what a person likes, where, and which pages leaps may lead to.

A case is a web, a topic of it, and one to three liked pages that carry the topic. Every third page of a web, by a hash
of its address, is in its category index; liked pages are drawn from the others. The person's category is the one that
most of the ten best results for the topic's keywords are in.

    cases      liked pages have five links or more that lead to pages of the web
    few links  they have fewer
    own site   the same cases, where all pages have only their links to the own host
    shares     as cases, on one web, with another share of its pages in the index
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import xxhash

from wolfspider.bench.experiment import Form, Setting
from wolfspider.bench.run.cell import inside, opened, tasks_in
from wolfspider.bench.run.leap_index import category_index
from wolfspider.core import randomness
from wolfspider.core.model import Page
from wolfspider.core.topic import Task
from wolfspider.store.categories import building
from wolfspider.store.categories.index import Categories, Category
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World

CASES, FEW, OWN_SITE, SHARES = "cases", "few links", "own site", "shares"
COMPUTED, RECORDED = "computed", "recorded"  # kinds of web
ENOUGH = 5  # links of a liked page; with fewer its case is one of few links
MOST_LIKED = 3
EVERY = 3  # one page in so many is in the index
OTHER_SHARES = (2, 10)  # likewise, where the share is varied
TRIED = 300  # pages that are looked at for liked ones
BUDGET = 3_000  # downloads, hardly ever reached
RESULTS = 10  # by which the category is chosen
SEED = 0
FEW_ON = ("docs", "docs-small")  # recorded webs that have pages with few links


class SpiderScale(NamedTuple):
    """How much is run."""

    web: str  # to be completed by a seed
    webs: int
    computed: int  # cases on synthetic webs
    recorded: Mapping[str, int]  # cases on each of these
    few: int  # cases with few links, on synthetic webs
    few_recorded: int  # likewise on a recorded web that has such pages
    rounds: int  # in which times are taken
    cool: bool  # does annealing also begin at other temperatures?
    shares: int  # cases with each other share


FULL = SpiderScale("synthetic:pages=20000,seed=", 4, 40, {"wiki": 14, "docs": 13, "news": 13}, 40, 8, 3, True, 20)
QUICK = SpiderScale(
    "synthetic:pages=5000,seed=", 4, 40, {"wiki-small": 3, "docs-small": 3, "news-small": 3}, 40, 2, 1, False, 8
)  # fmt: skip


def settings(form: Form) -> list[Setting]:
    """Web by web, so that neighbours look at the same one."""
    of = form.scale(FULL, QUICK)
    cells: list[Setting] = []
    for web in range(of.webs):
        name = f"{of.web}{web + 1}"
        for study, count in ((CASES, of.computed), (FEW, of.few), (OWN_SITE, of.few)):
            cells += [_setting(study, name, name, COMPUTED, case, of) for case in range(web, count, of.webs)]
        for every in OTHER_SHARES if web == 0 else ():
            plain = [_setting(SHARES, name, name, COMPUTED, case * of.webs, of) for case in range(of.shares)]
            cells += [{**setting, "every": every} for setting in plain]
    for folder in form.folders(of.recorded):
        few = of.few_recorded if folder.name in FEW_ON else 0
        for study, count in ((CASES, of.recorded[folder.name]), (FEW, few), (OWN_SITE, few)):
            cells += [_setting(study, str(folder), folder.name, RECORDED, case, of) for case in range(count)]
    return cells


def _setting(study: str, web: str, name: str, kind: str, case: int, of: SpiderScale) -> Setting:
    """Topics take turns on a web, and so do the numbers of liked pages."""
    turn = case // of.webs if kind == COMPUTED else case
    where = {"study": study, "web": web, "web_name": name, "kind": kind, "case": case, "turn": turn}
    asked = {"liked": 1 + case % MOST_LIKED, "budget": BUDGET}
    return {**where, "strategy": "spider", **asked, "rounds": of.rounds, "cool": of.cool and study == CASES}


# What is liked


class Case(NamedTuple):
    topic: str
    task: Task
    liked: tuple[Page, ...]  # with the links that lead to pages of the web


def case_of(setting: Setting) -> Case | None:
    """None where no topic of the web has as many pages of the kind."""
    web, wanted = str(setting["web"]), int(setting["liked"])
    tasks = tasks_in(web)
    for turn in range(len(tasks)):
        name = [*tasks][(int(setting["turn"]) + turn) % len(tasks)]
        drawn = {OWN_SITE: FEW, SHARES: CASES}.get(setting["study"], str(setting["study"]))  # the same cases
        rng = randomness.generator(SEED, "chen", drawn, str(setting["web_name"]), int(setting["case"]))
        liked = _liked(opened(web, None), tasks[name], wanted, drawn == FEW, int(setting.get("every", EVERY)), rng)
        if len(liked) == wanted:
            return Case(name, tasks[name], liked)
    return None


def _liked(world: World, task: Task, wanted: int, few: bool, every: int, rng: random.Random) -> tuple[Page, ...]:
    allows = inside(world)
    candidates = [url for url in sorted(task.relevant) if allows(url) and not is_listed(url, every)]
    rng.shuffle(candidates)
    found: dict[str, Page] = {}
    for url in candidates[:TRIED]:
        page = parse(world.look(url, world.start))
        if len(found) == wanted:
            break
        if isinstance(page, Page) and page.words and not is_listed(page.final_url, every):
            cut = replace(page, links=tuple(link for link in page.links if allows(link.url)))
            if (len({link.url for link in cut.links}) < ENOUGH) == few:
                found.setdefault(cut.final_url, cut)
    return tuple(found.values())


# Where leaps lead to


def is_listed(url: str, every: int = EVERY) -> bool:
    """Is the page in the category index of its web? http and https are one."""
    return xxhash.xxh3_64_intdigest(url.split("://", 1)[-1].encode("utf-8", "surrogatepass")) % every == 0


@lru_cache(maxsize=2)
def index_of(web: str, every: int = EVERY) -> Categories:
    """Made once, and kept in the cache."""
    return category_index(listed(opened(web, None), every), f"one in {every}", SEED)


def listed(world: World, every: int = EVERY) -> building.Origin:
    def pages(progress: Callable[[int, int], Any]) -> Iterator[Page | None]:
        for url in (url for url in world.graph(world.start).urls if is_listed(url, every)):
            page = parse(world.look(url, world.start))
            yield page if isinstance(page, Page) and is_listed(page.final_url, every) else None

    return building.Origin(world.name, world.digest(), pages)


def category_of(index: Categories, keywords: tuple[str, ...]) -> Category:
    """Of those right below the root, the one with most of the best results; of equal ones the larger."""
    best = {found.url for found in index.search(" ".join(keywords), RESULTS)}
    numbers = [number for url, number in index.members() if url in best]
    homes = Counter(
        place
        for number in numbers
        for place, each in enumerate(index.tree().below)
        if each.number <= number <= each.last
    )
    return index.tree().below[min(homes, key=lambda place: (-homes[place], place))] if homes else index.tree()
