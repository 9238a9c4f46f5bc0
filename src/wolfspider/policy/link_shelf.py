"""Links kept with their texts outside of the structures that order them: the Shelf, and addresses as numbers."""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np

from wolfspider.core.codec import helper
from wolfspider.core.model import Link
from wolfspider.core.text import key_of
from wolfspider.policy.host_queues import Known


class Record(NamedTuple):
    link: Link
    source: str  # the page that showed it
    extra: Any  # what the strategy wants to remember with it; plain data


class Item(NamedTuple):
    """A link handed out by the frontier."""

    link: Link
    source: str
    extra: Any
    score: float
    number: int = -1


class Shelf:
    """Where links lie with their texts: here in memory, in a live crawl in a file of the run (store/shelf.py). It only
    grows; a resumed run cuts it to the length noted in the snapshot."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def put(self, record: Record) -> int:
        self._records.append(record)
        return len(self._records) - 1

    def get(self, place: int) -> Record:
        return self._records[place]

    def cut(self, length: int) -> None:
        del self._records[length:]

    def __len__(self) -> int:
        return len(self._records)


@helper
class Interned:
    """Addresses as numbers, counted from 0. The text of each lies on the shelf once; here an address takes 8 bytes for
    its place on the shelf and 18 to 36 in the table that finds its number."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.known = Known()
        self.places = array("Q")

    def __len__(self) -> int:
        return len(self.places)

    def number(self, link: Link, source: str = "") -> int:
        """The number of an address, a new one if it is new."""
        key = key_of(link.url)
        number = self.known.get(key)
        if number is None:
            number = len(self.places)
            self.known.put(key, number)
            self.places.append(self.shelf.put(Record(link, source, None)))
        return number

    def find(self, url: str) -> int | None:
        return self.known.get(key_of(url))

    def record(self, number: int) -> Record:
        """The link as it was first seen, and the page that showed it."""
        return self.shelf.get(self.places[number])

    def state(self) -> dict[str, Any]:
        keys, values = self.known.entries()
        order = np.argsort(values)  # where a key lies in the table depends on how it grew
        return {"keys": keys[order], "values": values[order], "places": self.places}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Interned:
        """The strategy that holds it gives it the shelf of the run again."""
        made = cls(Shelf())
        made.known.fill(state["keys"], state["values"])
        made.places = state["places"]
        return made
