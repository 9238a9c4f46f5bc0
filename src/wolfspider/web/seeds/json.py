"""JSON of strangers: bounded in bytes; what is too deep is none. Nobody here wants its numbers, so none is read."""

from __future__ import annotations

import json
from typing import Any

MOST_BYTES = 4_000_000  # small lists take twenty times their text


def loaded(body: bytes) -> Any:
    """The value, numbers as 0.0; None if it is no JSON, too long or too deep."""
    if len(body) > MOST_BYTES:
        return None
    try:
        return json.loads(
            body.removeprefix(b"\xef\xbb\xbf"), parse_int=_nothing, parse_float=_nothing, parse_constant=_nothing
        )
    except (ValueError, RecursionError):
        return None


def _nothing(number: str) -> float:
    return 0.0


def text_of(value: Any, key: str) -> str:
    """The text that an object has under a key; "" if it has none, or something else."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def list_of(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
