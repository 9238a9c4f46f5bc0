# cython: language_level=3, boundscheck=True, wraparound=True, initializedcheck=False
"""References in the text of a plain page and in its attributes (&amp; &#38;), undone."""

import re
from html import unescape
from html.entities import html5

from wolfspider.web.page.plain_names import NotPlain

_REFERENCE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)(=?)")
_NUMBER = re.compile(r"&#(?:([0-9]+)|[xX]([0-9a-fA-F]+))")
_USUAL = (*range(32, 127), *range(160, 256), *range(0x2010, 0x203B))  # characters that are often told by their number
cdef dict _NAMED = {name[:-1]: character for name, character in html5.items() if name[-1] == ";"}
_NAMED.update({f"#{number}": chr(number) for number in _USUAL}, **{f"#x{number:x}": chr(number) for number in _USUAL})
cdef dict _OCTETS = {name.encode(): character.encode() for name, character in _NAMED.items()}


cdef bytes octets_named(bytes name):
    """What a reference that is ended properly stands for; None if it is not usual."""
    return _OCTETS.get(name)


cdef str text_undone(str text):
    """A text with its references undone. Nearly all are ended properly, and usual."""
    cdef list made = []
    for part in text.split("&"):
        if made:
            name, closed, part = part.partition(";")
            character = _NAMED.get(name) if closed else None
            if character is None:
                return _any_undone(text)
            made.append(character)
        made.append(part)
    return "".join(made)


cdef str _any_undone(str text):
    if "&#" in text:
        _numbers_checked(text)
    return unescape(text)


cdef str value_undone(str text):
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
