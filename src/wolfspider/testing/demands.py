"""How a rule of a conformance suite says that it is broken."""

from __future__ import annotations


class Violation(AssertionError):
    """A rule of the contract is broken; the message says which and how."""


def demand(holds: bool, sentence: str) -> None:
    if not holds:
        raise Violation(sentence)
