from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wolfspider.core.errors import BadInput, Busy, Problem
from wolfspider.files.lock import Lock, is_owned

HOLDER = """
import sys, time
from pathlib import Path
from wolfspider.files.lock import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
if len(sys.argv) > 2:
    import os
    if os.fork() == 0:
        print("forked", flush=True)
        time.sleep(60)
time.sleep(60)
"""


def holder(path: Path, *more: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path), *more], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    other = holder(tmp_path / "lock")
    try:
        with pytest.raises(Problem, match=f"process {other.pid} on {socket.gethostname()}"):
            Lock(tmp_path / "lock")
    finally:
        other.kill()
        other.wait()


def test_the_lock_of_the_dead_is_free(tmp_path: Path) -> None:
    other = holder(tmp_path / "lock")
    other.send_signal(signal.SIGKILL)
    other.wait()
    Lock(tmp_path / "lock").release()


def test_children_do_not_keep_the_lock_of_a_dead_parent(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "lock"), "fork"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        assert other.stdout.readline() == "forked\n"
        other.send_signal(signal.SIGKILL)
        other.wait()
        Lock(tmp_path / "lock").release()
    finally:
        os.killpg(other.pid, signal.SIGKILL)


def test_one_process_cannot_own_a_run_twice(tmp_path: Path) -> None:
    first = Lock(tmp_path / "lock")
    with pytest.raises(Problem, match=f"process {os.getpid()}"):
        Lock(tmp_path / "lock")
    first.release()
    Lock(tmp_path / "lock").release()


def test_a_disk_without_locks_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(Problem, match=r"cannot lock files .* local disk"):
        Lock(tmp_path / "lock")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="link"):
        Lock(tmp_path / "lock")
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_who_only_asks_is_waited_for(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        threading.Timer(0.02, fcntl.flock, (file, fcntl.LOCK_UN)).start()
        Lock(tmp_path / "lock").release()


@pytest.mark.parametrize("said", [b"", b"garbage", b"[]", b'{"pid": "x"}', b"\xff" * 5000])
def test_a_lock_file_may_say_anything(said: bytes, tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as file:
        file.write(said)
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(Problem, match="in use by process"):
            Lock(tmp_path / "lock")
    Lock(tmp_path / "lock").release()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_lock_file_that_is_removed_or_replaced_lets_nobody_in(replaced: bool, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    first = Lock(lock)
    lock.unlink()
    if replaced:
        lock.write_text("")
    assert is_owned(lock)
    with pytest.raises(Busy, match="removed or replaced"):
        Lock(lock)
    assert is_owned(lock)
    first.release()
    assert not is_owned(lock)
    Lock(lock).release()


def test_a_folder_in_the_place_of_the_lock_file_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    assert not is_owned(tmp_path / "lock")
    with pytest.raises(BadInput, match="no plain file"):
        Lock(tmp_path / "lock")
