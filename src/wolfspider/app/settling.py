"""A run that nobody crawls at the moment, opened by its owner's rights: its crawl is recalled, but asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wolfspider.app import leaping
from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Settings
from wolfspider.core.events import EndReason
from wolfspider.engine.crawl import Crawl
from wolfspider.policy.room import Room
from wolfspider.store.base import Store
from wolfspider.store.repair.unlearning import Unlearned
from wolfspider.store.run_clock import clock_of
from wolfspider.store.sqlite import open_run
from wolfspider.store.view import RunView


class Recalled(NamedTuple):
    store: Store
    crawl: Crawl
    room: Room

    def snapshot(self, unlearn: Unlearned) -> None:
        self.store.snapshot(unlearn.out_of({"crawl": self.crawl.state(), "room": self.room.state()}))


@contextmanager
def recalled(folder: Path, settings: Settings, remark: Callable[[str], None]) -> Iterator[Recalled | None]:
    """None if the run has not begun. One that a crawl owns is refused (Busy)."""
    store = open_run(folder, remark=remark)
    try:
        hunt = Hunt(replace(settings, record=""), folder, remark=remark)  # there is nothing to record
        hunt.leaping = leaping.opened(settings, remark)
        found = hunt.recalled(store)
        yield None if found is None else Recalled(store, *found)
    finally:
        store.close()


def settle(
    folder: Path,
    settings: Settings,
    remark: Callable[[str], None],
    unlearn: Unlearned = Unlearned(),  # noqa: B008
) -> None:
    """Take a snapshot at the end of the journal, from which the run is resumed without any of its pages, and without
    what is to be unlearned."""
    with recalled(folder, settings, remark) as run:
        if run is not None:
            run.snapshot(unlearn)


def obey_waiting(folder: Path, settings: Settings, remark: Callable[[str], None]) -> int:
    """Obey the commands that wait, as the next session would before anything else, and leave the run as it had ended.
    How many there were."""
    ended, count = RunView(folder).ended, 0
    with recalled(folder, settings, remark) as run:
        if run is None:
            return 0
        store, crawl, _ = run
        now = max(clock_of(folder, idle=True).now(), crawl.now)
        while commands := store.commands():
            for number, command in commands:
                store.taking(number)
                crawl.command(command, now)
            count += len(commands)
            store.commit()
        if count:
            if ended is not None:
                crawl.end(EndReason(ended), crawl.now)
            store.commit()
            run.snapshot(Unlearned())
    return count
