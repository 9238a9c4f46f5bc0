"""How a check of a conformance suite says that a demand is broken, and what is told of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from wolfspider.app.plugins import fault
from wolfspider.policy.room import BrokenContract, RoomNotTaken

# Checks that give a subject what it may not expect: an exception that such data cause is what their remedy is about.
_PROVOKING = (
    *("survives_every_failure", "survives_any_reward", "accepts_outcomes_of_the_dead"),
    "empty_pages_are_no_error",
)


class Violation(AssertionError):
    """A demand of the contract is broken; the message says how."""


def demand(holds: bool, sentence: str) -> None:
    if not holds:
        raise Violation(sentence)


class Checked(NamedTuple):
    """What came of a check of a strategy, a judge or another subject."""

    name: str
    demand: str  # in a sentence
    remedy: str
    seen: str  # what broke it; "" if it holds


def tried(check: Callable[[Any], None], subject: Any) -> Checked:
    """Try a check whose documentation says first what it demands, and below what to do where that is broken."""
    held = described(check)
    try:
        check(subject)
    except Violation as violation:
        return held._replace(seen=str(violation))
    except (Exception, SystemExit) as error:  # whatever it throws breaks the demand; the others are still to be tried
        seen = fault(error) or f"{type(error).__name__}: {error}"
        return held._replace(seen=seen, remedy=_remedy(error, held.remedy, check.__name__ in _PROVOKING))
    return held


def described(check: Callable[[Any], None]) -> Checked:
    """What a check demands; it has not been tried."""
    sentence, _, remedy = inspect.cleandoc(check.__doc__ or "").partition("\n\n")
    return Checked(check.__name__, " ".join(sentence.split()), " ".join(remedy.split()), "")


def _remedy(error: BaseException, standard: str, provoked: bool) -> str:
    """What to do about an exception: the remedy of the demand would mislead where a plain mistake is the cause."""
    if isinstance(error.__cause__, RoomNotTaken):
        return "In `propose`, ask `room.take(link)` for each visit, and make the visit only if that returns True."
    if isinstance(error, BrokenContract):
        return "Mend the method that is named."
    if not fault(error):
        return standard
    by_data = isinstance(error, LookupError | ArithmeticError | ValueError) or "NoneType" in str(error)
    return f"Mend the line that is named. {standard if provoked and by_data else ''}".rstrip()
