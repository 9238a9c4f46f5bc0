"""What a page says: its words, its links and notes about itself, gathered by a reader that goes over its markup.

Elements that run within a line (`<b>`, `<span>`) are no boundaries; all others are, and so are links, so that an anchor
always begins a word. What stands between two boundaries is a passage, and a place on the page is the number of passages
before it.

When all is told, the passages are turned into words at once, and places into numbers of words. For each link there is
its place, the tag path, and the block: the smallest element around it, among those that are boundaries, with at least
ten words. Elements that have links are noted as they end, inner ones before outer ones; so the first that says enough
is the block of all its links that have none yet.

There are two readers. tree_walk.py goes over the tree of any page; plain_markup.pyx, where it was compiled, goes over
the bytes of a page whose tree holds no surprise. Both tell the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from wolfspider.core.model import Link, UnreadWords
from wolfspider.core.text import WordsRead, words
from wolfspider.web.page.bounded_text import MOST_TEXT, MOST_WORDS, cut_to_bounds, folded, words_within

if TYPE_CHECKING:
    from wolfspider.web.page.plain_passages import Passages

MOST_LINKS = 5_000
OUR_NAMES = ("robots", "wolfspider")  # whom directives may be meant for
ANCHOR = TAG_PATH = 300  # characters
TITLE = 1_000
BLOCK = 10  # words that make an element say something
NONE = -1  # no link
_LABEL = 100  # characters of one element in a tag path
SAMPLE = 200  # characters that a language is told from: twice as many take twice the time
_META = 4_096
_JSON = 262_144
_MOST_ROBOTS = 100  # meta tags with directives
_FEW = 10  # scripts of JSON-LD and dates that are looked at

Attributes = Mapping[str, str | None]
Ended = tuple[int, int, int, int]  # an element: from, to, links before, links so far

_WITHIN_A_LINE = """
    b i em strong span font u s small big sub sup code tt kbd samp var abbr acronym mark q cite dfn ins del strike
    wbr bdi bdo nobr ruby -comment
"""
INLINE = frozenset(_WITHIN_A_LINE.split())
CLOSED = frozenset(  # not seen, or always empty
    ("style", "template", "svg", "noframes", "noembed", "canvas", "datalist", "-comment", "br", "hr")
)


class PageReading:
    """A reader of markup puts texts into `texts` and passages, calls for each element the method named after its tag,
    and ends with `finish`. `path` gives the tag path of the innermost open element, `in_article` whether one of the
    open elements is an article: the reader knows both, and is asked only when they are needed."""

    def __init__(self, path: Callable[[], str], in_article: Callable[[], bool]) -> None:
        self.meta: dict[str, str] = {}  # by name in lower case, the first of each
        self.robots: list[str] = []  # what its meta tags ask of us
        self.json: list[str] = []  # scripts of JSON-LD
        self.times: list[str] = []  # dates of its articles
        self.title = self.base = self.canonical = self.language = ""
        self.texts: list[str] = []  # since the last boundary
        self.passages: list[str] | Passages = []
        # Links as found in the markup, in columns, for there are hundreds. Their texts are worked out when needed.
        self.hrefs: list[str] = []
        self.rels: list[str] = []
        self.firsts: list[int] = []  # their places, and those of what follows their texts
        self.lasts: list[int] = []
        self.paths: list[str] = []
        self.alternatives: dict[int, str] = {}  # the texts of their pictures
        self.ended: list[Ended] = []  # elements with links
        self.open = NONE  # the link that is being read
        self.words: list[str] | UnreadWords = []
        self.counts: dict[str, int] | None = None  # of the words, if somebody counted them
        self.near: int | None = None  # their signature, if somebody worked it out
        self.truncated = False
        self._path, self._in_article = path, in_article
        self._programs = self._pictures = 0
        self._title_at: int | None = None  # its place
        self._before: Sequence[int] = [0]  # words before each passage, and in all

    def finish(self, read: WordsRead | None = None) -> None:
        """`read`: the words of the passages, if the reader has read them."""
        self.let_go()
        self.flush()
        cut = False
        if read is None:
            self.passages = passages = list(self.passages)
            characters = sum(map(len, passages))
            cut = characters >= MOST_TEXT
            if cut:
                cut_to_bounds(passages)
            read = words_within(passages, characters)
        self.words, self._before, self.counts, self.near = read
        self.truncated = cut or self._before[-1] >= MOST_WORDS

    def let_go(self) -> None:
        """Forget the reader, which refers to this object: no circle is left behind, since garbage is sought seldom."""
        self._path, self._in_article = str, bool

    @property
    def sample(self) -> str:
        """The beginning of what it shows, from which a language can be told."""
        shown: list[str] = []
        room = SAMPLE
        for place, passage in enumerate(self.passages):
            if room <= 0:
                break
            if place != self._title_at:
                shown.append(passage)
                room -= len(passage) + 1
        return " ".join(shown)[:SAMPLE]

    @property
    def needs_scripts(self) -> bool:
        """Does it show nothing at all, whatever its title says, but has scripts that might?"""
        title = self._title_at
        spoken = 0 if title is None else self._before[title + 1] - self._before[title]
        return self._programs > 0 and not self.hrefs and not self._pictures and self._before[-1] == spoken

    def flush(self) -> None:
        """A boundary: what was gathered since the last one is a passage."""
        texts = self.texts
        if texts:
            self.passages.append(texts[0] if len(texts) == 1 else "".join(texts))
            texts.clear()

    def _link(self, tag: str, attributes: Attributes, href: str, rel: str) -> int:
        """The number of a new link; NONE if it leads nowhere but to this page."""
        href = href.strip()
        if not href or href[0] == "#":
            return NONE
        self.hrefs.append(href)
        self.rels.append(rel)
        self.firsts.append(len(self.passages))
        self.lasts.append(len(self.passages))
        self.paths.append(f"{self._path()}/{label(tag, attributes)}"[:TAG_PATH])
        return len(self.hrefs) - 1

    def _begin(self, link: int) -> None:
        """What is read from here belongs to this link, and no longer to another."""
        if self.open != NONE:
            self.lasts[self.open] = len(self.passages)
        self.open = link

    def close(self, link: int) -> None:
        if self.open == link:
            alternative = self.alternatives.get(link)
            if alternative and not any(map(words, self.passages[self.firsts[link] :])):
                self.passages.append(alternative)
            self.lasts[link] = len(self.passages)
            self.open = NONE

    def links(self, addresses: Sequence[str | None]) -> tuple[Link, ...]:
        """Each address once, in the order of first sight, told by its first place that has a text. The addresses are
        those of the hrefs, None for what is no link."""
        parts = (self.passages, self.firsts, self.lasts, self._before, self.ended, self.paths, self.rels)
        return links_of(addresses, *parts, MOST_LINKS, ANCHOR, BLOCK)

    # What single elements say.

    def a(self, attributes: Attributes) -> None:
        self._begin(self._link("a", attributes, attributes.get("href") or "", attributes.get("rel") or ""))

    def area(self, attributes: Attributes) -> None:
        link = self._link("area", attributes, attributes.get("href") or "", attributes.get("rel") or "")
        if link != NONE:
            self._begin(link)
            self.alternatives[link] = (attributes.get("alt") or "")[:ANCHOR]
            self.close(link)

    def frame(self, tag: str, attributes: Attributes) -> None:
        self._link(tag, attributes, attributes.get("src") or "", "frame")

    def img(self, attributes: Attributes) -> None:
        self._pictures += 1
        if self.open != NONE and len(before := self.alternatives.get(self.open, "")) < ANCHOR:
            alternative = f"{before} {folded(attributes.get('alt') or '', ANCHOR)}"
            self.alternatives[self.open] = alternative.strip()[:ANCHOR]

    def film(self) -> None:
        self._pictures += 1

    def html(self, attributes: Attributes) -> None:
        self.language = attributes.get("lang") or attributes.get("xml:lang") or ""

    def name(self, text: str) -> None:
        """The title. Its words are read where it stands: before all others, unless the page is a mess."""
        if not self.title and self.open == NONE:
            self.title = folded(text, TITLE)
            if self.title:
                self._title_at = len(self.passages)
                self.passages.append(self.title)

    def root(self, attributes: Attributes) -> None:
        """A base element."""
        self.base = self.base or (attributes.get("href") or "").strip()

    def note(self, attributes: Attributes) -> None:
        """A meta tag."""
        content = (attributes.get("content") or "")[:_META]
        if (attributes.get("http-equiv") or "").lower() == "refresh":
            self._link("meta", attributes, refresh_target(content), "refresh")
        for key in ("name", "property", "itemprop"):
            if name := attributes.get(key):
                name = name[:100].strip().lower()
                self.meta.setdefault(name, content)
                if name in OUR_NAMES and len(self.robots) < _MOST_ROBOTS:
                    self.robots.append(content)

    def relation(self, attributes: Attributes) -> None:
        """A link element: only the address the page would rather be known by is of interest."""
        if "canonical" in (attributes.get("rel") or "").lower().split():
            self.canonical = self.canonical or (attributes.get("href") or "").strip()

    def script(self, attributes: Attributes, text: Callable[[], str]) -> None:
        kind = (attributes.get("type") or "").lower()
        self._programs += not kind or "javascript" in kind or kind == "module"
        if len(self.json) < _FEW and "ld+json" in kind and (told := text()):
            self.json.append(told[:_JSON])

    def excuse(self) -> None:
        """What is said to browsers without scripts."""
        self._programs += 1

    def time(self, attributes: Attributes) -> None:
        told = (attributes.get("datetime") or "")[:ANCHOR]
        if "pubdate" in attributes:
            self.times.insert(0, told)
        elif len(self.times) < _FEW and self._in_article():
            self.times.append(told)


def label(tag: str, attributes: Attributes) -> str:
    """An element in a tag path: "div.nav.top#menu"."""
    return label_of(tag, attributes.get("class") or "", attributes.get("id") or "")


def label_of(tag: str, classes: str, identity: str) -> str:
    if classes:
        tag = _classed(tag, classes[:_LABEL])
    return with_identity(tag, identity)


def with_identity(label: str, identity: str) -> str:
    name = identity[:_LABEL].strip()
    return f"{label}#{name}" if name else label


@lru_cache(maxsize=4096)
def _classed(tag: str, classes: str) -> str:
    """Pages of a site have the same elements, so this is remembered from page to page."""
    return ".".join((tag, *classes.split()))


def refresh_target(content: str) -> str:
    """Where a refresh leads: "5; url='next.html'" """
    _, _, target = content.replace(",", ";", 1).partition(";") if ";" not in content else content.partition(";")
    target = target.strip()
    if target[:3].lower() == "url" and target[3:].lstrip()[:1] == "=":
        target = target[3:].lstrip()[1:].strip()
    quote = target[:1]
    return target[1:].partition(quote)[0] if quote in ("'", '"') else target


def slow_links_of(
    addresses: Sequence[str | None],
    passages: list[str] | Passages,
    firsts: list[int],
    lasts: list[int],
    before: Sequence[int],
    ended: list[Ended],
    paths: list[str],
    rels: list[str],
    most_links: int,
    most_letters: int,
    enough: int,
) -> tuple[Link, ...]:
    """What page_links.pyx does where it was compiled."""

    def text_of(number: int) -> str:
        first, last = firsts[number], lasts[number]
        return folded(passages[first] if last - first == 1 else " ".join(passages[first:last]), most_letters)

    chosen: dict[str, tuple[int, str]] = {}
    for number, url in enumerate(addresses):
        if not url:
            continue
        known = chosen.get(url)
        if known is not None:
            if not known[1] and (text := text_of(number)):
                chosen[url] = number, text
        elif len(chosen) < most_links:
            chosen[url] = number, text_of(number)
    blocks = _blocks(len(firsts), before, ended, enough)
    links: list[Link] = []
    for url, (number, text) in chosen.items():
        rel = " ".join(rels[number].lower()[:most_letters].split())
        links.append(Link(url, text, before[firsts[number]], blocks[number], paths[number], len(links), rel))
    return tuple(links)


def _blocks(links: int, before: Sequence[int], ended: list[Ended], enough: int) -> list[tuple[int, int]]:
    """The block of each link; the whole page where no element says enough."""
    blocks = [(0, before[-1])] * links
    waiting: list[int] = []  # links without a block, as far as the elements have come
    seen = 0
    for first, last, anchors, now in ended:
        waiting += range(seen, now)
        seen = now
        if before[last] - before[first] >= enough:
            while waiting and waiting[-1] >= anchors:
                blocks[waiting.pop()] = (before[first], before[last])
    return blocks


try:
    from wolfspider.web.page.page_links import links_of
except ImportError:
    links_of = slow_links_of
