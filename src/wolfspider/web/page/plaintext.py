"""The text of a page as people read it: what a browser would show of its body, a paragraph a line, blank lines between.

For a strategy the words of a page are enough (page_reading.py). What is handed on to people and their tools keeps
capital letters, punctuation and paragraphs. Left out is what nobody sees, as there. Depth and attributes of the tree
are bounded before it is built, and the text itself is cut at `MOST` characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborNode

from wolfspider.core.model import Failure
from wolfspider.web.page import charset, pdf
from wolfspider.web.page.html import MOST_BYTES
from wolfspider.web.page.markup_tree import tree_of
from wolfspider.web.page.taming import LARGE, tamed
from wolfspider.web.page.tree_walk import HIDDEN

MOST = 2_000_000  # characters

_WITHIN_A_LINE = """
a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span
strike strong sub sup time tt u var wbr
"""
_NOT_SEEN = """
head script style template svg math noscript noframes noembed canvas datalist iframe object audio video select textarea
-comment
"""
_INLINE, _UNSEEN = frozenset(_WITHIN_A_LINE.split()), frozenset(_NOT_SEEN.split())
_BLANKS = ("br", "img")  # within a line, and without a text of their own


def readable(body: bytes, content_type: str) -> str:
    """The text of an answer; "" where it is none that can be read."""
    kind = charset.kind_of(content_type, body)
    if not kind:
        return ""
    if kind == "pdf":
        document = pdf.read(body)
        return "" if isinstance(document, Failure) else joined(document.pages)
    text, _ = charset.decoded(content_type, body[:MOST_BYTES])
    return joined(text.split("\n\n")) if kind == "text" else readable_markup(tamed(text, len(body) > LARGE))


def readable_markup(tame: str) -> str:
    """The text of markup that was tamed."""
    return joined(_passages(tame))


def joined(passages: Iterable[str]) -> str:
    """Passages as paragraphs, each a line."""
    kept, room = [], MOST
    for passage in passages:
        line = " ".join(passage.replace("\0", "").split())
        if line and room > 0:
            kept.append(line[:room])
            room -= len(line) + 2
    return "\n\n".join(kept)


def _passages(text: str) -> Iterator[str]:
    """What stands between two boundaries, in the order of the page. Without recursion, for pages are deep."""
    tree = tree_of(text)
    hidden = {node.mem_id for node in tree.css(HIDDEN)}
    stack: list[tuple[Iterator[LexborNode], bool]] = []
    nodes: Iterator[LexborNode] = iter((tree.body,) if tree.body is not None else ())
    parts: list[str] = []
    ends_block = True
    while True:
        node = next(nodes, None)
        if node is None:
            if ends_block and parts:
                yield "".join(parts)
                parts.clear()
            if not stack:
                return
            nodes, ends_block = stack.pop()
            continue
        tag = node.tag or ""
        if tag == "-text":
            parts.append(node.text_content or "")
            continue
        if tag in _UNSEEN or node.mem_id in hidden:
            continue  # a browser makes no room for it either: the sentence around it goes on
        if tag in _BLANKS:
            parts.append(" ")
            continue
        block = tag not in _INLINE
        if block and parts:
            yield "".join(parts)
            parts.clear()
        stack.append((nodes, ends_block))
        nodes, ends_block = node.iter(include_text=True), block
