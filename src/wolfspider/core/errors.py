"""Problems that a person can mend: each is a sentence that says what to do, with the exit code of the command line.

    Problem            2   the command line or a setting is wrong
      BadInput         3   a file, web or run cannot be read
      Nothing          4   no server answers, or no answer has a link to start from
      Busy             8   another process owns the run, or too many commands wait for it
      CtrlC          130   Ctrl-C, where there is something to say: what is kept, or which line of a file it met

Expected trouble with a page is no exception but a `Failure` (core/model.py).
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


class Problem(Exception):
    code = 2


class BadInput(Problem):
    code = 3


class Nothing(Problem):
    code = 4


class Busy(Problem):
    code = 8


class CtrlC(Problem):
    code = 130


def closest(name: str, names: Iterable[str]) -> str:
    """ " Did you mean 'x'?" with the nearest of the names, or what there is."""
    known = sorted(names)
    if not known:
        return " There are none."
    return near(name, known) or f" There are: {', '.join(known)}."


def no_such(what: str, given: str, names: Collection[str]) -> Problem:
    """The problem that `what` is one of these few names, and another was given."""
    return Problem(f"{what} is {' or '.join(names)}, not {given!r}.{near(given, names)}")


def near(name: str, names: Collection[str], least: float = 0.6) -> str:
    """ " Did you mean 'x'?" with the nearest of the names, if one is near: 0 is nothing in common, and 1 the same."""
    found = difflib.get_close_matches(name, names, 1, least)
    return f" Did you mean {found[0]!r}?" if found else ""


def to_install(extra: str) -> str:
    """How to get the libraries of an extra."""
    return f'pip install "wolfspider[{extra}]" (in a clone of the repository: make extras)'
