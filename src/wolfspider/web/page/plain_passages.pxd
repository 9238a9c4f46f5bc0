"""The passages of a plain page."""


cdef class Passages:
    cdef bytes data
    cdef bytearray undone  # the letters of ASCII, then texts that do not stand in the page as they are read
    cdef Py_ssize_t size  # of the page
    cdef Py_ssize_t[::1] firsts  # pieces of text: where they begin, and end; from `size` on in what was undone
    cdef Py_ssize_t[::1] lasts
    cdef unsigned char[::1] strange  # may they be not ASCII?
    cdef Py_ssize_t[::1] ends  # how many pieces there are up to the end of each passage
    cdef Py_ssize_t pieces, count  # of pieces, and of passages

    cdef int add(self, Py_ssize_t first, Py_ssize_t last, bint strange) except -1
    cdef int make_room(self) except -1
    cdef int make_room_for_ends(self) except -1
    cdef int add_letter(self, unsigned char letter) except -1
    cdef int add_octets(self, bytes text) except -1
    cdef int end(self) except -1
    cdef bint is_space(self, Py_ssize_t piece) except -1
    cdef bytes octets_of(self, Py_ssize_t piece)
    cdef str joined(self, Py_ssize_t first, Py_ssize_t last)
