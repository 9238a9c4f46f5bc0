"""The reinforcing agent: who is paid for what."""

from __future__ import annotations

import pytest

from wolfspider.core.model import Sent, Verdict
from wolfspider.policy.reinforcer import Reinforcer, Terms

GOOD, BAD = Verdict(0.9, True), Verdict(0.1, False)


def sent(number: int = 0, published: float | None = 0.0, verdict: Verdict | None = GOOD, digest: str = "") -> Sent:
    return Sent(number, "ann", f"http://a.test/{number}", digest, published, verdict)


def test_twenty_sent_and_one_relevant_earn_eighty() -> None:
    fresh = Reinforcer(Terms())
    credits = [credit for n in range(20) for credit in fresh.submit(sent(n, verdict=GOOD if n == 0 else BAD), 0.0)]
    assert sum(credit.value for credit in credits) == 80.0


@pytest.mark.parametrize(
    ("terms", "document", "reason"),
    [
        (Terms(), sent(), "new"),
        (Terms(), sent(published=-25 * 3600.0), "old"),
        (Terms(), sent(published=None), "new"),
        (Terms(), sent(verdict=BAD), "irrelevant"),
        (Terms(), sent(verdict=None), "irrelevant"),
        (Terms(pays="new+fresh"), sent(verdict=BAD), "new"),
        (Terms(pays="new+relevant"), sent(published=-1e9), "new"),
    ],
)
def test_what_is_paid(terms: Terms, document: Sent, reason: str) -> None:
    (credit,) = Reinforcer(terms).submit(document, 0.0)
    assert credit.reason == reason and credit.value == (99.0 if reason == "new" else -1.0)


def test_the_cost_may_be_for_the_refused_alone() -> None:
    agent = Reinforcer(Terms(charge="refused"))
    assert [agent.submit(sent(), 0.0)[0].value for _ in range(2)] == [100.0, -1.0]


def test_changed_content_is_new_only_where_content_counts() -> None:
    for key, reason in (("url", "known"), ("url+content", "new")):
        agent = Reinforcer(Terms(key=key))
        agent.submit(sent(digest="1"), 0.0)
        assert agent.submit(sent(digest="2"), 0.0)[0].reason == reason


def test_it_remembers_across_a_restart() -> None:
    agent = Reinforcer(Terms(delay=3.0))
    assert agent.submit(sent(), 1.0)[0].at == 4.0
    again = Reinforcer()
    again.restore(agent.state())
    assert again.submit(sent(), 9.0)[0].reason == "known" and again.terms == agent.terms
