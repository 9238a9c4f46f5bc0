# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False
"""The markup of a plain page, read in one pass over its bytes, without a tree. Compiled where there is a compiler.

A page is plain if its tree holds no surprise: what is opened is closed, in order or by the rules that everybody relies
on (a new <li> ends the last one), tables hold cells, and nothing has to be moved or opened again. Here the elements are
opened and closed by the rules of HTML for such pages, and a `PageReading` is told of them as the walk over the tree
would tell it. At the first thing that is not plain `read_plain` gives the page up, and the tree is made after all: it
stays the judge.

The parts build on each other: names (plain_names.pyx), references (plain_references.pyx), tags (plain_tags.pyx), the
open elements (plain_elements.pyx), what ends and what begins (plain_ends.pyx, plain_starts.pyx), and here the page.
A page with something in it that might have to be cut is looked through once more (plain_calm.pyx).

Every index is checked. What is odd is given up by an exception, so no state is left behind.
"""

import re

import numpy as np

from wolfspider.web.page.plain_calm import is_calm
from wolfspider.web.page.plain_names import NotPlain
from wolfspider.web.page.taming import HARMLESS, MOST_TAGS, tamed

from wolfspider.web.page.plain_names cimport piece
from wolfspider.web.page.plain_starts cimport PlainStarts

_WITHOUT_QUIRKS = re.compile(
    rb"""\s+html\s*|\s+html\s+public\s+"-//w3c//dtd (?:"""
    rb"""xhtml 1\.[01](?: strict| transitional)?//en"\s*(?:"[^"]*"\s*)?|html 4\.01//en"\s*(?:"[^"]*"\s*)?|"""
    rb"""html 4\.01 transitional//en"\s*"http://www\.w3\.org/tr/(?:html4|1999/rec-html401-19991224)/loose\.dtd"\s*)""",
    re.IGNORECASE,
)


def read_plain(str whole):
    """What a plain page says; None if it is not plain, or would be cut before it is read (taming.py)."""
    return read_octets(whole, None)


def read_octets(str whole, bytes octets):
    """The same, for who has the text in UTF-8 already; None if nobody has."""
    cdef bytes data
    cdef _Scan scan = None
    cdef bint harmless = len(whole) <= HARMLESS  # such a page is never cut
    try:
        data = whole.encode() if octets is None else octets
        if b"\0" in data or not harmless and np.count_nonzero(np.frombuffer(data, np.uint8) == 60) > MOST_TAGS:  # "<"
            return None
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        scan = _Scan(data)
        reading = scan.read()
        if not scan.doubtful or harmless or is_calm(data, len(whole)) or tamed(whole, False) == whole:
            return reading
        return None
    except (NotPlain, UnicodeEncodeError):
        return None
    finally:
        if scan is not None:
            scan.reading.let_go()


cdef class _Scan(PlainStarts):
    def __init__(self, bytes data):
        super().__init__(data)
        self.quirks = True

    def read(self):
        """The whole page."""
        cdef const unsigned char[::1] octets = self.octets
        cdef Py_ssize_t at = 0, size = octets.shape[0], lt, begin, end
        cdef unsigned char c, seen
        cdef bint ends, referring
        cdef int number
        while at < size:
            begin = lt = at
            referring = False
            seen = 0
            while lt < size:
                c = octets[lt]
                seen |= c
                if c == 60 and lt + 1 < size:
                    c = octets[lt + 1]
                    if c == 33 or c == 47 or c == 63 or 97 <= (c | 32) <= 122:
                        break
                elif c == 38:
                    referring = True
                lt += 1
            if lt > begin and not self.muted:
                self.shown(begin, lt, referring, seen >= 128)
            elif lt > begin:
                self.unseen(begin, lt)
            if lt >= size:
                break
            at = lt + 1
            c = octets[at]
            if c == 33:
                at = self.declaration(at)
                continue
            ends = c == 47
            if c == 63 or (ends and at + 1 < size and not 97 <= (octets[at + 1] | 32) <= 122):
                if ends and octets[at + 1] == 62:
                    at += 2
                    continue
                at = self.data.find(b">", at) + 1
                if not at:
                    raise NotPlain
                if not ends and self.phase == 3:
                    raise NotPlain  # an instruction, which is a boundary, or a comment, which is none
                self.comment()
                continue
            begin = at + ends
            if begin >= size:
                raise NotPlain
            end = self.read_name(begin)
            number = self.number
            at = self.read_attributes(end)
            if ends:
                self.end_tag(number)
            else:
                at = self.start_tag(number, end, at)
        self.end_node()
        if self.phase < 3:
            raise NotPlain
        while self.depth:
            self.pop()
        self.flush()
        self.reading.finish(self.passages.read())
        return self.reading

    cdef object unseen(self, Py_ssize_t first, Py_ssize_t last):
        if (self.in_head_noscript or self.in_structure()) and not self.is_blank(first, last):
            raise NotPlain

    cdef object shown(self, Py_ssize_t first, Py_ssize_t last, bint referring, bint strange):
        """Text between tags."""
        if self.phase < 3:
            while first < last and self.is_blank(first, first + 1):
                first += 1
            if first == last:
                return
            if self.octets[first] == 38:
                raise NotPlain
            self.begin_body()
        elif (self.noted_behind or self.in_structure()) and not self.is_blank(first, last):
            raise NotPlain
        self.run(first, last, referring, strange)

    cdef Py_ssize_t declaration(self, Py_ssize_t at) except -1:
        """A comment, or a doctype; where it ends."""
        cdef Py_ssize_t end
        if piece(self.data, at, at + 3) == b"!--":
            self.comment()
            return self.behind_comment(at + 3)
        end = self.data.find(b">", at)
        if end < 0:
            raise NotPlain
        if piece(self.data, at, at + 8).lower() == b"!doctype":
            if not self.depth and self.phase == 0:
                if not self.quirks:
                    raise NotPlain  # the first one counts
                self.quirks = False
                self.quirks_unknown = not _WITHOUT_QUIRKS.fullmatch(self.data, at + 8, end)
            return end + 1
        self.comment()
        return end + 1

    cdef object comment(self):
        self.noted_behind = self.ended_body
        self.end_node()
