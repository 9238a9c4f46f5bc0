# cython: language_level=3, boundscheck=True, wraparound=True, initializedcheck=False
"""The names of elements that the reader of plain pages knows, as numbers, and what is to be known of each."""

from array import array

from wolfspider.web.page.page_reading import INLINE

NAMES = [""]
NUMBERS = {}  # of names by their bytes
ACTIONS = array("i", bytes(4 * UNKNOWN))
FLAGS = array("i", bytes(4 * UNKNOWN))
KEYS = array("Q", bytes(8 * SLOTS))
NUMBER_AT = array("i", bytes(4 * SLOTS))


class NotPlain(Exception):
    """The page has to be read from its tree."""


def _are(action, flags, names):
    cdef int slot
    for name in names.split():
        number = len(NAMES)
        NAMES.append(name)
        NUMBERS[name.encode()] = number
        ACTIONS[number] = action
        FLAGS[number] = flags | (WITHIN if name in INLINE else 0)
        if len(name) <= LETTERS:
            key = int.from_bytes(name.encode(), "big")
            slot = first_slot(key)
            while KEYS[slot]:
                slot = (slot + 1) % SLOTS
            KEYS[slot] = key
            NUMBER_AT[slot] = number


_are(BLOCK, SPECIAL, "address article aside blockquote center details dir div dl fieldset figcaption figure footer "
     "header hgroup main menu nav ol search section summary ul pre")
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
_are(OTHER, 0, "span sub sup kbd samp var abbr acronym mark q cite dfn ins del bdi bdo ruby label time video audio "
     "picture map")
_are(ODD, 0, "math template frameset frame plaintext xmp listing applet marquee rb rt rp rtc isindex keygen "
     "menuitem")
