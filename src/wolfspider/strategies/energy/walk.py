"""What an agent does: choose where to go, go there, live on what is there, and multiply or die of it.

A known document needs no visit: an agent that goes there is there at once. So its turn lasts until it needs a page that
no agent has brought yet, or dies; an agent that wants a page in flight waits for it. Turns go in rounds, each in a new
random order. The work for a visit grows with the logarithm of the number of documents, and does not depend on how many
agents there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from wolfspider.core.model import Link, Outcome, Visit
from wolfspider.core.text import words
from wolfspider.learn.documents import DEAD
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import register
from wolfspider.strategies.energy.herd import NOWHERE, Agent, brood
from wolfspider.strategies.energy.knowledge import GAUGE, MOST_AGENTS, MOST_TAUGHT, Knowing

MOST_WORDS = 50  # that an agent has weights for, the newest ones; and of an anchor
STRONGEST = 3.0  # a weight, and the sum of those of an anchor
WALK = 100  # moves through known documents after which an agent is lost, and restarts at a link nobody has followed


@register
class Energy(Knowing):
    name = "energy"
    use = (
        "For large webs whose topic lies in several places: agents gather where it is. Not for small budgets and "
        "sites that are soon exhausted."
    )
    paper = "An energy-based model for the population control of multi-agent topical crawlers (endogenous fitness)"
    variants = (
        {},
        {"model": "sigmoid", "agents": 20, "gain": 4.0, "threshold": "exact"},
        {"model": "original", "agents": 20, "gain": 4.0, "cost": 0.3},
        {"relevance": "judge", "agents": 5, "least": 3, "most": 12, "revisit": 0.0, "remnants": 0.3},
        {"letter": True},
        {"learning": 0.1, "agents": 8},
    )

    # Starting points

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.standing: list[int] = []  # addresses of starting points, each once, without those seen to have failed
        super().begin(seeds, now)

    def seeds(self, links: Sequence[Link]) -> None:
        numbers = dict.fromkeys(map(self.addresses.number, links))
        self.standing += [number for number in numbers if number not in self.roots]
        super().seeds(links)

    # Bounds: the other two models are the buffer without any

    @property
    def _buffers(self) -> bool:
        return bool(self.params.model == "buffer")

    def _most(self) -> float:
        return float(self.params.most) if self._buffers else math.inf

    def _least(self) -> int:
        return min(self.params.least, self.params.most) if self._buffers else 0

    # Turns

    def propose(self, room: Room, now: float) -> list[Visit]:
        self._settle(now)
        visits = [self._turn(name, room, now) for name in self._acting(room)]
        return [visit for visit in visits if visit is not None]

    def _acting(self, room: Room) -> Iterator[str]:
        for name, _ in self.turns.ready(room):
            yield name
        while room.free > 0 and (self.turns.queue or self.later):
            if not self.turns.queue:
                self.rng.shuffle(self.later)
                self.turns.queue.extend(self.later)
                self.later.clear()
            yield self.turns.queue.popleft()

    def _turn(self, name: str, room: Room, now: float) -> Visit | None:
        """The agent walks until it needs a visit, waits, rests or is dead. A choice that was refused still stands."""
        agent = self.herd[name]
        for step in range(WALK + 1):
            if agent.heading == NOWHERE and not self._choose(name, agent, now, lost=step == WALK):
                self.resting.append(name)
                return None
            if self._is_barred(agent, room):
                continue
            known = self.base.status[agent.heading]
            if known < 0:
                return self._go(name, agent, room, now, failed=known == DEAD)
            self.moves += 1
            if not self._arrive(name, agent, known, now):
                return None
        self.later.append(name)
        return None

    def _is_barred(self, agent: Agent, room: Room) -> bool:
        """Is the agent heading for an address out of scope that no visit in flight will bring? Then it chooses
        again."""
        if agent.heading in self.expected or room.allows(self._url(agent.heading)):
            return False
        self.base.set_aside(agent.heading)
        agent.heading = NOWHERE
        return True

    def _go(self, name: str, agent: Agent, room: Room, now: float, failed: bool) -> Visit | None:
        """Visit an address that no agent has brought. One that failed while this agent waited for its host is not
        visited again."""
        if failed:
            self._fail(name, agent, now)
        elif agent.heading in self.expected:
            self.expected[agent.heading].append(name)
        else:
            link = self.addresses.record(agent.heading).link
            if room.take(link):
                self.expected[agent.heading] = [name]
                source = "" if agent.at == NOWHERE else self._url(self.base.addresses[agent.at])
                return self.visit(link, name, source=source, note={"energy": agent.energy})
            self.turns.park(name, link)
        return None

    # Choosing

    def _choose(self, name: str, agent: Agent, now: float, lost: bool) -> bool:
        """Choose where to go next; False if there is nowhere."""
        if self.starts:
            agent.at, agent.heading = NOWHERE, self.starts.popleft()
            return True
        if agent.forced:
            return self._teleport(name, agent, now)
        if lost:
            return self._restart(agent)
        target = self._remnant() if self._buffers and self.rng.random() < self.params.remnants else None
        if target is None and agent.at != NOWHERE:
            lesson = self.lessons.get(name)
            lift = partial(self._lift, lesson) if lesson else None
            target = self.base.follow(agent.at, self.rng, self.params.beta, lift)
        if target is None and self._buffers and agent.at != NOWHERE:  # its page has no link that it can follow
            target = self._remnant()
        if target is None:
            target = self._root()
        agent.heading = NOWHERE if target is None else target
        return target is not None or self._restart(agent)

    def _remnant(self) -> int | None:
        """The address of a document with energy left, the more the likelier."""
        document = self.base.remnants.draw(self.rng)
        return None if document is None else self.base.addresses[document]

    def _root(self) -> int | None:
        """A random starting point. One that failed is removed, so that each is drawn in vain at most once."""
        while self.standing:
            place = self.rng.randrange(len(self.standing))
            if self.base.status[self.standing[place]] != DEAD:
                return self.standing[place]
            self.standing[place] = self.standing[-1]
            self.standing.pop()
        return None

    def _teleport(self, name: str, agent: Agent, now: float) -> bool:
        """Move an agent that would have died to a page with energy left. If there is none, it starts a new life."""
        target = self._remnant()
        if target is not None:
            agent.heading = target
        elif self._restart(agent):
            self.herd.feed(agent, 1 - agent.energy)
        else:
            return False
        agent.forced = False
        self.teleports += 1
        self.note(now, "teleport", agent=name, to=self._url(agent.heading), restart=target is None)
        return True

    def _restart(self, agent: Agent) -> bool:
        """Put the agent on a starting point or another good page, heading for a link that no agent has followed."""
        found = self.base.untried(self.rng, self.params.beta, self.expected.__contains__)
        if found is not None:
            agent.at, agent.heading = found
        return found is not None

    # Living

    def _arrive(self, name: str, agent: Agent, document: int, now: float) -> bool:
        """Move the agent to a document and feed it; True if it survives. An agent that had no place yet is not fed."""
        placed, address = agent.at == NOWHERE, agent.heading
        agent.at, agent.heading = document, NOWHERE
        if not placed:
            gained = self._harvest(document)
            self.herd.feed(agent, gained)
            if self.params.learning:
                self._teach(name, address, gained)
        return placed or self._survives(name, agent, now)

    def _harvest(self, document: int) -> float:
        """Take the energy of the document, which may be negative. With too many agents, the document keeps it and the
        agent pays C; if no energy is left, the agent pays for a second visit."""
        if len(self.herd) > self._most():
            return -float(self.params.cost)
        left = self.base.energies[document]
        if not left:
            return -float(self.params.cost * self.params.revisit)
        self.base.charge(document, 0.0)
        return left

    def _survives(self, name: str, agent: Agent, now: float) -> bool:
        """The agent multiplies, dies, or is spared because agents are few; False if it died."""
        if agent.energy < 0:
            if len(self.herd) > self._least():
                self.herd.leave(name)
                self.lessons.pop(name, None)
                self.note(now, "death", agent=name, energy=agent.energy, population=len(self.herd))
                return False
            agent.forced = True
        count = brood(agent.energy, MOST_AGENTS - len(self.herd))
        if count > 1:
            share = agent.energy / count
            self.herd.feed(agent, share - agent.energy)
            for _ in range(count - 1):
                self._join(now, agent.at, share, name)
        return True

    # Learning, which Algorithm 1 leaves open: a weight for each word of an anchor, moved by the energy gained there

    def _teach(self, name: str, address: int, gained: float) -> None:
        if name not in self.lessons and len(self.lessons) >= MOST_TAUGHT:
            return
        lesson = self.lessons.setdefault(name, {})
        for word in dict.fromkeys(islice(self._anchor(address), MOST_WORDS)):
            moved = lesson.pop(word, 0.0) + self.params.learning * gained
            lesson[word] = max(-STRONGEST, min(STRONGEST, moved))  # newest last
        for word in [*islice(lesson, max(0, len(lesson) - MOST_WORDS))]:
            del lesson[word]

    def _lift(self, lesson: Mapping[str, float], address: int) -> float:
        """How many times as likely a link is to be followed for what the agent has learned."""
        total = sum(lesson.get(word, 0.0) for word in dict.fromkeys(islice(self._anchor(address), MOST_WORDS)))
        return math.exp(max(-STRONGEST, min(STRONGEST, total)))

    def _anchor(self, address: int) -> Sequence[str]:
        return words(self.addresses.record(address).link.anchor)

    def _fail(self, name: str, agent: Agent, now: float) -> None:
        """There is no page: the agent stays where it is and pays C, unless it was only to be placed there."""
        agent.heading = NOWHERE
        if agent.at != NOWHERE:
            self.herd.feed(agent, -self.params.cost)
            if not self._survives(name, agent, now):
                return
        self.later.append(name)

    # What comes back

    def observe(self, outcome: Outcome) -> None:
        now, page = outcome.at, outcome.page
        address = self.herd[outcome.visit.agent].heading
        waiting = self.expected.pop(address)
        self.downloads += outcome.downloads
        document = None if page is None else self._document(page, address, outcome.verdict)
        if document is None:
            self.base.status[address] = DEAD
        for name in waiting:
            agent = self.herd[name]
            if document is None:
                self._fail(name, agent, now)
            elif self._arrive(name, agent, document, now):
                self.later.append(name)
        self._gauge(now, every=GAUGE)

    def wake(self, now: float) -> float | None:
        return math.inf if self.later or self.joining else super().wake(now)

    def bring_back(self) -> None:
        aside, standing = set(self.base.aside), set(self.standing)
        super().bring_back()
        self.standing += [root for root in self.roots if root in aside and root not in standing]

    def changed(self, name: str, old: Any) -> None:
        if name == "agents":
            self.joining += max(0, self.params.agents - old)
