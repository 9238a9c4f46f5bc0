"""What all tests share: the same examples on every run, and the corpora found by the environment."""

from __future__ import annotations

import asyncio
import os
import random
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from wolfspider.cli import main

# No deadline and no health check of speed: a loaded machine is not a failing test.
# `HYPOTHESIS_PROFILE=search make test` looks for examples nobody has seen.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "repeatable")
settings.load_profile(PROFILE)
# One seed is not enough for that: hypothesis also draws constants of the modules that are loaded by then, which differ
# with the tests that ran before in this process, and with every change of the source.
if PROFILE == "repeatable":
    providers._get_local_constants = lambda: providers._local_constants

# A shell starts what runs in the background with Ctrl-C ignored, and programs under test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Of tests marked `sampled(n)`, which are slow, one in n runs with the fast ones. This seed says which; processes that
# share the work have it from the environment.
SEED = os.environ.setdefault("SAMPLE_SEED", str(random.SystemRandom().randrange(1 << 32)))

# Modules that tests share (`from faults import faults`) lie beside this file.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    fast = config.option.markexpr == "not slow"
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None and not (fast and random.Random(f"{SEED} {item.nodeid}").randrange(mark.args[0]) == 0):
            item.add_marker("slow")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"Sampled tests were drawn by SAMPLE_SEED={SEED}: set it to draw the same ones again.")


@pytest.fixture
def aside() -> Iterator[Callable[[AbstractAsyncContextManager[Any]], Any]]:
    """`aside(faults())` runs a server in a thread of its own until the test is over, for what has its own event loop
    or none: commands, benchmarks, other processes. Gives what `async with` would."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    stack = AsyncExitStack()

    def start(server: AbstractAsyncContextManager[Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(stack.enter_async_context(server), loop).result(30)

    try:
        yield start
        asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result(30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without settings of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith("WOLFSPIDER_"):
            monkeypatch.delenv(name)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], bare_environment: None) -> Callable[..., tuple[int, str, str]]:
    """`run("status --json", folder)` calls the command line and gives its exit code, output and errors."""

    def called(text: str, *more: object) -> tuple[int, str, str]:
        code = main([*shlex.split(text), *map(str, more)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return called


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of recorded webs; tests that want it are skipped where there is none."""
    folder = os.environ.get("WOLFSPIDER_CORPORA")
    if not folder:
        pytest.skip("WOLFSPIDER_CORPORA names no folder of recorded webs, so what is measured on them is not tested.")
    path = Path(folder)
    if not path.is_dir():
        pytest.fail(f"WOLFSPIDER_CORPORA is {folder!r}, which is no folder. Correct it, or unset it to skip.")
    return path
