"""The command that serves hunts to agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wolfspider.cli.common import app, verbatim


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider mcp hunts --contact me@example.org
  wolfspider mcp hunts --contact me@example.org --preset gentle --most-pages 200 --most-hunts 1

An agent starts this program itself; its settings name it, such as
{"mcpServers": {"wolfspider": {"command": "wolfspider", "args": ["mcp", "/data/hunts", "--contact", "me@my.org"]}}}"""
    )
)
def mcp(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where hunts lie, and the only place they may lie.")],
    contact: Annotated[str, typer.Option(metavar="MAIL", help="By which a site can reach you.")] = "",
    most_hunts: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="Hunts at the same time.")] = 2,
    most_pages: Annotated[int, typer.Option(metavar="N", min=1, help="Downloads of one hunt.")] = 500,
    most_runs: Annotated[int, typer.Option(metavar="N", min=1, help="Hunts in the folder, old ones included.")] = 100,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings of all hunts, in a TOML file.")] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="Settings of all hunts for a purpose.")] = "",
    via: Annotated[str, typer.Option(metavar="HOST:PORT", help="One server that answers for every address.")] = "",
) -> None:
    """Serve tools to an agent over stdin and stdout (the Model Context Protocol): hunt, status, search, read, explain,
    steer. Hunts run in the background, within these bounds, and go on when the server ends. Needs the extra `mcp`."""
    from wolfspider.assistant.hunts import Allowance, Hunts
    from wolfspider.assistant.server import serve

    serve(Hunts(folder, Allowance(most_hunts, most_pages, most_runs), config, preset, contact, via))
