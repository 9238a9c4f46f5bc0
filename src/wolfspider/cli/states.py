"""Commands about models of page states: learn one, measure one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wolfspider.cli.common import WEB, Quiet, Time, moment, open_world, print_json, states_app, verbatim

Pages = Annotated[int, typer.Option(metavar="N", help="At most so many pages, drawn at random.")]
Seed = Annotated[int, typer.Option(metavar="S", help="What the pages are drawn from.")]


@states_app.command(epilog=verbatim("Example:\n\n  wolfspider states build synthetic:pages=2000 --out my-states.npz"))
def build(
    web: Annotated[str, typer.Argument(metavar="WEB", help=WEB)],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to keep the model.")],
    classes: Annotated[int, typer.Option(metavar="N", help="Clusters of pages: the length of a state.")] = 50,
    words: Annotated[
        int, typer.Option(metavar="N", help="Words to keep, those that tell clusters apart best.")
    ] = 14000,
    pages: Pages = 20000,
    seed: Seed = 0,
    start: Time = None,
    quiet: Quiet = False,
) -> None:
    """Learn a model of page states from the pages of a web; it keeps statistics of words, no text."""
    from wolfspider.bench.measure import state_models as modelling
    from wolfspider.terminal import progress

    sample = modelling.Sample(pages, seed, moment(start))
    console = progress.console_for(stderr=True, quiet=quiet)
    with progress.Bar(console, "reading") as bar:
        model = modelling.build(open_world(web, console), out, sample, classes, words, bar)
    console.print(f"{model.size} clusters, {len(model.words):,} words, {out.stat().st_size:,} bytes in {out}.")


@states_app.command(
    epilog=verbatim(
        "Examples:\n\n  wolfspider states check synthetic:pages=2000\n  wolfspider states check recorded/ --json"
    )
)
def check(
    web: Annotated[str, typer.Argument(metavar="WEB", help=WEB)],
    model: Annotated[str, typer.Option(metavar="FILE", help="A file of `states build`.")] = "default",
    pages: Pages = 20000,
    seed: Seed = 0,
    start: Time = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure a model on a web: how many of its words are known, and how many of its pages have states of their own.

    States that are the same when rounded to 2 decimals count as one.
    """
    from wolfspider.bench.measure import state_models as modelling
    from wolfspider.terminal import progress

    sample = modelling.Sample(pages, seed, moment(start))
    console = progress.console_for(stderr=True, quiet=quiet)
    with progress.Bar(console, "reading") as bar:
        found = modelling.check(open_world(web, console), modelling.opened(model), sample, bar)
    if as_json:
        print_json(asdict(found))
    else:
        from wolfspider.core.plain_text import plain_lines

        print(plain_lines(modelling.text(found)), end="")
