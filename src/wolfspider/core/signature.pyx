# cython: language_level=3, boundscheck=True, wraparound=True
"""The near signature of a text, worked out by compiled code; text.py says what it is, and does it where this is not."""


def signature(const unsigned char[::1] octets, const unsigned long long[::1] weights, unsigned long long odd, int run):
    """Of the words in these octets, parted by blanks. `weights`: of octets by their place in a word; `odd`: mixes the
    bits; `run`: words that vote together, up to eight."""
    cdef Py_ssize_t at = 0, size = octets.shape[0], place, last = weights.shape[0] - 1
    cdef Py_ssize_t words = 0, shingles = 0
    cdef unsigned long long word, mixed
    cdef unsigned long long[8] before  # the hashes of the last words
    cdef long long[64] votes
    cdef int bit, back
    for bit in range(64):
        votes[bit] = 0
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
            for bit in range(64):
                votes[bit] += (mixed >> bit) & 1
    mixed = 0
    for bit in range(64):
        if 2 * votes[bit] > shingles:
            mixed |= (<unsigned long long>1) << bit
    return mixed
