"""The words of a text, octet by octet."""

cimport cython

from wolfspider.core.signature cimport Votes


@cython.final
cdef class WordReader:
    cdef unsigned char[256] letters  # what each octet is read as: up to 32 it parts words, but for STRANGE
    cdef const unsigned char[::1] octets  # what is being read
    cdef object spell  # what a character that is not ASCII adds to words; None if it is read as it is
    cdef const unsigned long long[::1] weights
    cdef unsigned long long odd, text
    cdef int longest, run
    cdef Votes votes
    cdef list words, distinct
    cdef readonly list before  # how many words come before each place that was noted
    cdef readonly Py_ssize_t total  # words
    cdef int count  # of words that are distinct
    cdef dict places  # of words among those, whose place stands in no slot
    cdef bint shared  # has somebody else used the slots meanwhile?
    cdef int[::1] often
    cdef bytearray made
    cdef unsigned char[::1] clean  # what was read so far
    cdef Py_ssize_t first, end  # the word that is being read, in there
    cdef unsigned long long head  # its last octets

    cdef int reserve(self, Py_ssize_t octets) except -1
    cdef int read_passages(
        self, const unsigned char[::1] octets, const unsigned char[::1] more, Py_ssize_t[::1] firsts,
        Py_ssize_t[::1] lasts, Py_ssize_t[::1] ends, Py_ssize_t[::1] before, Py_ssize_t first, Py_ssize_t last
    ) except -1
    cdef int read(self, Py_ssize_t at, Py_ssize_t last, int between) except -1
    cdef Py_ssize_t read_strange(self, Py_ssize_t at, Py_ssize_t last) except -1
    cdef int way_of(self, int code) except -1
    cdef int read_clean(self, const unsigned char[::1] octets) except -1
    cdef bint is_readable(self, const unsigned char[::1] octets, Py_ssize_t at, Py_ssize_t last) except -1
    cdef int add(self, unsigned char c) except -1
    cdef int end_word(self) except -1
    cdef int take_up(self) except -1
    cdef int note(self, str word, bint new, bint long) except -1
    cdef int count_more(self) except -1
    cdef tuple result(self)
