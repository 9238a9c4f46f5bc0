"""The results of a spider as its user sees them: generation by generation while it runs, and a page of them in the end.

A strategy that notes a `generation` (docs/events.md) is shown here, whatever it is called; one that does not is never
spoken of. Titles, addresses and words come from pages: they are made harmless as soon as they are read.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from wolfspider.app.past_runs import results
from wolfspider.core.events import Event, Noted
from wolfspider.core.plain_text import plainly
from wolfspider.store.view import RunView
from wolfspider.terminal.progress import one_line

KIND = "generation"
MOST = 500  # results of a generation: as many as spiders may be asked for
FEWEST = 3  # results on the screen, however low it is
WORDS = 20  # matched keywords of a result
NOTES = 2000  # of a run that goes on; where there are more, generations are not what its notes are about
LONGEST_ADDRESS = 1000
BARS = ("terms", "links", "time")
COLOURS = {"local": "green", "elsewhere": "cyan", "leap": "magenta"}
_HUGE = 1e12
_SCORE = 7  # columns before the title
_WIDE, _NARROW = 60, 36  # columns of a screen that has room for bars with numbers, and for bars
_TEXT_BAR = 10  # columns of a bar on the final page


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """A page that a spider brings back, its texts harmless."""

    url: str
    title: str
    links: int
    score: float
    bars: tuple[float, float, float]  # terms, links, fetch time; each in [0, 1]
    origin: str  # local, elsewhere or leap
    words: tuple[str, ...]  # matched keywords
    generation: int


@dataclass(frozen=True, slots=True)
class Generation:
    """What a spider says when an iteration is over."""

    at: float
    number: int
    fitness: float
    fetched: int
    leaps: int
    seconds: float
    temperature: float | None
    final: bool
    results: tuple[ShownOutput, ...]  # best first

    def status(self, now: float | None = None) -> str:
        """`now`: the clock goes on until the spider is through."""
        seconds = self.seconds if now is None or self.final else self.seconds + max(0.0, now - self.at)
        cooled = "" if self.temperature is None else f", temperature {self.temperature:.4f}"
        return (
            f"generation {self.number:,}, time {_time(seconds)}, pages fetched {self.fetched:,}, "
            f"from leaps {self.leaps:,}, fitness {self.fitness:.4f}{cooled}"
        )

    def line(self) -> str:
        """All of it in one line, for a log."""
        best = self.results[0] if self.results else None
        shown = f"; best {best.score:.4f} {best.url} ({best.title}, {best.origin})" if best else ""
        return f"{self.status()}, results {len(self.results)}{', final' * self.final}{shown}"


class Outputs:
    """The newest generation of a crawl, told from its events."""

    def __init__(self) -> None:
        self.newest: Generation | None = None
        self._listeners: list[Callable[[Generation], None]] = []

    def listen(self, listener: Callable[[Generation], None]) -> None:
        """Be told of every generation to come."""
        self._listeners.append(listener)

    def hear(self, event: Event) -> None:
        generation = read(event.at, event.data) if isinstance(event, Noted) and event.kind == KIND else None
        if generation is not None:
            self.newest = generation
            for listener in self._listeners:
                listener(generation)

    def conclude(self, view: RunView) -> None:
        """A crawl may end in the midst of a generation, and a note has only the first results: take all that its
        strategy had in the end, if it can tell."""
        told = results(view)
        self.newest = (told and read(*told)) or self.newest

    def recall(self, view: RunView) -> None:
        """The last generation before a run was stopped. The run's log leaves out what is very long: then an earlier one
        would be shown for it, so nothing is."""
        notes = deque(islice(view.events("Noted"), NOTES + 1))
        if len(notes) <= NOTES:
            kept = [(at, note) for at, _, note in notes if note.get("kind", KIND) == KIND]
            self.newest = read(kept[-1][0], _mapping(kept[-1][1].get("data"))) if kept else None


# Reading what a strategy noted: its own business, so nothing is taken for granted


def read(at: float, data: Mapping[str, Any]) -> Generation | None:
    """None where somebody else's `generation` is something else."""
    number, results = data.get("generation"), data.get("results")
    if not isinstance(number, int) or not isinstance(results, list | tuple):
        return None
    return Generation(
        at,
        _count(number),
        _number(data.get("fitness")),
        _count(data.get("fetched")),
        _count(data.get("leaps")),
        _number(data.get("seconds")),
        _number(data["temperature"]) if "temperature" in data else None,
        data.get("final") is True,
        tuple(_output(result) for result in results[:MOST] if isinstance(result, Mapping)),
    )


def _output(data: Mapping[str, Any]) -> ShownOutput:
    words = data.get("words")
    return ShownOutput(
        _text(data.get("url"), LONGEST_ADDRESS),
        _text(data.get("title")) or "(no title)",
        _count(data.get("links")),
        _number(data.get("score")),
        (_share(data.get("terms")), _share(data.get("links_score")), _share(data.get("fetch_score"))),
        _text(data.get("origin"), 20),
        tuple(map(_text, words[:WORDS])) if isinstance(words, list | tuple) else (),
        _count(data.get("generation")),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object, most: int = 300) -> str:
    return plainly(value, most) if isinstance(value, str) else ""


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(min(max(value, 0.0), _HUGE))


def _count(value: object) -> int:
    return int(_number(value))


def _share(value: object) -> float:
    return min(1.0, _number(value))


def _time(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


# On a screen. It is drawn several times a second, in the crawl's own time, so lines are made by hand: tables cost more.


class Layout(NamedTuple):
    """How results are laid out on a screen of so many columns."""

    width: int
    ascii: bool = False

    @property
    def bar(self) -> int:
        """Columns of a bar; 0 where there is no room for bars."""
        if self.width < _NARROW:
            return 0
        return 4 if self.width < _WIDE else min(12, 4 + (self.width - _WIDE) // 5)

    @property
    def cell(self) -> int:
        """Columns of a bar, with its number if there is room for that."""
        return self.bar + 5 if self.width >= _WIDE else self.bar

    @property
    def title(self) -> int:
        return max(1, self.width - _SCORE - (3 * (self.cell + 2) if self.bar else 0))

    def head(self) -> Text:
        line = one_line(f"{'score':{_SCORE}}" + " " * self.title, "dim")
        for name in BARS if self.bar else ():
            line.append("  ").append(name[: self.cell].ljust(self.cell))
        return line

    def first(self, output: ShownOutput) -> Text:
        """Score, title, bars."""
        colour = COLOURS.get(output.origin, "")
        line = one_line(f"{output.score:<{_SCORE}.3f}").append(_fitted(output.title, self.title, colour))
        for share in output.bars if self.bar else ():
            number = f"{share:.2f} " if self.cell > self.bar else ""
            line.append("  ").append(number).append(bar(share, self.bar, self.ascii), colour)
        return line

    def second(self, output: ShownOutput) -> Text:
        """Origin, links, address, matched keywords."""
        left = self.width - _SCORE - 22
        address = max(1, left if not output.words else left * 3 // 5)
        line = one_line(" " * _SCORE).append(f"{output.origin:<9} ", COLOURS.get(output.origin, ""))
        line.append(f"links {output.links:>4,}  ").append(_fitted(output.url, address, "dim"))
        return line.append("  ").append(", ".join(output.words))


def _fitted(text: str, width: int, style: str) -> Text:
    fitted = Text(text, style)
    fitted.truncate(width, overflow="ellipsis", pad=True)
    return fitted


def bar(share: float, width: int, ascii: bool = False) -> str:
    """A share of one as a bar of so many columns, in eighths of them where the terminal has letters for that."""
    if ascii:
        return ("#" * round(share * width)).ljust(width, ".")
    full, rest = divmod(round(share * width * 8), 8)
    return ("█" * full + " ▏▎▍▌▋▊▉"[rest] * (rest > 0)).ljust(width)


def on_screen(generation: Generation, layout: Layout, lines: int, brief: bool = False) -> Iterator[Text]:
    """As many results as have room in so many lines, at least three. In `brief` each has one line, otherwise two."""
    shown = max(FEWEST, (lines - 1) // (1 if brief else 2))
    yield layout.head()
    for output in generation.results[:shown]:
        yield layout.first(output)
        if not brief:
            yield layout.second(output)


# The page in the end


def show(console: Console, generation: Generation) -> None:
    """Total fitness, pages visited, and each result."""
    for line in page(generation):
        console.print(line, soft_wrap=True)


def page(generation: Generation) -> Iterator[Text]:
    so_far = "Results" if generation.final else "Results so far"
    yield Text(f"{so_far}, after generation {generation.number:,}: {len(generation.results)}", "bold")
    cooled = "" if generation.temperature is None else f", temperature {generation.temperature:.4f}"
    yield Text(
        f"total fitness {generation.fitness:.4f}, pages visited {generation.fetched:,}, "
        f"from leaps {generation.leaps:,}, time {_time(generation.seconds)}{cooled}"
    )
    for place, output in enumerate(generation.results, start=1):
        colour, indent = COLOURS.get(output.origin, ""), " " * 4
        named = zip(BARS, output.bars, strict=True)
        bars = (f"{name} [{bar(share, _TEXT_BAR, ascii=True)}] {share:.3f}" for name, share in named)
        yield Text()
        yield Text(f"{place:>2}. {output.score:.4f}  ").append(output.title, colour)
        yield Text(indent).append(output.url, colour)
        yield Text(indent + "  ".join(bars))
        yield Text(f"{indent}{output.origin}, links {output.links:,}, generation {output.generation:,}")
        yield Text(f"{indent}matched: {', '.join(output.words) or 'nothing'}")
