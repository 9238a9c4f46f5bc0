"""The command line: it parses, calls and prints. Everything a command does is somewhere below.

Data goes to stdout, progress and errors to stderr. What a command needs is imported when it runs, so that help comes at
once. The exit codes are those of docs/cli.md.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import typer

from wolfspider.cli import (
    categories,
    cluster,
    conform,
    damaged_runs,
    dashboard,
    doctor,
    mcp,
    offline,
    runs,
    states,
    watches,
    webs,
)
from wolfspider.cli.common import app
from wolfspider.core.errors import Problem
from wolfspider.files.one_thread import without_threads
from wolfspider.files.program_name import NAME, program, shell_command

__all__ = [
    "app",
    "categories",
    "cluster",
    "conform",
    "damaged_runs",
    "dashboard",
    "doctor",
    "main",
    "mcp",
    "offline",
    "runs",
    "states",
    "watches",
    "webs",
]

SELDOM = 100_000  # new objects before Python looks for circles of garbage: while modules are loaded there are none
UNREADABLE, BUG, INTERRUPTED, UNREAD = 3, 70, 130, 141  # exit codes; the commands give 1 and 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Every way a command can end, as an exit code; a traceback only where WOLFSPIDER_DEBUG asks for one."""
    gc.set_threshold(SELDOM)
    atexit.register(gc.freeze)  # a process that ends need not look for circles among all that it has
    without_threads()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to fail
    runs_at_hand: list[Path] = []  # folders that the command was given
    try:
        code = app(arguments, prog_name=NAME, standalone_mode=False, obj=runs_at_hand)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:  # what is wrong with the command line, and where to look
        context = getattr(error, "ctx", None)
        sentence = _wrong_value(error) or _fixed_option(error) or error.format_message()
        named = (context.command_path if context is not None else NAME).removeprefix(NAME)
        stop = "" if sentence.endswith((".", "?")) else "."
        return _complain(f"{sentence}{stop} See {program()}{named} --help.", error.exit_code)
    except Problem as problem:
        return _complain(str(problem), problem.code)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as left:
        if isinstance(left, SystemExit) and not left.code:  # how typer leaves when it has told a shell how to complete
            return 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # typer and rich leave so when nobody reads on
        return UNREAD
    except OSError as error:
        return _complain(f"{error.filename or 'A file'}: {error.strerror or error}.", UNREADABLE)
    except Exception as error:
        from wolfspider.app.plugins import fault

        if where := fault(error):
            advice = "A run is resumed only if what it decided before stays the same."
            return _complain(f"{where} Mend it and give the same command again. {advice}", UNREADABLE)
        if damage := _damage(runs_at_hand):
            return _complain(damage, UNREADABLE)
        sentence = f"{type(error).__name__}: {error}. This is a bug"
        return _complain(f"{sentence}; run with WOLFSPIDER_DEBUG=1 to see the traceback.", BUG)


def _wrong_value(error: typer.TyperException) -> str:
    """The sentence on a number that is none, too small or too large, which the library has only in words of its own."""
    from wolfspider.app.settings import known
    from wolfspider.core.params import KINDS

    found = getattr(error.__cause__, "errors", None)  # of pydantic, which the library checks values with
    if not isinstance(error, typer.BadParameter) or found is None:
        return ""
    wrong = found()[0]
    bounds = wrong.get("ctx", {})
    bound = next(
        (f"{words} {bounds[name]}" for name, words in (("ge", "at least"), ("le", "at most")) if name in bounds), ""
    )
    setting = known().get(error.param.name or "") if error.param else None
    wanted = bound or (setting.wanted if setting else KINDS.get(wrong["type"].partition("_")[0]))
    return f"{error.param.opts[-1]} must be {wanted}, not {wrong['input']!r}." if wanted and error.param else ""


def _fixed_option(error: typer.TyperException) -> str:
    """The sentence on an option that `crawl` has and a run that has begun does not take any more; "" on any other."""
    from wolfspider.app.settings import IDENTITY
    from wolfspider.app.steering import VERBS

    context, name = getattr(error, "ctx", None), getattr(error, "option_name", "").removeprefix("--").replace("-", "_")
    if context is None or context.info_name != "resume" or name not in IDENTITY:
        return ""
    anew = shell_command("crawl", "...", "--learned-from", "RUN")
    here = f"; or change it here by `{shell_command('steer', 'RUN', name, VERBS[name][0])}`" if name in VERBS else ""
    fixed = f"--{name.replace('_', '-')} is fixed when a run is begun"
    return f"{fixed}. Begin another by `{anew}`, which takes over what this one has learned{here}."


def _damage(runs: Sequence[Path]) -> str:
    """What nobody expected may come from a damaged run: what is damaged in it; "" if nothing is."""
    from wolfspider.store.damage import remedy
    from wolfspider.store.repair.examination import first_damage

    for run in runs:
        with suppress(Exception):  # then it is what happened before
            if damage := first_damage(run):
                return f"{damage} {remedy(run)}"
    return ""


def _complain(sentence: str, code: int) -> int:
    from wolfspider.core.plain_text import plainly

    if os.environ.get("WOLFSPIDER_DEBUG"):
        import traceback

        traceback.print_exc()
    print(f"wolfspider: {plainly(sentence, 1000)}", file=sys.stderr)
    return code
