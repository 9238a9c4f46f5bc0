# cython: language_level=3, boundscheck=True, wraparound=False
"""The words of a text that is cleaned of all else, parted and counted by compiled code; text.py does it where this is
not.

Pages say the same words over and over, so words are remembered: a word that is known is neither made nor hashed again,
and all pages share it. The memory is a table of fixed size, in which a word takes the place of another one that has the
same slot. Words up to 16 octets are looked for there by two numbers, which are their octets.
"""

from array import array

from wolfspider.core.signature cimport Votes, hash_of

cdef enum:
    SLOTS = 1 << 14
    HALF = 8  # octets of a number
    # What is known of a word, side by side in memory:
    HEAD = 0
    TAIL = 1
    HASH = 2  # what it votes with for a signature
    TEXT = 3  # the last text that has it
    PLACE = 4  # where its count is, in that text
    ROW = 8

cdef list _words = [None] * SLOTS
cdef unsigned long long[:, ::1] _slots = memoryview(bytearray(8 * ROW * SLOTS)).cast("Q", (SLOTS, ROW))
cdef unsigned long long _text = 0  # how many texts were read


def parted(
    bytes clean, int between, int longest, const unsigned long long[::1] weights, unsigned long long odd, int run
):
    """The words in these octets, which are parted by blanks, and how many come before each octet `between`, which is a
    blank, too. Of a word `longest` characters are kept. Then how often each word is there, and the near signature, as
    signature.pyx has it, by weights that are always the same; neither if `run` is 0."""
    global _text
    cdef const unsigned char[::1] octets = clean
    cdef unsigned long long[:, ::1] slots = _slots
    cdef int[::1] often = array("i", bytes(4 * (len(clean) // 2 + 1)))
    cdef list known = _words, words = [], before = [], distinct = []
    cdef Py_ssize_t at = 0, size = octets.shape[0], first
    cdef unsigned long long head, tail, key
    cdef unsigned long long text
    cdef int slot, count = 0
    cdef unsigned char c
    cdef str word
    cdef Votes votes = Votes(odd, run)
    _text += 1
    text = _text
    while at < size:
        c = octets[at]
        if c <= 32:
            if c == between:
                before.append(len(words))
            at += 1
            continue
        first = at
        head = 0
        tail = 0
        while at < size:
            c = octets[at]
            if c <= 32:
                break
            tail = tail << 8 | head >> 56
            head = head << 8 | c
            at += 1
        if at - first > 2 * HALF:
            word = clean[first:at].decode("utf-8", "surrogatepass")[:longest]
            words.append(word)
            distinct.append(word)
            often[count] = 1
            count += 1
            if run:
                votes.add(hash_of(octets, first, first + len(word.encode("utf-8", "surrogatepass")), weights, odd))
            continue
        key = (head ^ tail << 1) * 0x9E3779B97F4A7C15ULL
        slot = <int>(key >> 50)
        if slots[slot, HEAD] != head or slots[slot, TAIL] != tail:
            known[slot] = clean[first:at].decode("utf-8", "surrogatepass")
            slots[slot, HEAD] = head
            slots[slot, TAIL] = tail
            slots[slot, TEXT] = 0
            slots[slot, HASH] = hash_of(octets, first, at, weights, odd)
        word = known[slot]
        words.append(word)
        if not run:
            continue
        votes.add(slots[slot, HASH])
        if slots[slot, TEXT] != text:
            slots[slot, TEXT] = text
            slots[slot, PLACE] = count
            distinct.append(word)
            often[count] = 1
            count += 1
        else:
            often[<Py_ssize_t>slots[slot, PLACE]] += 1
    return words, before, _bag(distinct, often) if run else None, votes.result() if run and len(words) >= run else None


cdef dict _bag(list distinct, int[::1] often):
    """How often each word is there. A word that had lost its slot is among them more than once."""
    cdef dict bag = {}
    cdef Py_ssize_t place
    for place in range(len(distinct)):
        bag[distinct[place]] = often[place]
    if len(bag) < len(distinct):
        bag = dict.fromkeys(distinct, 0)
        for place in range(len(distinct)):
            bag[distinct[place]] += often[place]
    return bag
