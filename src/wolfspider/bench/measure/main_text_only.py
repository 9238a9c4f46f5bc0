"""A page as a judge reads it that is shown the title and the main text alone: menus and the like are left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wolfspider.core.model import Page
from wolfspider.policy.judges.main_text_judge import main_only
from wolfspider.web.page.main_text import read_page
from wolfspider.web.worlds.world import World


def main_text_only(world: World) -> Callable[[Page], Page]:
    """For pages of a web that keeps their sources. A page that is no HTML stays as it is, and so do all links."""

    def shown(page: Page) -> Page:
        fetch = world.look(page.final_url, world.start)
        answer = fetch if fetch.body else world.record(page.final_url, world.start)
        read = read_page(replace(answer, page=None), main=True)
        return main_only(replace(page, main=read.main)) if isinstance(read, Page) else page

    return shown
