"""The vocabulary that all packages share. Frozen values, JSON-able, without behaviour.

The kinds of failure, the expected ways not to get a page (a `Failure` is a value, never an exception):

    asked for, not answered     dns, connect, tls, timeout, slow
    answered, no page in it     status (404 ...), type (no HTML), size, empty, script (nothing to read without
                                JavaScript), encoding, redirect, trap
    never asked for             robots, blocked (the guard), excluded (scope), scheme, waiting, source, budget
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

FAILURES = (
    "dns",
    "connect",
    "tls",
    "timeout",
    "slow",
    "status",
    "type",
    "size",
    "empty",
    "script",
    "encoding",
    "redirect",
    "trap",
    "robots",
    "blocked",
    "excluded",
    "scheme",
    "waiting",
    "source",
    "budget",
    "crowded",
)
NEVER_ASKED = FAILURES[FAILURES.index("robots") :]
LASTING = frozenset(
    ["type", "size", "robots", "crowded", "empty", "script", "encoding", "redirect", "trap", "scheme", "blocked"]
)


LEAP, SEARCH, BACKLINKS, FEED, SITEMAP = "leap", "search", "backlinks", "feed", "sitemap"  # names of Sources


def is_web_address(url: str) -> bool:
    """Is this an address of the web, and not a question to a Source?"""
    return url.startswith(("http://", "https://"))


class Question(NamedTuple):
    """What a Source is asked. Its address is a link like any other: `leap:wolf spiders`."""

    source: str  # the name of the Source
    text: str

    @property
    def url(self) -> str:
        return f"{self.source}:{self.text}"

    @classmethod
    def of(cls, url: str) -> Question:
        """The question that an address asks which is none of the web."""
        source, _, text = url.partition(":")
        return cls(source, text)


def host_of(url: str) -> str:
    """Host (with port) of a canonical address; of a question the name of its Source."""
    parts = url.split("/", 3)
    if len(parts) > 2 and not parts[1] and ":" not in parts[0][:-1]:  # not `backlinks:http://...`
        return parts[2]
    return Question.of(url).source


def hidden(robots: Collection[str]) -> bool:
    """Does a page with these directives ask not to be indexed? Then it is read and followed, but never exported."""
    return "noindex" in robots


class Link(NamedTuple):
    """A hyperlink as seen on a page. A tuple, because a page brings a hundred of them."""

    url: str
    anchor: str = ""  # its visible text, white space folded
    at: int = 0  # index of the anchor's first word in the page's words
    block: tuple[int, int] = (0, 0)  # [first, last) words of the smallest element around it with at least 10 words
    path: str = ""  # tag path from the root with classes and ids: "html/body/div.nav#menu/ul/li/a"
    rank: int = 0  # position among the page's links
    rel: str = ""  # rel tokens, lower case, separated by blanks

    @property
    def host(self) -> str:
        return host_of(self.url)


class UnreadWords(NamedTuple):
    """The words of a page as they came from another process or from a file."""

    text: str  # with a blank between each two
    size: int  # how many they are


class UnreadCounts(NamedTuple):
    """How often each word is on a page, as it came from another process or from a file."""

    text: str  # each word once, with a blank between each two
    numbers: np.ndarray[Any, np.dtype[np.integer]]  # how often each is there


@dataclass(frozen=True, slots=True)
class Page:
    """A downloaded page, parsed."""

    url: str  # as asked for
    final_url: str  # where it was, after redirects
    title: str = ""
    words: tuple[str, ...] = ()  # every visible word in order: NFKC, casefolded, CJK as bigrams; nothing left out
    links: tuple[Link, ...] = ()
    size: int = 0  # bytes of the body, decompressed
    digest: str = ""  # of the body's bytes: equal digests, equal pages
    near: int = 0  # 64-bit signature of the words: few differing bits, nearly the same page
    published: float | None = None  # what the page says of itself
    modified: float | None = None  # Last-Modified
    language: str = ""  # ISO 639-1, "" where it can't be told
    robots: tuple[str, ...] = ()  # directives of its meta tags and headers: noindex, nofollow ...
    canonical: str = ""  # the address it would rather be known by
    description: str = ""
    status: int = 200
    type: str = "text/html"
    charset: str = "utf-8"
    truncated: bool = False
    at: float = 0.0  # when it was looked at
    main: str | None = None  # words of its title and its main text, a blank between each two, where they are wanted
    counts_: Mapping[str, int] | UnreadCounts | None = field(default=None, repr=False, compare=False)  # see text.counts
    unread_: UnreadWords | None = field(default=None, repr=False, compare=False)  # words, until somebody asks for them

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> tuple[str, ...]:
            """Called for a field without a value: the words of a page by `page_unread`, when they are asked for."""
            unread = self.unread_ if name == "words" else None
            if unread is None:
                return object.__getattribute__(self, name)
            words = tuple(unread.text.split(" "))
            object.__setattr__(self, "words", words)
            object.__setattr__(self, "unread_", None)
            return words


_made_words = Page.__dict__["words"].__get__
_COPIED = tuple(name for name in Page.__slots__ if name not in ("words", "links"))
_copied = attrgetter(*_COPIED)
_setters = tuple(Page.__dict__[name].__set__ for name in ("links", *_COPIED))


def page_unread(words: UnreadWords, **fields: Any) -> Page:
    """A page whose words are made when somebody asks for them: mostly they are only counted, stored and passed on."""
    page = Page(unread_=words, **fields)
    object.__delattr__(page, "words")
    return page


def unread_words(page: Page) -> UnreadWords | None:
    """None once somebody has asked for the words."""
    try:
        _made_words(page)
    except AttributeError:
        return page.unread_
    return None


def word_count(page: Page) -> int:
    unread = unread_words(page)
    return len(page.words) if unread is None else unread.size


def with_links(page: Page, links: tuple[Link, ...]) -> Page:
    """The page with other links. Words that nobody has asked for remain so."""
    if unread_words(page) is None:
        return replace(page, links=links)
    made = object.__new__(Page)
    for put, value in zip(_setters, (links, *_copied(page)), strict=True):
        put(made, value)
    return made


class Failure(NamedTuple):
    kind: str  # one of FAILURES
    detail: str = ""  # for people: "404", "text/css", "no answer within 30 s"

    @property
    def asked(self) -> bool:
        """Was a server asked for it? A visit that we turned away ourselves costs no download; one that was begun does,
        whether the name, the connection or the answer failed."""
        return self.kind not in NEVER_ASKED

    @property
    def lasting(self) -> bool:
        """Would asking again give the same? Then it is held in memory like a page."""
        if self.kind == "status":
            return self.detail[:1] == "4" and self.detail[:3] not in ("408", "425", "429")
        return self.kind in LASTING


NO_SUCH_NAME = Failure("dns", "no such name")


@dataclass(frozen=True, slots=True)
class Capture:
    """One answer as it came over the wire, for the archive: a redirect, a page, an error."""

    url: str
    at: float
    status: int
    headers: tuple[tuple[str, str], ...]  # as they came, transfer coding apart
    body: bytes  # as it came: still compressed where it was
    address: str = ""  # IP it came from
    cut: str = ""  # why the body is not all there: "length", "time" or "disconnect"
    asked: tuple[tuple[str, str], ...] = field(default=(), compare=False)  # the headers of the request, where known


@dataclass(frozen=True, slots=True)
class PackedCapture(Capture):
    """An answer packed for the archive already: it has neither headers nor a body here."""

    record: bytes = b""
    request: bytes = b""  # the record of the request it came for; empty where that is not known
    size: int = 0  # bytes of its body, decoded


@dataclass(frozen=True, slots=True)
class Fetch:
    """What a web answers. `page` is there already where a web keeps its pages parsed."""

    url: str
    final_url: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = b""
    failure: Failure | None = None
    seconds: float = 0.0
    at: float = 0.0
    hops: tuple[str, ...] = ()  # addresses passed on the way, final one excluded
    page: Page | None = None
    captures: tuple[Capture, ...] = ()  # every answer on the way, in order; empty where nothing is to be archived
    cut: bool = False  # the body is only the beginning

    @property
    def length(self) -> int:
        """Bytes of the body, also where it was left behind when its capture was packed."""
        last = self.captures[-1] if self.captures else None
        return last.size if isinstance(last, PackedCapture) else len(self.body)


FIRST_PROBE = 1 << 38  # the number of the first visit that was drawn by chance: strategies count theirs from 0


@dataclass(frozen=True, slots=True)
class Visit:
    """This agent wants this link."""

    id: int
    link: Link
    agent: str = ""
    source: str = ""  # the page that showed the link; "" for a starting point
    note: Mapping[str, Any] = field(default_factory=dict)  # the parts of its score, for `explain`
    fresh: bool = False
    deadline: float | None = None  # seconds it may take


class Route(StrEnum):
    """How a visit is answered. The last two are answers of a Room, and no event ever has them."""

    OUT = "out"  # by a download, or by a Source that is asked over the network
    HELD = "held"  # from memory: the run has the page, or a lasting failure
    JOINED = "joined"  # together with a visit to the same address that is out
    SOURCE = "source"  # by a Source at hand
    EXCLUDED = "excluded"  # not at all: the address is out of scope
    JOINS = "joins"  # like joined, with a visit that goes out in the same turn
    REFUSED = "refused"  # no room: the visit cannot start in this turn


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of a page: score in [0, 1], 0.5 is the border; the raw similarity is in the evidence."""

    score: float
    relevant: bool
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def probability(self) -> float | None:
        """That the page is relevant, if the judge gives one: the score orders pages and has the border at 0.5, but of
        the pages with a score of 0.8 not 80 % need be relevant. It is kept with the evidence."""
        return self.evidence.get("probability")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a visit."""

    visit: Visit
    result: Page | Failure
    verdict: Verdict | None  # None for failures and for the answers of Sources
    downloads: int  # what it cost: 0 if cached
    seconds: float
    at: float
    cached: bool = False

    @property
    def page(self) -> Page | None:
        return self.result if isinstance(self.result, Page) else None


@dataclass(frozen=True, slots=True)
class Credit:
    """A reward or a penalty for a visit; it may arrive much later than the page."""

    visit: int
    agent: str
    value: float
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class Sent:
    """A document that a strategy hands to the reinforcer."""

    visit: int
    agent: str
    url: str
    digest: str
    published: float | None
    verdict: Verdict | None
