"""The near signature of a text, word by word."""

cimport cython

cdef enum:
    PLANES = 40  # digits of the largest number of votes
    HELD = 8  # runs of words that are counted at once


@cython.final
cdef class Votes:
    cdef unsigned long long odd
    cdef int run
    cdef Py_ssize_t words, shingles
    cdef unsigned long long[8] before  # the hashes of the last words
    cdef unsigned long long[HELD] held  # what was not counted yet
    cdef unsigned long long[PLANES] planes  # the votes of all bits, in binary: a digit of each bit in a number

    cdef inline void add(self, unsigned long long word) noexcept:
        """The next word, by its hash."""
        cdef unsigned long long mixed = 0
        cdef Py_ssize_t place
        self.before[self.words & 7] = word
        self.words += 1
        if self.words >= self.run:
            for place in range(self.words - self.run, self.words):
                mixed = (mixed ^ self.before[place & 7]) * self.odd
                mixed ^= mixed >> 29
            self.held[self.shingles & HELD - 1] = mixed
            self.shingles += 1
            if self.shingles & HELD - 1 == 0:
                self.count_held()

    cdef void count_held(self) noexcept
    cdef void count(self, unsigned long long votes, int digit) noexcept
    cdef unsigned long long result(self) noexcept


cdef inline unsigned long long hash_of(
    const unsigned char[::1] octets, Py_ssize_t first, Py_ssize_t end, const unsigned long long[::1] weights,
    unsigned long long odd
) except? 0:
    """Of a word that stands here: the sum of its octets, each weighed by its place, mixed."""
    cdef unsigned long long word = 0
    cdef Py_ssize_t at, last = weights.shape[0] - 1
    for at in range(first, end):
        word += octets[at] * weights[min(at - first, last)]
    word *= odd
    return word ^ word >> 31
