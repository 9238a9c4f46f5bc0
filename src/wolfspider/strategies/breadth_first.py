"""Breadth-first search (Pinkerton 1994; Najork and Wiener 2001): links in the order in which they were found."""

from __future__ import annotations

from wolfspider.core.model import Outcome
from wolfspider.policy.strategy import Ordered, register


@register
class BreadthFirst(Ordered):
    name = "breadth-first"
    use = "For archives of whole sites, and to compare with. Not for finding the pages of a topic in a large web."
    paper = "Najork and Wiener 2001, Breadth-first crawling yields high-quality pages"
    thrifty = False

    def observe(self, outcome: Outcome) -> None:
        if page := outcome.page:
            self.frontier.extend(page.links, [0.0] * len(page.links), page.final_url)
