"""A dashboard beside a crawl: a process that ends when the crawl does, and whose end the crawl never notices.

    python -m wolfspider.dashboard.beside FOLDER NAME

It is told by the end of its standard input, which comes however the crawl ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wolfspider.core.errors import Problem
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard.desk import ForAll
from wolfspider.dashboard.serving import PORT, serve

_PATIENCE = 5.0  # seconds for it to end


@contextmanager
def beside(run: Path) -> Iterator[str]:
    """Serves the runs beside this one while the block lasts, this one first; gives the address."""
    words = [sys.executable, "-P", "-m", "wolfspider.dashboard.beside", str(run.absolute().parent), run.name]
    child = subprocess.Popen(  # noqa: S603
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    try:
        address = child.stdout.readline().decode("utf-8", "replace").strip()
        if not address:
            said = plainly(child.stderr.read(2000).decode("utf-8", "replace"), 2000)
            raise Problem(said.strip() or "The dashboard could not be started.")
        yield address
    finally:
        child.stdin.close()
        try:
            child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
        child.stderr.close()


def main() -> int:
    folder, name = sys.argv[1:]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        serve(Path(folder), PORT, ForAll(), _say_and_be_silent, first=name, any_port=True, trusted=True)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return problem.code
    return 0


def _say_and_be_silent(address: str) -> None:
    """Nobody reads on, and whoever writes to a full pipe waits for ever."""
    print(address, flush=True)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(1 << 16):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
