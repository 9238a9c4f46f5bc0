"""Connections to the dashboard: who asks for nothing gives way.

The server's own patience begins with the first answer, so a connection on which nothing ever comes would stay for
ever, and a few hundred of them would lock the owner out. Here a whole request must have come within some seconds; and
when there are many connections, the oldest on which nothing is asked is closed for the newcomer.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 20.0  # seconds for a whole request
MOST = 400  # connections, before somebody has to give way


class ImpatientProtocol(H11Protocol):  # type: ignore[misc]
    """As the server has it, but for that."""

    _timer: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._wait()
        idle = [each for each in self.connections if isinstance(each, ImpatientProtocol) and each is not self]
        idle = [each for each in idle if each._asks_nothing()]
        if len(self.connections) > MOST and idle:
            min(idle, key=lambda each: each._since)._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._since = self.loop.time()
        self._timer = self.loop.call_later(PATIENCE, self._give_way)

    def _asks_nothing(self) -> bool:
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _give_way(self) -> None:
        if self._asks_nothing():
            self.connections.discard(self)  # now, so that the newcomer is not counted as one too many
            self.transport.abort()
