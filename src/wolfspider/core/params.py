"""Parameters: one dataclass for each part that has some; every field carries a sentence, bounds, and whether it may
change while a crawl runs (`live`). The default strategy and judge are here too, so that help loads nothing more.

The default of a strategy's parameter is what helps on real webs. Where its paper says otherwise, the field carries the
paper's value as well (`letter`), and `letter=true`, which every strategy takes, chooses these values. A run keeps the
values it began with; where it does not name one, that is the value of the time before it was kept (`first`).

The command line, the documentation and the dashboard are generated from these fields; nothing about them is written
twice.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wolfspider.core.errors import Problem, closest, near

T = TypeVar("T")
DEFAULT_STRATEGY, DEFAULT_JUDGE = "hunter", "context"
KINDS = {"int": "a whole number", "float": "a number", "bool": "yes or no"}
LETTER = "letter"  # the setting by which a strategy keeps to the letter of its paper
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def param(
    default: Any,
    says: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
    live: bool = True,
    letter: Any = None,
    first: Any = None,
    words: Mapping[str, float] | None = None,
) -> Any:
    """A field of a Params dataclass; `letter` is the paper's value, where that is not the default, and `first` that of
    runs which do not name it, where that is not the paper's. `words`: values that have a name."""
    metadata = {"says": says, "low": low, "high": high, "choices": tuple(choices), "live": live, "words": words or {}}
    metadata["letter"] = default if letter is None else letter
    metadata["first"] = metadata["letter"] if first is None else first
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Param:
    """What is known about one parameter."""

    name: str
    kind: str  # int, float, bool or str
    default: Any
    says: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    live: bool
    letter: Any
    first: Any
    words: Mapping[str, float] = field(default_factory=dict)

    @property
    def wanted(self) -> str:
        """What kind of value it takes, in words."""
        return KINDS[self.kind] + " of megabytes" * self.says.startswith("Megabytes")

    def read(self, given: Any) -> Any:
        """The value given (text from a command line, or already a value), checked; Problem says what is wrong."""
        value = self.convert(given)
        if self.choices and value not in self.choices:
            raise Problem(
                f"{self.name} is one of {', '.join(self.choices)}, not {given!r}.{near(str(given), self.choices)}"
            )
        if self.low is not None and value < self.low:
            raise Problem(f"{self.name} must be at least {self.low:,}, not {given}.")
        if self.high is not None and value > self.high:
            share = self.words and self.high == 1 < value <= 100 and "%" not in str(given)
            percent = f" Did you mean {value:g}%?" if share else ""
            raise Problem(f"{self.name} must be at most {self.high:,}, not {given}.{percent}")
        return value

    def told(self, value: Any) -> str:
        """The value as a person writes it: by its word where it has one, or as a share."""
        if isinstance(value, bool) or not isinstance(value, float if not self.words else (int, float)):
            return str(value)
        plain = f"{100 * value:.12g}%" if self.words else f"{value:.12g}"
        return {kept: word for word, kept in self.words.items()}.get(value, plain)

    def convert(self, given: Any) -> Any:
        """The value given, of the right kind; whether it is within the bounds is another matter."""
        if self.kind == "str":
            return str(given)
        text = str(given).strip().lower()
        if text in self.words:
            return self.words[text]
        try:
            if self.kind == "bool":
                return (TRUE + FALSE).index(text) < len(TRUE)
            if self.kind == "int":
                return int(text)
            value = self._share(text, given) if self.words and text.endswith("%") else float(text)
        except ValueError:
            named = f", a share such as 90%, or one of {', '.join(self.words)}" if self.words else ""
            raise Problem(f"{self.name} must be {self.wanted}{named}, not {given!r}.") from None
        if math.isnan(value):
            raise Problem(f"{self.name} must be a number, not {given!r}.")
        return value

    def _share(self, text: str, given: Any) -> float:
        """Nothing and all have words, which say what is meant by them."""
        share = float(text[:-1]) / 100
        if share <= 0 or share >= 1:
            words = " or ".join(self.words)
            raise Problem(f"{self.name} must be more than 0% and less than 100%, or {words}, not {given}.")
        return share


_SWITCH = Param(LETTER, "bool", False, "Keep to the letter of the paper.", None, None, (), False, True, False)


def parameters(params: Any) -> dict[str, Param]:
    """All parameters of a Params class or of an instance of one, in the order they are declared."""
    kinds = typing.get_type_hints(params if isinstance(params, type) else type(params))
    return {
        field.name: Param(field.name, kinds[field.name].__name__, field.default, **field.metadata)
        for field in dataclasses.fields(params)
    }


def live_names(params: Any) -> tuple[str, ...]:
    """Parameters that may change while a crawl runs."""
    return tuple(name for name, known in parameters(params).items() if known.live)


def build(kind: type[T], settings: Mapping[str, Any], others: Collection[str] = ()) -> T:
    """A Params with these settings and defaults for the rest; `others` are further names that could have been meant."""
    known = parameters(kind)
    for name in settings:
        if name not in known:
            raise Problem(f"There is no parameter {name!r}.{closest(name, {*known, *others})}")
    return kind(**{name: known[name].read(given) for name, given in settings.items()})


def chosen(kind: type[T], settings: Mapping[str, Any]) -> T:
    """The parameters of a strategy: these settings, and for the rest the defaults, or by the letter what its paper
    says; the settings say which of the two."""
    known, own = parameters(kind), dict(settings)
    # a strategy of the person's own may use the word for something else
    by_letter = LETTER not in known and _SWITCH.read(own.pop(LETTER, False))
    printed = {name: each.letter for name, each in known.items() if by_letter and each.letter != each.default}
    return build(kind, printed | own, others=(LETTER,))


def begun_with(kind: type[T], named: Mapping[str, Any]) -> T:
    """The parameters of a run: those it names, and for the rest what held before runs named them."""
    known = parameters(kind)
    return build(kind, {name: named.get(name, each.first) for name, each in known.items()})


def wants_letter(settings: Mapping[str, Any]) -> bool:
    """Do these settings of a strategy choose the letter of its paper?"""
    return bool(_SWITCH.read(settings.get(LETTER, False)))


def move(params: Any, name: str, given: Any) -> Any:
    """Change a live parameter; returns the old value."""
    known = parameters(params)
    if name not in known and name != LETTER:
        raise Problem(f"There is no parameter {name!r}.{closest(name, known)}")
    if name not in known or not known[name].live:
        raise Problem(f"{name} is fixed when a crawl starts; begin a new one to change it.")
    old = getattr(params, name)
    setattr(params, name, known[name].read(given))
    return old
