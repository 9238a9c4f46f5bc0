"""What the hunter knows of each link that waits, as numbers: where it was seen, by what words, and what became of links
like it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.core.model import Link, Page, host_of
from wolfspider.core.text import words_of
from wolfspider.learn.columns import Columns, NumberedColumns, Rows
from wolfspider.learn.each_once import each_once
from wolfspider.learn.hashed_counts import PLACES, HashedCounts, Places
from wolfspider.learn.word_odds import WordOdds
from wolfspider.policy.topic_words import Similarity
from wolfspider.strategies.hunter.traits import PARTS, TRAITS, Floats, figures_of

EDGES = 4  # links to one address that are looked at, those found first
ANCHOR, ADDRESS, SIDE = 6, 8, 6  # words of an anchor, of an address, and on either side of a link
PROBES = 2  # visits after which a host is no stranger any more
_SPREAD = 2_654_435_761  # odd, so that other counts lie elsewhere
NAMED, PROBED, GATE = range(1, 4)  # what else is counted: of hosts, of hosts, of shapes
HOSTS = 5  # new hosts that make a page a gate without reserve
_BEHIND = np.arange(SIDE)
_BEFORE = _BEHIND - SIDE
_DIGITS = re.compile(r"\d+")

Ids = NDArray[np.int64]


@helper
class LinkTraits:
    """The links that wait (and those taken since the last clearing), and where each was seen."""

    def __init__(self, off: str = "") -> None:
        self.hidden = [at for at, trait in enumerate(TRAITS) if trait.name in PARTS.get(off, ())]
        figures = ("depth", "near", "parents", "best_parent", "pages", "look", "best_look", "anchor", "context")
        own = ("address", "said", "away", "value", "yields", "score", "reward", "gate")
        self.links = NumberedColumns(
            **dict.fromkeys((*figures, *own), "f4"),
            **dict.fromkeys(("host", "folder", "shape", "from_host", "edge_count"), "i4"),
            taken="u1",
            stranger="u1",
            edges=f"{EDGES}i4",
            words=f"{ADDRESS}i4",
        )
        self.edges = Columns(sibling="i4", place="i4", page="i4", anchor=f"{ANCHOR}i4", context=f"{2 * SIDE}i4")
        self.edges.add(1)  # edge 0 is none
        self.counts = HashedCounts()
        self.words = WordOdds()
        self.usual = 0.05  # what a visit pays
        self.hosts = 0  # that links have named

    # Growing

    def enter(self, links: Sequence[Link], numbers: Sequence[int], like: Similarity, depth: float) -> Rows:
        """The rows of links, new ones for those that are new; -1 for those without a number."""
        first = len(self.links)
        rows = self.links.enter(numbers)
        fresh = np.flatnonzero(rows >= first)
        if not len(fresh):
            return rows
        new, table = rows[fresh], self.links
        hosts, folders, shapes, paths = zip(*(_named(links[at]) for at in fresh.tolist()), strict=True)
        for kind, names in (("host", hosts), ("folder", folders), ("shape", shapes)):
            table[kind][new] = self.counts.places(names)
        found, before = words_of(paths)
        table["words"][new] = self._first(found, before, ADDRESS)
        table["address"][new] = like.of_parts(found, before)
        table["depth"][new] = depth
        self._name(table["host"][new])
        return rows

    def _name(self, hosts: NDArray[np.int64]) -> None:
        places = each_once(_also(hosts, NAMED))
        places = places[self.counts.of(places)[0] == 0]
        self.counts.add(places, 0.0, False)
        self.hosts += len(places)

    def see(self, page: Page, at: Rows, rows: Rows, like: Similarity, row: int, reward: float, look: float) -> None:
        """A page shows links, of which those at these places of its own list have these rows. `row`: the page's own."""
        table, links = self.links, [page.links[place] for place in at.tolist()]
        found, before = words_of([link.anchor for link in page.links])
        anchors = np.array(like.of_parts(found, before))[at]
        host = self.counts.place(host_of(page.final_url))
        table["pages"][rows] += 1
        table["parents"][rows] += reward
        table["look"][rows] += look
        table["away"][rows] += table["host"][rows] != host
        table["from_host"][rows] = host
        contexts = np.array(like.of_contexts(page, 10, 10, before))[at]
        best: dict[str, Any] = {"best_parent": reward, "best_look": look, "anchor": anchors, "context": contexts}
        best |= {"said": anchors * reward, "near": max(reward, 0.5 * float(table["near"][row]) if row >= 0 else 0.0)}
        for name, value in best.items():
            table[name][rows] = np.maximum(table[name][rows], value)
        if row >= 0:
            table["depth"][rows] = np.minimum(table["depth"][rows], table["depth"][row] + 1)
        self._connect(page, links, rows, self._first(found, before, ANCHOR)[at], np.diff(before)[at])

    def _connect(self, page: Page, links: Sequence[Link], rows: Rows, anchors: Ids, sizes: Ids) -> None:
        """Keep where and with what words each link stands, if few of those to its address are known."""
        count = self.links["edge_count"][rows]
        few = np.flatnonzero(count < EDGES)
        if not len(few):
            return
        rows, links = rows[few], [links[place] for place in few.tolist()]
        host, place = host_of(page.final_url), self.counts.place
        paths = {link.path: _DIGITS.sub("0", link.path) for link in links}
        siblings = {path: place(f"{page.final_url} {plain}") for path, plain in paths.items()}
        places = {path: place(f"{host} {plain}") for path, plain in paths.items()}
        first = self.edges.add(
            len(few),
            sibling=[siblings[link.path] for link in links],
            place=[places[link.path] for link in links],
            page=place(f"{page.final_url} "),
            anchor=anchors[few],
            context=self._around(page, links, sizes[few]),
        )
        self.links["edges"][rows, count[few]] = np.arange(first, first + len(few))
        self.links["edge_count"][rows] += 1

    def _first(self, found: Sequence[str], before: Sequence[int], most: int) -> Ids:
        """The first words of texts as numbers, 0 where there are no more; the texts as `words_of` gives them."""
        start = np.array(before)
        at = start[:-1, np.newaxis] + np.arange(most)
        return self.words.ids_at(found, np.where(at < start[1:, np.newaxis], at, -1))

    def _around(self, page: Page, links: Sequence[Link], sizes: Ids) -> Ids:
        start = np.array([link.at for link in links])
        at = np.concatenate((start[:, np.newaxis] + _BEFORE, (start + sizes)[:, np.newaxis] + _BEHIND), axis=1)
        return self.words.ids_at(page.words, at)

    # Learning

    def learn(self, row: int, reward: float, failed: bool) -> None:
        """What became of a link that was taken."""
        table, edges = self.links, self.edges
        table["reward"][row] = reward
        self.usual = min(0.5, max(0.01, 0.99 * self.usual + 0.01 * reward))
        known = table["edges"][row, : table["edge_count"][row]]
        kinds = [table[kind][row] for kind in ("host", "folder", "shape")]
        kinds += [place for kind in ("sibling", "place", "page") for place in edges[kind][known].tolist()]
        self.counts.add(each_once(np.array(kinds, np.int64)), reward, failed)
        said = np.concatenate((table["words"][row], edges["anchor"][known[:3]].ravel())).astype(np.int64)
        self.words.add_link(said[said > 0], reward)

    # Scouting

    def probe(self, row: int) -> None:
        """A link is taken: its host is less of a stranger."""
        self.counts.add(_also(self.links["host"][[row]], PROBED), 0.0, False)

    def open_gate(self, row: int, hosts: int) -> None:
        """A page has named so many new hosts."""
        self.counts.add(_also(self.links["shape"][[row]], GATE), min(1.0, hosts / HOSTS), False)

    def look_out(self, rows: Rows) -> None:
        """Which of these links lead to strangers, and how many new hosts their pages will name."""
        links = self.links
        links["stranger"][rows] = self.counts.of(_also(links["host"][rows], PROBED))[0] < PROBES
        links["gate"][rows] = self.counts.mean(_also(links["shape"][rows], GATE), 0.0, 1.0)

    def avoid(self, rows: Rows) -> None:
        """No scout goes there."""
        self.links["stranger"][rows] = 0
        self.links["gate"][rows] = 0.0

    def scout(self, gates: bool) -> int:
        """The link to take to learn of other hosts: the best gate, or the best link to a stranger; -1 if none waits."""
        links = self.links
        wanted = links["gate"] >= 1 / HOSTS if gates else links["stranger"] > 0
        rows = np.flatnonzero(wanted & (links["taken"] == 0))
        while len(rows):
            worth = links["score"][rows] + (links["gate"][rows] if gates else 0.0)
            best = rows[np.argmax(worth)]
            self.look_out(rows[links["host"][rows] == links["host"][best]])
            if gates or links["stranger"][best]:
                return int(best)
            rows = rows[links["stranger"][rows] > 0]
        return -1

    # Traits

    def of(self, rows: Rows) -> Floats:
        """The traits of these links, a row for each."""
        traits = figures_of(rows, self.links, self.edges, self.counts.figures, self.usual, self.words)
        if self.hidden:
            traits[self.hidden] = 0.0
        return traits.T

    def waiting(self) -> Rows:
        return np.flatnonzero(self.links["taken"] == 0)

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Only these links wait; all others are forgotten."""
        self.links.keep_numbers(numbers)
        used = np.unique(self.links["edges"])
        used = np.concatenate(([0], used[used > 0]))
        place = np.zeros(len(self.edges), np.int64)
        place[used] = np.arange(len(used))
        self.edges.keep(used)
        self.links["edges"][:] = place[self.links["edges"]]

    def state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Self:
        made = cls()
        vars(made).update(state)
        return made


def _also(places: NDArray[Any], kind: int) -> Places:
    """Where another count of the same things is."""
    found: Places = (places.astype(np.int64) * _SPREAD + kind) & (PLACES - 1)
    return found


def _named(link: Link) -> tuple[str, str, str, str]:
    """The kinds that a link belongs to by its address (host, folder and shape), and its path as a text."""
    host = link.host
    path = link.url.partition("://")[2][len(host) :]
    address, asked, _ = path.partition("?")
    folder, slash, last = address.rpartition("/")
    depth = folder.count("/") + 2 if slash else 1
    first = folder.split("/", 2)[1] if depth > 2 else ""
    ending = _DIGITS.sub("0", last.rpartition(".")[2])[:8] if "." in last else ""
    marks = f"{bool(asked)} {_DIGITS.search(last) is not None} {not last}"
    return host, f"{host}{folder}/", f"{host} {depth} {first} {ending} {marks}", path.replace("_", " ")
