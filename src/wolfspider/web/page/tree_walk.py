"""One walk over the tree of a page, which tells a `PageReading` what is in it.

The walk keeps its own stack, so a tree may be as deep as it likes. It comes to every node, which is much of a page's
cost, so it only puts things aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wolfspider.web.page.page_reading import CLOSED, INLINE, NONE, TAG_PATH, PageReading, label

_TEXT = 2  # the number of a text among the tags, the same in all trees
_NEAR = 50  # elements around a date among which an article counts
HIDDEN = '[hidden],[style*="display:none" i],[style*="display: none" i]'

# An open element: what follows it in its parent, its node, tag and place, how many links came before it, and the link
# that it is itself. A plain tuple, for there are hundreds on a page.
_Open = tuple[Iterator[LexborNode], LexborNode, str, int, int, int]


def read_tree(tree: LexborHTMLParser) -> PageReading:
    """What the page of this tree says."""
    return _Walk(tree).reading


class _Walk:
    def __init__(self, tree: LexborHTMLParser) -> None:
        self.reading = PageReading(self._path, self._in_article)
        self._stack: list[_Open] = []
        self._paths: list[str] = []  # of the elements on the stack, the outermost first, as far as they were needed
        self._hidden = {node.mem_id for node in tree.css(HIDDEN)}
        self._has_areas = bool(self._hidden) and tree.css_first("area[href]") is not None
        if tree.root is not None:
            self._walk(tree.root)
        self.reading.finish()

    def _walk(self, root: LexborNode) -> None:
        stack, hidden, reading = self._stack, self._hidden, self.reading
        texts, passages, hrefs = reading.texts, reading.passages, reading.hrefs
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
                if texts and tag not in INLINE:
                    reading.flush()
                if tag in CLOSED:
                    continue
                if hidden and node.mem_id in hidden:
                    # An area is a spot on a picture and shows nothing itself: its link works though its map is hidden.
                    for area in node.css("area[href]") if self._has_areas else ():
                        reading.area(area.attributes)
                    continue
                if (element := _ELEMENTS.get(tag)) is not None:
                    tell, more_inside = element
                    tell(reading, node)
                    if not more_inside:
                        continue
                link = reading.open if tag == "a" else NONE
                child = node.first_child
                if child is None or (child.next is None and child.tag_id == _TEXT):
                    # Nothing but a text inside, as in most elements: there is no need to go in and out.
                    text = child.text_content if child is not None else None
                    if text and (texts or not text.isspace()):
                        (texts if tag in INLINE else passages).append(text)
                    if link != NONE:
                        reading.close(link)
                    continue
                stack.append((nodes, node, tag, len(passages), len(hrefs), link))
                nodes = node.iter(include_text=True)
                break
            else:
                if not stack:
                    break
                nodes = self._leave()

    def _leave(self) -> Iterator[LexborNode]:
        """The innermost element ends; give what follows it."""
        stack, paths, reading = self._stack, self._paths, self.reading
        others, _, tag, first, before, link = stack.pop()
        if len(paths) > len(stack):
            paths.pop()
        if tag not in INLINE:
            if reading.texts:
                reading.flush()
            if link != NONE:
                reading.close(link)
            elif (now := len(reading.hrefs)) > before:
                reading.ended.append((first, len(reading.passages), before, now))
        return others

    def _path(self) -> str:
        """The tag path of the innermost open element; each element's is made once, and only if it has a link."""
        paths = self._paths
        path = paths[-1] if paths else ""
        for opened in self._stack[len(paths) :]:
            name = label(opened[2], opened[1].attributes)
            path = f"{path}/{name}"[:TAG_PATH] if path else name[:TAG_PATH]
            paths.append(path)
        return path

    def _in_article(self) -> bool:
        return any(tag == "article" for _, _, tag, *_ in self._stack[-_NEAR:])


def _inside(node: LexborNode) -> str:
    """The text of an element that can hold nothing else."""
    child = node.first_child
    return (child.text_content or "") if child is not None else ""


# What a reading is told of an element, and whether there is more to read inside it. Of all others only texts count.
_ELEMENTS: dict[str, tuple[Callable[[PageReading, LexborNode], None], bool]] = {
    "a": (lambda reading, node: reading.a(node.attributes), True),
    "area": (lambda reading, node: reading.area(node.attributes), False),
    "frame": (lambda reading, node: reading.frame("frame", node.attributes), False),
    "iframe": (lambda reading, node: reading.frame("iframe", node.attributes), False),
    "img": (lambda reading, node: reading.img(node.attributes), False),
    "video": (lambda reading, node: reading.film(), True),
    "audio": (lambda reading, node: reading.film(), True),
    "object": (lambda reading, node: reading.film(), True),
    "embed": (lambda reading, node: reading.film(), True),
    "html": (lambda reading, node: reading.html(node.attributes), True),
    "title": (lambda reading, node: reading.name(_inside(node)), False),
    "base": (lambda reading, node: reading.root(node.attributes), False),
    "meta": (lambda reading, node: reading.note(node.attributes), False),
    "link": (lambda reading, node: reading.relation(node.attributes), False),
    "script": (lambda reading, node: reading.script(node.attributes, lambda: _inside(node)), False),
    "noscript": (lambda reading, node: reading.excuse(), False),
    "time": (lambda reading, node: reading.time(node.attributes), True),
}
