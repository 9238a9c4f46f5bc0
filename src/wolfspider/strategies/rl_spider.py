"""A reinforcement-learning spider (Rennie and McCallum 1999): the words of a link predict its discounted future reward.

Following a link pays 1 if its page is relevant, and, at a discount for each further link, what the best way on from
there pays. The returns of the links followed so far are put into a few bins. Naive Bayes over the words of a link says
how likely each bin is, and a link is worth the return that is expected: the probabilities of the bins times their mean
returns. So a link that leads to a good page in two steps is worth something, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wolfspider.core.model import Link, Verdict
from wolfspider.core.params import param
from wolfspider.learn.link_bayes import LinkBayes
from wolfspider.policy.link_learner import LinkLearner, LinkLearnerParams
from wolfspider.policy.strategy import register

FEW = 3  # links that led to a relevant page without which nothing is learned


@dataclass
class RlSpiderParams(LinkLearnerParams):
    discount: float = param(0.5, "What a reward is worth one link earlier.", low=0, high=0.99)
    bins: int = param(3, "Bins of returns.", low=2, high=8, live=False)
    smoothing: float = param(1.0, "Made-up links of each bin that are like any link.", low=0.01, high=100)


def bin_of_return(value: float, discount: float, bins: int) -> int:
    """Bin 0 is for links to relevant pages, bin k for those from which one is k links away, the last for the rest. The
    borders lie half-way between 1, the discount, its square and so on."""
    border, worth = (1.0 + discount) / 2, 1.0
    for number in range(bins - 1):
        if value >= border and value > 0:
            return number
        worth *= discount
        border = worth * (1.0 + discount) / 2
    return bins - 1


@register
class RlSpider(LinkLearner):
    name = "rl-spider"
    use = (
        "For sites laid out alike, where good pages lie behind pages off topic. Not for small budgets: it learns only "
        "from links that it followed."
    )
    paper = "Rennie and McCallum 1999, Using reinforcement learning to spider the Web efficiently"
    Params = RlSpiderParams
    variants = ({"every": 20}, {"every": 30, "start": 0, "bins": 5})
    params: RlSpiderParams

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.bayes = LinkBayes(self.params.bins)
        self.means = [0.0] * self.params.bins  # the mean return of each bin
        super().begin(seeds, now)

    def untrained(self, verdict: Verdict) -> float:
        return verdict.score

    def train(self) -> bool:
        discount, bins = self.params.discount, self.params.bins
        returns = self.visited.returns(discount)
        if sum(value >= 1 for value in returns) < FEW:
            return False
        bayes, sums, counts = LinkBayes(bins), [0.0] * bins, [0] * bins
        for value, words in zip(returns, self.visited.bags().lists(), strict=True):
            kind = bin_of_return(value, discount, bins)
            bayes.add(words, kind)
            sums[kind] += value
            counts[kind] += 1
        bayes.fit(self.params.smoothing)
        self.bayes, self.means = bayes, [total / max(count, 1) for total, count in zip(sums, counts, strict=True)]
        return True

    def worth(self, bins: list[int]) -> float:
        return sum(chance * mean for chance, mean in zip(self.bayes.posteriors(bins), self.means, strict=True))
