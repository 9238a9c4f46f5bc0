"""The hunter: takes the link that promises most, by two models that learn from every page of the crawl.

One model says how probably a link leads to a good page, the other how good the links are that its page will show. Both
are logistic regressions over the traits of a link (traits.py), with weights set by hand before anything is
learned, so that the hunter begins as a Shark-Search would. They learn from traits as they were when a link was taken,
and everything that waits is rated again as they learn.

Until something pays, every other visit goes level by level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Link, Outcome, Page, Verdict, Visit, host_of
from wolfspider.core.params import param
from wolfspider.core.text import counts
from wolfspider.learn.columns import Columns, Rows
from wolfspider.learn.host_trust import HostTrust
from wolfspider.learn.logistic import Floats, fitted, shares, weighed
from wolfspider.learn.word_odds import WordOdds
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy, register
from wolfspider.strategies.hunter.link_traits import LinkTraits
from wolfspider.strategies.hunter.traits import COUNT, PARTS, PRIOR, TRAITS

FIRST = math.inf  # the score of a starting point
NEXT = 1e6  # the score of a link that is to be taken next
EXAMPLES = 3_000  # links taken that the models learn from, at most
SHOWN = 64  # links that a page was the first to show, of which the best three are its yield
RATED = 1_000  # of the best links are rated again often, the others less often as they become more
RATING = "rating"  # the part that rates links again while they wait
REFIT, REWORD, RERATE = 20, 25, 8  # outcomes between two fits, two looks at the words, two ratings
FULL = 500  # all links are rated again after one outcome for so many of them
MOST_LINKS = 1_000  # of a page
MOST_HOSTS = 1_000  # of the starting points are known to a run that learns from this one
WORDS = 500  # distinct words of a page that are learned from
SOON = 0.05  # weight of the last visit in what visits pay of late
SATED = 0.1  # of the scouts go out while visits pay well
WELL = 0.35  # that visits pay on the mean
SAID, NOTED = 8, 4  # traits that `explain` names of a link that waits, and of a visit
SENT = {  # why a link is to be taken next, whatever its score
    "level": "nothing has paid yet, and it is the best of those nearest to the starting points",
    "gate": "a scout: its page may name new hosts",
    "stranger": "a scout: its host is not known yet",
}
LITTLE = 0.05  # log-odds that are not worth telling
HEAVIEST = 1e6  # weight that was ever learned
CHUNK = 20_000  # links rated at once, so that what that needs for a moment stays small
_WORDS = {trait.name: trait.words for trait in TRAITS}


@dataclass
class HunterParams:
    showing: float = param(0.5, "Weight of what a page would show against what it is.", low=0, high=5)
    sharp: float = param(1.0, "Exponent of the odds that the judge gives a page.", low=0.1, high=10)
    trust: float = param(1.0, "How firmly the weights set by hand are held.", low=0.001, high=1000)
    spread: float = param(0.0, "How much a host with many good pages must give way to others.", low=0, high=5)
    scouting: float = param(
        0.5, "Share of visits that go to hosts not known yet, while little pays.", low=0, high=1, live=False, letter=0.0
    )
    doubt: float = param(
        0.001, "What the score of a link keeps if nobody vouches for its host.", low=0, high=1, letter=1.0
    )
    patience: int = param(1, "Good pages until which every other visit goes level by level.", low=0, high=100)
    off: str = param(
        "nothing", "A part to do without, to see what it is worth.", choices=("nothing", *PARTS, RATING), live=False
    )


@register
class Hunter(Strategy):
    name = "hunter"
    use = (
        "For most topics and webs, above all where good pages are few: it learns where they are. "
        "Not for budgets of a few dozen downloads, in which there is little to learn."
    )
    paper = "none: wolfspider's own"
    Params = HunterParams
    variants = ({}, {"spread": 0.5, "showing": 0.0, "patience": 0, "scouting": 0.0, "doubt": 1.0})
    params: HunterParams
    queues = True
    frontier: Frontier
    taught: tuple[Floats, Floats] | None = None  # weights that another run learned
    words: WordOdds | None = None  # likewise, until the crawl begins
    words_of: tuple[str, ...] | None = None  # the hosts where the run began that learned them, if it tells
    started: tuple[str, ...] = ()  # the hosts where this one began
    sent: Mapping[int, str] = MappingProxyType({})  # links that are to be taken next, and why

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.frontier = Frontier(self.shelf, self.cap)
        self.traits = LinkTraits(self.params.off)
        self.trust = HostTrust()
        self.value, self.yields = self.prior, self.yields_prior = self._priors()
        self.started = tuple(sorted({link.host for link in seeds}))[:MOST_HOSTS]
        if self.words is not None and (self.words_of is None or set(self.started) & set(self.words_of)):
            self.traits.words = self.words
        self.words = self.words_of = None
        self.examples = Columns(traits=f"{COUNT}f4", number="i8", reward="f4", known="u1", first="i8", shown="i4")
        self.forgotten = 0  # examples that are no longer there
        self.landed = self.paid = 0
        self.recent = 0.0  # what visits pay of late
        self.due = 0.0  # visits that scouts may make
        self.scouts = 0  # such visits so far
        self.rated = 0  # outcomes when all links were last rated
        for pages, reward in ((self.topic.liked, 1.0), (self.topic.disliked, 0.0)):
            for page in pages:
                self._read(page, reward)
        self._trust([host_of(page.final_url) for page in self.topic.liked])
        self.seeds(seeds)

    def _priors(self) -> tuple[Floats, Floats]:
        """Weights set by hand; with what another run learned, halfway to its weights: webs differ in what tells."""
        hand = (PRIOR, np.where(np.arange(COUNT) == 0, PRIOR, PRIOR / 2))
        value, yields = ((own + taught) / 2 for own, taught in zip(hand, self.taught or hand, strict=True))
        return value, yields

    def seeds(self, links: Sequence[Link]) -> None:
        numbers = self.frontier.extend(links, [FIRST] * len(links))
        rows = self.traits.enter(links, numbers, self._similarity, 0.0)
        self.traits.links["score"][rows[rows >= 0]] = FIRST
        self.frontier.assign([number for number in numbers if number >= 0], [FIRST] * sum(n >= 0 for n in numbers))
        self._trust([link.host for link in links])

    def _trust(self, hosts: Sequence[str]) -> None:
        """A person named these hosts, or a page of theirs."""
        if self.params.doubt < 1:
            self.trust.begin(np.array(self.traits.counts.places(hosts), np.int64))

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits = []
        while item := self.frontier.pop(room):
            row = self.traits.links.row(item.number)
            links = self.traits.links
            links["taken"][row] = 1
            if self.params.scouting:
                self.traits.probe(row)
            note: dict[str, Any] = {"example": -1, "number": item.number}
            if item.score < FIRST:
                traits = self.traits.of(np.array([row]))
                note["example"] = self.forgotten + self.examples.add(1, traits=traits)
                self.examples["number"][-1] = item.number
                note |= {"value": _figure(links["value"][row]), "yield": _figure(links["yields"][row])}
                note["moved"] = self._moves(traits[0], NOTED)
            if sent := self.sent.get(item.number):
                note["sent"] = sent
                self.sent = {number: why for number, why in self.sent.items() if number != item.number}
            visits.append(self.visit(item.link, source=item.source, note=note))
        return visits

    def observe(self, outcome: Outcome) -> None:
        page, verdict, note = outcome.page, outcome.verdict, outcome.visit.note
        row = self.traits.links.row(note["number"])
        self.landed += 1
        reward = self._reward(verdict) if page is not None and verdict is not None else 0.0
        woken = not self.paid and reward >= 0.5
        self.paid += reward >= 0.5
        if row >= 0:
            self.traits.learn(row, reward, page is None)
        fresh, hosts = np.zeros(0, np.int64), self.traits.hosts
        shown = (self.frontier.entered, 0)
        if page is not None and verdict is not None:
            self._read(page, reward)
            fresh = self._expand(page, note["number"], reward, _coverage(verdict))
            shown = (shown[0], self.frontier.entered - shown[0])
        if self.params.scouting:
            self._mind(note["number"], reward, self.traits.hosts - hosts)
        self._remember(note["example"] - self.forgotten, reward, *shown)
        self._learn(fresh, woken)

    def _reward(self, verdict: Verdict) -> float:
        score = verdict.score
        if not 0 < score < 1 or self.params.sharp == 1:
            return score
        odds = (score / (1 - score)) ** self.params.sharp
        return float(odds / (1 + odds)) if odds < math.inf else 1.0

    def _read(self, page: Page, reward: float) -> None:
        words = self.traits.words
        words.add_page(words.ids(list(islice(counts(page), WORDS))), reward)

    def _remember(self, example: int, reward: float, first: int, shown: int) -> None:
        if example >= 0:
            for name, value in (("reward", reward), ("known", 1), ("first", first), ("shown", min(shown, SHOWN))):
                self.examples[name][example] = value
        if len(self.examples) > 2 * EXAMPLES:
            self.forgotten += len(self.examples) - EXAMPLES
            self.examples.keep(np.arange(len(self.examples) - EXAMPLES, len(self.examples)))

    def _expand(self, page: Page, number: int, reward: float, look: float) -> Rows:
        """The links of a page join those that wait. `number`: its own."""
        row = self.traits.links.row(number)
        links = page.links[:MOST_LINKS]
        before = len(self.frontier.numbers)
        found = np.array(self.frontier.extend(links, [0.0] * len(links), page.final_url), np.int64)
        if len(self.frontier.numbers) < before:  # the worst were thrown away
            kept = self.frontier.kept()
            self.traits.keep(kept)
            found = np.where(np.isin(found, kept), found, -1)
            row = self.traits.links.row(number)
        firsts: dict[int, int] = {}
        for place, one in enumerate(found.tolist()):
            firsts.setdefault(one, place)
        firsts.pop(-1, None)
        at = np.array(list(firsts.values()), np.int64)
        depth = float(self.traits.links["depth"][row]) + 1 if row >= 0 else 1.0
        rows = self.traits.enter([links[place] for place in at.tolist()], found[at].tolist(), self._similarity, depth)
        at, rows = at[rows >= 0], rows[rows >= 0]
        if len(rows):
            self.traits.see(page, at, rows, self._similarity, row, reward, look)
        if self.params.doubt < 1:
            self._vouch(page, row, rows)
        return rows

    def _vouch(self, page: Page, row: int, rows: Rows) -> None:
        """The host of a page names those of its links; one that sends its visitors on names where they come to."""
        links, here = self.traits.links, self.traits.counts.place(host_of(page.final_url))
        if row >= 0 and links["host"][row] != here:
            self.trust.name(int(links["host"][row]), np.array([here]))
        self.trust.name(here, links["host"][rows].astype(np.int64))

    # Learning and rating

    def _learn(self, fresh: Rows, woken: bool) -> None:
        every = max(1, len(self.examples) // 1_000)
        if self.landed % (REWORD * every) == 0 or woken:
            self.traits.words.learn()
        if self.landed % (REFIT * every) == 0:
            self._fit()
        self._rate_again(fresh, woken)
        if self.paid < self.params.patience and self.landed % 2:
            self._level_by_level()
        if self.due >= 1:
            self._send_scout()

    def _fit(self) -> None:
        known = np.flatnonzero(self.examples["known"])[-EXAMPLES:]
        if not len(known):
            return
        traits = self.examples["traits"][known].astype(np.float64)
        precision = np.full(COUNT, self.params.trust)
        precision[0] *= 0.05
        rewards = self.examples["reward"][known].astype(np.float64)
        self.value = fitted(traits, rewards, self.prior, precision, self.value)
        if self.params.showing:
            self.yields = fitted(traits, self._yields(known), self.yields_prior, precision, self.yields)

    def _yields(self, examples: Rows) -> Floats:
        """The mean value of the best three links that each page was the first to show: what they paid, or promise."""
        links, column = self.traits.links, np.arange(SHOWN)
        numbers = self.examples["first"][examples][:, np.newaxis] + column
        rows = links.rows(np.where(column < self.examples["shown"][examples][:, np.newaxis], numbers, -1))
        worth = np.where(links["taken"] > 0, links["reward"], links["value"])
        found = np.where(rows >= 0, worth[rows], 0.0)
        best: Floats = np.sort(found, axis=1)[:, -3:].sum(axis=1, dtype=np.float64) / 3
        return best

    def _rate_again(self, fresh: Rows, woken: bool) -> None:
        count, fresh = len(self.frontier), self._rated(fresh)
        if self.params.off == RATING:
            self._rate(fresh)
        elif woken or (self.landed % RERATE == 0 and (self.landed - self.rated) * FULL >= count):
            self.rated, self.sent = self.landed, {}
            self._rate(self._rated(self.traits.waiting()))
        elif self.landed % (RERATE * (1 + count // 50_000)) == 0:
            waiting = best = self._rated(self.traits.waiting())
            if len(waiting) > 2 * RATED:
                score = self.traits.links["score"][waiting]
                best = waiting[np.argpartition(score, len(score) - RATED)[-RATED:]]
            self._rate(np.union1d(best, fresh))
        else:
            self._rate(fresh)

    def _rated(self, rows: Rows) -> Rows:
        """Of these links those that are rated: starting points come before all."""
        return rows[self.traits.links["score"][rows] < FIRST]

    def _rate(self, rows: Rows) -> None:
        links = self.traits.links
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK]
            traits = self.traits.of(part)
            value, yields = shares(np.stack((weighed(traits, self.value), weighed(traits, self.yields))))
            links["value"][part], links["yields"][part] = value, yields
            score = value + self.params.showing * yields
            if self.params.spread:
                paid = self.traits.counts.of(links["host"][part])[1]
                score = score - self.params.spread * 0.1 * np.log1p(paid)
            if self.params.scouting:
                self.traits.look_out(part)
            if self.params.doubt < 1:
                doubted = ~self.trust.of(links["host"][part])
                score = np.where(doubted, self.params.doubt * score, score)
                self.traits.avoid(part[doubted])
            links["score"][part] = np.round(score, 6)
        self.frontier.assign(links["number"][rows], links["score"][rows].astype(np.float64))
        if self.sent:
            again = np.isin([*self.sent], links["number"][rows]).tolist()
            self.sent = {one: why for (one, why), rated in zip(self.sent.items(), again, strict=True) if not rated}

    def _level_by_level(self) -> None:
        """The best of the links nearest to the starting points is to be taken next."""
        rows = self._rated(self.traits.waiting())
        if len(rows):
            links = self.traits.links
            near = rows[links["depth"][rows] == links["depth"][rows].min()]
            self._send(int(near[np.argmax(links["score"][near])]), "level")

    def _send(self, row: int, why: str) -> None:
        """This link is to be taken next."""
        number = int(self.traits.links["number"][row])
        self.frontier.assign([number], [NEXT])
        self.sent = {**self.sent, number: why}

    def _mind(self, number: int, reward: float, hosts: int) -> None:
        """Scouts may go out, the more the less was paid of late. A page named so many new hosts."""
        row = self.traits.links.row(number)
        if row >= 0:
            self.traits.open_gate(row, hosts)
        self.recent += SOON * (reward - self.recent)
        self.due += self.params.scouting * max(SATED, 1 - self.recent / WELL)

    def _send_scout(self) -> None:
        """The best gate to other hosts, or the best link to a stranger, by turns, is to be taken next."""
        self.due -= 1
        self.scouts += 1
        gates = bool(self.scouts % 2)
        row = self.traits.scout(gates)
        if row < 0:
            gates = not gates
            row = self.traits.scout(gates)
        if row >= 0:
            self._send(row, "gate" if gates else "stranger")

    # From run to run

    def learned(self) -> dict[str, Any]:
        keywords = list(self.topic.keywords)
        weights = {"names": [trait.name for trait in TRAITS], "value": self.value, "yields": self.yields}
        return {"topic": keywords, "words": self.traits.words, "hosts": list(self.started), **weights}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """Weights of traits from any run. What it learned of words only from one for the same topic that began at one
        of the same hosts: words of another web mislead."""
        words, weights = learned.get("words"), (learned.get("value"), learned.get("yields"))
        if learned.get("names") == [trait.name for trait in TRAITS]:
            _check_sound(all(map(_are_weights, weights)))
            self.taught = (learned["value"], learned["yields"])
        if self._is_for_topic(learned) and isinstance(words, WordOdds):
            hosts = learned.get("hosts")  # earlier versions did not tell
            _check_sound(words.is_sound() and (hosts is None or isinstance(hosts, list | tuple)))
            self.words, self.words_of = words, None if hosts is None else tuple(map(str, hosts))

    # People

    def judged(self, page: Page, verdict: Verdict) -> None:
        self._read(page, verdict.score)
        if verdict.relevant:
            self._trust([host_of(page.final_url)])

    def report(self) -> dict[str, Any]:
        return super().report() | {"paid": self.paid, "usual": round(self.traits.usual, 3)}

    def explain(self, url: str) -> dict[str, Any]:
        """The traits that moved the link most, up or down, against a link without any."""
        told = super().explain(url)
        item = self.frontier.find(url)
        row = self.traits.links.row(item.number) if item else -1
        if row < 0:
            return told
        up, down = _in_words(self._moves(self.traits.of(np.array([row]))[0], SAID))
        links = self.traits.links
        value, yields = _figure(links["value"][row]), _figure(links["yields"][row])
        if self.params.showing * yields > value:
            up.append("most of its score is for the good links that its page may show")
        if item is not None and (sent := self.sent.get(item.number)):
            up.insert(0, SENT[sent])
        if self.params.doubt < 1 and not self.trust.of(links["host"][[row]])[0]:
            down.append("no host that is trusted vouches for its host, so it comes last")
        return told | {"parts": {"value": value, "yield": yields}, "up": up, "down": down}

    def _moves(self, traits: Floats, most: int) -> dict[str, list[float]]:
        """The traits of a link that moved it most against one without any: how far each goes, and what it brought."""
        moves = traits * self.value
        order = [at for at in np.argsort(-np.abs(moves), kind="stable")[: most + 1].tolist() if at]
        told = ((TRAITS[at].name, round(float(traits[at]), 2), round(float(moves[at]), 2)) for at in order[:most])
        return {name: [figure, move] for name, figure, move in told if abs(move) >= LITTLE}

    @classmethod
    def read_note(cls, note: Mapping[str, Any]) -> dict[str, Any]:
        worth = {name: note[name] for name in ("value", "yield") if name in note} or {"seed": True}
        up, down = _in_words(note.get("moved", {}))
        sent = [words for why, words in SENT.items() if why == note.get("sent")]
        return {"worth": worth, "up": [*sent, *up], "down": down}


def _are_weights(given: object) -> bool:
    if not isinstance(given, np.ndarray) or given.shape != (COUNT,) or given.dtype.kind != "f":
        return False
    return bool(np.all(np.abs(given) <= HEAVIEST))


def _check_sound(sound: bool) -> None:
    if not sound:
        raise BadInput("What the run of --learned-from has learned is damaged, so nothing can begin with it.")


def _in_words(moves: Mapping[str, Sequence[float]]) -> tuple[list[str], list[str]]:
    """What moved a link up, and what down."""
    known = [(_WORDS[name], figure, move) for name, (figure, move) in moves.items() if name in _WORDS]
    said = [(words if figure > 0 else f"not so: {words}", move) for words, figure, move in known]
    up, down = ([f"{words} ({move:+.2f})" for words, move in said if move * sign > 0] for sign in (1, -1))
    return up, down


def _figure(value: Any) -> float:
    return round(float(value), 6)


def _coverage(verdict: Verdict) -> float:
    """How much of the topic the page says itself, where the judge tells that apart."""
    said = verdict.evidence.get("coverage")
    return float(said) if isinstance(said, int | float) else verdict.score
