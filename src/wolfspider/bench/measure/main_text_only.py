"""A page as a judge would read it that is shown the title and the main text alone: menus and the like are left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wolfspider.core.model import Page
from wolfspider.core.text import words
from wolfspider.web.page import charset
from wolfspider.web.page.html import MOST_BYTES
from wolfspider.web.page.main_text import main_text
from wolfspider.web.worlds.world import World


def main_text_only(world: World) -> Callable[[Page], Page]:
    """For pages of a web that keeps their sources. A page that is no HTML stays as it is, and so do all links."""

    def shown(page: Page) -> Page:
        fetch = world.look(page.final_url, world.start)
        answer = fetch if fetch.body else world.record(page.final_url, world.start)
        kind = answer.headers.get("content-type", "text/html")
        if charset.kind_of(kind, answer.body) != "html":
            return page
        html, _ = charset.decoded(kind, answer.body[:MOST_BYTES])
        return replace(page, words=(*words(page.title), *words(main_text(html, page.final_url))), counts_=None)

    return shown
