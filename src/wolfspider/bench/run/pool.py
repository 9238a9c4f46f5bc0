"""Calls spread over processes. Results come as they are done, each with the number of its call, and may be kept.
Neighbouring calls with the same ground, such as a web, go to one process, which may keep what they share.

Workers are new processes, not copies of this one, so that threads and open files here are no matter there. Closing
the generator, as an error or Ctrl-C does, ends them; should this process be killed, they notice and end themselves.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import groupby
from multiprocessing import connection
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
    grounds: Sequence[Any] | None = None,
) -> Generator[tuple[int, Row], None, None]:
    """call(*calls[i]) with its number i: first the results in the cache under keys[i], then the others as they are
    done, each cached before it is yielded. In `jobs` processes; None: one for each core. `grounds`: see `spread`."""
    cache.prepare()
    missing = []
    for number, key in enumerate(keys):
        result = cache.get(key)
        if result is None:
            missing.append(number)
        else:
            yield number, result
    processes = min(jobs or os.cpu_count() or 1, len(missing))
    kept_together = None if grounds is None else [grounds[number] for number in missing]
    with closing(spread(call, [calls[number] for number in missing], processes, kept_together)) as results:
        for position, result in results:
            cache.put(keys[missing[position]], result)
            yield missing[position], result


def spread(
    call: Callable[..., T], arguments: Sequence[tuple[Any, ...]], jobs: int, grounds: Sequence[Any] | None = None
) -> Generator[tuple[int, T], None, None]:
    """call(*arguments[i]) for every i, in `jobs` processes; one job runs here, where it is easy to follow. Neighbours
    whose ground is equal are done by one process as long as the others have something to do; without `grounds` every
    call goes to the first process that is free."""
    if jobs <= 1:
        yield from ((number, call(*given)) for number, given in enumerate(arguments))
        return
    without_threads()  # every process has a core
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pools = [ProcessPoolExecutor(1, context, initializer=_begin_worker) for _ in range(jobs)]
    try:
        yield from _dealt(call, arguments, _groups(len(arguments), grounds), pools)
    except BaseException as error:
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        children = set(multiprocessing.active_children()) - others
        for child in children:
            (child.kill if isinstance(error, Exception) else child.terminate)()
        for child in children:
            child.join(timeout=5)
            child.kill()
        if isinstance(error, BrokenProcessPool):
            sentence = "A process of the bench died, perhaps for lack of memory. Run it again with fewer --jobs:"
            raise Problem(f"{sentence} finished results are kept if they go to a file.") from error
        raise
    for pool in pools:
        pool.shutdown()


def _groups(calls: int, grounds: Sequence[Any] | None) -> deque[list[int]]:
    """Numbers of calls: neighbours with the same ground together."""
    return deque(
        list(group) for _, group in groupby(range(calls), key=None if grounds is None else grounds.__getitem__)
    )


def _dealt(
    call: Callable[..., T],
    arguments: Sequence[tuple[Any, ...]],
    groups: deque[list[int]],
    pools: Sequence[ProcessPoolExecutor],
) -> Generator[tuple[int, T], None, None]:
    """Each process, a pool of one, does a group, call by call. When no group is left, it takes over half of what
    another one still has to do."""
    left = [deque[int]() for _ in pools]
    running: dict[Future[T], tuple[int, int]] = {}

    def go_on(worker: int) -> None:
        own = left[worker]
        if not own:
            own.extend(groups.popleft() if groups else _second_half(max(left, key=len)))
        if own:
            number = own.popleft()
            running[pools[worker].submit(call, *arguments[number])] = worker, number

    for worker in range(len(pools)):
        go_on(worker)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            worker, number = running.pop(future)
            go_on(worker)
            yield number, future.result()


def _second_half(numbers: deque[int]) -> list[int]:
    """Taken away from the numbers."""
    return [numbers.pop() for _ in range((len(numbers) + 1) // 2)][::-1]


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
        connection.wait([parent.sentinel])
        os._exit(1)
