"""Calls spread over processes. Results come as they are done, each with the number of its call, and may be kept.

Workers are new processes, not copies of this one, so that threads and open files here are no matter there. Closing
the generator, as an error or Ctrl-C does, ends them; should this process be killed, they notice and end themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from multiprocessing.connection import wait
from types import FrameType
from typing import Any, TypeVar

from wolfspider.app.plugins import interrupted
from wolfspider.bench import Row
from wolfspider.bench.run.result_cache import ResultCache
from wolfspider.core.errors import Problem
from wolfspider.core.plain_text import plainly
from wolfspider.files.one_thread import without_threads

T = TypeVar("T")


def run_cells(
    call: Callable[..., Row],
    calls: Sequence[tuple[Any, ...]],
    keys: Sequence[str],
    cache: ResultCache,
    jobs: int | None = None,
) -> Generator[tuple[int, Row], None, None]:
    """call(*calls[i]) with its number i: first the results in the cache under keys[i], then the others as they are
    done, each cached before it is yielded. In `jobs` processes; None: one for each core."""
    cache.prepare()
    missing = []
    for number, key in enumerate(keys):
        result = cache.get(key)
        if result is None:
            missing.append(number)
        else:
            yield number, result
    processes = min(jobs or os.cpu_count() or 1, len(missing))
    with closing(spread(call, [calls[number] for number in missing], processes)) as results:
        for position, result in results:
            cache.put(keys[missing[position]], result)
            yield missing[position], result


def spread(
    call: Callable[..., T], arguments: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[tuple[int, T], None, None]:
    """call(*arguments[i]) for every i, in `jobs` processes; one job runs here, where it is easy to follow."""
    if jobs <= 1:
        yield from ((number, call(*given)) for number, given in enumerate(arguments))
        return
    without_threads()  # every process has a core
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_begin_worker)
    try:
        numbers = {pool.submit(call, *given): number for number, given in enumerate(arguments)}
        for future in as_completed(numbers):
            yield numbers.pop(future), future.result()
    except BrokenProcessPool as error:
        sentence = "A process of the bench died, perhaps for lack of memory. Run it again with fewer --jobs:"
        raise Problem(f"{sentence} finished results are kept if they go to a file.") from error
    except BaseException as error:
        pool.shutdown(wait=False, cancel_futures=True)
        children = set(multiprocessing.active_children()) - others
        for child in children:
            (child.kill if isinstance(error, Exception) else child.terminate)()
        for child in children:
            child.join(timeout=5)
            child.kill()
        raise
    pool.shutdown()


def _begin_worker() -> None:
    sys.stdout = sys.stderr  # what a strategy prints is no result
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the parent decides
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end(number: int, frame: FrameType | None) -> None:
    """A person has interrupted the bench: say where, if a file of theirs is at work here."""
    if sentence := interrupted(frame):
        os.write(2, f"wolfspider: {plainly(sentence, 1000)}\n".encode())
    os._exit(128 + number)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
