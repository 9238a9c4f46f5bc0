"""Pages parsed in other processes: a second core is used, and what a page does to its parser is not done to the crawl.

A parser is this module run by itself. It reads answers from its standard input and writes pages to its standard output,
each as a length and that many bytes of msgpack. It may take as much memory as it was allowed, and a page as many
seconds; a parser that hangs, dies or grows too large is ended, the page is a failure (`trap`), and the next page gets a
new parser. A parser has several questions at a time, so that it need not wait while the crawl does something else; it
answers one after another, and what it had not come to when it was ended is asked of the next one. If the crawl itself
is gone, a parser ends when its input does, or by an alarm if it hangs just then.

What a page costs the crawl is packing its bytes and unpacking its words (packed.py), the counts of the words included.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from typing import BinaryIO

from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page.c_heap import large_blocks_apart, tidy
from wolfspider.web.page.html import parse, without_reading
from wolfspider.web.page.packed import packed, parts_of, result_of, unpacked

SECONDS = 5.0  # for a page
MEMORY = 1 << 30  # bytes of address space of a parser
DEPTH = 8  # questions that a parser has at a time
_START = 60.0  # seconds until a parser answers for the first time, on a machine that has much to do
_MARGIN = 5.0  # seconds after which a parser ends itself, if nobody did
_LENGTH = struct.Struct("<I")
_LARGEST = 1 << 29  # bytes of an answer that are believed
_SELDOM = 100_000  # objects
_READY = packed([])
_WANTED = ("content-type", "content-language", "x-robots-tag", "last-modified")  # headers that parsing looks at


class Parsers:
    """Some parsers, started when they are needed."""

    def __init__(self, count: int = 1, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._all = [_Parser(seconds, memory) for _ in range(count)]
        self._places: asyncio.Queue[_Parser] = asyncio.Queue()
        for parser in self._all * DEPTH:
            self._places.put_nowait(parser)

    async def read(self, fetch: Fetch) -> Page | Failure:
        """The same as `parse` gives, unless it takes too much."""
        if (known := without_reading(fetch)) is not None:
            return known
        parser = await self._places.get()
        try:
            return await parser.read(fetch)
        finally:
            self._places.put_nowait(parser)

    async def close(self) -> None:
        """End all parsers. A visit that still waits for a page gets a failure."""
        for parser in self._all:
            await parser.end()


class _Parser:
    """One process, replaced when it fails."""

    def __init__(self, seconds: float, memory: int) -> None:
        self._seconds = seconds
        self._memory = memory
        self._process: Process | None = None
        self._closed = False
        self._starting = asyncio.Lock()
        self._answering = (
            asyncio.Lock()
        )  # held by the visit whose answer comes next: answers come in the order of questions

    async def read(self, fetch: Fetch) -> Page | Failure:
        headers = {name: fetch.headers[name] for name in _WANTED if name in fetch.headers}
        question = packed([fetch.final_url, fetch.status, headers, fetch.body, fetch.at, fetch.cut])
        while not self._closed:
            process = await self._running()
            try:
                assert process.stdin is not None
                # Ask and get in line, without a pause between the two.
                process.stdin.writelines((_LENGTH.pack(len(question)), question))
                async with self._answering:
                    if process is self._process:  # else it failed at a page before this one
                        return await self._answer(process, fetch)
            except BaseException:
                self._drop(process)  # nobody else may take this answer for theirs
                process.kill()
                raise
        return Failure("trap", "could not be read: the crawl was over")

    async def _answer(self, process: Process, fetch: Fetch) -> Page | Failure:
        try:
            async with asyncio.timeout(self._seconds):
                data = await _received(process)
        except TimeoutError:
            failure = Failure("trap", f"could not be read within {self._seconds:g} s")
        except (asyncio.IncompleteReadError, OSError):
            failure = Failure("trap", "could not be read: the parser gave up, perhaps for lack of memory")
        else:
            return result_of(unpacked(data), fetch.url, fetch.at)
        self._drop(process)
        await _ended(process)
        return failure

    def _drop(self, process: Process) -> None:
        if self._process is process:
            self._process = None

    async def _running(self) -> Process:
        async with self._starting:
            if self._process is None:
                self._process = await self._start()
            return self._process

    async def _start(self) -> Process:
        limits = (str(self._memory), str(self._seconds + _MARGIN))
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = (sys.executable, "-P", "-m", "wolfspider.web.page.parser_processes", *limits)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment, limit=1 << 20
        )
        try:
            async with asyncio.timeout(_START):
                if await _received(process) == _READY:
                    return process
        except (TimeoutError, asyncio.IncompleteReadError, OSError):
            pass
        await _ended(process)
        raise Problem(f"A parser process did not start: try `{' '.join(command)}` and see what it says.")

    async def end(self) -> None:
        self._closed = True
        if self._process is not None:
            await _ended(self._process)
            self._process = None


async def _received(process: Process) -> bytes:
    assert process.stdout is not None
    (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
    if length > _LARGEST:
        raise OSError("no answer is that long")
    return await process.stdout.readexactly(length)


async def _ended(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


# What follows runs in the process of a parser.


def _fetch(url: str, status: int, headers: dict[str, str], body: bytes, at: float, cut: bool) -> Fetch:
    return Fetch(url, url, status, headers, body, at=at, cut=cut)


def _send(answers: BinaryIO, data: bytes) -> None:
    answers.write(_LENGTH.pack(len(data)) + data)
    answers.flush()


def _main(memory: str, patience: str) -> None:
    """Nothing but answers may go to the standard output, whatever libraries print. Ctrl-C is for the crawl to mind."""
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    large_blocks_apart()
    gc.freeze()
    gc.set_threshold(_SELDOM)  # pages leave no circles behind; to look for some takes a tenth of the time
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _send(answers, _READY)
    while length := sys.stdin.buffer.read(_LENGTH.size):
        data = sys.stdin.buffer.read(*_LENGTH.unpack(length))
        signal.setitimer(signal.ITIMER_REAL, float(patience))
        _send(answers, packed(parts_of(parse(_fetch(*unpacked(data)), bounded=True))))
        signal.setitimer(signal.ITIMER_REAL, 0)
        tidy(len(data))


if __name__ == "__main__":
    _main(*sys.argv[1:])
