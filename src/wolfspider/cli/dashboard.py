"""The command that serves the dashboard."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from wolfspider.cli.common import Quiet, app, say, verbatim
from wolfspider.files.program_name import shell_command

PORT = 8765  # as dashboard/serving.py has it, which help does not load
Beside = Annotated[bool, typer.Option("--dashboard", help="Serve the dashboard while it runs.")]


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


@contextmanager
def served_beside(wanted: bool, run: Path, quiet: bool) -> Iterator[None]:
    """With a dashboard beside a crawl, if one is wanted."""
    if not wanted:
        yield
        return
    from wolfspider.dashboard.beside import beside
    from wolfspider.terminal import progress as screen

    with beside(run) as address:
        say(screen.console_for(stderr=True, quiet=quiet), f"Watch it at {address}")
        open_browser(address)
        yield
    again = shell_command("dashboard", run)
    say(screen.console_for(stderr=True, quiet=quiet), f"The dashboard has ended with it. Look at it again by: {again}")


def open_browser(address: str) -> None:
    """Where there is one, and somebody in front of it."""
    display = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.stdout.isatty() and display:
        import webbrowser

        from wolfspider.dashboard.door import opening

        webbrowser.open(opening(address))
