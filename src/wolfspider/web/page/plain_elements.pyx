# cython: language_level=3, boundscheck=True, wraparound=True
"""The open elements of a plain page, and the texts between them, as a `PageReading` is told of them."""

from array import array

from wolfspider.web.page import plain_names
from wolfspider.web.page.page_reading import TAG_PATH, PageReading, label
from wolfspider.web.page.plain_names import NUMBERS, NotPlain

from wolfspider.web.page.plain_names cimport (
    BUTTON, COLGROUP, ENDS_SILENTLY, FORM, FORMATTING, LINK, NOBR, OTHER, ROW, SCOPE, SELECT, TABLE, TBODY, UNKNOWN,
    WITHIN
)
from wolfspider.web.page.plain_references cimport text_undone
from wolfspider.web.page.plain_tags cimport PlainTags

cdef enum:
    MOST_OPEN = 400  # elements in each other
    MOST_LABELS = 4096
    SHORT_LABEL = 100  # characters of one that is remembered
    NEAR = 50  # elements around a date among which an article counts

cdef int ARTICLE = NUMBERS[b"article"], OL = NUMBERS[b"ol"], P = NUMBERS[b"p"], UL = NUMBERS[b"ul"]
cdef unsigned long long CLASS = int.from_bytes(b"class", "big"), ID = int.from_bytes(b"id", "big")
cdef dict _LABELS = {}


cdef class PlainElements(PlainTags):
    def __init__(self, bytes data):
        super().__init__(data)
        self.reading = reading = PageReading(self.path, self.in_article)
        self.texts, self.passages = reading.texts, reading.passages
        self.anchors, self.ended = reading.anchors, reading.ended
        self.links_of, self.paths = [], []
        self.action_of, self.flags_of = plain_names.ACTIONS, plain_names.FLAGS
        self.actions, self.flags = array("i", bytes(4 * MOST_OPEN)), array("i", bytes(4 * MOST_OPEN))
        self.names, self.tags = array("i", bytes(4 * MOST_OPEN)), array("q", bytes(8 * MOST_OPEN))
        self.firsts, self.befores = array("q", bytes(8 * MOST_OPEN)), array("q", bytes(8 * MOST_OPEN))

    # What the reading asks

    def path(self):
        cdef list paths = self.paths
        cdef str path = paths[-1] if paths else ""
        cdef int at
        for at in range(len(paths), self.depth):
            name = self.name(self.names[at])
            if self.tags[at] >= 0:
                self.read_attributes(self.tags[at])
                name = self.label(name)
            path = f"{path}/{name}"[:TAG_PATH] if path else name[:TAG_PATH]
            paths.append(path)
        return path

    def in_article(self):
        cdef int at
        for at in range(max(0, self.depth - NEAR), self.depth):
            if self.names[at] == ARTICLE:
                return True
        return False

    cdef str label(self, str name):
        """An element in a tag path; its tag was read last."""
        cdef int k
        for k in range(self.count):
            if self.keys[k] == CLASS or self.keys[k] == ID:
                return self.long_label(name)
        return name

    cdef str long_label(self, str name):
        """Pages of a site have the same elements, so labels are remembered from page to page."""
        cdef str classes = self.value(CLASS), identity = self.value(ID)
        known = _LABELS.get((name, classes, identity))
        if known is None:
            if len(_LABELS) >= MOST_LABELS:
                _LABELS.clear()
            known = label(name, {"class": classes, "id": identity})
            if len(classes) + len(identity) <= SHORT_LABEL:
                _LABELS[name, classes, identity] = known
        return known

    # Texts

    cdef object run(self, Py_ssize_t first, Py_ssize_t last, bint referring):
        """A piece of text of the node that is being read."""
        cdef str text = self.data[first:last].decode("utf-8")
        if referring:
            text = text_undone(text)
        self.node = text if self.node is None else self.node + text

    cdef object end_node(self):
        cdef str text = self.node
        if text is not None:
            self.node = None
            if text and (self.texts or not text.isspace()):
                self.texts.append(text)

    cdef object flush(self):
        cdef list texts = self.texts
        if texts:
            self.passages.append(texts[0] if len(texts) == 1 else "".join(texts))
            texts.clear()

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

    cdef object push(self, int name, Py_ssize_t tag, link=None):
        """An element begins whose attributes stand here. The reading was told of it, unless it is muted."""
        cdef int depth = self.depth
        if depth >= MOST_OPEN:
            raise NotPlain
        self.names[depth] = name
        self.actions[depth] = self.action_of[name] if name < UNKNOWN else OTHER
        self.flags[depth] = self.flags_of[name] if name < UNKNOWN else 0
        self.tags[depth] = tag
        self.firsts[depth] = len(self.passages)
        self.befores[depth] = len(self.anchors)
        self.links_of.append(link)
        self.depth = depth + 1
        if self.actions[depth] == LINK:
            self.links_open += 1

    cdef object pop(self):
        """The innermost element ends."""
        cdef int at
        self.end_node()
        self.depth -= 1
        at = self.depth
        link = self.links_of.pop()
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
        if link is not None:
            if link.alternative:
                self.reading.close(link)
            else:
                link.last = len(self.passages)
                self.reading.open = None
        elif len(self.anchors) > self.befores[at]:
            self.ended.append((self.firsts[at], len(self.passages), self.befores[at], len(self.anchors)))

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
