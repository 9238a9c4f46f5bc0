"""How many connections there are: no more than requests at a time, and never so many that files cannot be opened.

A connection is kept alive for a while after its request, in case its host is asked again. A crawl of many hosts would
so hold a file handle for each host it has just met, and one day there is none for the next page of the database. So
those kept alive count, and the one that has been idle for longest makes room for a new one. Connections leave the last
handles to files and look-ups. Where other things have taken so many that even that is not enough, a request waits for
a handle: it is no fault of its host that there is none.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from wolfspider.core.model import Failure
from wolfspider.web.http.http_library import ResponseHandler, aiohttp

if sys.platform != "win32":
    import resource

T = TypeVar("T")
OUT_OF_HANDLES = (errno.EMFILE, errno.ENFILE)
MOST = 10_000  # connections, where the system has no bound on handles
PATIENCE = 10.0  # seconds that a request waits for a handle
A_MOMENT = 0.05  # seconds between two looks whether there is one
_LAST = 64  # handles that only files and look-ups may take: 32 names are looked up at once
_OTHERS = 64  # handles that a crawl has for other things than connections


def handles() -> int:
    """File handles that this process may have."""
    if sys.platform == "win32":
        return MOST
    limit: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if limit == resource.RLIM_INFINITY else limit


def most_connections() -> int:
    """At once, with the file handles there are."""
    return max(1, min(MOST, handles() - min(_LAST + _OTHERS, handles() // 2)))


class NoHandle(OSError):
    """There was no file handle, however long one waited."""


class OutOfTouch(Exception):
    """Nobody knows any more whether the request may go out."""


NO_HANDLE = Failure("waiting", "no file handle was free for it")
OUT_OF_TOUCH = Failure("waiting", "its worker had lost touch with the head of the crawl")
OURS = (NO_HANDLE, OUT_OF_TOUCH)  # what is no fault of a host


async def with_patience(
    attempt: Callable[[], Awaitable[T]], close_idle: Callable[[], None], seconds: float | None = None
) -> T:
    """What comes of an attempt that needs a file handle. If it fails because there is none, it waits for one."""
    loop = asyncio.get_running_loop()
    until = loop.time() + (PATIENCE if seconds is None else seconds)
    while True:
        try:
            return await attempt()
        except OSError as error:
            if error.errno not in OUT_OF_HANDLES and not _none_left():
                raise
            if loop.time() >= until:
                raise NoHandle from error
        close_idle()
        await asyncio.sleep(A_MOMENT)


def _none_left() -> bool:
    """Is there no file handle? What fails for that reason does not always say so: a name server is not found."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in OUT_OF_HANDLES
    return False


class FewConnections(aiohttp.TCPConnector):
    def __init__(self, make: Callable[[tuple[Any, ...]], socket.socket], **options: Any) -> None:
        """`make`: a socket for an address, as `socket_factory` of aiohttp."""
        super().__init__(socket_factory=self._with_a_handle, **options)
        self._make = make
        self.most = most_connections()
        self.may_send: Callable[[], bool] | None = None
        self._refusals = 0  # how often there was no handle

    def close_idle(self, most: int | None = None) -> None:
        """Close connections that nobody uses, or so many of them: first those that have been idle for longest."""
        while self._conns and most != 0:
            key = min(self._conns, key=lambda key: self._conns[key][0][1])
            idle = self._conns[key]
            idle.popleft()[0].abort()
            if not idle:
                del self._conns[key]
            most = None if most is None else most - 1

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        connection = await super().connect(req, traces, timeout)
        if self.may_send is not None and not self.may_send():
            connection.release()
            raise OutOfTouch
        return connection

    async def _create_connection(self, req: Any, traces: Any, timeout: Any) -> ResponseHandler:
        connect = super()._create_connection

        async def attempt() -> ResponseHandler:
            self._keep_alive(self.most - len(self._acquired))
            refusals = self._refusals
            try:
                return await connect(req, traces, timeout)
            except OSError as error:
                if self._refusals == refusals:
                    raise
                # Of one address of a host it may have been this, of another one something else.
                raise OSError(errno.EMFILE, "too many open files") from error

        return await with_patience(attempt, self.close_idle, min(PATIENCE, (timeout.connect or PATIENCE) / 2))

    def _release(self, key: Any, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        super()._release(key, protocol, should_close=should_close)
        self._keep_alive(self.most)  # one of several hands may have had more requests at a time than its share

    def _keep_alive(self, most: int) -> None:
        self.close_idle(max(0, sum(map(len, self._conns.values())) - max(0, most)))

    def _with_a_handle(self, where: tuple[Any, ...]) -> socket.socket:
        """Handles are numbered from below, so a high number says that few are left."""
        try:
            made = self._make(where)
        except OSError as error:
            self._refusals += error.errno in OUT_OF_HANDLES
            raise
        if made.fileno() < handles() - min(_LAST, handles() // 4):
            return made
        made.close()
        self._refusals += 1
        raise OSError(errno.EMFILE, "only the last file handles are left")
