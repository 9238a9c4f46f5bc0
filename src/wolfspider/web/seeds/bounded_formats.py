"""XML and JSON of strangers, read within bounds; neither reader ever raises.

expat reads XML, from the standard library, and is let do little: a document type with declarations of its own ends the
reading, so there are no entities that could grow or fetch anything; depth, elements, bytes, the length of one tag and
the text kept of one element are bounded. What is wrong with a document ends the reading as well, and what came before
it counts. So a reading never raises; `whole` says whether it came to the end.

Feeds and sitemaps are written by hand and by bad templates. The commonest faults are mended on the way to expat: blanks
before the declaration, control characters and references to them, ampersands that begin no reference. That also makes
every entity but the five of XML a plain text. Characters are decoded by charset.py, so that a document cannot name a
codec of Python's.

JSON is bounded in bytes and depth. Nobody here needs its numbers, so none is read.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat

from wolfspider.web.page import charset

MOST_BYTES = 50_000_000
MOST_JSON = 4_000_000  # bytes; small lists take twenty times their text
MOST_ELEMENTS = 1_000_000
DEEPEST = 256
LONGEST_TAG = 1_000_000  # bytes of one tag or comment: expat reads what is not finished again with every portion
LONGEST_TEXT = 16_384  # characters kept of one element
_PORTION = 65_536
_SNIFFED = 4_096

_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LONGEST_MARK = 12  # characters: what may stand at the border of two portions and must not be torn


class Opened(NamedTuple):
    """An element begins. Names are in lower case, with their prefix; the root has depth 1."""

    name: str
    attributes: Mapping[str, str]
    depth: int


class Closed(NamedTuple):
    """An element ends; `text` is all the text within it, up to LONGEST_TEXT."""

    name: str
    text: str
    depth: int


class _Enough(Exception):
    """A bound was reached, or a declaration came that is not read."""


class XmlReading:
    """Walk over it for `Opened` and `Closed`; stop walking when enough was read. Afterwards `whole` is known."""

    def __init__(self, body: bytes, content_type: str = "") -> None:
        self.whole = False
        self._body = body
        self._content_type = content_type
        self._events: list[Opened | Closed] = []
        self._texts: list[_Text] = []
        self._room = MOST_ELEMENTS
        self._fed = 0
        self._parser = expat.ParserCreate("utf-8")  # outweighs what the document says of itself
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = self._read
        self._parser.StartDoctypeDeclHandler = _doctype
        self._parser.EntityDeclHandler = _refuse

    def __iter__(self) -> Iterator[Opened | Closed]:
        try:
            for portion in _mended(_decoded(self._body[:MOST_BYTES], self._content_type)):
                going = self._feed(portion.encode("utf-8", "replace"), False)
                yield from self._events
                self._events.clear()
                if not going:
                    return
            self.whole = self._feed(b"", True) and len(self._body) <= MOST_BYTES
            yield from self._events
        finally:  # the parser knows us, and we know it: without this the document would stay in memory
            self._parser.StartElementHandler = self._parser.EndElementHandler = None
            self._parser.CharacterDataHandler = None

    def _feed(self, data: bytes, last: bool) -> bool:
        """May the reading go on?"""
        self._fed += len(data)
        try:
            self._parser.Parse(data, last)
        except (expat.ExpatError, _Enough):
            return False
        return self._fed - max(0, self._parser.CurrentByteIndex) <= LONGEST_TAG

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._room -= 1
        if self._room < 0 or len(self._texts) >= DEEPEST:
            raise _Enough
        self._texts.append(_Text())
        self._events.append(Opened(name.lower(), attributes, len(self._texts)))

    def _close(self, name: str) -> None:
        depth = len(self._texts)
        text = "".join(self._texts.pop().parts)
        self._read(text)
        self._events.append(Closed(name.lower(), text, depth))

    def _read(self, text: str) -> None:
        """A text belongs to every element around it."""
        if self._texts:
            self._texts[-1].add(text)


@dataclass(slots=True)
class _Text:
    """The text of an element that is open."""

    parts: list[str] = field(default_factory=list)
    room: int = LONGEST_TEXT

    def add(self, text: str) -> None:
        if text and self.room > 0:
            self.parts.append(text[: self.room])
            self.room -= len(text)


def _doctype(name: str, system: str | None, public: str | None, declares: int) -> None:
    """Old feeds name their document type, which is harmless: nobody fetches it. Declarations are not."""
    if declares:
        raise _Enough


def _refuse(*declaration: object) -> None:
    raise _Enough


def root(body: bytes, content_type: str = "") -> str:
    """The name of the outermost element, in lower case; "" if there is none near the beginning."""
    first = next(iter(XmlReading(body[:_PORTION], content_type)), None)
    return first.name if isinstance(first, Opened) else ""


def _decoded(body: bytes, content_type: str) -> Iterator[str]:
    """Portions of text; the first begins with what is no blank."""
    decoder = codecs.getincrementaldecoder(_codec(body, content_type))("replace")
    begun = False
    for place in range(0, len(body), _PORTION):
        text = decoder.decode(body[place : place + _PORTION])
        if not begun:
            text = text.lstrip("\ufeff \t\r\n")
            begun = bool(text)
        yield text
    yield decoder.decode(b"", True)


def _codec(body: bytes, content_type: str) -> str:
    for opening, codec in ((b"<\x00", "utf-16-le"), (b"\x00<", "utf-16-be")):
        if body.startswith(opening):
            return codec
    return charset.decoded(content_type, body[:_SNIFFED])[1]


def _mended(portions: Iterator[str]) -> Iterator[str]:
    """The same with its faults mended. What stands between CDATA marks is left alone, apart from control characters."""
    held, within = "", False
    for portion in portions:
        text, held = _cut(held + _CONTROL.sub("", portion))
        mended, within = _mended_portion(text, within)
        yield mended
    yield _mended_portion(held, within)[0]


def _cut(text: str) -> tuple[str, str]:
    """What can be judged already, and what may be the first half of a mark or reference."""
    place = min((at for begin in "&<]" if (at := text.find(begin, -_LONGEST_MARK)) >= 0), default=len(text))
    return text[:place], text[place:]


def _in_xml(reference: re.Match[str]) -> str:
    """The same, or a blank if XML has no place for the character."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    fits = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code <= 0x10FFFF
    return reference[0] if fits else " "


def _mended_portion(text: str, within: bool) -> tuple[str, bool]:
    pieces: list[str] = []
    place = 0
    while place < len(text):
        mark = _CDATA_END if within else _CDATA
        found = text.find(mark, place)
        end = len(text) if found < 0 else found + len(mark)
        piece = text[place:end]
        pieces.append(piece if within else _BARE.sub("&amp;", _REFERENCE.sub(_in_xml, piece)))
        within = within != (found >= 0)
        place = end
    return "".join(pieces), within


def loaded(body: bytes) -> Any:
    """The value, numbers as 0.0; None if it is no JSON, too long or too deep."""
    if len(body) > MOST_JSON:
        return None
    try:
        return json.loads(
            body.removeprefix(b"\xef\xbb\xbf"), parse_int=_no_number, parse_float=_no_number, parse_constant=_no_number
        )
    except (ValueError, RecursionError):
        return None


def _no_number(number: str) -> float:
    return 0.0


def text_of(value: Any, key: str) -> str:
    """The text that an object has under a key; "" if it has none, or something else."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def list_of(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
