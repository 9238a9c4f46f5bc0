"""The way between the head and one worker: calls of Ray, one at a time each way, each with all there is to say.

So messages keep their order, many go in one call where there are many, and neither side says more before the other has
taken what it said. A `Wire` is on top of it, as it is on a pair of sockets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from wolfspider.drivers.cluster.worker import GONE
from wolfspider.drivers.hands.hand_wire import Wire

_LINGER = 0.001  # seconds for more messages to come


class RayLink:
    """`lost` is called once, with the step that the hand was reading when it died, 0 if nobody knows of one."""

    def __init__(self, actor: Any, hear: Callable[..., None], lost: Callable[[int], None]) -> None:
        self._actor, self._lost = actor, lost
        self._wire = Wire(hear, lambda: None)
        self._wire.connection_made(self)  # type: ignore[arg-type]
        self._outbox: list[bytes] = []
        self._some = asyncio.Event()
        self._open = True
        self._pumps = [asyncio.create_task(self._pump(way)) for way in (self._push, self._pull)]
        self.calls = 0

    def send(self, *message: Any) -> int:
        return self._wire.send(*message)

    def close(self) -> None:
        self._open = False
        for pump in self._pumps:
            pump.cancel()

    # As the transport of the Wire

    def write(self, data: bytes) -> None:
        if self._open:
            self._outbox.append(data)
            self._some.set()

    def abort(self) -> None:
        """What came made no sense."""
        self._end(0)

    # Calls

    async def _pump(self, way: Callable[[], Any]) -> None:
        try:
            await way()
        except Exception:  # the worker is gone, and Ray has many names for that
            self._end(0)

    async def _push(self) -> None:
        while self._open:
            await self._some.wait()
            await asyncio.sleep(_LINGER)
            self._some.clear()
            data, self._outbox = b"".join(self._outbox), []
            self.calls += 1
            await self._actor.take.remote(data)

    async def _pull(self) -> None:
        while self._open:
            said: bytes = await self._actor.give.remote()
            self.calls += 1
            if self._closed():
                return
            if said[:1] == GONE:
                self._end(int.from_bytes(said[1:9], "little"))
            elif len(said) > 1:
                self._wire.data_received(said[1:])

    def _closed(self) -> bool:
        """Meanwhile."""
        return not self._open

    def _end(self, blamed: int) -> None:
        if self._open:
            self._open = False
            self._lost(blamed)
            for pump in self._pumps:
                pump.cancel()
