"""What ends in a plain page."""

from wolfspider.web.page.plain_elements cimport PlainElements


cdef class PlainEnds(PlainElements):
    cdef int phase  # 0 before the head, 1 in it, 2 behind it, 3 in the body
    cdef bint quirks_unknown, quirks, form, in_head_noscript
    cdef int selecting  # the depth of the open <select>
    cdef bint ended_body  # and no tag came since

    cdef object make_room(self, int name, int action)
    cdef object make_table_room(self, int action)
    cdef object unsaid(self, int name)
    cdef object end_tag(self, int name)
    cdef object end_of_form(self, int name)
    cdef object end_of_formatting(self, int name)
    cdef object end_of_other(self, int name)
    cdef object end_of_table_part(self, int name, int action)
