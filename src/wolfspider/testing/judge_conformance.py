"""The conformance suite for judges: what every one of them must hold, whoever wrote it.

    for name, check in JUDGE_CHECKS.items(): check(make)        # make(topic) gives a judge; raises Violation

As in the suite for strategies, the documentation of a check says what is demanded, then what to do where it is broken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wolfspider.core import codec
from wolfspider.core.model import Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.policy.judges.judge import Judge
from wolfspider.testing.demands import demand
from wolfspider.testing.sketch import TOPIC, Sketch

Make = Callable[[Topic], Judge]


def _pages() -> list[Page]:
    sketch = Sketch()
    fetches = (sketch.look(sketch.address(number), 0.0) for number in range(60))
    return [fetch.page for fetch in fetches if fetch.page is not None]


def _verdicts(judge: Judge, pages: Sequence[Page]) -> list[Any]:
    return [codec.plain(judge.score(page)) for page in pages]


def verdicts_are_scores(make: Make) -> None:
    """Every page gets a Verdict: a score from 0 to 1, relevant or not, and evidence in plain data.

    `wolfspider.verdict(raw, border, ...)` makes one of any raw value and the border from which on a page is relevant.
    """
    judge = make(TOPIC)
    for page in _pages():
        said = judge.score(page)
        demand(isinstance(said, Verdict), f"score(page) returned {type(said).__name__}")
        demand(0 <= said.score <= 1 and isinstance(said.relevant, bool), f"it says {said} of {page.url}")
        demand(isinstance(said.evidence, Mapping), f"the evidence is no dict but {type(said.evidence).__name__}")
        json.dumps(codec.plain(said), allow_nan=False)


def empty_pages_are_no_error(make: Make) -> None:
    """A page without words or links, a topic without keywords, and one of liked pages alone are judged like others.

    Divide by `max(1, ...)`, and expect any tuple of the page and the topic to be empty."""
    empty = Page("http://host0.test/", "http://host0.test/")
    for topic in (TOPIC, Topic(), Topic(description="?"), Topic(liked=(empty, *_pages()[:2]), disliked=(empty,))):
        _verdicts(make(topic), [empty, *_pages()[:3]])


def same_pages_same_verdicts(make: Make) -> None:
    """The same pages in the same order get the same verdicts from another judge of the same topic.

    Use no clock, no random numbers, no global or class variable that changes, and never the order of a set."""
    demand(_verdicts(make(TOPIC), _pages()) == _verdicts(make(TOPIC), _pages()), "the second judge says other things")


def goes_on_from_its_state(make: Make) -> None:
    """A judge that is stored and restored in the middle of a crawl goes on as if it had never stopped.

    `state` returns all that changes with the pages, as plain data, and `restore` takes it back. A judge that learns
    nothing has both if it extends `wolfspider.Unlearning`."""
    first, second, pages = make(TOPIC), make(TOPIC), _pages()
    _verdicts(first, pages[:20])
    first.learn(pages[0], True)
    first.learn(pages[1], False)
    second.restore(codec.load(*codec.store(first.state())))
    demand(
        _verdicts(first, pages[20:]) == _verdicts(second, pages[20:]), "the judge that was restored says other things"
    )


def a_state_is_a_copy(make: Make) -> None:
    """What `state` returned does not change when the judge reads on.

    Return copies of lists, dicts and arrays."""
    judge, pages = make(TOPIC), _pages()
    _verdicts(judge, pages[:20])
    state = judge.state()
    before = codec.store(state)
    _verdicts(judge, pages[20:])
    judge.learn(pages[0], True)
    demand(codec.store(state) == before, "the state changed after it was taken")


def hands_on_what_it_learned(make: Make) -> None:
    """Another run, of this or another topic, may start from what it learned.

    `learned` returns plain data, and `inherit` takes it or leaves it."""
    judge = make(TOPIC)
    _verdicts(judge, _pages())
    learned = codec.load(*codec.store(judge.learned()))
    for topic in (TOPIC, Topic(("car",))):
        heir = make(topic)
        heir.inherit(learned)
        _verdicts(heir, _pages()[:5])


JUDGE_CHECKS: dict[str, Callable[[Make], None]] = {
    check.__name__: check
    for check in (
        verdicts_are_scores,
        empty_pages_are_no_error,
        same_pages_same_verdicts,
        goes_on_from_its_state,
        a_state_is_a_copy,
        hands_on_what_it_learned,
    )
}
