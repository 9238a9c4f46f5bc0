"""One walk over a page's tree, and what it gathers.

The walk keeps its own stack, so a tree may be as deep as it likes. It comes to every node, which is much of a page's
cost, so it only puts things aside. Elements that run within a line (`<b>`, `<span>`) are no boundaries; all others are,
and so are links, so that an anchor always begins a word. What stands between two boundaries is a passage, and a place
on the page is the number of passages before it.

When the walk is over all passages are turned into words at once, and places into numbers of words. For each link there
is its place, the tag path, and the block: the smallest element around it, among those that are boundaries, with at
least ten words. The walk notes elements that have links as they end, inner ones before outer ones; so the first that
says enough is the block of all its links that have none yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wolfspider.core.model import Link
from wolfspider.core.text import words
from wolfspider.web.page.bounded_text import MOST_WORDS, cut_to_bounds, folded, words_within

MOST_LINKS = 5_000
OUR_NAMES = ("robots", "wolfspider")  # whom directives may be meant for
ANCHOR = TAG_PATH = 300  # characters
TITLE = 1_000
BLOCK = 10  # words that make an element say something
_LABEL = 100  # characters of one element in a tag path
_SAMPLE = 1_000  # characters from which a language can be told
_META = 4_096
_JSON = 262_144
_MOST_ROBOTS = 100  # meta tags with directives
_TEXT = 2  # the number of a text among the tags, the same in all trees
_FEW = 10  # scripts of JSON-LD and dates that are looked at

Attributes = Mapping[str, str | None]

_WITHIN_A_LINE = """
    b i em strong span font u s small big sub sup code tt kbd samp var abbr acronym mark q cite dfn ins del strike
    wbr bdi bdo nobr ruby -comment
"""
_INLINE = frozenset(_WITHIN_A_LINE.split())
_CLOSED = frozenset(  # not seen, or always empty
    ("style", "template", "svg", "noframes", "noembed", "canvas", "datalist", "-comment", "br", "hr")
)
HIDDEN = '[hidden],[style*="display:none" i],[style*="display: none" i]'


class _Anchor:
    """A link as found in the tree. Its anchor and the words around it are worked out only when they are needed."""

    __slots__ = ("alternative", "first", "href", "last", "node", "path", "rel", "tag")

    def __init__(self, node: LexborNode, tag: str, href: str, rel: str, first: int, path: str) -> None:
        self.node = node
        self.tag = tag
        self.href = href
        self.rel = rel
        self.first = self.last = first  # its place, and that of what follows its text
        self.path = path  # of the element around it
        self.alternative = ""  # the texts of its pictures


# An open element: what follows it in its parent, its node, tag and place, how many links came before it, and the link
# that it is itself. A plain tuple, for there are hundreds on a page.
_Open = tuple[Iterator[LexborNode], LexborNode, str, int, int, _Anchor | None]


class PageReading:
    """What a page says: words, links and notes about itself, as they stand in the tree."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.meta: dict[str, str] = {}  # by name in lower case, the first of each
        self.robots: list[str] = []  # what its meta tags ask of us
        self.json: list[str] = []  # scripts of JSON-LD
        self.times: list[str] = []  # dates of its articles
        self.title = self.base = self.canonical = self.language = ""
        self._programs = self._pictures = 0
        self._texts: list[str] = []  # since the last boundary
        self._passages: list[str] = []
        self._title_at: int | None = None  # its place
        self._anchors: list[_Anchor] = []
        self._ended: list[tuple[int, int, int, int]] = []  # elements with links: from, to, links before, links so far
        self._open: _Anchor | None = None
        self._stack: list[_Open] = []
        self._paths: list[str] = []  # of the elements on the stack, the outermost first, as far as they were needed
        self._hidden = {node.mem_id for node in tree.css(HIDDEN)}
        self._has_areas = bool(self._hidden) and tree.css_first("area[href]") is not None
        if tree.root is not None:
            self._walk(tree.root)
        cut = cut_to_bounds(self._passages)
        self.words, self._before = words_within(self._passages)
        self.truncated = cut or len(self.words) >= MOST_WORDS

    @property
    def sample(self) -> str:
        """The beginning of what it shows, from which a language can be told."""
        shown = [passage for place, passage in enumerate(self._passages[:_SAMPLE]) if place != self._title_at]
        return " ".join(shown)[:_SAMPLE]

    @property
    def needs_scripts(self) -> bool:
        """Does it show nothing at all, whatever its title says, but has scripts that might?"""
        title = self._title_at
        spoken = 0 if title is None else self._before[title + 1] - self._before[title]
        return self._programs > 0 and not self._anchors and not self._pictures and len(self.words) == spoken

    def _walk(self, root: LexborNode) -> None:
        stack, anchors, hidden = self._stack, self._anchors, self._hidden
        texts, passages = self._texts, self._passages
        names: dict[int, str] = {}  # of tags by their number, which is quicker to ask for
        nodes: Iterator[LexborNode] = iter((root,))
        while True:
            for node in nodes:
                number = node.tag_id
                if number == _TEXT:
                    text = node.text_content
                    if text and (texts or not text.isspace()):
                        texts.append(text)
                    continue
                if (tag := names.get(number)) is None:
                    tag = names[number] = node.tag or ""
                if texts and tag not in _INLINE:
                    self._flush()
                if tag in _CLOSED:
                    continue
                if hidden and node.mem_id in hidden:
                    # An area is a spot on a picture and shows nothing itself: its link works though its map is hidden.
                    for area in node.css("area[href]") if self._has_areas else ():
                        self.area(area, area.attributes)
                    continue
                if (handler := _HANDLERS.get(tag)) is not None and not handler(self, node, node.attributes):
                    continue
                anchor = self._open if tag == "a" else None
                child = node.first_child
                if child is None or (child.next is None and child.tag_id == _TEXT):
                    # Nothing but a text inside, as in most elements: there is no need to go in and out.
                    text = child.text_content if child is not None else None
                    if text and (texts or not text.isspace()):
                        (texts if tag in _INLINE else passages).append(text)
                    if anchor is not None:
                        self._close(anchor)
                    continue
                stack.append((nodes, node, tag, len(passages), len(anchors), anchor))
                nodes = node.iter(include_text=True)
                break
            else:
                if not stack:
                    break
                nodes = self._leave()
        self._flush()

    def _leave(self) -> Iterator[LexborNode]:
        """The innermost element ends; give what follows it."""
        stack, paths = self._stack, self._paths
        others, _, tag, first, anchors, anchor = stack.pop()
        if len(paths) > len(stack):
            paths.pop()
        if tag not in _INLINE:
            if self._texts:
                self._flush()
            if anchor is not None:
                self._close(anchor)
            elif len(self._anchors) > anchors:
                self._ended.append((first, len(self._passages), anchors, len(self._anchors)))
        return others

    def _flush(self) -> None:
        """A boundary: what was gathered since the last one is a passage."""
        texts = self._texts
        if texts:
            self._passages.append(texts[0] if len(texts) == 1 else "".join(texts))
            texts.clear()

    def _anchor(self, node: LexborNode, tag: str, href: str, rel: str) -> _Anchor | None:
        """A new link, unless it leads nowhere but to this page."""
        href = href.strip()
        if not href or href[0] == "#":
            return None
        anchor = _Anchor(node, tag, href, rel, len(self._passages), self._path())
        self._anchors.append(anchor)
        return anchor

    def _begin(self, anchor: _Anchor | None) -> None:
        """What is read from here belongs to this link, and no longer to another."""
        if self._open is not None:
            self._open.last = len(self._passages)
        self._open = anchor

    def _close(self, anchor: _Anchor) -> None:
        if self._open is anchor:
            if anchor.alternative and not any(map(words, self._passages[anchor.first :])):
                self._passages.append(anchor.alternative)
            anchor.last = len(self._passages)
            self._open = None

    def _path(self) -> str:
        """The tag path of the innermost open element; each element's is made once, and only if it has a link."""
        paths = self._paths
        path = paths[-1] if paths else ""
        for opened in self._stack[len(paths) :]:
            label = _label(opened[2], opened[1].attributes)
            path = f"{path}/{label}"[:TAG_PATH] if path else label[:TAG_PATH]
            paths.append(path)
        return path

    @property
    def hrefs(self) -> list[str]:
        return [anchor.href for anchor in self._anchors]

    def links(self, addresses: Sequence[str | None]) -> tuple[Link, ...]:
        """Each address once, in the order of first sight, told by its first place that has a text. The addresses are
        those of the hrefs, None for what is no link."""
        chosen: dict[str, tuple[int, str]] = {}
        for number, url in enumerate(addresses):
            if url is None:
                continue
            if url in chosen:
                if not chosen[url][1] and (text := self._text(number)):
                    chosen[url] = number, text
            elif len(chosen) < MOST_LINKS:
                chosen[url] = number, self._text(number)
        blocks = self._blocks()
        return tuple(
            self._link(url, text, number, blocks[number], rank)
            for rank, (url, (number, text)) in enumerate(chosen.items())
        )

    def _link(self, url: str, text: str, number: int, block: tuple[int, int], rank: int) -> Link:
        anchor = self._anchors[number]
        path = f"{anchor.path}/{_label(anchor.tag, anchor.node.attributes)}"[:TAG_PATH]
        rel = " ".join(anchor.rel.lower()[:ANCHOR].split()) if anchor.rel else ""
        return Link(url, text, self._before[anchor.first], block, path, rank, rel)

    def _text(self, number: int) -> str:
        anchor = self._anchors[number]
        return folded(" ".join(self._passages[anchor.first : anchor.last]), ANCHOR)

    def _blocks(self) -> list[tuple[int, int]]:
        """The block of each link; the whole page where no element says enough."""
        before = self._before
        blocks = [(0, len(self.words))] * len(self._anchors)
        waiting: list[int] = []  # links without a block, as far as the elements have come
        seen = 0
        for first, last, anchors, now in self._ended:
            waiting += range(seen, now)
            seen = now
            if before[last] - before[first] >= BLOCK:
                while waiting and waiting[-1] >= anchors:
                    blocks[waiting.pop()] = (before[first], before[last])
        return blocks

    # What single elements say. Each answers whether there is more to read inside.

    def a(self, node: LexborNode, attributes: Attributes) -> bool:
        self._begin(self._anchor(node, "a", attributes.get("href") or "", attributes.get("rel") or ""))
        return True

    def area(self, node: LexborNode, attributes: Attributes) -> bool:
        anchor = self._anchor(node, "area", attributes.get("href") or "", attributes.get("rel") or "")
        if anchor is not None:
            self._begin(anchor)
            anchor.alternative = (attributes.get("alt") or "")[:ANCHOR]
            self._close(anchor)
        return False

    def frame(self, node: LexborNode, attributes: Attributes) -> bool:
        self._anchor(node, node.tag or "", attributes.get("src") or "", "frame")
        return False

    def img(self, node: LexborNode, attributes: Attributes) -> bool:
        self._pictures += 1
        if self._open is not None and len(self._open.alternative) < ANCHOR:
            alternative = f"{self._open.alternative} {folded(attributes.get('alt') or '', ANCHOR)}"
            self._open.alternative = alternative.strip()[:ANCHOR]
        return False

    def film(self, node: LexborNode, attributes: Attributes) -> bool:
        self._pictures += 1
        return True

    def html(self, node: LexborNode, attributes: Attributes) -> bool:
        self.language = attributes.get("lang") or attributes.get("xml:lang") or ""
        return True

    def name(self, node: LexborNode, attributes: Attributes) -> bool:
        """The title. Its words are read where it stands: before all others, unless the page is a mess."""
        child = node.first_child
        if child is not None and not self.title and self._open is None:
            self.title = folded(child.text_content or "", TITLE)
            if self.title:
                self._title_at = len(self._passages)
                self._passages.append(self.title)
        return False

    def root(self, node: LexborNode, attributes: Attributes) -> bool:
        self.base = self.base or (attributes.get("href") or "").strip()
        return False

    def note(self, node: LexborNode, attributes: Attributes) -> bool:
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
        return False

    def relation(self, node: LexborNode, attributes: Attributes) -> bool:
        """A link element: only the address the page would rather be known by is of interest."""
        if "canonical" in (attributes.get("rel") or "").lower().split():
            self.canonical = self.canonical or (attributes.get("href") or "").strip()
        return False

    def script(self, node: LexborNode, attributes: Attributes) -> bool:
        child = node.first_child
        kind = (attributes.get("type") or "").lower()
        self._programs += not kind or "javascript" in kind or kind == "module"
        if child is not None and len(self.json) < _FEW and "ld+json" in kind:
            self.json.append((child.text_content or "")[:_JSON])
        return False

    def excuse(self, node: LexborNode, attributes: Attributes) -> bool:
        """What is said to browsers without scripts."""
        self._programs += 1
        return False

    def time(self, node: LexborNode, attributes: Attributes) -> bool:
        told = (attributes.get("datetime") or "")[:ANCHOR]
        if "pubdate" in attributes:
            self.times.insert(0, told)
        elif len(self.times) < _FEW and any(tag == "article" for _, _, tag, *_ in self._stack[-50:]):
            self.times.append(told)
        return True


_HANDLERS: dict[str, Callable[[PageReading, LexborNode, Attributes], bool]] = {
    "a": PageReading.a,
    "area": PageReading.area,
    "frame": PageReading.frame,
    "iframe": PageReading.frame,
    "img": PageReading.img,
    "video": PageReading.film,
    "audio": PageReading.film,
    "object": PageReading.film,
    "embed": PageReading.film,
    "html": PageReading.html,
    "title": PageReading.name,
    "base": PageReading.root,
    "meta": PageReading.note,
    "link": PageReading.relation,
    "script": PageReading.script,
    "noscript": PageReading.excuse,
    "time": PageReading.time,
}


def _label(tag: str, attributes: Attributes) -> str:
    """An element in a tag path: "div.nav.top#menu"."""
    if classes := attributes.get("class"):
        tag = ".".join((tag, *classes[:_LABEL].split()))
    name = (attributes.get("id") or "")[:_LABEL].strip()
    return f"{tag}#{name}" if name else tag


def refresh_target(content: str) -> str:
    """Where a refresh leads: "5; url='next.html'" """
    _, _, target = content.replace(",", ";", 1).partition(";") if ";" not in content else content.partition(";")
    target = target.strip()
    if target[:3].lower() == "url" and target[3:].lstrip()[:1] == "=":
        target = target[3:].lstrip()[1:].strip()
    quote = target[:1]
    return target[1:].partition(quote)[0] if quote in ("'", '"') else target
