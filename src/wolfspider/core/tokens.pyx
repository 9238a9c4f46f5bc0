# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False
"""The words of a text, parted and counted by compiled code; text.py does it where this is not.

Pages say the same words over and over, so words are remembered: a word that is known is neither made nor hashed again,
and all pages share it. The memory is a table of fixed size, in which a word takes the place of another one that has the
same slot. Words up to 16 octets are looked for there by two numbers, which are their octets.
"""

from array import array

from cpython.array cimport array as Array
from cpython.array cimport clone

from wolfspider.core.signature cimport Votes, hash_of

cdef enum:
    SLOTS = 1 << 14
    HALF = 8  # octets of a number
    # What is known of a word, side by side in memory:
    HEAD = 0
    TAIL = 1
    HASH = 2  # what it votes with for a signature
    SEEN = 3  # the last text that has it, and in the lower half where its count is, in that text
    ROW = 4
    FEW = 1024  # distinct words in a text, to begin with
    # How a character is read that is not ASCII:
    UNKNOWN = 0
    AS_IT_IS = 1
    AS_BLANK = 2
    AS_SPELLED = 3
    NOT_BY_ITSELF = 4  # but with its neighbours
    PLANE = 1 << 16  # characters of which that is remembered
    STRANGE = 1  # how an octet is read that is a part of such a character

cdef unsigned long long PLACE = 0xFFFFFFFF  # of what is SEEN
cdef Array _COUNTS = array("i")
cdef list _words = [None] * SLOTS
cdef unsigned long long[::1] _slots = memoryview(bytearray(8 * ROW * SLOTS)).cast("Q")
cdef unsigned long long _text = 0  # how many texts were read
cdef unsigned long long _last = 0  # the text whose word was looked up last
cdef unsigned char[::1] _ways = bytearray(PLANE)


cdef inline int octets_of(unsigned char first) noexcept:
    """How many a character has in UTF-8, that is not ASCII."""
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4


cdef int character_at(const unsigned char[::1] octets, Py_ssize_t at, Py_ssize_t behind) except -1:
    """The number of a character that is not ASCII, and stands here in UTF-8."""
    cdef int code = octets[at] & (0xFF >> behind - at + 1)
    for at in range(at + 1, behind):
        code = code << 6 | octets[at] & 0x3F
    return code


cdef class WordReader:
    """Reads texts in UTF-8 piece by piece; a word may go on from one piece to the next. `table`: what each octet of
    ASCII is read as, a blank if it parts words; `longest`: characters of a word that are kept; `spell`: as
    `text._spelled`, always the same function, or None if all that is not ASCII is read as it is; `weights`, `odd`: as
    in signature.pyx, always the same; `octets`: about how many there are.

    If `run` is 0 the words become a list, and that is all. Else they become one text with a blank between each two, and
    there are how often each word is there, and the near signature; none if there are fewer words than `run`."""

    def __init__(
        self, const unsigned char[::1] table, int longest, const unsigned long long[::1] weights,
        unsigned long long odd, int run, spell, Py_ssize_t octets
    ):
        global _text, _last
        cdef int c
        for c in range(256):
            self.letters[c] = table[c] if c < 128 else STRANGE
        self.longest, self.weights, self.odd, self.run, self.spell = longest, weights, odd, run, spell
        self.votes = Votes(odd, run)
        self.words, self.distinct, self.before, self.places = [], [], [], {}
        self.often = clone(_COUNTS, FEW, False)
        self.made = bytearray(octets + 2)
        self.clean = self.made
        _text += 1
        if _text >> 32:  # numbers of texts begin anew
            _text, _last = 1, 0
            for c in range(SLOTS):
                _slots[ROW * c + SEEN] = 0
        self.text = _text

    cdef int reserve(self, Py_ssize_t octets) except -1:
        """Make room for so many more, and for a blank behind them."""
        cdef bytearray larger
        if self.end + octets + 2 > self.clean.shape[0]:
            larger = bytearray(2 * (self.end + octets + 2))
            larger[: self.end] = self.made[: self.end]
            self.made = larger
            self.clean = larger
        return 0

    cdef int read_passages(
        self, const unsigned char[::1] octets, const unsigned char[::1] more, Py_ssize_t[::1] firsts,
        Py_ssize_t[::1] lasts, Py_ssize_t[::1] ends, Py_ssize_t[::1] before, Py_ssize_t first, Py_ssize_t last
    ) except -1:
        """Read these passages of pieces, as plain_passages.pyx has them. A piece stands in `octets`, or further on, in
        `more`. How many words come before each passage that follows is noted."""
        cdef Py_ssize_t passage, size = octets.shape[0], piece = ends[first - 1] if first else 0
        self.octets = octets
        for passage in range(first, last):
            while piece < ends[passage]:
                if firsts[piece] < size:
                    self.read(firsts[piece], lasts[piece], -1)
                else:
                    self.octets = more
                    self.read(firsts[piece] - size, lasts[piece] - size, -1)
                    self.octets = octets
                piece += 1
            self.end_word()
            before[passage + 1] = self.total
        return 0

    cdef int read(self, Py_ssize_t at, Py_ssize_t last, int between) except -1:
        """Go on with `octets` from here to there. How many words come before each octet `between`, which is a blank, is
        noted."""
        cdef unsigned char c
        cdef unsigned long long head = self.head
        cdef size_t end
        self.reserve(last - at)
        end = self.end
        while at < last:
            c = self.letters[self.octets[at]]
            if c > 32:
                self.clean[end] = c
                end += 1
                head = head << 8 | c
                at += 1
                continue
            if c == STRANGE:
                self.head, self.end = head, end
                at = self.read_strange(at, last)
                head, end = self.head, self.end
                continue
            at += 1
            if end > self.first:
                self.head, self.end = head, end
                self.end_word()
                head, end = 0, self.end
            if c == between:
                self.before.append(self.total)
        self.head, self.end = head, end
        return 0

    cdef Py_ssize_t read_strange(self, Py_ssize_t at, Py_ssize_t last) except -1:
        """Read a character that is not ASCII; where the next one begins."""
        cdef unsigned char octet
        cdef Py_ssize_t behind = at + octets_of(self.octets[at]), place
        cdef int code = 0, way = AS_IT_IS
        cdef bytes spelled
        if behind > last:
            raise ValueError("not UTF-8")
        if self.spell is not None:
            code = character_at(self.octets, at, behind)
            way = self.way_of(code)
        if way == AS_SPELLED:
            spelled = self.spell(chr(code)).encode()
            self.reserve(len(spelled) + last - behind)
            for octet in spelled:
                if octet > 32:
                    self.add(octet)
                else:
                    self.end_word()
        elif way == AS_BLANK:
            self.end_word()
        else:
            for place in range(at, behind):
                self.add(self.octets[place])
        return behind

    cdef int way_of(self, int code) except -1:
        """How a character is read."""
        cdef int way = _ways[code] if code < PLANE else UNKNOWN
        if way == UNKNOWN:
            character = chr(code)
            spelled = self.spell(character)
            if spelled is None:
                way = NOT_BY_ITSELF
            else:
                way = AS_IT_IS if spelled == character else AS_BLANK if spelled == " " else AS_SPELLED
            if code < PLANE:
                _ways[code] = way
        return way

    cdef int read_clean(self, const unsigned char[::1] octets) except -1:
        """Go on with octets that have nothing left in them to be spelled."""
        spell, self.spell = self.spell, None
        self.octets = octets
        self.read(0, octets.shape[0], -1)
        self.spell = spell
        return 0

    cdef bint is_readable(self, const unsigned char[::1] octets, Py_ssize_t at, Py_ssize_t last) except -1:
        """Can each character be read by itself?"""
        cdef Py_ssize_t behind
        while at < last:
            if octets[at] < 128:
                at += 1
                continue
            behind = at + octets_of(octets[at])
            if behind > last or self.way_of(character_at(octets, at, behind)) == NOT_BY_ITSELF:
                return False
            at = behind
        return True

    cdef int add(self, unsigned char c) except -1:
        self.clean[self.end] = c
        self.end += 1
        self.head = self.head << 8 | c
        return 0

    cdef int end_word(self) except -1:
        """What was read since the last one is a word, if there is anything."""
        cdef Py_ssize_t first = self.first, end = self.end, at
        cdef unsigned long long head = self.head, tail = 0, seen
        cdef unsigned int slot, row
        cdef bint known
        cdef str word
        if end == first:
            return 0
        self.head = 0
        self.total += 1
        if end - first > 2 * HALF:
            word = self.made[first:end].decode("utf-8", "surrogatepass")[: self.longest]
            if not self.run:
                self.words.append(word)
                self.end = 0
                return 0
            self.note(word, False, True)
            end = first + len(word.encode("utf-8", "surrogatepass"))
            self.votes.add(hash_of(self.clean, first, end, self.weights, self.odd))
        else:
            if _last != self.text:
                self.take_up()
            for at in range(first, end - HALF):
                tail = tail << 8 | self.clean[at]
            known = True
            slot = <unsigned int>((head ^ tail << 1) * 0x9E3779B97F4A7C15ULL >> 50)
            row = ROW * slot
            if _slots[row + HEAD] != head or _slots[row + TAIL] != tail:
                if self.run and _slots[row + SEEN] >> 32 == self.text:
                    self.places[_words[slot]] = _slots[row + SEEN] & PLACE  # it may come again
                known = False
                _words[slot] = self.made[first:end].decode("utf-8", "surrogatepass")
                _slots[row + HEAD] = head
                _slots[row + TAIL] = tail
                _slots[row + SEEN] = 0
                _slots[row + HASH] = hash_of(self.clean, first, end, self.weights, self.odd)
            if not self.run:
                self.words.append(_words[slot])
                self.end = 0
                return 0
            self.votes.add(_slots[row + HASH])
            seen = _slots[row + SEEN]
            if known and seen >> 32 == self.text:
                self.often[<Py_ssize_t>(seen & PLACE)] += 1
            else:
                _slots[row + SEEN] = self.text << 32 | self.note(_words[slot], known and not self.shared, False)
        self.clean[end] = 32
        self.first = self.end = end + 1
        return 0

    cdef int take_up(self) except -1:
        """Other texts may have been read since the last word of this one, by another thread while this one looked how a
        character is spelled. They may have taken the slots of its words, which are known by name from now on."""
        global _last
        cdef Py_ssize_t place
        _last = self.text
        if self.count:
            self.shared = True
            for place in range(self.count):
                self.places[self.distinct[place]] = place
        return 0

    cdef int note(self, str word, bint new, bint long) except -1:
        """Count a word that has no slot in which its place stands; the place. `new`: it is not in the text so far."""
        if not new and (self.places or long):
            known = self.places.get(word)
            if known is not None:
                self.often[<Py_ssize_t>known] += 1
                return known
            if long:
                self.places[word] = self.count
        if self.count >= self.often.shape[0]:
            self.count_more()
        self.distinct.append(word)
        self.often[self.count] = 1
        self.count += 1
        return self.count - 1

    cdef int count_more(self) except -1:
        """Make room for the counts of as many words again."""
        cdef int[::1] more = clone(_COUNTS, 2 * self.count, False)
        more[: self.count] = self.often
        self.often = more
        return 0

    cdef tuple result(self):
        """The words, what was noted of their places, and how many there are; then how often each is there, and the near
        signature."""
        cdef dict bag = {}
        cdef Py_ssize_t place
        self.end_word()
        if not self.run:
            return self.words, self.before, self.total, None, None
        for place in range(self.count):
            bag[self.distinct[place]] = self.often[place]
        spoken = self.made[: self.end - 1].decode("utf-8", "surrogatepass") if self.end else ""
        near = self.votes.result() if self.total >= self.run else None
        return spoken, self.before, self.total, bag, near


def read_words(
    bytes given, const unsigned char[::1] table, int between, int longest, const unsigned long long[::1] weights,
    unsigned long long odd, int run
):
    """The words in these octets, as a `WordReader` gives them, and how many come before each octet `between`."""
    cdef WordReader reader = WordReader(table, longest, weights, odd, run, None, len(given))
    reader.octets = given
    reader.read(0, len(given), between)
    return reader.result()
