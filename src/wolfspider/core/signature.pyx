# cython: language_level=3, boundscheck=True, wraparound=True
"""The near signature of a text, worked out by compiled code; text.py says what it is, and does it where this is not."""


cdef inline unsigned long long carried(unsigned long long x, unsigned long long y, unsigned long long z) noexcept:
    """The higher digits of the sums of three digits each."""
    return x & y | (x ^ y) & z


cdef class Votes:
    """What the runs of words that were added so far say of each bit. `run`: words that vote together, up to eight."""

    def __cinit__(self, unsigned long long odd, int run):
        self.odd, self.run = odd, min(max(run, 1), 8)  # all else begins with 0

    cdef void count_held(self) noexcept:
        """Three numbers are added at a time, digit by digit, so that only the eights have to be carried on."""
        cdef unsigned long long ones = self.planes[0], twos = self.planes[1], fours = self.planes[2]
        cdef unsigned long long two, more_twos, four = 0, more_fours = 0
        cdef int at
        for at in range(0, HELD, 4):
            two = carried(ones, self.held[at], self.held[at + 1])
            ones ^= self.held[at] ^ self.held[at + 1]
            more_twos = carried(ones, self.held[at + 2], self.held[at + 3])
            ones ^= self.held[at + 2] ^ self.held[at + 3]
            four, more_fours = more_fours, carried(twos, two, more_twos)
            twos ^= two ^ more_twos
        self.planes[0], self.planes[1], self.planes[2] = ones, twos, fours ^ four ^ more_fours
        self.count(carried(fours, four, more_fours), 3)

    cdef void count(self, unsigned long long votes, int digit) noexcept:
        """Add votes that are worth as much as this digit."""
        cdef unsigned long long carry
        while votes and digit < PLANES:
            carry = self.planes[digit] & votes
            self.planes[digit] ^= votes
            votes = carry
            digit += 1

    cdef unsigned long long result(self) noexcept:
        """The bits with more votes than half of them, the highest digit first. Nothing is added after that."""
        cdef unsigned long long more = 0, fewer = 0, votes
        cdef int bit
        for bit in range(<int>(self.shingles & HELD - 1)):
            self.count(self.held[bit], 0)
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
