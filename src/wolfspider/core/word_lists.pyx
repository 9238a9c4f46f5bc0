# cython: language_level=3, boundscheck=True, wraparound=False
"""What is asked of all words of a page at once, by compiled code: which of them begin like words of a topic, their
numbers, and to add to their figures. policy/topic_words.py, learn/lexicon.py and learn/word_odds.py do it where this
is not."""

import numpy as np

cdef enum:
    LETTERS = 4  # of a beginning
    FLAGS = 1 << 12


cdef int _slot(str word) except -1:
    cdef unsigned int mixed = 0
    cdef Py_ssize_t at
    for at in range(min(LETTERS, len(word))):
        mixed = mixed * 31 + <unsigned int>word[at]
    return mixed % FLAGS


cdef class Beginnings:
    """The first four letters of some words, or all of a shorter one. Few words of a page begin like one of them, so most
    are told by a flag."""

    cdef dict heads
    cdef unsigned char[::1] flags

    def __init__(self, heads):
        cdef str head
        self.heads = dict.fromkeys(heads)
        self.flags = bytearray(FLAGS)
        for head in self.heads:
            self.flags[_slot(head)] = 1

    def near(self, words):
        """Those that begin so, each with its place, in their order."""
        cdef list found = []
        cdef str word
        cdef Py_ssize_t place = 0
        for word in words:
            if self.flags[_slot(word)] and word[:LETTERS] in self.heads:
                found.append((place, word))
            place += 1
        return found

    def near_in(self, str text):
        """The same for words with a blank between each two, of which no others are made."""
        cdef list found = []
        cdef Py_ssize_t place = 0, first = 0, at = 0, size = len(text)
        cdef unsigned int mixed
        cdef Py_UCS4 letter
        while first <= size:
            mixed, at = 0, first
            while at < size:
                letter = text[at]
                if letter == u" ":
                    break
                if at < first + LETTERS:
                    mixed = mixed * 31 + <unsigned int>letter
                at += 1
            if self.flags[mixed % FLAGS] and text[first:min(at, first + LETTERS)] in self.heads:
                found.append((place, text[first:at]))
            place, first = place + 1, at + 1
        return found


def first_of(counts, Py_ssize_t most):
    """The first words of some counts, and how often each is there."""
    cdef Py_ssize_t size = min(most, len(counts)), at = 0
    cdef list words = [None] * size
    cdef double[::1] numbers = np.empty(size)
    for word, count in counts.items():
        if at == size:
            break
        words[at], numbers[at] = word, count
        at += 1
    return words, numbers.base


def numbered(dict known, words):
    """The number of each word. One that has none yet gets the next."""
    cdef long long[::1] found = np.empty(len(words), np.int64)
    cdef Py_ssize_t at = 0
    for word in words:
        number = known.get(word)
        if number is None:
            number = known[word] = len(known)
        found[at] = number
        at += 1
    return found.base


def looked_up(dict known, words, missing):
    """What is known of each word; `missing` is asked about one of which nothing is, and remembers."""
    cdef long long[::1] found = np.empty(len(words), np.int64)
    cdef Py_ssize_t at = 0
    for word in words:
        number = known.get(word)
        found[at] = missing(word) if number is None else number
        at += 1
    return found.base


def looked_up_at(dict known, words, const long long[:, ::1] places, missing):
    """The same for the words at these places of a list; 0 for places where it has none."""
    cdef long long[:, ::1] found = np.zeros((places.shape[0], places.shape[1]), np.int64)
    cdef Py_ssize_t row, column, size = len(words)
    for row in range(places.shape[0]):
        for column in range(places.shape[1]):
            if 0 <= places[row, column] < size:
                word = words[places[row, column]]
                number = known.get(word)
                found[row, column] = missing(word) if number is None else number
    return found.base


ctypedef fused Figure:
    float
    double


def add_amounts(Figure[:, ::1] figures, const long long[:] rows, amounts):
    """Add an amount for each column to these rows of a table, each named once."""
    cdef double[::1] added = np.array(amounts, np.float64)
    cdef Py_ssize_t at, column
    for at in range(rows.shape[0]):
        for column in range(added.shape[0]):
            figures[rows[at], column] = <Figure>(<double>figures[rows[at], column] + added[column])
