"""Models of page states: learned from the pages of a web, and measured on those of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page
from wolfspider.core.randomness import generator
from wolfspider.core.text import counts
from wolfspider.files.disk import replacing
from wolfspider.learn.page_states import MAPPINGS, StateModel, WordCount, open_states, train_states
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import World

DECIMALS = 2  # to which states are rounded before they are told apart

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Sample:
    """Which pages of a web: as it was at a time, and at most so many of them, drawn at random."""

    pages: int
    seed: int = 0
    at: float | None = None

    def __post_init__(self) -> None:
        if self.pages < 1:
            raise Problem(f"--pages must be at least 1, not {self.pages}.")


@dataclass(frozen=True, slots=True)
class Fitness:
    """How a model fares on a web; shares but for `pages` and `words`."""

    web: str
    pages: int
    words: int  # occurrences of words
    known: float  # of them the model knows, be it as stop words
    known_beyond_stop: float  # of those that are no stop words
    used: float  # of all, that the states are made of
    distinct_faithful: float  # state vectors to a page
    distinct_calibrated: float
    largest_posterior: float  # the mean of each page's largest, the general class left out
    above_half: float  # pages whose largest posterior exceeds one half


def pages_of(world: World, sample: Sample, progress: Progress) -> Iterator[Page]:
    """In the order of the web."""
    at = world.start if sample.at is None else sample.at
    urls = world.graph(at).urls
    numbers: Sequence[int] = range(len(urls))
    if sample.pages < len(urls):
        numbers = sorted(generator(sample.seed, "states").sample(numbers, sample.pages))
    for done, number in enumerate(numbers, 1):
        page = parse(world.look(urls[number], at))
        progress(done, len(numbers))
        if isinstance(page, Page):
            yield page


def build(world: World, out: Path, sample: Sample, classes: int, words: int, progress: Progress) -> StateModel:
    """Learn a model and keep it in a file."""
    for name, value, least, most in (("classes", classes, 2, 500), ("words", words, 10, 100_000)):
        if not least <= value <= most:
            raise Problem(f"--{name} must be between {least} and {most:,}, not {value}.")
    model = train_states(pages_of(world, sample, progress), classes, words)
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(out) as path:
        path.write_bytes(model.to_bytes())
    return model


def opened(name: str) -> StateModel:
    model = open_states(name, "calibrated")
    if not isinstance(model, StateModel):
        raise BadInput(f"{name} has the states of recorded pages, not a model. Give a file of `states build`.")
    return model


def check(world: World, model: StateModel, sample: Sample, progress: Progress) -> Fitness:
    maps = {name: model.mapped(name) for name in MAPPINGS}
    seen: dict[str, set[bytes]] = {name: set() for name in MAPPINGS}
    tallies: list[WordCount] = []
    largest: list[float] = []
    for page in pages_of(world, sample, progress):
        tallies.append(model.tally(page))
        largest.append(float(model.posteriors(counts(page))[:-1].max()))
        for name, mapped in maps.items():
            seen[name].add(np.rint(mapped.of(page) * 10**DECIMALS).astype(np.int8).tobytes())
    if not tallies:
        raise Problem(f"There are no pages in {world.name} at that time.")
    words, stopped, known = (sum(column) for column in zip(*tallies, strict=True))
    return Fitness(
        web=world.name,
        pages=len(tallies),
        words=words,
        known=(stopped + known) / max(words, 1),
        known_beyond_stop=known / max(words - stopped, 1),
        used=known / max(words, 1),
        distinct_faithful=len(seen["faithful"]) / len(tallies),
        distinct_calibrated=len(seen["calibrated"]) / len(tallies),
        largest_posterior=float(np.mean(largest)),
        above_half=float(np.mean(np.array(largest) > 0.5)),
    )


def text(found: Fitness) -> str:
    rows = (
        ("words known", f"{found.known:.1%}", "of all occurrences, stop words among them"),
        ("  beyond the stop list", f"{found.known_beyond_stop:.1%}", "of those that are no stop words"),
        ("  used", f"{found.used:.1%}", "of all: the states are made of them"),
        ("distinct states, faithful", f"{found.distinct_faithful:.1%}", "to a page, rounded to 2 decimals"),
        ("distinct states, calibrated", f"{found.distinct_calibrated:.1%}", ""),
        ("largest posterior", f"{found.largest_posterior:.3f}", "the mean over pages"),
        ("  above one half", f"{found.above_half:.1%}", "of pages"),
    )
    lines = [f"{name:<28}{value:>8}  {says}".rstrip() for name, value, says in rows]
    return "\n".join([f"{found.web}: {found.pages:,} pages, {found.words:,} words", "", *lines, ""])
