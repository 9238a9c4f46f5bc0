"""Commands of other processes on their way to a crawl: obeyed between turns, a few at a time.

A turn obeys a few of them. If more wait, the crawl then has three times as long to itself as these took, so that a
flood of commands takes a quarter of its time at most. The same holds for a look that takes long, because of what others
wrote there. How many commands may wait is the business of the store.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

from wolfspider.core.events import Command
from wolfspider.engine.crawl import Crawl
from wolfspider.store.base import Store

MOST = 50  # in a turn
LONGEST = 0.05  # seconds of a turn
APART = 3  # times as long as it took to obey some, before the next are obeyed


class OutsideCommands:
    def __init__(self, store: Store, crawl: Crawl, timer: Callable[[], float] = time.perf_counter) -> None:
        self._store, self._crawl, self._timer = store, crawl, timer
        self._waiting: deque[tuple[int, Command]] = deque()
        self._begin = -math.inf  # when the next ones may be obeyed
        self._look = -math.inf  # when there may be another look, by the timer

    def look(self, last: bool = False) -> bool:
        """Are there any, to be obeyed in the next turn? What the store refused is answered at once, or the store would
        be held until then. `last`: the crawl is over, so that nothing is to be waited for."""
        began = self._timer()
        if not self._waiting and (last or (began >= self._look and self._store.ready())):
            self._waiting.extend(self._store.commands())
            self._store.commit()
            spent = self._timer() - began
            self._look = began + spent + APART * spent if spent > LONGEST else began
        if last:
            self._begin = -math.inf
        return bool(self._waiting)

    def obey(self, now: float) -> None:
        if now < self._begin:
            return
        began, spent = self._timer(), 0.0
        for _ in range(min(MOST, len(self._waiting))):
            number, command = self._waiting.popleft()
            self._store.taking(number)
            self._crawl.command(command, now)
            if (spent := self._timer() - began) >= LONGEST:
                break
        self._begin = now + spent + APART * spent

    def next(self) -> float:
        """When there is something to obey."""
        return self._begin if self._waiting else math.inf
