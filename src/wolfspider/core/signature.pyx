# cython: language_level=3, boundscheck=True, wraparound=True
"""The near signature of a text, worked out by compiled code; text.py says what it is, and does it where this is not."""

cdef enum:
    PLANES = 40  # digits of the largest number of votes


def signature(const unsigned char[::1] octets, const unsigned long long[::1] weights, unsigned long long odd, int run):
    """Of the words in these octets, parted by blanks. `weights`: of octets by their place in a word; `odd`: mixes the
    bits; `run`: words that vote together, up to eight."""
    cdef Py_ssize_t at = 0, size = octets.shape[0], place, last = weights.shape[0] - 1
    cdef Py_ssize_t words = 0, shingles = 0
    cdef unsigned long long word, mixed
    cdef unsigned long long[8] before  # the hashes of the last words
    cdef unsigned long long[PLANES] planes  # the votes of all bits, in binary: a digit of each bit in a number
    cdef unsigned long long carry, more, fewer, votes
    cdef int bit, back
    for bit in range(PLANES):
        planes[bit] = 0
    while at < size:
        word = 0
        place = 0
        while at < size and octets[at] != 32:
            word += octets[at] * weights[place if place < last else last]
            place += 1
            at += 1
        at += 1
        word *= odd
        word ^= word >> 31
        before[words & 7] = word
        words += 1
        if words >= run:
            mixed = 0
            for back in range(run):
                mixed = (mixed ^ before[(words - run + back) & 7]) * odd
                mixed ^= mixed >> 29
            shingles += 1
            for bit in range(PLANES):
                carry = planes[bit] & mixed
                planes[bit] ^= mixed
                mixed = carry
                if not mixed:
                    break
    more = 0
    fewer = 0
    for bit in range(PLANES - 1, -1, -1):  # bits with more votes than half of them, the highest digit first
        votes = 0 - (<unsigned long long>(shingles // 2) >> bit & 1)
        more |= planes[bit] & ~votes & ~fewer
        fewer |= ~planes[bit] & votes & ~more
    return more
