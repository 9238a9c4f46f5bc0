# cython: language_level=3, boundscheck=True, wraparound=True, initializedcheck=False
"""The open elements of a plain page, and the texts between them, as a `PageReading` is told of them."""

from array import array

cimport cython
from cpython.array cimport array as Array
from cpython.array cimport clone

from wolfspider.web.page import plain_names
from wolfspider.web.page.page_reading import TAG_PATH, PageReading, label_of, with_identity
from wolfspider.web.page.plain_names import NUMBERS, NotPlain

from wolfspider.web.page.plain_names cimport (
    BUTTON, COLGROUP, ENDS_SILENTLY, FORM, FORMATTING, LINK, NOBR, OTHER, ROW, SCOPE, SELECT, TABLE, TBODY, UNKNOWN,
    WITHIN, piece
)
from wolfspider.web.page.plain_passages cimport Passages
from wolfspider.web.page.plain_references cimport octets_named, text_undone
from wolfspider.web.page.plain_tags cimport PlainTags

cdef enum:
    NONE = -1  # no link, as in page_reading.py
    MOST_OPEN = 400  # elements in each other
    MOST_LABELS = 4096  # remembered, of classes of no more than so many octets
    LONGEST_CLASSES = 200
    LONGEST_NAME = 40  # octets of a reference that is usual
    NEAR = 50  # elements around a date among which an article counts

cdef int ARTICLE = NUMBERS[b"article"], OL = NUMBERS[b"ol"], P = NUMBERS[b"p"], UL = NUMBERS[b"ul"]
cdef list _labels = [{} for _ in range(UNKNOWN)]  # by number of the name, then by classes as they stand in the markup
cdef int _labels_known = 0
cdef unsigned long long CLASS = int.from_bytes(b"class", "big"), ID = int.from_bytes(b"id", "big")
cdef unsigned long long LT = int.from_bytes(b"lt", "big"), GT = int.from_bytes(b"gt", "big")
cdef unsigned long long AMP = int.from_bytes(b"amp", "big"), QUOT = int.from_bytes(b"quot", "big")
cdef Array _SMALL = array("i"), _LARGE = array("q")


cdef class PlainElements(PlainTags):
    def __init__(self, bytes data):
        cdef int[::1] small = clone(_SMALL, 4 * MOST_OPEN, False)
        cdef Py_ssize_t[::1] large = clone(_LARGE, 6 * MOST_OPEN, False)
        super().__init__(data)
        self.reading = reading = PageReading(self.path, self.in_article)
        reading.passages = self.passages = Passages(data)
        self.node = self.link_open = NONE
        self.ended = reading.ended
        self.hrefs, self.rels, self.link_paths = reading.hrefs, reading.rels, reading.paths
        self.link_firsts, self.link_lasts, self.alternatives = reading.firsts, reading.lasts, reading.alternatives
        self.paths = []
        self.action_of, self.flags_of = plain_names.ACTIONS, plain_names.FLAGS
        self.actions, self.flags = small[:MOST_OPEN], small[MOST_OPEN : 2 * MOST_OPEN]
        self.names, self.links_of = small[2 * MOST_OPEN : 3 * MOST_OPEN], small[3 * MOST_OPEN :]
        self.firsts, self.befores = large[:MOST_OPEN], large[MOST_OPEN : 2 * MOST_OPEN]
        self.class_from, self.class_to = large[2 * MOST_OPEN : 3 * MOST_OPEN], large[3 * MOST_OPEN : 4 * MOST_OPEN]
        self.id_from, self.id_to = large[4 * MOST_OPEN : 5 * MOST_OPEN], large[5 * MOST_OPEN :]

    # What the reading asks

    def path(self):
        return self.tag_path()

    cdef str tag_path(self):
        cdef list paths = self.paths
        cdef str path = paths[-1] if paths else "", name
        cdef int at
        for at in range(len(paths), self.depth):
            name = self.label(self.names[at], self.class_from[at], self.class_to[at], self.id_from[at], self.id_to[at])
            path = f"{path}/{name}"[:TAG_PATH] if path else name[:TAG_PATH]
            paths.append(path)
        return path

    def in_article(self):
        cdef int at
        for at in range(max(0, self.depth - NEAR), self.depth):
            if self.names[at] == ARTICLE:
                return True
        return False

    cdef str label(
        self, int name, Py_ssize_t class_from, Py_ssize_t class_to, Py_ssize_t id_from, Py_ssize_t id_to
    ):
        """An element in a tag path, by where its classes and its identity stand. Pages of a site have the same classes,
        so labels are remembered from page to page."""
        cdef str label
        if name >= UNKNOWN or (class_from >= 0 and class_to - class_from > LONGEST_CLASSES):
            return label_of(
                self.name(name), self.value_within(class_from, class_to), self.value_within(id_from, id_to)
            )
        label = self.name(name) if class_from < 0 else self.classed(name, class_from, class_to)
        return with_identity(label, self.value_within(id_from, id_to)) if id_from >= 0 else label

    cdef str classed(self, int name, Py_ssize_t class_from, Py_ssize_t class_to):
        global _labels_known
        cdef dict known = _labels[name]
        cdef bytes classes = piece(self.data, class_from, class_to)
        cdef str label = known.get(classes)
        if label is None:
            label = label_of(self.name(name), self.value_within(class_from, class_to), "")
            if _labels_known >= MOST_LABELS:
                for known in _labels:
                    known.clear()
                _labels_known = 0
            _labels[name][classes] = label
            _labels_known += 1
        return label

    cdef str last_label(self, int name):
        """The label of an element whose tag was read last."""
        cdef int of_class = self.place(CLASS), of_id = self.place(ID)
        return self.label(
            name,
            self.value_from[of_class] if of_class >= 0 else -1,
            self.value_to[of_class] if of_class >= 0 else -1,
            self.value_from[of_id] if of_id >= 0 else -1,
            self.value_to[of_id] if of_id >= 0 else -1,
        )

    # Texts

    cdef object run(self, Py_ssize_t first, Py_ssize_t last, bint referring, bint strange):
        """A piece of text of the node that is being read."""
        cdef Py_ssize_t before = self.passages.pieces
        if self.node < 0:
            self.node = before
        if not referring:
            self.passages.add(first, last, strange)
        elif not self.undo(first, last, strange):
            self.passages.pieces = before
            self.passages.add_octets(text_undone(self.data[first:last].decode("utf-8")).encode())

    @cython.wraparound(False)
    cdef bint undo(self, Py_ssize_t first, Py_ssize_t last, bint strange) except -1:
        """Add a text whose references are undone. False if one is not usual."""
        cdef Py_ssize_t at = first, end
        cdef unsigned long long key
        cdef bytes text
        while at < last:
            if self.octets[at] != 38:
                at += 1
                continue
            key = 0
            end = at + 1
            while end < last and self.octets[end] != 59:
                key = key << 8 | self.octets[end]
                end += 1
            if end == last or end - at > LONGEST_NAME:
                return False
            if at > first:
                self.passages.add(first, at, strange)
            if key == LT and end - at == 3:
                self.passages.add_letter(60)
            elif key == GT and end - at == 3:
                self.passages.add_letter(62)
            elif key == AMP and end - at == 4:
                self.passages.add_letter(38)
            elif key == QUOT and end - at == 5:
                self.passages.add_letter(34)
            else:
                text = octets_named(piece(self.data, at + 1, end))
                if text is None:
                    return False
                self.passages.add_octets(text)
            first = at = end + 1
        if last > first:
            self.passages.add(first, last, strange)
        return True

    cdef int end_node(self) except -1:
        cdef Py_ssize_t node = self.node
        if node >= 0:
            self.node = -1
            if self.passages.pieces > node:
                if not self.in_passage and self.passages.is_space(node):
                    self.passages.pieces = node
                else:
                    self.in_passage = True
        return 0

    cdef int flush(self) except -1:
        if self.in_passage:
            self.passages.end()
            self.in_passage = False
        return 0

    # What is open

    cdef int top(self) except -1:
        """What the innermost open element is."""
        return self.actions[self.depth - 1]

    cdef int action_at(self, int at) except -1:
        return self.actions[at]

    cdef int flags_at(self, int at) except -1:
        return self.flags[at]

    cdef int name_at(self, int at) except -1:
        return self.names[at]

    cdef int found(self, int name, bint lists=False, bint buttons=False) except -2:
        """Where an element of this name is open, as far as an end tag reaches; -1 if nowhere."""
        cdef int at = self.depth - 1
        cdef int action
        while at >= 0:
            if self.names[at] == name:
                return at
            action = self.actions[at]
            if self.flags[at] & SCOPE or (buttons and action == BUTTON):
                return -1
            if lists and (self.names[at] == OL or self.names[at] == UL):
                return -1
            at -= 1
        return -1

    cdef bint in_structure(self) except -1:
        """Is it between the cells of a table?"""
        cdef int action
        if not self.depth:
            return False
        action = self.actions[self.depth - 1]
        return action == TABLE or action == TBODY or action == ROW or action == COLGROUP

    # What begins and ends

    @cython.wraparound(False)
    cdef object push(self, int name, Py_ssize_t tag, int link=NONE):
        """An element begins whose tag was read last; none has, if `tag` is -1. The reading was told of it, unless it is
        muted."""
        cdef int depth = self.depth, place
        if depth >= MOST_OPEN:
            raise NotPlain
        self.class_from[depth] = self.id_from[depth] = -1
        if tag >= 0 and self.count:
            place = self.place(CLASS)
            if place >= 0:
                self.class_from[depth], self.class_to[depth] = self.value_from[place], self.value_to[place]
            place = self.place(ID)
            if place >= 0:
                self.id_from[depth], self.id_to[depth] = self.value_from[place], self.value_to[place]
        self.names[depth] = name
        self.actions[depth] = self.action_of[name] if name < UNKNOWN else OTHER
        self.flags[depth] = self.flags_of[name] if name < UNKNOWN else 0
        self.firsts[depth] = self.passages.count
        self.befores[depth] = len(self.hrefs)
        self.links_of[depth] = link
        self.depth = depth + 1
        if self.actions[depth] == LINK:
            self.links_open += 1

    cdef object pop(self):
        """The innermost element ends."""
        cdef int at, link
        self.end_node()
        self.depth -= 1
        at = self.depth
        link = self.links_of[at]
        if len(self.paths) > at:
            self.paths.pop()
        if self.actions[at] == LINK:
            self.links_open -= 1
        if self.muted:
            if self.muted == at + 1:
                self.muted = 0
            return
        if self.flags[at] & WITHIN:
            return
        self.flush()
        if link != NONE:
            self.link_open = NONE
            if link in self.alternatives:
                self.reading.open = link
                self.reading.close(link)
            else:
                self.link_lasts[link] = self.passages.count
        elif len(self.hrefs) > self.befores[at]:
            self.ended.append((self.firsts[at], self.passages.count, self.befores[at], len(self.hrefs)))

    cdef object pop_until(self, int at):
        """Elements end, down to this place. One of those that change letters would be opened again."""
        while self.depth > at:
            if self.actions[self.depth - 1] in (LINK, FORMATTING, NOBR) and self.depth - 1 > at:
                raise NotPlain
            if self.actions[self.depth - 1] in (FORM, SELECT) and self.depth - 1 > at:
                raise NotPlain
            self.pop()

    cdef object pop_cell(self, int at):
        """A cell ends, and nothing in it lives on."""
        while self.depth > at:
            if self.actions[self.depth - 1] in (FORM, SELECT):
                raise NotPlain
            self.pop()

    cdef object end_silent(self, int but):
        """Elements whose ends may be left out end here."""
        while self.depth and self.flags[self.depth - 1] & ENDS_SILENTLY and self.names[self.depth - 1] != but:
            self.pop()

    cdef object close_paragraph(self):
        cdef int at = self.found(P, False, True)
        if at >= 0:
            self.end_silent(P)
            self.pop_until(at)
