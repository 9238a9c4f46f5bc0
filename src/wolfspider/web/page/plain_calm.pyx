# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False
"""Whether a page is certainly left as it is by taming.py, found out in one pass by compiled code."""

from wolfspider.web.page.taming import MOST_ATTRIBUTES, MOST_BODY_TAGS, PATIENCE

cdef int MOST = MOST_ATTRIBUTES, BODIES = MOST_BODY_TAGS


cdef inline bint is_blank(unsigned char c):
    return c == 32 or c == 10 or c == 9 or c == 12 or c == 13


def is_calm(bytes data, Py_ssize_t characters):
    """Has no tag too many attributes, and is there no other reason to cut? Every "<" before a letter is read as a tag,
    as in taming.py, and where that takes long there is a doubt."""
    cdef const unsigned char[::1] octets = data
    cdef Py_ssize_t at = 0, size = octets.shape[0], first, effort = PATIENCE * characters
    cdef unsigned char c
    cdef int bodies = 0
    while True:
        while at < size and octets[at] != 60:
            at += 1
        if at >= size:
            return True
        first = at
        at = first + 1
        if at < size and octets[at] == 47:
            at += 1
        if at >= size or not 97 <= (octets[at] | 32) <= 122:
            at = first + 1
            continue
        c = octets[at] | 32
        if (c == 98 or c == 104) and data[at : at + 4].lower() in (b"body", b"html"):
            bodies += 1
        effort -= _length(octets, at, first)
        if effort < 0 or bodies > BODIES:
            return False
        at = first + 1


cdef Py_ssize_t _length(const unsigned char[::1] octets, Py_ssize_t at, Py_ssize_t first) except -1:
    """How many octets a tag has that begins with `first`, and whose name begins here; far too many if it has too many
    attributes."""
    cdef Py_ssize_t size = octets.shape[0], begin
    cdef int count = 0
    cdef unsigned char c, quote
    while at < size and not (is_blank(octets[at]) or octets[at] == 47 or octets[at] == 62):
        at += 1
    while True:
        while at < size and (is_blank(octets[at]) or octets[at] == 47):
            at += 1
        if at >= size or octets[at] == 62:
            return at - first
        count += 1
        if count > MOST:
            return 1 << 60
        begin = at
        while at < size:
            c = octets[at]
            if is_blank(c) or c == 47 or c == 62 or (c == 61 and at > begin):
                break
            at += 1
        while at < size and is_blank(octets[at]):
            at += 1
        if at >= size or octets[at] != 61:
            continue
        at += 1
        while at < size and is_blank(octets[at]):
            at += 1
        if at >= size:
            return at - first
        quote = octets[at]
        if quote == 34 or quote == 39:
            at += 1
            while at < size and octets[at] != quote:
                at += 1
            at += 1
        else:
            while at < size and not (is_blank(octets[at]) or octets[at] == 62):
                at += 1
