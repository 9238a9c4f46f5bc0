"""`wolfspider cluster status`: the machines of a Ray cluster, or the workers of a run that is crawled on one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from wolfspider.cli.common import app, at_hand, print_json, verbatim

cluster_app = typer.Typer(help="Crawls on a Ray cluster.", rich_markup_mode=None)
app.add_typer(cluster_app, name="cluster")


@cluster_app.command(
    epilog=verbatim("Examples:\n\n  wolfspider cluster status run\n  wolfspider cluster status --json")
)
def status(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN]", help="The folder of a run: its workers.", callback=at_hand, show_default=False),
    ] = None,
    address: Annotated[
        str, typer.Option("--address", metavar="auto|ADDRESS", help="Of the cluster, if no run is given.")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show the machines of a Ray cluster, or the workers of a run that is crawled on one."""
    from wolfspider.app import cluster_status as standing
    from wolfspider.core.plain_text import plain_lines

    told: dict[str, Any] = standing.of_run(run) if run is not None else standing.of_cluster(address)
    if as_json:
        print_json(told)
    else:
        for line in standing.lines(told):
            print(plain_lines(line)[:1000])
