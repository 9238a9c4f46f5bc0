"""The topics a synthetic web comes with, and what is relevant to each: known exactly, because the web was made so."""

from __future__ import annotations

from collections.abc import Container, Iterable

import numpy as np

from wolfspider.core.topic import Task, Topic
from wolfspider.web.worlds.synthetic.addresses import Addresses
from wolfspider.web.worlds.synthetic.answers import Trouble
from wolfspider.web.worlds.synthetic.counter import Shuffle, key_for, mix
from wolfspider.web.worlds.synthetic.sites import COMMUNITIES, Census, Fate, Sites
from wolfspider.web.worlds.synthetic.words import Vocabularies

TASKS = 5
_KEYWORDS, _DESCRIBING = 5, 10
_BLOCK = 1_000_000


def topic_for(lexicon: Vocabularies, seed: int, topic: int, taken: Container[str]) -> Topic:
    """Named by its most frequent word that is not taken. Five of its most frequent words are the keywords, the ten
    after those the description."""
    frequent = lexicon.keywords_among
    order = Shuffle(frequent, key_for(seed, f"keywords {topic}"))
    words = lexicon.topic_words(topic)
    keywords = dict.fromkeys(words[order.forward(number)] for number in range(frequent))
    described = words[frequent : frequent + _DESCRIBING]
    return Topic(
        tuple(keywords)[:_KEYWORDS], " ".join(described), name=next(word for word in words if word not in taken)
    )


def static_tasks(addresses: Addresses, trouble: Trouble) -> dict[str, Task]:
    sites, lexicon = addresses.sites, addresses.lexicon
    order = Shuffle(sites.topics, key_for(sites.params.seed, "tasks"))
    wanted = [order.forward(number) for number in range(TASKS)]
    pages = relevant_pages(sites, wanted)
    tasks: dict[str, Task] = {}
    for topic in wanted:
        described = topic_for(lexicon, sites.params.seed, topic, tasks)
        seeds = tuple(addresses.url(page) for page in _seeds(sites, trouble, topic, pages[topic]))
        relevant = frozenset(addresses.url(page) for page in pages[topic])
        tasks[described.name] = Task(described, seeds, relevant)
    return tasks


def relevant_pages(sites: Sites, topics: Iterable[int]) -> dict[int, list[int]]:
    """The pages relevant to each of these topics, found by one scan of all labels."""
    census = Census(sites)
    found: dict[int, list[int]] = {topic: [] for topic in topics}
    for first in range(0, sites.pages, _BLOCK):
        pages, labels = census.relevant(np.arange(first, min(first + _BLOCK, sites.pages)))
        for topic, chosen in found.items():
            chosen += pages[labels == topic].tolist()
    return found


def _seeds(sites: Sites, trouble: Trouble, topic: int, relevant: list[int]) -> list[int]:
    kind = sites.params.seeds
    key = key_for(sites.params.seed, f"seeds {topic}")
    if kind == "relevant":
        steady = [page for page in relevant if not trouble.failing(sites.host(page))] or relevant
        order = Shuffle(len(steady), key)
        return [steady[order.forward(number)] for number in range(min(3, len(steady)))]
    portals = [host for host in sites.portals if not trouble.failing(host)] or sites.portals
    portal = sites.starts[portals[key % len(portals)]]
    if kind == "cold":
        return [portal]
    return [_directory_page(sites, trouble, topic, portal), _elsewhere(sites, trouble, topic, key)]


def _directory_page(sites: Sites, trouble: Trouble, topic: int, otherwise: int) -> int:
    """A directory page that lists this topic; small webs may lack one."""
    for host in sites.directories:
        place = (sites.slot_of[topic] - host) % sites.topics
        page = sites.starts[host] + place
        if place < sites.size(host) and not trouble.failing(host) and sites.fate(page, host) == Fate.PAGE:
            return page
    return otherwise


def _elsewhere(sites: Sites, trouble: Trouble, topic: int, key: int) -> int:
    """The home page of a large host of another family of topics."""
    far = (topic + sites.topics // 2) % sites.topics
    hosts = [sites.host_in(far, community, 0) for community in range(COMMUNITIES)]
    steady = [host for host in hosts if host not in sites.special and not trouble.failing(host)] or hosts
    return sites.starts[steady[mix(key) % len(steady)]]
