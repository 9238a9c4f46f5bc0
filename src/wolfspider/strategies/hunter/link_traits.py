"""What the hunter knows of each link that waits, as numbers: where it was seen, by what words, and what became of links
like it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.codec import helper
from wolfspider.core.model import Link, Page, host_of
from wolfspider.core.text import words_of
from wolfspider.learn.columns import Columns, NumberedColumns, Rows
from wolfspider.learn.hashed_counts import PLACES, HashedCounts, Places, shrunk
from wolfspider.learn.logistic import log_odds
from wolfspider.learn.word_odds import WordOdds
from wolfspider.policy.topic_words import Similarity

EDGES = 4  # links to one address that are looked at, those found first
ANCHOR, ADDRESS, SIDE = 6, 8, 6  # words of an anchor, of an address, and on either side of a link
PROBES = 2  # visits after which a host is no stranger any more
_SPREAD = 2_654_435_761  # odd, so that other counts lie elsewhere
NAMED, PROBED, GATE = range(1, 4)  # what else is counted: of hosts, of hosts, of shapes
HOSTS = 5  # new hosts that make a page a gate without reserve
_BEHIND = np.arange(SIDE)
_BEFORE = _BEHIND - SIDE
_DIGITS = re.compile(r"\d+")

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Figures = dict[str, NDArray[Any]]


class Trait(NamedTuple):
    """A feature of a link, what it weighs before anything is learned, and how it is called in sentences."""

    name: str
    prior: float
    words: str


TRAITS = (
    Trait("bias", -3.0, "links in general"),
    Trait("words", 0.5, "the words of its anchor and address led to good pages"),
    Trait("best words", 0.3, "one of its anchors has words that led to good pages"),
    Trait("parent", 1.5, "the best page that links to it is good"),
    Trait("parents", 1.0, "the pages that link to it are good"),
    Trait("many parents", 0.3, "many good pages link to it"),
    Trait("in-links", 0.0, "many pages link to it"),
    Trait("anchor", 4.0, "its anchor has words of the topic"),
    Trait("context", 3.0, "the words around it are of the topic"),
    Trait("address", 3.0, "its address has words of the topic"),
    Trait("host", 0.5, "pages of its host were good"),
    Trait("new host", 1.0, "its host is little known"),
    Trait("folder", 0.3, "pages of its folder were good"),
    Trait("shape", 0.3, "pages with addresses of this shape were good"),
    Trait("siblings", 0.5, "links beside it on its pages led to good pages"),
    Trait("best siblings", 0.3, "on one of its pages links beside it led to good pages"),
    Trait("page", 0.3, "links of its pages led to good pages"),
    Trait("place", 0.3, "links in the same place of the host's pages led to good pages"),
    Trait("best place", 0.1, "one of the places it was found in led to good pages"),
    Trait("near", 0.3, "a good page is near"),
    Trait("depth", -4.0, "it is far from the starting points"),
    Trait("coverage", 0.3, "a page that links to it has the topic's words"),
    Trait("mean coverage", 0.3, "the pages that link to it have the topic's words"),
    Trait("anchor company", 0.5, "words of its anchor stand on good pages"),
    Trait("best company", 0.3, "words of one of its anchors stand on good pages"),
    Trait("context company", 0.5, "words around it stand on good pages"),
    Trait("address company", 0.3, "words of its address stand on good pages"),
    Trait("dead", -0.5, "addresses of this shape are dead"),
    Trait("another host", 0.0, "it leads to another host"),
    Trait("menu", 0.0, "many pages of a host have it, as a menu does"),
    Trait("anchor on a good page", 0.0, "a good page says words of the topic of it"),
    Trait("siblings on good pages", 0.0, "its pages are good, and links beside it led to good pages"),
    Trait("nearest text", 0.0, "some text of it has words of the topic"),
)
COUNT = len(TRAITS)
PRIOR = np.array([trait.prior for trait in TRAITS])
PARTS = {  # groups of traits that can be hidden, to see what they are worth
    "words": ("words", "best words", "anchor company", "best company", "context company", "address company"),
    "tallies": (
        *("host", "new host", "folder", "shape", "siblings", "best siblings", "page", "place", "best place"),
        *("dead", "menu", "siblings on good pages"),
    ),
}


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
        places = np.unique(_also(hosts, NAMED))
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
        ids, start = np.array([*self.words.ids(found), 0]), np.array(before)
        at = start[:-1, np.newaxis] + np.arange(most)
        return ids.take(np.where(at < start[1:, np.newaxis], at, -1), mode="wrap")

    def _around(self, page: Page, links: Sequence[Link], sizes: Ids) -> Ids:
        ids = np.array([0, *self.words.ids(page.words), 0])
        start = np.array([link.at for link in links]) + 1
        at = np.concatenate((start[:, np.newaxis] + _BEFORE, (start + sizes)[:, np.newaxis] + _BEHIND), axis=1)
        return ids.take(at, mode="clip")

    # Learning

    def learn(self, row: int, reward: float, failed: bool) -> None:
        """What became of a link that was taken."""
        table, edges = self.links, self.edges
        table["reward"][row] = reward
        self.usual = min(0.5, max(0.01, 0.99 * self.usual + 0.01 * reward))
        known = table["edges"][row, : table["edge_count"][row]]
        kinds = [table[kind][row] for kind in ("host", "folder", "shape")]
        kinds += [place for kind in ("sibling", "place", "page") for place in edges[kind][known].tolist()]
        self.counts.add(np.unique(np.array(kinds, np.int64)), reward, failed)
        said = [*table["words"][row].tolist(), *edges["anchor"][known[:3]].ravel().tolist()]
        self.words.add_link([word for word in said if word], reward)

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
        """The traits of these links, a row for each. All that is alike is worked out at once: for the few links of one
        page numpy's calls are what takes time."""
        table = {name: self.links[name].take(rows, axis=0) for name in _READ}
        slots = table["edges"].T
        there = slots > 0
        edges = slots[there]
        paid, visits, failures = self._paid(table, edges)
        said = self._said(table["words"], edges)
        mean, best = _over(there, [paid["sibling"], paid["place"], *said[2:4], paid["page"], said[4]])
        pages = np.maximum(1.0, table["pages"].astype(np.float64))
        parents = table["parents"] / pages
        anchor, context = np.minimum(table["anchor"], 0.6), np.minimum(table["context"], 0.4)
        address = np.minimum(table["address"], 0.6)
        found = {
            "bias": 1.0,
            "words": mean[2] + said[0],
            "best words": best[2] + said[0],
            "parent": table["best_parent"],
            "parents": parents,
            "many parents": np.log1p(table["parents"]) / 2,
            "in-links": np.log(pages) / 3,
            "anchor": anchor,
            "context": context,
            "address": address,
            "host": paid["host"],
            "new host": 1 / np.sqrt(1 + visits["host"]),
            "folder": paid["folder"],
            "shape": paid["shape"],
            "siblings": mean[0],
            "best siblings": best[0],
            "page": mean[4],
            "place": mean[1],
            "best place": best[1],
            "near": table["near"],
            "depth": table["depth"] / 10,
            "coverage": table["best_look"],
            "mean coverage": table["look"] / pages,
            "anchor company": mean[3],
            "best company": best[3],
            "context company": mean[5],
            "address company": said[1],
            "dead": log_odds(_within(0.01, (failures["shape"] + 0.4) / (visits["shape"] + 2), 0.99)) / 2,
            "another host": table["away"] / pages,
            "menu": np.minimum(1.0, pages / np.maximum(1.0, visits["from_host"])),
            "anchor on a good page": np.minimum(table["said"], 0.6),
            "siblings on good pages": mean[0] * parents,
            "nearest text": np.maximum(np.maximum(anchor, address), context),
        }
        traits = np.empty((COUNT, len(rows)))
        for figures, trait in zip(traits, TRAITS, strict=True):
            figures[:] = found[trait.name]
        traits[self.hidden] = 0.0
        return traits.T

    def _paid(self, table: Figures, edges: Rows) -> tuple[Figures, Figures, Figures]:
        """What links of the same kinds have paid, in log-odds against what is usual; the visits and the failures."""
        known = {kind: self.edges[kind].take(edges) for kind in ("page", "place", "sibling")}
        places = [(known | table)[kind] for kind in _KINDS]
        ends = list(accumulate(map(len, places)))
        part = {kind: slice(end - len(own), end) for kind, own, end in zip(_KINDS, places, ends, strict=True)}
        visits, reward, failures = self.counts.of(np.concatenate(places))
        first, second = slice(0, ends[2]), slice(ends[2], ends[5])
        means = shrunk(visits[first], reward[first], self.usual)
        expected = np.concatenate((means[part["host"]], means[part["host"]], means[part["page"]]))
        means = np.concatenate((means, shrunk(visits[second], reward[second], expected)))
        odds = (log_odds(_within(0.003, means, 0.997)) - float(log_odds(np.array(self.usual)))) / 2
        paid, tried, failed = ({kind: column[part[kind]] for kind in _KINDS} for column in (odds, visits, failures))
        return paid, tried, failed

    def _said(self, own: NDArray[np.int32], edges: Rows) -> list[Floats]:
        """What the words of addresses say, by links and by pages; then those of anchors, likewise; then those around
        the links."""
        anchors, contexts = (self.edges[name].take(edges, axis=0) for name in ("anchor", "context"))
        links, pages = self.words.links, self.words.pages
        led = [_within(-4, _sum(links, ids), 4) / 2 for ids in (own, anchors)]
        company = [_within(-3, _root_mean(pages, ids), 3) / 2 for ids in (own, anchors, contexts)]
        return [led[0], company[0], led[1], company[1], company[2]]

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


_READ = (
    *("parents", "best_parent", "pages", "look", "best_look", "anchor", "context", "address", "said", "away"),
    *("depth", "near", "host", "folder", "shape", "from_host", "edges", "words"),
)
# Of an address and of a link to it. The first three are compared with what is usual, then two with the host and one
# with the page; of the last only visits count.
_KINDS = ("host", "page", "place", "folder", "shape", "sibling", "from_host")


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


def _over(there: NDArray[np.bool_], values: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The means over the links to an address, and the best of them, of several figures of all these links."""
    figures = np.zeros((len(values), *there.shape))
    figures[:, there] = values
    best = np.where(there, figures, -9.0).max(axis=1)
    return figures.sum(axis=1) / np.maximum(1, there.sum(axis=0)), np.where(best > -9.0, best, 0.0)


def _within(low: float, values: Floats, high: float) -> Floats:
    """What np.clip does, quicker for few values."""
    found: Floats = np.minimum(np.maximum(values, low), high)
    return found


def _sum(odds: Floats, ids: NDArray[np.int32]) -> Floats:
    found: Floats = np.add.reduce(odds.take(ids.T), axis=0)
    return found


def _root_mean(odds: Floats, ids: NDArray[np.int32]) -> Floats:
    """The sum over words, of which more count for less."""
    found: Floats = _sum(odds, ids) / np.sqrt(np.maximum(1, np.add.reduce(ids.T > 0, axis=0, dtype=np.int64)))
    return found
