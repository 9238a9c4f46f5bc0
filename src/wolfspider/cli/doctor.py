"""The command that looks at the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wolfspider.cli.common import app, print_json, verbatim

HOST = "example.com"


@app.command(
    epilog=verbatim("Examples:\n\n  wolfspider doctor\n  wolfspider doctor /data/runs --host intranet.example")
)
def doctor(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where runs are to lie.")] = Path("runs"),
    host: Annotated[str, typer.Option(metavar="NAME", help="A name that the name server is asked for.")] = HOST,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> int:
    """Is this machine fit for a crawl? Looks at versions, disk, file handles, memory, clock and name server."""
    from wolfspider.app.fitness import examine, failed, report, told, verdict

    looks = examine(folder, host)
    if as_json:
        print_json(report(looks))
    else:
        print("\n".join(told(looks)))
        print(verdict(looks))
    return int(failed(looks))
