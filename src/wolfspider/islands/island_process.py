"""The process of an island: a crawl like any other, begun or resumed in its folder. `python -m` this module runs it.

Its settings come on the standard input, in one line, with the names of the limits that the fleet moves now. A line
`drain` there lets visits in flight land, and the end of the input ends the crawl at once: so an island never outlives
the keeper that knows what it may spend.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from wolfspider.app.hunt import Hunt
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import LIVE, Settings
from wolfspider.core.errors import Problem
from wolfspider.files.one_thread import without_threads
from wolfspider.store.folder import is_run

DRAIN = "drain"
PAGES = "pages"


def settings_for(folder: Path, given: Settings, moved: Collection[str]) -> Settings:
    """What may change when a run is resumed is as it is given now; of limits, those that the fleet moves, so that the
    others stay as the island has them. The limit of downloads is moved by commands alone: they are in the run's own
    journal, and the keeper knows their order."""
    if not is_run(folder):
        return given
    first = settings_of(folder)
    return replace(given, **{name: getattr(first, name) for name in LIVE if name not in moved or name == PAGES})


def main(folder: Path) -> int:
    without_threads()
    for number in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C reaches the whole group; the keeper says what it means
        signal.signal(number, signal.SIG_IGN)
    try:
        said = json.loads(sys.stdin.readline())
        settings = settings_for(folder, Settings.from_json(said["settings"]), said["moved"])
        moved = [name for name in said["moved"] if name != PAGES]
        hunt = Hunt(settings, folder, remark=print, given=moved, leased=True)
        asyncio.run(_run(hunt))
    except Problem as problem:
        print(f"wolfspider: {problem}", flush=True)
        return problem.code
    return 0


async def _run(hunt: Hunt) -> None:
    loop = asyncio.get_running_loop()

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == DRAIN:
                loop.call_soon_threadsafe(hunt.drain)
        loop.call_soon_threadsafe(hunt.stop)

    threading.Thread(target=listen, daemon=True).start()
    await hunt.run()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
