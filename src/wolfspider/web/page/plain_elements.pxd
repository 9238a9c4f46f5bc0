"""The open elements of a plain page."""

from wolfspider.web.page.plain_passages cimport Passages
from wolfspider.web.page.plain_tags cimport PlainTags


cdef class PlainElements(PlainTags):
    cdef object reading
    cdef Passages passages
    cdef list ended
    cdef list hrefs, rels, link_paths, link_firsts, link_lasts  # columns of links
    cdef dict alternatives
    cdef Py_ssize_t node  # the first piece of the text that is being read, as one node of the tree; -1 if there is none
    cdef bint in_passage  # has the passage that is being read any text yet?
    cdef int[::1] action_of  # names
    cdef int[::1] flags_of
    # The open elements
    cdef int depth
    cdef int[::1] actions
    cdef int[::1] flags
    cdef int[::1] names
    cdef Py_ssize_t[::1] class_from  # where their classes stand, and their identities; -1 if they have none
    cdef Py_ssize_t[::1] class_to
    cdef Py_ssize_t[::1] id_from
    cdef Py_ssize_t[::1] id_to
    cdef Py_ssize_t[::1] firsts
    cdef Py_ssize_t[::1] befores
    cdef int[::1] links_of  # the links that they are
    cdef list paths
    cdef int muted  # the depth of the element that is not read; 0 if all are
    cdef int links_open
    cdef int link_open  # the link that is being read, which the reading is told where it minds; -1 if there is none

    cdef str label(
        self, int name, Py_ssize_t class_from, Py_ssize_t class_to, Py_ssize_t id_from, Py_ssize_t id_to
    )
    cdef str classed(self, int name, Py_ssize_t class_from, Py_ssize_t class_to)
    cdef str last_label(self, int name)
    cdef object run(self, Py_ssize_t first, Py_ssize_t last, bint referring, bint strange)
    cdef bint undo(self, Py_ssize_t first, Py_ssize_t last, bint strange) except -1
    cdef int end_node(self) except -1
    cdef int flush(self) except -1
    cdef int top(self) except -1
    cdef int action_at(self, int at) except -1
    cdef int flags_at(self, int at) except -1
    cdef int name_at(self, int at) except -1
    cdef int found(self, int name, bint lists=*, bint buttons=*) except -2
    cdef bint in_structure(self) except -1
    cdef str tag_path(self)
    cdef object push(self, int name, Py_ssize_t tag, int link=*)
    cdef object pop(self)
    cdef object pop_until(self, int at)
    cdef object pop_cell(self, int at)
    cdef object end_silent(self, int but)
    cdef object close_paragraph(self)
