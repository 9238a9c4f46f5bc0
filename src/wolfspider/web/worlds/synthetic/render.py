"""From facts to HTML: title, date, navigation, text with links in it, related links, footer.

A host has one of three templates, so that the path of tags to a link says something about where it leads: topical
links stand in the content, copied ones in the related block, links to anywhere in the footer. Six in ten content
anchors quote the target's title, a quarter say nothing ("more"), the others mislead with words of the page they stand
on. Around a content link stand words of the page and words of the target's topic, half and half.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.web.worlds.synthetic.addresses import Addresses, Card
from wolfspider.web.worlds.synthetic.counter import key_for, mix, mix_many, unit, unit_many
from wolfspider.web.worlds.synthetic.links import LinkPlace, Links
from wolfspider.web.worlds.synthetic.sites import BRANCHING, Ids, Kind, keyed
from wolfspider.web.worlds.synthetic.words import TOPIC_BITS, length, purity, text

OLDEST = 5 * 365 * 86400.0  # seconds before a crawl begins: no page is older
_GENERIC = ("more", "click here", "next", "read on", "here", "details", "1", "2", "3")
_INFORMATIVE, _GENERIC_UP_TO = 154, 218  # of 256: 0.60, 0.25, the rest misleads
_LISTING_PURITY = 0.15
_PARAGRAPH = 45  # words
_BOILERPLATES_KEPT = 1 << 10
_CALENDAR_WORDS = 250
_REDIRECTED, _LOOPING = 0.03, 0.0005
_LOW = (1 << TOPIC_BITS) - 1
# Head and foot of the content, and of the list that holds its links ("" = links stand in the paragraphs).
_TEMPLATES = (
    ('<div class="content" id="main">', "</div>", "", "", "", ""),
    ('<article class="story">', "</article>", '<ul class="links">', "<li>", "</li>", "</ul>"),
    (
        '<div class="page"><div class="entry">',
        "</div></div>",
        '<table class="list">',
        "<tr><td>",
        "</td></tr>",
        "</table>",
    ),
)


class Boilerplate(NamedTuple):
    """What all pages of a host share."""

    top: str
    bottom: str
    template: int


class Shown(NamedTuple):
    """A link as it will stand on a page."""

    card: Card
    href: str
    place: int


def document(title: str, published: float | None, nav: Iterable[str], body: Iterable[str]) -> bytes:
    """The frame around every page of this web."""
    date = "" if published is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(published))
    meta = f'<meta property="article:published_time" content="{date}">' if date else ""
    menu = "".join([f"<li>{link}</li>" for link in nav])
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"{meta}</head>\n<body>"
        f'<div class="nav" id="menu"><ul>{menu}</ul></div>\n{"".join(body)}</body></html>\n'
    ).encode()


def anchor_tag(href: str, words: str) -> str:
    return f'<a href="{href}">{words}</a>'


class Printer:
    def __init__(self, links: Links, addresses: Addresses) -> None:
        self.links, self.sites = links, links.sites
        self.addresses, self.lexicon = addresses, addresses.lexicon
        seed, self._epoch = self.sites.params.seed, self.sites.params.epoch
        self._text_key, self._length_key, self._purity_key, self._date_key = (
            key_for(seed, name) for name in ("text", "length", "purity", "date")
        )
        self._anchor_key, self._boilerplate_key, self._redirect_key, self._session_key = (
            key_for(seed, name) for name in ("anchor", "boilerplate", "redirect", "session")
        )
        self.boilerplate = lru_cache(_BOILERPLATES_KEPT)(self._boilerplate)

    def page(self, page: int, links: Sequence[tuple[int, int]]) -> bytes:
        """An ordinary answer: the page of this number with these links (target, place)."""
        host = self.sites.host(page)
        shown, shown_host = self.addresses.content(page, host)
        card = self.addresses.card(page)
        words = self._text(shown, shown_host, card.topic, self.sites.page_kind(page, host))
        cards = ((self.addresses.card(target), place) for target, place in links)
        hrefs = [Shown(to, self._href(page, host, to), place) for to, place in cards]
        nav = [self._nav_link(shown_host, link) for link in hrefs if link.place == LinkPlace.NAV]
        if self.sites.host_kind(host) == Kind.TRAP:
            nav.append(anchor_tag("/cal/2005/3", "calendar"))
        body = self._body(shown, card.topic, words, hrefs, self.boilerplate(shown_host))
        return document(" ".join(card.title), self.published(shown), nav, body)

    def published(self, page: int) -> float:
        """Some day of the five years before the crawl."""
        return float(int(self._epoch - OLDEST * unit(mix(self._date_key + page))))

    def redirect(self, page: int, target: int) -> str:
        """How a link to another host gets there: "" directly, a to c by one to three redirects, x by redirects in a
        circle."""
        u = unit(mix(mix(self._redirect_key + page) + target))
        if not self.sites.params.mischief or u >= _REDIRECTED:
            return ""
        return "x" if u < _LOOPING else "abc"[int(u * 1e6) % 3]

    def loops(self, pages: Ids, targets: Ids, hosts: Ids) -> NDArray[np.bool_]:
        """Which of these links go in a circle for ever; `hosts` by page."""
        if not self.sites.params.mischief:
            return np.zeros(pages.size, dtype=bool)
        u = unit_many(mix_many(keyed(self._redirect_key, pages) + targets.astype(np.uint64)))
        looping: NDArray[np.bool_] = (u < _LOOPING) & (hosts[pages] != hosts[targets])
        return looping

    def soft_failure(self, host: int) -> bytes:
        """The page a host shows, with status 200, for what it does not have: the same for all."""
        words = self._off_topic(host, 1, 60)
        return document(" ".join(words[:4]), None, (), [f"<p>{' '.join(words[4:])}</p>"])

    def calendar(self, host: int, year: int, month: int) -> bytes:
        """One month of a trap: nearly the same words as every other, and a way on to the next."""
        months = year * 12 + month - 1
        around = [
            anchor_tag(f"/cal/{number // 12}/{number % 12 + 1}", word)
            for number, word in ((months - 1, "previous"), (months + 1, "next"))
        ]
        words = " ".join(self._off_topic(host, 2, _CALENDAR_WORDS))
        return document("calendar", None, around, [f'<div class="cal"><h1>{year}/{month}</h1><p>{words}</p></div>'])

    def _off_topic(self, host: int, use: int, count: int) -> list[str]:
        """Words of a host that say nothing of its topic, different ones for each use."""
        key = mix(self._boilerplate_key + host) + use
        return text(self.lexicon, key, count, self.sites.host_topic(host), host, 0.0)

    def _text(self, page: int, host: int, topic: int, kind: Kind) -> list[str]:
        pure = purity(mix(self._purity_key + page))
        if kind in (Kind.DIRECTORY, Kind.PORTAL):
            pure = _LISTING_PURITY
        elif page - self.sites.starts[host] <= BRANCHING:
            pure /= 2
        return text(self.lexicon, self._text_key + page, length(mix(self._length_key + page)), topic, host, pure)

    def _href(self, page: int, host: int, to: Card) -> str:
        if to.host != host:
            way = self.redirect(page, to.page)
            return f"/go/{self.addresses.code(to.page)}{way}" if way else to.url
        if self.sites.host_kind(host) == Kind.TRAP:
            bits = mix(self._session_key + page)
            if bits >> to.page % 64 & 1:
                return f"{to.url}?sid={bits & 0xFFFFFFFF:08x}"
        return to.url

    def _nav_link(self, host: int, link: Shown) -> str:
        place = link.card.page - self.sites.starts[link.card.host]
        return anchor_tag(link.href, self.lexicon.host_word(host, (place - 1) % 100) if place else "home")

    def _body(self, page: int, topic: int, words: list[str], links: list[Shown], plate: Boilerplate) -> list[str]:
        main: list[str] = []
        related: list[str] = []
        footer: list[str] = []
        listing = not any(link.place in (LinkPlace.OWN, LinkPlace.TOPIC) for link in links)
        root = mix(self._anchor_key + page)
        for number, link in enumerate(links):
            if link.place == LinkPlace.NAV:
                continue
            tag = anchor_tag(link.href, self._anchor(mix(root + 2 * number), link.card.title, topic))
            if link.place == LinkPlace.COPY:
                related.append(f"<li>{tag}</li>")
            elif link.place == LinkPlace.WIDE and not listing:
                footer.append(f" {tag}")
            else:
                main.append(self._in_context(mix(root + 2 * number + 1), tag, link.card.topic, words, number))
        title = " ".join(self.addresses.title(page, topic))
        texts = [self.lexicon.prose(words[at : at + _PARAGRAPH]) for at in range(0, len(words), _PARAGRAPH)]
        parts = [f'<div class="top"><p>{plate.top}</p></div>\n', *_content(plate.template, title, texts, main)]
        if related:
            parts.append(f'<div class="related"><ul>{"".join(related)}</ul></div>\n')
        parts.append(f'<div class="footer"><p>{plate.bottom}</p>{"".join(footer)}</div>')
        return parts

    def _anchor(self, bits: int, title: tuple[str, ...], topic: int) -> str:
        kind = bits & 255
        count = 1 + (bits >> 8 & 3)
        if kind < _INFORMATIVE:
            first = (bits >> 10 & 7) % (len(title) - count + 1)
            return " ".join(title[first : first + count])
        if kind < _GENERIC_UP_TO:
            return _GENERIC[(bits >> 10) % len(_GENERIC)]
        table = self.lexicon.topic(topic)
        return " ".join([table[bits >> 12 + 13 * number & _LOW] for number in range(count)])

    def _in_context(self, bits: int, tag: str, topic: int, words: list[str], number: int) -> str:
        table = self.lexicon.topic(topic)
        one, two, three, four = [table[bits >> shift & _LOW] for shift in (0, 13, 26, 39)]
        at = number * 4 % (len(words) - 4)
        return f"{words[at]} {words[at + 1]} {one} {two} {tag} {three} {four} {words[at + 2]} {words[at + 3]}"

    def _boilerplate(self, host: int) -> Boilerplate:
        key = mix(self._boilerplate_key + host)
        words = self._off_topic(host, 0, 40 + key % 41)
        half = len(words) // 2
        return Boilerplate(" ".join(words[:half]), " ".join(words[half:]), (key >> 32) % len(_TEMPLATES))


def _content(template: int, title: str, texts: list[str], links: list[str]) -> list[str]:
    head, foot, list_head, item_head, item_foot, list_foot = _TEMPLATES[template]
    if not list_head:
        for number in range(len(texts)):
            texts[number] = " ".join([texts[number], *links[number :: len(texts)]])
    parts = [f"{head}<h1>{title}</h1>\n", *[f"<p>{paragraph}</p>\n" for paragraph in texts]]
    if list_head and links:
        parts += [list_head, *[f"{item_head}{link}{item_foot}\n" for link in links], list_foot]
    return [*parts, foot, "\n"]
