"""Commands about webs: make one, measure one, serve one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from wolfspider.cli.common import WEB, Quiet, Time, moment, open_world, print_json, verbatim, web_app
from wolfspider.core.errors import Problem, closest


@web_app.command(epilog=verbatim("Example:\n\n  wolfspider web make synthetic:pages=20000,seed=3 --out my-web"))
def make(
    web: Annotated[str, typer.Argument(metavar="WEB", help="synthetic:KEY=VALUE,...")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for web.warc.gz and topics.json.")],
    limit: Annotated[int | None, typer.Option(metavar="N", help="At most so many records.")] = None,
    quiet: Quiet = False,
) -> None:
    """Write a synthetic web as WARC, to keep or to give away."""
    from wolfspider.terminal import progress
    from wolfspider.web.worlds.synthetic import Synthetic, write

    console = progress.console_for(stderr=True, quiet=quiet)
    with progress.Bar(console, "writing") as bar:
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
    from wolfspider.bench.measure import describe as measuring
    from wolfspider.core.plain_text import plain_lines
    from wolfspider.terminal import progress

    at = moment(start)
    console = progress.console_for(stderr=True, quiet=quiet)
    with progress.busy(console, "Measuring the web ..."):
        found = measuring.describe(open_world(web, console), at)
    if as_json:
        print_json(found.to_json())
    else:
        print(plain_lines(measuring.text(found)), end="")
    if plots is not None:
        for path in measuring.plots(found, plots):
            console.print(f"Drawn: {path}")


@web_app.command(
    epilog=verbatim(
        """Example:

  wolfspider web serve synthetic:pages=20000 --port 8080
  wolfspider crawl http://SEED/ --topic "..." --via 127.0.0.1:8080      (it tells you a seed and a topic)
  wolfspider web serve synthetic:news=1,articles=300 --speed 60

With --speed 60 an hour passes there in a minute."""
    )
)
def serve(
    web: Annotated[str, typer.Argument(metavar="WEB", help=WEB)],
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen at.")] = "127.0.0.1",
    latency: Annotated[float, typer.Option(metavar="S", help="Seconds before each answer.")] = 0.0,
    rate: Annotated[float, typer.Option(metavar="N", help="Bytes a second of each connection; 0 is no limit.")] = 0.0,
    plain: Annotated[bool, typer.Option("--plain", help="Never compress.")] = False,
    robots: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A robots.txt for every host, instead of the web's own.")
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option(metavar="KIND=SHARE", help="A share of answers that go wrong; repeatable.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(metavar="X", help="Time passes X times as fast there, and crawls with --via live in that time."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="TIME",
            help="What time it is there at first: ISO 8601 or seconds since 1970. [default: now, where there are news]",
        ),
    ] = None,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="A line of JSON for every request.")] = None,
) -> None:
    """Serve any web on loopback, all its hosts on one port, for crawls with --via."""
    import asyncio
    import time

    from wolfspider.web.server import serve as serving
    from wolfspider.web.server.replies import Faults

    faults = Faults(**_shares(fault or ()))
    text = None if robots is None else robots.read_text(encoding="utf-8")
    if speed is not None and speed <= 0:
        raise Problem("--speed is how many times as fast time passes there, such as 60: more than 0.")
    began, now = moment(start), time.time()
    dated = _dated(web, now if began is None else began) if web.startswith("synthetic") else web
    if began is None and dated != web:
        began = now
    encodings = () if plain else serving.PLAIN.encodings
    manner = serving.Manner(latency, rate, encodings, text, speed or 1.0, began, speed is not None or start is not None)
    asyncio.run(serving.main_serve(dated, port=port, host=host, manner=manner, faults=faults, log=log))


def _dated(web: str, now: float) -> str:
    """A synthetic web whose news are dated by the time that it is served at."""
    from wolfspider.web.worlds.synthetic.web_params import as_of

    return as_of(web, now)


def _shares(given: Sequence[str]) -> dict[str, Any]:
    """KIND=SHARE, checked."""
    from wolfspider.web.server.replies import Faults

    shares = {}
    for text in given:
        kind, _, share = text.partition("=")
        if kind not in Faults().shares():
            raise Problem(f"There is no fault {kind!r}.{closest(kind, Faults().shares())}")
        try:
            shares[kind] = float(share)
        except ValueError:
            raise Problem(f"A fault has a share between 0 and 1, such as {kind}=0.1, not {text!r}.") from None
    return shares
