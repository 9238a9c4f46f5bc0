"""Connections: no more than may be, and none at the cost of the last file handles."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import pytest
from tests.web.loopback import Loopback, http, serving

from wolfspider.core.model import Failure
from wolfspider.web.http import connections
from wolfspider.web.http.client import Answer, Caps, Client
from wolfspider.web.http.connections import NO_HANDLE, NoHandle, most_connections, with_patience
from wolfspider.web.http.guard import Guard, Resolve

if sys.platform == "win32":
    pytest.skip("There is no limit on file handles to lower.", allow_module_level=True)

import resource


async def here(host: str) -> Sequence[str]:
    return ["127.0.0.1"]


def client(caps: Caps | None = None, resolve: Resolve = here) -> Client:
    return Client(Guard(allow_private=True, resolve=resolve), "test", caps or Caps())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


@contextmanager
def no_handle_left() -> Iterator[ExitStack]:
    """As long as this lasts, or until what it yields is closed, no file can be opened."""
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as taken:
        lowest = os.open(os.devnull, os.O_RDONLY)
        taken.callback(os.close, lowest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 200, hard))
        taken.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (before, hard))
        with suppress(OSError):
            while True:
                taken.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        yield taken


def test_connections_kept_alive_are_as_many_as_may_be_and_the_last_used_stay() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, client() as asking:
            asking.keep_connections(5)
            for number in range(20):
                assert isinstance(await asking.get(server.url(host=f"h{number}.test")), Answer)
                await until(lambda: len(server._tasks) <= 5)
            for number in range(15, 20):
                assert isinstance(await asking.get(server.url(host=f"h{number}.test")), Answer)
            assert server.accepted == 20
            asking.keep_connections(1)
            await asking.get(server.url(host="h0.test"))
            await until(lambda: len(server._tasks) <= 1)

    asyncio.run(asyncio.wait_for(test(), 60))


def test_after_many_requests_at_a_time_no_more_connections_are_kept_alive_than_may_be() -> None:
    """A hand has its share of the connections, and any number of the requests."""

    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, client() as asking:
            asking.keep_connections(2)
            answers = await asyncio.gather(*(asking.get(server.url(host=f"h{number}.test")) for number in range(8)))
            assert all(isinstance(answer, Answer) for answer in answers) and server.accepted == 8
            assert sum(map(len, asking._connector._conns.values())) == 2

    asyncio.run(asyncio.wait_for(test(), 60))


def test_idle_connections_make_room_when_there_is_no_handle() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, client() as asking:
            for number in range(5):
                await asking.get(server.url(host=f"h{number}.test"))
            with no_handle_left():
                assert isinstance(await asking.get(server.url(host="new.test")), Answer)

    asyncio.run(asyncio.wait_for(test(), 60))


def test_without_a_handle_a_request_waits_and_its_host_is_not_to_blame() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, client(Caps(connect=0.4)) as hasty:
            with no_handle_left() as taken:
                assert await hasty.get(server.url(host="a.test")) == NO_HANDLE
                assert not NO_HANDLE.asked
                async with client() as patient:
                    waiting = asyncio.create_task(patient.get(server.url(host="b.test")))
                    await asyncio.sleep(0.2)
                    assert not waiting.done()
                    taken.close()
                    assert isinstance(await waiting, Answer)

    asyncio.run(asyncio.wait_for(test(), 60))


def test_a_name_that_cannot_be_looked_up_for_want_of_a_handle_is_looked_up_later() -> None:
    errors: list[OSError] = [OSError(errno.EMFILE, "x"), OSError(errno.ENFILE, "x")]

    async def starved(host: str) -> Sequence[str]:
        if errors:
            raise errors.pop()
        return ["127.0.0.1"]

    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, client(resolve=starved) as asking:
            assert isinstance(await asking.get(server.url(host="a.test")), Answer)

    asyncio.run(asyncio.wait_for(test(), 60))


def test_a_look_up_that_never_gets_a_handle_is_forgotten_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    async def starved(host: str) -> Sequence[str]:
        nonlocal asked
        asked += 1
        raise socket.gaierror(socket.EAI_NONAME, "no such name")  # what a system without handles may say

    async def test() -> None:
        guard = Guard(resolve=starved)
        with no_handle_left():
            assert await guard.addresses("a.example") == NO_HANDLE
        before = asked
        assert await guard.addresses("a.example") == Failure("dns", "no such name") and asked == before + 1

    monkeypatch.setattr(connections, "PATIENCE", 0.0)
    asyncio.run(asyncio.wait_for(test(), 60))


def test_only_a_want_of_handles_is_waited_for() -> None:
    async def fails() -> None:
        raise OSError(errno.ECONNREFUSED, "refused")

    async def starves() -> None:
        raise OSError(errno.EMFILE, "none")

    with pytest.raises(OSError, match="refused"):
        asyncio.run(with_patience(fails, lambda: None))
    with pytest.raises(NoHandle):
        asyncio.run(with_patience(starves, lambda: None, 0.0))


@pytest.mark.parametrize(("handles", "most"), [(64, 32), (256, 128), (1024, 896), (1 << 20, connections.MOST)])
def test_connections_leave_handles_to_files(monkeypatch: pytest.MonkeyPatch, handles: int, most: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (handles, handles))
    assert most_connections() == most
