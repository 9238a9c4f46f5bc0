"""Messages between the head of a crawl and a hand: msgpack behind its length, over a pair of sockets. Never pickle.

What is sent in one go of the event loop goes out in one write. A message that is too long, or is none, ends the
connection: its sender is out of order, and is replaced.

    from the head   BEGIN, all that makes a hand
                    STEP, ask for this address; CANCEL, do not; FREE, what they brought is on the disk
                    MAY, the answer to ASK
                    RULES, ask for this robots.txt on behalf of another hand, ABROAD, what came of it
                    FOLLOW, the delay, connections and requests to an address from now on
                    NAMED, hosts that a person named; LEARN, what another hand learned of hosts
                    RENEW, a stamp sent back
    from a hand     DONE, what came of a step or of rules
                    ASK, a request is about to go out; LEFT, it is over (where no DONE says so)
                    WAITS, a visit has to wait, or need not any more
                    NEWS, what was learned of hosts
                    FOREIGN, ask another hand for this robots.txt
                    ALIVE, a stamp of its clock, where it has a lease
"""

from __future__ import annotations

import asyncio
import signal
import socket
import struct
from collections.abc import Callable
from typing import Any, cast

from wolfspider.web.page.packed import packed, unpacked

LARGEST = 1 << 28  # bytes of a message: the largest answer as it came, and what was read in it
BEGIN, STEP, CANCEL, FREE, MAY, RULES, ABROAD, FOLLOW, NAMED, LEARN, RENEW = range(11)
DONE, ASK, LEFT, WAITS, NEWS, FOREIGN, ALIVE = range(11, 18)
GO, EXCLUDED, WITHHELD = range(3)  # answers to ASK
SIGNALS_OF_THE_HEAD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # it minds them, and a hand never does
_LENGTH = struct.Struct("<I")


def pair() -> tuple[socket.socket, socket.socket]:
    """Two ends that are connected with each other, and with nothing else."""
    return socket.socketpair()


class Wire(asyncio.Protocol):
    """`hear` is called with each message that came, `lost` once, when the other side is gone or out of order."""

    def __init__(self, hear: Callable[..., None], lost: Callable[[], None]) -> None:
        self._hear, self._lost = hear, lost
        self._transport: asyncio.Transport | None = None
        self._came = bytearray()
        self._out: list[bytes] = []

    def send(self, *message: Any) -> int:
        """Its length. What is sent to the other side after it is gone is lost."""
        data = packed(message)
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out += (_LENGTH.pack(len(data)), data)
        return len(data)

    async def connect(self, end: socket.socket | int) -> None:
        """To one end of a pair, or to its handle as another process was given it. Nothing is opened here."""
        mine = socket.socket(fileno=end) if isinstance(end, int) else end
        await asyncio.get_running_loop().create_connection(lambda: self, sock=mine)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._came += data
        start = 0
        try:
            while (end := self._end(start)) <= len(self._came):
                message = unpacked(bytes(memoryview(self._came)[start + _LENGTH.size : end]))
                start = end
                self._hear(*message)
        except (ValueError, TypeError, LookupError) as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "A message between the processes of a crawl makes no sense.", "exception": error}
            )
            self.close()
        finally:
            del self._came[:start]

    def _end(self, start: int) -> int:
        """Where the message ends that begins here; beyond all that came if its length has not come."""
        if len(self._came) < start + _LENGTH.size:
            return len(self._came) + 1
        (length,) = _LENGTH.unpack_from(self._came, start)
        if length > LARGEST:
            raise ValueError("no message is that long")
        return start + _LENGTH.size + int(length)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._lost()

    def _flush(self) -> None:
        data, self._out = b"".join(self._out), []
        if self._transport is not None:
            self._transport.write(data)
