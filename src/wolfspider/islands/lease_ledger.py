"""The budget of a fleet, handed out in leases, so that its islands together never spend more than it.

An island has a limit: how many downloads it may have made, in all its life. The ledger knows an upper bound of each,
and these bounds never add up to more than the budget. So the order of two steps is all that matters, whoever dies
between them:

    lease    the ledger notes the higher limit, then the island hears of it
    return   the island notes the lower limit, then the ledger hears of it

Limits are totals and no additions: a message that comes twice changes nothing.

If a person lowers the budget below what is leased, all leases are called back: each island keeps to what it has spent,
and what is left of the budget is leased anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SMALLEST, LARGEST = 10, 5_000  # downloads of a lease, for fewer are not worth a process; the last one may be smaller
USUAL = 50  # downloads of a lease at least, if there are as many left for each island
PORTIONS = 4  # leases of each island that what is left should suffice for


class LeaseLedger:
    def __init__(self, budget: int, limits: Sequence[int]) -> None:
        """`limits`: of each island, what it may have spent, at most."""
        self.budget, self.limits = budget, list(limits)

    @property
    def free(self) -> int:
        """Downloads that no island has; none, if a person lowered the budget below what is leased."""
        return max(0, self.budget - sum(self.limits))

    def orders(self) -> list[int]:
        """What each island is told. Nothing of more than the budget: then each gives back all that it has not spent."""
        return [0] * len(self.limits) if sum(self.limits) > self.budget else list(self.limits)

    def portion(self) -> int:
        """A lease, as large as leaves something for all: the less is left, the smaller."""
        share = self.free // len(self.limits)
        return min(self.free, LARGEST, max(SMALLEST, min(USUAL, share), share // PORTIONS))

    def lease(self, island: int, spent: int) -> bool:
        """More for an island that has used up half of its last lease. Was there any?"""
        more = self.portion()
        if more < 1 or self.limits[island] - spent > more // 2:
            return False
        self.limits[island] += more
        return True

    def give_back(self, island: int, limit: int) -> bool:
        """An island keeps to a lower limit from now on. A limit that it was never given is no news."""
        lower = 0 <= limit < self.limits[island]
        if lower:
            self.limits[island] = limit
        return lower

    def has_spent(self, island: int, spent: int) -> None:
        """An island has spent so much, whatever the ledger says: one that was lost, or is an older copy, says less."""
        self.limits[island] = max(self.limits[island], spent)

    def state(self) -> dict[str, Any]:
        return {"budget": self.budget, "limits": list(self.limits)}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> LeaseLedger:
        limits = list(state["limits"])
        if not all(type(limit) is int and limit >= 0 for limit in limits):
            raise ValueError("a limit is no number of downloads")
        return cls(int(state["budget"]), limits)
