"""What mypy knows of tokens.pyx."""

from collections.abc import Callable
from typing import Any

import numpy as np

class WordReader:
    def __init__(
        self,
        table: bytes,
        longest: int,
        weights: np.ndarray[Any, np.dtype[np.uint64]],
        odd: int,
        run: int,
        spell: Callable[[str], str | None] | None,
        octets: int,
    ) -> None: ...

def read_words(
    given: bytes,
    table: bytes,
    between: int,
    longest: int,
    weights: np.ndarray[Any, np.dtype[np.uint64]],
    odd: int,
    run: int,
) -> tuple[list[str] | str, list[int], int, dict[str, int] | None, int | None]: ...
