"""A web that is another one but for what a layer changes in its answers."""

from __future__ import annotations

from collections.abc import Mapping

from wolfspider.core.model import Fetch
from wolfspider.core.topic import Task
from wolfspider.graphs.graph import Graph
from wolfspider.web.worlds.world import World


class Layer(World):
    """All as below it: a layer overrides what it changes."""

    def __init__(self, below: World) -> None:
        self.below = below
        self.name, self.start, self.warnings = below.name, below.start, below.warnings

    def look(self, url: str, now: float) -> Fetch:
        return self.below.look(url, now)

    def owns(self, host: str) -> bool:
        return self.below.owns(host)

    def graph(self, now: float) -> Graph:
        return self.below.graph(now)

    def tasks(self) -> Mapping[str, Task]:
        return self.below.tasks()

    def digest(self) -> str:
        return f"{self.below.digest()} {type(self).__name__}"

    @property
    def end(self) -> float:
        return self.below.end

    @property
    def has_skeleton(self) -> bool:
        return self.below.has_skeleton
