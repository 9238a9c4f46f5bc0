"""Ray is joined or started where it is wanted; a slow test starts one and looks at where it listens."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from wolfspider.core.errors import Problem
from wolfspider.drivers.cluster import ray_home


def test_without_ray_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Problem, match=r'pip install "wolfspider\[cluster\]"'), ray_home.joined():
        pass


@pytest.mark.parametrize(
    "where",
    ["127.0.0.1:1", "nowhere", "127.0.0.1:99999999", ":", "auto:x", "a..b:6379", "a" * 70 + ":6379", ":" + "9" * 5000],
)
def test_where_no_cluster_is_a_sentence_says_so(where: str) -> None:
    with pytest.raises(Problem, match="no Ray cluster at"):
        ray_home.found(where)


def test_a_note_of_a_cluster_that_is_gone_counts_for_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    note = tmp_path / "ray_current_cluster"
    note.write_text("127.0.0.1:1")
    monkeypatch.setattr(ray_home, "_CURRENT", str(note))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert ray_home.found("auto") is None
    assert ray_home.found("local") is None


def test_a_server_that_is_none_of_rays_is_not_waited_for() -> None:
    """Ray would take ten minutes, deaf to signals."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Problem, match="no Ray cluster at"):
            ray_home.found(f"127.0.0.1:{server.getsockname()[1]}")
        thread.join()


_HEADERS, _SETTINGS, _GOAWAY = b"\1", b"\4", b"\7"


def frame(kind: bytes, flags: int = 0, stream: int = 0, body: bytes = b"") -> bytes:
    """Of HTTP/2."""
    return len(body).to_bytes(3) + kind + bytes([flags]) + stream.to_bytes(4) + body


def greet(connection: socket.socket, then: str) -> None:
    """Be a server of HTTP/2 that, once it has greeted back, says nothing, leaves, or answers 404 to all."""
    with connection:
        connection.sendall(frame(_SETTINGS) + (frame(_GOAWAY, body=bytes(8)) if then == "leave" else b""))
        connection.recv(24, socket.MSG_WAITALL)
        while then != "leave" and len(head := connection.recv(9, socket.MSG_WAITALL)) == 9:
            connection.recv(int.from_bytes(head[:3]), socket.MSG_WAITALL) if any(head[:3]) else b""
            if then == "404" and head[3:4] == _HEADERS:
                connection.sendall(frame(_HEADERS, 5, int.from_bytes(head[5:]), b"\x8d"))
            if then == "404" and head[3:5] == _SETTINGS + b"\0":
                connection.sendall(frame(_SETTINGS, 1))


@pytest.mark.parametrize(("then", "seconds"), [("404", 30), ("nothing", 2), ("leave", 2)])
def test_a_server_of_http_2_that_is_none_of_rays_is_told_as_such(
    then: str, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(ray_home, "_ASKED", seconds)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=suppressed, args=(server.accept()[0],), daemon=True).start()

        def suppressed(connection: socket.socket) -> None:
            with suppress(OSError):
                greet(connection, then)

        threading.Thread(target=answer, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert ray_home._answers(address)
        with pytest.raises(Problem, match=f"no Ray cluster at {address}"):
            ray_home.found(address)
        monkeypatch.setenv("RAY_ADDRESS", address)
        assert ray_home.found("auto") is None
        server.shutdown(socket.SHUT_RDWR)


def test_a_port_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_home, "_GREETED", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(Problem, match="no Ray cluster at"):
        ray_home.found(f"127.0.0.1:{server.getsockname()[1]}")


def test_a_note_that_is_not_ones_own_counts_for_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    note = tmp_path / "ray_current_cluster"
    note.write_text("127.0.0.1:6379")
    monkeypatch.setattr(ray_home, "_CURRENT", str(note))
    monkeypatch.setattr(ray_home, "_is_cluster", bool)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert ray_home.found("auto") == "127.0.0.1:6379"
    stranger = SimpleNamespace(st_uid=os.geteuid() + 1, st_mode=stat.S_IFREG)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", lambda handle: stranger)
        assert ray_home.found("auto") is None
    note.unlink()
    os.mkfifo(note)
    assert ray_home.found("auto") is None


def test_what_killed_crawls_left_is_removed_and_what_is_in_use_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kill_me = "import os; from wolfspider.drivers.cluster.ray_home import *\n"
    kill_me += "with folder_for_ray() as folder: open(folder + '/log', 'w').close(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", kill_me], env={**os.environ, "TMPDIR": str(tmp_path)}, timeout=60)
    (left,) = tmp_path.iterdir()
    with ray_home.folder_for_ray() as first:
        assert not left.exists()
        with ray_home.folder_for_ray() as second:
            assert {str(path) for path in tmp_path.iterdir()} == {first, second}
    assert not any(tmp_path.iterdir())


STARTED = """
import os, pathlib
from wolfspider.drivers.cluster import ray_home

def listening():
    rows = (line.split() for kind in ("tcp", "tcp6") for line in open(f"/proc/net/{kind}").readlines()[1:])
    return {row[9]: row[1] for row in rows if row[3] == "0A"}

before = set(listening())
with ray_home.joined("local") as home:
    assert home.own and len(home.nodes()) == 1, home
    mine = set()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.environ["MARK"] in (process / "environ").read_text():
                mine |= {os.readlink(handle)[8:-1] for handle in (process / "fd").iterdir() if handle.is_symlink()}
        except OSError:
            pass
    print(*(address for number, address in listening().items() if number in mine and number not in before))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_cluster_of_our_own_listens_on_the_loopback_address_alone(tmp_path: Path) -> None:
    environment = {**os.environ, "MARK": f"mark-{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "-c", STARTED], capture_output=True, text=True, env=environment, check=True, timeout=120
    )
    addresses = [address.partition(":")[0] for address in done.stdout.split()]
    assert len(addresses) > 2
    assert {address[-8:] for address in addresses} == {"0100007F"}, done.stdout
    assert done.stderr == ""
