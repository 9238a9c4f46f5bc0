"""Is this page good? A judge reads a page and says how much of what is wanted is in it.

Never: is this link worth following? That is the strategy's question; `Similarity`, below, is a measure for it.

Each judge computes a raw similarity in [0, 1] and has a border, the raw value from which on it calls a page relevant.
The verdict's score is the raw value bent in two straight pieces so that the border lies at 0.5; the raw value is in the
evidence. Judges that weigh words by how rare they are learn that from the pages they score, each once and in the order
of the crawl: the same pages in another order get slightly different scores, the same crawl always gets the same.
docs/judges.md tells what each is good for and how well it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from wolfspider.core.defaults import DEFAULT_JUDGE as DEFAULT_JUDGE
from wolfspider.core.errors import Problem, closest
from wolfspider.core.model import Link, Page, Verdict
from wolfspider.core.text import cosine, counted, counts, words
from wolfspider.core.topic import Topic
from wolfspider.learn.classifier import Classifier
from wolfspider.learn.examples import Examples
from wolfspider.learn.lexicon import Floats
from wolfspider.learn.likeness import Collection, Indexed, Likeness, kept_words, link_keys
from wolfspider.learn.stopwords import STOP_WORDS
from wolfspider.learn.terms import SHORTEST, Terms, met

DESCRIPTION = 0.5  # weight of a word of the description; one of a keyword has 1
_LIKED_WORDS = 20  # words taken from liked pages
_IDEOGRAPHS = "\u1100"  # from here on two characters say as much as a word
_MEMORY = 50_000  # texts of links whose similarity is remembered


class Judge(Protocol):
    def score(self, page: Page) -> Verdict: ...

    def learn(self, page: Page, label: bool) -> None:
        """A person's thumb, up or down."""
        ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: Mapping[str, Any]) -> None: ...

    def learned(self) -> dict[str, Any]:
        """What another run may start from."""
        ...

    def inherit(self, learned: Mapping[str, Any]) -> None: ...


def bend(raw: float, border: float) -> float:
    """[0, 1] onto [0, 1], monotone, the border onto 0.5."""
    raw = min(max(raw, 0.0), 1.0)
    if raw < border:
        return 0.5 * (raw / border)
    return min(1.0, 0.5 + 0.5 * ((raw - border) / (1.0 - border)))


def verdict(raw: float, border: float, **evidence: Any) -> Verdict:
    score = bend(raw, border)
    return Verdict(score, score >= 0.5, {"raw": round(raw, 6), **evidence})


def topic_weights(topic: Topic) -> dict[tuple[str, ...], float]:
    """Keywords at full weight, words of the description at half, the most frequent words of liked pages likewise; a
    word of the description that is a form of a keyword strengthens it. Short words are taken from keywords alone: in a
    sentence they are mostly glue, in any language that has letters."""
    weights: dict[tuple[str, ...], float] = {}
    for keyword in topic.keywords:
        term = tuple(words(keyword))
        if term:
            weights[term] = 1.0
    for word in dict.fromkeys(words(topic.description)):
        own = next((term for term in weights if len(term) == 1 and met(term[0], word)), None)
        if own:
            weights[own] += DESCRIPTION
        elif _is_telling(word):
            weights[(word,)] = DESCRIPTION
    for word in _frequent(topic.liked):
        weights.setdefault((word,), DESCRIPTION)
    return weights


def made_up_page(topic: Topic) -> dict[str, int]:
    """The words of a page that has nothing but what was asked for."""
    keywords = (word for keyword in topic.keywords for word in words(keyword))
    return counted([*keywords, *filter(_is_telling, words(topic.description))])


def _is_telling(word: str) -> bool:
    return len(word) >= SHORTEST or word >= _IDEOGRAPHS


def _frequent(pages: Iterable[Page]) -> list[str]:
    share: dict[str, float] = {}
    for page in pages:
        bag = counts(page)
        for word in filter(_is_telling, bag):
            share[word] = share.get(word, 0.0) + bag[word] / len(page.words)
    return sorted(share, key=share.__getitem__, reverse=True)[:_LIKED_WORDS]


class Similarity:
    """How near the text of a link is to the topic: the cosine of its words and the topic's terms, in [0, 1]."""

    def __init__(self, topic: Topic) -> None:
        self._terms = Terms(topic_weights(topic))
        self._norm = math.sqrt(sum(weight * weight for weight in self._terms.weights))
        self._memory: dict[str, float] = {}

    def of_text(self, text: str) -> float:
        value = self._memory.get(text)
        if value is None:
            if len(self._memory) >= _MEMORY:
                self._memory.clear()
            value = self._memory[text] = self.of_words(words(text))
        return value

    def of_words(self, text: Iterable[str]) -> float:
        bag = counted(text)
        found = self._terms.count(bag)
        common = sum(weight * count for weight, count in zip(self._terms.weights, found, strict=True) if count)
        if not common:
            return 0.0
        size = math.sqrt(sum(count * count for count in bag.values()))
        return min(1.0, common / (self._norm * size))


class Unlearning:
    """What a judge does who learns nothing."""

    def __init__(self, topic: Topic) -> None:
        """For judges that need no topic."""

    def learn(self, page: Page, label: bool) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        pass

    def learned(self) -> dict[str, Any]:
        return {}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        pass


class Keywords(Unlearning):
    """Akbari Torkestani's similarity (LAFC, equations 4 and 5): the cosine over the keywords alone."""

    BORDER = 0.75

    def __init__(self, topic: Topic) -> None:
        self._keywords = [term for term in dict.fromkeys(tuple(words(keyword)) for keyword in topic.keywords) if term]

    def score(self, page: Page) -> Verdict:
        bag = counts(page)
        found = {" ".join(term): self._count(page, bag, term) for term in self._keywords}
        return verdict(keyword_cosine(list(found.values())), self.BORDER, words=[name for name in found if found[name]])

    def _count(self, page: Page, bag: Mapping[str, int], term: tuple[str, ...]) -> int:
        if len(term) == 1 or not all(word in bag for word in term):
            return bag.get(term[0], 0) if len(term) == 1 else 0
        return sum(page.words[i : i + len(term)] == term for i, word in enumerate(page.words) if word == term[0])


def keyword_cosine(frequencies: Sequence[int]) -> float:
    """Of a topic that wants every keyword alike and a page with these frequencies, each over the largest."""
    largest = max(frequencies, default=0)
    if not largest:
        return 0.0
    page = {str(place): frequency / largest for place, frequency in enumerate(frequencies)}
    return min(1.0, cosine(dict.fromkeys(page, 1.0), page))


class Coverage(Unlearning):
    """How much of the topic a page covers: every term by how rare it is, as far as the page is full of it.

    raw = sum_i w_i r_i f_i / (f_i + k) / sum_i w_i r_i,   k = 1 + words / 500
    r_i = -ln max(0.01, (df_i + 1) / (n + 100))

    It is BM25 made a share, and steady. How often a word must be said depends on how long the page is, not on how long
    others are. A term starts as one that stands on a hundredth of all pages and cannot become rarer: words of the topic
    that the web does not know weigh no more than those it does, also when a good crawl has made these common.
    """

    BORDER = 0.2

    def __init__(self, topic: Topic) -> None:
        self._terms = Terms(topic_weights(topic))
        self.terms = self._terms.names
        self._pages = 0
        self._df = [0] * len(self._terms)

    def score(self, page: Page) -> Verdict:
        raw, found = self.measure(page)
        return verdict(raw, self.BORDER, words=found)

    def measure(self, page: Page) -> tuple[float, list[str]]:
        """The raw value, and which terms are there."""
        found = self._terms.count(counts(page))
        self._pages += 1
        self._df = [df + (count > 0) for df, count in zip(self._df, found, strict=True)]
        names = [name for name, count in zip(self.terms, found, strict=True) if count]
        return self._raw(1 + len(page.words) / 500, found) if names else 0.0, names

    def _raw(self, k: float, found: Sequence[int]) -> float:
        best = got = 0.0
        for weight, df, count in zip(self._terms.weights, self._df, found, strict=True):
            rare = weight * -math.log(max(0.01, (df + 1) / (self._pages + 100)))
            best += rare
            got += rare * count / (count + k)
        return got / best

    def state(self) -> dict[str, Any]:
        return {"pages": self._pages, "df": list(self._df)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._pages, self._df = state["pages"], list(state["df"])


class TfIdf(Unlearning):
    """The cosine of tf-idf vectors over all words of the page: tf = 1 + ln f, idf = ln((1 + n) / (1 + df)) + 1."""

    BORDER = 0.06

    def __init__(self, topic: Topic) -> None:
        wanted: dict[str, float] = {}
        for term, weight in topic_weights(topic).items():
            wanted.update({word: max(weight, wanted.get(word, 0.0)) for word in term})
        self._examples = Examples([wanted])

    def score(self, page: Page) -> Verdict:
        bag = counts(page)
        found = self._examples.compare(bag)
        norms = np.sqrt(found.examples * found.page)
        raw = float((found.common / np.maximum(norms, 1e-12)).mean())
        return verdict(raw, self.BORDER, words=[word for word in self._examples.bags[0] if word in bag])

    def state(self) -> dict[str, Any]:
        return self._examples.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        self._examples.restore(state)


class Alike(Unlearning):
    """Chen's measure (learn/likeness.py): half of what a page says and half of where it links to, each in the mean over
    the liked pages. Without these there is one made-up page of keywords and description, which links nowhere. A thumb
    up makes a page an example. Each page counts once, a liked one from the start and any other before it is
    scored, and is scored with what is known of all pages by then."""

    BORDER = 0.06
    MADE_UP_BORDER = 0.0002  # a page has little in common with a dozen words, however right they are
    MOST = 20  # examples

    def __init__(self, topic: Topic) -> None:
        self._collection = Collection()
        self._likeness = Likeness()
        self._made_up = not topic.liked
        self._given = set[str]()  # addresses of liked pages, which count from the start
        for page in topic.liked[: self.MOST]:
            indexed = self._like(page.words, page.links)
            if page.final_url not in self._given:
                self._given.add(page.final_url)
                self._collection.count(indexed)
        if self._made_up:
            self._like([word for word, times in made_up_page(topic).items() for _ in range(times)], ())

    def _like(self, words: Sequence[str], links: Sequence[Link]) -> Indexed:
        kept = kept_words(words)
        indexed = self._collection.indexed(kept, link_keys(links))
        self._likeness.like(kept, indexed)
        return indexed

    def score(self, page: Page) -> Verdict:
        indexed = self._collection.read(page)
        if page.final_url not in self._given:
            self._collection.count(indexed)
        (found,) = self._likeness.scores([indexed], self._collection)
        parts = {"terms": round(found.terms, 6), "links": round(found.links, 6)}
        matched = self._likeness.matched(indexed, self._collection)
        return verdict(found.total, self.MADE_UP_BORDER if self._made_up else self.BORDER, **parts, words=matched)

    def learn(self, page: Page, label: bool) -> None:
        if not label or len(self._likeness.inputs) >= self.MOST:
            return
        if self._made_up:
            self._likeness = Likeness()
            self._made_up = False
        self._like(page.words, page.links)

    def state(self) -> dict[str, Any]:
        known, likeness = self._collection.state(), self._likeness.state()
        return {
            "collection": {**known, "df": known["df"].copy()},
            "likeness": {**likeness, "inputs": list(likeness["inputs"])},
            "made_up": self._made_up,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self._collection = Collection.restored(state["collection"])
        self._likeness = Likeness.restored(state["likeness"])
        self._made_up = bool(state["made_up"])


class Learner:
    """A probabilistic classifier that starts from the keywords and teaches itself.

    s = coverage + 0.3 evidence;   P(relevant) = 1 / (1 + exp((0.2 - s) / 0.1))

    Coverage knows the words it was given; the evidence (learn/classifier.py) finds the others that go with them. Each
    page, once scored, counts as wanted by the cube of its coverage: only pages that are clearly on topic teach, and
    what was learnt is not its own teacher, so it cannot drift. Liked pages and thumbs count many times as much.
    """

    EVIDENCE = 0.3
    READ = 300  # distinct words
    SHOWN = 3  # words named in the evidence
    BORDER = 0.2
    SLOPE = 0.1
    UP = 3.0  # what a thumb weighs: a self-taught page weighs at most 1, mostly below 0.1
    DOWN = 20.0

    def __init__(self, topic: Topic) -> None:
        self._coverage = Coverage(topic)
        self._classifier = Classifier()
        for pages, label in ((topic.liked, True), (topic.disliked, False)):
            for page in pages:
                self.learn(page, label)

    def score(self, page: Page) -> Verdict:
        coverage, found = self._coverage.measure(page)
        names = self._read(page)
        ids = self._classifier.numbers(names)
        evidence = self._classifier.evidence(ids, list(islice(counts(page).values(), self.READ)))
        self._classifier.add(ids, coverage**3, 1 - coverage**3)
        raw = coverage + self.EVIDENCE * evidence.mean
        probability = 1 / (1 + math.exp(min(700.0, (self.BORDER - raw) / self.SLOPE)))
        parts = {"raw": round(raw, 6), "coverage": round(coverage, 6), "words": found}
        if probability >= 0.5 and (telling := self._telling(names, evidence.words)):
            parts["telling"] = telling
        return Verdict(probability, probability >= 0.5, parts)

    def _telling(self, names: Sequence[str], adds: Floats) -> list[str]:
        """The words that speak for a page most, for people: function words and very short ones count in the score, but
        tell nobody anything."""
        best = (names[place] for place in np.argsort(-adds, kind="stable") if adds[place] > 0)
        return list(islice((word for word in best if _is_telling(word) and word not in STOP_WORDS), self.SHOWN))

    def learn(self, page: Page, label: bool) -> None:
        ids = self._classifier.numbers(self._read(page))
        self._classifier.add(ids, self.UP * label, self.DOWN * (not label))

    def _read(self, page: Page) -> list[str]:
        """The first words say what a page is about, and reading no more makes the longest page as cheap as any."""
        return list(islice(counts(page), self.READ))

    def state(self) -> dict[str, Any]:
        return {"coverage": self._coverage.state(), "classifier": self._classifier.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._coverage.restore(state["coverage"])
        self._classifier.restore(state["classifier"])

    def learned(self) -> dict[str, Any]:
        return {"terms": list(self._coverage.terms), **self.state()}

    def inherit(self, learned: Mapping[str, Any]) -> None:
        """From a run that wanted the same; what another topic's run learnt would mislead."""
        if learned.get("terms") == list(self._coverage.terms):
            self.restore(learned)


class Oracle(Unlearning):
    """Pays the label as the score: for a bench, to measure the order of a crawl apart from judging."""

    def __init__(self, labels: Mapping[str, bool], key: Callable[[str], str]) -> None:
        self._relevant = frozenset(key(url) for url, label in labels.items() if label)
        self._key = key

    def score(self, page: Page) -> Verdict:
        relevant = self._key(page.final_url) in self._relevant
        return Verdict(float(relevant), relevant, {"raw": float(relevant)})


class Entry(NamedTuple):
    make: Callable[[Topic], Judge]
    sentence: str


JUDGES: Mapping[str, Entry] = {
    "classifier": Entry(Learner, "Starts from the topic's words, learns from clear pages and thumbs; a probability."),
    "coverage": Entry(Coverage, "BM25 as a share: how much of the topic's words the page has, rare ones first."),
    "tfidf": Entry(TfIdf, "The cosine of tf-idf vectors over all words of the page."),
    "likeness": Entry(Alike, "The mean likeness to pages you like, by what they say and where they link to."),
    "keywords": Entry(Keywords, "The keyword cosine of the learning-automata paper; any keyword may be enough."),
}
ORACLE = "oracle"


def make_judge(
    name: str, topic: Topic, labels: Mapping[str, bool] | None = None, key: Callable[[str], str] = str
) -> Judge:
    """`labels` and `key`, which brings addresses to the form they are compared in, are for the oracle alone."""
    if name == ORACLE:
        if labels is None:
            raise Problem("The judge 'oracle' needs to be told what is relevant: it works in a bench only.")
        return Oracle(labels, key)
    if name not in JUDGES:
        raise Problem(f"There is no judge {name!r}.{closest(name, (*JUDGES, ORACLE))}")
    return JUDGES[name].make(topic)
