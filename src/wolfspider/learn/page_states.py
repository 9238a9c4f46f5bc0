"""States of pages: what a page is about, as a vector in [-1, 1]^k that learners of values can work with.

They follow the news foragers of Palotai et al.: a background corpus is divided into k clusters (pddp.py); how like a
page is to each of them, and to text in general, is a posterior (prtfidf.py); the general class is dropped, and a steep
tanh makes the rest nearly binary. There are two maps:

    faithful      tanh(40 (p_i - 0.5)), as printed. Posteriors sum to one, so at most one exceeds one half, and on real
                  text hardly any does: nearly all pages are the same point.
    calibrated    tanh(40 (p_i - theta_i)), where theta_i is what one page in five of the background corpus exceeds.

A model contains statistics of words and no text. Posteriors are stored as 8-bit levels of their square roots, and
everything is computed from these levels, so that a model read back equals the one that was written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.model import Page
from wolfspider.core.text import counts
from wolfspider.learn.arrays import packed, text_array, texts_of, unpacked
from wolfspider.learn.prtfidf import classify

CLASSES = 50
WORDS = 14_000
STOP = 300  # the words on most pages, which tell nothing
LEAST_PAGES = 3  # a word on fewer is an accident
CLUSTERING_WORDS = 20_000  # the commonest, by which pages are clustered
CANDIDATES = 60_000  # the commonest, of which the most telling are kept
GAIN, OFFSET = 40.0, 0.5
PERCENTILE = 80
MAPPINGS = ("faithful", "calibrated")
SHIPPED = "states-en.npz"
IN_FOLDER = "states.npz"
LARGEST = 1 << 30  # bytes of a file of states, unpacked
MOST_LEVELS = 1 << 26  # words times classes of a model
_FORMAT = 1

Floats = NDArray[np.float32]
Levels = NDArray[np.uint8]


class States(Protocol):
    """A map from pages to states."""

    @property
    def size(self) -> int: ...

    def of(self, page: Page) -> Floats:
        """Of shape (size,), each value in [-1, 1]."""
        ...


class WordCount(NamedTuple):
    """Occurrences of words on a page."""

    words: int
    stopped: int  # of words on the stop list
    known: int  # of words that the state is made of

    @property
    def share(self) -> float:
        """The share of known words, stop words included."""
        return (self.stopped + self.known) / self.words if self.words else 0.0


@dataclass(frozen=True, eq=False)
class StateModel:
    """Computes `States` from the words of a page."""

    words: tuple[str, ...]
    stop: tuple[str, ...]
    levels: Levels  # of each class, the general one last, for each word
    weights: Floats  # how much each word counts
    thresholds: Floats  # of the calibrated map
    mapping: str = "calibrated"
    gain: float = GAIN
    offset: float = OFFSET
    size: int = field(init=False)
    _row: dict[str, int] = field(init=False, repr=False)
    _stop: frozenset[str] = field(init=False, repr=False)
    _posteriors: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _check_mapping(self.mapping)
        put = object.__setattr__
        put(self, "size", len(self.levels) - 1)
        put(self, "_row", {word: row for row, word in enumerate(self.words)})
        put(self, "_stop", frozenset(self.stop))
        put(self, "_posteriors", _posteriors_of(self.levels))

    def of(self, page: Page) -> Floats:
        centre = self.thresholds if self.mapping == "calibrated" else np.float32(self.offset)
        found: Floats = np.tanh(np.float32(self.gain) * (self.posteriors(counts(page))[:-1] - centre))
        return found

    def posteriors(self, counts: Mapping[str, int]) -> Floats:
        """Of all classes, the general one last; they sum to one. Without a known word all are equal."""
        row_of = self._row.get
        places = np.array([row_of(word, -1) for word in counts], np.intp)
        times = np.fromiter(counts.values(), np.float32, len(counts))
        known = places >= 0
        rows = places[known]
        return classify(self._posteriors, rows, self.weights[rows] * times[known])

    def tally(self, page: Page) -> WordCount:
        found = counts(page)
        stopped = sum(times for word, times in found.items() if word in self._stop)
        known = sum(times for word, times in found.items() if word in self._row)
        return WordCount(sum(found.values()), stopped, known)

    def mapped(self, mapping: str) -> StateModel:
        """The same model with this map."""
        return self if mapping == self.mapping else replace(self, mapping=mapping)

    def to_bytes(self) -> bytes:
        about = {"kind": "model", "mapping": self.mapping, "gain": self.gain, "offset": self.offset}
        return packed(
            {
                "about": _about(about),
                "words": text_array(self.words),
                "stop": text_array(self.stop),
                "levels": self.levels,
                "weights": self.weights,
                "thresholds": self.thresholds,
            }
        )

    @classmethod
    def from_bytes(cls, blob: bytes) -> StateModel:
        read = states_from(blob)
        if not isinstance(read, cls):
            raise BadInput("These are the states of a recording, not a model. Give a file of `states build`.")
        return read


class KeptStates:
    """Recorded `States`, for pages whose words were not kept: vectors by the digest of the page."""

    def __init__(self, digests: Sequence[str], states: NDArray[Any]) -> None:
        self.states = np.asarray(states, np.float32)
        if self.states.ndim != 2 or len(digests) != len(self.states):
            raise ValueError("as many digests as states are needed")
        self.digests = tuple(digests)
        self.size = int(self.states.shape[1])
        self._row = {digest: row for row, digest in enumerate(self.digests)}
        self._unknown = np.zeros(self.size, np.float32)

    def of(self, page: Page) -> Floats:
        """Zeros for a page that was not recorded."""
        row = self._row.get(page.digest)
        return (self._unknown if row is None else self.states[row]).copy()

    def to_bytes(self) -> bytes:
        return packed({"about": _about({"kind": "kept"}), "digests": text_array(self.digests), "states": self.states})

    @classmethod
    def from_bytes(cls, blob: bytes) -> KeptStates:
        read = states_from(blob)
        if not isinstance(read, cls):
            raise BadInput("This is a model, not the states of a recording. Give the states.npz of a recording.")
        return read


def states_from(blob: bytes) -> StateModel | KeptStates:
    """The model or the recorded states in these bytes; BadInput if they are neither."""
    try:
        parts = unpacked(blob, LARGEST)
        about = json.loads(parts["about"].tobytes())
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']}, not {_FORMAT}")
        return _model(about, parts) if about["kind"] == "model" else _kept(parts)
    except (KeyError, TypeError, ValueError, RecursionError, Problem) as error:
        raise BadInput(f"These are no states of pages ({error}). Make them anew by `states build`.") from error


def open_states(model: str, mapping: str) -> States:
    """`default` is the model that is part of the package; otherwise a file of `states build`, or a recording's
    folder."""
    _check_mapping(mapping)
    if model == "default":
        return _shipped(mapping)
    path = Path(model)
    path = path / IN_FOLDER if path.is_dir() else path
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{path} is too large for states of pages.")
        read = states_from(path.read_bytes())
    except OSError as error:
        sentence = f"No states can be read from {path}: {error.strerror}."
        raise BadInput(f"{sentence} Make them by `states build`, or use `default`.") from error
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error
    return read.mapped(mapping) if isinstance(read, StateModel) else read


def train_states(
    pages: Iterable[Page],
    k: int = CLASSES,
    words: int = WORDS,
    *,
    stop: int = STOP,
    least_pages: int = LEAST_PAGES,
    tfidf: bool = False,
    scaled: bool = False,
    pooled: bool = False,
    mapping: str = "calibrated",
) -> StateModel:
    """Learn a model from background pages: at most k clusters and so many words.

    tfidf: rare words count more in the clustering. Scaled: a word on a page counts by its information gain. Pooled: a
    cluster is one long text, so that its long pages count more.
    """
    from wolfspider.learn import training  # loads scipy, which is not needed to use a model

    learned = training.learn(
        pages,
        training.TrainingSettings(k, words, stop, least_pages, CLUSTERING_WORDS, CANDIDATES, tfidf, scaled, pooled),
    )
    if learned is None:
        raise Problem("These pages have no words to learn from. Give a web with more text.")
    levels = np.rint(255 * np.sqrt(learned.posteriors.T)).astype(np.uint8)
    flat = np.zeros(len(levels) - 1, np.float32)
    rough = StateModel(learned.words, learned.stop, levels, learned.weights, flat, mapping)
    thresholds = training.thresholds(rough._posteriors, rough.weights, learned.counts, PERCENTILE)
    return replace(rough, thresholds=thresholds)


@lru_cache(maxsize=len(MAPPINGS))
def _shipped(mapping: str) -> StateModel:
    return StateModel.from_bytes(files("wolfspider.learn").joinpath(SHIPPED).read_bytes()).mapped(mapping)


def _posteriors_of(levels: Levels) -> Floats:
    """A row for each word, scaled to the sum of one."""
    squares = np.square(np.ascontiguousarray(levels.T, np.float32))
    sums = squares.sum(axis=1, keepdims=True)
    found: Floats = np.divide(squares, sums, out=np.full_like(squares, 1 / len(levels)), where=sums > 0)
    return found


def _check_mapping(mapping: str) -> None:
    if mapping not in MAPPINGS:
        raise Problem(f"There is no map {mapping!r}.{closest(mapping, MAPPINGS)}")


def _about(about: dict[str, Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps({"format": _FORMAT, **about}).encode(), np.uint8)


def _model(about: Mapping[str, Any], parts: Mapping[str, NDArray[Any]]) -> StateModel:
    words, stop = texts_of(parts["words"]), texts_of(parts["stop"])
    levels, weights, thresholds = (
        _numbers(parts[name], kind, shape)
        for name, kind, shape in (
            ("levels", np.uint8, (None, len(words))),
            ("weights", np.float32, (len(words),)),
            ("thresholds", np.float32, (len(parts["levels"]) - 1,)),
        )
    )
    gain, offset = float(about["gain"]), float(about["offset"])
    if levels.size > MOST_LEVELS:
        raise ValueError("it is too large")
    if len(levels) < 2 or len(set(words)) < len(words) or weights.min(initial=0) < 0:
        raise ValueError("its parts do not fit")
    if not (math.isfinite(gain) and math.isfinite(offset)):
        raise ValueError("it has numbers that are none")
    return StateModel(words, stop, levels, weights, thresholds, str(about["mapping"]), gain, offset)


def _kept(parts: Mapping[str, NDArray[Any]]) -> KeptStates:
    states = _numbers(parts["states"], np.float32, (None, None))
    if states.size and np.abs(states).max() > 1:
        raise ValueError("a state is out of bounds")
    return KeptStates(texts_of(parts["digests"]), states)


def _numbers(array: NDArray[Any], kind: Any, shape: tuple[int | None, ...]) -> NDArray[Any]:
    fits = array.dtype == kind and array.ndim == len(shape)
    if not fits or any(wanted not in (None, got) for wanted, got in zip(shape, array.shape, strict=True)):
        raise ValueError("its parts do not fit")
    if not np.isfinite(array).all():
        raise ValueError("it has numbers that are none")
    return array
