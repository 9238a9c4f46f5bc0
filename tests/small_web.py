"""A web of a few pages written by hand, to be served: what each page says is known to the letter."""

from __future__ import annotations

from collections.abc import Mapping

from wolfspider.core.model import Fetch
from wolfspider.web.worlds.world import Servable

HTML = "text/html; charset=utf-8"
SPIDERS = "Wolf spiders hunt on the ground. A wolf spider carries its young; spiders of this family hunt alone. " * 5
EVIL = "\x1b]0;owned\x07\x1b[31mred\u202egnp.exe\u2066\nwolfspider: a forged line\x85\x9b2J"
BREAD = "Bread is baked from flour, water and salt; the dough rests overnight and the oven is hot. " * 5


class SmallWeb(Servable):
    """Pages by address: HTML, or (status, headers, body); `moved` leads from one address to another."""

    name, start = "small", 1.7e9

    def __init__(self, pages: Mapping[str, str | tuple[int, dict[str, str], bytes]], moved: Mapping[str, str]) -> None:
        self.pages, self.moved = pages, moved

    def look(self, url: str, now: float) -> Fetch:
        final = self.moved.get(url, url)
        status, headers, body = self._answer(self.pages.get(final, (404, {"content-type": "text/plain"}, b"no")))
        return Fetch(url, final, status, headers, body, at=now, hops=(url,) if final != url else ())

    def _answer(self, page: str | tuple[int, dict[str, str], bytes]) -> tuple[int, dict[str, str], bytes]:
        return (200, {"content-type": HTML}, page.encode()) if isinstance(page, str) else page


def page(title: str, text: str, *links: str, head: str = "") -> str:
    shown = "".join(f'<li><a href="{link}">to {link.rstrip("/").rpartition("/")[2]}</a></li>' for link in links)
    return f"<title>{title}</title>{head}<body><h1>{title}</h1><p>{text}</p><ul>{shown}</ul></body>"


PAGES: dict[str, str | tuple[int, dict[str, str], bytes]] = {
    "http://a.test/robots.txt": (200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /forbidden\n"),
    "http://a.test/": page(
        "Start",
        SPIDERS,
        *("/good", "/evil", "/formula", "/secret", "/old", "/gone", "/forbidden", "/notes", "http://b.test/"),
    ),
    "http://a.test/good": page("Good", SPIDERS, "/deep", head='<meta name="description" content="All about them.">'),
    "http://a.test/deep": page("Deep", SPIDERS),
    "http://a.test/evil": page(EVIL, SPIDERS),
    "http://a.test/formula": page('=HYPERLINK("http://evil.test","click, please")', SPIDERS),
    "http://a.test/secret": page("Secret", SPIDERS, head='<meta name="robots" content="noindex">'),
    "http://a.test/notes": (200, {"content-type": "text/plain"}, SPIDERS.encode()),
    "http://b.test/": page("Bread", BREAD, "/rolls"),
    "http://b.test/rolls": page("Rolls", BREAD),
}
SMALL = SmallWeb(PAGES, {"http://a.test/old": "http://a.test/good"})
