"""The main text of a page: what it is about, without menus, cookie notes, related links and footers.

resiliparse finds it, an extra that is imported when the first page comes: docs/main-text.md says why it was chosen. It
opens no connection and loads nothing. It needs time in the square of a page's depth, so a page that is nested deeper
than any that people write is not given to it, and what it gets is tamed before (taming.py).

Where it finds next to nothing, as on pages that are nothing but a list of links, the whole visible text is the main
text: an export that has a menu too much is better than one without the page. A paragraph is a line, with blank lines
between, as in the whole text (plaintext.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from wolfspider.core.errors import Problem, to_install
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.core.text import words
from wolfspider.web.page import charset
from wolfspider.web.page.bounded_text import MOST_TEXT, bounded_words
from wolfspider.web.page.html import MOST_BYTES, parse
from wolfspider.web.page.plaintext import joined, readable_markup
from wolfspider.web.page.taming import LARGE, tamed

EXTRA = f"To tell the main text of pages from the rest, install the extra: {to_install('text')}"
DEEPEST = 500  # elements within each other, those aside that close themselves
LEAST = 0.05  # of the characters of the whole text, below which the main text was not found

_LINE_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)  # it ends no paragraph
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
# These do not nest, unless others stand between them that do.
_SELF_CLOSING = """
    area base br col embed hr img input link meta param source track wbr
    p li dt dd tr td th option
"""
_CLOSED_BY_THEMSELVES = frozenset(_SELF_CLOSING.split())


def main_text(html: str, url: str) -> str:
    """The main text of a page's markup, whatever stands in it. `url` is where the page is; the library of today does
    not ask for it."""
    tame = tamed(html, len(html) > LARGE)
    whole = readable_markup(tame)
    extract = _extractor()
    if depth_bound(tame) > DEEPEST:
        return whole
    main = joined(extract(_LINE_BREAK.sub(" ", tame)).split("\n"))
    return main if len(main) >= LEAST * len(whole) else whole


def read_page(fetch: Fetch, bounded: bool = False, main: bool = False) -> Page | Failure:
    """The page in an answer (html.py), with the words of its title and its main text, if these are wanted, and if it
    is made of markup."""
    page = parse(fetch, bounded)
    kind = fetch.headers.get("content-type", "")
    if not main or not isinstance(page, Page) or charset.kind_of(kind, fetch.body) != "html":
        return page
    html, _ = charset.decoded(kind, fetch.body[:MOST_BYTES])
    text = main_text(html, page.final_url)[:MOST_TEXT]
    return replace(page, main=" ".join((*words(page.title), *bounded_words(text))))


def depth_bound(html: str) -> int:
    """How deep the elements of a page may lie within each other: counted as if every tag that ends one with this name
    ended the innermost, and as if those that close themselves did not count."""
    opened: dict[str, int] = {}
    depth = deepest = 0
    for closes, name in _TAG.findall(html):
        name = name.lower()
        if name in _CLOSED_BY_THEMSELVES:
            continue
        if not closes:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            deepest = max(deepest, depth)
        elif opened.get(name):
            opened[name] -= 1
            depth -= 1
    return deepest


@cache
def _extractor() -> Callable[[str], str]:
    try:
        from resiliparse.extract.html2text import extract_plain_text
    except ImportError as error:
        raise Problem(EXTRA) from error
    return lambda html: extract_plain_text(html, main_content=True, links=False, list_bullets=False) or ""
