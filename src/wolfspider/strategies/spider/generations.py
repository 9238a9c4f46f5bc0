"""The generations of the Intelligent Spider: what its searches have in common.

The inputs are pages that a person likes. The search proceeds in generations, each with the same steps:

    parents    their pages are read again, from memory, for their links and how these overlap
    children   the pages that the parents link to are fetched, unless they are known
    ranking    a Source is asked, once, for the pages of a category by the topic's words
    leaps      the next unused pages of that ranking are fetched
    breeding   all scores are computed at once; the search chooses the pages that stay, and the next parents

The first parents are the inputs and the starting points. Neither is ever an output: the person knows them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from wolfspider.core.model import LEAP, Link, Outcome, Page, Question, Verdict, Visit, host_of
from wolfspider.core.text import key_of
from wolfspider.core.topic import Topic
from wolfspider.learn.likeness import LINKS, Collection, Indexed, Keys, Likeness, Score, kept_words, link_keys
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.topic_words import made_up_page
from wolfspider.policy.turns import Group
from wolfspider.strategies.spider.candidates import Candidate, Pool, Scores, SpiderParams

PAPER = "Chen, Chung, Ramsey, Yang, Ma and Yen 1997, Intelligent spider for Internet searching"
MOST_INPUTS = 20
ROOM = 1_000  # candidates of which the terms are kept, besides those that were chosen
SHOWN = 20  # results in a note: the log of a run keeps no longer ones
TITLE = 100  # characters
PATIENCE = 3  # leaps tried in a generation, as a multiple of the population; and failed questions for a ranking
SEARCHED = 10  # words of liked pages that a leap asks for if there are no keywords


class SpiderSearch(Strategy):
    """The steps of a generation. A search decides which children it keeps, how many leaps it wants, and which pages
    breed.

    The score of a page by the paper's measure is independent of the judge, which says what the run calls relevant.
    """

    paper = PAPER
    Params: ClassVar[type] = SpiderParams
    awaits = True
    params: SpiderParams
    phase = ""  # nothing has begun
    pools: ClassVar[tuple[str, ...]] = ("known", "chosen")

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.began = now
        self.generation = 0
        self.fetched = self.leaped = 0  # pages downloaded, and those of them that came by leaps
        self.phase = "parents"
        self.collection = Collection()
        self.counted: set[int] = set()  # pages that the collection has counted
        self.known: Pool = {}  # recent candidates
        self.chosen: Pool = {}  # the outputs so far, best first
        self.scores: dict[str, list[float]] = {}  # of the outputs
        self.liked: set[str] = set()  # addresses of liked pages, labels up included
        self.inputs: set[str] = set()  # addresses that are no outputs: liked pages and starting points
        self.refused: set[str] = set()  # addresses that are no outputs because a person did not want them
        self.homes: set[str] = set()  # hosts of the inputs
        self.heredity: list[Keys] = []  # the links of each parent, as often as it was chosen
        self.outlinks: dict[str, str] = {}  # addresses that parents link to, and the parent
        self.times: dict[str, int] = {}  # parents, and how often each was chosen
        self.group = Group()
        self.ranking: deque[Link] = deque()  # unused pages of the category
        self.place = ""  # the address of that ranking, once it was asked for
        self.asked = 0  # how often it was asked for
        self.tried = 0  # leaps of this generation
        self.added: list[Link] = []  # starting points for the next generation
        self._like_topic()
        for page in self.topic.liked[:MOST_INPUTS]:
            self._start_from(page, page.url)
            self._bear(page)
        self.seeds(seeds)
        self._gather([])

    # What is liked

    def _like_topic(self) -> None:
        """Like the liked pages of the topic; without any, like one made-up page of the topic's words."""
        self._like_nothing()
        for page in self.topic.liked[:MOST_INPUTS]:
            self._like(page)
        if not self.liked:
            words = kept_words([word for word, times in made_up_page(self.topic).items() for _ in range(times)])
            self.likeness.like(words, self.collection.indexed(words, link_keys(())))

    def _like_nothing(self) -> None:
        self.likeness, self.liked = Likeness(self.params.eq3 == "printed"), set()

    def _like(self, page: Page) -> None:
        if page.final_url in self.liked or len(self.liked) >= MOST_INPUTS:
            return
        if not self.liked:  # the made-up page is no longer needed
            self._like_nothing()
        self.liked.add(page.final_url)
        self.likeness.like(kept_words(page.words), self._read(page))

    def _read(self, page: Page) -> Indexed:
        """The page in terms; each page is counted once in the collection."""
        terms, key = self.collection.read(page), key_of(page.final_url)
        if key not in self.counted:
            self.counted.add(key)
            self.collection.count(terms)
        return terms

    def judged(self, page: Page, verdict: Verdict) -> None:
        """A label up makes a page an input, though it stays an output; a label down makes it neither."""
        if verdict.relevant:
            self._like(page)
        else:
            self.refused.add(page.final_url)
            self._drop(lambda url: url in self.refused)

    def retopic(self, topic: Topic) -> None:
        super().retopic(topic)
        self._like_topic()
        self.ranking.clear()
        self.place, self.asked = "", 0

    def _drop(self, unwanted: Callable[[str], bool]) -> None:
        for name in self.pools:
            pool = getattr(self, name)
            for url in [url for url in pool if unwanted(url)]:
                del pool[url]
                self.scores.pop(url, None)
        self.ranking = deque(link for link in self.ranking if not unwanted(link.url))
        self.outlinks = {url: parent for url, parent in self.outlinks.items() if not unwanted(url)}

    def seeds(self, links: Sequence[Link]) -> None:
        self.added += [link for link in links if link.url not in self.inputs]
        if self.phase == "done" and self.added:
            self._gather([])

    # The steps

    def propose(self, room: Room, now: float) -> list[Visit]:
        while True:
            visits = self.group.give(room, self._go)
            if visits or len(self.group) or self.phase == "done":
                return visits
            if {self.allows(url) for url in self._waiting()} == {False}:  # until a person includes one of them again
                return visits
            self._advance(now)

    def _waiting(self) -> Iterator[str]:
        """Addresses that the search may still fetch or choose."""
        for name in self.pools:
            yield from getattr(self, name)
        yield from self.outlinks
        yield from (link.url for link in (*self.group.left, *self.ranking, *self.added))

    def excluded(self) -> int:
        return 0 if self.phase == "done" else sum(not self.allows(url) for url in {*self._waiting()})

    def _in_scope(self, pool: Pool) -> Pool:
        return {url: candidate for url, candidate in pool.items() if self.allows(url)}

    def _go(self, link: Link) -> Visit:
        note = {"generation": self.generation + 1, "step": self.phase}
        source = self.place if self.phase == "leaps" else self.outlinks.get(link.url, "")
        return self.visit(link, note=note, source=source, deadline=self.params.fetch_time)

    def _advance(self, now: float) -> None:
        """Begin the next step that has something to do."""
        if self.phase == "parents":
            self.phase = "children"
            self._meet()
        elif self._lacking() and not self.place and self.asked < PATIENCE and self.phase == "children":
            # One answer is enough; after a failure the next generation asks again.
            words = self.topic.keywords or self.likeness.telling(self.collection, SEARCHED)
            self.phase, self.place, self.asked = "ranking", Question(LEAP, " ".join(words)).url, self.asked + 1
            self.group = Group([Link(self.place)])
        elif self._lacking() and self.tried < self._most_tries and any(self.allows(link.url) for link in self.ranking):
            self.phase = "leaps"
            self.group = Group(self._next_ranked(min(self._lacking(), self._most_tries - self.tried)))
        else:
            self._turn(now)

    @property
    def _most_tries(self) -> int:
        return PATIENCE * 2 * self.params.outputs

    def _meet(self) -> None:
        """Fetch the children, except those that are known."""
        wanted = {url: self._met(url) for url in self.outlinks if self._eligible(url)}
        for candidate in wanted.values():
            if candidate is not None:
                self._child(candidate)
        self.group = Group(Link(url) for url, candidate in wanted.items() if candidate is None)

    def _met(self, url: str) -> Candidate | None:
        return self.chosen.get(url) or self.known.get(url)

    def _next_ranked(self, count: int) -> list[Link]:
        """The next unused pages of the ranking. Those out of scope keep their places in it."""
        unused, aside = list[Link](), list[Link]()
        while self.ranking and len(unused) < count:
            link = self.ranking.popleft()
            if not self.allows(link.url):
                aside.append(link)
            elif self._eligible(link.url) and self._met(link.url) is None:
                unused.append(link)
        self.ranking.extendleft(reversed(aside))
        self.tried += len(unused)
        return unused

    def _turn(self, now: float) -> None:
        """End a generation, and begin the next if there are parents for it."""
        self.generation += 1
        parents = self._breed()
        if not parents and not self.added:
            self.phase = "done"
        summary = self.summary(now)
        self.note(now, "generation", **{**summary, "results": summary["results"][:SHOWN]})
        if self.phase != "done":
            self._gather(parents)

    def _gather(self, parents: Sequence[str]) -> None:
        """Read the parents again. Those of the first generation are inputs, which are here, or starting points."""
        self.phase = "parents"
        if self.generation:
            self.heredity, self.outlinks = [], {}
        self.times, self.tried = dict(Counter(parents)), 0
        starts, self.added = self.added, []
        self.group = Group([*map(Link, self.times), *starts])

    # What comes back

    def observe(self, outcome: Outcome) -> None:
        self.group.landed(outcome.visit.id)
        page, step = outcome.page, outcome.visit.note["step"]
        if step == "ranking":
            self._ranked(outcome)
        elif page is None:
            return
        elif step == "parents":
            self._parent(page, outcome)
        else:
            self._offspring(page, outcome, by_leap=step == "leaps")

    def _is_nowhere_to_leap(self) -> bool:
        """The ranking was asked for, and no page of it is left."""
        return bool(self.place) and not self.ranking

    def _ranked(self, outcome: Outcome) -> None:
        if outcome.visit.link.url != self.place:  # it was asked for before the topic changed
            return
        result = outcome.result
        if isinstance(result, Page):
            self.ranking.extend(result.links)
        elif result.kind != "excluded":  # there is such a Source, and it may answer next time
            self.place = ""

    def _parent(self, page: Page, outcome: Outcome) -> None:
        url = outcome.visit.link.url
        times = self.times.get(url, 0)
        if not times:  # it was not chosen, so it is a starting point
            self._start_from(page, url)
            self.fetched += bool(outcome.downloads)
        self._bear(page, max(1, times))

    def _start_from(self, page: Page, url: str) -> None:
        self._read(page)
        self.inputs.update((url, page.final_url))
        self.homes.add(host_of(page.final_url))

    def _bear(self, page: Page, times: int = 1) -> None:
        self.heredity += [link_keys(page.links)] * times
        for link in page.links[:LINKS]:
            if self.allows(link.url):
                self.outlinks.setdefault(link.url, page.final_url)

    def _offspring(self, page: Page, outcome: Outcome, by_leap: bool) -> None:
        self.fetched += bool(outcome.downloads)
        self.leaped += by_leap and bool(outcome.downloads)
        if not self._eligible(page.final_url):
            return
        candidate = self._met(page.final_url) or self._candidate(page, outcome, by_leap)
        self.known[candidate.url] = candidate
        if by_leap:
            self._mutant(candidate)
        else:
            self._child(candidate)
        self._make_room()

    def _candidate(self, page: Page, outcome: Outcome, by_leap: bool) -> Candidate:
        near = "local" if host_of(page.final_url) in self.homes else "elsewhere"
        origin = LEAP if by_leap else near
        title = page.title[:TITLE]
        return Candidate(page.final_url, title, self._read(page), outcome.seconds, origin, self.generation + 1)

    def _eligible(self, url: str) -> bool:
        return url not in self.inputs and url not in self.refused

    def _make_room(self) -> None:
        """Forget the oldest candidates; the run holds their pages in case they are needed again."""
        while len(self.known) > ROOM:
            del self.known[next(iter(self.known))]

    # What a search decides

    def _child(self, candidate: Candidate) -> None:
        """The parents link to this page."""

    def _mutant(self, candidate: Candidate) -> None:
        """This page came by a leap."""

    def _lacking(self) -> int:
        """How many leaps this generation still wants."""
        return 0

    @abstractmethod
    def _breed(self) -> Sequence[str]:
        """Choose the outputs, and return the parents of the next generation; none if the search is over."""

    # Scores

    def _scores(self, pool: Pool) -> dict[str, Score]:
        """The scores of all candidates, by the present statistics of terms."""
        scores = self.likeness.scores([candidate.terms for candidate in pool.values()], self.collection)
        return dict(zip(pool, scores, strict=True))

    def _choose(self, pool: Pool, scores: Scores, count: int) -> None:
        """The fittest are the outputs so far; of equals, the first. Those out of scope stay chosen, and are shown when
        they are in scope again."""
        order = sorted(pool, key=lambda url: -scores[url].total)[:count]
        aside = {url: candidate for url, candidate in self.chosen.items() if not self.allows(url)}
        self.chosen = {url: pool[url] for url in order} | aside
        self.scores = {url: [*scores[url]] for url in order} | {url: self.scores[url] for url in aside}

    # For people

    def results(self) -> list[dict[str, Any]]:
        """The outputs so far, best first. While these are too few, the best of the other candidates fill up."""
        most = self.params.outputs
        pool = self._in_scope(self.chosen)
        ranked = {url: Score(*self.scores[url]) for url in [*pool][:most]}
        if len(ranked) < most and self.phase != "done":
            pool = self._in_scope({**self.known, **self.chosen})
            ranked = {**self._scores({url: pool[url] for url in pool if url not in ranked}), **ranked}
        order = sorted(ranked, key=lambda url: (url not in self.chosen, -ranked[url].total))[:most]
        order.sort(key=lambda url: -ranked[url].total)
        return [self._result(pool[url], ranked[url]) for url in order]

    def _result(self, candidate: Candidate, score: Score) -> dict[str, Any]:
        return {
            "url": candidate.url,
            "title": candidate.title,
            "links": len(candidate.terms.links),
            "score": round(score.total, 4),
            "terms": round(score.terms, 4),
            "links_score": round(score.links, 4),
            "fetch_score": round(max(0.0, 1.0 - candidate.seconds / self.params.fetch_time), 4),
            "origin": candidate.origin,
            "words": self.likeness.matched(candidate.terms, self.collection),
            "generation": candidate.generation,
        }

    def summary(self, now: float) -> dict[str, Any]:
        """The search as it stands, for the note of a generation and for callers in between."""
        about = {"generation": self.generation, "fitness": round(self.fitness, 6), "final": self.phase == "done"}
        figures = {"fetched": self.fetched, "leaps": self.leaped, "seconds": now - self.began, **self._gauges()}
        return {**about, **figures, "results": self.results()}

    @property
    def fitness(self) -> float:
        """The mean score of the outputs so far."""
        best = [(terms + links) / 2 for url, (terms, links) in self.scores.items() if self.allows(url)]
        best = best[: self.params.outputs]
        return sum(best) / len(best) if best else 0.0

    def _gauges(self) -> dict[str, Any]:
        return {}

    def report(self) -> dict[str, Any]:
        if not self.phase:
            return {}
        outputs = min(len(self._in_scope(self.chosen)), self.params.outputs)
        told = {"generation": self.generation, "fitness": self.fitness, "outputs": outputs, "phase": self.phase}
        return {**told, "fetched": self.fetched, "leaps": self.leaped, **self._gauges()}

    def explain(self, url: str) -> dict[str, Any]:
        if url in self.chosen:
            return self._result(self.chosen[url], Score(*self.scores[url]))
        if url in self.known:
            return self._result(self.known[url], self._scores({url: self.known[url]})[url])
        return {"linked from": self.outlinks[url]} if url in self.outlinks else {}

    def keeps(self) -> int:
        return len(self.counted) + len(self.outlinks) + len(self.ranking) + len(self.added)
