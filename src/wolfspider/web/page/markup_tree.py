"""The tree of a page's markup, as Lexbor makes it, and within a bound of memory where the page may be hostile.

Nothing in Lexbor bounds what it takes, so the system is asked to: for the moment in which the tree is made, the process
gets so many bytes more, and not one beyond. No thread can be started in that moment: only who starts all of them may
ask for it.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from wolfspider.web.page.c_heap import free_bytes, tidy

_WITHOUT_EVENTS = 1  # LexborDocumentOptions.WO_EVENTS: its callbacks take time in the square of the <option> elements
_FEW = 2_000  # characters: too few to take much, whatever they are
_USUAL = 256_000_000  # bytes of data that a crawl of ordinary pages has
_STATM = "/proc/self/statm"
_DATA = 5  # place of the number of pages with data
_PAGE = resource.getpagesize()


def tree_of(text: str) -> LexborHTMLParser:
    return LexborHTMLParser(text, options=_WITHOUT_EVENTS)


def tree_within(text: str, most: int) -> LexborHTMLParser | None:
    """The tree, unless it takes more than so many bytes."""
    if len(text) <= _FEW:
        return tree_of(text)
    try:
        with _at_most(most):
            return tree_of(text)
    except (MemoryError, SelectolaxError):
        pass
    tidy(most)
    return None


@contextmanager
def _at_most(more: int) -> Iterator[None]:
    """This process may take so many bytes more, those included that are free in its heap if it has more than usual (to
    count them takes as long as a tenth of a page). Where the system does not tell how many it has, nothing is
    bounded."""
    try:
        with open(_STATM, "rb", buffering=0) as statm:
            taken = int(statm.read(200).split()[_DATA]) * _PAGE
        if taken > _USUAL:
            taken -= free_bytes()
    except (OSError, ValueError, IndexError):
        yield
        return
    usual, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bounds = [limit for limit in (taken + more, usual, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (usual, hard))
