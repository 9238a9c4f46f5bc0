"""What begins in a plain page."""

from wolfspider.web.page.plain_ends cimport PlainEnds


cdef class PlainStarts(PlainEnds):
    cdef bint noted_behind  # a comment came behind the body, so it does not stand between the texts around it

    cdef object begin_html(self)
    cdef object begin_body(self)
    cdef Py_ssize_t start_tag(self, int name, Py_ssize_t tag, Py_ssize_t at) except -1
    cdef object tell(self, int name, int action, int flags, Py_ssize_t tag)
    cdef int link(self) except -2
    cdef Py_ssize_t raw(self, int name, int action, Py_ssize_t at) except -1
    cdef Py_ssize_t drawing(self, Py_ssize_t at) except -1
