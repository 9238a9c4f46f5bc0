"""The steps of a news forager (A4, A10, A11), and its pay (A6)."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from wolfspider.core.model import SEARCH, Credit, Failure, Link, Outcome, Page, Question, Visit
from wolfspider.core.text import key_of
from wolfspider.core.topic import Topic
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.reinforcer import PAID
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import register
from wolfspider.policy.turns import Group
from wolfspider.strategies.foragers.fleet import Fleet
from wolfspider.strategies.foragers.forager import Forager, Step, Vector, WeblogEntry, corrected, ordered, updated

STATES_KEPT = 20_000  # contents whose states are cached
MISSES = 3  # failures in a row after which a starting point is given up
SIGHTS_KEPT = 1_000_000  # pages without a date whose first sight is remembered


@register
class Foragers(Fleet):
    name = "foragers"
    use = "For news that changes. Not for webs that stay as they are: what it learns is where fresh pages appear."
    paper = "Palotai et al. 2004 and 2005, news foragers: selection of starting points, values by temporal differences"
    variants = (
        {},
        {"fleet": "WL", "steps": 5, "slice": 20.0, "multiply_at": 101.0, "novelty": "url+content", "reads": "all"},
        {"fleet": "RL", "steps": 7, "slice": 10.0, "multiply_at": 101.0, "weights": "diverse", "mutation": 0.1},
        {"fleet": "mixed", "order": "random", "foragers": 4, "steps": 3, "slice": 5.0, "delete_below": 99.9},
        {"fleet": "mixed", "order": "alternating", "foragers": 4, "least": 4, "most": 4, "mapping": "faithful"},
        {"letter": True},
    )

    def __init__(self, topic: Topic, params: Any, rng: random.Random, shelf: Shelf) -> None:
        super().__init__(topic, params, rng, shelf)
        self.step: Step | None = None
        self.wished: deque[str] = deque()  # starting points that a person asks for
        self.sights: dict[int, float] = {}  # when the fleet first saw a document without a date
        self._known: dict[str, Vector] = {}

    # The turn

    def propose(self, room: Room, now: float) -> list[Visit]:
        visits: list[Visit] = []
        while room.free > 0:
            if self.step is None and not self._choose(now):
                break
            visits += self._give(room)
            if self.step is not None:  # part of it is in flight, or waits for its host
                break
        return visits

    def _choose(self, now: float) -> bool:
        """Begin a step of the forager whose turn it is; False if no step can begin now."""
        if now - self.since >= self.params.slice:
            self._change_guard(now)
        if self.stalled and self._wish() is None:
            return False
        forager = self.fleet[self.active]
        self.step = self._select(forager, now)
        return self.step is not None

    def _select(self, forager: Forager, now: float) -> Step | None:
        """A10: the best page of the frontier, or a new path; None if there is no starting point."""
        wish = self._wish()
        if wish is None and forager.can_go_on(self.params.steps, self.allows):
            best = forager.frontier.best(forager.weights, self.allows)
            assert best is not None
            url, value = best
            forager.counter += 1
            return Step(forager.name, Link(url), False, value)
        self._end_path(forager, now)
        if wish is None and self._is_time_to_search(forager):
            forager.searched = forager.paths
            return Step(forager.name, Link(Question(SEARCH, self._words()).url), True)
        start = self._start(forager, wish)
        if start is None:
            return None
        forager.begin_path(now)
        self.note(now, "restart", agent=forager.name, url=start, path=forager.paths)
        return Step(forager.name, Link(start), True)

    def _wish(self) -> str | None:
        """The next starting point that a person asks for, if one is in scope."""
        return next(filter(self.allows, self.wished), None)

    def _start(self, forager: Forager, wish: str | None) -> str | None:
        if wish is not None:
            self.wished.remove(wish)
            return wish
        if forager.lead and self.allows(forager.lead):
            start, forager.lead = forager.lead, ""
            return start
        starts = forager.starts(self.params.starts, self.allows)
        return self.rng.choice(starts) if starts else None

    def _end_path(self, forager: Forager, now: float) -> None:
        if not forager.path:
            return
        if forager.selects:
            before = forager.weblog
            begun = forager.walked - len(forager.path)
            whole = updated(before, forager.path, forager.profits, self.params.beta, begun)
            forager.weblog = ordered(whole, self.params.weblog)
            self._tell_weblog(forager, before, now)
        forager.path, forager.profits = [], []

    def _is_time_to_search(self, forager: Forager) -> bool:
        """A search that found nothing is not made again before the next path."""
        every = self.params.search_every
        due = bool(every) and forager.paths % every == 0 and forager.searched != forager.paths
        return due and forager.selects and bool(self._words())

    def _words(self) -> str:
        return " ".join(self.topic.keywords) or self.topic.description

    def _give(self, room: Room) -> list[Visit]:
        step = self.step
        assert step is not None
        again = self._looks_again()
        if step.number >= 0:
            page, note = step.pick.url, {"step": step.number}
            visits = step.links.give(room, lambda link: self.visit(link, step.agent, again, note, page), fresh=again)
            if not len(step.links):  # a person excluded what was left: what the step would send goes with the next
                forager = self.fleet[step.agent]
                forager.unsent += step.sends
                self._settle(forager, step.number)
                self.step = None
            return visits
        if step.reading is None and not room.allows(step.pick.url):
            self._give_up(step)
            return []
        fresh = step.fresh and again
        if step.reading is not None or not room.take(step.pick, fresh):
            return []
        visit = self.visit(step.pick, step.agent, fresh, {"value": step.value} if not step.fresh else {"start": 1})
        step.reading = visit.id
        return [visit]

    def _looks_again(self) -> bool:
        """Is a page that the run has worth another download? Where nothing is fresh it is what it was."""
        return self.params.again == "always" or "fresh" in self._terms.pays

    def _give_up(self, step: Step) -> None:
        """The page is out of scope. Weblog or frontier still hold it, unless a person asked for it or a search found
        it."""
        url = step.pick.url
        if step.fresh and url not in self.fleet[step.agent].weblog:
            self.wished.appendleft(url)
        self.step = None

    # What comes back

    def observe(self, outcome: Outcome) -> Sequence[int] | None:
        step, visit = self.step, outcome.visit
        forager = self.fleet.get(visit.agent)
        if step is None or forager is None or step.agent != visit.agent:
            return None
        if visit.id == step.reading:
            self._read(forager, step, outcome)
        elif visit.id in step.links.out:
            self._look_at(forager, step, outcome)
            step.links.landed(visit.id)
        else:
            return None
        return self._complete(forager, step, outcome.at)

    def _read(self, forager: Forager, step: Step, outcome: Outcome) -> None:
        """A11: the page it steps on is here."""
        page, step.reading = outcome.page, None
        if Question.of(step.pick.url).source == SEARCH:
            self._feed(forager, page, outcome.at)
            self.step = None
            return
        if page is None:
            self._missed(forager, step, outcome)
            self.step = None
            return
        forager.downloaded.update((step.pick.url, page.final_url))
        forager.missed.pop(step.pick.url, None)
        if step.fresh:
            self._consider(forager, step, outcome, page)
        chosen = step.pick.url in forager.frontier  # by the state that it had when it was downloaded
        state = forager.frontier.pop(step.pick.url) if chosen else self._state_of(page)
        forager.visited.update((step.pick.url, page.final_url))
        step.number = forager.walked
        forager.step_on(page.final_url, state)
        about = {"url": page.final_url, "value": float(forager.weights @ state)}
        self.note(outcome.at, "move", agent=forager.name, **about, step=forager.counter, path=forager.paths)
        step.links = Group(self._wanted(forager, page))

    def _state_of(self, page: Page) -> Vector:
        """The state of a page, cached for the whole fleet."""
        state = self._known.get(page.digest)
        if state is None:
            if len(self._known) >= STATES_KEPT:
                self._known.clear()
            state = self._known[page.digest] = self._states.of(page)
        return state

    def _missed(self, forager: Forager, step: Step, outcome: Outcome) -> None:
        """No page: the step counts and earns nothing. A starting point that does not exist is removed from the weblog;
        from a constant weblog only after several failures. If the host merely has no turn, the forager idles and tries
        again in its next slice."""
        start, result = step.pick.url, outcome.result
        if start in forager.frontier:
            forager.frontier.pop(start)
        if not isinstance(result, Failure) or not step.fresh or (result.asked and not result.lasting):
            return
        self.stalled = not result.lasting and result.kind != "excluded"
        if self.stalled or not forager.selects:
            forager.missed[start] = forager.missed.get(start, 0) + 1
            if forager.missed[start] < MISSES:
                return
        forager.missed.pop(start, None)
        before = forager.weblog
        forager.weblog = {url: entry for url, entry in before.items() if url != start}
        self._tell_weblog(forager, before, outcome.at)

    def _wanted(self, forager: Forager, page: Page) -> Iterable[Link]:
        links = {link.url: link for link in page.links}
        known = forager.downloaded if self.params.reads == "new" else {page.final_url}
        return [link for url, link in links.items() if url not in known]

    def _look_at(self, forager: Forager, step: Step, outcome: Outcome) -> None:
        """A linked page is here: it goes to the frontier, and perhaps to the reinforcing agent."""
        page = outcome.page
        forager.downloaded.add(outcome.visit.link.url)
        if page is None:
            return
        forager.downloaded.add(page.final_url)
        self._consider(forager, step, outcome, page)
        if page.final_url not in forager.visited:
            forager.frontier.add(page.final_url, self._state_of(page))

    def _consider(self, forager: Forager, step: Step, outcome: Outcome, page: Page) -> None:
        """A4: it is sent if it is fresh and this forager has not sent it before."""
        key = key_of(page.final_url if self._terms.key == "url" else f"{page.final_url}\n{page.digest}")
        fresh = "fresh" in self._terms.pays
        until = self._date(page, key, outcome.at) + self._terms.window if fresh else math.inf
        if until < outcome.at:
            return
        if key not in forager.marked:
            step.sends.append(outcome.visit.id)
        forager.marked[key] = until  # later than before, if the page was published again

    def _date(self, page: Page, key: int, now: float) -> float:
        """When a page was published; without a date, when the fleet first saw it."""
        if page.published is not None:
            return page.published
        if key not in self.sights and len(self.sights) >= SIGHTS_KEPT:
            del self.sights[next(iter(self.sights))]
        return self.sights.setdefault(key, now)

    def _complete(self, forager: Forager, step: Step, now: float) -> Sequence[int] | None:
        """Is everything of the step here? Then it sends, and the next step may be chosen."""
        if self.step is None or len(step.links):
            return None
        self.step = None
        sends, forager.unsent = forager.unsent + step.sends, []
        forager.due[step.number].left = len(sends)
        forager.pending.update(dict.fromkeys(sends, step.number))
        if not sends:
            self._settle(forager, step.number)
        return sends

    def reward(self, credit: Credit) -> None:
        """A6, as far as it concerns the score. Late credits find their step; those for deleted foragers are lost."""
        forager = self.fleet.get(credit.agent)
        number = forager.pending.pop(credit.visit, None) if forager else None
        if forager is None or number is None:
            return
        forager.score -= self.params.score_sent
        if credit.reason == PAID:
            forager.score += self.params.score_paid
        due = forager.due[number]
        due.profit += credit.value
        due.left -= 1
        if due.path == forager.paths and forager.path:
            forager.profits[due.step] += credit.value
        if not due.left:
            self._settle(forager, number)

    def _settle(self, forager: Forager, number: int) -> None:
        """The last answer for a step is in."""
        due = forager.due.pop(number)
        if forager.learns and due.here is not None:
            known = self.params
            steady = known.mapping != "faithful"
            forager.weights = corrected(
                forager.weights, due.here, due.there, due.profit, known.alpha, known.gamma, steady
            )

    def _feed(self, forager: Forager, page: Page | None, now: float) -> None:
        """Take over the results of a search: the next path starts at the first, the others enter the weblog as
        seeds."""
        results = [link.url for link in page.links] if page else []
        new = [url for url in results if url not in forager.weblog][: self.params.starts]
        forager.lead = new[0] if new else ""
        if new:
            fed = {url: WeblogEntry(0.0, -place) for place, url in enumerate(new)}
            before, forager.weblog = forager.weblog, ordered({**fed, **forager.weblog}, self.params.weblog)
            self._tell_weblog(forager, before, now)

    # People, and what is kept

    def seeds(self, links: Sequence[Link]) -> None:
        """A starting point that a person adds begins the next path of the active forager."""
        self.wished.extend(link.url for link in links)

    def excluded(self) -> int:
        waiting = {*self.wished, *(url for forager in self.fleet.values() for url in forager.waiting())}
        return sum(not self.allows(url) for url in waiting)

    def wake(self, now: float) -> float | None:
        if self.step is not None:
            return math.inf
        able = any(
            any(map(self.allows, forager.weblog)) or forager.can_go_on(self.params.steps, self.allows)
            for forager in self.fleet.values()
        )
        if not able and self._wish() is None:
            return None
        over: float = self.since + self.params.slice
        return max(over, math.nextafter(now, math.inf))

    def keeps(self) -> int:
        weblogs = {id(forager.weblog): len(forager.weblog) for forager in self.fleet.values()}  # some are shared
        doing = len(self.step.links) if self.step else 0
        shared = sum(weblogs.values()) + len(self.wished) + len(self.sights)
        return shared + doing + sum(map(len, self.fleet.values()))
