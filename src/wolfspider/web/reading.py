"""One walk over a page's tree, and what it gathers.

The walk keeps its own stack, so a tree may be as deep as it likes. It joins text until a boundary and turns it into
words there. Elements that run within a line (`<b>`, `<span>`) are no boundaries; all others are, and so are links, so
that an anchor always begins a word.

For each link it notes the place among the words, the tag path, and the block: the smallest element around it, among
those that are boundaries, with at least ten words. Links wait for their block in a list; when an element ends that says
enough, the links that began to wait inside it have found theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wolfspider.model import Link
from wolfspider.text import words
from wolfspider.web.urls import canonical

MOST_LINKS = 5_000
MOST_TEXT = 2_000_000  # characters read into words
MOST_WORDS = 500_000  # a character may stand for several words
OUR_NAMES = ("robots", "wolfspider")  # whom directives may be meant for
ANCHOR = TAG_PATH = 300  # characters
TITLE = 1_000
BLOCK = 10  # words that make an element say something
_LABEL = 100  # characters of one element in a tag path
_SAMPLE = 1_000  # characters from which a language can be told
_META = 4_096
_JSON = 262_144
_MOST_ROBOTS = 100  # meta tags with directives
_FEW = 10  # scripts of JSON-LD and dates that are looked at

_PORTION = 50_000  # characters turned into words at once; they end with a word, unless it is very long
_PORTIONS = re.compile(rf".{{1,{_PORTION}}}+\S{{0,1000}}+", re.DOTALL)

Attributes = Mapping[str, str | None]

_UNSEEN = frozenset(("script", "style", "template", "noscript", "svg", "noframes", "noembed", "canvas", "datalist"))
_WITHIN_A_LINE = """
    b i em strong span font u s small big sub sup code tt kbd samp var abbr acronym mark q cite dfn ins del strike
    wbr bdi bdo nobr ruby -comment
"""
_INLINE = frozenset(_WITHIN_A_LINE.split())
_HIDDEN = '[hidden],[style*="display:none" i],[style*="display: none" i]'


def folded(text: str, most: int) -> str:
    """White space folded, and cut; what is far behind the cut is not looked at."""
    return " ".join(text.lstrip()[: 4 * most].split())[:most].rstrip()


def bounded_words(text: str, most: int = MOST_WORDS) -> list[str]:
    """The first words of a text, which is not read much further than they reach."""
    if len(text) <= _PORTION:
        return words(text)[:most]
    found: list[str] = []
    for portion in _PORTIONS.finditer(text):
        if len(found) >= most:
            break
        found += words(portion[0])
    return found[:most]


class _Anchor:
    """A link as it was read; its address is resolved when the base of the page is known."""

    __slots__ = ("alternative", "at", "block", "href", "path", "rel", "text")

    def __init__(self, href: str, at: int, path: str, rel: str) -> None:
        self.href = href
        self.at = at
        self.path = path
        self.rel = rel
        self.text = ""
        self.alternative = ""  # the texts of its pictures
        self.block = (0, 0)


class _Frame:
    """An open element."""

    __slots__ = ("anchor", "first", "node", "path", "tag", "waiting")

    def __init__(self, node: LexborNode, tag: str, first: int, waiting: int, anchor: _Anchor | None) -> None:
        self.node = node
        self.tag = tag
        self.first = first  # how many words came before it
        self.waiting = waiting  # how many links were waiting before it
        self.anchor = anchor
        self.path = ""


class Reading:
    """What a page says: words, links and notes about itself, as they stand in the tree."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.words: list[str] = []
        self.meta: dict[str, str] = {}  # by name in lower case, the first of each
        self.robots: list[str] = []  # what its meta tags ask of us
        self.json: list[str] = []  # scripts of JSON-LD
        self.times: list[str] = []  # dates of its articles
        self.title = self.base = self.canonical = self.language = self.sample = ""
        self.room = MOST_TEXT  # characters that may still be read
        self._pieces: list[str] = []  # text since the last boundary
        self._anchors: list[_Anchor] = []
        self._waiting: list[_Anchor] = []  # anchors whose block is not known yet
        self._open: _Anchor | None = None
        self._stack: list[_Frame] = []
        self._hidden = {node.mem_id for node in tree.css(_HIDDEN)}
        self._walk(tree.root)
        self._settle(0, 0)

    def _walk(self, node: LexborNode | None) -> None:
        stack, pieces = self._stack, self._pieces
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                text = node.text_content or ""
                if pieces or not text.isspace():
                    pieces.append(text)
            else:
                child = self._enter(node, tag)
                if child is not None:
                    node = child
                    continue
            following = node.next
            while following is None and stack:
                frame = stack.pop()
                self._leave(frame)
                following = frame.node.next
            node = following
        self._flush()

    def _enter(self, node: LexborNode, tag: str) -> LexborNode | None:
        """Take what an element says by itself; give its first child if there is more to read inside."""
        if self._pieces and tag not in _INLINE:
            self._flush()
        if self._hidden and node.mem_id in self._hidden:
            return None
        handler = _HANDLERS.get(tag)
        if handler is not None:
            return handler(self, node, node.attributes)
        return None if tag in _UNSEEN else self._inside(node, tag)

    def _inside(self, node: LexborNode, tag: str, anchor: _Anchor | None = None) -> LexborNode | None:
        child = node.first_child
        if child is not None:
            self._stack.append(_Frame(node, tag, len(self.words), len(self._waiting), anchor))
        return child

    def _leave(self, frame: _Frame) -> None:
        if frame.tag in _INLINE:
            return
        if self._pieces:
            self._flush()
        if frame.anchor is not None:
            self._close(frame.anchor)
        elif len(self.words) - frame.first >= BLOCK and len(self._waiting) > frame.waiting:
            self._settle(frame.first, frame.waiting)

    def _settle(self, first: int, waiting: int) -> None:
        for anchor in self._waiting[waiting:]:
            anchor.block = (first, len(self.words))
        del self._waiting[waiting:]

    def _flush(self) -> None:
        """A boundary: what was gathered since the last one is a text of its own."""
        text = "".join(self._pieces)
        self._pieces.clear()
        if text:
            self._read(text)

    def _read(self, text: str) -> None:
        text = text[: self.room]
        self.room -= len(text)
        self.words += bounded_words(text, MOST_WORDS - len(self.words))
        if len(self.words) >= MOST_WORDS:
            self.room = 0
        if len(self.sample) < _SAMPLE:
            self.sample += text[:_SAMPLE] + " "
        if self._open is not None and len(self._open.text) < ANCHOR:
            self._open.text = f"{self._open.text} {folded(text, ANCHOR)}".strip()[:ANCHOR]

    def _anchor(self, node: LexborNode, tag: str, href: str, rel: str) -> _Anchor | None:
        """A new link, unless it leads nowhere but to this page."""
        href = href.strip()
        if not href or href[0] == "#":
            return None
        path = f"{self._path()}/{_label(node, tag)}"[:TAG_PATH]
        anchor = _Anchor(href, len(self.words), path, " ".join(rel.lower()[:ANCHOR].split()))
        self._anchors.append(anchor)
        self._waiting.append(anchor)
        return anchor

    def _close(self, anchor: _Anchor) -> None:
        if self._open is anchor:
            if len(self.words) == anchor.at and anchor.alternative:
                self._read(anchor.alternative)
            self._open = None

    def _path(self) -> str:
        """The tag path of the innermost open element; each element's is made once, and only if it has a link."""
        known = len(self._stack)
        while known and not self._stack[known - 1].path:
            known -= 1
        path = self._stack[known - 1].path if known else ""
        for frame in self._stack[known:]:
            frame.path = path = f"{path}/{_label(frame.node, frame.tag)}".lstrip("/")[:TAG_PATH]
        return path

    def links(self, base: str) -> tuple[Link, ...]:
        """Each address once, in the order of first sight, told by its first place that has a text."""
        addresses: dict[str, str | None] = {}
        chosen: dict[str, _Anchor] = {}
        for anchor in self._anchors:
            if anchor.href not in addresses:
                addresses[anchor.href] = canonical(anchor.href, base)
            url = addresses[anchor.href]
            if url is None:
                continue
            if url in chosen:
                if anchor.text and not chosen[url].text:
                    chosen[url] = anchor
            elif len(chosen) < MOST_LINKS:
                chosen[url] = anchor
        return tuple(
            Link(url, anchor.text, anchor.at, anchor.block, anchor.path, rank, anchor.rel)
            for rank, (url, anchor) in enumerate(chosen.items())
        )

    # What single elements say. Each gives the child to go on with, if any.

    def a(self, node: LexborNode, attributes: Attributes) -> LexborNode | None:
        anchor = self._anchor(node, "a", attributes.get("href") or "", attributes.get("rel") or "")
        child = self._inside(node, "a", anchor)
        self._open = anchor if child is not None else None
        return child

    def area(self, node: LexborNode, attributes: Attributes) -> None:
        anchor = self._anchor(node, "area", attributes.get("href") or "", attributes.get("rel") or "")
        if anchor is not None:
            self._open, anchor.alternative = anchor, (attributes.get("alt") or "")[:ANCHOR]
            self._close(anchor)

    def frame(self, node: LexborNode, attributes: Attributes) -> None:
        self._anchor(node, node.tag or "", attributes.get("src") or "", "frame")

    def img(self, node: LexborNode, attributes: Attributes) -> None:
        if self._open is not None and len(self._open.alternative) < ANCHOR:
            alternative = f"{self._open.alternative} {folded(attributes.get('alt') or '', ANCHOR)}"
            self._open.alternative = alternative.strip()[:ANCHOR]

    def html(self, node: LexborNode, attributes: Attributes) -> LexborNode | None:
        self.language = attributes.get("lang") or attributes.get("xml:lang") or ""
        return self._inside(node, "html")

    def name(self, node: LexborNode, attributes: Attributes) -> None:
        """The title. Its words are read where it stands: before all others, unless the page is a mess."""
        child = node.first_child
        if child is not None and not self.title and self._open is None:
            self.title = folded(child.text_content or "", TITLE)
            self.words += bounded_words(self.title, MOST_WORDS - len(self.words))

    def root(self, node: LexborNode, attributes: Attributes) -> None:
        self.base = self.base or (attributes.get("href") or "").strip()

    def note(self, node: LexborNode, attributes: Attributes) -> None:
        """A meta tag."""
        content = (attributes.get("content") or "")[:_META]
        if (attributes.get("http-equiv") or "").lower() == "refresh":
            self._anchor(node, "meta", refresh_target(content), "refresh")
        for key in ("name", "property", "itemprop"):
            if name := attributes.get(key):
                name = name[:100].strip().lower()
                self.meta.setdefault(name, content)
                if name in OUR_NAMES and len(self.robots) < _MOST_ROBOTS:
                    self.robots.append(content)

    def relation(self, node: LexborNode, attributes: Attributes) -> None:
        """A link element: only the address the page would rather be known by is of interest."""
        if "canonical" in (attributes.get("rel") or "").lower().split():
            self.canonical = self.canonical or (attributes.get("href") or "").strip()

    def script(self, node: LexborNode, attributes: Attributes) -> None:
        child = node.first_child
        if child is not None and len(self.json) < _FEW and "ld+json" in (attributes.get("type") or "").lower():
            self.json.append((child.text_content or "")[:_JSON])

    def time(self, node: LexborNode, attributes: Attributes) -> LexborNode | None:
        told = (attributes.get("datetime") or "")[:ANCHOR]
        if "pubdate" in attributes:
            self.times.insert(0, told)
        elif len(self.times) < _FEW and any(frame.tag == "article" for frame in self._stack[-50:]):
            self.times.append(told)
        return self._inside(node, "time")


_HANDLERS: dict[str, Callable[[Reading, LexborNode, Attributes], LexborNode | None]] = {
    "a": Reading.a,
    "area": Reading.area,
    "frame": Reading.frame,
    "iframe": Reading.frame,
    "img": Reading.img,
    "html": Reading.html,
    "title": Reading.name,
    "base": Reading.root,
    "meta": Reading.note,
    "link": Reading.relation,
    "script": Reading.script,
    "time": Reading.time,
}


def _label(node: LexborNode, tag: str) -> str:
    """An element in a tag path: "div.nav.top#menu"."""
    attributes = node.attributes
    classes = (attributes.get("class") or "")[:_LABEL].split()
    name = (attributes.get("id") or "")[:_LABEL].strip()
    return ".".join((tag, *classes)) + (f"#{name}" if name else "")


def refresh_target(content: str) -> str:
    """Where a refresh leads: "5; url='next.html'" """
    _, _, target = content.replace(",", ";", 1).partition(";") if ";" not in content else content.partition(";")
    target = target.strip()
    if target[:3].lower() == "url" and target[3:].lstrip()[:1] == "=":
        target = target[3:].lstrip()[1:].strip()
    quote = target[:1]
    return target[1:].partition(quote)[0] if quote in ("'", '"') else target
