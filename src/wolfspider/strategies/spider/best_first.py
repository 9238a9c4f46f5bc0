"""The Intelligent Spider's best-first search: of all pages that were linked to so far, the one most like the inputs is
the next output, and its links are looked at too. It stays near home, and where links end it ends."""

from __future__ import annotations

from collections.abc import Sequence

from wolfspider.policy.strategy import register
from wolfspider.strategies.spider.generations import ROOM, Spider


@register
class SpiderBestFirst(Spider):
    name = "spider-best-first"
    variants = ({}, {"outputs": 3, "eq3": "printed"})

    def _breed(self) -> Sequence[str]:
        """One output in each generation. The others are rated anew with it, for df has grown since."""
        chosen, known = self._in_scope(self.chosen), self._in_scope(self.known)
        if len(chosen) >= self.params.outputs or not known:
            return []
        scores = self._scores({**self.chosen, **self.known})
        fittest = max(known, key=lambda url: scores[url].total)
        self.chosen[fittest] = self.known.pop(fittest)
        self.scores = {url: [*scores[url]] for url in self.chosen}
        return [fittest] if len(chosen) + 1 < self.params.outputs else []

    def _eligible(self, url: str) -> bool:
        return url not in self.chosen and super()._eligible(url)

    def _make_room(self) -> None:
        """Any candidate may be an output some day: the least likely ones go."""
        if len(self.known) > 2 * ROOM:
            scores = self._scores(self.known)
            order = sorted(self.known, key=lambda url: -scores[url].total)
            self.known = {url: self.known[url] for url in order[:ROOM]}
