"""Settings checked before anything is made: no network, and everything that is wrong is a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from wolfspider.app.plugins import judge_maker, strategy_kind
from wolfspider.app.quiet_hours import QuietHours
from wolfspider.app.settings import SITEMAP_PREFIX, STARTS, Settings, is_own_file, known
from wolfspider.core.errors import Problem, to_install
from wolfspider.core.model import host_of
from wolfspider.core.params import chosen
from wolfspider.core.plain_text import refuse_controls
from wolfspider.core.territory import SiteShare
from wolfspider.core.text import words
from wolfspider.drivers.cluster.ray_home import check_installed
from wolfspider.engine.probes import nothing_to_draw_from
from wolfspider.policy.judges import EVERYTHING
from wolfspider.store.folder import refuse_among_files
from wolfspider.web.http.ip_addresses import (
    Network,
    bare_host,
    is_own_host,
    is_wide,
    may_be_opened,
    read_address,
    read_network,
)
from wolfspider.web.http.polite import FLOOR
from wolfspider.web.memory_budget import EACH, MEGABYTE, MemoryBudget, enough, least
from wolfspider.web.seeds import sources

_CONTACT = re.compile(r"https?://[^\s()<>]+\.[^\s()<>]+|[^\s()<>@]+@[^\s()<>@]+\.[^\s()<>@]+")


class NothingWanted(Problem):
    """Nothing says what a good page is."""


class NoStart(Problem):
    """There is no address to begin at."""


def check(settings: Settings) -> None:
    """Everything that can be wrong with settings and be seen at once, each as a sentence."""
    if not (settings.topic or settings.description or settings.like or settings.judge == EVERYTHING):
        raise NothingWanted('What is wanted? Say it by --topic "a few keywords", or by --like with a page you like.')
    wanted = f"{settings.topic} {settings.description}"
    if settings.judge != EVERYTHING and not any(words(wanted)) and not settings.like:
        raise Problem("The topic has no words.")
    if not settings.names_starts() and all(map(is_own_file, settings.like)):
        files = " A file of your own is no place to start from." if settings.like else ""
        options = [f"--{name}" for name in STARTS if name != "urls"]
        raise NoStart(
            f"Where shall the crawl start? Give an address, or {', '.join(options[:-1])} or {options[-1]}; "
            f"or --like with the address of a page, which is a start, too.{files}"
        )
    for url in settings.urls:
        try:
            sources.address(url)
        except sources.NoHost as problem:
            raise Problem(f"{problem} Words to look for go with --topic.") from None
    via(settings)
    networks(settings)
    QuietHours.read(settings.quiet_hours)
    if settings.contact and not (_CONTACT.fullmatch(settings.contact) and settings.contact.isprintable()):
        raise Problem(f"--contact is a mail or web address, such as crawl@example.org, not {settings.contact[:80]!r}.")
    if not settings.contact and not is_local(settings):
        raise Problem(_missing(settings))
    elsewhere = _allows_own(settings) or settings.via or settings.seeds
    if not elsewhere and (named := asked(settings)) and all(map(_is_own, named)):
        raise Problem(_closed(named[0]))
    check_territory(settings)
    _check_memory(settings)
    kind = strategy_kind(settings.strategy)
    chosen(kind.Params, settings.set)
    if settings.chance and not kind.queues:
        raise Problem(nothing_to_draw_from(kind.name))
    if settings.pdf and find_spec("pypdf") is None:
        raise Problem(f"--pdf needs a library that is not installed: {to_install('pdf')}")
    if settings.judge_text == "main" and find_spec("resiliparse") is None:
        raise Problem(f"--judge-text main needs a library that is not installed: {to_install('text')}")
    if settings.cluster:
        check_installed()
    judge_maker(settings.judge)


def _check_memory(settings: Settings) -> None:
    hands = hand_count(settings)
    if megabytes(settings) >= (wanted := least(hands)):
        return
    told = f" with {_hands_told(hands)}" if hands else ""
    fewer = ", or fewer --hands" if hands > bool(settings.cluster) else ""
    most, whole = _megabytes_told(settings.largest), enough(hands, settings.largest)
    raise Problem(
        f"--memory {settings.memory} is too little: give {wanted} at least{told}{fewer}. For pages of {most} it takes "
        f"{whole}; with less, longer ones are cut."
    )


def with_enough_memory(settings: Settings) -> Settings:
    """A run that an earlier version began with memory that is too little today has what suffices by default."""
    return settings if megabytes(settings) >= least(hand_count(settings)) else replace(settings, memory=0)


def check_territory(settings: Settings, who: str = "a crawl with a territory") -> None:
    """What is asked beside the crawl may lie anywhere, and sites of others are not asked, or two crawls would take
    turns there that do not know of each other. `who`: in the words of what the person gave."""
    if SiteShare.read(settings.territory) is None:
        return
    if settings.watch:
        raise Problem("A watch has no territory: it looks for feeds and sitemaps, which may lie on any site.")
    for name in ("sitemap", "feed", "search", "leaps", "requisites"):
        if getattr(settings, name):
            off = _off(name)
            raise Problem(f"--{name} asks sites of any territory, and {who} asks those of its own alone: {off}.")
    if not all(map(is_own_file, settings.like)):
        raise Problem(f"A page that is liked may lie on a site that {who} may not ask: give --like a file of your own.")
    if settings.hands or settings.cluster:
        which = "hands" if settings.hands else "cluster"
        raise Problem(f"{who[0].upper()}{who[1:]} sends its requests itself: {_off(which)}.")


def _off(name: str) -> str:
    """How a person does without a setting, which a preset may have brought."""
    option, kind = f"--{name}", known()[name].kind
    return f"leave {option} away, or give {option} 0 if a preset brings it" if kind == "int" else f"leave {option} away"


def check_record(settings: Settings, folder: Path | None) -> None:
    """A recording has a folder of its own, wherever a link that was named leads."""
    if settings.record:
        refuse_among_files(Path(settings.record).resolve(), "--record", folder)


def check_texts(settings: Settings) -> None:
    """For a new run alone: one that was begun otherwise is resumed as it is."""
    refuse_controls(settings.topic, "The topic")
    refuse_controls(settings.description, "The description")


def _missing(settings: Settings) -> str:
    """What a crawl without a contact lacks: leave to go to one's own network, a contact, or both."""
    contact = "give --contact with a mail or web address of yours (or set WOLFSPIDER_CONTACT)"
    own = [] if _allows_own(settings) or settings.via else [url for url in asked(settings) if _is_own(url)]
    if not own:
        return f"Who crawls? Sites want to know whom to write to: {contact}. Only crawls of your own machine need none."
    private = _closed(own[0])
    if _stays_closed(own[0]):
        return private
    if is_local(replace(settings, allow_private=True)):
        return f"{private} No contact is needed then."
    return f"{private} The crawl may go to public sites too, and these want to know whom to write to: {contact}."


def _closed(url: str) -> str:
    """What to give in order to crawl there, if that is possible."""
    if _stays_closed(url):
        return f"{url} stays closed: it is link local, of no machine, or where a cloud keeps its keys."
    return (
        f"{url} is on your own machine or network: to crawl there, give --allow-private, or --allow-network with the "
        "network it is in."
    )


def _stays_closed(url: str) -> bool:
    host = bare_host(host_of(url))
    return read_address(host) is not None and not may_be_opened(host)


def is_local(settings: Settings) -> bool:
    """Does all of it happen on machines of one's own? Then nobody else has to know who asks."""
    server = via(settings)
    if server is not None:
        return is_own_host(server[0])
    abroad = settings.search or (settings.leaps and not settings.leaps.startswith(SITEMAP_PREFIX))  # leads anywhere
    if not _allows_own(settings) or settings.seeds or abroad:
        return False
    return all(map(_is_own, asked(settings)))


def _allows_own(settings: Settings) -> bool:
    return settings.allow_private or bool(settings.allow_network)


def asked(settings: Settings) -> list[str]:
    """All addresses that the person named to be asked, each in its one spelling."""
    return [sources.address(url) for url in settings.addresses()]


def _is_own(url: str) -> bool:
    return is_own_host(host_of(url))


def public_needs_contact(settings: Settings) -> bool:
    """Nobody said who crawls, as the crawl starts at home: then a link that leads out of there is not followed."""
    return not settings.contact and not settings.via


def told(settings: Settings, delay: float) -> Iterator[str]:
    """Sentences on what the settings mean that a person might not expect."""
    sentences = floor_told(settings, delay), cut_told(settings), wide_told(settings), few_hands_told(settings)
    yield from filter(None, sentences)


def few_hands_told(settings: Settings) -> str:
    """A sentence for a person who wants more hands than there can be; "" if there can be as many."""
    if (count := hand_count(settings)) == settings.hands or settings.cluster:
        return ""
    there = f"There {'is' if count == 1 else 'are'} {_hands_told(count)}, not {settings.hands}"
    return f"{there}: each needs one of the requests that --per-address allows."


def floor_told(settings: Settings, delay: float) -> str:
    """A sentence for a person who asks for a shorter delay than public hosts are given; "" if there is none to tell."""
    if delay >= FLOOR or is_local(settings):
        return ""
    return f"Hosts at public addresses rest for {FLOOR:g} s between two requests, though the delay is {delay:g} s."


def wide_told(settings: Settings) -> str:
    """A sentence for a person who opens more than any network of one's own; "" for all others."""
    wide = [str(network) for network in networks(settings) if is_wide(network)]
    if not wide:
        return ""
    return (
        f"--allow-network {wide[0]} opens every private address in it to the links and redirects of any page; "
        "better name the network that you mean, such as 10.1.0.0/16."
    )


def cut_told(settings: Settings) -> str:
    """A sentence for a person whose memory does not suffice for the pages they want; "" if it does."""
    largest = memory_budget(settings).largest
    if largest >= settings.largest:
        return ""
    count = hand_count(settings)
    hands = f" for the crawl and {_hands_told(count)}" if count else ""
    most, whole = _megabytes_told(settings.largest), enough(count, settings.largest)
    return (
        f"Pages are cut at {_megabytes_told(largest)}, since {megabytes(settings)} MB of memory{hands} leave no "
        f"room for larger ones. For {most} give --memory {whole}."
    )


def _megabytes_told(size: int) -> str:
    return f"{size / MEGABYTE:.1f} MB"


def hand_count(settings: Settings) -> int:
    """Hands that are processes, on a cluster those of one machine. They share what one address may be asked for at a
    time, and each needs some of it."""
    if settings.cluster:
        return max(1, settings.hands)
    most = settings.per_address if settings.per_address and not settings.via else settings.hands
    return min(settings.hands, most)


def _hands_told(count: int) -> str:
    return f"{count} hand{'s' * (count != 1)}"


def megabytes(settings: Settings) -> int:
    """That all processes of the crawl may take, on a cluster those of one machine."""
    return settings.memory or EACH * (hand_count(settings) + 1)


def memory_budget(settings: Settings) -> MemoryBudget:
    return MemoryBudget(megabytes(settings) * MEGABYTE, hand_count(settings), settings.largest)


def via(settings: Settings) -> tuple[str, int] | None:
    """The one server that answers for every address, if there is one."""
    if not settings.via:
        return None
    host, colon, port = settings.via.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise Problem(f"--via is HOST:PORT, such as 127.0.0.1:8080, not {settings.via[:80]!r}.")
    return host.strip("[]"), int(port)


def networks(settings: Settings) -> tuple[Network, ...]:
    """Those of the person's own that are open."""
    return tuple(map(read_network, settings.allow_network))
