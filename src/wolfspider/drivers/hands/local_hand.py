"""A hand that is a process of this machine: hired when it is needed, and replaced when it is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from wolfspider.core.errors import Problem
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.hand_wire import SIGNALS_OF_THE_HEAD, Wire
from wolfspider.drivers.hands.hired import Hired, Orders, WayThere
from wolfspider.files.failpoints import VARIABLE
from wolfspider.files.one_thread import ONE_THREAD
from wolfspider.web.http.live_web import Live

MOST_DEATHS = 8  # in a row, without an answer in between, and not of a page
_REST = 0.05  # seconds before a hand that died is replaced, doubled for each further death


@contextmanager
def _signals_held() -> Iterator[None]:
    """Signals wait meanwhile in this thread. A process that is started so has them wait until it minds them itself:
    Ctrl-C in a terminal is sent to all processes there, also to one that has just begun."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS_OF_THE_HEAD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class StartedHand:
    """The process itself, and the notes that say which step it is reading the answer of."""

    def __init__(self, theirs: socket.socket, failpoints: bool = True) -> None:
        """Its end of the wire is closed here: it has its own. A fail-point kills one hand, not the next as well."""
        self._notes: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it is gone)
        handles = theirs.fileno(), self._notes.fileno()
        environment = {**os.environ, **ONE_THREAD}
        if not failpoints:
            environment.pop(VARIABLE, None)
        command = [sys.executable, "-P", "-m", "wolfspider.drivers.hands.hand", *map(str, handles)]
        quiet = subprocess.DEVNULL
        with theirs, _signals_held():
            self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
                command, stdin=quiet, stdout=quiet, pass_fds=handles, env=environment
            )
        self.pid = self._process.pid

    def end(self) -> int:
        """The step whose answer it was reading, 0 for none. `wait` is still to be called."""
        blamed = int.from_bytes(os.pread(self._notes.fileno(), 8, 0), "little")
        self._notes.close()
        self._process.kill()
        return blamed

    def wait(self) -> None:
        self._process.wait()


class LocalHand(Hired):
    """`owns`: is a host one of this hand's? `died` is called when it did."""

    def __init__(
        self,
        web: Live,
        orders: Orders,
        owns: Callable[[str], bool],
        owner: Callable[[str], Awaitable[Hired]],
        died: Callable[[], None],
    ) -> None:
        super().__init__(web, orders, owner)
        self._owns, self._tell = owns, died
        self.process: StartedHand | None = None
        self._hiring = asyncio.Lock()
        self._deaths = self._unexplained = 0  # in a row, and those that no page is to blame for

    async def close(self) -> None:
        await super().close()
        if self.process is not None:
            self.process.end()
            await asyncio.to_thread(self.process.wait)

    async def _running(self) -> WayThere:
        async with self._hiring:
            if self._wire is None:
                if self._unexplained >= MOST_DEATHS:
                    raise Problem(
                        f"A hand, a process that downloads pages, died {MOST_DEATHS} times in a row. Look at what the "
                        "system says of it (memory, limits), or crawl without: --hands 0."
                    )
                if self._deaths:
                    await asyncio.sleep(_REST * 2**self._unexplained)
                self._wire = await self._hire()
            return self._wire

    async def _hire(self) -> Wire:
        ours, theirs = wire.pair()
        self.process = StartedHand(theirs, failpoints=not self._deaths)
        hand = Wire(self._hear, self._died)
        await hand.connect(ours)
        self._begin(hand, self._orders.offset, 0.0, self._owns)
        return hand

    def _died(self) -> None:
        """It died, or made no sense."""
        process, blamed = self.process, 0
        if process is not None and not self._closed:
            self.process = None
            blamed = process.end()
            self._later(asyncio.to_thread(process.wait))
            self._tell()
        self._deaths += 1
        self._unexplained += not blamed  # a page costs two at most, and is a trap then
        self._lost(blamed)

    def _done(self, number: int, news: Any, *what: Any) -> None:
        self._deaths = self._unexplained = 0
        super()._done(number, news, *what)
