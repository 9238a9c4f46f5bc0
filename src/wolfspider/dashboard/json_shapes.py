"""What JSON may look like, said once by types: checked where it comes in, and described for other programs.

A shape is made of str, int, float, bool, None, Any, Literal, unions, list[...], dict[str, ...] and TypedDicts;
`Annotated[..., ShapeBounds(...)]` bounds it. Every text and every list that comes in is bounded.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from wolfspider.core.errors import Problem, closest
from wolfspider.core.params import FALSE, TRUE

LONGEST_TEXT, MOST_ITEMS = 2000, 100  # of what comes in, where a shape does not say otherwise
_REF = "#/components/schemas/"
_NAMES: Mapping[Any, tuple[str, str]] = {  # what a shape is called in JSON Schema, and to people
    str: ("string", "a text"),
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    bool: ("boolean", "true or false"),
    type(None): ("null", "nothing"),
}


class ShapeBounds(NamedTuple):
    low: float | None = None
    high: float | None = None
    longest: int = LONGEST_TEXT  # characters
    most: int = MOST_ITEMS  # items of a list


Text = Annotated[str, ShapeBounds()]


def is_record(shape: Any) -> bool:
    return typing.is_typeddict(shape)


def fields(shape: Any) -> dict[str, Any]:
    return typing.get_type_hints(shape, include_extras=True)


def read(shape: Any, value: Any, where: str = "the request") -> Any:
    """The value, if it is of this shape; a Problem says what is wrong with it."""
    kind, bounds = _bounded(shape)
    if kind is Any:
        return value
    if is_record(kind):
        return _record(kind, value, where)
    if get_origin(kind) is Literal:
        if value not in get_args(kind) or isinstance(value, bool):
            raise Problem(f"{where} is one of {', '.join(map(str, get_args(kind)))}, not {value!r:.80}.")
        return value
    if (others := _alternatives(kind)) is not None:
        return _one_of(others, value, where)
    if get_origin(kind) is list:
        if not isinstance(value, list) or len(value) > bounds.most:
            raise Problem(f"{where} is a list of at most {bounds.most:,} values.")
        return [read(get_args(kind)[0], each, f"{where}[{place}]") for place, each in enumerate(value)]
    if get_origin(kind) is dict:
        if not isinstance(value, dict) or len(value) > bounds.most:
            raise Problem(f"{where} is an object of at most {bounds.most:,} values.")
        return {name[:200]: read(get_args(kind)[1], each, f"{where}.{name:.40}") for name, each in value.items()}
    return _scalar(kind, bounds, value, where)


def read_query(shape: Any, given: Mapping[str, str]) -> Any:
    """The same for the query of an address, where every value is a text."""
    hints = fields(shape)
    return read(shape, {name: _typed(hints.get(name, str), text) for name, text in given.items()}, "the query")


def schema(shape: Any, named: dict[str, Any]) -> dict[str, Any]:
    """As JSON Schema; records are referred to by their names, and described in `named`."""
    kind, bounds = _bounded(shape)
    if kind is Any:
        return {}
    if is_record(kind):
        if kind.__name__ not in named:
            named[kind.__name__] = {}  # it may hold itself
            named[kind.__name__] = {
                "type": "object",
                "description": " ".join((kind.__doc__ or "").split()),
                "properties": {name: schema(each, named) for name, each in fields(kind).items()},
                "required": sorted(kind.__required_keys__),
                "additionalProperties": False,
            }
        return {"$ref": f"{_REF}{kind.__name__}"}
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind))}
    if (others := _alternatives(kind)) is not None:
        return {"anyOf": [schema(each, named) for each in others]}
    if get_origin(kind) is list:
        return {"type": "array", "items": schema(get_args(kind)[0], named)}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": schema(get_args(kind)[1], named)}
    limits = {"minimum": bounds.low, "maximum": bounds.high} if kind in (int, float) else {}
    return {"type": _NAMES[kind][0]} | {name: limit for name, limit in limits.items() if limit is not None}


def _bounded(shape: Any) -> tuple[Any, ShapeBounds]:
    if get_origin(shape) is Annotated:
        kind, *marks = get_args(shape)
        return kind, next((mark for mark in marks if isinstance(mark, ShapeBounds)), ShapeBounds())
    return shape, ShapeBounds()


def _alternatives(kind: Any) -> tuple[Any, ...] | None:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else None


def _one_of(others: Sequence[Any], value: Any, where: str) -> Any:
    for each in others[:-1]:
        with suppress(Problem):
            return read(each, value, where)
    return read(others[-1], value, where)


def _record(kind: Any, value: Any, where: str) -> dict[str, Any]:
    hints = fields(kind)
    if not isinstance(value, dict):
        raise Problem(f"{where} is an object, not {value!r:.80}.")
    for name in value:
        if name not in hints:
            raise Problem(f"{where} has no {name!r:.80}.{closest(name[:80], hints)}")
    if missing := sorted(kind.__required_keys__ - value.keys()):
        raise Problem(f"{where} lacks {missing[0]}.")
    return {name: read(hints[name], each, name) for name, each in value.items()}


def _scalar(kind: Any, bounds: ShapeBounds, value: Any, where: str) -> Any:
    whole = kind is float and isinstance(value, int)
    if (not isinstance(value, kind) and not whole) or (isinstance(value, bool) and kind is not bool):
        raise Problem(f"{where} is {_NAMES[kind][1]}, not {value!r:.80}.")
    if isinstance(value, str) and len(value) > bounds.longest:
        raise Problem(f"{where} has {len(value):,} characters, and may have {bounds.longest:,}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) < math.inf:
            raise Problem(f"{where} is a number that ends.")
        if (bounds.low is not None and value < bounds.low) or (bounds.high is not None and value > bounds.high):
            raise Problem(f"{where} is {bounds.low:,g} to {bounds.high:,g}, not {value:,.12g}.")
    return value


def _typed(shape: Any, text: str) -> Any:
    """What a text in a query stands for; itself, if it does not read as that."""
    kind, _ = _bounded(shape)
    kind = next((each for each in _alternatives(kind) or (kind,) if each is not type(None)), kind)
    kind, _ = _bounded(kind)
    try:
        if kind is bool:
            return (TRUE + FALSE).index(text.lower()) < len(TRUE)
        return kind(text[:30]) if kind in (int, float) else text
    except ValueError:
        return text
