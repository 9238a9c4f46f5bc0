"""Commands about webs: make one, measure one, serve one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wolfspider.cli.common import WEB, Quiet, Time, moment, print_json, verbatim, web_app


@web_app.command(epilog=verbatim("Example:\n\n  wolfspider web make synthetic:pages=20000,seed=3 --out my-web"))
def make(
    web: Annotated[str, typer.Argument(metavar="WEB", help="synthetic:KEY=VALUE,...")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for web.warc.gz and topics.json.")],
    limit: Annotated[int | None, typer.Option(metavar="N", help="At most so many records.")] = None,
    quiet: Quiet = False,
) -> None:
    """Write a synthetic web as WARC, to keep or to give away."""
    from wolfspider.bench import live
    from wolfspider.web.synthetic import Synthetic, write

    console = live.console_for(stderr=True, quiet=quiet)
    with live.Bar(console, "writing") as bar:
        written = write(Synthetic.parse(web), out, limit, bar)
    console.print(f"{written:,} records in {out}.")


@web_app.command(epilog=verbatim("Example:\n\n  wolfspider web describe synthetic:pages=20000 --plots plots/"))
def describe(
    web: Annotated[str, typer.Argument(metavar="WEB", help=WEB)],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    plots: Annotated[Path | None, typer.Option(metavar="DIR", help="Draw the degree distributions there.")] = None,
    start: Time = None,
    quiet: Quiet = False,
) -> None:
    """Measure a web: degrees, clustering, distances, topics."""
    from wolfspider.bench import describe as measuring
    from wolfspider.bench import live
    from wolfspider.bench.plain import plain_lines

    at = moment(start)
    console = live.console_for(stderr=True, quiet=quiet)
    with live.busy(console, "Measuring the web ..."):
        found = measuring.describe(live.opened(web, console), at)
    if as_json:
        print_json(found.to_json())
    else:
        print(plain_lines(measuring.text(found)), end="")
    if plots is not None:
        for path in measuring.plots(found, plots):
            console.print(f"Drawn: {path}")
