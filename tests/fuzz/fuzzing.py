"""Fuzzing: strange inputs for everything that reads what strangers wrote, until something breaks or the time is over.

    python -m tests.fuzz.fuzzing --seconds 60                  all targets, a minute each, two at a time
    python -m tests.fuzz.fuzzing page robots_txt --seed 7      these, with inputs that were drawn before
    python -m tests.fuzz.fuzzing --replay FILE                 one input again, for the target its folder is named after

A target runs in a process of its own, with bounded memory. An input breaks it by an exception, by the death of the
process, or by taking longer than TOO_LONG; it is saved, shortened where that is possible, and the command to replay it
is printed. The inputs start from `corpus/`, which also has everything that ever broke a target: a test replays it.

On Python 3.12 and newer the drawing is guided: an input that reaches a line for the first time is changed further. With
Atheris (guided.py) it is on every Python.

The last line is `targets= inputs= broken=`, and the exit code is 1 if something broke.
"""

from __future__ import annotations

import argparse
import hashlib
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.fuzz_targets import TARGETS
from tests.fuzz.fuzz_targets import Target as Target
from tests.fuzz.mutations import LARGEST, Mutator

CORPUS = Path(__file__).parent / "corpus"
TOO_LONG = 20.0  # seconds for one input
MEMORY = 4 << 30  # bytes of address space
_HEAD = struct.Struct("QQ")  # how many inputs were tried, and the length of the one that is tried now
_NEWLY = 200  # inputs kept because they reached something new
_TRIES = 300  # to shorten an input


class Tried(NamedTuple):
    name: str
    inputs: int
    broken: bytes | None
    why: str


def corpus(name: str) -> list[bytes]:
    """The committed inputs of a target."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


class Attempt:
    """A target on drawn inputs, in another process, until it breaks or the time is over."""

    def __init__(self, name: str, seed: int, seconds: float) -> None:
        self.name = name
        self._shared = mmap.mmap(-1, _HEAD.size + LARGEST)  # what is tried lies here, so that it outlives the process
        self._reading, writing = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(self._reading)
            _try_inputs(name, seed, seconds, self._shared, writing)
        os.close(writing)
        self._before, self._since = -1, time.monotonic()

    def result(self) -> Tried | None:
        """What came of it; None while it runs. An input that takes too long ends it."""
        done, status = os.waitpid(self._child, os.WNOHANG)
        inputs, length = _HEAD.unpack_from(self._shared)
        late = inputs == self._before and time.monotonic() - self._since > TOO_LONG
        if inputs != self._before:
            self._before, self._since = inputs, time.monotonic()
        if late and not done:
            os.kill(self._child, signal.SIGKILL)
            done, status = os.waitpid(self._child, 0)
        if not done:
            return None
        with os.fdopen(self._reading, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        if (code := os.waitstatus_to_exitcode(status)) == 0:
            return Tried(self.name, inputs, None, "")
        why = f"No end within {TOO_LONG:.0f} s." if late else said or f"The process died ({code})."
        return Tried(self.name, inputs, bytes(self._shared[_HEAD.size : _HEAD.size + length]), why)


def fuzz(names: Sequence[str], seed: int, seconds: float, jobs: int) -> Iterator[Tried]:
    """Each target for so long, so many at a time."""
    waiting, running = list(names), list[Attempt]()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(Attempt(waiting.pop(0), seed, seconds))
        for attempt in list(running):
            if (found := attempt.result()) is not None:
                running.remove(attempt)
                yield found
        time.sleep(0.05)


def _try_inputs(name: str, seed: int, seconds: float, shared: mmap.mmap, pipe: int) -> None:
    """In the child; does not return. It ends with 0 when the time is over."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    run, until = TARGETS[name], time.monotonic() + seconds
    mutator, news, number = Mutator(f"{seed}/{name}", name, corpus(name)), _News(), 0
    try:
        while time.monotonic() < until:
            data = mutator.draw()
            number += 1
            _HEAD.pack_into(shared, 0, number, len(data))
            shared[_HEAD.size : _HEAD.size + len(data)] = data
            run(data)
            if news.any() and len(mutator.pool) < _NEWLY:
                mutator.keep(data)
    except BaseException:
        os.write(pipe, traceback.format_exc().encode("utf-8", "replace")[-8000:])
        os._exit(1)
    os._exit(0)


class _News:
    """Was a line of wolfspider reached for the first time? Each line is watched until then, so this costs little."""

    def __init__(self) -> None:
        self.seen = 0
        if sys.version_info >= (3, 12):
            watch = sys.monitoring
            watch.use_tool_id(watch.COVERAGE_ID, "fuzzing")
            watch.register_callback(watch.COVERAGE_ID, watch.events.LINE, self._line)
            watch.set_events(watch.COVERAGE_ID, watch.events.LINE)

    def _line(self, code: object, line: int) -> object:
        self.seen += "wolfspider" in getattr(code, "co_filename", "")
        return sys.monitoring.DISABLE if sys.version_info >= (3, 12) else None

    def any(self) -> bool:
        seen, self.seen = self.seen, 0
        return seen > 0


def outcome(name: str, data: bytes) -> str:
    """What an input does to a target, in a process of its own: "" or what went wrong, in a line."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(int(TOO_LONG))
        try:
            TARGETS[name](data)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            os.write(writing, f"{type(error).__name__} in {where.name} ({where.line})".encode("utf-8", "replace")[:999])
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said or (f"the process died ({code})" if code else "")


def shortened(data: bytes, breaks: Callable[[bytes], bool]) -> bytes:
    """As much of an input taken away as still breaks."""
    size, tries = len(data) // 2, _TRIES
    while size and tries:
        place = 0
        while place < len(data) and tries:
            shorter, tries = data[:place] + data[place + size :], tries - 1
            if breaks(shorter):
                data = shorter
            else:
                place += size
        size //= 2
    return data


def saved(found: Tried, folder: Path) -> Path:
    """The input that broke a target, as a file."""
    assert found.broken is not None
    data, why = found.broken, outcome(found.name, found.broken)
    if why and "died" not in why:
        data = shortened(data, lambda shorter: outcome(found.name, shorter) == why)
    path = folder / found.name / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def replayed(path: Path) -> int:
    TARGETS[path.absolute().parent.name](path.read_bytes())
    print(f"{path}: nothing broke.")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="TARGET", help=f"what to fuzz: {', '.join(TARGETS)}; all if none is named"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--seed", type=int, default=None, help="what inputs are drawn from; a new one unless you say")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    parser.add_argument("--save", type=Path, default=CORPUS, help="the folder for inputs that break something")
    parser.add_argument("--replay", type=Path, help="run one saved input again")
    given = parser.parse_args()
    if given.replay:
        return replayed(given.replay)
    if unknown := set(given.names) - set(TARGETS):
        parser.error(f"there is no target {min(unknown)!r}")
    seed = random.SystemRandom().randrange(1 << 32) if given.seed is None else given.seed
    names = given.names or list(TARGETS)
    print(f"seed={seed}", flush=True)
    results = [told(found, given.save) for found in fuzz(names, seed, given.seconds, given.jobs)]
    broken = sum(found.broken is not None for found in results)
    print(f"targets={len(results)} inputs={sum(found.inputs for found in results)} broken={broken}")
    return 1 if broken else 0


def told(found: Tried, folder: Path) -> Tried:
    print(f"{found.name}: {found.inputs:,} inputs{'' if found.broken is None else ', and one broke it:'}", flush=True)
    if found.broken is not None:
        print(found.why.rstrip())
        print(f"Replay it by: {sys.executable} -m tests.fuzz.fuzzing --replay {saved(found, folder)}", flush=True)
    return found


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        raise SystemExit(main())
    raise SystemExit(130)
