"""Is a server of our own worth its code? The processor time of a request, beside the server of aiohttp.

    python benchmarks/serve_speed.py [--requests 12000] [--rounds 5]

Both serve the same synthetic web from a process of their own, from the same replies, compressed beforehand, and write
down every request; aiohttp's server does so by its lowest interface, a handler without routes. A client that reads
nothing but lengths asks over 32 connections. A round asks each of them once, in an order that turns from round to
round; what is compared is the median of the processor time that the server's process took.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import re
import statistics
import time
from multiprocessing.connection import Connection

from aiohttp import web  # noqa: TID251 - what ours is compared with, on loopback

from wolfspider.web.server.serve import NO_FAULTS, PLAIN, Served, serve
from wolfspider.web.server.wire import LoggedRequest
from wolfspider.web.worlds.synthetic import Synthetic

CONNECTIONS = 32
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
WORLD = Synthetic.parse("synthetic:pages=2000,seed=3,mischief=0")
URLS = [WORLD.addresses.url(page) for page in range(400)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Processor time of a served request.")
    parser.add_argument("--requests", type=int, default=12_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    names = [own_server.__name__, aiohttp_server.__name__]
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(given.rounds):
        for name in names[:: 1 if number % 2 else -1]:
            times[name].append(1e6 * measured(name, given.requests) / given.requests)
    medians = {name: statistics.median(row) for name, row in times.items()}
    print(" ".join(f"{name}={value:.0f}us" for name, value in medians.items()))
    print(f"ratio={medians[names[1]] / medians[names[0]]:.2f} rounds={given.rounds} requests={given.requests}")


def measured(name: str, requests: int) -> float:
    """Seconds of the processor."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(name, there))
    process.start()
    asyncio.run(ask(here.recv(), requests))
    here.send(None)
    seconds: float = here.recv()
    process.join()
    return seconds


def work(name: str, pipe: Connection) -> None:
    asyncio.run({"own_server": own_server, "aiohttp_server": aiohttp_server}[name](pipe))


async def own_server(pipe: Connection) -> None:
    async with serve(WORLD) as served:
        await timed(pipe, served, served.port)


async def aiohttp_server(pipe: Connection) -> None:
    served = Served(WORLD, PLAIN, NO_FAULTS, None)

    async def answer(request: web.BaseRequest) -> web.Response:
        arrived, host, path = time.monotonic(), request.headers.get("Host", "").lower(), request.raw_path
        served.enters(host)
        url = f"http://{host}{path}"
        reply = served.reply(url, served.fault(url))
        body, form = served.coded(url, reply, request.headers.get("Accept-Encoding", ""))
        headers = dict(line.split(": ", 1) for line in reply.fields.decode().split("\r\n") if line)
        headers |= {"etag": reply.etag.decode(), "vary": "accept-encoding", "content-encoding": form}
        agent = request.headers.get("User-Agent", "")
        served.leaves(LoggedRequest(host, path, arrived, time.monotonic(), reply.status, agent, True, ""))
        return web.Response(status=reply.status, body=body, headers=headers)

    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await timed(pipe, served, runner.addresses[0][1])
    await runner.cleanup()


async def timed(pipe: Connection, served: Served, port: int) -> None:
    for url in URLS:
        served.coded(url, served.reply(url, ""), "gzip")
    began = sum(os.times()[:2])
    pipe.send(port)
    await asyncio.to_thread(pipe.recv)
    pipe.send(sum(os.times()[:2]) - began)


async def ask(port: int, requests: int) -> None:
    waiting = [URLS[number % len(URLS)].split("/", 3)[2:] for number in range(requests)]
    await asyncio.gather(*(client(port, waiting) for _ in range(CONNECTIONS)))


async def client(port: int, waiting: list[list[str]]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while waiting:
        host, path = waiting.pop()
        writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        assert head.startswith(b"HTTP/1.1 200") and length is not None, head
        await reader.readexactly(int(length[1]))
    writer.close()


if __name__ == "__main__":
    main()
