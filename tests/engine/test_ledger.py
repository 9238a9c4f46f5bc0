"""The documents that may still be sent: stored in columns, and as earlier versions stored them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.core.model import Link, Page, Verdict, Visit
from wolfspider.engine.ledger import Ledger
from wolfspider.policy.reinforcer import Reinforcer

VERDICTS = st.none() | st.builds(Verdict, st.floats(0, 1), st.booleans(), st.just({"words": ["silk"]}))
DOCUMENTS = st.lists(
    st.tuples(st.text(max_size=9), st.text(max_size=9), st.none() | st.floats(-1e9, 1e12), VERDICTS), max_size=9
)


def kept(documents: list[tuple[str, str, float | None, Verdict | None]]) -> Ledger:
    ledger = Ledger(Reinforcer())
    for number, (agent, url, published, verdict) in enumerate(documents):
        page = Page(url, url, "", (), (), 0, f"digest {number}", published=published)
        ledger.remember(Visit(number, Link(url), agent), page, verdict)
    return ledger


@given(DOCUMENTS)
def test_documents_come_back_from_their_columns(documents: list[tuple[str, str, float | None, Verdict | None]]) -> None:
    ledger, again = kept(documents), Ledger(Reinforcer())
    again.restore([], codec.load(*codec.store(ledger.documents())))
    assert again.sent == ledger.sent and list(again.sent) == list(ledger.sent)


@given(DOCUMENTS)
def test_documents_come_back_from_a_snapshot_of_an_earlier_version(
    documents: list[tuple[str, str, float | None, Verdict | None]],
) -> None:
    ledger, again = kept(documents), Ledger(Reinforcer())
    again.restore([], codec.load(*codec.store(list(ledger.sent.values()))))
    assert again.sent == ledger.sent
