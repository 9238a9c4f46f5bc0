"""Who asks which host on a cluster, and for how long: the pure parts, whatever workers do."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from wolfspider.drivers.cluster.leases import TICKS, Lease, Leases
from wolfspider.drivers.cluster.ownership import Ownership

DOMAINS = [f"d{number}.test" for number in range(400)]


def dealt(workers: list[str]) -> dict[str, str | None]:
    ownership = Ownership()
    for worker in workers:
        ownership.join(worker)
    return {domain: ownership.drawn(domain) for domain in DOMAINS}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True), st.text(min_size=9, max_size=9))
def test_every_domain_has_one_worker_and_only_those_move_that_a_new_one_gets(workers: list[str], new: str) -> None:
    before, after = dealt(workers), dealt([*workers, new])
    assert set(before.values()) <= set(workers)
    assert dealt(workers[::-1]) == before  # whoever came first
    assert all(after[domain] in (worker, new) for domain, worker in before.items())
    share = sum(worker == new for worker in after.values()) / len(DOMAINS)
    fair = 1 / (len(workers) + 1)
    assert fair / 2 < share < 2 * fair
    assert max(Counter(before.values()).values()) < 2 * len(DOMAINS) / len(workers)


class Moving(RuleBasedStateMachine):
    """Workers come and go while domains are asked. The model: who really asks a domain now, and who knows of it."""

    def __init__(self) -> None:
        super().__init__()
        self.ownership = Ownership()
        self.asking: dict[str, list[str]] = {}
        self.knows: dict[str, str] = {}  # who has what was learned of a domain last
        self.workers: set[str] = set()

    @rule(worker=st.sampled_from("ABCDE"))
    def join(self, worker: str) -> None:
        if worker not in self.workers:
            self.workers.add(worker)
            self.ownership.join(worker)
            for domain in self.knows:  # a new worker is told of its own
                if self.ownership.drawn(domain) == worker and not self.asking.get(domain):
                    self.knows[domain] = worker

    @rule(worker=st.sampled_from("ABCDE"))
    def leave(self, worker: str) -> None:
        if worker in self.workers:
            mine = [domain for domain in DOMAINS[:6] if self.ownership.drawn(domain) == worker]
            self.workers.discard(worker)
            self.ownership.leave(worker)
            for domain, asking in self.asking.items():
                if worker in asking:
                    self.asking[domain] = []
                    self.knows[domain] = "head"
            for domain in mine:  # and those who get them are told
                if (drawn := self.ownership.drawn(domain)) is not None and not self.asking.get(domain):
                    self.knows[domain] = drawn

    @precondition(lambda self: self.workers)
    @rule(domain=st.sampled_from(DOMAINS[:6]))
    def begin(self, domain: str) -> None:
        owner = self.ownership.owner(domain)
        assert owner in self.workers
        if self.ownership.begin(domain):
            self.knows[domain] = owner
        assert self.knows.get(domain, owner) == owner, "it does not know when the host was asked last"
        asking = self.asking.setdefault(domain, [])
        asking.append(owner)

    @rule(domain=st.sampled_from(DOMAINS[:6]))
    def end(self, domain: str) -> None:
        if asking := self.asking.get(domain):
            worker = asking.pop()
            self.ownership.end(domain, worker)
            self.knows[domain] = worker

    @invariant()
    def one_at_most(self) -> None:
        for domain, asking in self.asking.items():
            assert len(set(asking)) <= 1
            if asking:
                assert self.ownership.owner(domain) == asking[0]


TestMoving = Moving.TestCase
TestMoving.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_once_the_head_gives_a_lease_up_its_worker_asks_nobody(seed: int) -> None:
    """Whatever is late: stamps, their way back, or the worker itself, which stands still now and then."""
    rng = random.Random(seed)
    term, leases, lease = 5.0, Leases(5.0), Lease(5.0)
    behind = rng.uniform(-1000, 1000)  # of the worker's clock
    epoch = leases.grant("w", 0.0)
    over, asked = None, []
    there: list[tuple[float, float]] = []  # stamps on their way to the head, and back
    back: list[tuple[float, float]] = []
    stands = 0.0
    for tick in range(400):
        now = tick * term / 50
        if rng.random() < 0.02:
            stands = now + rng.uniform(0, 4 * term)
        if now >= stands:
            for sent in [one for one in back if one[0] <= now]:
                back.remove(sent)
                lease.renewed(sent[1])
            if tick % 10 == 0:
                there.append((now + rng.expovariate(2), now + behind))
            if lease.holds(now + behind):
                asked.append(now)
        for sent in [one for one in there if one[0] <= now]:
            there.remove(sent)
            if leases.heard("w", epoch, now):
                back.append((now + rng.expovariate(2), sent[1]))
            else:
                assert over is not None
        if over is None and tick % 5 == 0 and leases.looked(now):
            over = now + leases.ended("w", now)
            assert not leases.current("w", epoch)
    assert over is None or all(now < over for now in asked)


def test_a_lease_is_kept_while_stamps_come_and_an_old_epoch_counts_for_nothing() -> None:
    leases = Leases(5.0)
    first = leases.grant("w", 0.0)
    for tick in range(100):
        now = tick * 0.5
        assert leases.heard("w", first, now) and leases.looked(now) == []
    second = leases.grant("w", 60.0)
    assert second > first and not leases.heard("w", first, 60.0) and leases.heard("w", second, 60.0)


def test_a_head_that_stood_still_gives_nobody_up() -> None:
    leases = Leases(5.0)
    epoch = leases.grant("w", 0.0)
    assert leases.looked(1000.0) == []  # one look, however late
    assert leases.heard("w", epoch, 1000.0)
    assert not any(leases.looked(1000.0 + tick * 0.5) for tick in range(1, TICKS))
    assert leases.looked(1100.0) == [] and leases.looked(1101.0) == ["w"]
    assert leases.ended("w", 1002.0) == 3.0 and leases.ended("w", 1002.0) == 0.0
