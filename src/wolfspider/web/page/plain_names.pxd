"""What the compiled parts of the reader of plain pages call things."""

# What a start tag does.
cdef enum:
    OTHER, BLOCK, HEADING, FORM, LI, DD, BUTTON, LINK, FORMATTING, NOBR, OBJECT, TABLE, VOID, RULE, RAW, SCRIPT, TITLE
    TEXTAREA, NOSCRIPT, SELECT, OPTION, OPTGROUP, CAPTION, COLGROUP, COL, TBODY, ROW, CELL, SVG, NOTE, HTML, HEAD, BODY
    FRAME, ODD, PARAGRAPH

# What else is to be known of an element.
cdef enum:
    WITHIN = 1  # runs within a line
    SPECIAL = 2  # an end tag of another, ordinary element does not reach beyond it
    ENDS_SILENTLY = 4  # its end may be left out
    SCOPE = 8  # nor does the end tag of a block
    MUTE = 16  # what is in it is not read

# Known names are numbers. Those of up to eight letters are found by the letters themselves, as one number.
cdef enum:
    SLOTS = 1024
    UNKNOWN = 1000  # names from here on are those of the page
    LETTERS = 8


cdef inline int first_slot(unsigned long long key) noexcept:
    """From where on the number of a name is looked for."""
    return <int>((key * 0x9E3779B97F4A7C15ULL) >> 54)


cdef inline bytes piece(bytes data, Py_ssize_t first, Py_ssize_t last):
    """What `data[first:last]` is, without objects for both ends. What lies beyond the data is left out."""
    last = min(last, len(data))
    return (<const char*>data)[first:last] if 0 <= first < last else b""
