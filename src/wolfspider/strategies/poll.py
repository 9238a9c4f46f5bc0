"""Polling by published policies: Cho and Garcia-Molina 2003, Azar et al. 2018, Kolobov et al. 2019, and others.

The starting points are sources, pages that are looked at again and again for what is new. Which one is next is the
policy's choice; each policy is a published answer (policy/poll_policies.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.core.params import param
from wolfspider.policy.poll_policies import POLICIES
from wolfspider.policy.polling import Floats, Polling, PollingParams
from wolfspider.policy.strategy import register


@dataclass
class PollParams(PollingParams):
    policy: str = param("index", "Which source is looked at next.", choices=tuple(POLICIES))


@register
class Poll(Polling):
    name = "poll"
    use = "For watching known pages for what is new, by one of nine policies. Not for finding the pages of a topic."
    paper = "Cho and Garcia-Molina 2003, Effective page refresh policies for Web crawlers, and later policies"
    Params = PollParams
    variants = ({}, *({"policy": name, "per_hour": 3600.0, "links": 3} for name in ("azar", "halving", "thompson")))
    params: PollParams

    def scores(self, now: float) -> Floats:
        seed = self.rng.getrandbits(63) if self.params.policy == "thompson" else 0
        return POLICIES[self.params.policy](self.sources, now, self.params.per_hour, self.params.fades, seed)
