"""Commands of other processes take a small share of a crawl's time, also where it takes long to look for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from wolfspider.core.events import Command, SetLimit
from wolfspider.drivers.outside_commands import APART, LONGEST, OutsideCommands
from wolfspider.store.base import Store


class SlowInbox:
    """Of a store, what has to do with commands: a look takes so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.now, self.looks = seconds, 0.0, 0
        self.left: list[tuple[int, Command]] = []

    def timer(self) -> float:
        return self.now

    def ready(self) -> bool:
        return True

    def commit(self) -> None:
        pass

    def commands(self) -> Sequence[tuple[int, Command]]:
        self.now += self.seconds
        self.looks += 1
        found, self.left = self.left, []
        return found


def outside(inbox: SlowInbox) -> OutsideCommands:
    return OutsideCommands(cast(Store, inbox), cast(Any, None), inbox.timer)


@pytest.mark.parametrize("seconds", [2 * LONGEST, 1.0, 30.0])
def test_a_look_that_takes_long_is_followed_by_three_times_as_long_without_one(seconds: float) -> None:
    inbox = SlowInbox(seconds)
    others = outside(inbox)
    others.look()
    inbox.now += 0.9 * APART * seconds
    others.look()
    assert inbox.looks == 1
    inbox.now += 0.2 * APART * seconds
    others.look()
    assert inbox.looks == 2


def test_at_the_end_of_a_crawl_there_is_a_look_in_any_case() -> None:
    inbox = SlowInbox(5.0)
    others = outside(inbox)
    others.look()
    inbox.left = [(1, SetLimit("pages", 5))]
    assert others.look(last=True)


def test_a_look_that_takes_a_moment_puts_nothing_off() -> None:
    inbox = SlowInbox(LONGEST / 2)
    others = outside(inbox)
    for _ in range(5):
        others.look()
    assert inbox.looks == 5
