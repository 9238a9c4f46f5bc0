"""What mypy knows of word_lists.pyx."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

class Beginnings:
    def __init__(self, heads: Iterable[str]) -> None: ...
    def near(self, words: Iterable[str]) -> list[tuple[int, str]]: ...
    def near_in(self, text: str) -> list[tuple[int, str]]: ...

def numbered(known: dict[str, int], words: Collection[str]) -> np.ndarray[Any, np.dtype[np.int64]]: ...
def looked_up(
    known: dict[str, int], words: Collection[str], missing: Callable[[str], int]
) -> np.ndarray[Any, np.dtype[np.int64]]: ...
def looked_up_at(
    known: dict[str, int],
    words: Sequence[str],
    places: np.ndarray[Any, np.dtype[np.int64]],
    missing: Callable[[str], int],
) -> np.ndarray[Any, np.dtype[np.int64]]: ...
def add_to_rows(
    figures: np.ndarray[Any, np.dtype[np.float64]], rows: np.ndarray[Any, np.dtype[np.int64]], amounts: Sequence[float]
) -> None: ...
