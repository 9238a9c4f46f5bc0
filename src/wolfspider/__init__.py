"""wolfspider: a focused crawler that learns while it crawls.

    import asyncio, wolfspider

    async def main():
        async for found in wolfspider.crawl("https://example.org/", topic="spiders", contact="me@example.org"):
            print(found.score, found.url, found.title)

    asyncio.run(main())

What stands in `__all__` is public. It is loaded when it is first used, so that importing wolfspider costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wolfspider import events as events
    from wolfspider.drive import Result as Result
    from wolfspider.errors import BadInput as BadInput
    from wolfspider.errors import Problem as Problem
    from wolfspider.hunt import Found as Found
    from wolfspider.hunt import Hunt as Hunt
    from wolfspider.hunt import crawl as crawl
    from wolfspider.hunt import resume as resume
    from wolfspider.judge import Judge as Judge
    from wolfspider.judge import Unlearning as Unlearning
    from wolfspider.judge import verdict as verdict
    from wolfspider.model import Failure as Failure
    from wolfspider.model import Link as Link
    from wolfspider.model import Outcome as Outcome
    from wolfspider.model import Page as Page
    from wolfspider.model import Verdict as Verdict
    from wolfspider.model import Visit as Visit
    from wolfspider.params import param as param
    from wolfspider.settings import Settings as Settings
    from wolfspider.strategy import Ordered as Ordered
    from wolfspider.strategy import Strategy as Strategy
    from wolfspider.topic import Topic as Topic

_WHERE = {
    "drive": ("Result",),
    "errors": ("BadInput", "Problem"),
    "hunt": ("Found", "Hunt", "crawl", "resume"),
    "judge": ("Judge", "Unlearning", "verdict"),
    "model": ("Failure", "Link", "Outcome", "Page", "Verdict", "Visit"),
    "params": ("param",),
    "settings": ("Settings",),
    "strategy": ("Ordered", "Strategy"),
    "topic": ("Topic",),
}
_PUBLIC = {name: module for module, names in _WHERE.items() for name in names}
__all__ = ["events", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name == "events":
        return importlib.import_module("wolfspider.events")
    if name not in _PUBLIC:
        raise AttributeError(f"module 'wolfspider' has no attribute {name!r}")
    return getattr(importlib.import_module(f"wolfspider.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
