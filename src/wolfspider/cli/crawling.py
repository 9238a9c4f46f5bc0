"""A crawl on the command line: signals, the screen or the stream of events, and how it ended.

Ctrl-C once waits for visits in flight, twice ends at once; either way the run can be resumed.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from wolfspider.app import starting_points
from wolfspider.app.event_json import told
from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Settings
from wolfspider.cli.common import say
from wolfspider.cli.steering import told_of
from wolfspider.core.errors import Nothing
from wolfspider.core.events import EndReason, Event, Obeyed
from wolfspider.store.folder import is_run
from wolfspider.store.view import RunView
from wolfspider.terminal import progress as terminal
from wolfspider.terminal.crawl_screen import Tally, following
from wolfspider.terminal.spider_results import Outputs, show
from wolfspider.terminal.standing import End

NOTHING = Nothing.code  # exit code: not one page
CODES = {  # docs/cli.md has the table
    EndReason.BUDGET: 0,
    EndReason.DONE: 0,
    EndReason.FINISHED: 0,
    EndReason.WAITING: 5,
    EndReason.EXCLUDED: 5,
    EndReason.CIRCLING: 6,
    EndReason.STUCK: 6,
    EndReason.DISK: 7,
    EndReason.INTERRUPTED: 130,
    EndReason.STOPPED: 131,
}
_TICK = 0.2  # seconds between two pictures, and between two looks whether a line waits to be sent


def folder_for(settings: Settings) -> Path:
    """Where a run goes that nobody named a folder for: the same command finds it again."""
    liked = settings.like[0].partition("://")[2] or settings.like[0] if settings.like else ""
    words = settings.topic or settings.description or liked or "run"
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:60]
    return Path("runs") / (slug or "run")


def crawl(settings: Settings, folder: Path, as_json: bool, quiet: bool, given: Collection[str] = ()) -> int:
    console = terminal.console_for(stderr=True, quiet=quiet)
    tally, outputs = Tally(settings.pages), Outputs()
    if is_run(folder):
        before = RunView(folder)
        tally.take_stock(before.summary(), before.hosts())
        outputs.recall(before)

    def tell(event: Event) -> None:
        tally.hear(event)
        outputs.hear(event)
        if as_json:
            sys.stdout.write(json.dumps(told(event), ensure_ascii=True) + "\n")
        elif isinstance(event, Obeyed):
            say(console, told_of(event))

    hunt = Hunt(settings, folder, tell=tell, remark=lambda sentence: say(console, sentence), given=given)
    asyncio.run(starting_points.check_server(settings))
    hunt.open_leaps()  # here Ctrl-C works as everywhere
    with following(console, tally, outputs, moves=not (as_json and sys.stdout.isatty())) as look:
        reason = asyncio.run(guided(hunt, lambda sentence: say(console, sentence), look))
    view = RunView(folder)
    outputs.conclude(view)
    if outputs.newest is not None and not as_json:
        show(terminal.console_for(), outputs.newest)
    sys.stdout.flush()
    tally.take_stock(view.summary(), view.hosts())
    end = End.of(view, reason, outputs)
    for line in (end.why(), tally.summary(), *end.next_steps()):
        say(console, line)
    return exit_code(reason, tally)


def exit_code(reason: EndReason, tally: Tally) -> int:
    code = CODES[reason]
    return NOTHING if code == 0 and not tally.pages_in else code


async def guided(hunt: Hunt, say: Callable[[str], None], look: Callable[[], None]) -> EndReason:
    """Run the hunt and return why it ended; signals end it, the first one gently."""
    signals = 0

    def handle() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            say("Waiting for visits in flight; Ctrl-C again ends at once. Either way the run can be resumed.")
            hunt.drain()
        else:
            hunt.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # systems without signals of this kind
            loop.add_signal_handler(number, handle)
    ticking = asyncio.create_task(_tick(look))
    hunting = asyncio.create_task(hunt.run())
    try:
        await asyncio.wait((ticking, hunting), return_when=asyncio.FIRST_COMPLETED)
        if ticking.done():  # nobody reads what we print
            hunt.stop()
            await asyncio.gather(hunting, return_exceptions=True)
            ticking.result()
        return (await hunting).reason
    finally:
        ticking.cancel()


async def _tick(look: Callable[[], None]) -> None:
    """The picture moves while nothing lands, and lines of events do not wait for more of them."""
    while True:
        look()
        sys.stdout.flush()
        await asyncio.sleep(_TICK)
