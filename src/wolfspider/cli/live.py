"""A crawl on the command line: signals, the screen or the stream of events, and how it ended.

Ctrl-C once waits for what is out, twice ends at once; either way the run can be gone on with.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from wolfspider.bench import live as terminal
from wolfspider.bench.plain import plainly
from wolfspider.cli.screen import Tally, following
from wolfspider.drive import Result
from wolfspider.events import Event
from wolfspider.hunt import Hunt
from wolfspider.settings import Chosen, Settings
from wolfspider.telling import told

TRIED = 12  # downloads of a dry run
CODES = {  # docs/cli.md has the table
    "budget": 0,
    "done": 0,
    "finished": 0,
    "waiting": 5,
    "circling": 6,
    "stuck": 6,
    "disk": 7,
    "interrupted": 130,
    "stopped": 131,
}


def folder_for(settings: Settings) -> Path:
    """Where a run goes that nobody named a folder for: the same command finds it again."""
    words = settings.topic or settings.description or "run"
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:60]
    return Path("runs") / (slug or "run")


def crawl(settings: Settings, folder: Path, as_json: bool, quiet: bool) -> int:
    console = terminal.console_for(stderr=True, quiet=quiet)
    tally = Tally(settings.pages)
    with following(console, tally) as look:

        def tell(event: Event) -> None:
            tally.hear(event)
            if as_json:
                sys.stdout.write(json.dumps(told(event), ensure_ascii=True) + "\n")
            look()

        hunt = Hunt(settings, folder, tell=tell, remark=lambda sentence: _say(console, sentence))
        tally.follow(hunt)
        result = asyncio.run(_guided(hunt, lambda sentence: _say(console, sentence)))
    sys.stdout.flush()
    for line in ending(result, tally, folder):
        _say(console, line)
    return CODES[result.reason]


async def _guided(hunt: Hunt, say: Callable[[str], None]) -> Result:
    """The hunt, ended by signals: the first one gently."""
    signals = 0

    def handle() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            say("Waiting for what is out; Ctrl-C again ends at once. Either way the run can be resumed.")
            hunt.drain()
        else:
            hunt.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # systems without signals of this kind
            loop.add_signal_handler(number, handle)
    return await hunt.run()


def _say(console: Console, sentence: str) -> None:
    console.print(Text(plainly(sentence, 1000)))


def ending(result: Result, tally: Tally, folder: Path) -> list[str]:
    """What a person wants to know in the end: why it is over, what there is, what to do next."""
    lines = [_why(result, tally), tally.summary()]
    if result.reason in ("interrupted", "stopped", "disk", "waiting"):
        lines.append(f"Go on with it by: wolfspider resume {folder}")
    elif result.reason == "budget":
        lines.append(f"Go on with it by: wolfspider resume {folder} --pages {2 * result.downloads}")
    lines.append(f"The pages: wolfspider export {folder} --relevant")
    return lines


def _why(result: Result, tally: Tally) -> str:
    spent = f"{result.downloads:,} downloads"
    match result.reason:
        case "budget":
            return f"The budget is spent: {spent}."
        case "done" if not tally.pages_in:
            return f"Nothing could be downloaded from any starting point ({tally.failures_told()}). Are they right?"
        case "done":
            return f"No link is left to follow after {spent}. More starting points, or a wider --include, bring more."
        case "waiting":
            return f"Every host that is left must rest for longer than --max-wait, after {spent}. Try again later."
        case "circling":
            return f"The strategy goes round among pages it has, after {spent}: it finds nothing new."
        case "stuck":
            return f"The strategy waits for something that will never come, after {spent}: that is a bug in it."
        case "disk":
            return f"The disk is nearly full (--disk-floor), so the crawl has stopped after {spent}. Make room first."
        case "finished":
            return f"Finished, as you said, after {spent}."
        case _:
            return f"Ended by you after {spent}; nothing is lost."


def dry_run(chosen: Chosen, quiet: bool) -> int:
    """What a crawl would do, tried on a few pages in a folder that is thrown away."""
    settings = replace(chosen.settings, pages=min(TRIED, chosen.settings.pages), disk_floor=0)
    console = terminal.console_for()
    tally = Tally(settings.pages)
    hunt = Hunt(settings, None, tell=tally.hear, remark=lambda sentence: _say(console, sentence))
    tally.follow(hunt)
    for name, value in chosen.settings.to_json().items():
        if name in chosen.origin:
            _say(console, f"{name} = {value}  ({chosen.origin[name]})")
    result = asyncio.run(_guided(hunt, lambda sentence: _say(console, sentence)))
    for line in tally.tried(chosen.settings):
        _say(console, line)
    return 0 if result.reason in ("budget", "done") and tally.pages_in else CODES.get(result.reason, 0) or 4
