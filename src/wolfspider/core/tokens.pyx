# cython: language_level=3, boundscheck=True, wraparound=False
"""The words of a text, parted and counted by compiled code; text.py does it where this is
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


def read_words(
    bytes given, const unsigned char[::1] table, int between, int longest, const unsigned long long[::1] weights,
    unsigned long long odd, int run
):
    """The words in these octets, once each octet is replaced by that of the table; blanks part them. Then how many come
    before each octet `between`, which is a blank, too, and how many there are. Of a word `longest` characters are kept.
    If `run` is 0 the words are a list, and that is all. Else they are one text with a blank between each two, and there
    are how often each word is there, and the near signature, as signature.pyx has it, by weights that are always the
    same; none if there are fewer words than `run`."""
    global _text
    cdef const unsigned char[::1] octets = given
    cdef bytearray made = bytearray(len(given) + 1)
    cdef unsigned char[::1] clean = made  # what was read so far
    cdef unsigned long long[:, ::1] slots = _slots
    cdef int[::1] often = array("i", bytes(4 * (len(given) // 2 + 1) if run else 0))
    cdef list known = _words, words = [], before = [], distinct = []
    cdef Py_ssize_t at = 0, size = octets.shape[0], first, end = 0, total = 0
    cdef unsigned long long head, tail, key
    cdef unsigned long long text
    cdef int slot, count = 0
    cdef unsigned char c
    cdef str word
    cdef Votes votes = Votes(odd, run)
    _text += 1
    text = _text
    while at < size:
        c = table[octets[at]]
        if c <= 32:
            if c == between:
                before.append(total)
            at += 1
            continue
        first = end
        head = 0
        tail = 0
        while True:
            clean[end] = c
            end += 1
            tail = tail << 8 | head >> 56
            head = head << 8 | c
            at += 1
            if at >= size:
                break
            c = table[octets[at]]
            if c <= 32:
                break
        total += 1
        if end - first > 2 * HALF:
            word = made[first:end].decode("utf-8", "surrogatepass")[:longest]
            if not run:
                words.append(word)
                end = 0
                continue
            distinct.append(word)
            often[count] = 1
            count += 1
            end = first + len(word.encode("utf-8", "surrogatepass"))
            votes.add(hash_of(clean, first, end, weights, odd))
            clean[end] = 32
            end += 1
            continue
        key = (head ^ tail << 1) * 0x9E3779B97F4A7C15ULL
        slot = <int>(key >> 50)
        if slots[slot, HEAD] != head or slots[slot, TAIL] != tail:
            known[slot] = made[first:end].decode("utf-8", "surrogatepass")
            slots[slot, HEAD] = head
            slots[slot, TAIL] = tail
            slots[slot, TEXT] = 0
            slots[slot, HASH] = hash_of(clean, first, end, weights, odd)
        if not run:
            words.append(known[slot])
            end = 0
            continue
        clean[end] = 32
        end += 1
        votes.add(slots[slot, HASH])
        if slots[slot, TEXT] != text:
            slots[slot, TEXT] = text
            slots[slot, PLACE] = count
            distinct.append(known[slot])
            often[count] = 1
            count += 1
        else:
            often[<Py_ssize_t>slots[slot, PLACE]] += 1
    if not run:
        return words, before, total, None, None
    spoken = made[: end - 1].decode("utf-8", "surrogatepass") if end else ""
    return spoken, before, total, _bag(distinct, often), votes.result() if total >= run else None


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
