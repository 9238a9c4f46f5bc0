"""The conformance suites run on a strategy or a judge of a person's own, in a process of its own.

So a file that never comes to an end, prints, or ends its process cannot do so to the command that tries it. Such a
process ends itself when a demand takes too long; where it was then is told with the demand.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn, TextIO

from wolfspider.app.plugins import subjects
from wolfspider.core.errors import Problem
from wolfspider.policy.strategy import Strategy
from wolfspider.testing.demands import Checked, described, tried
from wolfspider.testing.judge_conformance import JUDGE_CHECKS
from wolfspider.testing.sketch import configured
from wolfspider.testing.strategy_conformance import STRATEGY_CHECKS


class DemandResult(NamedTuple):
    """What came of one demand on one strategy or judge."""

    subject: str  # its name, with its settings
    checked: Checked
    total: int  # demands on all subjects
    tried: bool = True  # False where the subject did not come to the end of a demand before


def results(name: str, patience: float) -> Iterator[DemandResult]:
    """The result of each demand on everything that this file holds, as soon as it is known. Problem says why there is
    nothing to try."""
    first, total = 0, 1
    while first < total:
        with TemporaryDirectory(prefix="wolfspider-") as folder:
            stack = Path(folder, "stack")
            plan, done, code = yield from _tried_from(first, name, patience, stack)
            first, total = first + done, len(plan)
            if first == total:
                return
            stuck, seen = plan[first], _seen(name, patience, stack, code)
        remedy = "Mend the loop or the call there."
        yield DemandResult(stuck.subject, stuck.checked._replace(seen=seen, remedy=remedy), total)
        first += 1
        while first < total and plan[first].subject == stuck.subject:  # they would hang likewise, one after the other
            checked = plan[first].checked
            seen = f"not tried, because {stuck.checked.name} was not completed"
            remedy = f"Mend {stuck.checked.name} first."
            yield DemandResult(stuck.subject, checked._replace(seen=seen, remedy=remedy), total, tried=False)
            first += 1


def _tried_from(
    first: int, name: str, patience: float, stack: Path
) -> Generator[DemandResult, None, tuple[list[DemandResult], int, int | None]]:
    """Yield results from this demand on; return the plan, how many there were before the process ended, and its exit
    code."""
    here, there = multiprocessing.Pipe(duplex=False)
    arguments = (name, first, patience, there, str(stack))
    process = multiprocessing.get_context("spawn").Process(target=_work, args=arguments, daemon=True)
    process.start()
    there.close()
    try:
        plan, done = _received(here), 0
        if isinstance(plan, Problem):
            raise plan
        if plan is None:
            process.join()
            raise Problem(f"{name} cannot be loaded: {_seen(name, patience, stack, process.exitcode)}.")
        while checked := _received(here):
            yield DemandResult(plan[first + done].subject, checked, len(plan))
            done += 1
        process.join()
        return plan, done, process.exitcode
    finally:
        process.kill()
        process.join()
        here.close()


def _received(connection: Connection) -> Any:
    """None if nothing comes any more."""
    try:
        return connection.recv()
    except EOFError:
        return None


def _work(name: str, first: int, patience: float, connection: Connection, stack: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the parent decides
    sys.stdout = sys.stderr
    with Path(stack).open("w", encoding="utf-8") as file:
        _leave_a_trace(file)
        faulthandler.dump_traceback_later(patience, exit=True, file=file)
        try:
            checks = list(_checks(name))
        except Problem as problem:
            connection.send(problem)
            return
        total = len(checks)
        connection.send([DemandResult(subject, described(check), total) for subject, check, _ in checks])
        for _, check, value in checks[first:]:
            faulthandler.dump_traceback_later(patience, exit=True, file=file)
            connection.send(tried(check, value))
        faulthandler.cancel_dump_traceback_later()
        faulthandler.disable()


def _leave_a_trace(file: TextIO) -> None:
    """Where this process was is written there if a file ends it, by os._exit or a crash."""
    end = os._exit

    def ended(code: int) -> NoReturn:
        if not file.closed:
            faulthandler.dump_traceback(file, all_threads=False)
        end(code)

    os._exit = ended  # type: ignore[assignment]
    faulthandler.enable(file, all_threads=False)


def _checks(name: str) -> Iterator[tuple[str, Any, Any]]:
    """The subject, a check, and what to call the check with."""
    for found, subject in subjects(name).items():
        if not (isinstance(subject, type) and issubclass(subject, Strategy)):
            yield from ((found, check, subject) for check in JUDGE_CHECKS.values())
            continue
        for settings in subject.variants:
            shown = ", ".join(f"{key}={value}" for key, value in settings.items())
            kind = configured(subject, settings)
            yield from ((f"{found} ({shown})" if shown else found, check, kind) for check in STRATEGY_CHECKS.values())


def _seen(name: str, patience: float, stack: Path, code: int | None) -> str:
    """What is known of a process that ended too early: why, and where it was."""
    told = stack.read_text(encoding="utf-8", errors="replace")
    file = name.partition(".py")[0] + ".py"
    lines = re.findall(r'File "(.*)", line (\d+) in (.*)', told)
    own = next((f": {path} line {line}, in {function}" for path, line, function in lines if path == file), "")
    if told.startswith("Timeout"):
        return f"it did not come to an end within {patience:g} s{own}"
    if code is not None and code < 0:
        return f"its process was ended by {signal.Signals(-code).name}, perhaps for lack of memory{own}"
    return f"it ended its process, by os._exit or the like, with code {code}{own}"
