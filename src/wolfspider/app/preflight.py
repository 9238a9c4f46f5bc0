"""Before a crawl begins: are the settings good for one, what is its topic, which pages describe it, where it starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from wolfspider import __version__
from wolfspider.app.settings import SEARCH, SITEMAP, Settings
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, Fetch, Link, Page, host_of
from wolfspider.core.text import words
from wolfspider.core.topic import Topic
from wolfspider.store.base import Store
from wolfspider.web.http.ip_addresses import public, read_address
from wolfspider.web.http.polite import FLOOR
from wolfspider.web.page.html import parse
from wolfspider.web.seeds import sources
from wolfspider.web.worlds.world import Request, Web

LARGEST = 10_000_000  # bytes of a file that somebody likes
_CONTACT = re.compile(r"https?://[^\s()<>]+\.[^\s()<>]+|[^\s()<>@]+@[^\s()<>@]+\.[^\s()<>@]+")
_FILE = re.compile(r"/(?!/)|~|\.\.?/|(?!localhost/)(?:[^/.:]+/)*[^/:]+\.(?:html?|xhtml|txt|pdf)$", re.IGNORECASE)
# Those that say what a run is: with any other value of one of them it would be another run.
IDENTITY = frozenset(
    (
        *("urls", "seeds", "sitemap", "feed", "search", "results", "topic", "description", "like"),
        *("leaps", "category", "strategy", "set", "judge", "learned_from", "seed"),
        *("include", "exclude", "nofollow", "pdf"),
    )
)


def check(settings: Settings) -> None:
    """Everything that can be wrong with settings and be seen at once, each as a sentence."""
    if not (settings.topic or settings.description or settings.like):
        raise Problem('What is wanted? Say it by --topic "a few keywords", or by --like with a page you like.')
    if not any(words(f"{settings.topic} {settings.description}")) and not settings.like:
        raise Problem("The topic has no words.")
    if not _names_starts(settings) and all(map(_is_file, settings.like)):
        files = " A file of your own is no place to start from." if settings.like else ""
        raise Problem(
            "Where shall the crawl start? Give an address, or --seeds, --sitemap, --feed or --search; "
            f"or --like with the address of a page, which is a start, too.{files}"
        )
    for url in settings.urls:
        sources.address(url)
    via(settings)
    if settings.contact and not _CONTACT.fullmatch(settings.contact):
        raise Problem(f"--contact is a mail or web address, such as crawl@example.org, not {settings.contact[:80]!r}.")
    if not settings.contact and not is_local(settings):
        raise Problem(_missing(settings))
    elsewhere = settings.allow_private or settings.via or settings.seeds
    if not elsewhere and (asked := _asked(settings)) and all(map(_is_own, asked)):
        raise Problem(f"{asked[0]} is on your own machine or network: give --allow-private to crawl there.")


def _missing(settings: Settings) -> str:
    """What a crawl without a contact lacks: leave to go to one's own network, a contact, or both."""
    contact = "give --contact with a mail or web address of yours (or set WOLFSPIDER_CONTACT)"
    own = [] if settings.allow_private or settings.via else [url for url in _asked(settings) if _is_own(url)]
    if not own:
        return f"Who crawls? Sites want to know whom to write to: {contact}. Only crawls of your own machine need none."
    private = f"{own[0]} is on your own machine or network: give --allow-private to crawl there."
    if is_local(replace(settings, allow_private=True)):
        return f"{private} No contact is needed then."
    return f"{private} The crawl may go to public sites too, and these want to know whom to write to: {contact}."


def _names_starts(settings: Settings) -> bool:
    """Did the person say where to start? If not, the pages they like are where."""
    return any((settings.urls, settings.seeds, settings.sitemap, settings.feed, settings.search))


def is_local(settings: Settings) -> bool:
    """Does all of it happen on machines of one's own? Then nobody else has to know who asks."""
    server = via(settings)
    if server is not None:
        return _is_own_host(server[0])
    abroad = settings.search or (settings.leaps and not settings.leaps.startswith(SITEMAP))  # leads anywhere
    if not settings.allow_private or settings.seeds or abroad:
        return False
    return all(map(_is_own, _asked(settings)))


def _asked(settings: Settings) -> list[str]:
    """All addresses that the person named to be asked."""
    likes = [like for like in settings.like if not _is_file(like)]
    leaps = [settings.leaps.partition(":")[2]] if settings.leaps.startswith((SITEMAP, SEARCH)) else []
    search = [settings.search] if settings.search else []
    return [
        sources.address(url) for url in (*settings.urls, *settings.sitemap, *settings.feed, *likes, *search, *leaps)
    ]


def _is_own(url: str) -> bool:
    return _is_own_host(host_of(url))


def public_needs_contact(settings: Settings) -> bool:
    """Nobody said who crawls, as the crawl starts at home: then a link that leads out of there is not followed."""
    return not settings.contact and not settings.via


def floor_told(settings: Settings, delay: float) -> str:
    """A sentence for a person who asks for a shorter delay than public hosts are given; "" if there is none to tell."""
    if delay >= FLOOR or is_local(settings):
        return ""
    return f"Hosts at public addresses rest for {FLOOR:g} s between two requests, though the delay is {delay:g} s."


def _is_own_host(host: str) -> bool:
    name = host if host.count(":") > 1 and "]" not in host else re.sub(r":\d+$", "", host).strip("[]")
    if read_address(name) is not None:
        return not public(name)
    return name == "localhost" or name.endswith((".localhost", ".local", ".internal"))


def agent(settings: Settings) -> str:
    """How the crawler introduces itself."""
    return f"wolfspider/{__version__}" + (f" (+{settings.contact})" if settings.contact else "")


def via(settings: Settings) -> tuple[str, int] | None:
    """The one server that answers for every address, if there is one."""
    if not settings.via:
        return None
    host, colon, port = settings.via.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise Problem(f"--via is HOST:PORT, such as 127.0.0.1:8080, not {settings.via[:80]!r}.")
    return host.strip("[]"), int(port)


def topic_of(settings: Settings, liked: tuple[Page, ...] = ()) -> Topic:
    """Keywords are parted by commas. Where there is no description the words of the keywords serve as one: a page that
    has `kernel` and `linux` apart is nearer to "linux kernel" than one that has neither."""
    keywords = tuple(part.strip() for part in settings.topic.split(",") if part.strip())
    return Topic(keywords, settings.description or settings.topic.replace(",", " "), liked)


def _is_file(like: str) -> bool:
    """Is it a file of the person's own, or named like one? Everything else is an address."""
    return "://" not in like and (Path(like).is_file() or bool(_FILE.match(like)))


def _check_likes(settings: Settings) -> None:
    for like in settings.like:
        if Path(like).is_dir() and (like.startswith(".") or "." not in like):
            raise BadInput(f"{like} is a folder: --like takes a page, by its address or as a file.")
        if _is_file(like) and not Path(like).is_file():
            raise BadInput(f"There is no file {like}.")


def named(settings: Settings) -> list[str]:
    """Addresses that are asked before the crawl begins."""
    likes = [like for like in settings.like if not Path(like).is_file()]
    return [sources.address(url) for url in (*likes, *settings.sitemap, *settings.feed)]


async def fetch_liked(
    settings: Settings, store: Store, web: Web, remark: Callable[[str], None], asked: Callable[[], None] = lambda: None
) -> int:
    """Get the pages that describe the topic, and return how many downloads that cost. What is here from before a crash
    is not asked for again, and is not read again: a PDF is read for a limited time."""
    here = {fetch.url: fetch for fetch in store.liked()}
    for like in dict.fromkeys(settings.like):
        url = Path(like).absolute().as_uri() if _is_file(like) else sources.address(like)
        if url in here:
            continue
        if not url.startswith("file:") and _downloads(here) >= settings.pages:
            raise Problem("The pages you like take the whole budget: raise --pages.")
        fetch = liked_file(Path(like), url) if url.startswith("file:") else await web.fetch(Request(url))
        if fetch.failure is not None or fetch.status >= 400:
            remark(f"{url} cannot be had ({_why(fetch)}), so it does not describe the topic.")
        here[url] = fetch
        asked()
        page = parse(fetch)
        store.like(replace(fetch, page=page) if isinstance(page, Page) else fetch)
    if here and not (settings.topic or settings.description) and all(_why(fetch) for fetch in here.values()):
        raise Problem("None of the pages you like could be had, and there is no --topic: nothing says what is wanted.")
    return _downloads(here)


def _why(fetch: Fetch) -> str:
    if fetch.failure is not None:
        return in_words(fetch.failure)
    return in_words(Failure("status", str(fetch.status))) if fetch.status >= 400 else ""


def _downloads(liked: dict[str, Fetch]) -> int:
    """Files are at hand, and what was never asked for costs nothing."""
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


def listed(settings: Settings) -> list[str]:
    """Addresses in files that the person named. A run that is gone on with needs these files no more."""
    _check_likes(settings)
    return [url for path in settings.seeds for url in sources.from_file(path)]


def liked_starts(settings: Settings, liked: Iterable[Fetch]) -> list[str]:
    """Addresses of liked pages, as far as they could be had, where nothing else says where to start."""
    if _names_starts(settings):
        return []
    return [fetch.url for fetch in liked if not fetch.url.startswith("file:") and not _why(fetch)]


async def starting_points(
    settings: Settings,
    from_lists: list[str],
    web: Web,
    services: Web,
    allows: Callable[[str], bool],
    remark: Callable[[str], None],
) -> tuple[list[Link], int]:
    """Where the crawl starts, and how many requests it took to find out."""
    addresses = [*(sources.address(url) for url in settings.urls), *from_lists]
    wanted = sources.Wanted(
        addresses=tuple(addresses),
        sitemaps=tuple(map(sources.address, settings.sitemap)),
        feeds=tuple(map(sources.address, settings.feed)),
        service=sources.address(settings.search) if settings.search else "",
        words=settings.topic.replace(",", " ") or settings.description,
        most=max(1_000, settings.pages),
        results=settings.results,
        abroad=bool(settings.include),
    )
    gathered = await sources.gather(web, wanted, allows, services)
    for url, sentence in gathered.problems:
        remark(f"{url}: {sentence}")
    if not any(allows(link.url) for link in gathered.links):
        raise Problem("No starting point is in the crawl's scope: look at --include and --exclude.")
    return gathered.links, gathered.requests


def differing(settings: Settings, first: Settings) -> list[str]:
    """Settings by which this would be another run."""
    return [name for name in sorted(IDENTITY) if getattr(settings, name) != getattr(first, name)]


def check_same(settings: Settings, first: Settings, folder: Path) -> None:
    """A run goes on as it began, or not at all."""
    names = differing(settings, first)
    if names:
        told = ", ".join(f"{name} was {getattr(first, name)!r}" for name in names)
        raise Problem(
            f"{folder} is a run that was begun otherwise ({told}). Go on with it by `wolfspider resume {folder}`, "
            "or name another folder by --out."
        )
