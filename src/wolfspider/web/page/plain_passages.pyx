# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False
"""The passages of a plain page, and its words, which are read from the bytes of the page right away.

A passage is noted as the places of its pieces in the page. It becomes a text only when somebody asks for it, as for the
anchor of a link: most are only read into words.
"""

from array import array

from cpython.array cimport array as Array
from cpython.array cimport clone

from wolfspider.core.text import cleaned, word_reader, words_found
from wolfspider.web.page.bounded_text import AT_ONCE, MOST_WORDS, PORTION

from wolfspider.core.tokens cimport WordReader
from wolfspider.web.page.plain_names cimport piece as octets_within

cdef enum:
    FEW = 512  # pieces, to begin with
    LETTERS = 128  # of ASCII, which every page has at hand

cdef Array _COLUMN = array("q")
cdef bytes _ASCII = bytes(range(LETTERS))


cdef Py_ssize_t[::1] _larger(Py_ssize_t[::1] column):
    cdef Py_ssize_t[::1] larger = clone(_COLUMN, 2 * column.shape[0], False)
    larger[: column.shape[0]] = column
    return larger


cdef class Passages:
    """What a `PageReading` takes for a list of texts."""

    def __init__(self, bytes data):
        self.data, self.size, self.undone = data, len(data), bytearray(_ASCII)
        self.firsts, self.lasts = clone(_COLUMN, FEW, False), clone(_COLUMN, FEW, False)
        self.ends, self.strange = clone(_COLUMN, FEW, False), bytearray(FEW)

    def __len__(self):
        return self.count

    def __getitem__(self, place):
        if isinstance(place, slice):
            return [self.joined(at, at + 1) for at in range(*place.indices(self.count))]
        return self.joined(place, place + 1)

    def __iter__(self):
        return (self.joined(at, at + 1) for at in range(self.count))

    def append(self, str text):
        """A passage that does not stand in the page as it is read."""
        self.add_octets(text.encode())
        self.end()

    cdef int add(self, Py_ssize_t first, Py_ssize_t last, bint strange) except -1:
        """The passage that is being read goes on with this piece of the page. `strange`: it may be not ASCII."""
        if self.pieces >= self.firsts.shape[0]:
            self.make_room()
        self.firsts[self.pieces], self.lasts[self.pieces], self.strange[self.pieces] = first, last, strange
        self.pieces += 1
        return 0

    cdef int make_room(self) except -1:
        """For as many pieces again."""
        cdef unsigned char[::1] larger = bytearray(2 * self.pieces)
        larger[: self.pieces] = self.strange
        self.firsts, self.lasts, self.strange = _larger(self.firsts), _larger(self.lasts), larger
        return 0

    cdef int add_octets(self, bytes text) except -1:
        cdef Py_ssize_t first = self.size + len(self.undone)
        self.undone += text
        return self.add(first, first + len(text), not text.isascii())

    cdef int add_letter(self, unsigned char letter) except -1:
        """The same with a letter of ASCII."""
        return self.add(self.size + letter, self.size + letter + 1, False)

    cdef int end(self) except -1:
        """A passage ends."""
        if self.count >= self.ends.shape[0]:
            self.make_room_for_ends()
        self.ends[self.count] = self.pieces
        self.count += 1
        return 0

    cdef int make_room_for_ends(self) except -1:
        self.ends = _larger(self.ends)
        return 0

    cdef bint is_space(self, Py_ssize_t piece) except -1:
        """Is there nothing but white space from this piece on?"""
        cdef Py_ssize_t at
        cdef unsigned char c
        cdef bytes octets = self.data
        for piece in range(piece, self.pieces):
            at = self.firsts[piece]
            if at >= self.size:
                if not self.octets_of(piece).decode("utf-8").isspace():
                    return False
                continue
            while at < self.lasts[piece]:
                c = octets[at]
                if c >= 128:
                    if not self.octets_of(piece).decode("utf-8").isspace():
                        return False
                    break
                if not (c == 32 or 9 <= c <= 13 or 28 <= c <= 31):
                    return False
                at += 1
        return True

    cdef bytes octets_of(self, Py_ssize_t piece):
        cdef Py_ssize_t first = self.firsts[piece], last = self.lasts[piece]
        if first < self.size:
            return octets_within(self.data, first, last)
        return bytes(self.undone[first - self.size : last - self.size])

    cdef str joined(self, Py_ssize_t first, Py_ssize_t last):
        """The texts of these passages, with a blank between each two."""
        cdef Py_ssize_t piece
        cdef list made = []
        if not 0 <= first <= last <= self.count:
            raise IndexError
        piece = self.ends[first - 1] if first else 0
        if last - first == 1 and self.ends[first] - piece == 1:
            if self.firsts[piece] < self.size:
                return self.data[self.firsts[piece] : self.lasts[piece]].decode("utf-8")
            return self.octets_of(piece).decode("utf-8")
        for first in range(first, last):
            while piece < self.ends[first]:
                made.append(self.octets_of(piece))
                piece += 1
            if first + 1 < last:
                made.append(b" ")
        return b"".join(made).decode("utf-8")

    def read(self):
        """All words, as `words_within` gives them; None if these passages are too long to be read at once."""
        cdef const unsigned char[::1] octets = self.data, undone = self.undone, clean
        cdef Py_ssize_t passage, piece, first = 0, begin, length, total = 0, read = 0
        cdef Array counted = clone(_COLUMN, self.count + 1, True)
        cdef Py_ssize_t[::1] before = counted
        cdef WordReader reader
        for piece in range(self.pieces):
            total += self.lasts[piece] - self.firsts[piece]
        if total > AT_ONCE:
            return None
        reader = word_reader(total + self.count)
        for passage in range(self.count):
            length, readable = 0, True
            for piece in range(first, self.ends[passage]):
                length += self.lasts[piece] - self.firsts[piece]
                if self.strange[piece] and readable:
                    begin = self.firsts[piece]
                    if begin < self.size:
                        readable = reader.is_readable(octets, begin, self.lasts[piece])
                    else:
                        readable = reader.is_readable(undone, begin - self.size, self.lasts[piece] - self.size)
            if length > PORTION:
                return None
            if not readable:
                reader.read_passages(octets, undone, self.firsts, self.lasts, self.ends, before, read, passage)
                clean = cleaned(self.joined(passage, passage + 1))
                reader.read_clean(clean)
                reader.end_word()
                read = passage + 1
                before[read] = reader.total
            first = self.ends[passage]
        reader.read_passages(octets, undone, self.firsts, self.lasts, self.ends, before, read, self.count)
        words, _, total, counts, near = reader.result()
        return words_found(words, counted, total, counts, near) if total <= MOST_WORDS else None
