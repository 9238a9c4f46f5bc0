"""The dashboard served on this machine, and on no other, until somebody stops it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from wolfspider.app.plugins import PARTS, run_only
from wolfspider.app.run_folder import settings_of
from wolfspider.core.errors import Problem
from wolfspider.dashboard.application import application, check_libraries
from wolfspider.dashboard.desk import ForAll, RunDesk
from wolfspider.dashboard.door import new_token
from wolfspider.store.fleet_folder import ISLANDS, is_fleet
from wolfspider.store.folder import is_run

LOOPBACK, PORT = "127.0.0.1", 8765
_MOST_CONNECTIONS = 500
_LARGEST_HEAD = 32_768  # bytes of a request before its body


def serve(
    folder: Path,
    port: int,
    for_all: ForAll,
    ready: Callable[[str], None],
    first: str = "",
    any_port: bool = False,
    trusted: bool = False,
) -> None:
    """Until a signal comes. `folder`: of runs, or a run, which is shown first; `first`: the run of the folder that is.
    `ready` is told the address, which has the token. `any_port`: if that port is taken, another will do; so it is with
    port 0. `trusted`: the person has begun the first run just now, so what it names is run."""
    check_libraries()
    import uvicorn

    from wolfspider.dashboard.connections import PATIENCE, ImpatientProtocol

    if is_fleet(folder):
        folder = folder / ISLANDS
    if not first and is_run(folder):
        folder, first = folder.absolute().parent, folder.absolute().name
    desk = RunDesk(folder, for_all)
    run_only(_own_parts(desk, first if trusted else ""))
    with _bound(port, any_port) as bound:
        port, token = bound.getsockname()[1], new_token()
        config = uvicorn.Config(
            application(desk, token, port),
            http=ImpatientProtocol,
            ws="none",
            lifespan="off",
            log_level="error",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            h11_max_incomplete_event_size=_LARGEST_HEAD,
            timeout_keep_alive=int(PATIENCE),
            timeout_graceful_shutdown=1,
        )
        ready(address(port, token, first))
        uvicorn.Server(config).run(sockets=[bound])


def _own_parts(desk: RunDesk, trusted: str) -> list[str]:
    """The person's own strategies and judges: those chosen for all crawls from here, and those of a trusted run."""
    run = desk.folder / trusted
    settings = [desk.for_all.settings(), *([settings_of(run)] if trusted and is_run(run) else [])]
    return [getattr(each, part) for each in settings for part in PARTS]


def address(port: int, token: str, first: str = "") -> str:
    """What the person opens; behind the # is the view that is shown first."""
    view = f"#/run/{quote(first, safe='')}" if first else ""
    return f"http://{LOOPBACK}:{port}/?token={token}{view}"


def _bound(port: int, any_port: bool) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        bound.listen()  # who opens the address at once waits, and is not refused
    except OSError as error:
        bound.close()
        if any_port and port:
            return _bound(0, False)
        raise Problem(f"Port {port} of this machine cannot be had: {error.strerror}. Give another by --port.") from None
    return bound
