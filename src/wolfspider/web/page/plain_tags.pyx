# cython: language_level=3, boundscheck=True, wraparound=True, initializedcheck=False
"""The tags of a plain page: their names, their attributes, and where what they hold ends."""

import re
from array import array

cimport cython
from cpython.array cimport array as Array
from cpython.array cimport clone

from wolfspider.web.page import plain_names
from wolfspider.web.page.plain_names import NAMES, NUMBERS, NotPlain

from wolfspider.web.page.plain_names cimport LETTERS, SLOTS, UNKNOWN, first_slot, piece
from wolfspider.web.page.plain_references cimport value_undone

cdef enum:
    MOST_ATTRIBUTES = 60  # of a tag
    MOST_NAMES = 400  # of its own in a page

cdef unsigned long long STYLE = int.from_bytes(b"style", "big"), A_HIDDEN = int.from_bytes(b"hidden", "big")
cdef unsigned char[256] _IN_NAME  # what each octet is in a name, in lower case; 0 if it ends the name
for _octet in range(256):
    _IN_NAME[_octet] = 0 if _octet in b" \n\t\f/>" else bytes((_octet,)).lower()[0]
cdef Array _PLACES = array("q"), _KEYS = array("Q")
_LETTERS = re.compile(rb"<[A-Za-z]")


cdef class PlainTags:
    def __init__(self, bytes data):
        cdef Py_ssize_t[::1] places = clone(_PLACES, 4 * MOST_ATTRIBUTES, False)
        self.data = data
        self.octets = data
        self.size = len(data)
        self.own_names, self.own_numbers = [], {}
        self.number_keys, self.number_at = plain_names.KEYS, plain_names.NUMBER_AT
        self.keys = clone(_KEYS, MOST_ATTRIBUTES, False)
        self.name_from, self.name_to = places[:MOST_ATTRIBUTES], places[MOST_ATTRIBUTES : 2 * MOST_ATTRIBUTES]
        self.value_from, self.value_to = places[2 * MOST_ATTRIBUTES : 3 * MOST_ATTRIBUTES], places[3 * MOST_ATTRIBUTES :]

    cdef str name(self, int number):
        return NAMES[number] if number < UNKNOWN else self.own_names[number - UNKNOWN]

    @cython.wraparound(False)
    cdef Py_ssize_t read_name(self, Py_ssize_t at) except -1:
        """Read the name of a tag that begins here; where it ends."""
        cdef unsigned long long key = 0
        cdef unsigned char c
        cdef Py_ssize_t first = at
        cdef int slot
        while at < self.size:
            c = _IN_NAME[self.octets[at]]
            if not c:
                break
            key = key << 8 | c
            at += 1
        if at - first <= LETTERS:
            slot = first_slot(key)
            while self.number_keys[slot]:
                if self.number_keys[slot] == key:
                    self.number = self.number_at[slot]
                    return at
                slot = (slot + 1) & SLOTS - 1
        self.number = self.number_of(piece(self.data, first, at).lower())
        return at

    cdef int number_of(self, bytes name) except -1:
        number = NUMBERS.get(name) or self.own_numbers.get(name)
        if number is None:
            if len(self.own_names) >= MOST_NAMES:
                raise NotPlain
            number = self.own_numbers[name] = UNKNOWN + len(self.own_names)
            self.own_names.append(name.decode("utf-8"))
        return number

    @cython.wraparound(False)
    cdef bint is_blank(self, Py_ssize_t first, Py_ssize_t last) except -1:
        cdef Py_ssize_t at
        cdef unsigned char c
        for at in range(first, last):
            c = self.octets[at]
            if c != 32 and c != 10 and c != 9 and c != 12 and c != 13:
                return False
        return True

    @cython.wraparound(False)
    cdef Py_ssize_t read_attributes(self, Py_ssize_t at) except -1:
        """Read the attributes of a tag from here on; where it ends."""
        self.closed = False
        self.attributes = None
        if at < self.size and self.octets[at] == 62:
            self.count = 0
            return at + 1
        return self.read_some_attributes(at)

    @cython.wraparound(False)
    cdef Py_ssize_t read_some_attributes(self, Py_ssize_t at) except -1:
        cdef const unsigned char[::1] octets = self.octets
        cdef Py_ssize_t size = octets.shape[0], begin
        cdef unsigned char c, quoted
        cdef bint bracket = False
        cdef unsigned long long key
        cdef int n = 0
        while True:
            while at < size:
                c = octets[at]
                if c == 47:
                    self.closed = True
                elif c == 32 or c == 10 or c == 9 or c == 12:
                    self.closed = False
                else:
                    break
                at += 1
            if at >= size:
                raise NotPlain
            if octets[at] == 62:
                self.count = n
                if bracket:
                    self.doubtful = True
                return at + 1
            self.closed = False
            if n >= MOST_ATTRIBUTES:
                raise NotPlain
            begin = at
            key = 0
            while at < size:
                c = _IN_NAME[octets[at]]
                if not c or (c == 61 and at > begin):
                    break
                key = key << 8 | c
                at += 1
            self.keys[n] = key if at - begin <= LETTERS else 0
            self.name_from[n], self.name_to[n] = begin, at
            self.value_from[n] = self.value_to[n] = -1
            while at < size and (octets[at] == 32 or octets[at] == 10 or octets[at] == 9 or octets[at] == 12):
                at += 1
            if at < size and octets[at] == 61:
                at += 1
                while at < size and (octets[at] == 32 or octets[at] == 10 or octets[at] == 9 or octets[at] == 12):
                    at += 1
                if at >= size:
                    raise NotPlain
                c = octets[at]
                if c == 34 or c == 39:
                    begin = at + 1
                    at = begin
                    while at < size:
                        quoted = octets[at]
                        if quoted == c:
                            break
                        bracket |= quoted == 60
                        at += 1
                    if at >= size:
                        raise NotPlain
                    self.value_from[n], self.value_to[n] = begin, at
                    at += 1
                elif c != 62:
                    begin = at
                    while at < size:
                        c = octets[at]
                        if c == 32 or c == 10 or c == 9 or c == 12 or c == 62:
                            break
                        bracket |= c == 60
                        at += 1
                    self.value_from[n], self.value_to[n] = begin, at
            n += 1

    cdef str value(self, unsigned long long key):
        """The value of one attribute, "" if there is none."""
        cdef int k = self.place(key)
        return self.value_within(self.value_from[k], self.value_to[k]) if k >= 0 else ""

    @cython.wraparound(False)
    cdef int place(self, unsigned long long key) except -2:
        """Where the first attribute of this name stands in the tag that was read last; -1 if it has none."""
        cdef int k
        for k in range(self.count):
            if self.keys[k] == key:
                return k
        return -1

    cdef str value_within(self, Py_ssize_t first, Py_ssize_t last):
        """The value that stands here, "" if there is none."""
        cdef str value
        if first < 0:
            return ""
        value = self.data[first:last].decode("utf-8")
        return value_undone(value) if "&" in value else value

    cdef dict told(self):
        """The attributes of the tag that was read last. The first of each name counts."""
        cdef int k
        cdef dict told = self.attributes
        cdef str value
        if told is None:
            told = self.attributes = {}
            for k in range(self.count):
                name = self.data[self.name_from[k] : self.name_to[k]].decode("utf-8").lower()
                if not name.isascii():
                    raise NotPlain
                if name in told:
                    continue
                value = None
                if self.value_from[k] >= 0:
                    value = self.data[self.value_from[k] : self.value_to[k]].decode("utf-8")
                    if "&" in value:
                        value = value_undone(value)
                told[name] = value
        return told

    cdef bint hides(self) except -1:
        """Does the tag that was read last say that nobody sees its element?"""
        cdef int k
        for k in range(self.count):
            if self.keys[k] == A_HIDDEN:
                return True
            if self.keys[k] == STYLE:
                style = self.value(STYLE).lower()
                if "display:none" in style or "display: none" in style:
                    return True
        return False

    cdef Py_ssize_t behind_comment(self, Py_ssize_t at) except -1:
        """Where a comment ends whose text begins here."""
        cdef Py_ssize_t end
        if piece(self.data, at, at + 1) == b">":
            return at + 1
        if piece(self.data, at, at + 2) == b"->":
            return at + 2
        end = self.data.find(b"--", at)
        while end >= 0 and piece(self.data, end + 2, end + 3) != b">" and piece(self.data, end + 2, end + 4) != b"!>":
            end = self.data.find(b"--", end + 1)
        if end < 0:
            raise NotPlain
        self.doubt(at, end)
        return end + (3 if self.octets[end + 2] == 62 else 4)

    cdef object doubt(self, Py_ssize_t first, Py_ssize_t last):
        self.doubtful = self.doubtful or _LETTERS.search(self.data, first, last) is not None

    cdef Py_ssize_t behind(self, bytes name, Py_ssize_t at) except -1:
        """Where the end tag of an element begins that holds nothing but text."""
        cdef Py_ssize_t end = at, close
        while True:
            end = self.data.find(b"</", end)
            if end < 0:
                raise NotPlain
            close = end + 2 + len(name)
            if piece(self.data, end + 2, close).lower() == name and piece(self.data, close, close + 1) in (
                b">", b" ", b"\n", b"\t", b"/", b"\f"
            ):
                return end
            end += 2

    cdef Py_ssize_t over(self, Py_ssize_t at) except -1:
        """Where an end tag ends that begins here."""
        at += 2
        while 97 <= (self.octets[at] | 32) <= 122:
            at += 1
        return self.read_attributes(at)
