"""The tags of a plain page."""


cdef class PlainTags:
    cdef bytes data
    cdef const unsigned char[::1] octets
    cdef Py_ssize_t size
    cdef bint doubtful  # is there a "<" before a letter that begins no tag?
    cdef list own_names
    cdef dict own_numbers
    cdef unsigned long long[::1] number_keys
    cdef int[::1] number_at
    # The tag that was read last
    cdef int number  # of its name
    cdef int count  # of its attributes
    cdef unsigned long long[::1] keys  # the names of attributes as numbers, if they are short
    cdef Py_ssize_t[::1] name_from
    cdef Py_ssize_t[::1] name_to
    cdef Py_ssize_t[::1] value_from
    cdef Py_ssize_t[::1] value_to
    cdef bint closed  # by "/>"
    cdef dict attributes

    cdef str name(self, int number)
    cdef Py_ssize_t read_name(self, Py_ssize_t at) except -1
    cdef int number_of(self, bytes name) except -1
    cdef bint is_blank(self, Py_ssize_t first, Py_ssize_t last) except -1
    cdef Py_ssize_t read_attributes(self, Py_ssize_t at) except -1
    cdef Py_ssize_t read_some_attributes(self, Py_ssize_t at) except -1
    cdef str value(self, unsigned long long key)
    cdef int place(self, unsigned long long key) except -2
    cdef str value_within(self, Py_ssize_t first, Py_ssize_t last)
    cdef dict told(self)
    cdef bint hides(self) except -1
    cdef Py_ssize_t behind_comment(self, Py_ssize_t at) except -1
    cdef object doubt(self, Py_ssize_t first, Py_ssize_t last)
    cdef Py_ssize_t behind(self, bytes name, Py_ssize_t at) except -1
    cdef Py_ssize_t over(self, Py_ssize_t at) except -1
