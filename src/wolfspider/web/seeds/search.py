"""Searches: starting points from words alone, by a SearXNG service that the person names.

SearXNG asks many search engines at once and answers in JSON, if its settings allow that format. It brings a page of
results at a time; pages are asked for until there are enough, or one brings nothing new.

The robots.txt of a SearXNG forbids its search addresses to crawlers of the site. A client of the service is none: the
Web that is handed in here is one that does not ask robots.txt, or every search would end with that.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Fetch, Page, Question
from wolfspider.web.page.urls import canonical
from wolfspider.web.seeds.bounded_formats import list_of, loaded, text_of
from wolfspider.web.seeds.gathered import Allows, Gathered, Gathering, harmless, trouble_with
from wolfspider.web.worlds.world import Web

MOST_PAGES = 50
MOST_RESULTS = 500  # of one page
LONGEST_QUERY = 1_000  # characters
_FEW = 5  # engines that are named as silent

_NOT_ENABLED = (
    "The JSON format is not enabled on this instance: add json under search.formats in its settings.yml, "
    "or name another instance."
)
_NO_JSON = "It answers with a page, not with JSON: is it the address of a SearXNG service? " + _NOT_ENABLED
_SAID = {
    "403": _NOT_ENABLED,
    "404": "There is no search here: give the address of the service itself, as http://localhost:8080.",
    "429": "The instance limits how often it is asked: wait, or use an instance of your own.",
}


def everything(url: str) -> bool:
    return True


async def search(
    web: Web, service: str, words: str, most: int, allows: Allows = everything, language: str = ""
) -> Gathered:
    """What the service finds for the words, best first, with the titles as anchors."""
    gathering = Gathering(web, most)
    met: set[str] = set()
    for number in range(1, MOST_PAGES + 1):
        if gathering.full:
            break
        address = query(service, words, number, language)
        fetch = await gathering.fetch(address)
        answer = loaded(fetch.body)
        if trouble := _trouble(fetch, answer):
            gathering.remark(address, trouble)
            break
        if not _keep(gathering, answer, met, allows):
            if not met:
                gathering.remark(address, _nothing(words, answer))
            break
    return gathering.gathered()


class Searches:
    """The Source of addresses like `search:wolf spiders`: pages whose links are what the service finds for the words.
    `web` gives the Web to ask by, once there is one."""

    network = True

    def __init__(self, web: Callable[[], Web], service: str, most: int, allows: Allows = everything) -> None:
        self.web, self.service, self.most, self.allows = web, service, most, allows

    def look(self, url: str, now: float) -> Page | Failure:
        return Failure("source", "a search service is asked by crawls of the live web only")

    async def ask(self, url: str, now: float) -> Page | Failure:
        words = Question.of(url).text
        try:
            found = await search(self.web(), self.service, words, self.most, self.allows)
        except Problem as problem:  # nothing, or too much, to search for
            return Failure("source", str(problem))
        if not found.links:
            return Failure("source", found.problems[0][1] if found.problems else "nothing in scope was found")
        return Page(url, url, harmless(words), links=tuple(found.links), type="", at=now)


def query(service: str, words: str, number: int = 1, language: str = "") -> str:
    """The address of a page of results. The service may be given with or without /search."""
    words = " ".join(words.split())
    if not words:
        raise Problem("There is nothing to search for: give the words with --topic.")
    if (base := canonical(service)) is None:
        raise Problem(f"A search service is an http(s) address, as http://localhost:8080, not {service[:80]!r}.")
    base = base.partition("?")[0].rstrip("/").removesuffix("/search")
    spoken = f"&language={quote(language, safe='')}" if language else ""
    text = quote(words[:LONGEST_QUERY].encode("utf-8", "replace"), safe="")
    address = canonical(f"{base}/search?q={text}&format=json&pageno={number}{spoken}")
    if address is None:
        raise Problem("The search is too long: give fewer words with --topic.")
    return address


def _trouble(fetch: Fetch, answer: object) -> str:
    """Why there are no results to be read, as a sentence that helps; "" if there are."""
    status = fetch.failure.detail[:3] if fetch.failure and fetch.failure.kind == "status" else str(fetch.status)
    if status in _SAID:
        return _SAID[status]
    if trouble := trouble_with(fetch):
        return trouble
    if answer is None and fetch.body.lstrip()[:1] == b"<":
        return _NO_JSON
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        return "Its answer is not what SearXNG gives: is it the address of a SearXNG service?"
    return ""


def _keep(gathering: Gathering, answer: object, met: set[str], allows: Allows) -> bool:
    """Were there results that had not been met before, in scope or not?"""
    before = len(met)
    for result in list_of(answer, "results")[:MOST_RESULTS]:
        if (url := canonical(text_of(result, "url"))) and url not in met:
            met.add(url)
            if allows(url):
                gathering.add(url, text_of(result, "title"), "search")
    return len(met) > before


def _nothing(words: str, answer: object) -> str:
    """SearXNG tells which engines did not answer as pairs of name and reason."""
    silent = [
        harmless(f"{pair[0]} ({pair[1]})")
        for pair in list_of(answer, "unresponsive_engines")[:_FEW]
        if isinstance(pair, list) and len(pair) > 1
    ]
    tail = f" Engines that did not answer: {', '.join(silent)}." if silent else " Try fewer or other words."
    return f"It finds nothing for {harmless(words)!r}.{tail}"
