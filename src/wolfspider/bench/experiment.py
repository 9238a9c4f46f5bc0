"""What a reproduction of a paper is made of. An experiment is data and a few functions of rows, and no loop:

    settings(form) -> [{...}, ...]     what is run: plain JSON, one for each cell
    cell(setting)  -> {...}            runs one of them, in some process; setting and result together are a row
    claims, tables, figures            read rows, and nothing else

A claim is what the paper says, numbered, with a test that may find that it does not hold here. To show that a test can
fail, each claim also names a broken variant: rows of a world in which the claim is false. Should its test let them
pass, the claim is not ruled on, whatever the test finds in the true rows.

A claim holds, does not hold, is undecided or is not testable. `rulings.answer` says when a test leaves it undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from wolfspider.bench import Row as Row
from wolfspider.bench import Setting as Setting
from wolfspider.bench.draw.svg import Figure

Rows = Sequence[Row]
Scale = TypeVar("Scale")  # what a paper runs in a form: how many webs, crawls, downloads ...

BLIND = "Its test does not see that the broken variant is broken, so what it finds elsewhere shows nothing."


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a reproduction: full, or quick enough for a few minutes, and where recorded webs are, if anywhere."""

    quick: bool = False
    corpora: Path | None = None

    def scale(self, full: Scale, quick: Scale) -> Scale:
        """How much is run in this form."""
        return quick if self.quick else full

    def folders(self, names: Iterable[str]) -> list[Path]:
        """Those of these recorded webs that are at hand."""
        places = [self.corpora / name for name in names] if self.corpora else []
        return [place for place in places if place.is_dir()]


class Estimate(NamedTuple):
    """A number with its 95% interval, and where it is wanted; an end of what is wanted may be infinite."""

    mean: float
    low: float
    high: float
    wanted: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a test found. `holds` is None where it decides nothing: because the rows admit both answers (`undecided`),
    or because it cannot be tested here at all, and then `sentence` says why."""

    holds: bool | None
    statistic: str = ""
    sentence: str = ""
    undecided: bool = False
    measured: Estimate | None = None
    parts: tuple[tuple[str, Ruling], ...] = ()  # of a claim that says several things
    others: tuple[tuple[str, Ruling], ...] = ()  # what the same rule finds in other ways; these do not decide

    def __post_init__(self) -> None:
        if self.undecided and self.holds is not None:
            raise ValueError("What holds or does not hold is decided.")
        if self.holds is None and not self.undecided and not self.sentence:
            raise ValueError("A claim that is not testable needs a sentence that says why.")
        if (self.holds is not None or self.undecided) and not self.statistic:
            raise ValueError("A ruling needs its statistic: the test, the number of cases, what came out.")

    @property
    def word(self) -> str:
        return {True: "holds", False: "does not hold", None: "undecided" if self.undecided else "not testable"}[
            self.holds
        ]

    @property
    def testable(self) -> bool:
        return self.holds is not None or self.undecided

    def lines(self, name: str = "") -> Iterator[tuple[str, Ruling]]:
        """What is claimed, part by part, with the name of each; one without parts is its own only part."""
        if not self.parts:
            yield name, self
        for part_name, part in self.parts:
            yield from part.lines(f"{name}, {part_name}" if name else part_name)

    def after(self, words: str, sentence: str = "") -> Ruling:
        """The same ruling, with these words before its statistic; untestable, it stays as it is."""
        if not self.testable:
            return self
        return replace(self, statistic=words + self.statistic, sentence=sentence or self.sentence)


@dataclass(frozen=True, slots=True)
class BrokenVariant:
    """A world in which the claim is false: in words, and as rows made from the true ones."""

    says: str
    rows: Callable[[Rows], Rows]


@dataclass(frozen=True, slots=True)
class Claim:
    number: int
    says: str
    source: str  # where in the paper
    test: Callable[[Rows], Ruling]
    broken: BrokenVariant | None  # None only where nothing can be tested
    known: str = ""  # what was known of it before the rows that are ruled on


@dataclass(frozen=True, slots=True)
class Both:
    """A number of ours beside the one the paper prints; None where there is none."""

    ours: float | str | None
    paper: float | str | None


Value = float | str | Both | None  # a table's cell; an int is a float to the typist


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: tuple[str, ...]
    lines: Sequence[tuple[Value, ...]]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(line) != len(self.columns) for line in self.lines):
            raise ValueError(f"Table {self.title!r}: every line has {len(self.columns)} cells, one for each column.")

    @property
    def doubled(self) -> list[bool]:
        """Which columns are two, ours and the paper's?"""
        return [any(isinstance(line[place], Both) for line in self.lines) for place in range(len(self.columns))]


@dataclass(frozen=True, slots=True)
class Experiment:
    name: str  # hyphenated, as on the command line
    title: str
    paper: str  # who said it, and where
    about: str  # a paragraph: what is asked, and how
    settings: Callable[[Form], Sequence[Setting]]
    cell: Callable[[Setting], Row]  # a function of a module that imports no claims, tables or figures
    claims: tuple[Claim, ...]
    scaled: Callable[[Form], Sequence[str]]  # sentences: what is smaller here than in the paper
    tables: Callable[[Rows], Sequence[Table]] = lambda rows: ()
    figures: Callable[[Rows], Sequence[Figure]] = lambda rows: ()

    def __post_init__(self) -> None:
        numbers = [claim.number for claim in self.claims]
        if not numbers or numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"{self.name}: claims are numbered 1, 2, ..., not {numbers}.")


@dataclass(frozen=True, slots=True)
class RuledClaim:
    """A claim, what its test found in the true rows, and what it found in the broken variant."""

    claim: Claim
    ruling: Ruling
    broken: Ruling | None
    able_to_fail: bool  # did the test see that the broken variant is broken?


def finding(claim: Claim, rows: Rows) -> RuledClaim:
    ruling = claim.test(rows)
    broken = claim.test(claim.broken.rows(rows)) if claim.broken else None
    seen = broken is not None and broken.holds is False
    silent = ruling.undecided and (broken is None or broken.holds is not True)  # it says nothing that could be wrong
    if not ruling.testable or seen or silent:
        return RuledClaim(claim, ruling, broken, able_to_fail=True)
    blind = replace(ruling, holds=None, undecided=False, sentence=BLIND)
    return RuledClaim(claim, blind, broken, able_to_fail=False)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Everything that came of it; pages and files are made from this alone."""

    experiment: Experiment
    form: Form
    rows: Rows
    seconds: float  # of computing, all cells added
    findings: Sequence[RuledClaim]
    tables: Sequence[Table] = field(default=())
    figures: Sequence[Figure] = field(default=())

    @property
    def sound(self) -> bool:
        """Can every test fail?"""
        return all(finding.able_to_fail for finding in self.findings)
