"""The budget of a fleet: whatever happens in whatever order, the islands never spend more than it, and nothing that was
spent is counted twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.islands.lease_ledger import LARGEST, LeaseLedger


class Isle:
    """What an island has on its disk: a kill takes nothing of it. `told` may have died with the message."""

    def __init__(self) -> None:
        self.limit = self.spent = 0


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("lease", "lost lease", "hear", "spend", "return", "half return", "again", "head dies")),
        st.integers(0, 3),
        st.integers(0, 400),
    ),
    max_size=120,
)


@given(st.integers(0, 900), st.integers(1, 4), STEPS)
def test_no_order_of_leases_spending_deaths_and_returns_exceeds_the_budget(
    budget: int, count: int, steps: list[tuple[str, int, int]]
) -> None:
    ledger, isles = LeaseLedger(budget, [0] * count), [Isle() for _ in range(count)]
    stale: list[tuple[int, int]] = []  # returns that were told before, and may be told again, as long as nothing came
    for step, place, number in steps:
        island = place % count
        isle = isles[island]
        match step:
            case "lease" | "lost lease":
                ledger.lease(island, isle.spent)
                stale = [told for told in stale if told[0] != island]
                if step == "lease":
                    isle.limit = ledger.limits[island]
            case "hear":  # an island is told its limit again and again
                isle.limit = ledger.limits[island]
            case "spend":
                isle.spent = min(isle.limit, isle.spent + number)
            case "return" | "half return":  # the island's own note comes first
                isle.limit = isle.spent
                if step == "return":
                    ledger.give_back(island, isle.limit)
                    stale.append((island, isle.limit))
            case "again":
                for which, limit in stale:
                    if isles[which].limit == limit:
                        ledger.give_back(which, limit)
            case "head dies":
                ledger = LeaseLedger.restored(ledger.state())
        assert all(isle.spent <= isle.limit <= limit for isle, limit in zip(isles, ledger.limits, strict=True))
        assert sum(ledger.limits) <= budget
    assert sum(isle.spent for isle in isles) + ledger.free <= budget


@pytest.mark.parametrize(("budget", "count"), [(1_000, 3), (60, 4), (3, 4)])
def test_all_of_the_budget_is_spent_if_one_island_alone_has_work(budget: int, count: int) -> None:
    ledger, spent = LeaseLedger(budget, [0] * count), 0
    while ledger.lease(1, spent):
        spent = ledger.limits[1]
    assert (spent, ledger.free) == (budget, 0)


@pytest.mark.parametrize(
    ("before", "budget", "limits"),
    [
        ([0, 0, 0, 0], 60, [15, 11, 10, 10]),
        ([500, 500, 0, 0], 1_060, [515, 511, 10, 10]),  # raised
        ([0, 0, 0, 0], 12, [10, 2, 0, 0]),
    ],
)
def test_a_small_budget_is_divided_among_all_islands_as_far_as_it_is_worth_a_process(
    before: list[int], budget: int, limits: list[int]
) -> None:
    ledger = LeaseLedger(budget, before)
    for island, spent in enumerate(before):
        ledger.lease(island, spent)
    assert ledger.limits == limits


def test_leases_shrink_with_what_is_left_and_wait_until_the_last_is_half_used() -> None:
    ledger = LeaseLedger(800, [0, 0])
    assert ledger.lease(0, 0) and ledger.limits == [100, 0]
    assert not ledger.lease(0, 10)
    assert ledger.lease(0, 80) and ledger.limits == [187, 0]
    assert LeaseLedger(10**9, [0]).portion() == LARGEST


def test_a_lowered_budget_takes_nothing_back_and_leases_nothing_more() -> None:
    ledger = LeaseLedger(100, [40, 40])
    ledger.budget = 60
    assert ledger.free == 0
    assert not ledger.lease(0, 40)


def test_a_lowered_budget_calls_all_leases_back_and_deals_out_what_is_left() -> None:
    ledger, spent = LeaseLedger(60, [40, 40]), [10, 30]
    assert ledger.orders() == [0, 0]
    for island in (0, 1):  # each keeps to what it has spent
        ledger.give_back(island, spent[island])
        ledger.has_spent(island, spent[island])
    assert (ledger.orders(), ledger.free) == (spent, 20)
    assert ledger.lease(0, 10) and ledger.orders() == [20, 30]
    assert ledger.lease(1, 30) and ledger.orders() == [20, 40]


def test_what_was_spent_counts_though_the_ledger_was_lost() -> None:
    ledger = LeaseLedger(100, [0, 0])
    ledger.has_spent(0, 90)
    assert ledger.free == 10


@pytest.mark.parametrize("limits", [[-1, 0], [float("inf"), 0], ["1", 0], [True, 0]])
def test_a_ledger_with_what_is_no_number_of_downloads_is_damaged(limits: list[object]) -> None:
    with pytest.raises(ValueError, match="no number of downloads"):
        LeaseLedger.restored({"budget": 100, "limits": limits})
