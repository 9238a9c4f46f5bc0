"""What undoes references."""

cdef str text_undone(str text)
cdef str value_undone(str text)
