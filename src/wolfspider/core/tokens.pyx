# cython: language_level=3, boundscheck=True, wraparound=False
"""The words of a text that is cleaned of all else, parted and counted by compiled code; text.py does it where this is
not.

Pages say the same words over and over, so words are remembered: a word that is known is neither made nor hashed again,
and all pages share it. The memory is a table of fixed size, in which a word takes the place of another one that has the
same slot. Words up to 16 octets are looked for there by two numbers, which are their octets.
"""

from array import array

cdef enum:
    SLOTS = 1 << 14
    HALF = 8  # octets of a number

cdef list _words = [None] * SLOTS
cdef unsigned long long[::1] _heads = array("Q", bytes(8 * SLOTS))
cdef unsigned long long[::1] _tails = array("Q", bytes(8 * SLOTS))
cdef long long[::1] _texts = array("q", bytes(8 * SLOTS))  # the last text that has the word
cdef int[::1] _places = array("i", bytes(4 * SLOTS))  # where its count is, in that text
cdef long long _text = 0  # how many texts were read


def parted(bytes clean, int between, int longest):
    """The words in these octets, which are parted by blanks; how many come before each octet `between`, which is a
    blank, too; and how often each word is there. Of a word `longest` characters are kept."""
    global _text
    cdef const unsigned char[::1] octets = clean
    cdef unsigned long long[::1] heads = _heads, tails = _tails
    cdef long long[::1] texts = _texts
    cdef int[::1] places = _places, often = array("i", bytes(4 * (len(clean) // 2 + 1)))
    cdef list known = _words, words = [], before = [], distinct = []
    cdef Py_ssize_t at = 0, size = octets.shape[0], first
    cdef unsigned long long head, tail, key
    cdef long long text
    cdef int slot, count = 0
    cdef unsigned char c
    cdef str word
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
            continue
        key = (head ^ tail << 1) * 0x9E3779B97F4A7C15ULL
        slot = <int>(key >> 50)
        if heads[slot] != head or tails[slot] != tail:
            known[slot] = clean[first:at].decode("utf-8", "surrogatepass")
            heads[slot] = head
            tails[slot] = tail
            texts[slot] = 0
        word = known[slot]
        words.append(word)
        if texts[slot] != text:
            texts[slot] = text
            places[slot] = count
            distinct.append(word)
            often[count] = 1
            count += 1
        else:
            often[places[slot]] += 1
    return words, before, _bag(distinct, often)


cdef dict _bag(list distinct, int[::1] often):
    """How often each word is there. A word that had lost its slot is among them more than once."""
    cdef dict bag = {}
    cdef Py_ssize_t place
    for place in range(len(distinct)):
        word = distinct[place]
        if word in bag:
            bag[word] += often[place]
        else:
            bag[word] = often[place]
    return bag
