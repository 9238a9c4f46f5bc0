"""A worker: an actor of Ray with a hand beside it, to which it carries what the head says, and back.

What passes are bytes in our own codec, which it does not look into. Ray hands `bytes` on as they are: nothing that
comes from a page is ever unpickled. The hand is a process of its own, so a page that kills its reader leaves the worker
alive to tell of it. It ends with the worker, whatever ends that.

This module is loaded by Ray on every machine of a cluster, and imports nothing of Ray.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time

from wolfspider import __version__
from wolfspider.drivers.hands import hand_wire as wire
from wolfspider.drivers.hands.local_hand import StartedHand
from wolfspider.web.page.packed import packed

SAID, GONE = b"\0", b"\1"  # what `give` begins with: messages of the hand; or it is gone, and what it was reading
_READ = 1 << 20  # bytes at once
_MOST = 1 << 24  # bytes that wait for the head; the hand waits for room then
_WAIT = 2.0  # seconds until `give` says that there is nothing
_LINGER = 0.002  # seconds for more messages to come


class Worker:
    def __init__(self) -> None:
        self._came: list[bytes] = []
        self._size, self._over = 0, False

    async def begin(self) -> bytes:
        """Start the hand. What there is to know: versions, the machine, both processes."""
        self._some, self._room = asyncio.Event(), asyncio.Event()
        self._end, theirs = wire.pair()
        self._end.setblocking(False)
        self._hand = StartedHand(theirs, failpoints=False)
        self._reading = asyncio.create_task(self._read())
        return packed([__version__, socket.gethostname(), os.getpid(), self._hand.pid])

    async def clock(self) -> bytes:
        """The time of this machine, by which its hand goes."""
        return packed([time.monotonic()])

    async def take(self, data: bytes) -> bytes:
        """What the head says. It is called again when this is done: a hand that does not listen holds the head up."""
        try:
            await asyncio.get_running_loop().sock_sendall(self._end, data)
        except OSError:
            self._over = True  # `give` tells of it
        return b""

    async def give(self) -> bytes:
        """What the hand said since the last call."""
        if not self._came and not self._over:
            try:
                await asyncio.wait_for(self._some.wait(), _WAIT)
            except TimeoutError:
                return SAID
            await asyncio.sleep(_LINGER)
        self._some.clear()
        if not self._came and self._over:
            return GONE + self._hand.end().to_bytes(8, "little")
        came, self._came, self._size = self._came, [], 0
        self._room.set()
        return b"".join((SAID, *came))

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await loop.sock_recv(self._end, _READ)
            except OSError:
                data = b""
            if not data:
                self._over = True
                self._some.set()
                return
            self._came.append(data)
            self._size += len(data)
            self._some.set()
            while self._size > _MOST:
                self._room.clear()
                await self._room.wait()
