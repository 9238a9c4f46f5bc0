"""A crawl with few file handles, in a process of its own: what it told is printed as JSON.

    python few_handles.py HANDLES HOSTS PORT FOLDER [SETTING=NUMBER ...]

Every name ends at this machine, and each is a host of its own, with its own connections.
"""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.live.hunting import hunt

LOCAL: dict[str, Any] = {"via": "", "allow_private": True, "contact": "me@example.org"}
real_look = socket.getaddrinfo


def look(host: str, port: Any, *arguments: Any, **named: Any) -> Any:
    if not host.endswith(".test"):
        return real_look(host, port, *arguments, **named)
    socket.socket().close()  # as a question to a name server needs one
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port or 0))]


async def main(hosts: int, port: int, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    seeds = [f"http://h{number}.test:{port}/" for number in range(hosts)]
    told = await hunt(port, *seeds, out=Path(folder), pages=hosts, per_address=100, **LOCAL, **settings)
    return {"reason": told.reason, "pages": len(told.pages), "failures": told.details}


if __name__ == "__main__":
    handles, hosts, port, folder, *settings = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(handles), int(handles)))
    socket.getaddrinfo = look
    named = {name: float(number) for name, _, number in (each.partition("=") for each in settings)}
    given = {**named, "slots": int(named["slots"])}
    print(json.dumps(asyncio.run(main(int(hosts), int(port), folder, given))))
