"""The reinforcing agent of the news foragers' papers, the part that judges what was sent: was it new, was it fresh,
was it first?

It knows nothing of fleets: scores, births and deaths belong to the strategy that receives the credits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wolfspider.core.model import Credit, Sent
from wolfspider.core.params import param
from wolfspider.core.text import key_of

PAID = "new"  # the reason of a credit that pays


@dataclass
class Terms:
    """What is paid for."""

    pays: str = param(
        "new+fresh+relevant",
        "What a document must be to earn the reward.",
        choices=("new", "new+fresh", "new+relevant", "new+fresh+relevant"),
        live=False,
    )
    reward: float = param(100.0, "Paid for a document that earns it.", low=0)
    cost: float = param(1.0, "Taken for a document sent.", low=0)
    charge: str = param(
        "sent", "The cost is taken for every document sent, or only for those refused.", choices=("sent", "refused")
    )
    window: float = param(24 * 3600.0, "Seconds after its publication for which a document is fresh.", low=0)
    key: str = param("url", "What makes two documents the same.", choices=("url", "url+content"), live=False)
    delay: float = param(0.0, "Seconds after which the credit is paid.", low=0)


class Reinforcer:
    """Pays the first sender of each document. A page without a date is as old as the moment it is first sent."""

    def __init__(self, terms: Terms | None = None) -> None:
        self.terms = terms or Terms()
        self.seen: set[int] = set()

    def submit(self, sent: Sent, now: float) -> list[Credit]:
        terms = self.terms
        name = sent.url if terms.key == "url" else f"{sent.url}\n{sent.digest}"
        key = key_of(name)
        reason = self._refusal(sent, key, now)
        if not reason:
            self.seen.add(key)
        value = 0.0 if reason else terms.reward
        if reason or terms.charge == "sent":
            value -= terms.cost
        return [Credit(sent.visit, sent.agent, value, reason or PAID, now + terms.delay)]

    def _refusal(self, sent: Sent, key: int, now: float) -> str:
        if key in self.seen:
            return "known"
        if "fresh" in self.terms.pays and sent.published is not None and now - sent.published > self.terms.window:
            return "old"
        if "relevant" in self.terms.pays and not (sent.verdict and sent.verdict.relevant):
            return "irrelevant"
        return ""

    def state(self) -> dict[str, Any]:
        return {"terms": vars(self.terms).copy(), "seen": set(self.seen)}

    def restore(self, state: dict[str, Any]) -> None:
        self.terms = Terms(**state["terms"])
        self.seen = set(state["seen"])
