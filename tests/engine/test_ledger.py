"""The documents that may still be sent: stored in columns, and as earlier versions stored them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.core.model import Link, Page, Sent, Verdict, Visit
from wolfspider.engine import sent_documents
from wolfspider.engine.ledger import Ledger
from wolfspider.engine.sent_documents import SentDocuments
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
    again.restore([], codec.load(*codec.store(ledger.sent.stored())))
    assert list(again.sent) == list(ledger.sent) and len(again.sent) == len(documents)


@given(DOCUMENTS)
def test_documents_come_back_from_a_snapshot_of_an_earlier_version(
    documents: list[tuple[str, str, float | None, Verdict | None]],
) -> None:
    ledger, again = kept(documents), Ledger(Reinforcer())
    again.restore([], codec.load(*codec.store(list(ledger.sent))))
    assert list(again.sent) == list(ledger.sent)


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_documents, "KEPT", 5)
    monkeypatch.setattr(sent_documents, "_MOST_STALE", 2)
    documents = SentDocuments()
    for number in range(20):
        documents.keep(Sent(number, "", f"http://a/{number}", "", None, Verdict(number / 20, number > 9)))
        for held in (documents, SentDocuments.restored(documents.stored())):
            newest = range(max(0, number - 4), number + 1)
            assert [(one.visit, one.url) for one in held] == [(visit, f"http://a/{visit}") for visit in newest]
            assert all(held.get(visit) is None for visit in range(newest[0]))
