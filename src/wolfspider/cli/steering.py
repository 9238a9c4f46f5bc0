"""`wolfspider steer`: a command is handed over, and its answer is a line.

A command that takes something away says first what that is, and asks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from wolfspider.app.steering import answered, command_for, is_running, refuse_what_is_late, send
from wolfspider.cli.common import print_json, say
from wolfspider.core.errors import Problem
from wolfspider.core.plain_text import plainly
from wolfspider.terminal.progress import console_for
from wolfspider.terminal.steering_words import remark, sentence, warning

UNANSWERED = 1  # exit code
DECLINED = 1  # exit code: the person was asked, and did not say yes


def steer(
    run: Path, verb: str, words: Sequence[str], *, wait: float = 10.0, yes: bool = False, as_json: bool = False
) -> int:
    """Hand a command over, wait for the answer and print it."""
    command = command_for(run, verb, words)
    refuse_what_is_late(run, command)
    takes = warning(run, command)
    if takes and not yes and not _agrees(takes):
        print("Nothing was changed.", file=sys.stderr)
        return DECLINED
    number, answer = send(run, command, wait)
    if answer is not None and answer.get("problem") and not as_json:
        raise Problem(str(answer["problem"]))
    if as_json:
        print_json(answered(command, number, answer))
    else:
        told = sentence(run, command, answer) + remark(run, command)
        say(console_for(), (f"{takes} " if takes and yes else "") + told, 2000)
    if answer is None:
        return UNANSWERED if is_running(run) else 0
    return Problem.code if answer.get("problem") else 0


def _agrees(takes: str) -> bool:
    """Ask the person at the terminal; where there is none, nothing is done."""
    if not sys.stdin.isatty():
        raise Problem(plainly(f"{takes} There is no terminal to ask at: say --yes if that is meant.", 2000))
    say(console_for(stderr=True), takes, 2000)
    print("Continue? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
