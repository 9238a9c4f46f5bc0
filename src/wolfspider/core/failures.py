"""Failures in words that people understand: one phrase for each, and counts of them in one line.

A phrase has no part that differs from page to page, so that equal failures can be counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from wolfspider.core.model import Failure
from wolfspider.core.scope import FORGOTTEN

KINDS: Mapping[str, tuple[str, str]] = {  # a phrase to be counted, and what it means for one address
    "dns": ("host name not found", "its host has no address"),
    "connect": ("no connection", "its host could not be reached"),
    "tls": ("no secure connection", "its certificate is not to be trusted"),
    "timeout": ("no answer in time", "it was not here in time (--deadline)"),
    "slow": ("answer too slow", "it came too slowly to wait for its end"),
    "status": ("error status", "its server answered by an error"),
    "type": ("not a readable page", "it is no page that can be read"),
    "size": ("too large", "it is too large (--largest)"),
    "empty": ("empty page", "there is nothing in it"),
    "script": (
        "nothing to read without JavaScript",
        "there is nothing to read without JavaScript, which is not run here",
    ),
    "encoding": ("cannot be decompressed", "it cannot be unpacked"),
    "redirect": (
        "redirect that cannot be followed",
        "its redirects go in a circle, are too many, or lead where the crawl may not go",
    ),
    "trap": ("page without end", "reading it takes too much time or memory"),
    "robots": ("disallowed by robots.txt", "its robots.txt forbids it to us"),
    "crowded": ("domain with too many hosts", "its domain has more hosts than a crawl visits"),
    "blocked": ("not a public address", "--allow-private opens hosts that you name, --allow-network a network"),
    "excluded": ("out of scope", "it is out of the crawl's scope"),
    "scheme": ("neither http nor https", "it is neither http nor https"),
    "waiting": (
        "host left alone for now",
        "its host was in trouble, or asked to be left alone, for longer than we wait",
    ),
    "source": ("no answer to a search or leap", "the search or index that finds addresses of this kind had no answer"),
    "budget": ("page limit lowered", "the page limit was lowered before it was sent"),
}
MEANINGS: Mapping[str, str] = {kind: meaning for kind, (_, meaning) in KINDS.items()}
_FORGOTTEN = ("forgotten", "it was taken out of the run, which does not ask for it again")
_TELLING = ("dns", "connect", "tls", "blocked")  # kinds whose detail comes from us, and is one of few
_OF_ROBOTS = "robots.txt of "  # how the detail of a failure begins that is one of robots.txt
_SHOWN = 4  # phrases in a line


def in_words(failure: Failure) -> str:
    """What went wrong: 404 Not Found, connection refused, disallowed by robots.txt ..."""
    kind, detail = failure
    if failure == FORGOTTEN:
        return _FORGOTTEN[0]
    if kind == "status":
        return _status(detail) or KINDS[kind][0]
    if kind == "waiting" and detail.startswith(_OF_ROBOTS):
        reason = detail.partition(": ")[2].partition(",")[0]
        return f"robots.txt could not be read ({_status(reason) or reason})"
    return (detail if kind in _TELLING else "") or KINDS.get(kind, (kind,))[0]


def meaning(failure: Failure) -> str:
    """What it means for one address."""
    return _FORGOTTEN[1] if failure == FORGOTTEN else MEANINGS.get(failure.kind, "")


def _status(text: str) -> str:
    """A status code with its standard phrase; "" if the text does not begin with one."""
    code = text[:3]
    if not (len(code) == 3 and code.isascii() and code.isdigit()) or text[3:4].isdigit():
        return ""
    try:
        return f"{code} {HTTPStatus(int(code)).phrase}"
    except ValueError:
        return f"status {code}"


def counted(phrases: Mapping[str, int], most: int = _SHOWN) -> str:
    """The largest counts first, the rest as one: 319 x 404 Not Found, 12 x connection refused, 5 others."""
    ordered = sorted(phrases.items(), key=lambda entry: (-entry[1], entry[0]))
    others = sum(count for _, count in ordered[most:])
    rest = [f"{others:,} other{'s' * (others > 1)}"] if others else []
    return ", ".join([f"{count:,} x {phrase}" for phrase, count in ordered[:most]] + rest)
