# cython: language_level=3, boundscheck=True, wraparound=True, initializedcheck=False
"""What begins in a plain page: the rules of start tags, and of elements that hold nothing but text, or a drawing."""

from wolfspider.web.page.page_reading import NONE, TAG_PATH
from wolfspider.web.page.plain_names import NAMES, NUMBERS, NotPlain

from wolfspider.web.page.plain_ends cimport PlainEnds
from wolfspider.web.page.plain_names cimport (
    BODY, CAPTION, CELL, COL, COLGROUP, FORM, FRAME, HEAD, HTML, LINK, MUTE, NOSCRIPT, NOTE, OBJECT, ODD, OPTGROUP,
    OPTION, OTHER, RAW, ROW, RULE, SCRIPT, SELECT, SVG, TBODY, TEXTAREA, TITLE, UNKNOWN, VOID, WITHIN, piece
)
from wolfspider.web.page.plain_references cimport text_undone

cdef int AN_HTML = NUMBERS[b"html"], A_BODY = NUMBERS[b"body"], A_HEAD = NUMBERS[b"head"], AREA = NUMBERS[b"area"]
cdef int AUDIO = NUMBERS[b"audio"], BASE = NUMBERS[b"base"], EMBED = NUMBERS[b"embed"], IMAGE = NUMBERS[b"image"]
cdef int IMG = NUMBERS[b"img"], META = NUMBERS[b"meta"], PRE = NUMBERS[b"pre"], RELATION = NUMBERS[b"link"]
cdef int A_LINK = NUMBERS[b"a"], TIME = NUMBERS[b"time"], VIDEO = NUMBERS[b"video"]
cdef unsigned long long HREF = int.from_bytes(b"href", "big"), REL = int.from_bytes(b"rel", "big")
cdef set _BREAK_OUT = set(  # of a drawing: these end it
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    b"nobr ol p pre ruby s small span strong strike sub sup table tt u ul var font foreignobject annotation-xml script "
    b"listing".split()
)


cdef class PlainStarts(PlainEnds):
    cdef object begin_html(self):
        if not self.depth:
            self.push(AN_HTML, -1)

    cdef object begin_body(self):
        """The body begins, though nobody says so."""
        self.begin_html()
        if self.phase == 1:
            self.pop()
        self.phase = 3
        self.push(A_BODY, -1)

    cdef Py_ssize_t start_tag(self, int name, Py_ssize_t tag, Py_ssize_t at) except -1:
        """An element begins; where to go on."""
        cdef int action = OTHER, flags = 0
        if name < UNKNOWN:
            action, flags = self.action_of[name], self.flags_of[name]
        if action == ODD or self.in_head_noscript and not (action == NOTE or action == RAW):
            raise NotPlain
        self.ended_body = self.noted_behind = False
        if self.phase < 3:
            if action == HTML:
                if self.depth or self.hides():
                    raise NotPlain
                told = self.told()
                self.reading.html(told)
                self.push(name, tag)
                return at
            if action == HEAD:
                if self.phase:
                    raise NotPlain
                self.begin_html()
                if self.hides():
                    raise NotPlain
                self.push(name, tag)
                self.phase = 1
                return at
            if action == BODY:
                self.begin_html()
                if self.phase == 1:
                    self.pop()
                if self.hides():
                    raise NotPlain
                self.push(name, tag)
                self.phase = 3
                return at
            if action in (NOTE, RAW, SCRIPT, TITLE, NOSCRIPT):
                if self.phase == 0:
                    self.begin_html()
                    self.push(A_HEAD, -1)
                    self.phase = 1
                if action == NOSCRIPT:
                    if self.phase == 2 or self.hides():
                        raise NotPlain
                    self.reading.excuse()
                    self.push(name, tag)
                    self.muted = self.depth
                    self.in_head_noscript = True
                    return at
            else:
                self.begin_body()
        elif action in (HTML, HEAD, BODY):
            raise NotPlain
        if self.selecting and action not in (OPTION, OPTGROUP):
            raise NotPlain
        if self.in_structure() and action not in (CAPTION, COLGROUP, COL, TBODY, ROW, CELL, SCRIPT, RAW):
            raise NotPlain
        if action in (SCRIPT, RAW, TITLE, TEXTAREA, FRAME):
            return self.raw(name, action, at)
        if action == SVG:
            return self.drawing(at)
        self.make_room(name, action)
        self.end_node()
        self.tell(name, action, flags, tag)
        if name == PRE and at < self.size:
            if piece(self.data, at, at + 2) in (b"&#", b"&N") or piece(self.data, at, at + 3) == b"</>":
                raise NotPlain
            at += self.octets[at] == 10  # a line break right behind the tag is none
        return at

    cdef object tell(self, int name, int action, int flags, Py_ssize_t tag):
        """The reading is told of an element, and it is opened unless it is always empty."""
        cdef bint empty = action == VOID or action == RULE or action == NOTE or action == COL
        reading = self.reading
        if action == FORM:
            self.form = True
        if self.muted:
            if name == AREA:
                raise NotPlain
            if not empty:
                self.push(name, tag)
                if action == SELECT:
                    self.selecting = self.depth
            return
        if not flags & WITHIN:
            self.flush()
        if self.hides() or flags & MUTE:
            if empty:
                if name == AREA:
                    raise NotPlain
                return
            self.push(name, tag)
            self.muted = self.depth
            if action == SELECT:
                self.selecting = self.depth
            return
        if empty:
            if name == IMG or name == IMAGE:
                reading.open = self.link_open
                reading.img(self.told())
                reading.open = NONE
            elif name == AREA:
                if self.link_open != NONE:
                    raise NotPlain
                reading.area(self.told())
            elif name == EMBED:
                reading.film()
            elif name == META:
                reading.note(self.told())
            elif name == RELATION:
                reading.relation(self.told())
            elif name == BASE:
                reading.root(self.told())
            return
        if action == LINK:
            link = self.link()
            if self.link_open != NONE:
                raise NotPlain
            self.link_open = link
            self.push(name, tag, link)
            return
        if action == NOSCRIPT:
            reading.excuse()
            self.push(name, tag)
            self.muted = self.depth
            return
        if name == TIME:
            reading.time(self.told())
        elif name == VIDEO or name == AUDIO or action == OBJECT:
            reading.film()
        self.push(name, tag if self.count else -1)
        if action == SELECT:
            self.selecting = self.depth

    cdef int link(self) except -2:
        """The number of a link of the tag that was read last; NONE if it leads nowhere but to this page."""
        cdef str href = self.value(HREF).strip(), name
        if not href or href[0] == "#":
            return NONE
        self.hrefs.append(href)
        self.rels.append(self.value(REL))
        self.link_firsts.append(self.passages.count)
        self.link_lasts.append(self.passages.count)
        name = self.last_label(A_LINK)
        self.link_paths.append(f"{self.tag_path()}/{name}"[:TAG_PATH])
        return len(self.hrefs) - 1

    cdef Py_ssize_t raw(self, int name, int action, Py_ssize_t at) except -1:
        """An element that holds nothing but text."""
        cdef Py_ssize_t close = self.behind(NAMES[name].encode(), at)
        reading = self.reading
        if action == SCRIPT and self.data.find(b"<!--", at, close) >= 0:
            if piece(self.data, at, close).lower().find(b"<script") >= 0:
                raise NotPlain
        self.doubt(at, close)
        self.end_node()
        if not self.muted:
            self.flush()
            if action == RAW or self.hides():
                pass
            elif action == SCRIPT:
                reading.script(self.told(), lambda: self.data[at:close].decode("utf-8"))
            elif action == FRAME:
                reading.frame(NAMES[name], self.told())
            else:
                text = self.data[at:close].decode("utf-8")
                text = text_undone(text) if "&" in text else text
                if action == TITLE:
                    reading.open = self.link_open
                    reading.name(text)
                    reading.open = NONE
                elif text and not text.isspace():
                    self.passages.append(text[1:] if text[0] == "\n" else text)
        return self.over(close)

    cdef Py_ssize_t drawing(self, Py_ssize_t at) except -1:
        """A drawing is not read, but may be ended by what has no place in it."""
        cdef list opened = [b"svg"]
        cdef Py_ssize_t lt, end
        self.end_node()
        if not self.muted:
            self.flush()
        if self.closed:
            return at
        while opened:
            lt = self.data.find(b"<", at)
            if lt < 0 or lt + 2 >= self.size:
                raise NotPlain
            at = lt + 1
            if piece(self.data, at, at + 3) == b"!--":
                at = self.behind_comment(at + 3)
                continue
            ends = self.octets[at] == 47
            at += ends
            if not 97 <= (self.octets[at] | 32) <= 122:
                raise NotPlain
            end = at
            while end < self.size and self.octets[end] not in (32, 10, 9, 12, 47, 62):
                end += 1
            name = piece(self.data, at, end).lower()
            at = self.read_attributes(end)
            if ends:
                if opened[-1] != name:
                    raise NotPlain
                opened.pop()
            elif name in _BREAK_OUT or len(opened) > 60:
                raise NotPlain
            elif not self.closed:
                opened.append(name)
                if name == b"title" or name == b"desc" or name == b"style":
                    lt = self.data.find(b"<", at)
                    if lt < 0 or piece(self.data, lt + 1, lt + 2) != b"/":
                        raise NotPlain
        return at
