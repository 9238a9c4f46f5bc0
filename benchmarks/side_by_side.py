"""Processes side by side: a command measured from its start to its end, and a folder served on loopback meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.core.errors import Problem

HERE = Path(__file__).resolve().parent
LONGEST = 900.0  # seconds of one command
SAMPLING = 0.05  # seconds between two looks at memory
SERVER_START = 10.0
NGINX = """
daemon off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/nginx-error.log; {user}
events {{ worker_connections 1024; }}
http {{
    default_type text/html; sendfile on; tcp_nodelay on; keepalive_requests 1000000; server_tokens off;
    log_format asked '$status $uri';
    open_file_cache max=20000 inactive=1h; open_file_cache_valid 1h;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    access_log {log} asked buffer=64k flush=100ms;
    server {{ listen 127.0.0.1:{port}; root {folder}; index index.html; }}
}}
"""


class Failed(Exception):
    """A crawler did not do its work; the sentence says what it said."""


class Server(NamedTuple):
    name: str
    address: str  # http://127.0.0.1:PORT
    log: Path


def children_of(group: int) -> Iterator[Path]:
    """The processes of a group, as folders of /proc."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group:
                yield entry


def resident(group: int) -> int:
    """Bytes in memory of all processes of a group; the largest each has had so far."""
    total = 0
    for process in children_of(group):
        try:
            status = (process / "status").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))
    return total


class Measured(NamedTuple):
    seconds: float
    cpu: float
    memory: int
    output: str


def measured(command: list[str], cores: tuple[int, ...], environment: dict[str, str] | None = None) -> Measured:
    """Runs a command on these cores to its end. Raises Failed if it does not end well, or not in time."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=os.environ | (environment or {}),
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        try:
            status, usage, memory = _waited(process.pid, began + LONGEST)
        except BaseException:
            _killed(process)
            raise
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(max(0, output.tell() - 4000))
        text = output.read().decode(errors="replace")
    if process.returncode != 0:
        raise Failed(f"exit code {process.returncode}: {text.strip()[-500:]}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, memory, text)


def _waited(pid: int, until: float) -> tuple[int, Any, int]:
    """Its status, what it used, and the most memory seen while it ran, all its processes together. The peak that the
    kernel tells in the end would not do: it counts from before the program is there, when the memory is still ours.
    """
    memory, looked = 0, 0.0
    while time.perf_counter() < until:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return status, usage, memory
        now = time.perf_counter()
        if now - looked > SAMPLING:
            memory, looked = max(memory, resident(pid)), now
        time.sleep(0.005)
    raise Failed(f"not done after {LONGEST:.0f} s")


def _killed(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


@contextmanager
def announced(program: list[str]) -> Iterator[str]:
    """A server of ours for as long as the context lasts, at the address that its first line ends with: HOST:PORT."""
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            if not line:
                raise Problem(f"The server does not start: {' '.join(program)}")
            yield line.split()[-1].removeprefix("http://").rstrip("/.")
        finally:
            server.kill()


@contextmanager
def web_served(web: str, log: Path, latency: float) -> Iterator[str]:
    """A web by `wolfspider web serve`, which writes a line for each request into the log."""
    options = ["--latency", str(latency), "--log", str(log)]
    with announced([sys.executable, "-m", "wolfspider", "web", "serve", web, *options]) as via:
        yield via


def find_nginx() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def served(folder: Path, work: Path, core: int, nginx: str | None) -> Iterator[Server]:
    """The folder on loopback for as long as the context lasts, whatever ends it: by nginx, or without it by our own."""
    port, log = free_port(), work / "asked.log"
    if nginx:
        user = "user root;" if os.geteuid() == 0 else ""  # else its worker could not read a folder of ours
        config = work / "nginx.conf"
        config.write_text(NGINX.format(work=work, port=port, folder=folder, log=log, user=user))
        command = [nginx, "-p", str(work), "-c", str(config)]
    else:
        command = [sys.executable, str(HERE / "plain_server.py"), str(folder), str(port), str(log)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: os.sched_setaffinity(0, [core]),
    )
    try:
        _answers(port, process)
        yield Server("nginx" if nginx else "our own server (no nginx here)", f"http://127.0.0.1:{port}", log)
    finally:
        _killed(process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + SERVER_START
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Problem("The server does not start; see whether nginx runs with a configuration of its own.")
