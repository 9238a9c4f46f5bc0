"""The command that serves the dashboard."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wolfspider.cli.common import Quiet, app, say, verbatim

PORT = 8765


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider dashboard
  wolfspider dashboard runs/wolf-spiders
  wolfspider dashboard hunts --port 9000 --contact me@example.org

The address it prints has a token: whoever knows it can read the runs of the folder and start crawls."""
    )
)
def dashboard(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="A folder of runs, or a run.")] = Path("runs"),
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Where to serve on this machine; 0: any free one.")
    ] = PORT,
    contact: Annotated[str, typer.Option(metavar="MAIL", help="By which a site can reach you.")] = "",
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings of all crawls started here, in a TOML file.")
    ] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="Settings for a purpose, of all crawls.")] = "",
    via: Annotated[str, typer.Option(metavar="HOST:PORT", help="One server that answers for every address.")] = "",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Leave your browser alone.")] = False,
    quiet: Quiet = False,
) -> None:
    """Watch crawls in a browser, steer them and start them. Needs the extra `dashboard`."""
    from wolfspider.dashboard.desk import ForAll
    from wolfspider.dashboard.serving import serve
    from wolfspider.terminal import progress as screen

    def ready(address: str) -> None:
        print(address, flush=True)
        say(screen.console_for(stderr=True, quiet=quiet), f"The dashboard of {folder} is served. Ctrl-C ends it.")
        if not no_browser:
            open_browser(address)

    serve(folder, port, ForAll(config, preset, contact, via), ready)


def open_browser(address: str) -> None:
    """Where there is one, and somebody in front of it."""
    import os
    import sys
    import webbrowser

    if sys.stdout.isatty() and (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        webbrowser.open(address)
