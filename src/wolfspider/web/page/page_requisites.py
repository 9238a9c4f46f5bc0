"""What a browser fetches beside a page in order to show it: images, styles, scripts, fonts.

Found in the markup of a page, and in styles, which name others. What only a script would ask for is not found: scripts
are not run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wolfspider.web.page import charset
from wolfspider.web.page.markup_tree import tree_within
from wolfspider.web.page.taming import tamed
from wolfspider.web.page.urls import canonical

MOST = 500  # requisites of one page, or of one style
_MOST_BYTES = 4_000_000  # of a page or a style that are looked through
_MOST_MEMORY = 300_000_000  # bytes that the tree of a page may take
_LONGEST = 4000  # characters of an address
_LARGE = 1_000_000  # bytes of a page that is tamed with more care
_ADDRESSES = {  # attributes that name one, by element
    "img": ("src",),
    "script": ("src",),
    "source": ("src",),
    "input": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "track": ("src",),
    "image": ("href", "xlink:href"),
    "body": ("background",),
}
_SETS = ("img", "source")  # elements with a srcset: addresses with what each is for
_RELATIONS = {"stylesheet", "icon", "apple-touch-icon", "preload", "modulepreload", "manifest"}
_QUOTED = r"""(?:"([^"\n)]*+)"|'([^'\n)]*+)')"""
_IN_STYLE = re.compile(rf"""url\(\s*+(?:{_QUOTED}|([^"'()\s]*+))\s*+\)|@import\s++{_QUOTED}""", re.IGNORECASE)


def of_page(body: bytes, content_type: str, url: str) -> list[str]:
    """The addresses, each once, in the order of the page."""
    if charset.kind_of(content_type, body) != "html":
        return []
    text, _ = charset.decoded(content_type, body[:_MOST_BYTES])
    tree = tree_within(tamed(text, len(body) > _LARGE), _MOST_MEMORY)
    if tree is None:
        return []
    base = url
    if (first := tree.css_first("base[href]")) is not None:
        base = canonical(str(first.attributes.get("href") or "")[:_LONGEST], url) or url
    found: list[str] = []
    for node in tree.css(", ".join((*_ADDRESSES, "link", "style", "[style]"))):
        attributes = {name: value or "" for name, value in node.attributes.items()}
        name = str(node.tag)
        found += [attributes[each] for each in _ADDRESSES.get(name, ()) if attributes.get(each)]
        if name in _SETS:
            found += _candidates(attributes.get("srcset", "")[:_LONGEST])
        if name == "link" and _RELATIONS & set(attributes.get("rel", "").lower().split()):
            found.append(attributes.get("href", ""))
        found += _named(attributes.get("style", ""))
        if name == "style":
            found += _named(node.text(deep=True) or "")
        if len(found) > 4 * MOST:
            break
    return _addresses(found, base)


def of_style(body: bytes, content_type: str, url: str) -> list[str]:
    """What a style names; nothing if it is none."""
    if content_type.partition(";")[0].strip().lower() != "text/css":
        return []
    return _addresses(list(_named(charset.decoded(content_type, body[:_MOST_BYTES])[0])), url)


def _candidates(srcset: str) -> Iterator[str]:
    """The addresses of a srcset. What an address is for stands between it and a comma; an address that itself ends with
    a comma is for nothing in particular."""
    address = True  # is one to come?
    for part in srcset.split():
        if not address:
            _, comma, part = part.partition(",")
            address = bool(comma)
        if address and part.strip(","):
            yield part.strip(",")
            address = part.endswith(",")


def _named(style: str) -> Iterator[str]:
    for number, match in enumerate(_IN_STYLE.finditer(style)):
        if number >= 4 * MOST:
            return
        yield next((part for part in match.groups() if part), "")


def _addresses(found: list[str], base: str) -> list[str]:
    """Of the web alone: what lies in the page itself (data:) is there already."""
    known: dict[str, None] = {}
    for named in found:
        if named and len(named) <= _LONGEST and (address := canonical(named.strip(), base)) is not None:
            known.setdefault(address)
        if len(known) == MOST:
            break
    return list(known)
