"""Cells of any table: each is computed once, in some process, and kept, so that what is interrupted goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

from wolfspider.bench.run.kept import Kept
from wolfspider.bench.run.pool import spread

Result = dict[str, Any]  # what JSON can hold


def run_cells(
    call: Callable[..., Result],
    calls: Sequence[tuple[Any, ...]],
    keys: Sequence[str],
    kept: Kept,
    jobs: int | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """call(*calls[i]) with its number i: first what is kept under keys[i], then the rest as it is done, kept before it
    is told. In `jobs` processes; None: one for each core."""
    kept.prepare()
    missing = []
    for number, key in enumerate(keys):
        known = kept.get(key)
        if known is None:
            missing.append(number)
        else:
            yield number, known
    processes = min(jobs or os.cpu_count() or 1, len(missing))
    with closing(spread(call, [calls[number] for number in missing], processes)) as results:
        for place, result in results:
            kept.put(keys[missing[place]], result)
            yield missing[place], result
