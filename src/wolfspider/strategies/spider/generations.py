"""What the searches of the Intelligent Spider have in common.

A person likes some pages: the inputs. The search goes in generations, and each has the same steps:

    parents    their pages are looked at once more, from memory, for their links and how these overlap
    children   all that the parents link to is fetched, unless it is known
    ranking    a Source is asked, once, for the pages of a category by the topic's words
    leaps      so many pages of that ranking are fetched, the next that were not used yet
    breeding   all scores are computed at once; the search chooses who stays, and who the next parents are

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
PATIENCE = 3  # leaps tried in a generation, as a multiple of the population; and questions that fail
SEARCHED = 10  # words of liked pages that a leap asks for, where there are no keywords


class Spider(Strategy):
    """The steps of a generation. A search says whom it keeps of the children, how many leaps it wants, and who breeds.

    What a page is worth by the paper's measure has nothing to do with the judge, who says what the run calls relevant.
    """

    paper = PAPER
    Params: ClassVar[type] = SpiderParams
    params: SpiderParams
    pools: ClassVar[tuple[str, ...]] = ("known", "chosen")

    def begin(self, seeds: Sequence[Link], now: float) -> None:
        self.began = now
        self.generation = 0
        self.fetched = self.leaped = 0  # pages downloaded, and those of them to which it leapt
        self.phase = "parents"
        self.collection = Collection()
        self.counted: set[int] = set()  # pages that count in it
        self.known: Pool = {}  # candidates that have been seen lately
        self.chosen: Pool = {}  # the outputs so far, best first
        self.scores: dict[str, list[float]] = {}  # of those
        self.liked: set[str] = set()  # addresses of liked pages, thumbs up included
        self.inputs: set[str] = set()  # addresses that are no outputs: what is liked, and where it started
        self.refused: set[str] = set()  # nor are these, for a person did not want them
        self.homes: set[str] = set()  # hosts of the inputs
        self.heredity: list[Keys] = []  # links of the parents, of each as often as it was chosen
        self.outlinks: dict[str, str] = {}  # where they lead, and from which parent
        self.times: dict[str, int] = {}  # parents, and how often each was chosen
        self.group = Group()
        self.ranking: deque[Link] = deque()  # pages of the category that were not used yet
        self.place = ""  # the address of that ranking, once it was asked for
        self.asked = 0  # how often it was
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
        """The liked pages, or one made-up page of what was asked for, which counts as none."""
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
        if not self.liked:  # nothing has to be made up any more
            self._like_nothing()
        self.liked.add(page.final_url)
        self.likeness.like(kept_words(page.words), self._read(page))

    def _read(self, page: Page) -> Indexed:
        """In terms; each page counts once in how rare they are."""
        terms, key = self.collection.read(page), key_of(page.final_url)
        if key not in self.counted:
            self.counted.add(key)
            self.collection.count(terms)
        return terms

    def judged(self, page: Page, verdict: Verdict) -> None:
        """A thumb up makes a page one more input, though it stays an output; a thumb down makes it neither."""
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
        """Addresses that the search may still come to, or choose."""
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
        """To the next step that has something to do."""
        if self.phase == "parents":
            self.phase = "children"
            self._meet()
        elif self._lacking() and not self.place and self.asked < PATIENCE and self.phase == "children":
            # Once is enough, unless that failed; then again in the next generation.
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
        """Children that are known need not be fetched."""
        wanted = {url: self._met(url) for url in self.outlinks if self._eligible(url)}
        for candidate in wanted.values():
            if candidate is not None:
                self._child(candidate)
        self.group = Group(Link(url) for url, candidate in wanted.items() if candidate is None)

    def _met(self, url: str) -> Candidate | None:
        return self.chosen.get(url) or self.known.get(url)

    def _next_ranked(self, count: int) -> list[Link]:
        """What is out of scope keeps its place in the ranking."""
        found, kept = list[Link](), list[Link]()
        while self.ranking and len(found) < count:
            link = self.ranking.popleft()
            if not self.allows(link.url):
                kept.append(link)
            elif self._eligible(link.url) and self._met(link.url) is None:
                found.append(link)
        self.ranking.extendleft(reversed(kept))
        self.tried += len(found)
        return found

    def _turn(self, now: float) -> None:
        """A generation is complete, and the next begins if somebody has children."""
        self.generation += 1
        parents = self._breed()
        if not parents and not self.added:
            self.phase = "done"
        summary = self.summary(now)
        self.note(now, "generation", **{**summary, "results": summary["results"][:SHOWN]})
        if self.phase != "done":
            self._gather(parents)

    def _gather(self, parents: Sequence[str]) -> None:
        """Ask for the parents once more. Those of the first generation are here, or are starting points."""
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

    def _ranked(self, outcome: Outcome) -> None:
        if outcome.visit.link.url != self.place:  # the topic was another when it was asked for
            return
        result = outcome.result
        if isinstance(result, Page):
            self.ranking.extend(result.links)
        elif result.kind != "excluded":  # there is such a Source, and it may answer another time
            self.place = ""

    def _parent(self, page: Page, outcome: Outcome) -> None:
        url = outcome.visit.link.url
        times = self.times.get(url, 0)
        if not times:  # nobody chose it: it is a starting point
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
        """Of those that were seen long ago the terms are forgotten; memory has their pages, should they come up."""
        while len(self.known) > ROOM:
            del self.known[next(iter(self.known))]

    # What a search decides

    def _child(self, candidate: Candidate) -> None:
        """The parents link to this page."""

    def _mutant(self, candidate: Candidate) -> None:
        """It came by a leap."""

    def _lacking(self) -> int:
        """How many leaps this generation still wants."""
        return 0

    @abstractmethod
    def _breed(self) -> Sequence[str]:
        """Choose, and name the parents of the next generation; none: the search is over."""

    # Scores

    def _scores(self, pool: Pool) -> dict[str, Score]:
        """Of all of them, by what is known of terms at this moment."""
        scores = self.likeness.scores([candidate.terms for candidate in pool.values()], self.collection)
        return dict(zip(pool, scores, strict=True))

    def _choose(self, pool: Pool, scores: Scores, count: int) -> None:
        """The fittest are the outputs so far; among equals who came first. Those out of scope stay chosen, and are told
        of when they are in scope again."""
        order = sorted(pool, key=lambda url: -scores[url].total)[:count]
        aside = {url: candidate for url, candidate in self.chosen.items() if not self.allows(url)}
        self.chosen = {url: pool[url] for url in order} | aside
        self.scores = {url: [*scores[url]] for url in order} | {url: self.scores[url] for url in aside}

    # For people

    def results(self) -> list[dict[str, Any]]:
        """The outputs so far, best first. While a search has not chosen enough, the best of what it knows besides."""
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
        """The search as it stands, for the note of a generation, and for whoever wants to know in between."""
        about = {"generation": self.generation, "fitness": round(self.fitness, 6), "final": self.phase == "done"}
        figures = {"fetched": self.fetched, "leaps": self.leaped, "seconds": now - self.began, **self._gauges()}
        return {**about, **figures, "results": self.results()}

    @property
    def fitness(self) -> float:
        """In the mean over the outputs so far."""
        best = [(terms + links) / 2 for url, (terms, links) in self.scores.items() if self.allows(url)]
        best = best[: self.params.outputs]
        return sum(best) / len(best) if best else 0.0

    def _gauges(self) -> dict[str, Any]:
        return {}

    def report(self) -> dict[str, Any]:
        if not hasattr(self, "group"):  # nothing has begun
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
