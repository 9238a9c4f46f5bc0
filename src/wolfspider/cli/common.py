"""What the commands share: the program itself, common options, and how data is printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from wolfspider import __version__
from wolfspider.core.errors import CtrlC, Problem
from wolfspider.files.compiled_parts import compiled_parts

if TYPE_CHECKING:
    from rich.console import Console

    from wolfspider.web.worlds.world import World

STDOUT = Path("-")

EXAMPLES = """Examples:

  wolfspider demo
  wolfspider crawl https://example.org/ --topic "linux kernel" --pages 500 --contact me@example.org --out run
  wolfspider resume run
  wolfspider export run --format jsonl --relevant > pages.jsonl
  wolfspider bench --quick
"""


def verbatim(text: str) -> str:
    """Paragraphs that typer prints as they are."""
    return "\n\n".join("\b\n" + part for part in text.strip().split("\n\n"))


# What most people need first; commands that are not named here come last.
_ORDER = (
    "demo",
    "crawl",
    "status",
    "steer",
    "label",
    "resume",
    "watch",
    "dashboard",
    "explain",
    "export",
    "search",
    "report",
    "check",
    "repair",
    "forget",
    "doctor",
    "mcp",
)


class InOrder(TyperGroup):
    """Commands in the order in which people come to need them."""

    def list_commands(self, ctx: Any) -> list[str]:
        place = {name: number for number, name in enumerate(_ORDER)}
        return sorted(super().list_commands(ctx), key=lambda name: place.get(name, len(place)))


app = typer.Typer(
    name="wolfspider",
    cls=InOrder,
    help="A focused crawler that learns while it crawls: the most relevant pages for the fewest downloads.",
    epilog=verbatim(EXAMPLES),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
web_app = typer.Typer(help="Make a synthetic web; measure any web; serve it.", rich_markup_mode=None)
app.add_typer(web_app, name="web")
states_app = typer.Typer(help="Learn and measure models of page states.", rich_markup_mode=None)
app.add_typer(states_app, name="states")


def at_hand(context: typer.Context, run: Path | None) -> Path | None:
    """Remember the run that a command is about: if anything unexpected happens, it may be damaged."""
    if run is not None and isinstance(context.obj, list):
        context.obj.append(run)
    return run


Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.", callback=at_hand)]
Out = Annotated[
    Path | None, typer.Option(metavar="RUN", help="The run's folder. [default: runs/TOPIC]", callback=at_hand)
]
WEB = "a folder or file of WARC, a recorded crawl, or synthetic:KEY=VALUE,..."
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks; errors only.")]
Time = Annotated[
    str | None, typer.Option("--from", metavar="TIME", help="The web as it was then: ISO 8601 or seconds since 1970.")
]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"wolfspider {__version__} (Python {sys.version.split()[0]}; {compiled_parts()})")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def every_command(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    help_if_alone(context)


def help_if_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


for group in (web_app, states_app):
    group.callback(invoke_without_command=True)(help_if_alone)


def print_json(data: object) -> None:
    print(json.dumps(data, ensure_ascii=True))


@contextmanager
def own_output() -> Iterator[TextIO]:
    """The standard output, for this command's data alone: what a strategy or a judge of the person's own prints
    meanwhile goes to the standard error. Ctrl-C names the line of theirs that it interrupts."""
    output = sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield output
    except KeyboardInterrupt as error:
        from wolfspider.app.plugins import interrupted

        if sentence := interrupted(error):
            raise CtrlC(sentence) from error
        raise


def say(console: Console, sentence: str, most: int = 1000) -> None:
    """A sentence for people, harmless: a terminal gets it wrapped at words, another program in one line."""
    from rich.text import Text

    from wolfspider.core.plain_text import plainly

    console.print(Text(plainly(sentence, most)))


def open_world(web: str, console: Console) -> World:
    """The web; what is wrong with it is told to the person."""
    from wolfspider.web.worlds.world import open_web

    world = open_web(web)
    for warning in world.warnings:
        say(console, f"{world.name}: {warning}", 300)
    return world


def language_code(text: str) -> str:
    """As pages have it, two letters: of en-GB that is en."""
    code = text.strip().lower().replace("_", "-").partition("-")[0]
    if len(code) != 2 or not code.isascii() or not code.isalpha():
        raise Problem(f"--lang is a code of two letters such as en, de or zh (ISO 639-1), not {text!r}.")
    return code


def moment(text: str | None, option: str = "--from") -> float | None:
    """ISO 8601 or seconds since 1970; a time without a zone is UTC."""
    if text is None:
        return None
    try:
        if text.replace(".", "", 1).isdecimal():
            return float(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Problem(f"{option} is a time such as 2018-10-29T12:00, or seconds since 1970, not {text!r}.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
