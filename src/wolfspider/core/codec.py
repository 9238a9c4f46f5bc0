"""Stored state as plain data: a JSON tree, and named arrays for large values. Never pickle.

`pack` turns the vocabulary, the usual containers, random generators and registered helpers into that form, `unpack`
turns it back. A value that JSON does not know is a dict with the single key "~<kind>"; only kinds named here are ever
built, so a tampered file can yield wrong data but not run code.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import json
import math
import random
import re
from array import array
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Self

import numpy as np

from wolfspider.core import events, model

Arrays = dict[str, bytes]  # by name, each as it lies on disk: kind and shape, then the numbers
Stored = Mapping[str, bytes | memoryview]  # the same, read again

_KIND_OF_ARRAY = re.compile(r"[<>|][A-Za-z]\d*(?:\[\w+\])?")
MANY = 1_000  # texts in a list that are stored as arrays
_LEAVES = frozenset((str, int, float, bool, type(None)))  # most of what there is, so they are looked at first


VALUES: dict[str, type] = {
    kind.__name__: kind
    for kind in (*vars(model).values(), *vars(events).values())
    if isinstance(kind, type) and kind.__module__.startswith("wolfspider.")
}
HELPERS: dict[str, Any] = {}  # classes with state() and a classmethod restored(state)


def helper(kind: type) -> type:
    """Register a class that keeps its own state, so that it can be a field of a strategy."""
    taken = HELPERS.get(kind.__name__)
    if taken is not None and taken.__module__ != kind.__module__ and taken.__module__.startswith("wolfspider."):
        raise TypeError(f"{taken.__module__} has a helper {kind.__name__} already: give this one another name")
    HELPERS[kind.__name__] = kind
    return kind


class UnknownHelper(ValueError):
    """A class that nobody has registered here, though it may be all right where the state was stored."""


class StoredFields:
    """A base for helpers whose state is all their fields. A field that an earlier version did not store keeps the value
    that the constructor gives it."""

    def state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Self:
        made = cls(**{name: state[name] for name in inspect.signature(cls).parameters if name in state})
        vars(made).update(state)
        return made


def pack(value: Any) -> tuple[Any, Arrays]:
    arrays: Arrays = {}
    return _pack(value, arrays), arrays


def store(value: Any) -> tuple[str, Arrays]:
    """As text and bytes, the way it lies on disk."""
    return rendered(*pack(value))


def rendered(tree: Any, arrays: Arrays) -> tuple[str, Arrays]:
    """What `pack` gave, as text and bytes; may be done in another thread, since all of it was copied."""
    return json.dumps(tree, ensure_ascii=False, allow_nan=False), arrays


def load(text: str, arrays: Stored) -> Any:
    return unpack(json.loads(text), arrays)


def plain(value: Any) -> Any:
    """For people and their tools: JSON without tags or arrays, one way only."""
    if type(value) in _LEAVES:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value) if not field.name.endswith("_"))
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(kept) for name, kept in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): plain(kept) for name, kept in value.items()}
    if isinstance(value, list | tuple | set | frozenset | deque):
        return [plain(kept) for kept in value]
    if isinstance(value, Enum):
        return value.value
    return value.item() if isinstance(value, np.generic) else value


def _pack(value: Any, arrays: Arrays) -> Any:
    if type(value) in _LEAVES and (type(value) is not float or math.isfinite(value)):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"~float": str(float(value))}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if type(value) is list:
        if len(value) >= MANY and set(map(type, value)) == {str}:
            return _pack_texts(value, arrays)
        return [_pack(kept, arrays) for kept in value]
    if type(value) is dict:  # alone: what a Counter or a defaultdict can do beyond it would be lost silently
        if _is_named(value):
            return {name: _pack(kept, arrays) for name, kept in value.items()}
        return {"~dict": [[_pack(name, arrays), _pack(kept, arrays)] for name, kept in value.items()]}
    name = type(value).__name__
    if name in VALUES:
        if not isinstance(value, tuple):
            names = (field.name for field in dataclasses.fields(value))
            value = [None if field.endswith("_") else getattr(value, field) for field in names]
        return {"~value": [name, [_pack(kept, arrays) for kept in value]]}
    for kind, packer in _PACKERS:
        if isinstance(value, kind):
            return packer(value, arrays)
    if name in HELPERS:
        return {"~helper": [name, _pack_state(value, arrays)]}
    raise TypeError(f"{name} is not plain data; keep it out of state() or give it state() and restored()")


def _is_named(value: dict[Any, Any]) -> bool:
    return all(isinstance(name, str) and not name.startswith("~") for name in value)


def _pack_state(helper: Any, arrays: Arrays) -> Any:
    """Each part is let go once it is packed: what the helper made for this alone is gone before the next is copied."""
    state = helper.state()
    if type(state) is not dict or not _is_named(state):
        return _pack(state, arrays)
    left = dict(state)  # since that may be the helper's own
    del state
    return {name: _pack(left.pop(name), arrays) for name in list(left)}


def _pack_array(value: Any, arrays: Arrays) -> dict[str, Any]:
    name = f"a{len(arrays)}"
    arrays[name] = _array_bytes(np.asarray(value))  # a copy: the owner goes on changing it
    return {"~array": name if isinstance(value, np.ndarray) else [name, value.typecode]}


def _pack_texts(value: list[str], arrays: Arrays) -> dict[str, Any]:
    """Many texts go one behind another, with their lengths: in JSON they would take several times as long."""
    lengths = np.fromiter(map(len, value), np.uint32, len(value))
    joined = np.frombuffer("".join(value).encode("utf-8", "surrogatepass"), np.uint8)
    return {"~texts": [_pack_array(part, arrays)["~array"] for part in (lengths, joined)]}


def _pack_random(value: random.Random, arrays: Arrays) -> dict[str, Any]:
    version, words, gauss = value.getstate()
    return {"~random": [version, _pack(np.array(words, dtype=np.uint32), arrays), gauss]}


_PACKERS: list[tuple[Any, Callable[[Any, Arrays], Any]]] = [
    (np.ndarray, _pack_array),
    (array, _pack_array),
    (random.Random, _pack_random),
    (tuple, lambda value, arrays: {"~tuple": [_pack(kept, arrays) for kept in value]}),
    (frozenset, lambda value, arrays: {"~frozenset": _ordered(value, arrays)}),
    (set, lambda value, arrays: {"~set": _ordered(value, arrays)}),
    (deque, lambda value, arrays: {"~deque": [value.maxlen, [_pack(kept, arrays) for kept in value]]}),
]


def _ordered(value: Any, arrays: Arrays) -> list[Any]:
    """Sets have no order of their own: give them one, or equal states would not be equal when stored."""
    return sorted((_pack(kept, arrays) for kept in value), key=lambda kept: (type(kept).__name__, repr(kept)))


def unpack(tree: Any, arrays: Stored) -> Any:
    """What is large is copied once, into what is built: until then it is a view of the bytes."""
    if isinstance(tree, list):
        return [unpack(kept, arrays) for kept in tree]
    if not isinstance(tree, dict):
        return tree
    if len(tree) == 1:
        (kind, kept) = next(iter(tree.items()))
        if kind.startswith("~"):
            return _UNPACKERS[kind](kept, arrays)
    return {name: unpack(kept, arrays) for name, kept in tree.items()}


def _unpack_array(kept: Any, arrays: Stored) -> Any:
    if isinstance(kept, str):
        return np.array(_array_from(arrays[kept]))
    name, typecode = kept
    made = array(typecode)
    made.frombytes(np.ascontiguousarray(_array_from(arrays[name]), typecode).view(np.uint8).data)
    return made


def _unpack_texts(kept: Any, arrays: Stored) -> list[str]:
    lengths, joined = (_array_from(arrays[name]) for name in kept)
    text = joined.tobytes().decode("utf-8", "surrogatepass")
    places = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
    if places[-1] != len(text):
        raise ValueError("texts of another length")
    return [text[start:end] for start, end in itertools.pairwise(places)]


def _unpack_random(kept: Any, arrays: Stored) -> random.Random:
    version, words, gauss = kept
    made = random.Random()
    made.setstate((version, tuple(int(word) for word in unpack(words, arrays)), gauss))
    return made


def _unpack_helper(kept: Any, arrays: Stored) -> Any:
    name, state = kept
    if name not in HELPERS:
        raise UnknownHelper(f"there is no helper {name!r:.80} here")
    return HELPERS[name].restored(unpack(state, arrays))


_UNPACKERS: dict[str, Callable[[Any, Stored], Any]] = {
    "~array": _unpack_array,
    "~texts": _unpack_texts,
    "~random": _unpack_random,
    "~value": lambda kept, arrays: VALUES[kept[0]](*(unpack(field, arrays) for field in kept[1])),
    "~helper": _unpack_helper,
    "~tuple": lambda kept, arrays: tuple(unpack(value, arrays) for value in kept),
    "~set": lambda kept, arrays: {unpack(value, arrays) for value in kept},
    "~frozenset": lambda kept, arrays: frozenset(unpack(value, arrays) for value in kept),
    "~deque": lambda kept, arrays: deque((unpack(value, arrays) for value in kept[1]), kept[0]),
    "~float": lambda kept, arrays: float(kept),
    "~dict": lambda kept, arrays: {unpack(name, arrays): unpack(value, arrays) for name, value in kept},
}


def _array_bytes(kept: np.ndarray[Any, Any]) -> bytes:
    header = json.dumps([kept.dtype.str, list(kept.shape)]).encode()
    numbers = np.ascontiguousarray(kept).reshape(-1).view(np.uint8)  # `join` copies them once
    return b"".join((len(header).to_bytes(4, "big"), header, numbers.data))


def _array_from(blob: bytes | memoryview) -> np.ndarray[Any, Any]:
    size = int.from_bytes(blob[:4], "big")
    kind, shape = json.loads(bytes(blob[4 : 4 + size]))
    if not _KIND_OF_ARRAY.fullmatch(kind):  # numpy would read it as source text of Python
        raise ValueError("no kind of array")
    dtype = np.dtype(kind)
    if dtype.hasobject:
        raise ValueError("an array of objects is not plain data")
    return np.frombuffer(blob, dtype, offset=4 + size).reshape(shape)
