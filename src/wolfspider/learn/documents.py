"""A documents base: the relevance and the energy of each document, and where its links lead.

Documents and addresses are numbers. All links of all documents lie in two long arrays, five bytes for each link: the
address, and how near its context is to the topic, in 255 levels. So an agent can walk through known documents without a
visit, and the base of a large crawl is stored as it is.
"""

from __future__ import annotations

import random
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp

from wolfspider.core.codec import StoredFields, helper
from wolfspider.learn.lottery import Lottery

UNKNOWN, DEAD = -1, -2
MOST_LINKS = 1_000  # of a document
EVEN = 1e-3  # the least weight of a document as a place to begin at
LEVELS = 255


@lru_cache(maxsize=4)
def chances(beta: float) -> tuple[float, ...]:
    """exp(beta similarity) for each level, over that of the highest: finite for any beta."""
    return tuple(exp(beta * (level / LEVELS - 1)) for level in range(LEVELS + 1))


@helper
class DocumentsBase(StoredFields):
    def __init__(self) -> None:
        self.status = array("i")  # of each address: its document, or UNKNOWN or DEAD
        self.addresses = array("I")  # of each document
        self.relevances = array("f")
        self.energies = array("d")  # of each document; below 0 it is no remnant
        self.remnants = Lottery()
        self.ends = array("Q")  # where the links of each document end
        self.links = array("I")
        self.near = array("B")
        self.open = Lottery()  # weights of the documents as places to begin at; 0 once all links were followed
        self.aside: dict[int, int] = {}  # addresses out of scope, which count as DEAD, and their status before that
        self.shut: dict[int, float] = {}  # documents that lost their worth as a place to begin at since then

    def __len__(self) -> int:
        return len(self.addresses)

    def grow(self, addresses: int) -> None:
        """Make room for so many addresses."""
        self.status.extend([UNKNOWN] * (addresses - len(self.status)))

    def put(self, address: int, relevance: float, links: Sequence[int], near: Sequence[float]) -> int:
        """One more document, without energy yet."""
        document = len(self)
        self.status[address] = document
        self.addresses.append(address)
        self.relevances.append(relevance)
        self.energies.append(0.0)
        self.remnants.append(0.0)
        self.links.extend(links)
        self.near.extend(min(LEVELS, max(0, round(LEVELS * one))) for one in near)
        self.ends.append(len(self.links))
        self.open.append(0.0)
        return document

    def charge(self, document: int, energy: float) -> None:
        """Set the energy of a document."""
        self.energies[document] = energy
        self.remnants[document] = max(0.0, energy)

    def places(self, document: int) -> range:
        """The indices of its links."""
        return range(self.ends[document - 1] if document else 0, self.ends[document])

    def showing(self, place: int) -> int:
        """The document that the link with this index belongs to."""
        return bisect_right(self.ends, place)

    def follow(
        self, document: int, rng: random.Random, beta: float, may: Callable[[int], float] | None = None
    ) -> int | None:
        """An address that the document links to, drawn at random: the nearer its context, the likelier. Addresses that
        failed are left out; `may` says how many times as likely each other one is, 0 for one not to be chosen."""
        table, status, places = chances(beta), self.status, self.places(document)
        links = self.links[places.start : places.stop]
        levels = self.near[places.start : places.stop]
        sums = [
            *accumulate(
                0.0 if status[link] == DEAD else table[level] if may is None else table[level] * may(link)
                for link, level in zip(links, levels, strict=True)
            )
        ]
        if not sums or not sums[-1] > 0:
            return None
        last = bisect_left(sums, sums[-1])  # of those with a chance, should the product be rounded up
        return links[min(last, bisect_right(sums, rng.random() * sums[-1]))]

    def untried(self, rng: random.Random, beta: float, out: Callable[[int], bool]) -> tuple[int, int] | None:
        """A document to begin at, and one of its links that no agent has followed. A document without such a link is
        no longer a place to begin at, so that each is looked at in vain at most once."""
        status = self.status
        while (document := self.open.draw(rng)) is not None:
            link = self.follow(document, rng, beta, lambda link: status[link] == UNKNOWN and not out(link))
            if link is not None:
                return document, link
            if self.aside:
                self.shut[document] = self.open[document]
            self.open[document] = 0.0
        return None

    def known(self, address: int) -> int:
        """The document of an address, also while it is set aside; below 0 if there is none."""
        return self.aside.get(address, DEAD) if self.status[address] == DEAD else self.status[address]

    def set_aside(self, address: int) -> None:
        """No agent goes to this address as long as it is out of scope."""
        document = self.aside.setdefault(address, self.status[address])
        self.status[address] = DEAD
        if document >= 0 and self.addresses[document] == address:
            self.remnants[document] = 0.0

    def bring_back(self) -> list[int]:
        """Undo `set_aside` for all addresses, and return them."""
        found, self.aside = self.aside, {}
        for address, status in found.items():
            if self.status[address] == DEAD:  # no visit that was out has brought it since
                self.status[address] = status
            if status >= 0:
                self.charge(status, self.energies[status])
        for document, worth in self.shut.items():
            self.open[document] = worth
        self.shut = {}
        return list(found)

    def unlearn(self) -> None:
        """The topic is another one: forget energies and nearness."""
        self.energies = array("d", bytes(8 * len(self)))
        self.remnants.clear()
        self.near = array("B", bytes(len(self.near)))
        self.open = Lottery(EVEN if self.open[document] else 0.0 for document in range(len(self)))

    def revive(self) -> None:
        """Addresses that failed in an earlier crawl may be visited again."""
        self.bring_back()
        self.status = array("i", (UNKNOWN if one == DEAD else one for one in self.status))
        self.open = Lottery(self.open[document] or EVEN for document in range(len(self)))
