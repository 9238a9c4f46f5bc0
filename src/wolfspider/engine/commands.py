"""The commands that a person may give to a running crawl, and their effects."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wolfspider.core import events
from wolfspider.core.errors import Problem
from wolfspider.core.events import EndReason
from wolfspider.core.limits import OF_HOSTS
from wolfspider.core.model import Link, Page, Verdict, is_web_address
from wolfspider.core.params import live_names, move, parameters
from wolfspider.core.scope import Rule
from wolfspider.engine.probes import nothing_to_draw_from

if TYPE_CHECKING:
    from wolfspider.engine.crawl import Crawl


def obey(crawl: Crawl, command: events.Command) -> Any:
    """Do it and return the old value where there is one; Problem says why it can't be done."""
    match command:
        case events.SetParam(name, value):
            old = move(crawl.strategy.params, name, value)
            crawl.strategy.changed(name, old)
            crawl.reinforcer.terms = crawl.strategy.terms(crawl.reinforcer.terms)
            return old
        case events.SetLimit(name, value):
            return _set_limit(crawl, name, value)
        case events.SetTopic(keywords, description):
            return _set_topic(crawl, keywords, description)
        case events.Label():
            return _label(crawl, command)
        case events.AddSeeds(urls, found=True):  # by others; what cannot be followed here is no reason to drop the rest
            links = [Link(url) for url in urls if is_web_address(url) and crawl.in_scope(url)]
            if links:
                crawl.strategy.seeds(links)
        case events.AddSeeds(urls):
            for url in urls:
                if not is_web_address(url):
                    raise Problem(f"A starting point is an http or https address, not {url[:80]!r}.")
                if crawl.scope.forgot(url):
                    raise Problem(f"{url} was forgotten, and this run does not ask for it again.")
                if not crawl.in_scope(url):
                    raise Problem(f"{url} is out of the crawl's scope; include it first.")
            crawl.strategy.seeds([Link(url) for url in urls])
        case events.Exclude(text):
            crawl.scope.exclude(Rule.read(text))
        case events.Include(text):
            crawl.scope.include(Rule.read(text))
            crawl.strategy.bring_back()
        case events.Pause():
            crawl.paused = True
        case events.Resume():
            crawl.paused = False
            crawl.reopen()
        case events.Finish():
            crawl.closing = EndReason.FINISHED
        case events.Stop():
            crawl.closing = EndReason.STOPPED
    return None


def _set_limit(crawl: Crawl, name: str, value: float) -> Any:
    if name not in live_names(crawl.limits):
        raise Problem(f"A limit that can be changed is one of {', '.join(live_names(crawl.limits))}, not {name!r}.")
    if name == "chance" and value and not crawl.strategy.queues:
        raise Problem(nothing_to_draw_from(crawl.strategy.name))
    whole = parameters(crawl.limits)[name].kind == "int" and math.isfinite(value)
    old = move(crawl.limits, name, math.floor(value) if whole else value)
    if name in OF_HOSTS:
        crawl.strategy.bring_back()
    return old


def _set_topic(crawl: Crawl, keywords: tuple[str, ...], description: str) -> list[str]:
    if not keywords and not description and not crawl.topic.liked:
        raise Problem("A topic needs keywords, a description or pages to resemble.")
    old = crawl.topic
    crawl.topic = replace(old, keywords=keywords, description=description)
    crawl.judge = crawl.judge_of(crawl.topic)
    for url, good in crawl.labels.items():
        held = crawl.memory.recall(url)
        if held and isinstance(held.result, Page):
            crawl.judge.learn(crawl.scope.cut(held.result), good)
    crawl.strategy.retopic(crawl.topic)
    crawl.prospects.begin_again()
    return list(old.keywords)


def _label(crawl: Crawl, label: events.Label) -> None:
    url, good = label.url, label.good
    addresses = [url] if "://" in url else crawl.memory.newest(url, 20)
    if not addresses:
        raise Problem(f"No page of {url} has been downloaded yet, so there is nothing to label.")
    for address in addresses:
        held = crawl.memory.recall(address)
        if held and isinstance(held.result, Page):
            crawl.memory.keep(address, held.result, labelled(good, label.by_teacher))
            crawl.label(crawl.scope.cut(held.result), good, label.by_teacher)
        else:
            crawl.note_label(address, good, label.by_teacher)  # it counts when the page comes


def labelled(good: bool, by_teacher: bool = False) -> Verdict:
    """A label is final."""
    return Verdict(float(good), good, {"label": good} | ({"by_teacher": True} if by_teacher else {}))
