"""What undoes references."""

cdef bytes octets_named(bytes name)
cdef str text_undone(str text)
cdef str value_undone(str text)
