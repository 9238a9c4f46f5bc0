"""Text of strangers as exports write it: characters that nobody sees are escaped, or become spaces."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# Controls of terminals, marks that turn the direction of text, and characters that some readers take for ends of lines.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_UNSEEN = (*_CONTROLS, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_ESCAPED = {code: f"\\u{code:04x}" for code in _UNSEEN}
_BLANKED = {code: " " for code in _UNSEEN if chr(code) not in "\t\r\n"}


def json_line(value: Any) -> str:
    """JSON in one line, whatever is in it."""
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPED)


def seen(text: str) -> str:
    """Line breaks and tabs stay."""
    return text.translate(_BLANKED)


def all_seen(value: Any) -> Any:
    """The same of all texts of plain data."""
    match value:
        case str():
            return seen(value)
        case Mapping():
            return {name: all_seen(one) for name, one in value.items()}
        case list() | tuple():
            return [all_seen(one) for one in value]
    return value


_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Escaped for an element or an attribute; what XML 1.0 has no place for becomes a space."""
    text = _NOT_IN_XML.sub(" ", seen(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
