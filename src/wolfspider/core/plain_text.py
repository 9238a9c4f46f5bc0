"""Text of strangers made harmless for a terminal, a log, a table or a figure: nothing but what it looks like.

A title may hold escape sequences that recolour, rename or fill a terminal, line breaks that forge a second line of a
log, and controls that turn the direction of what follows. All of it is taken out. The two joiners stay, without which
Persian, Indic scripts and emoji fall apart; they have no effect on anything around them.

What a person says to a crawl is kept and shown in many places, so it is refused instead if it has such characters.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape

from wolfspider.core.errors import Problem

LONGEST = 300  # characters; nobody reads more in one line
_JOINERS = "\u200c\u200d"
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, screen
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC and other strings
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # line breaks are none
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def plainly(text: str, most: int = LONGEST) -> str:
    """One line without controls, escape sequences and what hides or turns text, cut at `most` characters."""
    line = " ".join(_harmless(text[: 10 * most]).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def plain_lines(text: str) -> str:
    """The same for a text that is laid out in lines: blanks and line breaks stay."""
    return "".join(_harmless(line) + "\n" for line in text.split("\n")).removesuffix("\n")


def in_markup(text: str) -> str:
    """For SVG and HTML, as content or as an attribute; blanks and line breaks stay."""
    return escape(plain_lines(text))


def refuse_controls(text: str, what: str, problem: type[Problem] = Problem) -> None:
    """Refuse a text of a person's own that has characters which nobody can see, and terminals obey."""
    if _CONTROL.search(text):
        raise problem(f"{what} has control characters: {text[:80]!a}. Write it without them.")


def _harmless(text: str) -> str:
    line = (" " if char.isspace() else char for char in _SEQUENCE.sub("", text))
    return "".join(char for char in line if char in _JOINERS or unicodedata.category(char) not in _UNSEEN)
