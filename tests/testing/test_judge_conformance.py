"""Every judge keeps to the contract, and every demand of it can be broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from wolfspider.core.model import Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import JUDGES, make_judge
from wolfspider.policy.judges.judge import Unlearning, verdict
from wolfspider.testing.demands import Violation
from wolfspider.testing.judge_conformance import JUDGE_CHECKS


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("rule", JUDGE_CHECKS)
def test_every_judge_conforms(name: str, rule: str) -> None:
    JUDGE_CHECKS[rule](lambda topic: make_judge(name, topic))


class Counts(Unlearning):
    """Likes every page a little more than the one before."""

    def __init__(self, topic: Topic) -> None:
        self.read = {"pages": 0}

    def score(self, page: Page) -> Verdict:
        self.read["pages"] += 1
        return verdict(self.read["pages"] / 1000, 0.5)

    def state(self) -> dict[str, Any]:
        return {"read": dict(self.read)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.read = dict(state["read"])


class Exaggerates(Unlearning):
    def score(self, page: Page) -> Verdict:
        return Verdict(float(len(page.words)), True)


class Divides(Unlearning):
    def score(self, page: Page) -> Verdict:
        return verdict(1 / len(page.words), 0.5)


class Together(Counts):
    """All of them count together."""

    everybody: ClassVar = {"pages": 0}

    def __init__(self, topic: Topic) -> None:
        self.read = self.everybody


class Forgets(Counts):
    def restore(self, state: Mapping[str, Any]) -> None:
        pass


class Shares(Counts):
    def state(self) -> dict[str, Any]:
        return {"read": self.read}


class Clings(Counts):
    def learned(self) -> dict[str, Any]:
        return {"judge": self}


BROKEN: dict[str, tuple[type[Unlearning], type[Exception]]] = {
    "verdicts_are_scores": (Exaggerates, Violation),
    "empty_pages_are_no_error": (Divides, ZeroDivisionError),
    "same_pages_same_verdicts": (Together, Violation),
    "goes_on_from_its_state": (Forgets, Violation),
    "a_state_is_a_copy": (Shares, Violation),
    "hands_on_what_it_learned": (Clings, TypeError),
}


@pytest.mark.parametrize("rule", JUDGE_CHECKS)
def test_every_demand_can_be_broken_by_itself(rule: str) -> None:
    kind, error = BROKEN[rule]
    with pytest.raises(error):
        JUDGE_CHECKS[rule](kind)  # type: ignore[arg-type]  # judges that are none
    JUDGE_CHECKS[rule](Counts)
