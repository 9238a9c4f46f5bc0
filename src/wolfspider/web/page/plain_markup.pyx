# cython: language_level=3, boundscheck=True, wraparound=True
"""The markup of a plain page, read in one pass over its bytes, without a tree. Compiled where there is a compiler.

A page is plain if its tree holds no surprise: what is opened is closed, in order or by the rules that everybody relies
on (a new <li> ends the last one), tables hold cells, and nothing has to be moved or opened again. Here the elements are
opened and closed by the rules of HTML for such pages, and a `PageReading` is told of them as the walk over the tree
would tell it. At the first thing that is not plain `read_plain` gives the page up, and the tree is made after all: it
stays the judge.

Every index is checked. What is odd is given up by an exception, so no state is left behind.
"""

import re
from array import array
from html import unescape
from html.entities import html5

from wolfspider.web.page.page_reading import INLINE, TAG_PATH, Anchor, PageReading, label
from wolfspider.web.page.taming import MOST_TAGS, tamed

cdef enum:
    MOST_OPEN = 400  # elements in each other
    MOST_ATTRIBUTES = 60  # of a tag
    MOST_LABELS = 4096
    SHORT_LABEL = 100  # characters of one that is remembered
    NEAR = 50  # elements around a date among which an article counts

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

cdef list _NAMES = [""]
cdef dict _NUMBERS = {}  # of names by their bytes
cdef int[::1] _ACTIONS = array("i", bytes(4 * UNKNOWN))
cdef int[::1] _FLAGS = array("i", bytes(4 * UNKNOWN))
cdef unsigned long long[::1] _KEYS = array("Q", bytes(8 * SLOTS))
cdef int[::1] _NUMBER_AT = array("i", bytes(4 * SLOTS))


cdef int _slot(unsigned long long key):
    """Where the number of a name is, or would be."""
    cdef int slot = (key * 0x9E3779B97F4A7C15ULL) >> 54
    while _KEYS[slot] and _KEYS[slot] != key:
        slot = (slot + 1) % SLOTS
    return slot


def _are(action, flags, names):
    cdef unsigned long long key
    cdef int slot
    for name in names.split():
        number = len(_NAMES)
        _NAMES.append(name)
        _NUMBERS[name.encode()] = number
        _ACTIONS[number] = action
        _FLAGS[number] = flags | (WITHIN if name in INLINE else 0)
        if len(name) <= LETTERS:
            key = int.from_bytes(name.encode(), "big")
            slot = _slot(key)
            _KEYS[slot] = key
            _NUMBER_AT[slot] = number


_are(BLOCK, SPECIAL, "address article aside blockquote center details dir div dl fieldset figcaption figure footer header "
     "hgroup main menu nav ol search section summary ul pre")
_are(BLOCK, 0, "dialog")
_are(PARAGRAPH, SPECIAL | ENDS_SILENTLY, "p")
_are(HEADING, SPECIAL, "h1 h2 h3 h4 h5 h6")
_are(FORM, SPECIAL, "form")
_are(LI, SPECIAL | ENDS_SILENTLY, "li")
_are(DD, SPECIAL | ENDS_SILENTLY, "dd dt")
_are(BUTTON, SPECIAL, "button")
_are(LINK, 0, "a")
_are(FORMATTING, 0, "b big code em font i s small strike strong tt u")
_are(NOBR, 0, "nobr")
_are(OBJECT, SPECIAL | SCOPE, "object")
_are(TABLE, SPECIAL | SCOPE, "table")
_are(VOID, SPECIAL, "br embed img image input wbr param source track area")
_are(RULE, SPECIAL, "hr")
_are(RAW, SPECIAL, "style noembed noframes")
_are(SCRIPT, SPECIAL, "script")
_are(TITLE, SPECIAL, "title")
_are(TEXTAREA, SPECIAL, "textarea")
_are(NOSCRIPT, SPECIAL, "noscript")
_are(SELECT, SPECIAL, "select")
_are(OPTION, ENDS_SILENTLY, "option")
_are(OPTGROUP, ENDS_SILENTLY, "optgroup")
_are(CAPTION, SPECIAL | SCOPE, "caption")
_are(COLGROUP, SPECIAL, "colgroup")
_are(COL, SPECIAL, "col")
_are(TBODY, SPECIAL, "tbody thead tfoot")
_are(ROW, SPECIAL, "tr")
_are(CELL, SPECIAL | SCOPE, "td th")
_are(SVG, 0, "svg")
_are(NOTE, SPECIAL, "base link meta basefont bgsound")
_are(HTML, SPECIAL | SCOPE, "html")
_are(HEAD, SPECIAL, "head")
_are(BODY, SPECIAL, "body")
_are(FRAME, SPECIAL, "iframe")
_are(OTHER, MUTE, "canvas datalist")
_are(OTHER, 0, "span sub sup kbd samp var abbr acronym mark q cite dfn ins del bdi bdo ruby label time video audio picture "
     "map")
_are(ODD, 0, "math template frameset frame plaintext xmp listing applet marquee rb rt rp rtc isindex keygen "
     "menuitem")

cdef int P = _NUMBERS[b"p"], OL = _NUMBERS[b"ol"], UL = _NUMBERS[b"ul"], DIV = _NUMBERS[b"div"]
cdef int ADDRESS = _NUMBERS[b"address"], ARTICLE = _NUMBERS[b"article"], TIME = _NUMBERS[b"time"]
cdef int VIDEO = _NUMBERS[b"video"], AUDIO = _NUMBERS[b"audio"], EMBED = _NUMBERS[b"embed"]
cdef int BR = _NUMBERS[b"br"], IMG = _NUMBERS[b"img"], AREA = _NUMBERS[b"area"], IMAGE = _NUMBERS[b"image"], META = _NUMBERS[b"meta"]
cdef int RELATION = _NUMBERS[b"link"], BASE = _NUMBERS[b"base"], AN_HTML = _NUMBERS[b"html"], A_HEAD = _NUMBERS[b"head"]
cdef int A_BODY = _NUMBERS[b"body"], A_TBODY = _NUMBERS[b"tbody"], A_ROW = _NUMBERS[b"tr"]
cdef int A_COLGROUP = _NUMBERS[b"colgroup"], PRE = _NUMBERS[b"pre"]
cdef unsigned long long HREF = int.from_bytes(b"href", "big"), REL = int.from_bytes(b"rel", "big")
cdef unsigned long long CLASS = int.from_bytes(b"class", "big"), ID = int.from_bytes(b"id", "big")
cdef unsigned long long STYLE = int.from_bytes(b"style", "big"), A_HIDDEN = int.from_bytes(b"hidden", "big")
cdef dict _LABELS = {}
cdef set _BREAK_OUT = set(  # of a drawing: these end it
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    b"nobr ol p pre ruby s small span strong strike sub sup table tt u ul var font foreignobject annotation-xml script "
    b"listing".split()
)
_REFERENCE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)(=?)")
_NUMBER = re.compile(r"&#(?:([0-9]+)|[xX]([0-9a-fA-F]+))")
_WITHOUT_QUIRKS = re.compile(
    rb"""\s+html\s*|\s+html\s+public\s+"-//w3c//dtd (?:"""
    rb"""xhtml 1\.[01](?: strict| transitional)?//en"\s*(?:"[^"]*"\s*)?|html 4\.01//en"\s*(?:"[^"]*"\s*)?|"""
    rb"""html 4\.01 transitional//en"\s*"http://www\.w3\.org/tr/(?:html4|1999/rec-html401-19991224)/loose\.dtd"\s*)""",
    re.IGNORECASE,
)
_LETTERS = re.compile(rb"<[A-Za-z]")


class NotPlain(Exception):
    """The page has to be read from its tree."""


def read_plain(str whole):
    """What a plain page says; None if it is not plain, or would be cut before it is read (taming.py)."""
    cdef str text = whole
    if "\0" in text or text.count("<") > MOST_TAGS:
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    cdef bytes data
    cdef _Scan scan = None
    try:
        data = text.encode()
        scan = _Scan(data)
        reading = scan.read()
        return reading if not scan.doubtful or tamed(whole, False) == whole else None
    except (NotPlain, UnicodeEncodeError):
        return None
    finally:
        if scan is not None:
            scan.reading.let_go()


cdef str _numbers_checked(str text):
    """Numbers that stand for no ordinary character are read in ways of their own."""
    cdef unsigned long value
    for number in _NUMBER.finditer(text):
        digits = number[1] or number[2]
        if len(digits) > 8:
            raise NotPlain
        value = int(digits, 10 if number[1] else 16)
        if not (32 <= value < 127 or value == 9 or value == 10 or 160 <= value < 0xD800 or 0xE000 <= value < 0xFDD0
                or 0xFDF0 <= value < 0xFFFE or (0x10000 <= value < 0x110000 and value & 0xFFFE != 0xFFFE)):
            raise NotPlain
    return text


cdef str _text_undone(str text):
    """A text with its references undone. Most are of a few kinds, and those are quickly undone."""
    cdef Py_ssize_t many = text.count("&") - text.count("&amp;")
    if many:
        many -= text.count("&lt;") + text.count("&gt;") + text.count("&nbsp;") + text.count("&quot;")
        if many:
            return _any_undone(text)
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&quot;", '"')
    return text.replace("&amp;", "&")


cdef str _any_undone(str text):
    if "&#" in text:
        _numbers_checked(text)
    return unescape(text)


cdef str _value_undone(str text):
    """The same for the value of an attribute, where a reference that is not closed may be none."""
    if text.count("&") == text.count("&amp;"):
        return text.replace("&amp;", "&")
    if "&#" in text:
        _numbers_checked(text)
    return _REFERENCE.sub(_undone, text)


def _undone(found):
    name, follows = found[1], found[2]
    if name[0] != "#":
        if name not in html5 or (follows and name[-1] != ";"):
            return found[0]
        return html5[name] + follows
    return unescape("&" + name) + follows


cdef class _Scan:
    cdef bytes data
    cdef const unsigned char[::1] octets
    cdef Py_ssize_t size
    cdef object reading
    cdef list texts, passages, anchors, ended
    cdef str node  # the text that is being read, as one node of the tree
    # The open elements
    cdef int depth
    cdef int[::1] actions
    cdef int[::1] flags
    cdef int[::1] names
    cdef Py_ssize_t[::1] tags  # where their attributes begin
    cdef Py_ssize_t[::1] firsts
    cdef Py_ssize_t[::1] befores
    cdef list links_of, paths, own_names
    cdef dict own_numbers
    cdef int muted  # the depth of the element that is not read; 0 if all are
    cdef int phase  # 0 before the head, 1 in it, 2 behind it, 3 in the body
    cdef bint quirks_unknown, quirks, form, in_head_noscript
    cdef int selecting  # the depth of the open <select>
    cdef int links_open
    cdef bint ended_body  # and no tag or text came since
    cdef bint noted_behind  # a comment came behind the body, so it does not stand between the texts around it
    cdef bint doubtful  # is there a "<" before a letter that begins no tag?
    # The tag that was read last
    cdef int count
    cdef unsigned long long[::1] keys  # the names of attributes as numbers, if they are short
    cdef Py_ssize_t[::1] name_from
    cdef Py_ssize_t[::1] name_to
    cdef Py_ssize_t[::1] value_from
    cdef Py_ssize_t[::1] value_to
    cdef bint closed  # by "/>"
    cdef dict attributes

    def __init__(self, bytes data):
        self.data = data
        self.octets = data
        self.size = len(data)
        self.reading = reading = PageReading(self.path, self.in_article)
        self.texts, self.passages = reading.texts, reading.passages
        self.anchors, self.ended = reading.anchors, reading.ended
        self.links_of, self.paths, self.own_names, self.own_numbers = [], [], [], {}
        self.quirks = True
        self.actions, self.flags = array("i", bytes(4 * MOST_OPEN)), array("i", bytes(4 * MOST_OPEN))
        self.names, self.tags = array("i", bytes(4 * MOST_OPEN)), array("q", bytes(8 * MOST_OPEN))
        self.firsts, self.befores = array("q", bytes(8 * MOST_OPEN)), array("q", bytes(8 * MOST_OPEN))
        self.keys = array("Q", bytes(8 * MOST_ATTRIBUTES))
        self.name_from, self.name_to = array("q", bytes(8 * MOST_ATTRIBUTES)), array("q", bytes(8 * MOST_ATTRIBUTES))
        self.value_from, self.value_to = array("q", bytes(8 * MOST_ATTRIBUTES)), array("q", bytes(8 * MOST_ATTRIBUTES))

    # What the reading asks

    def path(self):
        cdef list paths = self.paths
        cdef str path = paths[-1] if paths else ""
        cdef int at
        for at in range(len(paths), self.depth):
            name = self._name(self.names[at])
            if self.tags[at] >= 0:
                self._attributes(self.tags[at])
                name = self._label(name)
            path = f"{path}/{name}"[:TAG_PATH] if path else name[:TAG_PATH]
            paths.append(path)
        return path

    def in_article(self):
        cdef int at
        for at in range(max(0, self.depth - NEAR), self.depth):
            if self.names[at] == ARTICLE:
                return True
        return False

    cdef str _name(self, int number):
        return _NAMES[number] if number < UNKNOWN else self.own_names[number - UNKNOWN]

    cdef str _label(self, str name):
        """An element in a tag path; its tag was read last."""
        cdef int k
        for k in range(self.count):
            if self.keys[k] == CLASS or self.keys[k] == ID:
                return self._long_label(name)
        return name

    cdef str _long_label(self, str name):
        """Pages of a site have the same elements, so labels are remembered from page to page."""
        cdef str classes = self._value(CLASS), identity = self._value(ID)
        known = _LABELS.get((name, classes, identity))
        if known is None:
            if len(_LABELS) >= MOST_LABELS:
                _LABELS.clear()
            known = label(name, {"class": classes, "id": identity})
            if len(classes) + len(identity) <= SHORT_LABEL:
                _LABELS[name, classes, identity] = known
        return known

    cdef int _number(self, Py_ssize_t first, Py_ssize_t last) except -1:
        """The number of a name that stands here."""
        cdef unsigned long long key = 0
        cdef const unsigned char[::1] octets = self.octets
        cdef unsigned char c
        cdef Py_ssize_t at
        cdef int slot
        if last - first <= LETTERS:
            for at in range(first, last):
                c = octets[at]
                key = key << 8 | (c | 32 if 65 <= c <= 90 else c)
            slot = _slot(key)
            if _KEYS[slot]:
                return _NUMBER_AT[slot]
        name = self.data[first:last].lower()
        number = _NUMBERS.get(name) or self.own_numbers.get(name)
        if number is None:
            if len(self.own_names) >= MOST_OPEN:
                raise NotPlain
            number = self.own_numbers[name] = UNKNOWN + len(self.own_names)
            self.own_names.append(name.decode("utf-8"))
        return number

    # Texts

    cdef object _run(self, Py_ssize_t first, Py_ssize_t last, bint referring):
        """A piece of text of the node that is being read."""
        cdef str text = self.data[first:last].decode("utf-8")
        if referring:
            text = _text_undone(text)
        self.node = text if self.node is None else self.node + text

    cdef object _end_node(self):
        cdef str text = self.node
        if text is not None:
            self.node = None
            if text and (self.texts or not text.isspace()):
                self.texts.append(text)

    cdef object _flush(self):
        cdef list texts = self.texts
        if texts:
            self.passages.append(texts[0] if len(texts) == 1 else "".join(texts))
            texts.clear()

    cdef bint _is_blank(self, Py_ssize_t first, Py_ssize_t last):
        cdef Py_ssize_t at
        cdef unsigned char c
        for at in range(first, last):
            c = self.octets[at]
            if c != 32 and c != 10 and c != 9 and c != 12 and c != 13:
                return False
        return True

    # Elements

    cdef object _push(self, int name, Py_ssize_t tag, link=None):
        """An element begins whose attributes stand here. The reading was told of it, unless it is muted."""
        cdef int depth = self.depth
        if depth >= MOST_OPEN:
            raise NotPlain
        self.names[depth] = name
        self.actions[depth] = _ACTIONS[name] if name < UNKNOWN else OTHER
        self.flags[depth] = _FLAGS[name] if name < UNKNOWN else 0
        self.tags[depth] = tag
        self.firsts[depth] = len(self.passages)
        self.befores[depth] = len(self.anchors)
        self.links_of.append(link)
        self.depth = depth + 1
        if self.actions[depth] == LINK:
            self.links_open += 1

    cdef object _pop(self):
        """The innermost element ends."""
        cdef int at
        self._end_node()
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
        self._flush()
        if link is not None:
            if link.alternative:
                self.reading.close(link)
            else:
                link.last = len(self.passages)
                self.reading.open = None
        elif len(self.anchors) > self.befores[at]:
            self.ended.append((self.firsts[at], len(self.passages), self.befores[at], len(self.anchors)))

    cdef object _pop_until(self, int at):
        """Elements end, down to this place. One of those that change letters would be opened again."""
        while self.depth > at:
            if self.actions[self.depth - 1] in (LINK, FORMATTING, NOBR) and self.depth - 1 > at:
                raise NotPlain
            if self.actions[self.depth - 1] in (FORM, SELECT) and self.depth - 1 > at:
                raise NotPlain
            self._pop()

    cdef object _pop_cell(self, int at):
        """A cell ends, and nothing in it lives on."""
        while self.depth > at:
            if self.actions[self.depth - 1] in (FORM, SELECT):
                raise NotPlain
            self._pop()

    cdef object _end_silent(self, int but):
        """Elements whose ends may be left out end here."""
        while self.depth and self.flags[self.depth - 1] & ENDS_SILENTLY and self.names[self.depth - 1] != but:
            self._pop()

    cdef int _found(self, int name, bint lists=False, bint buttons=False):
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

    cdef object _close_paragraph(self):
        cdef int at = self._found(P, False, True)
        if at >= 0:
            self._end_silent(P)
            self._pop_until(at)

    cdef bint _in_structure(self):
        """Is it between the cells of a table?"""
        cdef int action
        if not self.depth:
            return False
        action = self.actions[self.depth - 1]
        return action == TABLE or action == TBODY or action == ROW or action == COLGROUP

    # The reading of tags

    cdef Py_ssize_t _attributes(self, Py_ssize_t at) except -1:
        """Read the attributes of a tag from here on; where it ends."""
        cdef const unsigned char[::1] octets = self.octets
        cdef Py_ssize_t size = self.size, begin
        cdef unsigned char c
        cdef unsigned long long key
        cdef int n = 0
        self.closed = False
        self.attributes = None
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
                return at + 1
            self.closed = False
            if n >= MOST_ATTRIBUTES:
                raise NotPlain
            begin = at
            key = 0
            while at < size:
                c = octets[at]
                if (c == 32 or c == 10 or c == 9 or c == 12 or c == 47 or c == 62 or c == 61) and at > begin:
                    break
                key = key << 8 | (c | 32 if 65 <= c <= 90 else c)
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
                    while at < size and octets[at] != c:
                        if octets[at] == 60:
                            self.doubtful = True
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
                        if c == 60:
                            self.doubtful = True
                        at += 1
                    self.value_from[n], self.value_to[n] = begin, at
            n += 1

    cdef str _value(self, unsigned long long key):
        """The value of one attribute, "" if there is none."""
        cdef int k
        cdef str value
        for k in range(self.count):
            if self.keys[k] == key:
                if self.value_from[k] < 0:
                    return ""
                value = self.data[self.value_from[k] : self.value_to[k]].decode("utf-8")
                return _value_undone(value) if "&" in value else value
        return ""

    cdef dict _told(self):
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
                        value = _value_undone(value)
                told[name] = value
        return told

    cdef bint _hides(self) except -1:
        """Does the tag that was read last say that nobody sees its element?"""
        cdef int k
        for k in range(self.count):
            if self.keys[k] == A_HIDDEN:
                return True
            if self.keys[k] == STYLE:
                style = self._value(STYLE).lower()
                if "display:none" in style or "display: none" in style:
                    return True
        return False

    def read(self):
        """The whole page."""
        cdef Py_ssize_t at = 0, size = self.size, lt, begin, end
        cdef const unsigned char[::1] octets = self.octets
        cdef unsigned char c
        cdef bint ends, referring
        cdef int number
        while at < size:
            begin = lt = at
            referring = False
            while lt < size:
                c = octets[lt]
                if c == 60 and lt + 1 < size:
                    c = octets[lt + 1]
                    if c == 33 or c == 47 or c == 63 or 97 <= (c | 32) <= 122:
                        break
                elif c == 38:
                    referring = True
                lt += 1
            if lt > begin and not self.muted:
                self._shown(begin, lt, referring)
            elif lt > begin:
                self._unseen(begin, lt)
            if lt >= size:
                break
            at = lt + 1
            c = octets[at]
            if c == 33:
                at = self._declaration(at)
                continue
            ends = c == 47
            if c == 63 or (ends and at + 1 < size and not 97 <= (octets[at + 1] | 32) <= 122):
                if ends and octets[at + 1] == 62:
                    at += 2
                    continue
                at = self.data.find(b">", at) + 1
                if not at:
                    raise NotPlain
                if not ends and self.phase == 3:
                    raise NotPlain  # an instruction, which is a boundary, or a comment, which is none
                self._comment()
                continue
            begin = at + ends
            if begin >= size:
                raise NotPlain
            end = begin
            while end < size:
                c = octets[end]
                if c == 32 or c == 10 or c == 9 or c == 12 or c == 47 or c == 62:
                    break
                end += 1
            number = self._number(begin, end)
            at = self._attributes(end)
            if ends:
                self._end_tag(number)
            else:
                at = self._start_tag(number, end, at)
        self._end_node()
        if self.phase < 3:
            raise NotPlain
        while self.depth:
            self._pop()
        self.reading.finish()
        return self.reading

    cdef object _unseen(self, Py_ssize_t first, Py_ssize_t last):
        if (self.in_head_noscript or self._in_structure()) and not self._is_blank(first, last):
            raise NotPlain

    cdef object _shown(self, Py_ssize_t first, Py_ssize_t last, bint referring):
        """Text between tags."""
        if self.phase < 3:
            while first < last and self._is_blank(first, first + 1):
                first += 1
            if first == last:
                return
            if self.octets[first] == 38:
                raise NotPlain
            self._begin_body()
        elif (self.noted_behind or self._in_structure()) and not self._is_blank(first, last):
            raise NotPlain
        self._run(first, last, referring)

    cdef Py_ssize_t _declaration(self, Py_ssize_t at) except -1:
        """A comment, or a doctype; where it ends."""
        cdef Py_ssize_t end
        if self.data[at : at + 3] == b"!--":
            self._comment()
            at += 3
            if self.data[at : at + 1] == b">":
                return at + 1
            if self.data[at : at + 2] == b"->":
                return at + 2
            end = self.data.find(b"--", at)
            while end >= 0 and self.data[end + 2 : end + 3] != b">" and self.data[end + 2 : end + 4] != b"!>":
                end = self.data.find(b"--", end + 1)
            if end < 0:
                raise NotPlain
            self.doubtful = self.doubtful or _LETTERS.search(self.data, at, end) is not None
            return end + (3 if self.octets[end + 2] == 62 else 4)
        end = self.data.find(b">", at)
        if end < 0:
            raise NotPlain
        if self.data[at : at + 8].lower() == b"!doctype":
            if not self.depth and self.phase == 0:
                self.quirks = False
                self.quirks_unknown = not _WITHOUT_QUIRKS.fullmatch(self.data, at + 8, end)
            return end + 1
        self._comment()
        return end + 1

    cdef object _comment(self):
        self.noted_behind = self.ended_body
        self._end_node()

    cdef object _begin_html(self):
        if not self.depth:
            self._push(AN_HTML, -1)

    cdef object _begin_body(self):
        """The body begins, though nobody says so."""
        self._begin_html()
        if self.phase == 1:
            self._pop()
        self.phase = 3
        self._push(A_BODY, -1)

    cdef Py_ssize_t _behind(self, bytes name, Py_ssize_t at) except -1:
        """Where the end tag of an element begins that holds nothing but text."""
        cdef Py_ssize_t end = at, close
        while True:
            end = self.data.find(b"</", end)
            if end < 0:
                raise NotPlain
            close = end + 2 + len(name)
            if self.data[end + 2 : close].lower() == name and self.data[close : close + 1] in (
                b">", b" ", b"\n", b"\t", b"/", b"\f"
            ):
                return end
            end += 2

    cdef Py_ssize_t _over(self, Py_ssize_t at) except -1:
        """Where an end tag ends that begins here."""
        at += 2
        while 97 <= (self.octets[at] | 32) <= 122:
            at += 1
        return self._attributes(at)

    cdef Py_ssize_t _start_tag(self, int name, Py_ssize_t tag, Py_ssize_t at) except -1:
        """An element begins; where to go on."""
        cdef int action = OTHER, flags = 0
        if name < UNKNOWN:
            action, flags = _ACTIONS[name], _FLAGS[name]
        if action == ODD or self.in_head_noscript and not (action == NOTE or action == RAW):
            raise NotPlain
        self.ended_body = self.noted_behind = False
        if self.phase < 3:
            if action == HTML:
                if self.depth or self._hides():
                    raise NotPlain
                told = self._told()
                self.reading.html(told)
                self._push(name, tag)
                return at
            if action == HEAD:
                if self.phase:
                    raise NotPlain
                self._begin_html()
                if self._hides():
                    raise NotPlain
                self._push(name, tag)
                self.phase = 1
                return at
            if action == BODY:
                self._begin_html()
                if self.phase == 1:
                    self._pop()
                if self._hides():
                    raise NotPlain
                self._push(name, tag)
                self.phase = 3
                return at
            if action in (NOTE, RAW, SCRIPT, TITLE, NOSCRIPT):
                if self.phase == 0:
                    self._begin_html()
                    self._push(A_HEAD, -1)
                    self.phase = 1
                if action == NOSCRIPT:
                    if self.phase == 2 or self._hides():
                        raise NotPlain
                    self.reading.excuse()
                    self._push(name, tag)
                    self.muted = self.depth
                    self.in_head_noscript = True
                    return at
            else:
                self._begin_body()
        elif action in (HTML, HEAD, BODY):
            raise NotPlain
        if self.selecting and action not in (OPTION, OPTGROUP):
            raise NotPlain
        if self._in_structure() and action not in (CAPTION, COLGROUP, COL, TBODY, ROW, CELL, SCRIPT, RAW):
            raise NotPlain
        if action in (SCRIPT, RAW, TITLE, TEXTAREA, FRAME):
            return self._raw(name, action, at)
        if action == SVG:
            return self._drawing(at)
        self._make_room(name, action)
        self._end_node()
        self._tell(name, action, flags, tag)
        if name == PRE and at < self.size:
            if self.octets[at] == 38 or self.data[at : at + 3] == b"</>":
                raise NotPlain
            at += self.octets[at] == 10  # a line break right behind the tag is none
        return at

    cdef object _make_room(self, int name, int action):
        """What ends, and what begins unsaid, before an element begins."""
        cdef int at
        if action == BLOCK or action == PARAGRAPH or action == RULE or action == FORM:
            self._close_paragraph()
        elif action == HEADING:
            self._close_paragraph()
            if self.actions[self.depth - 1] == HEADING:
                self._pop()
        elif action == LI or action == DD:
            at = self.depth - 1
            while at >= 0:
                if self.actions[at] == action:
                    self._end_silent(self.names[at])
                    self._pop_until(at)
                    break
                if self.flags[at] & SPECIAL and self.names[at] not in (ADDRESS, DIV, P):
                    break
                at -= 1
            self._close_paragraph()
        elif action == TABLE:
            if self._found(P, False, True) >= 0:
                if self.quirks_unknown:
                    raise NotPlain
                if not self.quirks:
                    self._close_paragraph()
        elif action == BUTTON:
            if self._found(name) >= 0:
                raise NotPlain
        elif action == NOBR:
            if self._found(name) >= 0:
                raise NotPlain
        elif action == LINK:
            if self.links_open:
                raise NotPlain
        elif action == OPTION or action == OPTGROUP:
            if not self.selecting:
                raise NotPlain
            if self.actions[self.depth - 1] == OPTION:
                self._pop()
            if action == OPTGROUP and self.actions[self.depth - 1] == OPTGROUP:
                self._pop()
        elif action in (CAPTION, COLGROUP, COL, TBODY, ROW, CELL):
            self._make_table_room(action)
        if action == FORM and self.form:
            raise NotPlain

    cdef object _make_table_room(self, int action):
        cdef int at = self.depth - 1
        while at >= 0 and not self.flags[at] & SCOPE:
            at -= 1
        if at < 0 or self.actions[at] not in (TABLE, CELL):
            raise NotPlain
        if self.actions[at] == CELL:
            self._end_silent(0)
            self._pop_cell(at)
        if not self._in_structure():
            raise NotPlain
        if self.actions[self.depth - 1] == COLGROUP:
            if action == COL:
                return
            self._pop()
        if action == CELL and self.actions[self.depth - 1] == ROW:
            return
        if self.actions[self.depth - 1] == ROW:
            self._pop()
        if (action == ROW or action == CELL) and self.actions[self.depth - 1] == TABLE:
            self._unsaid(A_TBODY)
        if action == CELL:
            self._unsaid(A_ROW)
        if action in (CAPTION, COLGROUP, COL, TBODY) and self.actions[self.depth - 1] == TBODY:
            self._pop()
        if action == COL:
            self._unsaid(A_COLGROUP)

    cdef object _unsaid(self, int name):
        self._end_node()
        if not self.muted:
            self._flush()
        self._push(name, -1)

    cdef object _tell(self, int name, int action, int flags, Py_ssize_t tag):
        """The reading is told of an element, and it is opened unless it is always empty."""
        cdef bint empty = action == VOID or action == RULE or action == NOTE or action == COL
        reading = self.reading
        if action == FORM:
            self.form = True
        if self.muted:
            if name == AREA:
                raise NotPlain
            if not empty:
                self._push(name, tag)
                if action == SELECT:
                    self.selecting = self.depth
            return
        if not flags & WITHIN:
            self._flush()
        if self._hides() or flags & MUTE:
            if empty:
                if name == AREA:
                    raise NotPlain
                return
            self._push(name, tag)
            self.muted = self.depth
            if action == SELECT:
                self.selecting = self.depth
            return
        if empty:
            if name == IMG or name == IMAGE:
                reading.img(self._told())
            elif name == AREA:
                if reading.open is not None:
                    raise NotPlain
                reading.area(self._told())
            elif name == EMBED:
                reading.film()
            elif name == META:
                reading.note(self._told())
            elif name == RELATION:
                reading.relation(self._told())
            elif name == BASE:
                reading.root(self._told())
            return
        if action == LINK:
            link = self._link()
            if reading.open is not None:
                raise NotPlain
            reading.open = link
            self._push(name, tag, link)
            return
        if action == NOSCRIPT:
            reading.excuse()
            self._push(name, tag)
            self.muted = self.depth
            return
        if name == TIME:
            reading.time(self._told())
        elif name == VIDEO or name == AUDIO or action == OBJECT:
            reading.film()
        self._push(name, tag if self.count else -1)
        if action == SELECT:
            self.selecting = self.depth

    cdef object _link(self):
        """A link of the tag that was read last; None if it leads nowhere but to this page."""
        cdef str href = self._value(HREF).strip()
        if not href or href[0] == "#":
            return None
        rel = self._value(REL)
        name = self._label("a")
        link = Anchor(href, rel, len(self.passages), f"{self.path()}/{name}"[:TAG_PATH])
        self.anchors.append(link)
        return link

    cdef Py_ssize_t _raw(self, int name, int action, Py_ssize_t at) except -1:
        """An element that holds nothing but text."""
        cdef Py_ssize_t close = self._behind(_NAMES[name].encode(), at)
        reading = self.reading
        if action == SCRIPT and self.data.find(b"<!--", at, close) >= 0:
            if self.data[at:close].lower().find(b"<script") >= 0:
                raise NotPlain
        self.doubtful = self.doubtful or _LETTERS.search(self.data, at, close) is not None
        self._end_node()
        if not self.muted:
            self._flush()
            if action == RAW or self._hides():
                pass
            elif action == SCRIPT:
                reading.script(self._told(), lambda: self.data[at:close].decode("utf-8"))
            elif action == FRAME:
                reading.frame(_NAMES[name], self._told())
            else:
                text = self.data[at:close].decode("utf-8")
                text = _text_undone(text) if "&" in text else text
                if action == TITLE:
                    reading.name(text)
                elif text and not text.isspace():
                    self.passages.append(text[1:] if text[0] == "\n" else text)
        return self._over(close)

    cdef Py_ssize_t _drawing(self, Py_ssize_t at) except -1:
        """A drawing is not read, but may be ended by what has no place in it."""
        cdef list opened = [b"svg"]
        cdef Py_ssize_t lt, end
        self._end_node()
        if not self.muted:
            self._flush()
        if self.closed:
            return at
        while opened:
            lt = self.data.find(b"<", at)
            if lt < 0 or lt + 2 >= self.size:
                raise NotPlain
            at = lt + 1
            if self.data[at : at + 3] == b"!--":
                at = self._declaration(at)
                continue
            ends = self.octets[at] == 47
            at += ends
            if not 97 <= (self.octets[at] | 32) <= 122:
                raise NotPlain
            end = at
            while end < self.size and self.octets[end] not in (32, 10, 9, 12, 47, 62):
                end += 1
            name = self.data[at:end].lower()
            at = self._attributes(end)
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
                    if lt < 0 or self.data[lt + 1 : lt + 2] != b"/":
                        raise NotPlain
        return at

    cdef object _end_tag(self, int name):
        cdef int action = OTHER, flags = 0, at
        if name < UNKNOWN:
            action, flags = _ACTIONS[name], _FLAGS[name]
        if action == ODD:
            raise NotPlain
        if self.phase < 3:
            if not self.depth:
                raise NotPlain
            if self.in_head_noscript:
                if action != NOSCRIPT:
                    raise NotPlain
                self.in_head_noscript = False
                self._pop()
            elif action == HEAD and self.phase == 1:
                self._pop()
                self.phase = 2
            elif action in (HEAD, HTML, BODY) or name == BR:
                raise NotPlain
            return
        if self.selecting and action not in (OPTION, OPTGROUP, SELECT):
            raise NotPlain
        self.ended_body = action == HTML or action == BODY
        if self.ended_body or action == HEAD:
            return
        if action in (TABLE, TBODY, ROW, CELL, CAPTION, COLGROUP, COL):
            self._end_of_table_part(name, action)
            return
        if self._in_structure():
            if action == PARAGRAPH or action == FORM or name == BR or action == COLGROUP:
                raise NotPlain
            return
        if action == PARAGRAPH:
            at = self._found(name, False, True)
            if at < 0:
                self._end_node()
                if not self.muted:
                    self._flush()
                return
            self._end_silent(name)
            self._pop_until(at)
        elif action == BLOCK or action == BUTTON or action == OBJECT or action == DD:
            at = self._found(name)
            if at >= 0:
                self._end_silent(name if action == DD else 0)
                self._pop_until(at)
        elif action == LI:
            at = self._found(name, True)
            if at >= 0:
                self._end_silent(name)
                self._pop_until(at)
        elif action == HEADING:
            at = self.depth - 1
            while at >= 0 and not self.flags[at] & SCOPE and self.actions[at] != HEADING:
                at -= 1
            if at >= 0 and self.actions[at] == HEADING:
                self._end_silent(0)
                self._pop_until(at)
        elif action == FORM:
            self._end_of_form(name)
        elif action == LINK or action == FORMATTING or action == NOBR:
            self._end_of_formatting(name)
        elif (action == OPTION or action == OPTGROUP) and not self.selecting:
            raise NotPlain
        elif action == OPTION:
            if self.actions[self.depth - 1] == OPTION:
                self._pop()
        elif action == OPTGROUP:
            if self.actions[self.depth - 1] == OPTION and self.actions[self.depth - 2] == OPTGROUP:
                self._pop()
            if self.actions[self.depth - 1] == OPTGROUP:
                self._pop()
        elif action == SELECT:
            if self.selecting:
                at = self.selecting - 1
                self.selecting = 0
                while self.depth > at:
                    self._pop()
        elif name == BR:
            self._end_node()
            if not self.muted:
                self._flush()
        elif action == VOID or action == RULE or action == NOTE:
            return
        else:
            self._end_of_other(name)

    cdef object _end_of_form(self, int name):
        cdef int at
        if not self.form:
            return
        self.form = False
        at = self._found(name)
        if at < 0:
            raise NotPlain
        self._end_silent(0)
        if self.depth - 1 != at:
            raise NotPlain
        self._pop()

    cdef object _end_of_formatting(self, int name):
        cdef int at = self.depth - 1
        while at >= 0 and self.names[at] != name:
            at -= 1
        if at < 0:
            return
        while self.depth - 1 > at:
            if self.flags[self.depth - 1] & SPECIAL or self.actions[self.depth - 1] in (LINK, FORMATTING, NOBR):
                raise NotPlain
            self._pop()
        self._pop()

    cdef object _end_of_other(self, int name):
        cdef int at = self.depth - 1
        while at >= 0:
            if self.names[at] == name:
                self._end_silent(name)
                self._pop_until(at)
                return
            if self.flags[at] & SPECIAL:
                return
            at -= 1

    cdef object _end_of_table_part(self, int name, int action):
        cdef int at = self.depth - 1, cell
        # Where its element is open in this table
        while at >= 0 and self.names[at] != name and self.actions[at] != TABLE:
            at -= 1
        if action == COL or at < 0 or self.names[at] != name:
            if self._in_structure() and self.actions[self.depth - 1] == COLGROUP:
                raise NotPlain
            return
        if action == COLGROUP:
            if self.depth - 1 != at:
                raise NotPlain
            self._pop()
            return
        if action == CELL or action == CAPTION:
            for cell in range(at + 1, self.depth):
                if self.flags[cell] & SCOPE:
                    raise NotPlain
            self._end_silent(0)
            self._pop_cell(at)
            return
        cell = self.depth - 1
        while cell > at and not self.flags[cell] & SCOPE:
            cell -= 1
        if cell > at:
            if self.actions[cell] != CELL:
                raise NotPlain
            self._end_silent(0)
            self._pop_cell(cell)
        while self.depth > at:
            if self.actions[self.depth - 1] not in (TABLE, TBODY, ROW, COLGROUP):
                raise NotPlain
            self._pop()
