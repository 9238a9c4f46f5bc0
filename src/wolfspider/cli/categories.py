"""Commands about categories: learn them from pages, look at them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from wolfspider.app.settings import CATEGORIES
from wolfspider.cli.common import Quiet, app, help_if_alone, open_world, print_json, verbatim
from wolfspider.core.errors import Problem
from wolfspider.files.program_name import shell_command

if TYPE_CHECKING:
    from rich.console import Console

    from wolfspider.store.categories.index import Categories, Category

EXAMPLES = 2  # pages shown of a category
_TERMS = 5

categories_app = typer.Typer(help="Learn categories from pages; look at them.", rich_markup_mode=None)
app.add_typer(categories_app, name="categories")
categories_app.callback(invoke_without_command=True)(help_if_alone)


@categories_app.command(
    epilog=verbatim(
        """Examples:

  wolfspider categories build recorded/
  wolfspider categories build run --out mine.sqlite
  wolfspider categories build synthetic:pages=5000 --pages 2000"""
    )
)
def build(
    web: Annotated[str, typer.Argument(metavar="WEB_OR_RUN", help="A folder of `crawl`, or any web, as for bench.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to keep the categories.")] = Path(CATEGORIES),
    pages: Annotated[int, typer.Option(metavar="N", help="At most so many pages, drawn at random.")] = 20000,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of all random numbers.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Sort pages into a tree of categories, searchable by words, for --category and the leaps of spiders."""
    from wolfspider.store.categories import building
    from wolfspider.store.folder import is_run
    from wolfspider.terminal import progress as live

    if not 1 <= pages <= building.MOST_PAGES:
        raise Problem(f"--pages must be between 1 and {building.MOST_PAGES:,}, not {pages}.")
    if seed < 0:
        raise Problem(f"--seed must be 0 or more, not {seed}.")
    console = live.console_for(stderr=True, quiet=quiet)
    if is_run(Path(web)):
        origin = building.run_origin(Path(web), pages, seed)
    else:
        origin = building.web_origin(open_world(web, console), pages, seed)
    with ExitStack() as shown:
        bars: dict[str, live.Bar] = {}  # one for each step

        def progress(what: str, done: int, count: int) -> None:
            if what not in bars:
                shown.close()
                bars[what] = shown.enter_context(live.Bar(console, what))
            bars[what](done, count)

        built = building.build(origin, out, seed, progress)
    console.print(f"{built.told()} See them: {shell_command('categories', 'show', out)}", markup=False)


@categories_app.command(
    epilog=verbatim("Examples:\n\n  wolfspider categories show\n  wolfspider categories show mine.sqlite --json")
)
def show(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="A file of `categories build`.")] = Path(CATEGORIES),
    depth: Annotated[int, typer.Option(metavar="N", help="How many levels of the tree.", min=1)] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, the whole tree.")] = False,
) -> None:
    """The tree of categories, with sizes and example pages."""
    from wolfspider.store.categories.index import Categories
    from wolfspider.terminal import progress as live

    with Categories.open(file) as index:
        if as_json:
            print_json({"about": dict(index.about), **_plain(index, index.tree())})
        elif (console := live.console_for()).is_terminal:
            _draw(console, index, depth)
        else:
            print(*(line.indented() for line in _lines(index, depth)), sep="\n")


def _plain(index: Categories, category: Category) -> dict[str, Any]:
    examples = [found._asdict() for found in index.examples(category, EXAMPLES)] if category.path else []
    return {
        "name": category.name,
        "path": category.path,
        "pages": category.pages,
        "terms": list(category.terms),
        "examples": examples,
        "below": [_plain(index, below) for below in category.below],
    }


class _Line(NamedTuple):
    level: int
    text: str
    beside: str  # less important
    example: bool = False

    def indented(self) -> str:
        return f"{'  ' * self.level}{'- ' * self.example}{self.text}  {self.beside}".rstrip()


def _lines(index: Categories, depth: int) -> Iterator[_Line]:
    from wolfspider.core.plain_text import plainly

    root = index.tree()
    made_from = plainly(index.about.get("origin", "?"))
    yield _Line(0, f"{made_from}: {root.pages:,} pages", f"{sum(1 for _ in root.walk()) - 1:,} categories")
    for category in root.walk():
        level = category.path.count("/") + 1
        if category.path and level <= depth:
            terms = ", ".join(term for term in category.terms[:_TERMS] if term not in category.name.split())
            yield _Line(level, plainly(f"{category.name} ({category.pages:,})"), plainly(terms))
            if level == 1:
                for url, title in index.examples(category, EXAMPLES):
                    yield _Line(level + 1, plainly(title, 80) or "(no title)", plainly(url), example=True)


def _draw(console: Console, index: Categories, depth: int) -> None:
    from rich.text import Text
    from rich.tree import Tree

    branches: list[Tree] = []
    for line in _lines(index, depth):
        text = Text.assemble((line.text, "" if line.example else "bold"), "  ", (line.beside, "dim"))
        del branches[line.level :]
        branches.append(branches[-1].add(text) if branches else Tree(text))
    console.print(branches[0])
