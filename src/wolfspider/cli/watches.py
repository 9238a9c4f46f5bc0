"""`wolfspider watch`: sites are watched until somebody stops it, and what is new is told as it is found."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from wolfspider.cli.common import Out, Quiet, app, own_output, verbatim
from wolfspider.cli.dashboard import Beside, served_beside
from wolfspider.cli.options import with_settings
from wolfspider.core.errors import Problem

ADDRESS, SECRET = "WOLFSPIDER_WEBHOOK", "WOLFSPIDER_WEBHOOK_SECRET"
Webhook = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help=f"A service of yours that is handed every report; or by {ADDRESS}, and a key by {SECRET}. "
        "none: there is none any more.",
    ),
]
DEFAULTS = {  # what watching.settings_for makes of the settings of a crawl, in words; its module would be slow to load
    "strategy": "newshound",
    "judge": "context if there is a topic, otherwise everything",
    "include": "the sites of the addresses",
    "traps": "ignore",
    "pages": "no limit",
    "max_wait": "30 days",
}


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider watch https://example.org/ --contact me@example.org --out news
  wolfspider watch https://example.org/ --topic "floods" --preset monitor --contact me@example.org --out floods
  wolfspider watch --out news
  wolfspider explain news https://example.org/page

The third one goes on after a stop or a crash, the last one says why you were told of a page, or were not. News are in
news/news.jsonl, and news/news.atom is a feed for your reader."""
    )
)
@with_settings(without=("watch", "territory"), defaults=DEFAULTS)
def watch(
    flags: dict[str, Any],
    out: Out = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings in a TOML file.")] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="Settings for a purpose: monitor, or gentle.")] = "",
    webhook: Webhook = "",
    webhook_as: Annotated[
        str, typer.Option("--webhook-as", metavar="json|slack", help="What the service is sent.")
    ] = "json",
    islands: Annotated[str | None, typer.Option(hidden=True)] = None,
    dashboard: Beside = False,
    as_json: Annotated[bool, typer.Option("--json", help="Every report as a line of JSON on stdout.")] = False,
    quiet: Quiet = False,
) -> int:
    """Watch sites, and tell what is new on them as it is found, until you stop it."""
    from wolfspider.app.run_folder import settings_of
    from wolfspider.app.settings import choose
    from wolfspider.app.strange_runs import resumed_with
    from wolfspider.cli.crawling import folder_for
    from wolfspider.store.fleet_folder import is_fleet
    from wolfspider.store.folder import is_run
    from wolfspider.watch.watching import settings_for

    if islands is not None:
        raise Problem(
            "A watch is one crawl and has no islands: leave --islands away. With --cluster its pages are downloaded on "
            "several machines."
        )
    chosen = choose(flags, config, preset)
    settings = chosen.settings
    folder = out or folder_for(settings)
    if is_fleet(folder):
        raise Problem(f"{folder} is a fleet, and a fleet watches nothing: name another folder by --out.")
    if out is not None and not settings.names_starts() and not is_run(folder):
        raise Problem(f"There is no watch in {folder} to go on with: name an address to begin one, or another --out.")
    if is_run(folder) and not settings.names_starts():
        settings = choose(resumed_with(settings_of(folder), flags), environment=False).settings
    else:
        settings = settings_for(chosen)
    hook = hook_of(webhook, webhook_as)
    with served_beside(dashboard, folder, quiet):
        return watched(settings, folder, hook, as_json, quiet, tuple(flags))


def hook_of(webhook: str = "", form: str = "json") -> Any:
    """The service that a person named, here or by the environment."""
    from wolfspider.watch.webhook import Hook

    return Hook.read(webhook or os.environ.get(ADDRESS, ""), os.environ.get(SECRET, ""), form)


def watched(settings: Any, folder: Path, hook: Any, as_json: bool, quiet: bool, given: tuple[str, ...] = ()) -> int:
    import asyncio

    from wolfspider.app.starting_points import check_server
    from wolfspider.cli.common import say
    from wolfspider.cli.crawling import CODES, guided
    from wolfspider.core.events import Event
    from wolfspider.export.harmless_text import json_line
    from wolfspider.store.folder import is_run
    from wolfspider.terminal import progress as terminal
    from wolfspider.terminal.watch_screen import WatchTally, following
    from wolfspider.watch.book import Report
    from wolfspider.watch.outputs import FEED, TAIL
    from wolfspider.watch.watching import Watch

    console = terminal.console_for(stderr=True, quiet=quiet)
    tally, begun = WatchTally(folder), False

    def told(report: Report) -> None:
        tally.told(report)
        if as_json:
            output.write(json_line(report.told()) + "\n")
        else:
            say(console, tally.line(report))

    def remark(sentence: str) -> None:
        say(console, sentence)

    def hear(event: Event) -> None:
        """The first one says that nothing was wrong with the folder."""
        nonlocal begun
        if not begun:
            begun = True
            remark(
                f"{'Going on watching' if resumed else 'Watching'} {', '.join(settings.urls[:3])}; news go to "
                f"{folder / TAIL} and {folder / FEED}. Ctrl-C stops."
            )
        tally.hear(event)

    with own_output() as output:
        resumed = is_run(folder)
        watch = Watch(settings, folder, hook, tell=hear, told=told, remark=remark, given=given)
        asyncio.run(check_server(settings))
        with following(console, tally) as look:
            reason = asyncio.run(guided(watch, remark, look, output))
    sys.stdout.flush()
    for line in tally.summary():
        remark(line)
    return CODES[reason]
