"""The process of an island: a crawl like any other, begun or resumed in its folder. `python -m` this module runs it.

Its settings come on the standard input, in one line. A line `drain` there lets visits in flight land, and the end of
the input ends the crawl at once: so an island never outlives the keeper that knows what it may spend.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

from wolfspider.app.hunt import Hunt
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.files.one_thread import without_threads
from wolfspider.store.folder import is_run

DRAIN = "drain"


def settings_for(folder: Path, given: Settings) -> Settings:
    """What may change when a run is resumed is as it is given now. The limit of downloads is moved by commands alone:
    they are in the run's own journal, and the keeper knows their order."""
    return replace(given, pages=settings_of(folder).pages) if is_run(folder) else given


def main(folder: Path) -> int:
    without_threads()
    for number in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C reaches the whole group; the keeper says what it means
        signal.signal(number, signal.SIG_IGN)
    try:
        given = Settings.from_json(json.loads(sys.stdin.readline()))
        hunt = Hunt(settings_for(folder, given), folder, remark=print, leased=True)
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
