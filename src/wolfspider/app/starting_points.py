"""Where a crawl starts, and the pages that describe its topic: gathered before it begins, over the network too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app import leaping
from wolfspider.app.assemble import agent, scope_of
from wolfspider.app.preflight import asked, via
from wolfspider.app.settings import Settings, is_own_file
from wolfspider.core.errors import BadInput, Nothing, Problem
from wolfspider.core.failures import in_words
from wolfspider.core.model import FEED, SITEMAP, Failure, Fetch, Link, Page, Question, host_of
from wolfspider.files.program_name import shell_command
from wolfspider.store.base import Store
from wolfspider.web.http import web_time
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.web_time import WebTime
from wolfspider.web.page.html import parse
from wolfspider.web.seeds import sources
from wolfspider.web.seeds.watched_lists import discovered
from wolfspider.web.worlds.world import Request, Web, WebWithout

LARGEST = 10_000_000  # bytes of a file that somebody likes
PATIENCE = 3.0  # seconds for --via to answer


class StartingPoints(NamedTuple):
    """What a crawl begins with."""

    links: list[Link]
    spent: int  # downloads, for liked pages


async def check_server(settings: Settings) -> None:
    """Does the one server for every address answer? If not, every page would fail, one after the other."""
    server = via(settings)
    if server is not None and not await Guard(via=server).somebody_answers(PATIENCE):
        raise Nothing(
            f"Nobody answers at {settings.via}, the server of --via. Start it there, such as by "
            f"`{shell_command('web', 'serve', 'WEB', '--port', server[1])}`, or say by --via where it answers."
        )


async def time_there(settings: Settings) -> WebTime | None:
    """The time in the web that is crawled, if it has one of its own."""
    server = via(settings)
    return None if server is None else await web_time.ask(Guard(via=server), PATIENCE, agent(settings))


def listed(settings: Settings) -> list[str]:
    """Addresses in files that the person named; a resumed run no longer needs these files."""
    for like in settings.like:
        if Path(like).is_dir() and (like.startswith(".") or "." not in like):
            raise BadInput(f"{like} is a folder: --like takes a page, by its address or as a file.")
        if is_own_file(like) and not Path(like).is_file():
            raise BadInput(f"There is no file {like}.")
    return [url for path in settings.seeds for url in sources.from_file(path)]


async def gather(
    settings: Settings,
    from_lists: list[str],
    store: Store,
    web: Live,
    remark: Callable[[str], None],
) -> StartingPoints:
    """Fetch liked pages into the store, then find out where to start. What was learned of hosts meanwhile outlives a
    failure, so that another try is polite."""
    for sentence in leaping.remarks(settings):
        remark(sentence)
    scope = scope_of(settings)
    scope.forget(store.forgotten())  # of a run that a repair began anew
    allows, asked_web = scope.allows, WebWithout(web, scope.forgot)
    services = WebWithout(web.without_robots(), scope.forgot)
    try:
        spent = await _fetch_liked(settings, store, web, remark)
        addresses = from_lists or liked_starts(settings, store.liked())
        wanted = sources.NamedStarts(
            addresses=(*map(sources.address, settings.urls), *addresses),
            sitemaps=tuple(map(sources.address, settings.sitemap)),
            feeds=tuple(map(sources.address, settings.feed)),
            service=sources.address(settings.search) if settings.search else "",
            words=settings.topic.replace(",", " ") or settings.description,
            most=max(1_000, settings.pages),
            results=settings.results,
            abroad=bool(settings.include),
        )
        gathered = await sources.gather(asked_web, wanted, allows, services)
        for url, sentence in gathered.problems:
            remark(f"{url}: {sentence}")
        lists = await _lists(wanted, asked_web, services, remark) if settings.watch else []
        if settings.territory and not any(allows(link.url) for link in gathered.links):
            remark("No starting point lies in this crawl's territory.")
        elif not any(allows(link.url) for link in gathered.links):
            raise Problem("No starting point is in the crawl's scope: look at --include and --exclude.")
        store.count("overhead", gathered.requests + web.counters.overhead)
    finally:
        store.keep_hosts(web.changed())
        store.commit()
    return StartingPoints([*gathered.links, *lists], spent + store.counts().get("salvaged", 0))


async def _lists(wanted: sources.NamedStarts, web: Web, services: Web, remark: Callable[[str], None]) -> list[Link]:
    """Feeds and sitemaps that a watch looks at besides: those that the person named, and those of the sites."""
    named = [*(Question(FEED, url) for url in wanted.feeds), *(Question(SITEMAP, url) for url in wanted.sitemaps)]
    found = await discovered(web, wanted.addresses, services)
    if found:
        remark(f"The sites name {len(found)} feed{'s' * (len(found) != 1)} of their news, which are watched, too.")
    return [*(Link(question.url, rel="seed") for question in named), *found]


def asked_before(settings: Settings, web: Live) -> None:
    """A session that was killed while it gathered may have asked any of these hosts a moment ago: let them rest."""
    for url in asked(settings):
        web.polite.asked(host_of(url))


async def _fetch_liked(settings: Settings, store: Store, web: Live, remark: Callable[[str], None]) -> int:
    """Get the pages that describe the topic, and return how many downloads that cost. Pages that an earlier try fetched
    are neither fetched nor parsed again: a PDF is parsed for a limited time."""
    fetched = {fetch.url: fetch for fetch in store.liked()}
    for like in dict.fromkeys(settings.like):
        url = Path(like).absolute().as_uri() if is_own_file(like) else sources.address(like)
        if url in fetched:
            continue
        if not url.startswith("file:") and _downloads(fetched) >= settings.pages:
            raise Problem("The pages you like take the whole budget: raise --pages.")
        fetch = liked_file(Path(like), url) if url.startswith("file:") else await web.fetch(Request(url))
        if trouble := _trouble(fetch):
            remark(f"{url} cannot be had ({trouble}), so it does not describe the topic.")
        fetched[url] = fetch
        store.keep_hosts(web.changed())
        page = parse(fetch)
        store.like(replace(fetch, page=page) if isinstance(page, Page) else fetch)
    if fetched and not (settings.topic or settings.description) and all(map(_trouble, fetched.values())):
        raise Problem("None of the pages you like could be had, and there is no --topic: nothing says what is wanted.")
    return _downloads(fetched)


def _trouble(fetch: Fetch) -> str:
    if fetch.failure is not None:
        return in_words(fetch.failure)
    return in_words(Failure("status", str(fetch.status))) if fetch.status >= 400 else ""


def _downloads(liked: dict[str, Fetch]) -> int:
    """Files are at hand, and a request that was never sent costs nothing."""
    return sum(
        not url.startswith("file:") and (fetch.failure is None or fetch.failure.asked) for url, fetch in liked.items()
    )


def liked_file(path: Path, url: str) -> Fetch:
    """A page that lies on the person's own disk."""
    try:
        with path.open("rb") as file:
            body = file.read(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from None
    if len(body) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1_000_000} MB: too much for a page to resemble.")
    return Fetch(url, url, 200, {}, body)


def liked_starts(settings: Settings, liked: Iterable[Fetch]) -> list[str]:
    """Addresses of liked pages, as far as they could be had, where nothing else says where to start."""
    if settings.names_starts():
        return []
    return [fetch.url for fetch in liked if not fetch.url.startswith("file:") and not _trouble(fetch)]


async def unless(ended: asyncio.Event, gathering: Coroutine[Any, Any, StartingPoints]) -> StartingPoints | None:
    """Servers may be slow to answer; a person who ends the crawl meanwhile need not wait for them."""
    tasks = asyncio.create_task(gathering), asyncio.create_task(ended.wait())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return await tasks[0] if tasks[0].done() else None
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
