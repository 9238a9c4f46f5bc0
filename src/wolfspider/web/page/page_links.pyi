"""What mypy knows of page_links.pyx."""

from collections.abc import Sequence

from wolfspider.core.model import Link
from wolfspider.web.page.plain_passages import Passages

def links_of(
    addresses: Sequence[str | None],
    passages: list[str] | Passages,
    firsts: list[int],
    lasts: list[int],
    before: Sequence[int],
    ended: list[tuple[int, int, int, int]],
    paths: list[str],
    rels: list[str],
    most_links: int,
    most_letters: int,
    enough: int,
) -> tuple[Link, ...]: ...
def plain_address(href: str, folder: str) -> str: ...
