"""How a check of a conformance suite says that a demand is broken, and what is told of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from wolfspider.app.plugins import fault


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
    sentence, _, remedy = inspect.cleandoc(check.__doc__ or "").partition("\n\n")
    seen = ""
    try:
        check(subject)
    except Violation as violation:
        seen = str(violation)
    except Exception as error:  # whatever the subject throws breaks the demand; the others are still to be tried
        seen = fault(error) or f"{type(error).__name__}: {error}"
    return Checked(check.__name__, " ".join(sentence.split()), " ".join(remedy.split()), seen)
