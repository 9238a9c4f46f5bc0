"""Python's search for garbage, as seldom as in wolfspider/cli, for crawlers that are tuned."""

from __future__ import annotations

import atexit
import gc


def search_seldom() -> None:
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)  # at the end all memory is given back at once
