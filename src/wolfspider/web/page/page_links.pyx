# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False
"""The links of a page, put together from what its reader noted, by compiled code; page_reading.py says what a link has,
and does it where this is not."""

from array import array

from wolfspider.core.model import Link
from wolfspider.web.page.bounded_text import folded

from wolfspider.web.page.plain_passages cimport Passages

_new = tuple.__new__


cdef bint _is_folded(str text) except -1:
    """Is it ASCII, and each white space in it one blank between others?"""
    cdef Py_UCS4 c, before = 32
    for c in text:
        if c > 126 or c < 32 or (c == 32 and before == 32):
            return False
        before = c
    return before != 32


cdef str _text(passages, Py_ssize_t first, Py_ssize_t last, int most):
    cdef str text
    if isinstance(passages, Passages):
        text = (<Passages>passages).joined(first, last)
    else:
        text = passages[first] if last - first == 1 else " ".join(passages[first:last])
    return text if len(text) <= most and _is_folded(text) else folded(text, most)


cdef list _blocks(list ended, const Py_ssize_t[::1] before, Py_ssize_t links, int enough):
    """The block of each link; the whole page where no element says enough."""
    cdef list blocks = [(0, before[before.shape[0] - 1])] * links
    cdef Py_ssize_t[::1] waiting = array("q", bytes(8 * links or 8))  # links without a block, as far as elements have come
    cdef Py_ssize_t first, last, anchors, now, from_word, to_word, seen = 0, count = 0
    for first, last, anchors, now in ended:
        while seen < now:
            waiting[count] = seen
            count += 1
            seen += 1
        from_word, to_word = before[first], before[last]
        if to_word - from_word >= enough:
            while count and waiting[count - 1] >= anchors:
                count -= 1
                blocks[waiting[count]] = (from_word, to_word)
    return blocks


def links_of(
    addresses, passages, list firsts, list lasts, before, list ended, list paths, list rels, int most_links,
    int most_letters, int enough
):
    """Each address once, told by its first place with a text, as `PageReading.links` says."""
    cdef dict known = {}
    cdef const Py_ssize_t[::1] counted = array("q", before) if isinstance(before, list) else before
    cdef list urls = [], numbers = [], texts = [], found = [], blocks = _blocks(ended, counted, len(firsts), enough)
    cdef Py_ssize_t number = 0, place
    cdef str url, text, rel
    for url in addresses:
        if url:
            at = known.get(url)
            if at is not None:
                place = at
                if not texts[place]:
                    text = _text(passages, firsts[number], lasts[number], most_letters)
                    if text:
                        numbers[place], texts[place] = number, text
            elif len(urls) < most_links:
                known[url] = len(urls)
                urls.append(url)
                numbers.append(number)
                texts.append(_text(passages, firsts[number], lasts[number], most_letters))
        number += 1
    for place in range(len(urls)):
        number = numbers[place]
        rel = rels[number]
        if rel:
            rel = " ".join(rel.lower()[:most_letters].split())
        found.append(
            _new(
                Link,
                (urls[place], texts[place], counted[<Py_ssize_t>firsts[number]], blocks[number], paths[number], place, rel),
            )
        )
    return tuple(found)


def plain_address(str href, str folder):
    """What a link in this folder leads to, if that needs no parser, else "": names of letters, digits and - . _ ~, none
    of which begins with a dot, and between them slashes. Before them there may be steps up, and behind them a plain
    fragment."""
    cdef Py_ssize_t at = 0, size = len(href), begin, behind, root, end = len(folder)
    cdef Py_UCS4 c
    cdef bint begins = True  # a name
    root = folder.find("/", 8) + 1
    if not root:
        return ""
    if size and href[0] == 47:  # a slash
        at, end = 1, root
    while at + 2 < size and href[at] == 46 and href[at + 1] == 46 and href[at + 2] == 47 and href[0] != 47:
        at += 3
        if end > root:
            end = folder.rfind("/", 0, end - 1) + 1
    begin = at
    while at < size:
        c = href[at]
        if 97 <= c <= 122 or 65 <= c <= 90 or 48 <= c <= 57 or c == 95 or c == 126 or c == 45:
            begins = False
        elif begins or c == 35:  # a number sign
            break
        elif c == 47:
            begins = True
        elif c != 46:  # a dot
            return ""
        at += 1
    if at == begin and href[:1] != "/":
        return ""
    behind = at
    if at < size:
        if href[at] != 35:
            return ""
        for at in range(at + 1, size):
            c = href[at]
            if not (97 <= c <= 122 or 65 <= c <= 90 or 45 <= c <= 46 or 48 <= c <= 58 or c == 95):
                return ""
    return folder[:end] + href[begin:behind]
