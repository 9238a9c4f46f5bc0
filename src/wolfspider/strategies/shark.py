"""Shark-Search (Hersovici et al. 1998): Fish-Search with a sense of smell.

A link inherits from the pages above it, the nearer the more, and has a neighbourhood of its own: what its anchor says,
and where that says nothing, the words around it. Potential = gamma x inherited + (1 - gamma) x neighbourhood, with
neighbourhood = beta x anchor + (1 - beta) x context. Lines die out by depth as in Fish-Search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wolfspider.core.model import Link, Outcome, Page
from wolfspider.core.params import param
from wolfspider.policy.frontier import Item
from wolfspider.policy.strategy import Ordered, register


@dataclass
class SharkParams:
    delta: float = param(0.5, "What is left of a page's worth one link further on.", low=0, high=1)
    beta: float = param(0.8, "Weight of the anchor against the words around it.", low=0, high=1)
    gamma: float = param(0.5, "Weight of what a link inherits against its own neighbourhood.", low=0, high=1)
    depth: int = param(3, "Pages in a row without any similarity after which a line dies out.", low=1, high=100)
    smell: float = param(
        0.5,
        "A page above this score hands its own on, any other what it inherited.",
        low=0,
        high=1,
        letter=0.0,
        first=0.5,
    )


def potential(inherited: float, anchor: float, context: float, beta: float, gamma: float) -> float:
    """`context` counts only where the anchor says nothing."""
    near = beta * anchor + (1 - beta) * (1.0 if anchor > 0 else context)
    return gamma * inherited + (1 - gamma) * near


@register
class Shark(Ordered):
    name = "shark"
    use = (
        "For most topics and webs, also with small budgets: it has nothing to learn. "
        "Not for topics whose pages are reached only over pages off topic."
    )
    paper = "Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim and Ur 1998, The Shark-Search algorithm"
    Params = SharkParams
    params: SharkParams

    def seeds(self, links: Sequence[Link]) -> None:
        for link in links:
            self.frontier.push(link, 2.0, extra=(0.0, self.params.depth))

    def parts(self, item: Item) -> Mapping[str, Any]:
        inherited, depth = item.extra
        return {"potential": item.score, "inherited": inherited, "depth": depth}

    def observe(self, outcome: Outcome) -> None:
        page, verdict, line = outcome.page, outcome.verdict, outcome.visit.note
        if page is None or verdict is None:
            return
        smells = verdict.score > self.params.smell
        passed = self.params.delta * (verdict.score if smells else line["inherited"])
        below = self.params.depth if verdict.score > 0 else line["depth"] - 1
        if below > 0:
            self.frontier.extend(page.links, self._potentials(page, passed), page.final_url, (passed, below))

    def _potentials(self, page: Page, inherited: float) -> Iterator[float]:
        like, params = self._similarity, self.params
        for link, context in zip(page.links, like.of_contexts(page), strict=True):
            yield potential(inherited, like.of_text(link.anchor), context, params.beta, params.gamma)
