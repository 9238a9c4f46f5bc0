"""Ray: a cluster joined, or started on this machine alone. Ray is imported here and nowhere else, when it is wanted.

Ray lets in whoever reaches its ports, and runs what they send: a cluster belongs on the loopback address or in a
private network. One that is started here listens on the loopback address alone, without a dashboard, and tells nobody
of its use. Whoever starts one of several machines says where it listens, and keeps strangers away from there.
"""

from __future__ import annotations

import fcntl
import importlib.util
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from wolfspider.core.errors import BadInput, Problem, to_install
from wolfspider.files.disk import open_to_read, remove_leftovers

AUTO, LOCAL = "auto", "local"  # join one that runs on this machine, or start one; start one in any case
MISSING = f"--cluster needs Ray, which is not installed. Install it by: {to_install('cluster')}"
LETS_IN_ANYBODY = (
    "Ray lets in whoever reaches its ports, and runs what they send: "
    "keep a cluster on the loopback address or in a private network."
)
_STORE = 150 << 20  # bytes of shared memory: messages that are too large for a call pass through it
ENVIRONMENT = {  # of a cluster that is started for a crawl
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # else workers get what others leave of the processor, and lose touch on a busy machine
    "RAY_DEDUP_LOGS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # what Ray would else warn of
}
_ENDING = "-wolfspider-ray"  # of the names of folders that Ray writes to
_CLUSTERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # "0" on every system means: listen on 127.0.0.1
_AT_HOME = ("127.0.0.1", "localhost", "[::1]")
_CURRENT = "/tmp/ray/ray_current_cluster"  # noqa: S108  (where `ray start` notes what it started)
_PATIENCE = 2.0  # seconds for a port to answer
_GREETED = 10.0  # seconds for a server to greet back: it may be busy
_ASKED = 30  # seconds for a cluster to tell a client of Ray's which one it is, the start of that client included
_LONGEST = 1000  # characters of an address
_SETTINGS = b"\4"  # the kind of the frame with which both sides of HTTP/2 begin, which Ray's calls go over
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + _SETTINGS + bytes(5)


# Ray's client may wait for ever, deaf to signals, so it asks in a process of its own, which ends itself in any case.
_ASK = """
import signal, sys
signal.alarm(int(sys.argv[2]))
from ray._raylet import GcsClient
GcsClient(address=sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class RayHome:
    """A cluster that this process is part of."""

    ray: Any  # the module
    address: str  # of its head, HOST:PORT
    own: bool  # was it started here? Then it ends with us

    def told(self) -> str:
        """For the person who asked for it."""
        return f"{'Started' if self.own else 'Joined'} a Ray cluster, {self.address}. {LETS_IN_ANYBODY}"

    def nodes(self) -> list[dict[str, Any]]:
        """The machines that are there now, as Ray describes them."""
        return [node for node in self.ray.nodes() if node["Alive"]]


def check_installed() -> None:
    if importlib.util.find_spec("ray") is None:
        raise Problem(MISSING)


@contextmanager
def joined(where: str = AUTO, cpus: int | None = None) -> Iterator[RayHome]:
    """Be part of the cluster at this address (HOST:PORT, auto or local). It takes seconds: in a crawl, call it in a
    thread, where Ray leaves the signals of the process alone. `cpus` of a cluster that is started here."""
    check_installed()
    os.environ.update(ENVIRONMENT)
    address = found(where)
    import ray

    _stay_at_home(ray, address)
    if ray.is_initialized():
        raise Problem("This process is part of a Ray cluster already.")
    logging.getLogger("ray").setLevel(logging.ERROR)
    with ExitStack() as stack:
        own: dict[str, Any] = {} if address else _own(stack.enter_context(folder_for_ray()), cpus)
        stack.callback(ray.shutdown)
        try:
            context = ray.init(address or LOCAL, log_to_driver=False, logging_level=logging.ERROR, **own)
        except Exception as error:
            raise Problem(_why(address, error)) from error
        _say_less(ray)
        yield RayHome(ray, context.address_info["gcs_address"], own=address is None)


@contextmanager
def folder_for_ray() -> Iterator[str]:
    """A folder for what Ray writes, which is removed at the end, and so are those that killed processes left."""
    remove_leftovers(Path(tempfile.gettempdir()), _ENDING)
    folder = tempfile.mkdtemp(prefix=".", suffix=_ENDING)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a disk without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        os.close(handle)
        shutil.rmtree(folder, ignore_errors=True)


def _stay_at_home(ray: Any, address: str | None) -> None:
    """A cluster that listens on the loopback address alone is met there; else Ray looks for it at the address by which
    others reach this machine, and waits for ever."""
    constants = ray._private.ray_constants
    constants.ENABLE_RAY_CLUSTER = True
    if address is not None:
        host, _, port = address.rpartition(":")
        alone = host in _AT_HOME and not _answers(f"{ray.util.get_node_ip_address()}:{port}")
    else:
        alone = True
    constants.ENABLE_RAY_CLUSTER = not alone
    os.environ[_CLUSTERS] = "0" if alone else "1"  # for the processes that Ray starts


def _say_less(ray: Any) -> None:
    """Ray prints a paragraph for every worker that dies, whatever its logs are set to: a crawl says what it lost."""
    ray._private.worker.print_to_stdstream = lambda *_, **__: None


def _own(folder: str, cpus: int | None) -> dict[str, Any]:
    return {
        "num_cpus": cpus,
        "include_dashboard": False,
        "object_store_memory": _STORE,
        "_temp_dir": folder,
    }


def found(where: str) -> str | None:
    """The address of the cluster that is meant; None if one is to be started here."""
    if where == LOCAL:
        return None
    if where != AUTO:
        if not _is_cluster(where):
            raise Problem(f"There is no Ray cluster at {where[:200]}. Give HOST:PORT of its head, or auto.")
        return where
    noted = os.environ.get("RAY_ADDRESS") or _noted()
    return noted if _is_cluster(noted) else None


def _noted() -> str:
    """What `ray start` noted on this machine. Anybody may write there, and Ray runs what a cluster sends: a note counts
    if it is our own, or root's."""
    with suppress(BadInput, OSError, UnicodeDecodeError), os.fdopen(open_to_read(Path(_CURRENT)), "rb") as file:
        if os.fstat(file.fileno()).st_uid in (0, os.geteuid()):
            return file.read(_LONGEST).decode().strip()
    return ""


def _is_cluster(address: str) -> bool:
    """Is there a cluster? Ray itself would wait for ten minutes, deaf to signals, where another server is."""
    if not _answers(address):
        return False
    command = [sys.executable, "-P", "-c", _ASK, address, str(_ASKED)]
    asked = subprocess.run(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, check=False)  # noqa: S603
    return asked.returncode == 0


def _answers(address: str) -> bool:
    """Does a server answer there that speaks HTTP/2, as Ray's do? One with TLS is taken at its word."""
    host, colon, port = address.rpartition(":")
    if not colon or len(address) > _LONGEST or not port.isdecimal() or not 0 < int(port) < 65536:
        return False
    with (
        suppress(OSError, UnicodeError),
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE) as connection,
    ):
        if os.environ.get("RAY_USE_TLS", "0") != "0":
            return True
        connection.settimeout(_GREETED)
        connection.sendall(_GREETING)
        return connection.recv(4, socket.MSG_WAITALL)[3:] == _SETTINGS
    return False


def _why(address: str | None, error: Exception) -> str:
    reason = str(error).strip().partition("\n")[0][:300]
    if address is None:
        return f"Ray did not start on this machine: {reason}"
    return (
        f"Cannot join the Ray cluster at {address}: {reason} The command has to run on a machine of the cluster, one "
        f"that ran `ray start --address={address}`, with the same versions of Python and Ray."
    )
