# cython: language_level=3, boundscheck=True, wraparound=True
"""The near signature of a text, worked out by compiled code; text.py says what it is, and does it where this is not."""


cdef class Votes:
    """What the runs of words that were added so far say of each bit. `run`: words that vote together, up to eight."""

    def __cinit__(self, unsigned long long odd, int run):
        self.odd, self.run = odd, min(max(run, 1), 8)  # all else begins with 0

    cdef void add(self, unsigned long long word) noexcept:
        """The next word, by its hash."""
        cdef unsigned long long mixed = 0, carry
        cdef int back, bit
        self.before[self.words & 7] = word
        self.words += 1
        if self.words < self.run:
            return
        for back in range(self.run):
            mixed = (mixed ^ self.before[(self.words - self.run + back) & 7]) * self.odd
            mixed ^= mixed >> 29
        self.shingles += 1
        for bit in range(PLANES):
            carry = self.planes[bit] & mixed
            self.planes[bit] ^= mixed
            mixed = carry
            if not mixed:
                break

    cdef unsigned long long result(self) noexcept:
        """The bits with more votes than half of them, the highest digit first."""
        cdef unsigned long long more = 0, fewer = 0, votes
        cdef int bit
        for bit in range(PLANES - 1, -1, -1):
            votes = 0 - (<unsigned long long>(self.shingles // 2) >> bit & 1)
            more |= self.planes[bit] & ~votes & ~fewer
            fewer |= ~self.planes[bit] & votes & ~more
        return more


def signature(const unsigned char[::1] octets, const unsigned long long[::1] weights, unsigned long long odd, int run):
    """Of the words in these octets, parted by blanks. `weights`: of octets by their place in a word; `odd`: mixes the
    bits; `run`: words that vote together."""
    cdef Py_ssize_t at = 0, size = octets.shape[0], first
    cdef Votes votes = Votes(odd, run)
    while at < size:
        first = at
        while at < size and octets[at] != 32:
            at += 1
        votes.add(hash_of(octets, first, at, weights, odd))
        at += 1
    return votes.result()
