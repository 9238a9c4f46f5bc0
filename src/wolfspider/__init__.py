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
    from wolfspider.app.api import crawl as crawl
    from wolfspider.app.api import resume as resume
    from wolfspider.app.found_pages import Found as Found
    from wolfspider.app.hunt import Hunt as Hunt
    from wolfspider.app.labelling import PageQuestion as PageQuestion
    from wolfspider.app.labelling import label as label
    from wolfspider.app.labelling import questions as questions
    from wolfspider.app.settings import Settings as Settings
    from wolfspider.core import events as events
    from wolfspider.core.errors import BadInput as BadInput
    from wolfspider.core.errors import Problem as Problem
    from wolfspider.core.model import Failure as Failure
    from wolfspider.core.model import Link as Link
    from wolfspider.core.model import Outcome as Outcome
    from wolfspider.core.model import Page as Page
    from wolfspider.core.model import Verdict as Verdict
    from wolfspider.core.model import Visit as Visit
    from wolfspider.core.params import param as param
    from wolfspider.core.topic import Topic as Topic
    from wolfspider.drivers.driver import Result as Result
    from wolfspider.export.results import Results as Results
    from wolfspider.export.results import results as results
    from wolfspider.policy.judges.judge import Judge as Judge
    from wolfspider.policy.judges.judge import Unlearning as Unlearning
    from wolfspider.policy.judges.judge import verdict as verdict
    from wolfspider.policy.strategy import Ordered as Ordered
    from wolfspider.policy.strategy import Strategy as Strategy

_WHERE = {
    "drivers.driver": ("Result",),
    "core.errors": ("BadInput", "Problem"),
    "app.api": ("crawl", "resume"),
    "app.found_pages": ("Found",),
    "app.hunt": ("Hunt",),
    "app.labelling": ("PageQuestion", "label", "questions"),
    "export.results": ("Results", "results"),
    "policy.judges.judge": ("Judge", "Unlearning", "verdict"),
    "core.model": ("Failure", "Link", "Outcome", "Page", "Verdict", "Visit"),
    "core.params": ("param",),
    "app.settings": ("Settings",),
    "policy.strategy": ("Ordered", "Strategy"),
    "core.topic": ("Topic",),
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
