"""Both stores keep to the contract."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from wolfspider.core.events import Command
from wolfspider.store.base import Store
from wolfspider.store.in_memory import Volatile
from wolfspider.store.inbox import append_command
from wolfspider.store.sqlite import SqliteStore, create, open_run
from wolfspider.testing.durable_conformance import DURABLE_CHECKS
from wolfspider.testing.store_conformance import STORE_CHECKS


class Volatiles:
    def make(self) -> Store:
        return Volatile()

    def again(self, store: Store) -> Store:
        raise AssertionError("it cannot be opened again")

    def tell(self, store: Store, command: Command) -> None:
        assert isinstance(store, Volatile)
        store.inbox.append(command)


class Runs:
    """Stores in folders; a process that died is one whose handles are gone and whose transaction is undone."""

    def __init__(self, folder: Path, full: bool = False) -> None:
        self.folder, self.full = folder, full
        self.numbers = itertools.count()
        self.open: list[SqliteStore] = []

    def make(self) -> Store:
        store = create(self.folder / str(next(self.numbers)), {}, info={"software": "test"}, full=self.full)
        self.open.append(store)
        return store

    def again(self, store: Store) -> Store:
        assert isinstance(store, SqliteStore)
        store.close()
        self.open.remove(store)
        self.open.append(open_run(store.folder, full=self.full))
        return self.open[-1]

    def tell(self, store: Store, command: Command) -> None:
        assert isinstance(store, SqliteStore)
        append_command(store.folder, command, "test")


@contextlib.contextmanager
def closed_in_the_end(made: Runs) -> Iterator[Runs]:
    yield made
    for store in made.open:
        store.close()


@pytest.mark.parametrize("check", STORE_CHECKS)
def test_the_store_in_memory_keeps_to_the_contract(check: str) -> None:
    STORE_CHECKS[check](Volatiles())


@pytest.mark.parametrize("check", [*STORE_CHECKS, *DURABLE_CHECKS])
def test_the_store_of_a_run_keeps_to_the_contract(check: str, tmp_path: Path) -> None:
    with closed_in_the_end(Runs(tmp_path)) as runs:
        (STORE_CHECKS | DURABLE_CHECKS)[check](runs)


@pytest.mark.parametrize("check", ["committed_is_there", "uncommitted_is_not", "a_crawl_runs_on_it"])
def test_a_run_in_full_durability_keeps_to_it_too(check: str, tmp_path: Path) -> None:
    with closed_in_the_end(Runs(tmp_path, full=True)) as runs:
        (STORE_CHECKS | DURABLE_CHECKS)[check](runs)
